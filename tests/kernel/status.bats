# SPDX-License-Identifier: GPL-2.0-or-later
# gcctl.f2fs status counts what the kernel's own table of segments shows.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$GCCTL"
}

# Of /proc/fs/f2fs/DISK/segment_info: "TYPE SEGMENTS DIRTY FULL VALID" a line.
table_of() {
	awk '
	BEGIN { split("hot_data warm_data cold_data hot_node warm_node cold_node", name) }
	/^[0-9]/ {
		for (i = 2; i <= NF; i++) {
			split($i, v, "|")
			if (!v[2]) continue
			t = v[1] + 1
			seg[t]++; valid[t] += v[2]
			v[2] == 512 ? full[t]++ : dirty[t]++
		}
	}
	END {
		for (t = 1; t <= 6; t++)
			print name[t], seg[t] + 0, dirty[t] + 0, full[t] + 0, valid[t] + 0
	}' "$1"
}

table_of_report() {
	python3 -c '
import json, sys
types = json.load(open(sys.argv[1]))["types"]
for name in ("hot_data", "warm_data", "cold_data", "hot_node", "warm_node",
	     "cold_node"):
	t = types[name]
	print(name, t["segments"], t["dirty_segments"], t["full_segments"],
	      t["valid_blocks"])
' "$1"
}

# What the driver's attributes say of the mounted volume.
attributes() {
	cat >"$BATS_TEST_TMPDIR/script" <<-'END'
		for name in free_segments dirty_segments reserved_segments \
			ovp_segments; do
			[ ! -e "/sys/fs/f2fs/ubda/$name" ] ||
				echo "$name $(cat "/sys/fs/f2fs/ubda/$name")"
		done
	END
	"$kernel_dir/uml-run" -s -r -k "$2" "$1" "$BATS_TEST_TMPDIR/script"
}

agrees() {
	local image json=$BATS_TEST_TMPDIR/status.json name value

	image=$(kernel_image "$1" "$2")
	"$GCCTL" status --json "$image" >"$json"
	diff <(table_of "$image.segments") <(table_of_report "$json")
	attributes "$image" "$3" >"$json.kernel"
	[ "$(wc -l <"$json.kernel")" -ge 2 ]
	while read -r name value; do
		[ "$name" != ovp_segments ] || name=overprovision_segments
		echo "$name: kernel $value, report $(field "$json" "$name")"
		[ "$(field "$json" "$name")" = "$value" ]
	done <"$json.kernel"
}

@test "status agrees with kernel 6.1" {
	agrees tree 61 61
	agrees half-valid-small 61 61
}

@test "status agrees with kernel 6.12" {
	agrees default-section 612 612
	agrees tiny-fsynced 612 612
}

@test "status agrees with kernel 7.2" {
	agrees large-section-small 72 72
	agrees tree 72 72
}

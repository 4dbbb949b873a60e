# SPDX-License-Identifier: GPL-2.0-or-later
# Commits of NAT entries alone, which fill the journal, overflow it or go to
# blocks: each kernel goes on from them, and takes the NAT bits for true.

load ../lib/common
load judge

setup() {
	NAT_DIRTY=$top_builddir/tests/lib/nat-dirty
	need_judge
	need_program "$NAT_DIRTY" "$FSCK" "$GCCTL"
	copy=$BATS_TEST_TMPDIR/copy
	cat >"$copy.script" <<-END
		set -e
		w() { python3 '$lib_dir/workload.py' "\$@"; }
		mkdir "\$M/new"
		w empty "\$M/new" n 1500; w thin "\$M/new" n 3; sync
		w empty "\$M/new" m 1000
	END
}

# commit HITS BLOCKS ARG...: so many entries go to the journal, so many blocks
# are written.
commit() {
	local hits=$1 blocks=$2

	shift 2
	"$NAT_DIRTY" "$copy" "$@" >"$copy.json"
	[ "$(field "$copy.json" journal_hits)" -eq "$hits" ]
	[ "$(field "$copy.json" blocks_read)" -eq "$blocks" ]
	[ "$(field "$copy.json" blocks_written)" -eq "$blocks" ]
	our_check "$copy"
	old_check "$copy"
}

# Free nids are taken and given back; a wrong entry or bit gives one out twice.
go_on() {
	rm -rf "$copy.out"
	"$kernel_dir/uml-run" -s -k "$1" ${2:+-o "$2"} -O "$copy.out" \
		"$copy" "$copy.script"
	old_check "$copy"
	our_check "$copy"
}

has_nat_bits() {
	"$GCCTL" status --json "$copy" | grep -q '"nat_bits"'
}

@test "a journal that is nearly full, full, or would overflow" {
	copy_image "$(kernel_image many-files-small 72)" "$copy"
	! has_nat_bits
	# The kernel leaves entries there; all of them are written once.
	commit 0 15 0:455 1:455 2:455 3:455 4:455 5:455 6:455 7:455 8:455 \
		9:455 10:455 11:455 12:455 13:455 14:455
	commit 37 0 3:20 5:17
	commit 38 0 8:1
	go_on 61
	copy_image "$(kernel_image many-files-small 72)" "$copy"
	commit 0 15 0:455 1:455 2:455 3:455 4:455 5:455 6:455 7:455 8:455 \
		9:455 10:455 11:455 12:455 13:455 14:455
	commit 38 0 3:20 5:18
	commit 19 1 8:1		# 39: the largest set goes
	commit 38 0 9:19
	go_on 72
	copy_image "$(kernel_image many-files-small 72)" "$copy"
	commit 36 14 0:36 1:455 2:455 3:455 4:455 5:455 6:455 7:455 8:455 \
		9:455 10:455 11:455 12:455 13:455 14:455
	commit 37 0 12:1
	go_on 612
}

# Of NAT bits the kernels say that they found them; 7.2 looks if it is told to.
@test "NAT bits of a commit are what a kernel works with" {
	local k

	for k in 61 612; do
		truncate -s 64M "$copy"
		"$J/bin/mkfs116" -f -s 1 "$copy" >/dev/null
		"$kernel_dir/uml-run" -s -k $k "$copy" \
			<(echo "python3 '$lib_dir/workload.py' empty \$M f 2000")
		has_nat_bits
		commit 0 5 used
		has_nat_bits
		go_on $k
		grep -q 'Found nat_bits' "$copy.out/dmesg"
	done
	commit 0 3 1:3 2:1 4:455
	has_nat_bits
	rm -f "$copy.script"
	echo 'w() { python3 "$@"; }; rm -r "$M/new"; for i in {1..900}; do : >"$M/x$i"; done' \
		>"$copy.script"
	go_on 72 nat_bits
	grep -q 'Found nat_bits' "$copy.out/dmesg"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Options, exit status and output of fsck.f2fs.

load ../check/check

@test "options of fsck(8) and of the existing checker are taken" {
	restore
	for opt in -a -p -p0 -p1 -p2 "-p 0" "-p 1" -y -n -f -q -g \
		"-d 1" "-c 100" "-m 8" "-O encrypt" "-C utf8" "-C utf8:strict" \
		--dry-run --full --no-kernel-check --kernel-check --debug-cache \
		"-a -f -y" "-f --dry-run" "-pf" "-p1 -f" --force; do
		run "$FSCK" $opt "$img"
		echo "$opt: $status: $output"
		[ "$status" -eq 0 ]
		[[ "$output" == *": clean, "* ]]
	done
}

@test "what the existing checker shows and this one cannot is said" {
	restore
	for opt in -t -l -M -S; do
		run "$FSCK" $opt "$img"
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == *"option $opt is not there yet"* ]]
	done
}

@test "-a, -p and -y repair a count: exit 1, then 0" {
	for opt in -a -p -p1 -y "-y -f"; do
		poke cp.valid_block_count=+4
		run "$FSCK" $opt "$img"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "${lines[0]}" == "cp-count: "*": repaired" ]]
		[[ "$output" == *": repaired, "* ]]
		run "$FSCK" $opt "$img"
		[ "$status" -eq 0 ]
		rm "$img.undo"
	done
}

@test "-n, and no option at all, change no byte" {
	poke cp.valid_block_count=+4
	before=$(sha256sum <"$img")
	for opt in "" -n "-y -n" "-n -a" "-p --dry-run"; do
		run "$FSCK" $opt "$img"
		echo "$output"
		[ "$status" -eq 4 ]
		[[ "$output" == *"cp-count: "* ]]
		[[ "$opt" == "" || "$opt" == -n ||
			"$output" == *": would be repaired"* ]]
		[ "$(sha256sum <"$img")" = "$before" ]
	done
}

@test "-a and -p leave alone what is not safe, and say so" {
	poke cp.valid_block_count=+4 inode./d0/f04.links=2
	before=$(sha256sum <"$img")
	for opt in -a -p; do
		run "$FSCK" $opt "$img"
		echo "$output"
		[ "$status" -eq 4 ]
		[[ "$output" == *"needs -y: nothing was changed"* ]]
		[ "$(sha256sum <"$img")" = "$before" ]
	done
}

@test "-y repairs what it can, and leaves the rest: exit 5" {
	poke cp.valid_block_count=+4 inode./d0/f04.links=2
	run "$FSCK" -y "$img"
	echo "$output"
	[ "$status" -eq 5 ]
	[[ "$output" == *"cp-count: "*": repaired"* ]]
	[[ "$output" == *"1 error left"* ]]
	run "$FSCK" "$img"
	[ "$status" -eq 4 ]
	[[ "$output" != *cp-count* ]]
}

@test "-y on a clean volume writes nothing" {
	restore
	before=$(stat -c %y.%z "$img")
	run "$FSCK" -y "$img"
	[ "$status" -eq 0 ]
	[ "$before" = "$(stat -c %y.%z "$img")" ]
}

@test "--json of a repair tells what was repaired" {
	poke cp.valid_block_count=+4
	fsck_json -y "$img"
	[ "$status" -eq 1 ]
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["exit_status"] == 1 and d["clean"] and d["errors"] == 1
assert d["errors_left"] == 0 and d["repaired"] == 1 and d["commits"] == 1
assert d["refused"] is None and d["nat"]["blocks_touched"] == 0
assert set(d["phases"]) >= {"nat_flush_ms", "sit_flush_ms", "sync_ms"}
assert d["findings"][0]["repaired"] is True
' "$json"
}

@test "usage errors: exit 16 and one line" {
	for args in "" "--nonsense x" "-Z x" "a b" "--progress=x y"; do
		run "$FSCK" $args
		echo "$args: $status: $output"
		[ "$status" -eq 16 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "--quiet: only the exit status" {
	restore
	run "$FSCK" --quiet "$img"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	poke cp.valid_block_count=+4
	run "$FSCK" --quiet "$img"
	[ "$status" -eq 4 ]
	[ -z "$output" ]
}

@test "a problem that is all over is shown twenty times, -v shows all" {
	poke inode./wide.dir_level=1
	run "$FSCK" "$img"
	[ "$(grep -c '^dir-hash: directory' <<<"$output")" -eq 20 ]
	[[ "$output" == *"dir-hash: and "*" more"* ]]
	run "$FSCK" -v "$img"
	[ "$(grep -c '^dir-hash: directory' <<<"$output")" -gt 1000 ]
	[[ "$output" != *" more"* ]]
}

@test "--json is one document with the keys of the manual" {
	poke inode./d0/f04.links=2
	fsck_json "$img"
	[ "$status" -eq 4 ]
	need python3
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == 1 and d["exit_status"] == 4 and not d["clean"]
assert d["errors"] == 1 and d["notes"] == 0 and d["orphans"] == 0
for key in ("files", "directories", "nodes", "blocks", "main_blocks"):
    assert d[key] > 0, key
assert d["fragmentation"]["extents"] >= d["fragmentation"]["ideal_extents"]
f, = d["findings"]
assert f["id"] == "inode-links" and f["severity"] == "error"
assert f["path"] == "/d0/f04" and f["found"] == 2 and f["expected"] == 1
assert f["structure"] == "inode" and f["address"] > 0
assert f["repaired"] is False and f["repair"]
' "$json"
}

@test "--json of what cannot be checked says the error" {
	truncate -s 1M "$img"
	fsck_json "$img" 2>"$BATS_TEST_TMPDIR/err" || :
	status=0
	"$FSCK" --json "$img" >"$json" 2>/dev/null || status=$?
	[ "$status" -eq 8 ]
	grep -q '"error":"' "$json"
	grep -q '"exit_status":8' "$json"
}

@test "--progress=FD and -C FD write a JSON object a line" {
	restore
	for opt in --progress=9 "-C 9"; do
		run "$FSCK" $opt "$img" 9>"$BATS_TEST_TMPDIR/progress"
		[ "$status" -eq 0 ]
		[ -s "$BATS_TEST_TMPDIR/progress" ]
		python3 -c 'import json, sys
for line in sys.stdin:
	step = json.loads(line)
	last = step if step["phase"] == "nodes" else last
assert last["percent"] == 100 and last["done"] == last["total"]' \
			<"$BATS_TEST_TMPDIR/progress"
	done
}

@test "a volume that another tool works on is refused, --force reads it" {
	need flock
	restore
	exec 8<>"$img"
	flock -x 8
	refused "$img"
	run "$FSCK" --force "$img"
	[ "$status" -eq 0 ]
	exec 8>&-
	run "$FSCK" "$img"
	[ "$status" -eq 0 ]
}

@test "output that cannot be written is an error" {
	restore
	need_full_device
	run bash -c '"$0" "$1" >/dev/full' "$FSCK" "$img"
	[ "$status" -eq 8 ]
}

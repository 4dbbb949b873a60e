# SPDX-License-Identifier: GPL-2.0-or-later
# Options, exit codes and output of mkfs.f2fs.

bats_require_minimum_version 1.5.0
load ../lib/common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	truncate -s 64M img
}

fields() {
	python3 "$top_srcdir/tests/lib/f2fields.py" "$1"
}

# json KEY: of the document on stdin
json() {
	python3 -c 'import json, sys
value = json.load(sys.stdin)[sys.argv[1]]
print(json.dumps(value) if isinstance(value, (list, bool)) else value)' "$1"
}

@test "mkfs --dry-run leaves the image untouched" {
	before=$(sha256sum <img)
	run "$MKFS" --dry-run img
	[ "$status" -eq 0 ]
	[[ "$output" == *"nothing was written"* ]]
	[ "$(sha256sum <img)" = "$before" ]
	"$MKFS" -q img
	before=$(sha256sum <img)
	run "$MKFS" -n img
	[ "$status" -eq 1 ]
	run "$MKFS" -n -f -s 2 img
	[ "$status" -eq 0 ]
	[ "$(sha256sum <img)" = "$before" ]
}

@test "mkfs --json: the document says what the superblock and checkpoint say" {
	"$MKFS" --json -l name -s 2 -z 2 --size 1G \
		-O extra_attr,sb_checksum new >out
	fields new >fields
	field() { sed -n "s/^$1 //p" fields; }
	[ "$(json schema <out)" = 1 ]
	[ "$(json block_size <out)" = 4096 ]
	[ "$(json sector_size <out)" = 512 ]
	[ "$(json blocks <out)" = "$(field sb0.block_count)" ]
	[ "$(json segments <out)" = "$(field sb0.segment_count)" ]
	[ "$(json main_segments <out)" = "$(field sb0.segment_count_main)" ]
	[ "$(json sections <out)" = "$(field sb0.section_count)" ]
	[ "$(json segments_per_section <out)" = 2 ]
	[ "$(json sections_per_zone <out)" = 2 ]
	[ "$(json zones <out)" -eq $(($(field sb0.section_count) / 2)) ]
	[ "$(json sit_block <out)" = "$(field sb0.sit_blkaddr)" ]
	[ "$(json nat_block <out)" = "$(field sb0.nat_blkaddr)" ]
	[ "$(json ssa_block <out)" = "$(field sb0.ssa_blkaddr)" ]
	[ "$(json main_block <out)" = "$(field sb0.main_blkaddr)" ]
	[ "$(json user_bytes <out)" -eq \
		$(($(field cp0.user_block_count) * 4096)) ]
	[ "$(json reserved_segments <out)" = "$(field cp0.rsvd_segment_count)" ]
	[ "$(json overprovision_segments <out)" = \
		"$(field cp0.overprov_segment_count)" ]
	[ "$(json label <out)" = name ]
	[ "$(json uuid <out | tr -d -)" = "$(field sb0.uuid)" ]
	[ "$(json features <out)" = '["extra_attr", "sb_checksum"]' ]
	[ "$(json dry_run <out)" = false ]
	[ "$(json created <out)" = true ]
}

@test "mkfs --dry-run --json predicts what a run makes" {
	opts="-s 2 -o 12 -i -O extra_attr,lost_found -T 1 -t 0"
	opts="$opts -U 11111111-2222-3333-4444-555555555555"
	truncate -s 128M img
	"$MKFS" --json -n $opts img | grep -v dry_run >plan
	"$MKFS" --json $opts img | grep -v dry_run >done
	diff plan done
}

@test "the same options make the same bytes; others do not" {
	opts="-U 11111111-2222-3333-4444-555555555555 -T 1000000000"
	opts="$opts -O extra_attr,inode_checksum,lost_found,sb_checksum"
	"$MKFS" -q --size 64M $opts a
	sleep 1
	"$MKFS" -q --size 64M $opts b
	cmp a b
	"$MKFS" -q --size 64M -f $opts c
	cmp a c
	"$MKFS" -q --size 64M d
	"$MKFS" -q --size 64M e
	[ "$(fields d | grep cp0.checkpoint_ver)" != \
		"$(fields e | grep cp0.checkpoint_ver)" ]
}

@test "both superblocks and both checkpoint packs are whole" {
	"$MKFS" -q -O sb_checksum img
	fields img >f
	diff <(sed -n 's/^sb0\.//p' f) <(sed -n 's/^sb1\.//p' f)
	grep -qx 'cp0.foot_equals_head True' f
	grep -qx 'cp1.foot_equals_head True' f
	grep -qx 'cp1.checkpoint_ver 0' f
	ver=$(sed -n 's/^cp0.checkpoint_ver //p' f)
	[ $((ver % 2)) -eq 1 ]
}

@test "-q prints nothing, -V the version, -h the options" {
	run "$MKFS" -q img
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run "$MKFS" -V
	[ "$status" -eq 0 ]
	[[ "$output" == "mkfs.f2fs "* ]]
	run "$MKFS" -h
	[ "$status" -eq 0 ]
	[[ "$output" == Usage:* ]]
}

@test "wrong usage is one line and exit 2, and writes nothing" {
	before=$(sha256sum <img)
	while read -r line; do
		run --separate-stderr "$MKFS" $line
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done <<-END
		
		img 131072 more
		img none
		img 0
		-s
		-s 0 img
		-z x img
		-o 101 img
		-o -1 img
		-O no_such_feature img
		-O inode_checksum img
		-O project_quota img
		-O blkzoned,extra_attr img
		-U not-a-uuid img
		-t 2 img
		-a 2 img
		-T soon img
		-w 1000 img
		-R 1 img
		-g windows img
		-e a-long-extension img
		--size 0 img
		--size 64MB img
		--size 64M img 131072
		--no-such-option img
		-m img
		-c other img
	END
	[ "$(sha256sum <img)" = "$before" ]
}

@test "a file system is overwritten only with -f" {
	"$MKFS" -q -l first img
	run "$MKFS" img
	[ "$status" -eq 1 ]
	[[ "$output" == *"(f2fs)"* ]]
	[ "$(blkid -p -o value -s LABEL img)" = first ]
	"$MKFS" -q -f -l second img
	[ "$(blkid -p -o value -s LABEL img)" = second ]
}

@test "-t 1 makes a file sparse, -t 0 leaves its blocks" {
	dd if=/dev/urandom of=img bs=1M count=64 status=none
	"$MKFS" -q -f -t 0 img
	[ $(($(stat -c %b img) * 512)) -eq 67108864 ]
	fields img | grep -qx 'cp0.ckpt_flags 133'
	"$MKFS" -q -f -t 1 img
	[ $(($(stat -c %b img) * 512)) -lt 2097152 ]
	fields img | grep -qx 'cp0.ckpt_flags 389'
	"$MKFS" -q -f -t nodiscard img
	fields img | grep -qx 'cp0.ckpt_flags 133'
	"$MKFS" -q -f -t discard img
	fields img | grep -qx 'cp0.ckpt_flags 389'
}

@test "garbage on the device is not taken for part of the volume" {
	need fsck.f2fs
	dd if=/dev/urandom of=img bs=1M count=64 status=none
	"$MKFS" -q -f -t 0 -O extra_attr,lost_found img
	run timeout 60 fsck.f2fs -f --dry-run img </dev/null
	[ "$status" -eq 0 ]
	! grep -E '\[Fail\]|\[ASSERT\]|\[FIX\]' <<<"$output"
}

@test "no volume reaches 16 TiB, and the largest size below is told" {
	run "$MKFS" --dry-run --size 16T big
	[ "$status" -eq 1 ]
	[[ "$output" == *"too large"*"below 17592186044416 bytes"* ]]
	run "$MKFS" --dry-run --json --size $((16 * 1024 ** 4 - 1)) big
	[ "$status" -eq 0 ]
	end=$(($(json main_block <<<"$output") +
		$(json main_segments <<<"$output") * 512))
	[ "$end" -eq $((4294967296 - 512)) ]
}

@test "a file that another tool has locked is refused, even with -f" {
	need flock
	before=$(sha256sum <img)
	run flock img "$MKFS" -f img
	[ "$status" -eq 1 ]
	[[ "$output" == *"img is"* ]]
	[ "$(sha256sum <img)" = "$before" ]
}

@test "blkid, file and boot loaders read the volume" {
	"$MKFS" -q -l "a label" -U 11111111-2222-3333-4444-555555555555 img
	[ "$(blkid -p -o value -s UUID img)" = \
		11111111-2222-3333-4444-555555555555 ]
	if command -v file >/dev/null; then
		file -s img | grep -q 'F2FS filesystem.*a label'
	fi
	if command -v grub-fstest >/dev/null; then
		"$MKFS" -q -f -O lost_found img
		grub-fstest img ls / | grep -q 'lost+found/'
	fi
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors while a volume is being repaired: at every moment
# one checkpoint is valid, and a repair can begin anew and end as it would have.

load ../lib/common
load states

setup() {
	need python3 xz
	xz -dc "$top_srcdir/tests/images/orphans.img.xz" >"$BATS_TEST_TMPDIR/x"
	cp --sparse=always "$BATS_TEST_TMPDIR/x" "$img"
	rm "$BATS_TEST_TMPDIR/x"
	"$top_builddir/fsck/fsck.f2fs" -y "$img" >/dev/null || [ $? -eq 1 ]
	cp --sparse=always "$img" "$img.good"
}

# repaired_at_every_cut FIELD=VALUE...: one damage after the other.
repaired_at_every_cut() {
	for field; do
		echo "$field"
		cp --sparse=always "$img.good" "$img"
		python3 -SE "$top_srcdir/tests/lib/poke.py" "$img" $field
		run "$top_builddir/tests/crash/crash-run" repair "$img" \
			--subsets 20 --walks 8 --faults "${faults-6}"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"0 left, 1 commits"* ]]
	done
}

@test "a cut at every write while counts and logs are repaired" {
	repaired_at_every_cut cp.valid_block_count=+4 \
		cp.alloc_type.1=0x7f cp.ckpt_flags=^4
}

@test "a cut at every write while a pack is replaced" {
	# A read error may leave other words of free blocks in a summary.
	faults=0
	repaired_at_every_cut cphead.checkpoint_ver=+1 \
		cp.cp_pack_total_block_count=1
}

@test "a cut at every write while NAT and SIT are repaired" {
	repaired_at_every_cut nat.5.blk=0 nat.5.ino=6 sit.3.valid=+1 \
		"cp.nat_ver_bitmap_bytesize=-64"
}

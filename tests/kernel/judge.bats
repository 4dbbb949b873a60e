# SPDX-License-Identifier: GPL-2.0-or-later
# The judges judge: what they are trusted to see, they do see.

load ../lib/common
load judge

setup() {
	need_judge
}

fresh() {
	truncate -s 64M "$1"
	"$J/bin/mkfs116" -f "$1" >/dev/null
}

script() {
	cat >"$BATS_TEST_TMPDIR/script"
}

uml() {
	run "$kernel_dir/uml-run" "$@"
	echo "$output"
}

@test "each kernel mounts a fresh volume and says nothing" {
	fresh "$img"
	script <<<'uname -r; echo hello >f; df . | grep -q ubda'
	for k in $KERNELS; do
		uml -s -k "$k" "$img" "$BATS_TEST_TMPDIR/script"
		[ "$status" -eq 0 ]
		[[ "$output" == *[0-9].[0-9]* ]]
	done
	old_check "$img"
}

@test "uml-run gives the script's exit status and files, and passes its arguments" {
	fresh "$img"
	script <<<'echo "$2" >$OUT/file; exit $1'
	uml -O "$BATS_TEST_TMPDIR/out" "$img" "$BATS_TEST_TMPDIR/script" 7 "a b"
	[ "$status" -eq 7 ]
	[ "$(cat "$BATS_TEST_TMPDIR/out/file")" = "a b" ]
	grep -q 'Mounted with checkpoint' "$BATS_TEST_TMPDIR/out/dmesg"
}

@test "uml-run ends a run whose time is up" {
	fresh "$img"
	script <<<'sleep 100'
	uml -t 4 "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 124 ]
}

@test "a volume that is none does not mount" {
	truncate -s 64M "$img"
	script <<<'true'
	uml "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 125 ]
	[[ "$output" == *"Can't find valid F2FS"* ]]
}

@test "a kernel that complains makes a strict run fail" {
	fresh "$img"
	# The root inode's nid in the footer: every kernel checks it.
	script <<<'ls >/dev/null; touch x'
	main=$(od -An -tu4 -j$((1024 + 92)) -N4 "$img" | tr -d ' ')
	printf '\xff' | dd of="$img" bs=1 conv=notrunc status=none \
		seek=$((main * 4096 + 4096 - 24))
	uml -s "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -ne 0 ]
	[[ "$output" == *"kernel 612: "*F2FS-fs* ]]
	run old_check "$img"
	[ "$status" -ne 0 ]
}

@test "an unclean volume's replay is a complaint" {
	fresh "$img"
	script <<<'echo 1 >a; sync; echo 2 >b; sync b; power_cut'
	uml "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 0 ]
	script <<<'[ "$(cat b)" = 2 ]'
	uml -s "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 123 ]
	[[ "$output" == *recover* ]]
}

@test "the read-only option changes no byte" {
	fresh "$img"
	before=$(sha256sum <"$img")
	script <<<'! touch x 2>/dev/null'
	uml -s -r "$img" "$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 0 ]
	[ "$(sha256sum <"$img")" = "$before" ]
}

@test "two kernels at once do not disturb each other" {
	fresh "$img"
	cp "$img" "$img.2"
	script <<<'sleep 1; echo $$ >f; sync'
	"$kernel_dir/uml-run" -s -k 612 "$img" "$BATS_TEST_TMPDIR/script" 3>&- &
	one=$!
	"$kernel_dir/uml-run" -s -k 72 "$img.2" "$BATS_TEST_TMPDIR/script" 3>&- &
	two=$!
	wait $one
	wait $two
}

@test "manifest.py sees a changed byte, name, mode, time, link and attribute" {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/d"
	echo 1 >"$tree/d/f"
	ln "$tree/d/f" "$tree/link"
	ln -s one "$tree/s"
	manifest() {
		python3 "$lib_dir/manifest.py" "$tree" "$BATS_TEST_TMPDIR/$1"
	}
	differs() {
		manifest new
		run python3 "$lib_dir/manifest.py" --compare \
			"$BATS_TEST_TMPDIR/old" "$BATS_TEST_TMPDIR/new"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "$output" == *"$1"* ]]
		manifest old
	}
	manifest old
	run python3 "$lib_dir/manifest.py" --compare \
		"$BATS_TEST_TMPDIR/old" "$BATS_TEST_TMPDIR/old"
	[ "$status" -eq 0 ]
	echo 2 >"$tree/d/f"
	differs "d/f: sha256"
	chmod 600 "$tree/d/f"
	differs "d/f: mode"
	touch -d @1.5 "$tree/d"
	differs "d: mtime was"
	mv "$tree/s" "$tree/s2"
	differs "s2: extra"
	ln -sfn two "$tree/s2"
	differs "s2: target"
	rm "$tree/link"
	differs "link: missing"
	setfattr -n user.x -v 1 "$tree/d/f"
	differs "d/f: xattr"
}

@test "segments.py counts freed segments and sections" {
	printf 'head\n0 0|512 0|5 0|0 0|0 0|0 0|0\n' >"$BATS_TEST_TMPDIR/a"
	printf 'head\n0 0|0 0|0 0|5 0|512 0|0 0|0\n' >"$BATS_TEST_TMPDIR/b"
	run python3 "$lib_dir/segments.py" "$BATS_TEST_TMPDIR/a" \
		"$BATS_TEST_TMPDIR/b" 2 0 2
	[ "$output" = "segments_freed=2 sections_freed=1 free_sections_before=2 free_sections_after=2 valid_before=517 valid_after=517 already_empty=2" ]
}

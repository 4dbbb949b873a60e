# SPDX-License-Identifier: GPL-2.0-or-later
# Names that our code adds to directories, removes and replaces: kernels find
# them, go on from there, and would have put each entry into the same place.

load ../lib/common
load judge

DIR_EDIT=${DIR_EDIT:-$top_builddir/tests/lib/dir-edit}

setup() {
	need_judge
	need_program "$DIR_EDIT" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
	out=$BATS_TEST_TMPDIR/out
	mkdir "$out"
}

# change NAME MAKER SEED: $copy is a volume of that recipe with names changed, as
# $out/script says; $out/expect is what is there then.
change() {
	image=$(kernel_image "$1" "$2")
	copy_image "$image" "$copy"
	python3 "$lib_dir/names.py" plan "$image.manifest" "$3" "$out/script" \
		"$out/expect" >&2
	"$DIR_EDIT" "$copy" <"$out/script" >&2
	our_check "$copy"
}

# judged K: this kernel finds the names, and adds and removes more.
judged() {
	"$kernel_dir/uml-run" -s -n -k "$1" -O "$out" "$copy" \
		"$kernel_dir/guest-names" expect
	our_check "$copy"
	old_check "$copy"
}

# alike K: this kernel makes the same changes to the volume as it was, and each
# entry, and the numbers of each directory, come out as in ours.
alike() {
	copy_image "$image" "$copy.k"
	"$kernel_dir/uml-run" -s -k "$1" -O "$out" "$copy.k" <(echo \
		"python3 '$lib_dir/names.py' apply \"\$M\" \"\$OUT/script\"")
	"$DIR_EDIT" --list "$copy" >"$copy.list"
	"$DIR_EDIT" --list "$copy.k" >"$copy.k.list"
	cmp "$copy.list" "$copy.k.list"
	[ "$(wc -l <"$copy.list")" -gt 4000 ]
}

@test "entries lie where a kernel puts them, in directories of every form" {
	change names 612 1
	old_check "$copy"
	alike 612
	judged 61
}

@test "entries lie where a kernel puts them, with flexible inline xattrs" {
	change tree-flexible 72 2
	old_check "$copy"
	alike 72
}

@test "names are found, listed and gone on from; inodes have checksums" {
	change tree 61 3
	old_check "$copy"
	judged 72
}

@test "a directory grows out of the inode to 100,000 names" {
	image=$(kernel_image names 72)
	copy_image "$image" "$copy"
	printf 'fill\t/one\t100000\t/files/f0003\n' >"$out/script"
	"$DIR_EDIT" "$copy" <"$out/script" >&2
	our_check "$copy"
	old_check "$copy" 116
	python3 - "$image.manifest" >"$out/expect" <<-'END'
		import re, sys
		for line in open(sys.argv[1]):
		    path, ino = re.match(r"(\S+)(?:.* ino=(\d+))?", line).groups()
		    if path.startswith("one/"):
		        print("one", path[4:].encode().hex(), ino)
		    if path == "files/f0003":
		        for i in range(100000):
		            print("one", (b"n%07d" % i).hex(), ino)
		        print("links", ino, 100001)
	END
	"$kernel_dir/uml-run" -s -r -k 612 -O "$out" "$copy" <(echo \
		"python3 '$lib_dir/names.py' check \"\$M\" \"\$OUT/expect\"")
}

@test "casefolded and encrypted: names that are put in again lie as they lay" {
	KERNELS=full61 need_judge
	image=$(kernel_image kinds full61)
	copy_image "$image" "$copy"
	run "$DIR_EDIT" "$copy" <<<again
	[ "$status" -eq 0 ]
	[[ "$output" == "names: 165"* ]]
	our_check "$copy"
	diff <("$DIR_EDIT" --list "$image") <("$DIR_EDIT" --list "$copy")
}

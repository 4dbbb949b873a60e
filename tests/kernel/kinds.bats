# SPDX-License-Identifier: GPL-2.0-or-later
# Files of the kinds that only a full kernel knows, and a directory of 100,000
# entries: after a collection and a defragmentation the kernel finds content and
# shape as they were.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$DEFRAG" "$GCCTL" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
}

# moved IMAGE: every block of a copy moves, then its files are put in order.
moved() {
	gc_run "$1" "$copy" --full --no-pack
	[ "$(field "$copy.json" blocks_moved)" -gt 1000 ]
	"$DEFRAG" --json "$copy" >"$copy.json"
	[ "$(field "$copy.json" extents_after)" -eq \
		"$(field "$copy.json" ideal_extents)" ]
	[ "$(field "$copy.json" fragmented_files_before)" -gt 1 ]
	our_check "$copy"
	old_check "$copy"
}

# same_as IMAGE K: the kernel finds what it found before. It has an advice for
# a swap file that does not begin with a section.
same_as() {
	local image=$1 out=$copy.out

	"$kernel_dir/uml-run" -s -n -k "$2" -a 'Swapfile.* align' -O "$out" \
		"$copy" "$kernel_dir/guest-verify"
	python3 "$lib_dir/manifest.py" --compare "$image.manifest" "$out/manifest"
	python3 "$lib_dir/fiemap.py" --compare "$image.fiemap" "$out/fiemap"
	diff <(grep 'pinned ' "$image.fiemap") <(grep 'pinned ' "$out/fiemap")
	# Of this kernel's quota files usage is wrong once it has changed them, on
	# volumes that nobody moved too; the existing checkers fall over it.
	"$FSCK" -n --json "$copy" >"$copy.json"
	python3 - "$copy.json" <<-'END'
		import json, sys
		found = json.load(open(sys.argv[1]))["findings"]
		sys.exit(any(f["id"] != "quota-usage" for f in found) and
			 "%s" % found)
	END
}

@test "compressed, encrypted, with verity, case and quotas: all as it was" {
	local image

	KERNELS=full61 need_judge
	image=$(kernel_image kinds full61)
	moved "$image"
	same_as "$image" full61
	diff <(sort "$image.kinds") <(sort "$copy.out/kinds")
}

@test "names that are no text are shown as the document has them" {
	local image

	KERNELS=full61 need_judge
	image=$(kernel_image kinds full61)
	"$DEFRAG" --report --top 1000 "$image" >"$copy.text"
	"$DEFRAG" --report --top 1000 --json "$image" >"$copy.json"
	python3 - "$copy.json" "$copy.text" <<-'END'
		import json, re, sys
		text = open(sys.argv[2]).read()
		paths = [f["path"] for f in json.load(open(sys.argv[1]))["files"]]
		control = r"[\x00-\x1f\x7f-\x9f]"
		shown = [re.sub(control, lambda c: "".join(
			r"\x%02x" % b for b in c[0].encode()), p) for p in paths if p]
		assert any(r"\x" in p for p in shown)
		assert all(" %s\n" % p in text for p in shown)
	END
}

@test "of a directory of 100,000 entries none is lost, and all lie together" {
	local image

	image=$(kernel_image wide 612)
	[ "$(grep -c '^wide/' "$image.manifest")" -eq 100000 ]
	moved "$image"
	same_as "$image" 72
}

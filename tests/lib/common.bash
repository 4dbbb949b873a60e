# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded by every bats file: where the programs are, and a place for an image.
# make check sets the paths; run by hand they are those of build/.

top_srcdir=${top_srcdir:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
top_builddir=${top_builddir:-$top_srcdir/build}
MKFS=${MKFS:-$top_builddir/mkfs/mkfs.f2fs}
FSCK=${FSCK:-$top_builddir/fsck/fsck.f2fs}
DEFRAG=${DEFRAG:-$top_builddir/defrag/defrag.f2fs}
GCCTL=${GCCTL:-$top_builddir/gcctl/gcctl.f2fs}

# A path of this test's own, removed after it; nothing is there yet.
img=$BATS_TEST_TMPDIR/img

# lacking REASON: skip the test; where CI=true nothing may be lacking.
lacking() {
	[ "${CI-}" != true ] || {
		echo "$1"
		return 1
	}
	skip "$1"
}

# All the named programs must be there.
need() {
	local prog

	for prog in "$@"; do
		command -v "$prog" >/dev/null || lacking "$prog is missing"
	done
}

# A file that every write to fails.
need_full_device() {
	[ -c /dev/full ] || lacking "/dev/full is missing"
}

# The functions that f2core.h declares, sorted.
api_functions() {
	tr '\n' ' ' <"$top_srcdir/lib/api/f2core.h" | sed 's/F2C_API/\n&/g' |
		sed -n 's/^F2C_API [^(]*[ *]\(f2c_[a-z0-9_]*\)(.*/\1/p' | sort
}

# shipped NAME: a copy of a shipped volume as $img.
shipped() {
	need xz python3
	xz -dc "$top_srcdir/tests/images/$1.img.xz" >"$img"
}

# json EXPRESSION [FILE]: of the document d, as printed by Python.
json() {
	python3 -c '
import json, sys
d = json.load(open(sys.argv[2]))
value = eval("(" + sys.argv[1] + ")")
print(json.dumps(value) if isinstance(value, (bool, type(None))) else value)
' "$1" "${2-$img.json}"
}

sum_of() {
	sha256sum <"${1-$img}"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of defrag.f2fs: documents, and the tree of the shipped volume.

# report OPTIONS...: the document of a report on $img as $img.json. PATHs may
# follow the options.
report() {
	"$DEFRAG" --report --json "$img" "$@" >"$img.json"
}

# One field of each file, in order, one a line.
files() {
	json "'\n'.join(str(f['$1']) for f in d['files'])"
}

# lacks PATTERN: no line of the input has it. (A command after "!" cannot fail
# a test.)
lacks() {
	if grep -E -e "$1"; then
		return 1
	fi
}

# run_json OPTIONS...: the document of a run on $img as $img.json. PATHs may
# follow the options.
run_json() {
	"$DEFRAG" --json "$img" "$@" >"$img.json"
}

# No file of aged.img is in more extents than the kernel said.
no_file_is_worse() {
	"$top_builddir/tests/lib/f2dump" fiemap "$img" >"$img.fiemap"
	xz -dc "$top_srcdir/tests/images/aged.fiemap.xz" >"$img.before"
	python3 "$top_srcdir/tests/lib/fiemap.py" --compare "$img.before" \
		"$img.fiemap" | tee "$img.compared"
	grep -q ' paths have fewer, 0 more\>' "$img.compared"
}

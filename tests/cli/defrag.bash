# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of defrag.f2fs: shipped volumes, fields of reports.

# shipped NAME: a copy of a shipped volume as $img.
shipped() {
	need xz python3
	xz -dc "$top_srcdir/tests/images/$1.img.xz" >"$img"
}

# report OPTIONS...: the document of a report on $img as $img.json. PATHs may
# follow the options.
report() {
	"$DEFRAG" --report --json "$img" "$@" >"$img.json"
}

# json EXPRESSION [FILE]: of the document d, as printed by Python.
json() {
	python3 -c '
import json, sys
d = json.load(open(sys.argv[2]))
value = eval(sys.argv[1])
print(json.dumps(value) if isinstance(value, (bool, type(None))) else value)
' "$1" "${2-$img.json}"
}

# One field of each file, in order, one a line.
files() {
	json "'\n'.join(str(f['$1']) for f in d['files'])"
}

sum_of() {
	sha256sum <"${1-$img}"
}

# lacks PATTERN: no line of the input has it. (A command after "!" cannot fail
# a test.)
lacks() {
	if grep -E -e "$1"; then
		return 1
	fi
}

# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of gcctl.f2fs: shipped volumes, fields of reports, pokes.

poke() {
	python3 "$top_srcdir/tests/lib/poke.py" "$img" "$@"
}

# The value of one field, as poke.py names it.
peek() {
	poke "$1" | sed -n 1p
}

# Run a command while another program has the image locked: "-x" to write, "-s"
# to read it.
while_locked() {
	exec 9<"$img"
	flock "$1" 9
	shift
	run "$@" 9<&-
	exec 9<&-
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
value = eval(sys.argv[1])
print(json.dumps(value) if isinstance(value, (bool, type(None))) else value)
' "$1" "${2-$img.json}"
}

sum_of() {
	sha256sum <"${1-$img}"
}

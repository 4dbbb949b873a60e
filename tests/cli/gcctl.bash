# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of gcctl.f2fs: pokes, and locks of others.

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

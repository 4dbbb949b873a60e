# SPDX-License-Identifier: GPL-2.0-or-later
# The reader of trees on volumes that are damaged at random.

load ../lib/common

@test "a damaged tree is read to an end" {
	need xz
	xz -dc "$top_srcdir/tests/images/aged.img.xz" >"$img"
	run timeout 300 "$top_builddir/tests/fuzz/tree-damage" "$img" 1 100
	echo "$output"
	[ "$status" -eq 0 ]
	# Damage was seen, not passed over.
	[ "${output##*, }" != "0 refusals" ]
}

# SPDX-License-Identifier: GPL-2.0-or-later
# The shared library shows what its map lists, and nothing else.

load ../lib/common

@test "libf2core exports nothing but f2c_ names" {
	run nm -D --defined-only "$top_builddir/lib/.libs/libf2core.so"
	[ "$status" -eq 0 ]
	! grep -v ' A F2CORE_' <<<"$output" | grep -v ' f2c_'
}

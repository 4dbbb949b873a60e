# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped volume is read as the kernel that made it showed it.

load ../lib/common

setup() {
	need xz
	F2DUMP=$top_builddir/tests/lib/f2dump
	xz -dc "$top_srcdir/tests/images/aged.img.xz" >"$img"
}

@test "every path, attribute and content is as the kernel showed it" {
	"$F2DUMP" manifest "$img" >"$img.manifest"
	xz -dc "$top_srcdir/tests/images/aged.manifest.xz" |
		diff - "$img.manifest"
}

@test "every extent is where the kernel's FIEMAP said" {
	"$F2DUMP" fiemap "$img" >"$img.fiemap"
	xz -dc "$top_srcdir/tests/images/aged.fiemap.xz" |
		diff - "$img.fiemap"
}

# The lists name files and directories; one long symlink has a block, too.
@test "fragmentation counted in disk order equals the sum of the extents" {
	local written symlinks=1

	written=$("$F2DUMP" fiemap "$img" | sed -n 's/^# total.* written=\([0-9]*\) .*/\1/p')
	run "$F2DUMP" frag "$img"
	[[ ${lines[0]} = *" extents=$((written + symlinks)) "* ]]
}

@test "nothing waits to be replayed after a clean unmount" {
	run "$F2DUMP" pending "$img"
	[ "$output" = "pending=0" ]
}

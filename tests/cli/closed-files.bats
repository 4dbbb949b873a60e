# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that are started without standard input, output or errors, as
# daemons may be: what they print never lands on the volume.

load ../lib/common

# same PROGRAM OPTIONS...: with standard files closed it leaves the volume as
# it does with all of them open.
same() {
	local closed

	cp --sparse=always "$img" "$img.before"
	"$@" "$img" >/dev/null 2>&1
	mv "$img" "$img.open"
	for closed in '>&-' '2>&- >&-' '<&- >&- 2>&-'; do
		cp --sparse=always "$img.before" "$img"
		bash -c "\"\$0\" \"\$@\" $closed 3>&-" "$@" "$img" || :
		cmp "$img" "$img.open"
	done
}

@test "a report is not printed over the volume" {
	shipped aged
	same "$GCCTL" run --full
	same "$DEFRAG" -v --full
}

@test "nor by the formatter" {
	truncate -s 64M "$img"
	same "$MKFS" -f -U 5eed5eed-0000-4000-8000-00000000f2f5 -T 1700000000
}

@test "a report that nobody gets is an error" {
	shipped aged
	run bash -c '"$0" status --json "$1" >&- 3>&-' "$GCCTL" "$img"
	[ "$status" -ne 0 ]
}

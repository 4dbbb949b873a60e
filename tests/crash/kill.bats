# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that are killed while they work: no file is damaged, and another
# run goes on from there.

load ../lib/common
load ../kernel/judge
load states
load kill

setup() {
	need_crash
}

@test "defrag.f2fs is killed: every file is whole, another run ends well" {
	killed_runs "$(aged_image)" 4 3 1 "$DEFRAG" -q
	killed_runs "$(kernel_image crowded 612)" 5 0 2 "$DEFRAG" -q
}

@test "gcctl.f2fs is killed: every file is whole, another run ends well" {
	killed_runs "$(kernel_image tree 612)" 4 2 3 "$GCCTL" run -q
}

@test "a killed run leaves no lock behind" {
	image=$(kernel_image tiny-fsynced 612)
	copy_image "$image" "$img"
	# It waits in its first report of progress: the pipe is full.
	mkfifo "$img.pipe"
	exec 7<>"$img.pipe"
	head -c 65536 /dev/zero >&7
	"$DEFRAG" --progress=7 "$img" >/dev/null 3>&- &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q " FLOCK .*:$(stat -c %i "$img") " /proc/locks || break
		sleep 0.05
	done
	run "$DEFRAG" -q "$img"
	[ "$status" -eq 1 ]
	[[ $output = *"locked by process $pid"* ]]
	kill -KILL $pid
	wait $pid || :
	"$DEFRAG" -q "$img"
	no_finding "$img"
}

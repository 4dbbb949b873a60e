# SPDX-License-Identifier: GPL-2.0-or-later
# Command line of gcctl.f2fs: commands, bad options, exit status.

load ../lib/common

@test "without a command it says so and exits 2" {
	run "$GCCTL"
	[ "$status" -eq 2 ]
	[ "$output" = "gcctl.f2fs: no command given; --help lists them" ]
}

@test "an unknown command is named" {
	run "$GCCTL" defragment "$img"
	[ "$status" -eq 2 ]
	[ "$output" = "gcctl.f2fs: unknown command 'defragment'" ]
}

@test "--help lists the commands, and each has a --help" {
	run "$GCCTL" --help
	[ "$status" -eq 0 ]
	[[ $output = *"  status "*"  victims "*"  run "* ]]
	for command in status victims run; do
		run "$GCCTL" $command --help
		[ "$status" -eq 0 ]
		[[ ${lines[0]} = "Usage: gcctl.f2fs $command [OPTION]... VOLUME" ]]
	done
}

@test "a hook for tests is not in --help" {
	run "$GCCTL" run --help
	[[ $output != *fail-record* ]]
}

@test "a command needs one volume, not none, not two" {
	for command in status victims run; do
		run "$GCCTL" $command
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		run "$GCCTL" $command "$img" "$img"
		[ "$status" -eq 2 ]
		[[ $output = *"is one argument too many"* ]]
	done
}

@test "a bad value exits 2 with one line that names the option" {
	for bad in --sections=0 --sections=-1 --sections=many --until-free=101 \
		--until-free=-1 --until-free=x --pack-max-blocks=0 \
		--pack-max-blocks=4k --progress=99 --progress=x \
		--fail-record-every=0 --policy=lazy --type=inode \
		--section= --section=x --section=5-4 --section=1-2-3 \
		--section=4294967296 --skip-valid=0 --skip-valid=101 \
		--max-moved=0 --max-moved=4095 --max-moved=x --time-limit=0 --time-limit=1.5; do
		echo "$bad"
		run "$GCCTL" run $bad "$img"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output = "gcctl.f2fs: option ${bad%%=*}: "* ]]
	done
}

@test "an unknown option exits 2 and is named" {
	run "$GCCTL" run --compact "$img"
	[ "$status" -eq 2 ]
	[ "$output" = "gcctl.f2fs: option --compact: unknown" ]
	run "$GCCTL" status -n "$img"
	[ "$status" -eq 2 ]
	[[ $output = "gcctl.f2fs: option -n: "* ]]
}

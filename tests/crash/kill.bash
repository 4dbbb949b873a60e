# SPDX-License-Identifier: GPL-2.0-or-later
# Runs of the programs that are killed at random moments. Loaded after states.

# seconds_of IMAGE COMMAND...: how long a run takes that is left in peace.
seconds_of() {
	local image=$1

	shift
	copy_image "$image" "$copy"
	python3 "$crash_dir/killed.py" never "$@" "$copy"
}

digest=$top_builddir/tests/crash/tree-digest

version_of() {
	"$GCCTL" status --json "$1" | sed -n 's/.*"checkpoint_version":\([0-9]*\).*/\1/p'
}

# The tree of IMAGE with all contents, by our reader.
is_whole() {
	no_finding "$1"
	[ "$("$digest" "$1")" = "$before" ]
}

# ends_well COMMAND...: another run goes on from the copy, and ends as one that
# was left in peace.
ends_well() {
	local most

	"$@" --json "$copy" >"$copy.run.json"
	is_whole "$copy"
	[ "$(json 'd.get("stopped_by")' "$copy.run.json")" = \
		"$(json 'd.get("stopped_by")' "$copy.peace.json")" ]
	# From another beginning it may find another order.
	most=$(field "$copy.peace.json" extents_after)
	[ "$1" != "$DEFRAG" ] ||
		[ "$(field "$copy.run.json" extents_after)" -le \
			$((most + most / 50)) ]
}

# killed_runs IMAGE KILLS MOUNTS SEED COMMAND...: COMMAND works on KILLS copies
# of IMAGE and is killed, at moments spread over all the time that it works. No
# copy is damaged, and another run goes on; a kernel mounts MOUNTS of them.
killed_runs() {
	local image=$1 kills=$2 mounts=$3 n=0 tries=0 seconds start took status
	local first at states=() landed=()

	RANDOM=$4
	shift 4
	copy=$BATS_TEST_TMPDIR/copy
	before=$("$digest" "$image")
	first=$(version_of "$image")
	start=$(python3 "$crash_dir/killed.py" never "$1" --version)
	seconds=$(seconds_of "$image" "$@")
	copy_image "$image" "$copy"
	"$@" --json "$copy" >"$copy.peace.json"
	while [ $n -lt "$kills" ]; do
		[ $((++tries)) -le $((kills * 10)) ]
		at=$(awk "BEGIN { print $start + ($seconds - $start) * \
			$((RANDOM % 1050)) / 1000 }")
		copy_image "$image" "$copy"
		status=0
		took=$(python3 "$crash_dir/killed.py" "$at" "$@" "$copy") ||
			status=$?
		# It was over already: this machine is not always as fast.
		if [ $status -eq 3 ]; then
			seconds=$(printf '%s\n' "$took" "$seconds" | sort -n |
				head -n 1)
			continue
		fi
		[ $status -eq 0 ]
		n=$((n + 1))
		is_whole "$copy" || {
			echo "killed at $at of $seconds s"
			return 1
		}
		landed+=($(($(version_of "$copy") - first)))
		if [ ${#states[@]} -lt "$mounts" ]; then
			copy_image "$copy" "$copy.$n"
			old_check "$copy.$n"
			states+=("$copy.$n")
		fi
		ends_well "$@"
	done
	if [ "$mounts" -gt 0 ]; then
		mount_states "$image" 612 "${states[@]}"
		rm -f "${states[@]}"
	fi
	echo "# killed $n times in $seconds s, $((tries - n)) came too late;" \
		"commits done:" $(printf '%s\n' "${landed[@]}" | sort -n |
			uniq -c | awk '{ print $2 " in " $1 }' | paste -sd,) >&3
}

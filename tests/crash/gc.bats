# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors in runs of garbage collection on volumes that a real
# kernel made; some of the states are mounted by real kernels.

load ../lib/common
load ../kernel/judge

crash=$top_builddir/tests/crash/crash-run

setup_file() {
	load ../kernel/judge
	need_judge
	need_program "$top_builddir/tests/crash/crash-run" "$FSCK" "$GCCTL"
}

# all_well IMAGE OPTIONS...: no state is bad, with these options.
all_well() {
	local image=$1

	shift
	timeout 600 "$crash" --subsets 40 --walks 20 --faults 24 "$@" gc "$image" \
		>"$BATS_TEST_TMPDIR/log" 2>&1 || {
		cat "$BATS_TEST_TMPDIR/log"
		return 1
	}
	echo "# ${image##*/} $*: $(tail -n 1 "$BATS_TEST_TMPDIR/log")" >&3
}

@test "every state is whole: files that were fsynced, all option sets" {
	image=$(kernel_image tiny-fsynced 612)
	all_well "$image"
	all_well "$image" --full
	all_well "$image" --no-pack
	all_well "$image" --pack-max-blocks 64
	all_well "$image" --sections 2
	all_well "$image" --full --pack-max-blocks 64 --seed 2
}

@test "every state is whole: every shape of inode" {
	all_well "$(kernel_image tree 612)" --faults 6 --subsets 10
	all_well "$(kernel_image tree-flexible 72)" --full --faults 6 \
		--subsets 10
}

@test "every state is whole: large sections" {
	all_well "$(kernel_image large-section-small 612)" --full --faults 6 \
		--subsets 10 --walks 6
}

@test "every state is whole: a full volume, in several transactions" {
	image=$BATS_TEST_TMPDIR/full.img
	full_image "$image" row
	all_well "$image" --full
	all_well "$image" --full --no-pack --faults 6
	states "$image" 612 18 --full
}

@test "every state is whole: orphans" {
	image=$BATS_TEST_TMPDIR/orphans.img
	xz -dc "$top_srcdir/tests/images/orphans.img.xz" >"$image"
	all_well "$image"
	all_well "$image" --full --faults 100
	cp "$image" "$image.copy"
	"$kernel_dir/uml-run" -s -n -k 612 -O "$image.out" "$image.copy" \
		"$top_srcdir/tests/crash/guest-states" ubda
	mv "$image.out/ubda.manifest" "$image.manifest"
	states "$image" 72 12 --full
}

# states IMAGE K DUMPS OPTIONS...: kernel K mounts states of a run and finds the
# tree that was there before.
states() {
	local image=$1 k=$2 dumps=$3 dir=$BATS_TEST_TMPDIR/states files file i

	shift 3
	mkdir -p "$dir"
	"$crash" --faults 0 --dumps "$dumps" --dump-dir "$dir" "$@" gc \
		"$image"
	files=("$dir"/state-*.img)
	# Their number is up to chance, a little.
	[ ${#files[@]} -ge $((dumps * 5 / 6)) ]
	for file in "${files[@]}"; do
		check_state "$file"
	done
	# Sixteen disks are as many as a guest has.
	for ((i = 0; i < ${#files[@]}; i += 16)); do
		mount_states "$image" "$k" "${files[@]:i:16}"
	done
	rm -rf "$dir"
}

# No checker finds anything, and garbage collection can go on from here.
check_state() {
	"$FSCK" -n "$1" >"$1.log" || {
		cat "$1.log"
		return 1
	}
	old_check "$1" 116
	"$GCCTL" run -n -q "$1"
}

mount_states() {
	local image=$1 k=$2 out=$BATS_TEST_TMPDIR/out more=() disks=() file

	shift 2
	rm -rf "$out"
	for file; do
		disks+=("ubd$(printf "\\x$(printf %x $((97 + ${#disks[@]})))")")
	done
	for file in "${@:2}"; do
		more+=(-d "$file")
	done
	# The other checkpoint pack may be half written: no fault, after a cut.
	"$kernel_dir/uml-run" -s -a 'invalid crc(_offset: 0| value)$' -n -k "$k" -t 600 -O "$out" "${more[@]}" \
		"$1" "$top_srcdir/tests/crash/guest-states" "${disks[@]}" || {
		cat "${1%/*}/list"
		return 1
	}
	for disk in "${disks[@]}"; do
		python3 "$lib_dir/manifest.py" --compare "$image.manifest" \
			"$out/$disk.manifest" || {
			echo "$disk of:"
			printf '%s\n' "$@"
			cat "${1%/*}/list"
			return 1
		}
	done
	# A fsync that is recovered says so; the old volume needed none.
	! grep -aE 'recover_(inode|dentry|data|xattr)' "$out/dmesg"
}

@test "kernel 6.12 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 612)" 612 24 --subsets 40
}

@test "kernel 6.1 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 61)" 61 12 --full --subsets 40
}

@test "kernel 7.2 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 72)" 72 12 --pack-max-blocks 64 \
		--subsets 40
}

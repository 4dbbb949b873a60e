# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of power cuts share. Loaded after ../lib/common and
# ../kernel/judge.

crash_dir=$top_srcdir/tests/crash
crash=$top_builddir/tests/crash/crash-run
checkers="115 116"		# the existing ones that look at states

need_crash() {
	need_judge
	need_program "$crash" "$FSCK" "$GCCTL" "$DEFRAG"
}

# The volume that is shipped, with what a kernel said of it.
aged_image() {
	xz -dc "$top_srcdir/tests/images/aged.img.xz" >"$BATS_TEST_TMPDIR/aged"
	xz -dc "$top_srcdir/tests/images/aged.manifest.xz" \
		>"$BATS_TEST_TMPDIR/aged.manifest"
	echo "$BATS_TEST_TMPDIR/aged"
}

# all_well IMAGE gc|defrag [OPTION|PATH]...: no state of this run is bad.
all_well() {
	local image=$1 engine=$2

	shift 2
	timeout 3000 "$crash" --subsets 30 --walks 12 --faults 12 "$engine" \
		"$image" "$@" >"$BATS_TEST_TMPDIR/log" 2>&1 || {
		cat "$BATS_TEST_TMPDIR/log"
		return 1
	}
	echo "# $engine ${image##*/} $*: $(tail -n 1 "$BATS_TEST_TMPDIR/log")" >&3
}

# states IMAGE KERNELS DUMPS gc|defrag [OPTION|PATH]...: no checker finds
# anything in some DUMPS states of a run, and each of the kernels mounts them and
# finds the tree that was there before.
states() {
	local image=$1 kernels=$2 dumps=$3 engine=$4 i k file files
	local dir=$BATS_TEST_TMPDIR/states

	shift 4
	mkdir -p "$dir"
	"$crash" --faults 0 --walks 0 --dumps "$dumps" --dump-dir "$dir" \
		"$engine" "$image" "$@"
	files=("$dir"/state-*.img)
	# Their number is up to chance, a little.
	[ ${#files[@]} -ge $((dumps * 5 / 6)) ]
	for file in "${files[@]}"; do
		check_state "$file" "$engine"
	done
	# Sixteen disks are as many as a guest has.
	for ((i = 0; i < ${#files[@]}; i += 16)); do
		for k in $kernels; do
			mount_states "$image" "$k" "${files[@]:i:16}"
		done
		rm -f "${files[@]:i:16}"
	done
	echo "# $engine ${image##*/} $*: ${#files[@]} states" \
		"by kernels $kernels, checkers $checkers" >&3
	rm -rf "$dir"
}

# no_finding IMAGE: but for a pack that was not written to its end.
no_finding() {
	"$FSCK" -n --json "$1" >"$1.json" &&
		[ "$(json '[f for f in d["findings"] if f["id"] != "cp-pack-torn"]' \
			"$1.json")" = "[]" ] || {
		head -c 3000 "$1.json"
		return 1
	}
	rm -f "$1.json"
}

# No checker finds anything, and another run can go on from here.
check_state() {
	no_finding "$1"
	old_check "$1" $checkers
	if [ "$2" = gc ]; then
		"$GCCTL" run -n -q "$1"
	else
		"$DEFRAG" -n -q "$1"
	fi
}

# mount_states IMAGE K STATE...: of at most 16; the kernel works on copies.
mount_states() {
	local image=$1 k=$2 out=$BATS_TEST_TMPDIR/out more=() disks=() file
	local copies=$BATS_TEST_TMPDIR/copies

	shift 2
	rm -rf "$out"
	mkdir -p "$copies"
	for file; do
		disks+=("ubd$(printf "\\x$(printf %x $((97 + ${#disks[@]})))")")
		copy_image "$file" "$copies/${disks[-1]}"
	done
	for file in "${disks[@]:1}"; do
		more+=(-d "$copies/$file")
	done
	# The other checkpoint pack may be half written: no fault, after a cut.
	"$kernel_dir/uml-run" -s -a 'invalid crc(_offset: 0| value)$' -n \
		-k "$k" -t 600 -O "$out" "${more[@]}" "$copies/ubda" \
		"$crash_dir/guest-states" "${disks[@]}" || {
		cat "${1%/*}/list" 2>/dev/null
		return 1
	}
	for disk in "${disks[@]}"; do
		python3 "$lib_dir/manifest.py" --compare "$image.manifest" \
			"$out/$disk.manifest" || {
			echo "$disk of:"
			printf '%s\n' "$@"
			cat "${1%/*}/list" 2>/dev/null
			return 1
		}
	done
	# A fsync that is recovered says so; the old volume needed none.
	! grep -aE 'recover_(inode|dentry|data|xattr)' "$out/dmesg" || return 1
	for disk in "${disks[@]}"; do
		no_finding "$copies/$disk"
	done
}

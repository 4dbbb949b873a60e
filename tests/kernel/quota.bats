# SPDX-License-Identifier: GPL-2.0-or-later
# Quota files after a replay: kernels with quotas read in them what their own
# mount would have put there, and the existing checkers count the same.

load ../lib/common
load judge

setup() {
	need_judge
	KERNELS=full61 need_judge
	need_program "$FSCK"
	tmp=$BATS_TEST_TMPDIR
}

# format IMAGE
format() {
	local set=extra_attr,inode_checksum,flexible_inline_xattr

	truncate -s 128M "$1"
	"$J/bin/mkfs116" -f -O "$set,project_quota,quota" "$1" >"$1.log"
}

# cut_with IMAGE KERNEL COMMAND [OPTIONS]: make files, delete some that are open,
# have others only fsynced, cut.
cut_with() {
	local image=$1 kernel=$2 command=$3

	cat >"$image.script" <<-END
		set -e
		q() { python3 '$lib_dir/quota.py' "\$@"; }
		q $command "\$M"
		sync
		q hold "\$M" /mnt/tmp/held &
		while [ ! -e /mnt/tmp/held ]; do sleep 0.1; done
		sync
		q fsync "\$M"
		power_cut
	END
	"$kernel_dir/uml-run" -k "$kernel" ${4+-o "$4"} "$image" "$image.script"
}

# replayed IMAGE: quota files are brought up to date; others find no fault.
replayed() {
	"$FSCK" -p --json "$1" >"$1.json" || [ $? -eq 1 ]
	[ "$(field "$1.json" replay.orphans_freed)" -gt 40 ]
	[ "$(field "$1.json" replay.inodes_recovered)" -ge 12 ]
	[ "$(field "$1.json" replay.quota_files)" -eq 3 ]
	[ "$(field "$1.json" replay.quota_ids_changed)" -gt 50 ]
	[ "$(field "$1.json" replay.quota_marked)" = False ]
	our_check "$1"
	old_check "$1"
}

# same_usage N: what the quota files of disk N say is what its files are.
same_usage() {
	diff "$tmp/out/counts.$1" <(grep -v 'space=0 inodes=0' \
		"$tmp/out/quotas.$1" |
		sed 's/ limits=.* space/ space/; s/ times.*//')
}

# times_set N: the same, but a limit that is newly passed counts from the mount.
times_set() {
	sed -E 's/=[1-9][0-9]{9},/=set,/; s/,[1-9][0-9]{9}$/,set/' \
		"$tmp/out/quotas.$1"
}

@test "usage, limits and times are those of the kernel's own mount" {
	format "$tmp/cut"
	cut_with "$tmp/cut" full61 make usrquota,grpquota,prjquota
	copy_image "$tmp/cut" "$tmp/ours"
	replayed "$tmp/ours"
	# Files of 300 owners, by a kernel that knows no quotas: it leaves the mark
	# that they are wrong, and they must grow.
	format "$tmp/many"
	cut_with "$tmp/many" 72 many
	replayed "$tmp/many"
	[ "$(field "$tmp/many.json" replay.quota_ids_changed)" -gt 590 ]
	"$kernel_dir/uml-run" -s -n -k full61 -O "$tmp/out" \
		-a 'vda.: (Disable nat_bits|recover_|checkpoint: version)' \
		-d "$tmp/ours" -d "$tmp/many" "$tmp/cut" \
		"$kernel_dir/guest-quotas"
	[ "$(wc -l <"$tmp/out/quotas.1")" -gt 70 ]
	grep -q 'times=[1-9]' "$tmp/out/quotas.1"
	diff <(times_set 1) <(times_set 2)
	diff "$tmp/out/counts.1" "$tmp/out/counts.2"
	same_usage 2
	same_usage 3
	for image in ours many; do
		our_check "$tmp/$image"
		old_check "$tmp/$image"
	done
}

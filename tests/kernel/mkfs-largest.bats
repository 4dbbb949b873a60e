# SPDX-License-Identifier: GPL-2.0-or-later
# The largest volume: 16 TiB less one zone. It needs a file system that takes
# such a file (a tmpfs does) and a guest of 8 GiB; so not in every check.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$MKFS"
	dir=$(mktemp -d /dev/shm/largest.XXXXXX)
	cd "$dir" || return
}

teardown() {
	cd / && rm -rf "$dir"
}

@test "a volume of 16 TiB less one zone mounts, takes files, and is clean" {
	for opts in "-O extra_attr,inode_checksum,sb_checksum,lost_found" "-i -s 64"; do
		rm -f img
		"$MKFS" --size $((16 * 1024 ** 4 - 2 * 1024 ** 2)) $opts img
		for k in ${LARGEST_KERNELS:-612}; do
			"$kernel_dir/uml-run" -s -n -k "$k" -m 8192M -t 900 img \
				"$kernel_dir/guest-fill"
		done
	done
}

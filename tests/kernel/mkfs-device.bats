# SPDX-License-Identifier: GPL-2.0-or-later
# mkfs on block devices of a real kernel: in use, partitions, discard; and the
# largest volume that there can be.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$MKFS" "$J/bin/mkfs116"
	cd "$BATS_TEST_TMPDIR" || return
}

# A disk with two partitions, from sector 2048 and from 200,000 * 2 + 63.
partitioned() {
	truncate -s 400M "$1"
	python3 - "$1" <<-'END'
		import struct, sys
		parts = (2048, 390000), (400063, 400000)
		table = b"".join(struct.pack("<B3sB3sII", 0, b"\0" * 3, 0x83,
		                             b"\0" * 3, *p) for p in parts)
		with open(sys.argv[1], "r+b") as f:
		    f.seek(446)
		    f.write(table.ljust(64, b"\0") + b"\x55\xaa")
	END
}

@test "C03: a mounted loop device's file is refused even with -f; devices, partitions" {
	for k in $KERNELS; do
		rm -f disk
		partitioned disk
		"$kernel_dir/uml-run" -s -n -k "$k" disk \
			"$kernel_dir/guest-mkfs-device" "$MKFS" \
			"$J/bin/mkfs116" "$lib_dir/f2fields.py"
	done
}

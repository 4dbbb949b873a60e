# SPDX-License-Identifier: GPL-2.0-or-later
# Single faults in the quota files of a new volume.

load check

setup_file() {
	truncate -s 64M "$good"
	"$MKFS" -q -O extra_attr,project_quota,quota "$good"
}

# poke_file TYPE OFFSET VALUE: 4 bytes of the file of users, groups or projects;
# the others stay as they are.
poke_file() {
	cp --sparse=always "$good" "$img"
	python3 - "$img" "$@" <<-'END'
		import mmap, struct, sys
		name, kind, at, value = sys.argv[1:]
		magic = {"users": 0xd9c01f11, "groups": 0xd9c01927,
			 "projects": 0xd9c03f14}[kind]
		with open(name, "r+b") as f:
		    m = mmap.mmap(f.fileno(), 0)
		    head = m.find(struct.pack("<II", magic, 1))
		    assert head % 4096 == 0
		    # A new file is one run.
		    struct.pack_into("<I", m, head + int(at, 0), int(value, 0))
	END
}

@test "a new volume with quota files has no fault" {
	cp --sparse=always "$good" "$img"
	finds_nothing
}

@test "quota-file: header, pointers, leaf and lists" {
	local poke

	# Magic, version, blocks, list of free blocks, list of leaves; a pointer
	# out of the file, one to its own block; entries of the leaf, their count.
	for poke in "0 7" "4 0" "20 99" "24 3" "28 4" "1024 99" "2048 2" \
		"5128 2" "5136 77"; do
		poke_file groups $poke
		finds quota-file
	done
	poke_file projects 2048 7
	finds quota-file
	[ "$(value_of quota-file inode)" = 6 ]
}

@test "quota-usage: more or less than the inodes, and an id that has none" {
	poke_file users 5184 9000
	finds_nothing quota-usage
	[ "$(value_of quota-usage found)" = 9000 ]
	[ "$(value_of quota-usage expected)" = 4096 ]
	poke_file groups 5160 0
	finds_nothing quota-usage
	[ "$(value_of quota-usage found)" = 0 ]
	[ "$(value_of quota-usage expected)" = 1 ]
}

@test "-p counts usage again where it is wrong" {
	poke_file users 5184 9000
	before=$(sha256sum <"$img")
	run "$FSCK" -p -n "$img"
	[ "$status" -eq 0 ]
	[[ "$output" == *"usage of 1 owners would be corrected in quota files"* ]]
	[ "$(sha256sum <"$img")" = "$before" ]
	run "$FSCK" -p "$img"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"usage of 1 owners corrected in quota files"* ]]
	finds_nothing
	before=$(sha256sum <"$img")
	run "$FSCK" -p "$img"
	[ "$status" -eq 0 ]
	[ "$(sha256sum <"$img")" = "$before" ]
}

@test "cp-flag-quota: a mark of the kernel, which -p takes away" {
	poke cp.ckpt_flags=+0x800
	finds_nothing cp-flag-quota
	run "$FSCK" -p "$img"
	[ "$status" -eq 1 ]
	finds_nothing
}

@test "-y leaves a damaged quota file, and says that an error is left" {
	poke_file groups 20 99
	before=$(sha256sum <"$img")
	run "$FSCK" -y "$img"
	echo "$output"
	[ "$status" -eq 4 ]
	[[ "$output" == *quota-file* ]]
	[ "$(sha256sum <"$img")" = "$before" ]
}

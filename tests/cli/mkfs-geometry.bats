# SPDX-License-Identifier: GPL-2.0-or-later
# For the same size and options every count and address is that of f2fs-tools
# 1.16. Where only 1.15 is at hand the superblock alone is compared, for its
# reserve is another.

load ../lib/common
load ../kernel/judge

# Both formatters flush a lot: in memory the sweep takes a third of the time.
setup() {
	dir=$BATS_TEST_TMPDIR
	if [ -w /dev/shm ] && [ "$(space /dev/shm)" -gt 4096 ]; then
		dir=$(mktemp -d /dev/shm/geometry.XXXXXX)
	fi
	cd "$dir" || return
	if [ -x "$J/bin/mkfs116" ]; then
		theirs=$J/bin/mkfs116
		differs='^$'
	elif [ "${CI-}" = true ]; then
		echo "no mkfs116 in $J/bin (tests/kernel/setup fetches it)"
		return 1
	else
		theirs=$(command -v mkfs.f2fs) || lacking "no other mkfs.f2fs"
		differs='^cp|^ours$'
	fi
}

teardown() {
	cd / && rm -rf "$dir"
}

space() {
	df -Pm "$1" | awk 'NR == 2 { print $4 }'
}

counts() {
	python3 "$top_srcdir/tests/lib/f2fields.py" "$1" --counts |
		grep -vE "$2" || true
}

# same DIFFERS SIZE OPTION...: both make a volume, all fields agree but those
# that DIFFERS, a regular expression, names.
same() {
	local but=$1 size=$2 a=0 b=0

	shift 2
	rm -f a b
	truncate -s "$size" a b
	timeout 60 "$theirs" -q -f "$@" a >log 2>&1 || a=$?
	timeout 60 "$MKFS" -q -f "$@" b >>log 2>&1 || b=$?
	if [ $(( !a )) != $(( !b )) ]; then
		echo "$size $*: theirs exits $a, ours $b"
		cat log
		return 1
	fi
	[ $a = 0 ] || return 0
	diff <(counts a "$but|$differs") <(counts b "$but|$differs") || {
		echo "$size $*: fields differ"
		return 1
	}
	made=$((${made:-0} + 1))
}

# Their reserve, and the segments they call free, count the rest of the device
# after the last whole zone; their own checker says so of the latter.
rest='user_block_count|rsvd_segment|overprov_segment|free_segment'

sweep() {
	local but=$1 size

	shift
	for size in $sizes; do
		same "$but" "$size" "$@"
	done
	[ "${made:-0}" -gt 0 ]
}

@test "geometry is that of f2fs-tools 1.16: sizes from too small to 1 GiB" {
	sizes="40M 43M 44M 45M 47M 48M 50M 63M 64M 65M 67108863 70000001 99M
	       128M 200M 255M 256M 300M 511M 512M 513M 777M 1000M 1G"
	sweep '^$'
}

@test "geometry is that of f2fs-tools 1.16: sizes from 1 GiB to 1 TiB" {
	sizes="1100M 1500M 2G 3333333333 5000M 8G 15G 33G 64G 100G 127G 250G
	       512G 999G 1T"
	sweep '^$'
}

@test "geometry is that of f2fs-tools 1.16: 2 TiB to 15 TiB" {
	# The other formatter writes all of its tables: that takes space.
	[ "$(space .)" -gt 2048 ] || lacking "less than 2 GiB of space"
	sizes="2T 3333G 7T 15T"
	sweep '^$'
}

@test "geometry is that of f2fs-tools 1.16: large sections and zones" {
	sizes="64M 128M 511M 512M 1500M 5000M 33G"
	sweep "$rest" -s 4
	sweep "$rest" -s 32
	sweep "$rest" -z 3
	sweep "$rest" -s 2 -z 5
	sweep "$rest" -s 4 -z 2 -a 1
	# In whole zones nothing is left over, and all is equal.
	sizes="128M 512M 4G 32G"
	sweep '^$' -s 4
	sweep '^$' -s 16 -z 2
}

@test "geometry is that of f2fs-tools 1.16: given overprovision" {
	sizes="64M 256M 1G 10G 1T"
	for percent in 0.37 1 5 7.77 20 33.3 60; do
		sweep '^$' -o $percent
	done
}

@test "geometry is that of f2fs-tools 1.16: large NAT, heap, no discard" {
	sizes="50M 300M 1G 100G 1T"
	sweep '^$' -i
	sweep '^$' -a 1
	sweep '^$' -t 0
	sweep '^$' -i -t 0 -o 3
}

@test "geometry is that of f2fs-tools 1.16: features, extensions, label" {
	sizes="300M 1G"
	for list in encrypt extra_attr verity lost_found sb_checksum \
		extra_attr,inode_checksum extra_attr,project_quota \
		extra_attr,quota,project_quota,lost_found \
		extra_attr,inode_crtime,flexible_inline_xattr \
		extra_attr,compression,inode_checksum,sb_checksum; do
		sweep '^$' -O $list
	done
	sweep '^$' -C utf8
	sweep '^$' -C utf8:strict -l "name é 😀"
	sweep '^$' -e foo,db,mp -E bar
	# Sector sizes of files: theirs does not look at -w there.
	sweep 'log_sector' -g android
}

@test "geometry is that of f2fs-tools 1.16: a size in sectors" {
	sizes="1G"
	made=0
	truncate -s 1G a b
	for sectors in 131072 100000 1234567; do
		"$theirs" -q -f a $sectors
		"$MKFS" -q -f b $sectors
		diff <(counts a "$differs") <(counts b "$differs")
	done
}

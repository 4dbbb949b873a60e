# SPDX-License-Identifier: GPL-2.0-or-later
# Cases from the field, by their number. (C03, a mounted loop device, needs a
# kernel: tests/kernel/mkfs-device.bats.)

bats_require_minimum_version 1.5.0
load ../lib/common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

hash_of() {
	sha256sum "$1" | cut -d' ' -f1
}

@test "C01: a file that is too small is told the minimum and left alone" {
	for size in 0 6M 16M 18M; do
		rm -f img
		truncate -s $size img
		before=$(hash_of img)
		run --separate-stderr "$MKFS" img
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		[[ "$stderr" == *"the minimum is 46137344 bytes"* ]]
		[ "$(hash_of img)" = "$before" ]
	done
}

@test "C01: the minimum holds for the geometry, and not a zone less" {
	for opts in "" "-s 4" "-z 3" "-s 8 -z 2" "-o 1" "-i"; do
		rm -f img
		truncate -s 0 img
		run "$MKFS" $opts img
		[ "$status" -eq 1 ]
		min=$(sed -n 's/.*minimum is \([0-9]*\) bytes.*/\1/p' <<<"$output")
		truncate -s "$min" img
		"$MKFS" -q $opts img
		truncate -s $((min - 1)) img
		run "$MKFS" -f $opts img
		[ "$status" -eq 1 ]
	done
}

@test "C01: files and sizes that cannot be" {
	run "$MKFS" .
	[ "$status" -ne 0 ]
	[[ "$output" == *"is a directory"* ]]
	run "$MKFS" /dev/null
	[ "$status" -ne 0 ]
	run "$MKFS" absent
	[ "$status" -eq 1 ]
	[[ "$output" == *"No such file"* ]]
	for bad in "-s 0" "-z 0" "-s 4294967295" "-z 4294967295" \
		"-s 65536 -z 65536"; do
		truncate -s 64M img
		run "$MKFS" $bad img
		[ "$status" -ne 0 ]
		[ "$status" -lt 128 ]
	done
}

@test "C02: --size makes the file, sparse, with the mode of the umask" {
	(umask 027 && "$MKFS" -q --size 64M new.img)
	[ "$(stat -c %s new.img)" -eq 67108864 ]
	[ "$(stat -c %a new.img)" = 640 ]
	[ $(($(stat -c %b new.img) * 512)) -lt 1048576 ]
	run blkid -p -o value -s TYPE new.img
	[ "$output" = f2fs ]
}

@test "C02: no file is left when the volume cannot be" {
	run "$MKFS" --size 6M new.img
	[ "$status" -eq 1 ]
	[ ! -e new.img ]
	run "$MKFS" --size 64M -O no_such_feature new.img
	[ "$status" -eq 2 ]
	[ ! -e new.img ]
	run "$MKFS" --dry-run --size 64M new.img
	[ "$status" -eq 0 ]
	[ ! -e new.img ]
}

@test "C02: --size takes part of a file that is there, and no more than it has" {
	truncate -s 100M img
	run "$MKFS" --size 200M img
	[ "$status" -eq 1 ]
	[[ "$output" == *"104857600 bytes"* ]]
	"$MKFS" -q --size 64M img
	[ "$(stat -c %s img)" -eq 104857600 ]
	run "$MKFS" --json -n -f --size 64M img
	[[ "$output" == *'"volume_bytes":67108864'* ]]
}

# plant OFFSET BYTES: what printf makes of BYTES, at an offset that is negative
# from the end.
plant() {
	local off=$1

	[ "$off" -ge 0 ] || off=$(($(stat -c %s img) + off))
	printf "$2" | dd of=img bs=1 seek="$off" conv=notrunc status=none
}

# What wipefs and blkid still know, but f2fs.
others() {
	wipefs -n img | awk 'NR > 1 && !/f2fs/'
}

bcachefs='\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81'
zfs='\x0c\xb1\xba\x00\x00\x00\x00\x00'

@test "C04: every known magic is refused without -f and gone with it" {
	local place off bytes name len before

	while read -r name off bytes; do
		for trim in 0 1; do
			rm -f img
			truncate -s 100M img
			plant "$off" "$bytes"
			before=$(hash_of img)
			run "$MKFS" -t $trim img
			[ "$status" -eq 1 ]
			[[ "$output" == *"($name"* ]]
			[ "$(hash_of img)" = "$before" ]
			"$MKFS" -q -f -t $trim img
			len=$(printf "$bytes" | wc -c)
			place=$((off < 0 ? 104857600 + off : off))
			if tail -c +$((place + 1)) img | head -c "$len" |
				cmp -s - <(printf "$bytes"); then
				echo "$name at $off is still there"
				return 1
			fi
			[ -z "$(others)" ]
			[ "$(blkid -p -o value -s TYPE img)" = f2fs ]
		done
	done <<-END
		btrfs $((65536 + 64)) _BHRfS_M
		ext 1080 \x53\xef\x01
		xfs 0 XFSB
		swap 4086 SWAPSPACE2
		swap 65526 SWAPSPACE2
		bcachefs 4120 $bcachefs
		bcachefs -4072 $bcachefs
		gpt 512 EFI\x20PART
		gpt -512 EFI\x20PART
		zfs_member 131072 $zfs
		zfs_member -131072 $zfs
	END
}

@test "C04: several at once, made by their own tools, are all gone" {
	need mkfs.ext4 mkswap
	truncate -s 300M img
	mkfs.ext4 -qF img
	plant $((65536 + 64)) _BHRfS_M
	plant 0 XFSB
	plant -512 'EFI PART'
	run "$MKFS" -t 0 img
	[ "$status" -eq 1 ]
	for name in ext4 btrfs xfs gpt; do
		[[ "$output" == *"$name"* ]]
	done
	"$MKFS" -q -f -t 0 img
	[ -z "$(others)" ]
	mkswap -q img 2>/dev/null || mkswap img >/dev/null
	"$MKFS" -q -f -t 0 img
	[ -z "$(others)" ]
}

@test "C04: what is beyond the volume on a larger device is wiped too" {
	truncate -s 100M img
	plant -512 'EFI PART'
	"$MKFS" -q -f -t 0 img 131072
	[ "$(tail -c 512 img | tr -d '\0' | wc -c)" -eq 0 ]
}

@test "C06: block size and sector size are both printed and recorded" {
	truncate -s 64M img
	for sector in 512 1024 2048 4096; do
		run "$MKFS" -f -w $sector img
		[ "$status" -eq 0 ]
		grep -qE '^Block size, bytes: +4096$' <<<"$output"
		grep -qE "^Sector size, bytes: +$sector\$" <<<"$output"
		log=$(od -An -tu4 -j1032 -N8 img)
		set -- $log
		[ $((1 << $1)) -eq $sector ]
		[ $(($1 + $2)) -eq 12 ]
	done
	for bad in 0 256 513 3000 8192; do
		run "$MKFS" -f -w $bad img
		[ "$status" -eq 2 ]
	done
}

# label TEXT UNITS: it is stored in that many units and read back by others.
label() {
	"$MKFS" -q -f -l "$1" img
	[ "$(blkid -p -o value -s LABEL img)" = "$1" ]
	units=$(python3 -c '
import sys
d = open(sys.argv[1], "rb").read(2172)[1148 - 1024 + 1024:][:1024]
print(len(d.decode("utf-16-le").rstrip("\0").encode("utf-16-le")) // 2)' img)
	[ "$units" -eq "$2" ]
	run "$MKFS" -f --json -U 11111111-2222-3333-4444-555555555555 -l "$1" img
	[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["label"])' \
		<<<"$output")" = "$1" ]
}

@test "C08: labels of 512 units and beyond the BMP come back exactly" {
	truncate -s 64M img
	label "$(printf 'a%.0s' {1..511})" 511
	label "$(printf 'a%.0s' {1..512})" 512
	label "$(printf '😀%.0s' {1..256})" 512
	label "Müller 日本語 😀 end" 17
}

@test "C08: labels that are too long or not UTF-8 are refused" {
	truncate -s 64M img
	before=$(hash_of img)
	for bad in "$(printf 'a%.0s' {1..513})" \
		"a$(printf '😀%.0s' {1..256})" \
		$'a\xff' $'\xc0\x80' $'\xed\xa0\x80' $'\xf4\x90\x80\x80' \
		$'cut \xe2\x82'; do
		run "$MKFS" -l "$bad" img
		[ "$status" -eq 2 ]
		[[ "$output" == *label* ]]
	done
	[ "$(hash_of img)" = "$before" ]
}

@test "C09: usable bytes are printed, and are what the checkpoint grants" {
	for size in 64M 100M 512M 10G; do
		rm -f img
		run "$MKFS" --size $size img
		[ "$status" -eq 0 ]
		bytes=$(sed -n 's/^Usable by files, bytes: *//p' <<<"$output")
		# user_block_count of the checkpoint in block 512.
		blocks=$(od -An -tu8 -j$((512 * 4096 + 8)) -N8 img | tr -d ' ')
		[ "$bytes" -eq $((blocks * 4096)) ]
		grep -q '^Overprovision, percent:' <<<"$output"
	done
}

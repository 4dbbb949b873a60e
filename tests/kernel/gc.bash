# SPDX-License-Identifier: GPL-2.0-or-later
# What a run of gcctl or defrag is held to.

# gc_run IMAGE COPY ARGS...: collect in a copy; the report is COPY.json.
gc_run() {
	local image=$1 copy=$2

	shift 2
	copy_image "$image" "$copy"
	"$GCCTL" run --json "$@" "$copy" >"$copy.json"
}

# tree_is_whole IMAGE COPY K [SPLIT]: the kernel finds the same tree in no more
# extents, but for SPLIT; it says nothing, and works on it; no checker finds
# anything.
tree_is_whole() {
	local image=$1 copy=$2 k=$3 out=$2.out

	our_check "$copy"
	old_check "$copy"
	"$kernel_dir/uml-run" -s -n -k "$k" -O "$out" "$copy" \
		"$kernel_dir/guest-verify"
	python3 "$lib_dir/manifest.py" --compare "$image.manifest" "$out/manifest"
	python3 "$lib_dir/fiemap.py" --compare "$image.fiemap" "$out/fiemap" \
		"${4-0}"
	# A pinned file stays where it is, to the block.
	diff <(grep '^pinned ' "$image.fiemap") <(grep '^pinned ' "$out/fiemap")
	our_check "$copy"
	old_check "$copy"
}

# gc_agrees IMAGE COPY K: and the report's counts are those of the kernel's
# segment table and FIEMAP.
gc_agrees() {
	tree_is_whole "$@" "$(field "$2.json" extents_split)"
	gc_counts "$1" "$2"
}

# What the report counts is what the kernel's segment table and FIEMAP show.
gc_counts() {
	local image=$1 copy=$2 kv table name links

	table=$(python3 "$lib_dir/segments.py" "$image.segments" \
		"$copy.out/segments" "$(segs_per_sec "$image")")
	for kv in $table; do
		name=${kv%%=*}
		# What is free says the kernel otherwise: not if a log is in it.
		[[ "$name" == *_freed ]] || continue
		expect "$copy.json" "$name" "${kv#*=}"
	done
	# Long symlinks have a block, but no descriptor to ask for its place.
	links=$(($(field "$copy.json" extents_before) - $(written "$image.fiemap")))
	[ "$links" -ge 0 ]
	[ "$links" -le "$(grep -cE ' type=l .* size=[34][0-9]{3} ' \
		"$image.manifest")" ]
	expect "$copy.json" extents_after \
		$(($(written "$copy.out/fiemap") + links))
}

written() {
	python3 "$lib_dir/fiemap.py" --total "$1" |
		sed 's/.*[ ]written=\([0-9]*\).*/\1/'
}

expect() {
	local got

	got=$(field "$1" "$2")
	[ "$got" = "$3" ] || {
		echo "$2: the report says $got, the kernel $3"
		return 1
	}
}

say() {
	echo "# $1: $(for name in segments_freed sections_freed extents_before \
		extents_after blocks_moved commits seconds; do
		printf '%s=%s ' "$name" "$(field "$2" "$name")"
	done)" >&3
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Where the judges are and how they are asked; for bats files and scripts.

kernel_dir=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
lib_dir=$(realpath "$kernel_dir/../lib")
J=${F2CORE_JUDGE_DIR:-$HOME/.cache/f2core-judge}
F2DUMP=${F2DUMP:-${top_builddir:-$kernel_dir/../../build}/tests/lib/f2dump}
KERNELS=${KERNELS:-61 612 72}

# In bats: skip where a user has no judges; where CI=true they have to be there.
need_judge() {
	local k missing=

	for k in $KERNELS; do
		[ -x "$J/$k/linux" ] || missing="$missing linux-$k"
	done
	[ -x "$J/bin/fsck115" ] && [ -x "$J/bin/fsck116" ] ||
		missing="$missing f2fs-tools"
	[ -n "$missing" ] || return 0
	if [ "${CI-}" = true ]; then
		echo "missing in $J:$missing (tests/kernel/setup fetches them)"
		return 1
	fi
	skip "no$missing: tests/kernel/setup fetches them"
}

# For what must be built before a test says anything.
need_program() {
	local prog

	for prog in "$@"; do
		[ -x "$prog" ] && continue
		[ "${CI-}" != true ] || {
			echo "$prog is not built"
			return 1
		}
		skip "$prog is not built"
	done
}

copy_image() {
	cp --sparse=always "$1" "$2"
	chmod u+w "$2"
}

# kernel_image NAME K: path of a volume that kernel K made by the recipe NAME.
# It is kept for the next run, in a folder of this version of the recipe, so
# that two versions may be tested at the same time. Not to be written to.
kernel_image() {
	local store path sum

	sum=$("$kernel_dir/make-image" --version "$1")
	store=$J/images/$sum
	path=$store/$1.$2
	mkdir -p "$store"
	touch "$store"
	find "$J/images" -mindepth 1 -maxdepth 1 -mtime +2 -exec rm -rf {} +
	(
		flock 9
		[ ! -e "$path" ] || exit 0
		K=$2 "$kernel_dir/make-image" "$1" "$path.new" >&2 || exit 1
		for part in .manifest .fiemap .segments .kinds .log ""; do
			[ ! -e "$path.new$part" ] ||
				mv "$path.new$part" "$path$part"
		done
	) 9>"$store/lock.$1.$2" || return
	echo "$path"
}

# full_image IMAGE row|turns: a volume as full as it gets, of files that were
# written one after another or in turn, every fourth gone: what a run frees is
# used again in the same run. Beside it what the kernel says of it.
full_image() {
	local image=$1 part

	truncate -s 64M "$image"
	"$J/bin/mkfs116" -f -s 1 "$image" >/dev/null
	cat >"$image.script" <<-END
		set -e
		echo 0 >/sys/fs/f2fs/ubda/ipu_policy
		w() { python3 '$lib_dir/workload.py' "\$@"; }
		free() { df -k --output=avail "\$M" | tail -n 1; }
		for ((i = 0; \$(free) > 2600; i++)); do
			mkdir "\$M/d\$i"
			w $2 "\$M/d\$i" f 20 16
			sync
		done
		for dir in "\$M"/d*; do w thin "\$dir" f 4; done
		. '$kernel_dir/guest-record' remount
	END
	"$kernel_dir/uml-run" -s -k 612 -O "$image.out" "$image" \
		"$image.script" >&2
	for part in manifest fiemap segments; do
		mv "$image.out/$part" "$image.$part"
	done
}

# old_check IMAGE [VERSION...]: the existing checkers find nothing. They work
# on a copy, with a time limit, since a dry run of theirs may write and ask.
old_check() {
	local image=$1 version copy out status=0

	shift
	[ $# -gt 0 ] || set -- 115 116
	copy=$(mktemp "${image%/*}/check.XXXXXX")
	out=$copy.out
	for version in "$@"; do
		copy_image "$image" "$copy"
		if ! timeout -s KILL 300 "$J/bin/fsck$version" -f --dry-run \
			"$copy" >"$out" 2>&1 </dev/null ||
			grep -qE '\[Fail\]|\[ASSERT\]|\[FIX\]|\[ERROR\]' "$out" ||
			! grep -q '^Done' "$out"; then
			echo "fsck.f2fs $version on $image:"
			grep -E 'Fail|ASSERT|FIX|ERR|corrupt|Invalid' "$out" | head -20
			tail -n 5 "$out"
			status=1
		fi
	done
	rm -f "$copy" "$out"
	return $status
}

# judge_of MAKER: the kernel after it in KERNELS, so that one judges what another
# made.
judge_of() {
	local k last=

	for k in $KERNELS $KERNELS; do
		[ "$last" != "$1" ] || break
		last=$k
	done
	echo "$k"
}

# read_image NAME K: our reader says of it what the kernel wrote down.
read_image() {
	local image part ours=$BATS_TEST_TMPDIR/ours

	image=$(kernel_image "$1" "$2")
	for part in manifest fiemap; do
		"$F2DUMP" $part "$image" >"$ours"
		cmp -s "$ours" "$image.$part" && continue
		echo "$part of $image differs:"
		diff "$image.$part" "$ours" | cut -c1-300 | head -20
		return 1
	done
	echo "# $1 by kernel $2: $(tail -n1 "$image.fiemap")" >&3
}

# The report of one of our programs: field FILE NAME[.NAME...]
field() {
	python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2].split("."):
	value = value[int(name) if name.isdigit() else name]
print(json.dumps(value) if isinstance(value, (list, dict)) else value)
' "$1" "$2"
}

# our_check IMAGE: our own checker exits 0 and has no finding.
our_check() {
	local json=${BATS_TEST_TMPDIR:-/tmp}/check.json status=0

	timeout -s KILL 300 "$FSCK" -n --json "$1" >"$json" || status=$?
	if [ $status -ne 0 ] || [ "$(field "$json" findings)" != "[]" ]; then
		echo "fsck.f2fs -n --json $1: exit $status"
		head -c 3000 "$json"
		return 1
	fi
}

segs_per_sec() {
	od -An -tu4 -j1048 -N4 "$1" | tr -d ' '
}

# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of single faults: a good volume made by a real kernel, one poke,
# and what fsck.f2fs must find, no more and no less.

load ../lib/common

python=(python3 -SE "$top_srcdir/tests/lib/poke.py")

# The good volume, unpacked once a file; sparse, so copies are quick.
good=$BATS_FILE_TMPDIR/good.img

setup_file() {
	xz -dc "$top_srcdir/tests/images/aged.img.xz" >"$BATS_FILE_TMPDIR/x"
	cp --sparse=always "$BATS_FILE_TMPDIR/x" "$BATS_FILE_TMPDIR/good.img"
	rm "$BATS_FILE_TMPDIR/x"
}

setup() {
	need python3 xz
}

# A volume like the good one in $img, whatever was done to it by poke before.
restore() {
	if [ -e "$img.undo" ]; then
		"${python[@]}" --undo "$img.undo" "$img"
	else
		cp --sparse=always "$good" "$img"
	fi
}

# poke FIELD=VALUE...: the good volume with these changed.
poke() {
	[ -e "$img.undo" ] || cp --sparse=always "$good" "$img"
	"${python[@]}" --undo "$img.undo" "$img" "$@"
}

# Fields of the good volume, a line each.
peek() {
	"${python[@]}" "$good" "$@"
}

# Run fsck.f2fs --json; the document is in $json, one value a line.
fsck_json() {
	json=$BATS_TEST_TMPDIR/json
	status=0
	timeout 60 "$FSCK" --json "$@" >"$json" || status=$?
	errors=$(ids '"(error|fatal)"')
	notes=$(ids '"note"')
	echo "status $status, errors: $errors, notes: $notes"
}

# Ids of findings of this severity, each once, in one line.
ids() {
	sed -nE '/"id"/{s/.*:"(.*)",/\1/;h};/"severity":'"$1"'/{g;p}' "$json" |
		sort -u | paste -sd' '
}

# finds ID...: exactly these are wrong, and the volume is not changed.
finds() {
	local before want

	before=$(stat -c %y.%z "$img")
	want=$(printf '%s\n' "$@" | sort | paste -sd' ')
	fsck_json "$img"
	echo "expected: $want"
	[ "$status" -eq 4 ]
	[ "$errors" = "$want" ]
	[ "$before" = "$(stat -c %y.%z "$img")" ]
}

# finds_nothing [NOTE...]: the volume is consistent, with these notes.
finds_nothing() {
	fsck_json "$img"
	[ "$status" -eq 0 ]
	[ -z "$errors" ]
	[ "$notes" = "$*" ]
}

# finds_among ID: this is found, and maybe more that follows from it.
finds_among() {
	fsck_json "$img"
	echo "expected: $1"
	[ "$status" -eq 4 ]
	[[ " $errors " == *" $1 "* ]]
}

# A value of the first finding with this id: value_of ID KEY.
value_of() {
	sed -nE '/"id":"'"$1"'"/,/\}/s/^ *"'"$2"'":"?([^",]*)"?,?$/\1/p' "$json" |
		head -n 1
}

# Nothing can be done: one clear line and exit status 8.
refused() {
	run timeout 60 "$FSCK" "$@"
	echo "$status: $output"
	[ "$status" -eq 8 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[[ "$output" == fsck.f2fs:* ]]
}

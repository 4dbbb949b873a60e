# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of programs that move blocks. Each has its own run_json
# ARGUMENTS...: the document of a run on $img as $img.json.

# The tree of aged.img is as the kernel showed it, and the volume is sound.
same_tree() {
	"$top_builddir/tests/lib/f2dump" manifest "$img" >"$img.manifest"
	xz -dc "$top_srcdir/tests/images/aged.manifest.xz" |
		diff - "$img.manifest"
	"$FSCK" -n --quiet "$img"
}

# foretold ARGUMENTS...: a dry run changes nothing, and its report is that of
# the run, but for the time it takes.
foretold() {
	local before name

	before=$(sum_of)
	run_json --dry-run "$@"
	[ "$(sum_of)" = "$before" ]
	[ "$(json "d.pop('dry_run')")" = true ]
	mv "$img.json" "$img.plan"
	run_json "$@"
	for name in plan json; do
		json "[d.pop(k, 0) for k in ('seconds', 'phases', 'dry_run')] \
			and json.dumps(d, indent=1)" "$img.$name" >"$img.$name.cut"
	done
	diff "$img.plan.cut" "$img.json.cut"
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round of repair: the first part that changes something ends it. */
#include "config.h"

#include "engine/repair_int.h"

int repair_init(struct repair *r, struct volume *vol)
{
	*r = (struct repair){ .vol = vol };
	r->sums_done = calloc(1, vol->lo.nr_main_segs / 8 + 1);
	return r->sums_done ? 0 : ctx_nomem(vol->ctx, "a list of summaries");
}

void repair_free(struct repair *r)
{
	map_free(&r->doubtful);
	free(r->sums_done);
}

/*
 * What the tables in memory have right already, so that writing them is all
 * that is left to do: bad entries of journals were dropped when they were
 * read, a bad pack is the place of the next one.
 */
static bool solve_read_faults(struct repair *r)
{
	static const enum problem_id ids[] = {
		P_CP_PACK_BAD, P_NAT_BITS, P_NAT_JOURNAL, P_SIT_JOURNAL,
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		if (!repair_has(r, ids[i]))
			continue;
		repair_solved(r, ids[i]);
		any = true;
	}
	return any;
}

int repair_round(struct repair *r, const struct facts *f, bool *again)
{
	bool changed = solve_read_faults(r);
	int err;

	*again = false;
	err = repair_nat(r, f, again);
	if (err || *again)
		return err;
	err = repair_sit(r, f, &changed);
	if (!err)
		err = repair_logs(r, &changed);
	if (!err)
		err = repair_cp(r, f, &changed);
	/* With other logs other summaries are the live ones. */
	if (!err && !changed) {
		err = volume_can_repair(r->vol);
		if (!err)
			err = repair_sums(r, f, &changed);
	}
	*again = changed;
	return err;
}

void repair_clear_marks(struct repair *r)
{
	const uint32_t marks = OD_CP_ERROR | OD_CP_FSCK | OD_CP_DISABLED |
			       OD_CP_DISABLED_QUICK | OD_CP_RESIZEFS;

	if (!(r->vol->cp.flags & marks))
		return;
	r->vol->cp.flags &= ~marks;
	repair_solved(r, P_CP_FLAG_ERROR);
	repair_solved(r, P_CP_FLAG_FSCK);
	repair_solved(r, P_CP_FLAG_STATE);
}

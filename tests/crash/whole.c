/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A volume through the whole reader and all checks. */
#include "config.h"

#include "whole.h"

#include "check/check.h"
#include "tree/pending.h"

#include <stdio.h>
#include <string.h>

static int count_findings(struct volume *vol, uint64_t *found)
{
	const struct check_options opt = { .nr_threads = 1 };
	struct check_result res;
	int err = check_run(vol, &opt, &res);

	if (err)
		return err;
	memcpy(found, res.findings.counted, sizeof(res.findings.counted));
	check_result_free(&res);
	return 0;
}

int whole_take(const struct image *img, struct whole *out)
{
	struct volume *vol;
	int err = image_open(img, &vol);

	if (!err) {
		out->unreadable = digest_volume(vol, &out->tree);
		if (!err)
			err = pending_fsyncs(vol, &out->pending);
		if (!err)
			err = count_findings(vol, out->found);
		volume_close(vol);
	}
	if (err)
		fprintf(stderr, "the volume cannot be read: %s\n",
			ctx_error(img->ctx));
	return err;
}

static const char *new_finding(const struct whole *want, struct volume *vol)
{
	static char text[120];
	uint64_t found[NR_PROBLEMS];

	if (count_findings(vol, found))
		return "it cannot be checked";
	for (unsigned int id = 0; id < NR_PROBLEMS; id++) {
		if (id == P_CP_PACK_TORN || found[id] <= want->found[id])
			continue;
		snprintf(text, sizeof(text), "the checks find %s",
			 problem_get((enum problem_id)id)->id);
		return text;
	}
	return NULL;
}

const char *whole_differs(const struct whole *want, struct volume *vol)
{
	struct digest d = { 0 };
	uint64_t pending = 0;

	if (want->unreadable)
		return NULL;		/* damaged before, to be repaired */
	if (digest_volume(vol, &d))
		return "the tree cannot be read";
	if (d.hash != want->tree.hash || d.paths != want->tree.paths)
		return "the tree differs";
	if (pending_fsyncs(vol, &pending) || pending != want->pending)
		return "other fsynced nodes wait to be replayed";
	return new_finding(want, vol);
}

const char *whole_refuses(const struct image *img)
{
	static char text[300];
	struct volume *vol;
	int err = image_open(img, &vol);

	if (err)
		return "it cannot be opened";
	err = volume_can_write(vol);
	volume_close(vol);
	if (!err)
		return NULL;
	snprintf(text, sizeof(text), "another run refuses it: %s",
		 ctx_error(img->ctx));
	return text;
}

/* The image with what is written to it in memory. */
static int open_overlay(const struct image *img, struct volume **vol)
{
	struct dev *dev, *over;
	int err = image_dev(img, &dev);

	if (err)
		return err;
	err = dev_overlay_open(dev, &over);
	if (!err) {
		dev = over;
		err = volume_open(img->ctx, dev, vol, NULL);
	}
	if (err)
		dev_close(dev);
	return err;
}

const char *whole_goes_on(const struct whole *want, const struct image *img,
			  const struct runner *runner)
{
	const char *wrong = NULL;
	struct outcome o;
	struct volume *vol;

	if (open_overlay(img, &vol))
		return "it cannot be opened for another run";
	if (runner_run(runner, vol, NULL, NULL, &o))
		wrong = "another run fails";
	else
		wrong = whole_differs(want, vol);
	volume_close(vol);
	return wrong;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making a volume, from options as a program has them: text is parsed, the
 * device is asked, and nothing is written before all of it is known to fit.
 */
#include "config.h"

#include "api/f2core.h"
#include "api/size_int.h"
#include "base/crc.h"
#include "base/ctx.h"
#include "dev/dev_file.h"
#include "dev/probe.h"
#include "engine/create.h"
#include "format/feature.h"
#include "format/label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uuid.h>

#define ENCODING_UTF8		1	/* UTF-8 of Unicode 12.1 */
#define ENCODING_STRICT		0x1

int f2c_features_parse(struct f2c_ctx *ctx, const char *list,
		       uint64_t *features)
{
	uint64_t bits = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		uint64_t bit = feature_from_name(list, len);

		if (!bit)
			return ctx_fail(ctx, -EINVAL, "unknown feature \"%.*s\"",
					(int)(len < 64 ? len : 64), list);
		bits |= bit;
		list += len;
		list += *list == ',';
	}
	*features |= bits;
	return 0;
}

static int parse_label(struct f2c_ctx *ctx, const char *label,
		       struct format_options *opt)
{
	switch (label_from_utf8(label, opt->label)) {
	case -EILSEQ:
		return ctx_fail(ctx, -EINVAL, "the label is not valid UTF-8");
	case -ENAMETOOLONG:
		return ctx_fail(ctx, -EINVAL, "the label is longer than %d "
				"UTF-16 units", OD_LABEL_UNITS);
	}
	return 0;
}

static int parse_encoding(struct f2c_ctx *ctx, const char *text,
			  struct format_options *opt)
{
	if (text && strcmp(text, "utf8") && strcmp(text, "utf8:strict"))
		return ctx_fail(ctx, -EINVAL, "encoding \"%s\": utf8 and "
				"utf8:strict are possible", text);
	if (text)
		opt->features |= OD_FEATURE_CASEFOLD;
	if (!(opt->features & OD_FEATURE_CASEFOLD))
		return 0;
	opt->encoding = ENCODING_UTF8;
	if (text && strchr(text, ':'))
		opt->encoding_flags = ENCODING_STRICT;
	return 0;
}

static int parse_texts(struct f2c_ctx *ctx, const struct f2c_format_options *o,
		       struct format_options *opt)
{
	int err = 0;

	if (o->label)
		err = parse_label(ctx, o->label, opt);
	if (!err)
		err = parse_encoding(ctx, o->encoding, opt);
	if (!err && o->cold_extensions)
		err = format_options_add_ext(ctx, opt, o->cold_extensions,
					     false);
	if (!err && o->hot_extensions)
		err = format_options_add_ext(ctx, opt, o->hot_extensions, true);
	if (err)
		return err;
	if (!o->uuid)
		uuid_generate(opt->uuid);
	else if (uuid_parse(o->uuid, opt->uuid))
		return ctx_fail(ctx, -EINVAL, "\"%s\" is not a UUID", o->uuid);
	return 0;
}

/*
 * The number of the first checkpoint: random, so that blocks of an older
 * volume on the device are not taken for newer than it. It is odd and has 31
 * bits, as those of the existing formatter.
 */
static uint64_t first_version(const struct format_options *opt, bool fixed)
{
	uint32_t version = crc_update(OD_SUPER_MAGIC, opt->uuid, 16);
	le64 seconds;

	le64_set(&seconds, opt->time);
	version = crc_update(version, &seconds, sizeof(seconds));
	if (!fixed && getrandom(&version, sizeof(version), 0) < 0)
		version ^= (uint32_t)time(NULL);
	return (version & 0x7fffffff) | 1;
}

/*
 * The kernel that made the volume: the existing checker does a full check
 * when it is another one. Where the bytes must not depend on the machine it is
 * the program that made it.
 */
static void set_version_text(struct format_options *opt, bool fixed)
{
	FILE *f = fixed ? NULL : fopen("/proc/version", "re");

	snprintf(opt->version, sizeof(opt->version), "f2core %s",
		 PACKAGE_VERSION);
	if (!f)
		return;
	if (fgets(opt->version, sizeof(opt->version), f))
		opt->version[strcspn(opt->version, "\n")] = '\0';
	fclose(f);
}

static int take_options(struct f2c_ctx *ctx, const struct f2c_format_options *o,
			struct format_options *opt)
{
	bool fixed = o->uuid && o->set_time;
	int err;

	format_options_init(opt);
	opt->features = o->features;
	if (o->segs_per_sec)
		opt->segs_per_sec = o->segs_per_sec;
	if (o->secs_per_zone)
		opt->secs_per_zone = o->secs_per_zone;
	if (o->sector_size)
		opt->sector_size = o->sector_size;
	opt->overprovision = o->overprovision;
	opt->large_nat = o->large_nat;
	opt->heap = o->heap;
	opt->discard = !o->no_discard;
	opt->uid = o->uid;
	opt->gid = o->gid;
	opt->time = (uint64_t)(o->set_time ? o->time : (int64_t)time(NULL));
	err = parse_texts(ctx, o, opt);
	if (err)
		return err;
	opt->cp_version = first_version(opt, fixed || o->fixed_version);
	set_version_text(opt, fixed);
	return format_options_check(ctx, opt);
}

/* What a run needs from option to report; all of it is let go at the end. */
struct format_run {
	struct f2c_ctx *ctx;
	const char *path;
	struct f2c_format_options o;
	struct format_options opt;
	struct format_plan plan;
	struct signatures found;
	struct dev *dev;
	uint64_t bytes;			/* of the volume */
	bool created;
};

static int ask_sector_size(struct format_run *run)
{
	uint32_t bytes;
	int err = probe_sector_size(run->ctx, run->path, &bytes);

	if (err)
		return err;
	if (!run->o.sector_size)
		run->opt.sector_size = bytes;
	else if (run->o.sector_size < bytes)
		return ctx_fail(run->ctx, -EINVAL, "%s: sector size %" PRIu32
				" is smaller than the device's, which is %"
				PRIu32, run->path, run->o.sector_size, bytes);
	return 0;
}

/* The size that was asked for, in bytes; 0: the whole device. */
static int wanted_bytes(struct format_run *run, uint64_t *bytes)
{
	*bytes = run->o.bytes;
	if (!run->o.sectors)
		return 0;
	if (run->o.bytes)
		return ctx_fail(run->ctx, -EINVAL,
				"the size is given in bytes and in sectors");
	if (run->o.sectors > UINT64_MAX / run->opt.sector_size)
		return ctx_fail(run->ctx, -EINVAL, "%" PRIu64 " sectors are "
				"more than there can be", run->o.sectors);
	*bytes = run->o.sectors * run->opt.sector_size;
	return 0;
}

/* A file is made only after its volume was planned, so that none is left. */
static int open_new(struct format_run *run)
{
	uint64_t bytes;
	int err = wanted_bytes(run, &bytes);

	if (!err)
		err = format_plan(run->ctx, run->path, &run->opt, bytes,
				  &run->plan);
	if (err)
		return err;
	run->bytes = bytes;
	if (run->o.dry_run)
		return 0;
	err = dev_file_open(run->ctx, run->path, DEV_WRITE | DEV_CREATE, bytes,
			    &run->dev);
	run->created = !err;
	return err;
}

static int check_overwrite(struct format_run *run)
{
	char names[128];
	int err = probe_signatures(run->ctx, run->path, &run->found);

	if (!err)
		err = probe_magics(run->dev, FORMAT_START_BYTES,
				   FORMAT_END_BYTES, &run->found);
	if (err || !run->found.nr || run->o.force)
		return err;
	probe_names(&run->found, names, sizeof(names));
	return ctx_fail(run->ctx, -EEXIST, "%s holds something already (%s); "
			"it is overwritten only when forced", run->path, names);
}

static int open_old(struct format_run *run)
{
	uint64_t bytes;
	int err = dev_file_open(run->ctx, run->path,
				run->o.dry_run ? 0 : DEV_WRITE, 0, &run->dev);

	if (!err)
		err = ask_sector_size(run);
	if (!err)
		err = wanted_bytes(run, &bytes);
	if (err)
		return err;
	if (bytes > run->dev->nr_bytes)
		return ctx_fail(run->ctx, -ENOSPC, "%s has %" PRIu64 " bytes, "
				"fewer than the %" PRIu64 " of the volume",
				run->path, run->dev->nr_bytes, bytes);
	run->bytes = bytes ? bytes : run->dev->nr_bytes;
	err = format_plan(run->ctx, run->path, &run->opt, run->bytes,
			  &run->plan);
	return err ? err : check_overwrite(run);
}

static int write_volume(struct format_run *run)
{
	int err = probe_wipe(run->dev, &run->found);

	/* What is beyond the volume is none of ours, but for the signatures. */
	if (!err)
		run->dev->nr_bytes = run->bytes;
	return err ? err : format_write(run->dev, &run->plan);
}

static void fill_geometry(const struct format_plan *plan,
			  struct f2c_format_report *r)
{
	const struct format_geometry *geo = &plan->geo;
	const struct layout *lo = &plan->lo;

	r->block_size = lo->block_size;
	r->sector_size = plan->opt.sector_size;
	r->blocks = geo->nr_blks;
	r->segments = geo->nr_segs;
	r->segs_per_sec = lo->segs_per_sec;
	r->secs_per_zone = lo->secs_per_zone;
	r->checkpoint_segments = le32_get(plan->sb.segment_count_ckpt);
	r->sit_segments = geo->nr_sit_segs;
	r->nat_segments = geo->nr_nat_segs;
	r->ssa_segments = geo->nr_ssa_segs;
	r->main_segments = geo->nr_main_segs;
	r->sections = geo->nr_main_secs;
	r->zones = geo->nr_zones;
	r->segment0_block = lo->seg0_blk;
	r->sit_block = lo->sit_blk;
	r->nat_block = lo->nat_blk;
	r->ssa_block = lo->ssa_blk;
	r->main_block = lo->main_blk;
	r->cp_payload_blocks = lo->cp_payload;
	r->nids = lo->nr_nids;
	r->overprovision = geo->overprovision;
	r->overprovision_segments = geo->overprov_segs;
	r->reserved_segments = geo->rsvd_segs;
	r->user_bytes = geo->user_blks * lo->block_size;
	r->volume_bytes = geo->nr_blks * lo->block_size;
}

static void fill_report(const struct format_run *run,
			struct f2c_format_report *r)
{
	memset(r, 0, sizeof(*r));
	fill_geometry(&run->plan, r);
	r->dry_run = run->o.dry_run;
	r->created = run->created;
	r->features = run->plan.lo.features;
	r->checkpoint_flags = run->plan.cp_flags;
	r->discarded = run->plan.cp_flags & OD_CP_TRIMMED;
	uuid_unparse(run->plan.sb.uuid, r->uuid);
	label_to_utf8(run->plan.sb.volume_name, r->label);
	probe_names(&run->found, r->replaced, sizeof(r->replaced));
}

static int run_format(struct format_run *run)
{
	struct stat st;
	int err = take_options(run->ctx, &run->o, &run->opt);

	if (err)
		return err;
	if (run->o.create && !run->o.bytes && !run->o.sectors)
		return ctx_fail(run->ctx, -EINVAL,
				"a file is made only with a size");
	if (run->o.create && stat(run->path, &st) && errno == ENOENT)
		err = open_new(run);
	else
		err = open_old(run);
	if (!err && !run->o.dry_run)
		err = write_volume(run);
	return err;
}

int f2c_format(struct f2c_ctx *ctx, const char *path,
	       const struct f2c_format_options *options,
	       struct f2c_format_report *report)
{
	struct format_run run = { .ctx = ctx, .path = path };
	struct f2c_format_report ours;
	int err = 0;

	if (options)
		err = size_copy_in(ctx, "f2c_format_options", &run.o,
				   sizeof(run.o), options);
	if (!err && report)
		err = size_check(ctx, "f2c_format_report", report);
	if (!err)
		err = run_format(&run);
	if (!err && report) {
		fill_report(&run, &ours);
		size_copy_out(&ours, sizeof(ours), report);
	}
	dev_close(run.dev);
	if (err && run.created)
		unlink(path);
	vec_free(&run.found);
	return err;
}

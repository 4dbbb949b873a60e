/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mkfs.f2fs: options in, a volume and a report out. */
#include "config.h"

#include <f2core.h>

#include "mkfs.h"
#include "tool/cli.h"
#include "tool/log.h"
#include "tool/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct job *job_of(struct cli *cli)
{
	return cli->priv;
}

static int set_label(struct cli *cli, const char *arg)
{
	job_of(cli)->o.label = arg;
	return 0;
}

static int set_uuid(struct cli *cli, const char *arg)
{
	job_of(cli)->o.uuid = arg;
	return 0;
}

static int set_segs_per_sec(struct cli *cli, const char *arg)
{
	return cli_u32(cli, arg, 1, UINT32_MAX, &job_of(cli)->o.segs_per_sec);
}

static int set_secs_per_zone(struct cli *cli, const char *arg)
{
	return cli_u32(cli, arg, 1, UINT32_MAX, &job_of(cli)->o.secs_per_zone);
}

static int set_overprovision(struct cli *cli, const char *arg)
{
	return cli_percent(cli, arg, &job_of(cli)->o.overprovision);
}

static int set_features(struct cli *cli, const char *arg)
{
	struct job *job = job_of(cli);

	if (f2c_features_parse(job->ctx, arg, &job->o.features))
		return cli_fail(cli, "%s", f2c_error(job->ctx));
	return 0;
}

static int set_encoding(struct cli *cli, const char *arg)
{
	job_of(cli)->o.encoding = arg;
	return 0;
}

static int set_cold(struct cli *cli, const char *arg)
{
	job_of(cli)->o.cold_extensions = arg;
	return 0;
}

static int set_hot(struct cli *cli, const char *arg)
{
	job_of(cli)->o.hot_extensions = arg;
	return 0;
}

static int set_large_nat(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->o.large_nat = true;
	return 0;
}

static int set_force(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->o.force = true;
	return 0;
}

static int set_quiet(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->quiet = true;
	return 0;
}

/* The letters -a and -t take 0 or 1. */
static int parse_switch(struct cli *cli, const char *arg, bool *value)
{
	uint32_t n;
	int err = cli_u32(cli, arg, 0, 1, &n);

	if (!err)
		*value = n;
	return err;
}

static int set_heap(struct cli *cli, const char *arg)
{
	return parse_switch(cli, arg, &job_of(cli)->o.heap);
}

/* The words stand in the manual of the existing formatter; programs use them. */
static int set_trim(struct cli *cli, const char *arg)
{
	bool trim = !strcmp(arg, "discard");
	int err = 0;

	if (!trim && strcmp(arg, "nodiscard"))
		err = parse_switch(cli, arg, &trim);
	job_of(cli)->o.no_discard = !trim;
	return err;
}

static int set_time(struct cli *cli, const char *arg)
{
	struct job *job = job_of(cli);
	uint64_t seconds = 0;
	int err = 0;

	job->o.set_time = strcmp(arg, "-1");
	if (job->o.set_time)
		err = cli_u64(cli, arg, 0, INT64_MAX, &seconds);
	job->o.time = (int64_t)seconds;
	return err;
}

static int set_sector_size(struct cli *cli, const char *arg)
{
	return cli_u32(cli, arg, 512, 65536, &job_of(cli)->o.sector_size);
}

static int set_owner(struct cli *cli, const char *arg)
{
	struct job *job = job_of(cli);
	const char *colon = strchr(arg, ':');
	char uid[16];
	int err;

	if (!colon || (size_t)(colon - arg) >= sizeof(uid))
		return cli_fail(cli, "\"%s\" is not UID:GID", arg);
	memcpy(uid, arg, (size_t)(colon - arg));
	uid[colon - arg] = '\0';
	err = cli_u32(cli, uid, 0, UINT32_MAX - 1, &job->o.uid);
	if (!err)
		err = cli_u32(cli, colon + 1, 0, UINT32_MAX - 1, &job->o.gid);
	return err;
}

static int set_fixed_version(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->o.fixed_version = true;
	return 0;
}

/* What Android's builds expect of this word. */
static int set_defaults(struct cli *cli, const char *arg)
{
	struct job *job = job_of(cli);

	if (strcmp(arg, "android"))
		return cli_fail(cli, "\"%s\": only android is known", arg);
	job->o.force = true;
	job->o.sector_size = 4096;
	job->o.uid = 0;
	job->o.gid = 0;
	return set_features(cli, "encrypt,project_quota,extra_attr,quota,verity");
}

static int set_size(struct cli *cli, const char *arg)
{
	struct job *job = job_of(cli);
	int err = cli_size(cli, arg, &job->o.bytes);

	if (!err && !job->o.bytes)
		return cli_fail(cli, "a volume of 0 bytes cannot be");
	job->o.create = true;
	return err;
}

static int set_dry_run(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->o.dry_run = true;
	return 0;
}

static int set_json(struct cli *cli, const char *arg)
{
	(void)arg;
	job_of(cli)->json = true;
	return 0;
}

/* The existing formatter has levels of chatter; there is one here. */
static int ignore(struct cli *cli, const char *arg)
{
	(void)cli, (void)arg;
	return 0;
}

static int refuse(struct cli *cli, const char *arg)
{
	(void)arg;
	return cli_fail(cli, "zoned devices, several devices and sparse output are not supported yet");
}

static const struct cli_opt options[] = {
	{ 'l', "label", "LABEL", "name of the volume, up to 512 UTF-16 units", set_label },
	{ 'U', "uuid", "UUID", "instead of a random one", set_uuid },
	{ 'f', "force", NULL, "overwrite a file system or partition table that is there",
	  set_force },
	{ 'q', "quiet", NULL, "print errors only", set_quiet },
	{ 'n', "dry-run", NULL, "print what would be made, write nothing", set_dry_run },
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 0, "size", "SIZE", "size of the volume; the file is made if it is not there",
	  set_size },
	{ 'O', "features", "LIST", "features of the volume, with commas between", set_features },
	{ 's', "segments", "N", "segments a section (default 1)", set_segs_per_sec },
	{ 'z', "sections", "N", "sections a zone (default 1)", set_secs_per_zone },
	{ 'o', "overprovision", "PERCENT", "of the main area, kept back for cleaning (default: the best for the size)",
	  set_overprovision },
	{ 'i', "large-nat", NULL, "room for more files than by default", set_large_nat },
	{ 'a', "heap", "0|1", "1: place the logs from the end of the volume", set_heap },
	{ 't', "trim", "0|1", "0: do not discard the content of the device (default 1)", set_trim },
	{ 'w', "sector-size", "BYTES", "sector size to record (default: the device's)",
	  set_sector_size },
	{ 'T', "time", "SECONDS", "time of all files, since 1970 (default, and -1: now)", set_time },
	{ 'R', "owner", "UID:GID", "owner of the root directory (default 0:0)", set_owner },
	{ 'C', "encoding", "utf8[:strict]", "feature casefold, with this encoding", set_encoding },
	{ 'e', "cold", "LIST", "more file extensions of data that is written once", set_cold },
	{ 'E', "hot", "LIST", "more file extensions of data that is rewritten often", set_hot },
	{ 'g', "defaults", "NAME", "a set of options; android: -f -w 4096 -R 0:0 -O encrypt,project_quota,extra_attr,quota,verity",
	  set_defaults },
	{ 'r', "fixed-version", NULL, "number the first checkpoint by UUID and time, not at random",
	  set_fixed_version },
	{ 'd', NULL, "LEVEL", NULL, ignore },
	{ 'c', NULL, "LIST", NULL, refuse },
	{ 'm', NULL, NULL, NULL, refuse },
	{ 'S', NULL, NULL, NULL, refuse },
	{ 0 },
};

/* A second operand is the size in sectors, as existing scripts pass it. */
static int take_sectors(struct cli *cli, struct job *job)
{
	cli->option[0] = '\0';
	if (cli->nr_operands < 2)
		return 0;
	if (size_parse_u64(cli->operands[1], &job->o.sectors) ||
	    !job->o.sectors)
		return cli_fail(cli, "\"%s\" is not a number of sectors",
				cli->operands[1]);
	return 0;
}

static int make(struct job *job, struct cli *cli)
{
	struct f2c_format_report r = { .size = sizeof(r) };
	int err;

	job->o.size = sizeof(job->o);
	err = f2c_format(job->ctx, cli->operands[0], &job->o, &r);
	if (err) {
		fprintf(stderr, "%s: %s\n", cli->program,
			f2c_error(job->ctx));
		return err == -EINVAL ? 2 : 1;
	}
	return report_print(job, cli->operands[0], &r);
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	struct cli cli = {
		.program = "mkfs.f2fs",
		.usage = "[OPTION]... DEVICE [SECTORS]",
		.summary = "Make an F2FS volume on a block device or in a file. SECTORS is its size in sectors of 512 bytes, or as -w says.",
		.footer = "Features: encrypt, extra_attr, project_quota, inode_checksum, flexible_inline_xattr, quota, inode_crtime, lost_found, verity, sb_checksum, casefold, compression.",
		.opts = options,
		.min_operands = 1,
		.max_operands = 2,
		.priv = &job,
	};
	int status;

	job.ctx = f2c_ctx_new();
	if (!job.ctx) {
		fprintf(stderr, "%s: out of memory\n", cli.program);
		return 1;
	}
	if (!cli_parse(&cli, argc, argv) || take_sectors(&cli, &job))
		status = cli.status;
	else
		status = make(&job, &cli);
	f2c_ctx_free(job.ctx);
	return status;
}

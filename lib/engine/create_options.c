/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of a new volume: defaults, the lists of extensions, what can be. */
#include "config.h"

#include "engine/create.h"
#include "base/ctx.h"
#include "format/feature.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * What is written once and kept, and what is rewritten in place all the time:
 * the kernel gives such files a log of their own by the end of their name
 * (fs/f2fs/namei.c, set_file_temperature()). The lists that volumes of this
 * file system have by default.
 */
static const char cold_extensions[] =
	"mp,wm,og,jp,avi,m4v,m4p,mkv,mov,webm,wav,m4a,3gp,opus,flac,gif,png,"
	"svg,webp,jar,deb,iso,gz,xz,zst,pdf,pyc,ttc,ttf,exe,apk,cnt,exo,odex,"
	"vdex,so";
static const char hot_extensions[] = "db,vmdk,vdi,qcow2";

#define MIN_ZONES	8U		/* metadata, and one for each log, and one */

#define FEATURES_MADE	(OD_FEATURE_ENCRYPT | OD_FEATURE_EXTRA_ATTR | \
			 OD_FEATURE_PRJQUOTA | OD_FEATURE_INODE_CHKSUM | \
			 OD_FEATURE_FLEXIBLE_INLINE_XATTR | \
			 OD_FEATURE_QUOTA_INO | OD_FEATURE_INODE_CRTIME | \
			 OD_FEATURE_LOST_FOUND | OD_FEATURE_VERITY | \
			 OD_FEATURE_SB_CHKSUM | OD_FEATURE_CASEFOLD | \
			 OD_FEATURE_COMPRESSION)

void format_options_init(struct format_options *opt)
{
	memset(opt, 0, sizeof(*opt));
	opt->block_size = 4096;
	opt->sector_size = 512;
	opt->segs_per_sec = 1;
	opt->secs_per_zone = 1;
	opt->discard = true;
	opt->cp_version = 1;
	format_options_add_ext(NULL, opt, cold_extensions, false);
	format_options_add_ext(NULL, opt, hot_extensions, true);
}

/* Among the cold ones or among the hot ones. */
static bool ext_is_there(const struct format_options *opt, const uint8_t *ext,
			 bool hot)
{
	unsigned int first = hot ? opt->nr_cold_ext : 0;
	unsigned int nr = hot ? opt->nr_hot_ext : opt->nr_cold_ext;

	for (unsigned int i = first; i < first + nr; i++)
		if (!memcmp(opt->ext[i], ext, OD_EXTENSION_LEN))
			return true;
	return false;
}

static int add_one_ext(struct f2c_ctx *ctx, struct format_options *opt,
		       const char *name, size_t len, bool hot)
{
	unsigned int nr = opt->nr_cold_ext + opt->nr_hot_ext;
	uint8_t ext[OD_EXTENSION_LEN] = { 0 };

	if (!len || len >= OD_EXTENSION_LEN)
		return ctx_fail(ctx, -EINVAL, "extension \"%.*s\" has %zu "
				"bytes, 1 to %d are possible",
				(int)(len < 64 ? len : 64), name, len,
				OD_EXTENSION_LEN - 1);
	memcpy(ext, name, len);
	if (ext_is_there(opt, ext, hot))
		return 0;
	if (nr == OD_MAX_EXTENSIONS)
		return ctx_fail(ctx, -EINVAL, "no room for extension \"%s\": "
				"there are %u already", (char *)ext, nr);
	if (hot) {
		memcpy(opt->ext[nr], ext, sizeof(ext));
		opt->nr_hot_ext++;
		return 0;
	}
	memmove(opt->ext[opt->nr_cold_ext + 1], opt->ext[opt->nr_cold_ext],
		opt->nr_hot_ext * sizeof(opt->ext[0]));
	memcpy(opt->ext[opt->nr_cold_ext++], ext, sizeof(ext));
	return 0;
}

int format_options_add_ext(struct f2c_ctx *ctx, struct format_options *opt,
			   const char *list, bool hot)
{
	int err = 0;

	while (*list && !err) {
		size_t len = strcspn(list, ",");

		err = add_one_ext(ctx, opt, list, len, hot);
		list += len;
		list += *list == ',';
	}
	return err;
}

static bool is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static int check_units(struct f2c_ctx *ctx, const struct format_options *opt)
{
	uint64_t zone = (uint64_t)opt->segs_per_sec * opt->secs_per_zone;

	if (opt->block_size != 4096)
		return ctx_fail(ctx, -EINVAL, "block size %" PRIu32
				": only 4096 can be made", opt->block_size);
	if (!is_power_of_two(opt->sector_size) || opt->sector_size < 512 ||
	    opt->sector_size > opt->block_size)
		return ctx_fail(ctx, -EINVAL, "sector size %" PRIu32
				": a power of two from 512 to the block size, "
				"%" PRIu32 ", is possible", opt->sector_size,
				opt->block_size);
	if (!opt->segs_per_sec || !opt->secs_per_zone)
		return ctx_fail(ctx, -EINVAL, "a section needs at least one "
				"segment and a zone at least one section");
	if (zone > OD_MAX_SEGS / MIN_ZONES)
		return ctx_fail(ctx, -EINVAL, "%" PRIu32 " segments a section "
				"times %" PRIu32 " sections a zone leave no "
				"room for %u zones in the largest volume",
				opt->segs_per_sec, opt->secs_per_zone,
				MIN_ZONES);
	/* Written so that a NaN is refused too. */
	if (!(opt->overprovision >= 0 && opt->overprovision < 100))
		return ctx_fail(ctx, -EINVAL, "overprovision of %g %%: more "
				"than 0 and less than 100 is possible",
				opt->overprovision);
	return 0;
}

static int check_features(struct f2c_ctx *ctx, uint64_t features)
{
	uint64_t bad = features & ~(uint64_t)FEATURES_MADE;

	bad &= -bad;			/* the lowest */
	if (bad)
		return ctx_fail(ctx, -EINVAL, "feature %s (bit 0x%" PRIx64
				") cannot be made by this version",
				feature_name(bad) ? feature_name(bad) :
				"unknown", bad);
	bad = feature_without_extra_attr(features);
	if (bad)
		return ctx_fail(ctx, -EINVAL, "feature %s needs extra_attr too",
				feature_name(bad));
	return 0;
}

int format_options_check(struct f2c_ctx *ctx, const struct format_options *opt)
{
	int err = check_units(ctx, opt);

	if (err)
		return err;
	err = check_features(ctx, opt->features);
	if (err)
		return err;
	if (opt->encoding && !(opt->features & OD_FEATURE_CASEFOLD))
		return ctx_fail(ctx, -EINVAL,
				"an encoding needs feature casefold");
	if (!opt->encoding && opt->features & OD_FEATURE_CASEFOLD)
		return ctx_fail(ctx, -EINVAL,
				"feature casefold needs an encoding");
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a volume: the device with its lock, a layer for a dry run, tables. */
#include "config.h"

#include "api/fs.h"
#include "dev/dev_file.h"
#include "dev/dev_stack.h"

#include <stdlib.h>

static unsigned int dev_flags(unsigned int flags)
{
	unsigned int out = 0;

	/* A dry run reads: it neither needs nor takes the writer's lock. */
	if (flags & F2C_RDWR && !(flags & F2C_DRY_RUN))
		out |= DEV_WRITE;
	if (flags & F2C_FORCE)
		out |= DEV_IN_USE_OK;
	if (flags & F2C_MOUNTED_RO)
		out |= DEV_MOUNTED_RO_OK;
	if (flags & F2C_NO_PREFETCH)
		out |= DEV_NO_PREFETCH;
	return out;
}

static int open_device(struct f2c_ctx *ctx, const char *path,
		       unsigned int flags, bool *mounted_ro, struct dev **out)
{
	struct dev *dev, *overlay;
	int err = dev_file_open(ctx, path, dev_flags(flags), 0, &dev);

	*mounted_ro = !err && dev_file_is_mounted_ro(dev);
	if (err || !(flags & F2C_DRY_RUN)) {
		if (!err)
			*out = dev;
		return err;
	}
	err = dev_overlay_open(dev, &overlay);
	if (err)
		dev_close(dev);
	else
		*out = overlay;
	return err;
}

/* Reading goes on in spite of a bit that only a newer version knows. */
static void warn_unknown_features(struct volume *vol)
{
	uint64_t unknown = vol->lo.features & ~(uint64_t)OD_FEATURES_KNOWN;

	for (unsigned int bit = 0; bit < 64; bit++)
		if (unknown & UINT64_C(1) << bit)
			ctx_log(vol->ctx, CTX_WARNING, "open",
				"%s: unknown feature bit %u: what is read may be misunderstood, "
					"and nothing is written",
				vol->dev->name, bit);
}

static void log_findings(struct volume *vol)
{
	char line[512];

	for (size_t i = 0; i < vol->findings.nr; i++) {
		if (vol->findings.v[i].id == P_SB_UNKNOWN_FEATURE)
			continue;
		finding_format(&vol->findings.v[i], line, sizeof(line));
		ctx_log(vol->ctx, CTX_INFO, "open", "%s: %s", vol->dev->name,
			line);
	}
}

int f2c_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
	     struct f2c_fs **out)
{
	struct f2c_fs *fs = calloc(1, sizeof(*fs));
	struct dev *dev = NULL;
	int err;

	if (!fs)
		return ctx_nomem(ctx, "an opened volume");
	err = open_device(ctx, path, flags, &fs->mounted_ro, &dev);
	if (err)
		goto fail;
	err = volume_open(ctx, dev, &fs->vol, NULL);
	if (err)
		goto fail;
	fs->ctx = ctx;
	fs->flags = flags;
	warn_unknown_features(fs->vol);
	log_findings(fs->vol);
	*out = fs;
	return 0;
fail:
	dev_close(dev);
	free(fs);
	return err;
}

void f2c_close(struct f2c_fs *fs)
{
	if (!fs)
		return;
	volume_close(fs->vol);
	free(fs);
}

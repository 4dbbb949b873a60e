/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libblkid asked about a device. */
#include "config.h"

#include "dev/probe.h"
#include "base/ctx.h"
#include "dev/dev.h"

#include <blkid.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* More than any layout has (ZFS: four labels of 128 blocks); a bound. */
#define MAX_SIGNATURES	2048
#define MAX_MAGIC_BYTES	4096

static int open_probe(struct f2c_ctx *ctx, const char *path, blkid_probe *out)
{
	errno = 0;
	*out = blkid_new_probe_from_filename(path);
	if (*out)
		return 0;
	return ctx_fail(ctx, errno ? -errno : -EIO,
			"%s: cannot be searched for signatures: %s", path,
			strerror(errno ? errno : EIO));
}

static int set_flags(blkid_probe pr)
{
	if (blkid_probe_enable_superblocks(pr, 1) ||
	    blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_MAGIC |
					      BLKID_SUBLKS_TYPE |
					      BLKID_SUBLKS_BADCSUM) ||
	    blkid_probe_enable_partitions(pr, 1) ||
	    blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC |
					     BLKID_PARTS_FORCE_GPT))
		return -EINVAL;
	return 0;
}

static bool value_of(blkid_probe pr, const char *key, const char **value,
		     size_t *len)
{
	return !blkid_probe_lookup_value(pr, key, value, len);
}

/* What the last probe found; false if it has no magic string to wipe. */
static bool read_signature(blkid_probe pr, struct signature *sig)
{
	const char *name = "unknown", *off, *magic;
	size_t len = 0, magic_len;

	memset(sig, 0, sizeof(*sig));
	if (value_of(pr, "SBMAGIC_OFFSET", &off, NULL) &&
	    value_of(pr, "SBMAGIC", &magic, &magic_len))
		value_of(pr, "TYPE", &name, &len);
	else if (value_of(pr, "PTMAGIC_OFFSET", &off, NULL) &&
		 value_of(pr, "PTMAGIC", &magic, &magic_len))
		value_of(pr, "PTTYPE", &name, &len);
	else
		return false;
	if (!magic_len || magic_len > MAX_MAGIC_BYTES)
		return false;
	snprintf(sig->name, sizeof(sig->name), "%s", name);
	sig->off = strtoull(off, NULL, 10);
	sig->len = (uint32_t)magic_len;
	return true;
}

int probe_signatures(struct f2c_ctx *ctx, const char *path,
		     struct signatures *found)
{
	struct signature sig;
	blkid_probe pr;
	int rc, err = open_probe(ctx, path, &pr);

	if (err)
		return err;
	err = set_flags(pr);
	if (err) {
		ctx_fail(ctx, err, "%s: libblkid refuses its options", path);
		goto out;
	}
	for (int i = 0; i < MAX_SIGNATURES; i++) {
		rc = blkid_do_probe(pr);
		if (rc < 0)
			err = ctx_fail(ctx, -EIO, "%s: the search for "
				       "signatures failed", path);
		if (rc || err)
			break;
		if (!read_signature(pr, &sig))
			continue;
		err = vec_push(found, &sig);
		if (err) {
			ctx_nomem(ctx, "the list of signatures");
			break;
		}
		/* Hide it, so that what lies behind it is found as well. */
		if (blkid_probe_hide_range(pr, sig.off, sig.len) ||
		    blkid_probe_step_back(pr))
			break;
	}
out:
	blkid_free_probe(pr);
	return err;
}

void probe_names(const struct signatures *found, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < found->nr; i++) {
		bool again = false;
		int n;

		for (size_t k = 0; k < i; k++)
			again |= !strcmp(found->v[k].name, found->v[i].name);
		if (again)
			continue;
		n = snprintf(text + len, size - len, "%s%s", len ? ", " : "",
			     found->v[i].name);
		if (n < 0 || (size_t)n >= size - len)
			break;
		len += (size_t)n;
	}
}

int probe_wipe(struct dev *dev, const struct signatures *found)
{
	uint8_t zeros[MAX_MAGIC_BYTES] = { 0 };
	int err = 0;

	for (size_t i = 0; i < found->nr && !err; i++) {
		const struct signature *sig = &found->v[i];

		ctx_log(dev->ctx, CTX_INFO, "probe",
			"%s: wiping %s at byte %" PRIu64, dev->name, sig->name,
			sig->off);
		err = dev_write_bytes(dev, sig->off, sig->len, zeros);
	}
	return err;
}

int probe_sector_size(struct f2c_ctx *ctx, const char *path, uint32_t *bytes)
{
	blkid_probe pr;
	struct stat st;
	int err;

	*bytes = 512;
	if (stat(path, &st))
		return ctx_fail(ctx, -errno, "%s: cannot examine: %s", path,
				strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return 0;
	err = open_probe(ctx, path, &pr);
	if (err)
		return err;
	if (blkid_probe_get_sectorsize(pr) > *bytes)
		*bytes = blkid_probe_get_sectorsize(pr);
	blkid_free_probe(pr);
	return 0;
}

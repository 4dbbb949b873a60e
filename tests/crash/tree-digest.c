/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line for all files of a volume in a file: paths, attributes, contents,
 * as the library reads them. usage: tree-digest IMAGE
 */
#include "config.h"

#include "digest.h"

#include "dev/dev_file.h"

#include <inttypes.h>
#include <stdio.h>

static int print_digest(struct f2c_ctx *ctx, const char *path)
{
	struct digest d = { 0 };
	struct volume *vol;
	struct dev *dev;
	int err = dev_file_open(ctx, path, 0, 0, &dev);

	if (err)
		return err;
	err = volume_open(ctx, dev, &vol, NULL);
	if (err) {
		dev_close(dev);
		return err;
	}
	err = digest_volume(vol, &d);
	volume_close(vol);
	if (!err)
		printf("%" PRIu64 " paths, %" PRIu64 " blocks, %016" PRIx64
		       "\n", d.paths, d.blocks, d.hash);
	return err;
}

int main(int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	int err;

	if (!ctx || argc != 2) {
		fprintf(stderr, "usage: tree-digest IMAGE\n");
		return 2;
	}
	err = print_digest(ctx, argv[1]);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], ctx_error(ctx));
	ctx_free(ctx);
	return err ? 1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device in memory, for tests. */
#include "config.h"

#include "dev/dev_stack.h"
#include "base/ctx.h"

#include <stdlib.h>
#include <string.h>

struct dev_mem {
	struct dev dev;
	uint8_t *data;
};

static int mem_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	memcpy(buf, ((struct dev_mem *)dev)->data + off, len);
	return 0;
}

static int mem_write(struct dev *dev, uint64_t off, size_t len,
		     const void *buf)
{
	memcpy(((struct dev_mem *)dev)->data + off, buf, len);
	return 0;
}

static int mem_flush(struct dev *dev)
{
	(void)dev;
	return 0;
}

static void mem_close(struct dev *dev)
{
	free(((struct dev_mem *)dev)->data);
	free(dev);
}

static const struct dev_ops mem_ops = {
	.read = mem_read,
	.write = mem_write,
	.flush = mem_flush,
	.close = mem_close,
};

int dev_mem_open(struct f2c_ctx *ctx, const void *data, uint64_t nr_bytes,
		 struct dev **out)
{
	struct dev_mem *mem = calloc(1, sizeof(*mem));
	int err;

	if (!mem || nr_bytes > (size_t)-1 / 2)
		goto nomem;
	mem->data = calloc(1, nr_bytes ? (size_t)nr_bytes : 1);
	if (!mem->data)
		goto nomem;
	err = dev_init(&mem->dev, &mem_ops, ctx, "memory", nr_bytes, true);
	if (err) {
		mem_close(&mem->dev);
		return err;
	}
	if (data)
		memcpy(mem->data, data, (size_t)nr_bytes);
	*out = &mem->dev;
	return 0;
nomem:
	free(mem);
	return ctx_nomem(ctx, "a device in memory");
}

uint8_t *dev_mem_data(struct dev *dev)
{
	return ((struct dev_mem *)dev)->data;
}

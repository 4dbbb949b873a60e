/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer that fails a chosen read, write or flush, so that a test can see
 * what the code above does about it. A failed write changes nothing below.
 */
#include "config.h"

#include "dev/dev_stack.h"
#include "base/ctx.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct dev_fault {
	struct dev dev;
	struct dev *under;
	struct dev_fault_plan plan;
	atomic_ullong reads;		/* counted by several threads */
	atomic_ullong writes;
	atomic_ullong flushes;
	atomic_bool hit;
};

static struct dev_fault *to_fault(struct dev *dev)
{
	return (struct dev_fault *)dev;
}

/* Count one operation; whether it is one to fail. */
static bool fails(struct dev_fault *f, atomic_ullong *count, uint64_t at)
{
	uint64_t n = atomic_fetch_add(count, 1) + 1;

	if (!at || n < at || (n > at && !f->plan.and_all_later))
		return false;
	atomic_store(&f->hit, true);
	return true;
}

static int fault_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	struct dev_fault *f = to_fault(dev);

	if (fails(f, &f->reads, f->plan.fail_read))
		return dev_io_fail(dev, -EIO, "read", off, len);
	return dev_read_bytes(f->under, off, len, buf);
}

static int fault_write(struct dev *dev, uint64_t off, size_t len,
		       const void *buf)
{
	struct dev_fault *f = to_fault(dev);

	if (fails(f, &f->writes, f->plan.fail_write))
		return dev_io_fail(dev, -EIO, "write", off, len);
	return dev_write_bytes(f->under, off, len, buf);
}

static int fault_flush(struct dev *dev)
{
	struct dev_fault *f = to_fault(dev);

	if (fails(f, &f->flushes, f->plan.fail_flush))
		return ctx_fail(dev->ctx, -EIO, "%s: cannot make the writes "
				"durable: Input/output error", dev->name);
	return dev_flush(f->under);
}

static void fault_prefetch(struct dev *dev, uint64_t off, size_t len)
{
	struct dev *under = to_fault(dev)->under;

	if (under->ops->prefetch)
		under->ops->prefetch(under, off, len);
}

static bool fault_is_hole(struct dev *dev, uint64_t off, uint64_t len)
{
	struct dev *under = to_fault(dev)->under;

	return under->ops->is_hole && under->ops->is_hole(under, off, len);
}

static void fault_close(struct dev *dev)
{
	dev_close(to_fault(dev)->under);
	free(dev);
}

static const struct dev_ops fault_ops = {
	.read = fault_read,
	.write = fault_write,
	.flush = fault_flush,
	.prefetch = fault_prefetch,
	.is_hole = fault_is_hole,
	.close = fault_close,
};

int dev_fault_open(struct dev *under, const struct dev_fault_plan *plan,
		   struct dev **out)
{
	struct dev_fault *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return ctx_nomem(under->ctx, "a faulty device");
	err = dev_init(&f->dev, &fault_ops, under->ctx, under->name,
		       under->nr_bytes, under->writable);
	if (err) {
		free(f);
		return err;
	}
	f->dev.block_size = under->block_size;
	f->under = under;
	f->plan = *plan;
	*out = &f->dev;
	return 0;
}

bool dev_fault_was_hit(const struct dev *dev)
{
	return atomic_load(&((struct dev_fault *)(uintptr_t)dev)->hit);
}

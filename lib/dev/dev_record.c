/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer that keeps a copy of every write and flush, in order, so that a
 * test can build each state that a power cut may leave.
 */
#include "config.h"

#include "dev/dev_stack.h"
#include "base/ctx.h"
#include "base/vec.h"

#include <string.h>

struct event_vec VEC_BODY(struct dev_event);

struct dev_record {
	struct dev dev;
	struct dev *under;
	struct event_vec events;
};

static struct dev_record *to_record(struct dev *dev)
{
	return (struct dev_record *)dev;
}

static int record(struct dev *dev, uint64_t off, size_t len, const void *data)
{
	struct dev_event event = { .off = off, .len = len };

	if (len) {
		event.data = malloc(len);
		if (!event.data)
			return ctx_nomem(dev->ctx, "a recorded write");
		memcpy(event.data, data, len);
	}
	if (vec_push(&to_record(dev)->events, &event)) {
		free(event.data);
		return ctx_nomem(dev->ctx, "the list of recorded writes");
	}
	return 0;
}

static int record_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	return dev_read_bytes(to_record(dev)->under, off, len, buf);
}

/* Recorded first: a write that failed may have landed in part. */
static int record_write(struct dev *dev, uint64_t off, size_t len,
			const void *buf)
{
	int err = record(dev, off, len, buf);

	return err ? err : dev_write_bytes(to_record(dev)->under, off, len, buf);
}

/* Recorded last: a flush that failed keeps nothing in order. */
static int record_flush(struct dev *dev)
{
	int err = dev_flush(to_record(dev)->under);

	return err ? err : record(dev, 0, 0, NULL);
}

static void record_prefetch(struct dev *dev, uint64_t off, size_t len)
{
	struct dev *under = to_record(dev)->under;

	if (under->ops->prefetch)
		under->ops->prefetch(under, off, len);
}

static bool record_is_hole(struct dev *dev, uint64_t off, uint64_t len)
{
	struct dev *under = to_record(dev)->under;

	return under->ops->is_hole && under->ops->is_hole(under, off, len);
}

static void record_close(struct dev *dev)
{
	struct dev_record *r = to_record(dev);

	for (size_t i = 0; i < r->events.nr; i++)
		free(r->events.v[i].data);
	vec_free(&r->events);
	dev_close(r->under);
	free(r);
}

static const struct dev_ops record_ops = {
	.read = record_read,
	.write = record_write,
	.flush = record_flush,
	.prefetch = record_prefetch,
	.is_hole = record_is_hole,
	.close = record_close,
};

int dev_record_open(struct dev *under, struct dev **out)
{
	struct dev_record *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return ctx_nomem(under->ctx, "a recorder");
	err = dev_init(&r->dev, &record_ops, under->ctx, under->name,
		       under->nr_bytes, under->writable);
	if (err) {
		free(r);
		return err;
	}
	r->dev.block_size = under->block_size;
	r->under = under;
	*out = &r->dev;
	return 0;
}

size_t dev_record_nr_events(const struct dev *dev)
{
	return ((const struct dev_record *)dev)->events.nr;
}

const struct dev_event *dev_record_event(const struct dev *dev, size_t i)
{
	return &((const struct dev_record *)dev)->events.v[i];
}

struct dev *dev_record_under(struct dev *dev)
{
	return to_record(dev)->under;
}

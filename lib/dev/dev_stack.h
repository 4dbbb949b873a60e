/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices in memory and layers over another device. A layer owns the device
 * under it and closes it; if it cannot be made, that one is still the
 * caller's. The block size is taken over from below.
 */
#ifndef F2CORE_DEV_DEV_STACK_H
#define F2CORE_DEV_DEV_STACK_H

#include "dev/dev.h"

/* Zeros at first; @data is copied in if not NULL. For tests. */
int dev_mem_open(struct f2c_ctx *ctx, const void *data, uint64_t nr_bytes,
		 struct dev **out);
/* The memory of a dev_mem, nr_bytes long; the device's. */
uint8_t *dev_mem_data(struct dev *dev);

/*
 * Writes stay in memory, or beyond 8 MiB in a temporary file (shadow.h), in
 * whole blocks of 4096 bytes that shadow what is under them; the device below
 * is never written. A dry run works on this.
 */
int dev_overlay_open(struct dev *under, struct dev **out);

/* One write, or a flush where len is 0. */
struct dev_event {
	uint64_t off;
	size_t len;
	uint8_t *data;			/* owned by the recorder */
};

/*
 * Passes everything on and keeps a copy of each write and flush in order,
 * for replaying every state that a power cut may leave.
 */
int dev_record_open(struct dev *under, struct dev **out);
size_t dev_record_nr_events(const struct dev *dev);
const struct dev_event *dev_record_event(const struct dev *dev, size_t i);
/* The device under a recorder; still the recorder's. */
struct dev *dev_record_under(struct dev *dev);

/* Fails the n-th read, write or flush (counted from 1) with -EIO; 0 = never. */
struct dev_fault_plan {
	uint64_t fail_read;
	uint64_t fail_write;
	uint64_t fail_flush;
	bool and_all_later;		/* go on failing after the first */
};
int dev_fault_open(struct dev *under, const struct dev_fault_plan *plan,
		   struct dev **out);
/* Whether anything was made to fail; ends a loop over all n. */
bool dev_fault_was_hit(const struct dev *dev);

#endif

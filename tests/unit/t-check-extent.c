/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The extent hint of an inode against nodes that are nearly one run. */
#include "config.h"

#include "volume_builder.h"

/*
 * All slots of a direct node are used, first and last are as far apart on the
 * device as in the file, but a piece between them lies elsewhere.
 */
static void a_piece_of_a_run_may_lie_elsewhere(void **state)
{
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 24, .version = 9 });
	f = vb_file(&b, VB_REG);
	for (uint32_t s = 0; s < 5; s++)
		vb_new_seg(&b, LOG_COLD_DATA, s);
	for (uint32_t i = 0; i < VB_N; i++) {
		uint32_t blk = seg_to_blk(&b.lo, 0) + i;

		if (i >= 200 && i < 700)	/* this is the longest run */
			blk = seg_to_blk(&b.lo, 3) + i;
		vb_map(&b, f, VB_A + i, blk);
	}
	vb_write(&b);
	vb_verify(&b);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_piece_of_a_run_may_lie_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

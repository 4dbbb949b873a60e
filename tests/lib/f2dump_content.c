/* SPDX-License-Identifier: GPL-2.0-or-later */
/* f2dump: the content of files and symlinks. */
#include "config.h"

#include "f2dump.h"
#include "sha256.h"
#include "tree/filemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE		4096U		/* manifest.py's block */
#define WHOLE_MAX	(256ULL << 20)
#define RUN_MAX		64U		/* blocks of one read */

struct reader {
	struct volume *vol;
	const struct inode *inode;
	struct sha256 sha;
	uint64_t pos;			/* hashed so far, in bytes */
	bool whole;
	uint32_t run_blk;
	uint32_t run_len;		/* blocks that wait to be read */
	uint64_t run_lblk;
	uint8_t *buf;
};

static const uint8_t zeros[PIECE];

static void add_zeros(struct reader *r, uint64_t upto)
{
	while (r->whole && r->pos < upto) {
		size_t n = upto - r->pos < PIECE ? upto - r->pos : PIECE;

		sha256_add(&r->sha, zeros, n);
		r->pos += n;
	}
}

static void add_data(struct reader *r, const uint8_t *data, uint64_t len)
{
	if (r->whole) {
		sha256_add(&r->sha, data, len);
		r->pos += len;
		return;
	}
	for (; len; r->pos += PIECE, data += PIECE) {
		uint8_t piece[PIECE] = { 0 };
		uint64_t n = len < PIECE ? len : PIECE;
		le64 pos;

		memcpy(piece, data, n);
		len -= n;
		if (!memcmp(piece, zeros, PIECE))
			continue;
		le64_set(&pos, r->pos);
		sha256_add(&r->sha, &pos, sizeof(pos));
		sha256_add(&r->sha, piece, PIECE);
	}
}

static int flush_run(struct reader *r)
{
	uint32_t bs = r->vol->lo.block_size;
	uint64_t from = r->run_lblk * bs;
	uint64_t len = (uint64_t)r->run_len * bs;
	int err;

	if (!r->run_len)
		return 0;
	err = dev_read(r->vol->dev, r->run_blk, r->run_len, r->buf);
	if (err)
		return err;
	r->run_len = 0;
	add_zeros(r, from);
	r->pos = from;
	add_data(r, r->buf, len < r->inode->size - from ?
		 len : r->inode->size - from);
	return 0;
}

static int add_slot(void *priv, const struct mapping *m)
{
	struct reader *r = priv;
	int err;

	if (m->blk == OD_BLK_NEW ||
	    m->lblk > (r->inode->size - 1) / r->vol->lo.block_size)
		return 0;
	if (m->blk == OD_BLK_COMPRESS)
		return -EOPNOTSUPP;
	if (!blk_is_main(&r->vol->lo, m->blk))
		return -EUCLEAN;
	if (r->run_len && r->run_len < RUN_MAX &&
	    m->lblk == r->run_lblk + r->run_len &&
	    m->blk == r->run_blk + r->run_len) {
		r->run_len++;
		return 0;
	}
	err = flush_run(r);
	r->run_lblk = m->lblk;
	r->run_blk = m->blk;
	r->run_len = 1;
	return err;
}

static int hash_content(struct reader *r, const void *block)
{
	const struct inode *inode = r->inode;
	int err = 0;

	if (inode->inl & OD_INLINE_DATA) {
		if (inode->size > inode->inline_bytes)
			return -EUCLEAN;
		add_data(r, (const uint8_t *)block + inode->inline_off,
			 inode->size);
		return 0;
	}
	if (inode->size)
		err = filemap_walk(r->vol, inode, block, add_slot, r);
	if (!err)
		err = flush_run(r);
	add_zeros(r, inode->size);
	return err;
}

int print_content(struct volume *vol, const struct inode *inode,
		  const void *block)
{
	struct reader r = {
		.vol = vol, .inode = inode,
		.whole = inode->size <= WHOLE_MAX,
	};
	char hex[2 * SHA256_BYTES + 1];
	int err;

	r.buf = malloc((size_t)RUN_MAX * vol->lo.block_size);
	if (!r.buf)
		return -ENOMEM;
	sha256_init(&r.sha);
	err = hash_content(&r, block);
	free(r.buf);
	if (err) {
		printf(" error=%s", strerrorname_np(-err));
		return 0;
	}
	sha256_hex(&r.sha, hex, 2 * SHA256_BYTES);
	printf(" %s=%s", r.whole ? "sha256" : "data256", hex);
	return 0;
}

int read_target(struct volume *vol, const struct inode *inode,
		const void *block, uint8_t *buf, size_t max, size_t *len)
{
	uint8_t *data = NULL;
	int err = 0;

	if (inode->size > max)
		return -EUCLEAN;
	*len = inode->size;
	if (inode->inl & OD_INLINE_DATA) {
		if (inode->size > inode->inline_bytes)
			return -EUCLEAN;
		memcpy(buf, (const uint8_t *)block + inode->inline_off, *len);
		return 0;
	}
	data = malloc(vol->lo.block_size);
	if (!data)
		return -ENOMEM;
	err = filemap_read(vol, inode, block, 0, data);
	if (!err)
		memcpy(buf, data, *len);
	free(data);
	return err;
}

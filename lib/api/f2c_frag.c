/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How files and free space lie. One scan of the nodes counts; a walk of what
 * was chosen gives the counts their paths.
 */
#include "config.h"

#include "api/frag_int.h"
#include "api/fs.h"
#include "api/select.h"
#include "api/size_int.h"
#include "base/bits.h"
#include "tree/frag_files.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static_assert(FRAG_RUN_SIZES ==
	      sizeof(((struct f2c_frag *)0)->free_runs_by_size) /
	      sizeof(uint64_t), "f2c_frag.free_runs_by_size");
static_assert((int)F2C_NR_LOGS == (int)OD_NR_LOGS, "F2C_NR_LOGS");

static double ratio(uint64_t part, uint64_t whole, double if_none)
{
	return whole ? (double)part / (double)whole : if_none;
}

static void put_space(const struct frag *frag, struct f2c_frag *f)
{
	f->free_blocks = frag->free_blocks;
	f->free_runs = frag->free_runs;
	f->longest_free_run = frag->longest_free_run;
	f->free_segments = frag->free_segs;
	f->dirty_segments = frag->dirty_segs;
	f->free_sections = frag->free_secs;
	f->dirty_sections = frag->dirty_secs;
	f->whole_free_blocks = frag->whole_free_blocks;
	f->whole_free = 100 * ratio(frag->whole_free_blocks, frag->free_blocks,
				    1);
	for (unsigned int i = 0; i < OD_NR_LOGS; i++)
		f->dirty_sections_by_type[i] = frag->dirty_secs_by_type[i];
	for (unsigned int i = 0; i < FRAG_RUN_SIZES; i++) {
		f->free_runs_by_size[i] = frag->runs_by_size[i];
		f->free_blocks_by_size[i] = frag->blocks_by_size[i];
	}
}

void frag_to_public(const struct frag *frag, struct f2c_frag *out)
{
	struct f2c_frag f = {
		.files = frag->files,
		.file_blocks = frag->file_blocks,
		.extents = frag->extents,
		.ideal_extents = frag->ideal_extents,
		.fragmented_files = frag->fragmented_files,
		.degree = ratio(frag->extents, frag->ideal_extents, 1),
		.average_extent = ratio(frag->file_blocks, frag->extents, 0),
		.non_contiguous = 100 * ratio(frag->breaks, frag->neighbours,
					      0),
	};

	put_space(frag, &f);
	size_copy_out(&f, sizeof(f), out);
}

struct report {
	struct volume *vol;
	struct frag_file_vec files;
	uint8_t *told;			/* a bit for each of them */
	struct ino_vec excluded;
	f2c_file_frag_fn *fn;
	void *priv;
	int stop;			/* what it returned */
};

static int tell(struct report *r, const struct frag_file *file,
		const struct inode *inode, const char *path)
{
	struct f2c_file_frag f = {
		.inode = file->ino,
		.blocks = file->blocks,
		.extents = file->extents,
		.ideal_extents = file->ideal,
		.score = frag_score(file),
		.path = path,
	};

	if (inode) {
		f.is_directory = inode_is_dir(inode);
		f.is_pinned = inode_is_pinned(inode);
		f.size_bytes = inode->size;
	}
	r->stop = r->fn(r->priv, &f);
	return r->stop;
}

static int tell_visit(void *priv, const struct walk_visit *v)
{
	struct report *r = priv;
	const struct frag_file *file = frag_find(&r->files, v->inode->ino);
	size_t i = file ? (size_t)(file - r->files.v) : 0;

	if (!file || bit_test_lsb(r->told, i))
		return 0;
	bit_set_lsb(r->told, i);
	if (select_has(&r->excluded, file->ino))
		return 0;
	return tell(r, file, v->inode, v->path);
}

/* Those that the walk did not meet. */
static int tell_rest(struct report *r)
{
	uint8_t *block = malloc(r->vol->lo.block_size);
	int err = block ? 0 : ctx_nomem(r->vol->ctx, "a node block");

	for (size_t i = 0; !err && i < r->files.nr; i++) {
		const struct frag_file *file = &r->files.v[i];
		struct inode inode;

		if (bit_test_lsb(r->told, i))
			continue;
		err = inode_read(r->vol, file->ino, block, &inode);
		if (err == -EIO || err == -ENOMEM)
			break;
		err = tell(r, file, err ? NULL : &inode, "");
	}
	free(block);
	return err;
}

/* What cannot be read is said, and the rest goes on. */
static int pass_over(struct report *r, int err)
{
	if (err != -EUCLEAN || r->stop)
		return err;
	ctx_log(r->vol->ctx, CTX_WARNING, "frag",
		"%s: not all folders can be read; check the volume (%s)",
		r->vol->dev->name, ctx_error(r->vol->ctx));
	return 0;
}

static int tell_files(struct report *r, const struct f2c_frag_options *opt)
{
	int err = 0;

	r->told = calloc(r->files.nr / 8 + 1, 1);
	if (!r->told)
		return ctx_nomem(r->vol->ctx, "a bitmap of files");
	if (opt->nr_exclude)
		err = pass_over(r, select_inodes(r->vol, opt->exclude,
						 opt->nr_exclude,
						 SELECT_MAY_MISS,
						 &r->excluded));
	if (!err && opt->nr_paths)
		return pass_over(r, select_walk(r->vol, opt->paths,
						opt->nr_paths, 0, tell_visit,
						r));
	if (!err)
		err = pass_over(r, walk_tree(r->vol, tell_visit, r));
	return err ? err : tell_rest(r);
}

int f2c_frag_files(struct f2c_fs *fs, const struct f2c_frag_options *options,
		   f2c_file_frag_fn *fn, void *priv, struct f2c_frag *total)
{
	struct f2c_frag_options opt = { .size = sizeof(opt) };
	struct report r = { .vol = fs->vol, .fn = fn, .priv = priv };
	struct frag frag = { 0 };
	int err = 0;

	if (options)
		err = size_copy_in(fs->ctx, "f2c_frag_options", &opt,
				   sizeof(opt), options);
	if (!err && total)
		err = size_check(fs->ctx, "f2c_frag", total);
	if (err)
		return err;
	err = fn ? frag_list(fs->vol, opt.threads, &r.files, &frag) :
		   frag_scan(fs->vol, opt.threads, &frag);
	if (!err && fn)
		err = tell_files(&r, &opt);
	if (!err && total)
		frag_to_public(&frag, total);
	vec_free(&r.files);
	vec_free(&r.excluded);
	free(r.told);
	return err;
}

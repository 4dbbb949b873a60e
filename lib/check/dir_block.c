/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One directory block, or the inline area of a directory: its entries, each by
 * itself, and where they are allowed to lie (format 6.1 to 6.4, 10.6).
 */
#include "config.h"

#include "check/check_int.h"
#include "format/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 63U

/* One block at work. */
struct dir_visit {
	struct check *c;
	struct check_worker *w;
	const struct dir_info *d;
	const struct dir_block *b;
	struct nid_rec *rec;		/* of the directory */
	bool is_orphan;
	bool level_known;
	uint32_t nr_buckets;		/* of the level the block is in */
	uint32_t bucket;
};

/* A name for a message: no control characters, and not too long. */
static void show_name(const struct dir_entry *e, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < e->name_len && n + 5 < size; i++) {
		uint8_t ch = e->name[i];

		n += (size_t)snprintf(buf + n, size - n,
				      ch < ' ' || ch == 127 ? "\\x%02x" : "%c",
				      ch);
	}
	buf[n] = '\0';
}

void dir_found_entry(struct check *c, const struct dir_block *b,
		     const struct dir_entry *e, enum problem_id id,
		     uint64_t found, uint64_t expected)
{
	char name[256];

	show_name(e, name, sizeof(name));
	check_found_as(c, (&(struct finding){
			.id = id, .structure = "directory", .number = b->ino,
			.blk = b->blk, .ino = b->ino, .has_values = true,
			.found = found, .expected = expected }),
		       "entry \"%s\" in slot %" PRIu32, name, e->slot);
}

static void found_entry(const struct dir_visit *v, enum problem_id id,
			const struct dir_entry *e, uint64_t found,
			uint64_t expected)
{
	dir_found_entry(v->c, v->b, e, id, found, expected);
}

static void found_block(const struct dir_visit *v, enum problem_id id,
			const char *text, uint64_t n)
{
	check_found_as(v->c, (&(struct finding){
			.id = id, .structure = "directory",
			.number = v->d->ino, .blk = v->b->blk,
			.ino = v->d->ino }), "%s %" PRIu64, text, n);
}

/* Level and bucket of a file block, by the sizes of the levels before it. */
static bool find_level(struct dir_visit *v)
{
	uint64_t lblk = v->b->lblk;
	unsigned int max = v->d->depth < MAX_DEPTH ? v->d->depth : MAX_DEPTH;

	for (unsigned int level = 0; level < max; level++) {
		uint32_t nr = dir_nr_buckets(level, v->d->dir_level);
		uint32_t blks = dir_bucket_blks(level);
		uint64_t all = (uint64_t)nr * blks;

		if (lblk < all) {
			v->nr_buckets = nr;
			v->bucket = (uint32_t)(lblk / blks);
			return true;
		}
		lblk -= all;
	}
	return false;
}

static void check_place(struct dir_visit *v)
{
	uint64_t blks = v->d->size / v->c->lo->block_size +
			!!(v->d->size % v->c->lo->block_size);

	if (v->b->lblk == LBLK_INLINE)
		return;
	v->level_known = find_level(v);
	if (v->is_orphan)		/* rmdir sets the size to 0 at once */
		return;
	if (!v->level_known && v->d->depth)
		found_block(v, P_DIR_SIZE, "beyond the depth: file block",
			    v->b->lblk);
	else if (v->level_known && v->b->lblk >= blks)
		found_block(v, P_DIR_SIZE, "beyond i_size: file block",
			    v->b->lblk);
}

static bool name_is_dots(const struct dir_entry *e)
{
	return e->name[0] == '.' &&
	       (e->name_len == 1 || (e->name_len == 2 && e->name[1] == '.'));
}

/* Whether @e is "." (@slot 0) or ".." (@slot 1) as it should be. */
static bool is_dot_entry(const struct dir_entry *e, uint32_t slot)
{
	return e->slot == slot && e->name_len == slot + 1 &&
	       name_is_dots(e) && !e->hash && e->file_type == OD_FT_DIR;
}

static void found_dots(const struct dir_visit *v, const char *what,
		       uint64_t found, uint64_t expected)
{
	if (v->is_orphan)		/* its end is near */
		return;
	rec_set_flags(v->rec, REC_DOTS_BAD);
	check_found_as(v->c, (&(struct finding){
			.id = P_DIR_DOTS, .structure = "directory",
			.number = v->d->ino, .blk = v->b->blk,
			.ino = v->d->ino, .has_values = true, .found = found,
			.expected = expected }), "%s", what);
}

/*
 * "." and ".." are the first two entries of a directory and nowhere else.
 * Where ".." leads is compared when all parents are known.
 */
static void check_dots(struct dir_visit *v, const struct dentry_area *area)
{
	uint32_t slot = 0;
	struct dir_entry e;
	int got = dentry_next(area, &slot, &e);
	bool dot = got == 1 && is_dot_entry(&e, 0);

	rec_set_flags(v->rec, REC_DOTS);
	if (!dot)
		found_dots(v, "no \".\" in slot 0", 0, v->d->ino);
	else if (e.ino != v->d->ino)
		found_dots(v, "inode of \".\"", e.ino, v->d->ino);
	if (got == 1 && e.slot == 0)
		got = dentry_next(area, &slot, &e);
	if (got == 1 && is_dot_entry(&e, 1))
		v->rec->aux = e.ino;
	else
		found_dots(v, "no \"..\" in slot 1", 0, 0);
}

/* All slots of a name must be marked, or the next entry overwrites it. */
static bool slots_are_marked(const struct dentry_area *area,
			     const struct dir_entry *e)
{
	uint32_t nr = (e->name_len + OD_SLOT_LEN - 1U) / OD_SLOT_LEN;

	for (uint32_t i = 0; i < nr; i++)
		if (!bit_test_lsb(area->bitmap, e->slot + i))
			return false;
	return true;
}

/* readdir refuses a name with a slash (kernel fs/readdir.c). */
static bool name_is_possible(const struct dir_info *d,
			     const struct dir_entry *e)
{
	if (e->name_len > OD_NAME_LEN || name_is_dots(e))
		return false;
	if (d->flags & DIR_IS_ENCRYPTED)
		return true;
	return !memchr(e->name, '/', e->name_len) &&
	       !memchr(e->name, '\0', e->name_len);
}

bool dir_name_counts(const struct check *c, const struct dir_block *b,
		     const struct dentry_area *area,
		     const struct dir_entry *e)
{
	const struct dir_info *d = check_dir(c, b->ino);

	return d && slots_are_marked(area, e) && name_is_possible(d, e);
}

static void check_hash(const struct dir_visit *v, const struct dir_entry *e)
{
	/* Of a folded name; keyed if the directory is encrypted too. */
	if (!(v->d->flags & DIR_IS_CASEFOLD)) {
		uint32_t hash = dentry_hash(e->name, e->name_len);

		if (e->hash != hash) {
			found_entry(v, P_DIR_HASH, e, e->hash, hash);
			return;
		}
	}
	if (v->level_known && e->hash % v->nr_buckets != v->bucket)
		found_entry(v, P_DIR_HASH, e, v->bucket,
			    e->hash % v->nr_buckets);
}

/* Count the entry for what it names. */
static void link_target(const struct dir_visit *v, const struct dir_entry *e)
{
	struct nid_rec *rec = nids_get(&v->c->nids, e->ino);
	uint8_t type = e->file_type;

	if (!rec || e->ino <= OD_META_INO || !rec_has(rec, REC_INODE)) {
		if (!rec && v->c->opt->facts)
			facts_add_wanted(v->c->opt->facts, e->ino);
		found_entry(v, P_DIR_TARGET, e, e->ino, 0);
		return;
	}
	if (rec_has(rec, REC_READ)) {
		if (type != rec->type && rec->type)
			found_entry(v, P_DIR_TYPE, e, type, rec->type);
		if (rec->type)
			type = rec->type;
	}
	rec_add(&rec->claim, 1);
	rec_set_parent(rec, v->d->ino);
	if (type == OD_FT_DIR)
		rec_add(&v->rec->ofs, (uint32_t)-1);
	else
		rec_add(&rec->ofs, (uint32_t)-1);
}

static int check_entry(const struct dir_visit *v,
		       const struct dentry_area *area,
		       const struct dir_entry *e)
{
	/* Only an empty directory can have been removed. */
	if (!slots_are_marked(area, e) || !name_is_possible(v->d, e) ||
	    v->is_orphan) {
		found_entry(v, P_DIR_ENTRY, e, e->ino, 0);
		return 0;
	}
	check_hash(v, e);
	link_target(v, e);
	return name_add_key(v->c, v->w, name_key(v->c, v->d->ino, e->name,
						 e->name_len));
}

static bool is_first_block(const struct dir_block *b)
{
	return !b->lblk || b->lblk == LBLK_INLINE;
}

static int check_entries(struct dir_visit *v, const struct dentry_area *area)
{
	struct dir_entry e;
	uint32_t slot = 0;
	int got, err = 0;

	while (!err && (got = dentry_next(area, &slot, &e))) {
		if (got < 0) {
			found_block(v, P_DIR_ENTRY,
				    "length of the name in slot", slot - 1);
			continue;
		}
		if (is_first_block(v->b) && e.slot < 2 && name_is_dots(&e))
			continue;
		err = check_entry(v, area, &e);
	}
	return err;
}

bool dir_area(struct check *c, struct check_worker *w,
	      const struct dir_block *b, const void *block,
	      struct dentry_area *out)
{
	struct node_visit v = { .nid = b->ino, .block = block };
	struct node_id id;
	struct inode inode;
	struct fault fault;

	if (b->lblk != LBLK_INLINE) {
		dentry_area_of_block(c->lo, block, out);
		return true;
	}
	v.nat = nat_get(&c->vol->nat, v.nid);
	if (!node_identify(c, w, &v, false, &id) ||
	    inode_decode(c->lo, id.block, &inode, &fault) ||
	    !(inode.inl & OD_INLINE_DENTRY))
		return false;
	dentry_area_of_inode(&inode, id.block, out);
	return true;
}

int dir_check_block(struct check *c, struct check_worker *w,
		    const struct dir_info *d, const struct dir_block *b,
		    const void *block)
{
	struct dir_visit v = { .c = c, .w = w, .d = d, .b = b,
			       .rec = nids_get(&c->nids, d->ino) };
	struct dentry_area area;

	if (!v.rec || !dir_area(c, w, b, block, &area))
		return 0;
	v.is_orphan = rec_has(v.rec, REC_ORPHAN);
	check_place(&v);
	if (is_first_block(b))
		check_dots(&v, &area);
	return check_entries(&v, &area);
}

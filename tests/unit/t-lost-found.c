/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loses its name gets one in lost+found, which is made when it is needed. */
#include "config.h"

#include "volume_builder.h"
#include "check/check.h"
#include "engine/dir_edit.h"
#include "engine/lost_found.h"
#include "tree/dir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NR_FILES 300U

struct fixture {
	struct vb b;
	struct vb_file *file[NR_FILES];
	struct volume *vol;
	struct edit ed;
	uint8_t block[VB_BYTES];
};

static const struct inode_time now = { .sec = 1234567, .nsec = 89 };

static void start(struct fixture *f)
{
	struct vb_opt opt = { .seed = 9, .version = 7 };

	memset(f, 0, sizeof(*f));
	vb_init(&f->b, &opt);
	for (unsigned int i = 0; i < NR_FILES; i++) {
		f->file[i] = vb_file(&f->b, VB_REG);
		vb_append(&f->b, f->file[i], LOG_WARM_DATA, 1);
	}
	vb_write(&f->b);
	f->vol = vb_open(&f->b);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
}

static void stop(struct fixture *f)
{
	edit_free(&f->ed);
	volume_close(f->vol);
	vb_free(&f->b);
}

struct search {
	uint32_t ino;
	uint8_t name[OD_NAME_LEN];
	size_t len;
};

static int is_it(void *priv, const struct dir_entry *e)
{
	struct search *s = priv;

	if (e->ino != s->ino || e->name[0] == '.')
		return 0;
	memcpy(s->name, e->name, e->name_len);
	s->len = e->name_len;
	return 1;
}

/* The inode's name in the root is removed, as if it had been lost. */
static void lose_name(struct fixture *f, uint32_t ino)
{
	struct search s = { .ino = ino };
	struct dir_name name = { .name = s.name };
	struct inode root;

	assert_int_equal(inode_read(f->vol, OD_ROOT_INO, f->block, &root), 0);
	assert_int_equal(dir_iterate(f->vol, &root, f->block, is_it, &s), 1);
	name.len = s.len;
	assert_int_equal(dir_edit_remove(&f->ed, OD_ROOT_INO, &name, NULL), 0);
}

static uint32_t look_up(struct fixture *f, uint32_t dir, const char *text)
{
	struct inode inode;
	uint32_t ino;

	assert_int_equal(inode_read(f->vol, dir, f->block, &inode), 0);
	if (dir_lookup(f->vol, &inode, f->block, (const uint8_t *)text,
		       strlen(text), &ino))
		return 0;
	return ino;
}

static void expect_clean(struct fixture *f)
{
	struct check_options opt = { .nr_threads = 1 };
	struct commit_stats cs = { 0 };
	struct check_result res;
	char line[512];

	assert_int_equal(edit_commit(&f->ed, &cs), 0);
	edit_free(&f->ed);
	volume_close(f->vol);
	f->vol = vb_open(&f->b);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
	assert_int_equal(check_run(f->vol, &opt, &res), 0);
	for (size_t i = 0; i < res.findings.nr; i++) {
		finding_format(&res.findings.v[i], line, sizeof(line));
		print_error("check: %s\n", line);
	}
	assert_int_equal(res.findings.nr, 0);
	check_result_free(&res);
}

/* By its number, in the directory and in its inode. */
static void expect_named(struct fixture *f, uint32_t dir, uint32_t ino)
{
	struct od_inode *od = (struct od_inode *)f->block;
	struct inode inode;
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu32, ino);
	assert_int_equal(look_up(f, dir, text), ino);
	assert_int_equal(inode_read(f->vol, ino, f->block, &inode), 0);
	assert_int_equal(le32_get(od->i_pino), dir);
	assert_int_equal(le32_get(od->i_namelen), strlen(text));
	assert_memory_equal(od->i_name, text, strlen(text));
}

static void more_than_a_block_of_files(void **state)
{
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	for (unsigned int i = 0; i < NR_FILES; i++) {
		lose_name(&f, f.file[i]->ino);
		assert_int_equal(lost_found_add(&f.ed, f.file[i]->ino, &now), 0);
	}
	expect_clean(&f);
	dir = look_up(&f, OD_ROOT_INO, "lost+found");
	assert_int_not_equal(dir, 0);
	for (unsigned int i = 0; i < NR_FILES; i++)
		expect_named(&f, dir, f.file[i]->ino);
	stop(&f);
}

static void the_directory_is_used_again_and_names_are_not(void **state)
{
	char text[32];
	struct dir_name name = { .name = (const uint8_t *)text };
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	lose_name(&f, f.file[0]->ino);
	assert_int_equal(lost_found_add(&f.ed, f.file[0]->ino, &now), 0);
	dir = look_up(&f, OD_ROOT_INO, "lost+found");
	/* Somebody else has the name that file 1 would get. */
	lose_name(&f, f.file[2]->ino);
	name.len = (size_t)snprintf(text, sizeof(text), "%" PRIu32,
				    f.file[1]->ino);
	assert_int_equal(dir_edit_add(&f.ed, dir, &name, f.file[2]->ino,
				      OD_FT_REG, &now), 0);
	lose_name(&f, f.file[1]->ino);
	assert_int_equal(lost_found_add(&f.ed, f.file[1]->ino, &now), 0);
	expect_clean(&f);
	assert_int_equal(look_up(&f, OD_ROOT_INO, "lost+found"), dir);
	assert_int_equal(look_up(&f, dir, text), f.file[2]->ino);
	strcat(text, ".1");
	assert_int_equal(look_up(&f, dir, text), f.file[1]->ino);
	stop(&f);
}

static void a_file_of_that_name_is_not_touched(void **state)
{
	struct dir_name name = {
		.name = (const uint8_t *)"lost+found", .len = 10,
	};
	struct fixture f;

	(void)state;
	start(&f);
	lose_name(&f, f.file[0]->ino);
	assert_int_equal(dir_edit_add(&f.ed, OD_ROOT_INO, &name,
				      f.file[0]->ino, OD_FT_REG, &now), 0);
	lose_name(&f, f.file[1]->ino);
	assert_int_equal(lost_found_add(&f.ed, f.file[1]->ino, &now), -EEXIST);
	assert_non_null(strstr(ctx_error(f.b.ctx), "not a directory"));
	assert_int_equal(look_up(&f, OD_ROOT_INO, "lost+found"),
			 f.file[0]->ino);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_a_block_of_files),
		cmocka_unit_test(the_directory_is_used_again_and_names_are_not),
		cmocka_unit_test(a_file_of_that_name_is_not_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts and swap, from /proc; and all uses of one file together. */
#include "config.h"

#include "dev/dev_use.h"
#include "base/map.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

const struct use_roots use_system = { "/proc", "/sys", "/dev" };

void use_note(struct use *use, enum use_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (kind <= use->kind)
		return;
	use->kind = kind;
	va_start(ap, fmt);
	vsnprintf(use->by, sizeof(use->by), fmt, ap);
	va_end(ap);
}

bool use_is_same(const struct stat *st, const char *path)
{
	struct stat other;

	if (path[0] != '/' || stat(path, &other))
		return false;
	if (S_ISBLK(st->st_mode))
		return S_ISBLK(other.st_mode) && other.st_rdev == st->st_rdev;
	return other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

bool use_read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(buf, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* \040 and the like, as the kernel writes blanks in names; in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; to++) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) &&
		    is_octal(s[3])) {
			*to = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				     (s[3] - '0'));
			s += 4;
		} else {
			*to = *s++;
		}
	}
	*to = '\0';
}

struct mount_line {
	unsigned int major, minor;
	char *point;
	char *source;
	bool read_only;
};

/*
 * "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER".
 * The super block's options decide: a bind mount may be read-only while the
 * file system is written through another.
 */
static bool parse_mount(char *line, struct mount_line *m)
{
	char *field[6], *save, *type, *super;

	for (int i = 0; i < 6; i++) {
		field[i] = strtok_r(i ? NULL : line, " \n", &save);
		if (!field[i])
			return false;
	}
	do {
		type = strtok_r(NULL, " \n", &save);
	} while (type && strcmp(type, "-"));
	if (!type || !strtok_r(NULL, " \n", &save))
		return false;
	m->source = strtok_r(NULL, " \n", &save);
	super = strtok_r(NULL, " \n", &save);
	if (!super || sscanf(field[2], "%u:%u", &m->major, &m->minor) != 2)
		return false;
	m->point = field[4];
	m->read_only = !strncmp(super, "ro", 2) &&
		       (super[2] == ',' || !super[2]);
	unescape(m->point);
	unescape(m->source);
	return true;
}

/*
 * Some file systems have a device number of their own, and some mount a file
 * without a loop device: their source is looked at as well.
 */
static bool mounts(const struct mount_line *m, const struct stat *st)
{
	if (S_ISBLK(st->st_mode) && m->major == major(st->st_rdev) &&
	    m->minor == minor(st->st_rdev))
		return true;
	return use_is_same(st, m->source);
}

void use_find_mounts(const struct use_roots *roots, const char *pid,
		     const struct stat *st, struct use *use)
{
	struct mount_line m;
	size_t room = 0;
	char *line = NULL;
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/mountinfo", roots->proc, pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		if (!parse_mount(line, &m) || !mounts(&m, st))
			continue;
		use_note(use, m.read_only ? USE_MOUNTED_RO : USE_BUSY,
			 "is mounted read-%s on %s%s%s%s",
			 m.read_only ? "only" : "write", m.point,
			 strcmp(pid, "self") ? ", as process " : "",
			 strcmp(pid, "self") ? pid : "",
			 strcmp(pid, "self") ? " sees it" : "");
	}
	free(line);
	fclose(f);
}

/* A heading, then "NAME TYPE SIZE ..." with the name escaped. */
void use_find_swaps(const struct use_roots *roots, const struct stat *st,
		    struct use *use)
{
	size_t room = 0;
	char *line = NULL;
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/swaps", roots->proc);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		if (use_is_same(st, line))
			use_note(use, USE_BUSY, "is in use as swap space");
	}
	free(line);
	fclose(f);
}

void use_find(const struct use_roots *roots, const struct stat *st,
	      struct use *use)
{
	use->kind = USE_NONE;
	use->by[0] = '\0';
	use_find_mounts(roots, "self", st, use);
	use_find_swaps(roots, st, use);
	use_find_loops(roots, st, use);
	if (S_ISBLK(st->st_mode))
		use_find_stacked(roots, st, use);
}

/* The mount namespace of a process as a number, 0 if it may not be known. */
static uint64_t namespace_of(const struct use_roots *roots, const char *pid)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s/ns/mnt", roots->proc, pid);
	return stat(path, &st) ? 0 : (uint64_t)st.st_ino;
}

void use_find_elsewhere(const struct use_roots *roots, const struct stat *st,
			struct use *use)
{
	DIR *dir = opendir(roots->proc);
	struct map seen = { 0 };
	struct dirent *e;

	if (!dir)
		return;
	map_put(&seen, namespace_of(roots, "self"), 0);
	while ((e = readdir(dir))) {
		uint64_t ns;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		ns = namespace_of(roots, e->d_name);
		if (!ns || map_get(&seen, ns, NULL))
			continue;
		map_put(&seen, ns, 0);	/* if not, it is looked at again */
		use_find_mounts(roots, e->d_name, st, use);
	}
	map_free(&seen);
	closedir(dir);
}

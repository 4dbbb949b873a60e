/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folding of names (kernel fs/f2fs/dir.c, f2fs_init_casefolded_name(); what
 * counts as UTF-8 is said in fs/unicode/utf8-norm.c).
 */
#include "config.h"

#include "format/fold.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_UTF8PROC
#include <utf8proc.h>
#endif

/* The kernel's buffer has room for a zero behind the folded name. */
#define MAX_FOLDED	(OD_NAME_LEN - 1U)

/* Smallest code point that needs as many bytes, by their number. */
static const uint32_t first_code[] = { 0, 0, 0x80, 0x800, 0x10000 };

static bool is_rest(uint8_t byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Bytes of the character at @s, of which @left remain; 0: it is none. */
static size_t char_bytes(const uint8_t *s, size_t left, uint32_t *code)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC0 ? 0 : s[0] < 0xE0 ? 2 :
		   s[0] < 0xF0 ? 3 : s[0] < 0xF8 ? 4 : 0;

	if (!n || n > left)
		return 0;
	*code = n == 1 ? s[0] : s[0] & 0x7FU >> n;
	for (size_t i = 1; i < n; i++) {
		if (!is_rest(s[i]))
			return 0;
		*code = *code << 6 | (s[i] & 0x3F);
	}
	if (*code < first_code[n] || *code > 0x10FFFF ||
	    (*code >= 0xD800 && *code <= 0xDFFF))
		return 0;
	return n;
}

static void fold_ascii(const uint8_t *name, size_t len, uint8_t *out)
{
	for (size_t i = 0; i < len; i++)
		out[i] = name[i] >= 'A' && name[i] <= 'Z' ?
			 (uint8_t)(name[i] - 'A' + 'a') : name[i];
}

#ifdef HAVE_UTF8PROC

/*
 * Where no character that folds, decomposes or combines came after Unicode
 * 12.1. Elsewhere one may have, which the kernel takes as it is.
 */
static const struct {
	uint32_t first, last;
} settled[] = {
	{ 0x0000, 0x06FF }, { 0x0900, 0x0BFF }, { 0x0E00, 0x0E7F },
	{ 0x10A0, 0x10FF }, { 0x13A0, 0x13FF }, { 0x1C90, 0x1CBF },
	{ 0x1E00, 0x2BFF }, { 0x3000, 0x30FF }, { 0xAB70, 0xABBF },
	{ 0xF900, 0xFB4F }, { 0xFE00, 0xFE0F }, { 0xFF00, 0xFFEF },
};

static bool is_known(uint32_t code)
{
	const utf8proc_property_t *p =
		utf8proc_get_property((utf8proc_int32_t)code);

	for (size_t i = 0; i < sizeof(settled) / sizeof(settled[0]); i++)
		if (code >= settled[i].first && code <= settled[i].last)
			return true;
	return !p->combining_class && !p->ignorable &&
	       p->casefold_seqindex == UINT16_MAX &&
	       p->decomp_seqindex == UINT16_MAX;
}

/* Of a valid name; *@out_len 0: the fold does not fit, or nothing is left. */
static int fold_unicode(const uint8_t *name, size_t len, uint8_t *out,
			size_t *out_len)
{
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t n;

	n = utf8proc_map(name, (utf8proc_ssize_t)len, &folded,
			 UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
			 UTF8PROC_IGNORE);
	if (n < 0)
		return -EOPNOTSUPP;
	*out_len = (size_t)n <= MAX_FOLDED ? (size_t)n : 0;
	memcpy(out, folded, *out_len);
	free(folded);
	return 0;
}

#else

static bool is_known(uint32_t code)
{
	return code < 0x80;
}

static int fold_unicode(const uint8_t *name, size_t len, uint8_t *out,
			size_t *out_len)
{
	(void)name;
	(void)len;
	(void)out;
	(void)out_len;
	return -EOPNOTSUPP;
}

#endif

int name_fold(const uint8_t *name, size_t len, uint8_t out[OD_NAME_LEN],
	      size_t *out_len)
{
	bool is_ascii = true;
	uint32_t code;
	int err = 0;

	*out_len = 0;
	for (size_t i = 0, n; i < len; i += n) {
		n = char_bytes(name + i, len - i, &code);
		if (!n && i && is_rest(name[i]))
			return -EOPNOTSUPP;
		if (!n)
			goto as_it_is;
		is_ascii &= n == 1;
		if (!is_known(code))
			err = -EOPNOTSUPP;
	}
	if (is_ascii && len <= MAX_FOLDED) {
		fold_ascii(name, len, out);
		*out_len = len;
	} else if (!is_ascii && !err) {
		err = fold_unicode(name, len, out, out_len);
	}
	if (err || *out_len)
		return err;
as_it_is:
	memcpy(out, name, len);
	*out_len = len;
	return 0;
}

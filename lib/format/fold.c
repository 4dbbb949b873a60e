/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folding of names (kernel fs/f2fs/dir.c, f2fs_init_casefolded_name(); what
 * counts as UTF-8 is said in fs/unicode/utf8-norm.c).
 */
#include "config.h"

#include "format/fold.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Smallest code point that needs as many bytes, by their number. */
static const uint32_t first_code[] = { 0, 0, 0x80, 0x800, 0x10000 };

/* Bytes of the character at @s, of which @left remain; 0: it is none. */
static size_t char_bytes(const uint8_t *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC0 ? 0 : s[0] < 0xE0 ? 2 :
		   s[0] < 0xF0 ? 3 : s[0] < 0xF8 ? 4 : 0;
	uint32_t code;

	if (!n || n > left)
		return 0;
	code = n == 1 ? s[0] : s[0] & 0x7FU >> n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3F);
	}
	if (code < first_code[n] || code > 0x10FFFF ||
	    (code >= 0xD800 && code <= 0xDFFF))
		return 0;
	return n;
}

int name_fold(const uint8_t *name, size_t len, uint8_t out[OD_NAME_LEN],
	      size_t *out_len)
{
	bool is_utf8 = true, is_ascii = true;

	for (size_t i = 0, n; is_utf8 && i < len; i += n) {
		n = char_bytes(name + i, len - i);
		is_utf8 = n != 0;
		is_ascii &= n == 1;
	}
	if (is_utf8 && !is_ascii)
		return -EOPNOTSUPP;
	memcpy(out, name, len);
	for (size_t i = 0; is_utf8 && i < len; i++)
		if (out[i] >= 'A' && out[i] <= 'Z')
			out[i] = (uint8_t)(out[i] - 'A' + 'a');
	*out_len = len;
	return 0;
}

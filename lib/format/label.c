/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 to UTF-16 and back, strict in what it takes. */
#include "config.h"

#include "format/label.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CODE_MAX	0x10FFFFU
#define CODE_BAD	0xFFFDU
#define PAIR_FIRST	0x10000U	/* codes from here take two units */

static bool is_surrogate(uint32_t code)
{
	return code >= 0xD800 && code <= 0xDFFF;
}

/*
 * Decode one code point and move *@text past it. False for a stray or missing
 * continuation byte, a longer form than needed, a surrogate, or a code above
 * the last one.
 */
static bool next_code(const uint8_t **text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, PAIR_FIRST };
	const uint8_t *p = *text;
	unsigned int len;

	len = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 :
	      *p >> 3 == 30 ? 4 : 0;
	if (!len)
		return false;
	*code = len == 1 ? *p : *p & (0x7FU >> len);
	for (unsigned int i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)	/* the final zero too */
			return false;
		*code = *code << 6 | (p[i] & 0x3FU);
	}
	*text = p + len;
	return *code >= least[len] && *code <= CODE_MAX && !is_surrogate(*code);
}

int label_from_utf8(const char *text, le16 units[OD_LABEL_UNITS])
{
	const uint8_t *p = (const uint8_t *)text;
	le16 out[OD_LABEL_UNITS] = { 0 };
	size_t n = 0;
	uint32_t code;

	while (*p) {
		if (!next_code(&p, &code))
			return -EILSEQ;
		if (n + (code >= PAIR_FIRST) >= OD_LABEL_UNITS)
			return -ENAMETOOLONG;
		if (code >= PAIR_FIRST) {
			code -= PAIR_FIRST;
			le16_set(&out[n++], (uint16_t)(0xD800 | code >> 10));
			code = 0xDC00 | (code & 0x3FF);
		}
		le16_set(&out[n++], (uint16_t)code);
	}
	memcpy(units, out, sizeof(out));
	return 0;
}

static size_t put_code(uint32_t code, char *to)
{
	static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	unsigned int len = code < 0x80 ? 1 : code < 0x800 ? 2 :
			   code < PAIR_FIRST ? 3 : 4;

	for (unsigned int i = len - 1; i > 0; i--) {
		to[i] = (char)(0x80 | (code & 0x3F));
		code >>= 6;
	}
	to[0] = (char)(lead[len] | code);
	return len;
}

size_t label_to_utf8(const le16 units[OD_LABEL_UNITS],
		     char text[LABEL_UTF8_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < OD_LABEL_UNITS; i++) {
		uint32_t code = le16_get(units[i]);
		uint32_t low = i + 1 < OD_LABEL_UNITS ?
			       le16_get(units[i + 1]) : 0;

		if (!code)
			break;
		if (code >> 10 == 0x36 && low >> 10 == 0x37) {
			code = PAIR_FIRST + ((code & 0x3FF) << 10 |
					     (low & 0x3FF));
			i++;
		} else if (is_surrogate(code)) {
			code = CODE_BAD;
		}
		len += put_code(code, text + len);
	}
	text[len] = '\0';
	return len;
}

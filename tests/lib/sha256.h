/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for comparing contents in tests. */
#ifndef TESTS_SHA256_H
#define TESTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
/* The first @nr_digits (up to 64) hexadecimal digits and a NUL into @out. */
void sha256_hex(struct sha256 *s, char *out, size_t nr_digits);

#endif

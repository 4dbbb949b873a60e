/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cmocka wants included before it, in its order. */
#ifndef F2CORE_TESTS_UNIT_H
#define F2CORE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif

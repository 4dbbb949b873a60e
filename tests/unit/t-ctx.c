/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context: the last error, and which lines reach the callback. */
#include "config.h"

#include "base/ctx.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	unsigned int nr;
	enum ctx_level level;
	char module[32];
	char text[2048];
};

static void keep(void *priv, enum ctx_level level, const char *module,
		 const char *text)
{
	struct seen *seen = priv;

	seen->nr++;
	seen->level = level;
	snprintf(seen->module, sizeof(seen->module), "%s", module);
	snprintf(seen->text, sizeof(seen->text), "%s", text);
}

static void fail_returns_the_error_and_keeps_the_text(void **state)
{
	struct f2c_ctx *ctx = ctx_new();

	(void)state;
	assert_string_equal(ctx_error(ctx), "");
	assert_int_equal(ctx_fail(ctx, -EUCLEAN, "nid %d is %s", 7, "bad"),
			 -EUCLEAN);
	assert_string_equal(ctx_error(ctx), "nid 7 is bad");
	assert_int_equal(ctx_nomem(ctx, "a table"), -ENOMEM);
	assert_string_equal(ctx_error(ctx), "out of memory for a table");
	ctx_clear_error(ctx);
	assert_string_equal(ctx_error(ctx), "");
	ctx_free(ctx);
	ctx_free(NULL);
}

static void text_may_be_made_from_the_last_one(void **state)
{
	struct f2c_ctx *ctx = ctx_new();

	(void)state;
	ctx_fail(ctx, -EIO, "inner");
	ctx_fail(ctx, -EIO, "outer: %s", ctx_error(ctx));
	assert_string_equal(ctx_error(ctx), "outer: inner");
	ctx_free(ctx);
}

static void text_is_one_line_of_bounded_length(void **state)
{
	struct f2c_ctx *ctx = ctx_new();
	char name[5000];

	(void)state;
	ctx_fail(ctx, -EIO, "file '%s'", "a\nb\x1b[31mc\x7f \xc3\xa9");
	assert_string_equal(ctx_error(ctx), "file 'a?b?[31mc? \xc3\xa9'");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ctx_fail(ctx, -EIO, "%s", name);
	assert_true(strlen(ctx_error(ctx)) >= 1000);
	assert_true(strlen(ctx_error(ctx)) < sizeof(name));
	ctx_free(ctx);
}

static void log_reaches_the_callback(void **state)
{
	struct f2c_ctx *ctx = ctx_new();
	struct seen seen = { 0 };

	(void)state;
	ctx_log(ctx, CTX_WARNING, "dev", "nobody listens");
	ctx_set_log(ctx, keep, &seen);
	ctx_log(ctx, CTX_WARNING, "dev", "%s is\nslow", "disk");
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.level, CTX_WARNING);
	assert_string_equal(seen.module, "dev");
	assert_string_equal(seen.text, "disk is?slow");
	assert_string_equal(ctx_error(ctx), "");
	ctx_free(ctx);
}

static void debug_lines_are_asked_for_by_module(void **state)
{
	struct seen seen = { 0 };
	struct f2c_ctx *ctx;

	(void)state;
	setenv("F2CORE_DEBUG", "gc,nat", 1);
	ctx = ctx_new();
	unsetenv("F2CORE_DEBUG");
	ctx_set_log(ctx, keep, &seen);
	ctx_log(ctx, CTX_DEBUG, "sit", "no");
	ctx_log(ctx, CTX_DEBUG, "g", "no");
	assert_int_equal(seen.nr, 0);
	ctx_log(ctx, CTX_DEBUG, "gc", "yes");
	ctx_log(ctx, CTX_DEBUG, "nat", "yes");
	ctx_log(ctx, CTX_INFO, "sit", "yes");
	assert_int_equal(seen.nr, 3);
	ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_returns_the_error_and_keeps_the_text),
		cmocka_unit_test(text_may_be_made_from_the_last_one),
		cmocka_unit_test(text_is_one_line_of_bounded_length),
		cmocka_unit_test(log_reaches_the_callback),
		cmocka_unit_test(debug_lines_are_asked_for_by_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

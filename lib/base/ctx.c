/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context: last error and log callback, each behind a mutex of its own,
 * so that a callback may look at the error.
 */
#include "config.h"

#include "base/ctx.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 1024

struct f2c_ctx {
	pthread_mutex_t error_lock;
	char error[TEXT_BYTES];
	pthread_mutex_t log_lock;
	char *debug;			/* F2CORE_DEBUG as ",a,b," or NULL */
	ctx_log_fn *log;
	void *log_priv;
	struct ctx_user_log user_log;
};

struct f2c_ctx *ctx_new(void)
{
	const char *env = getenv("F2CORE_DEBUG");
	struct f2c_ctx *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	if (env && *env) {
		size_t size = strlen(env) + 3;

		ctx->debug = malloc(size);
		if (!ctx->debug) {
			free(ctx);
			return NULL;
		}
		snprintf(ctx->debug, size, ",%s,", env);
	}
	pthread_mutex_init(&ctx->error_lock, NULL);
	pthread_mutex_init(&ctx->log_lock, NULL);
	return ctx;
}

void ctx_free(struct f2c_ctx *ctx)
{
	if (!ctx)
		return;
	pthread_mutex_destroy(&ctx->error_lock);
	pthread_mutex_destroy(&ctx->log_lock);
	free(ctx->debug);
	free(ctx);
}

void ctx_set_log(struct f2c_ctx *ctx, ctx_log_fn *fn, void *priv)
{
	pthread_mutex_lock(&ctx->log_lock);
	ctx->log = fn;
	ctx->log_priv = priv;
	pthread_mutex_unlock(&ctx->log_lock);
}

struct ctx_user_log *ctx_user_log(struct f2c_ctx *ctx)
{
	return &ctx->user_log;
}

const char *ctx_error(const struct f2c_ctx *ctx)
{
	return ctx->error;
}

void ctx_clear_error(struct f2c_ctx *ctx)
{
	pthread_mutex_lock(&ctx->error_lock);
	ctx->error[0] = '\0';
	pthread_mutex_unlock(&ctx->error_lock);
}

/* One line, without control characters; bytes above 0x7f are UTF-8. */
static void __attribute__((format(printf, 2, 0)))
format_line(char line[TEXT_BYTES], const char *fmt, va_list ap)
{
	if (vsnprintf(line, TEXT_BYTES, fmt, ap) < 0)
		line[0] = '\0';
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

int ctx_fail(struct f2c_ctx *ctx, int err, const char *fmt, ...)
{
	char line[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	format_line(line, fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&ctx->error_lock);
	strcpy(ctx->error, line);
	pthread_mutex_unlock(&ctx->error_lock);
	return err;
}

int ctx_nomem(struct f2c_ctx *ctx, const char *what)
{
	return ctx_fail(ctx, -ENOMEM, "out of memory for %s", what);
}

static bool debug_is_on(const struct f2c_ctx *ctx, const char *module)
{
	char key[64];

	if (!ctx->debug)
		return false;
	snprintf(key, sizeof(key), ",%s,", module);
	return strstr(ctx->debug, key) || strstr(ctx->debug, ",all,");
}

void ctx_log(struct f2c_ctx *ctx, enum ctx_level level, const char *module,
	     const char *fmt, ...)
{
	char line[TEXT_BYTES];
	va_list ap;

	if (level == CTX_DEBUG && !debug_is_on(ctx, module))
		return;
	va_start(ap, fmt);
	format_line(line, fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&ctx->log_lock);
	if (ctx->log)
		ctx->log(ctx->log_priv, level, module, line);
	pthread_mutex_unlock(&ctx->log_lock);
}

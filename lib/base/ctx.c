/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context: last error and log callback, behind one mutex. */
#include "config.h"

#include "base/ctx.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct f2c_ctx {
	pthread_mutex_t lock;
	char error[1024];
	char *debug;			/* F2CORE_DEBUG as ",a,b," or NULL */
	ctx_log_fn *log;
	void *log_priv;
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
	pthread_mutex_init(&ctx->lock, NULL);
	return ctx;
}

void ctx_free(struct f2c_ctx *ctx)
{
	if (!ctx)
		return;
	pthread_mutex_destroy(&ctx->lock);
	free(ctx->debug);
	free(ctx);
}

void ctx_set_log(struct f2c_ctx *ctx, ctx_log_fn *fn, void *priv)
{
	ctx->log = fn;
	ctx->log_priv = priv;
}

const char *ctx_error(const struct f2c_ctx *ctx)
{
	return ctx->error;
}

void ctx_clear_error(struct f2c_ctx *ctx)
{
	ctx->error[0] = '\0';
}

int ctx_fail(struct f2c_ctx *ctx, int err, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&ctx->lock);
	va_start(ap, fmt);
	vsnprintf(ctx->error, sizeof(ctx->error), fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&ctx->lock);
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
	char line[1024];
	va_list ap;

	if (!ctx->log || (level == CTX_DEBUG && !debug_is_on(ctx, module)))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&ctx->lock);
	ctx->log(ctx->log_priv, level, module, line);
	pthread_mutex_unlock(&ctx->lock);
}

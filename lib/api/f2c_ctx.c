/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public face of the context: last error and log. */
#include "config.h"

#include "api/f2core.h"
#include "base/ctx.h"

#include <assert.h>

static_assert((int)F2C_ERROR == (int)CTX_ERROR, "f2c_level");
static_assert((int)F2C_WARNING == (int)CTX_WARNING, "f2c_level");
static_assert((int)F2C_INFO == (int)CTX_INFO, "f2c_level");
static_assert((int)F2C_DEBUG == (int)CTX_DEBUG, "f2c_level");

struct f2c_ctx *f2c_ctx_new(void)
{
	return ctx_new();
}

void f2c_ctx_free(struct f2c_ctx *ctx)
{
	ctx_free(ctx);
}

/* To the caller's function, whose type differs from ours in the enum. */
static void pass_on(void *priv, enum ctx_level level, const char *module,
		    const char *text)
{
	const struct ctx_user_log *user = priv;

	((f2c_log_fn *)user->fn)(user->priv, (enum f2c_level)level, module,
				 text);
}

void f2c_set_log(struct f2c_ctx *ctx, f2c_log_fn *fn, void *priv)
{
	struct ctx_user_log *user = ctx_user_log(ctx);

	ctx_set_log(ctx, NULL, NULL);
	user->fn = (void (*)(void))fn;
	user->priv = priv;
	if (fn)
		ctx_set_log(ctx, pass_on, user);
}

const char *f2c_error(const struct f2c_ctx *ctx)
{
	return ctx_error(ctx);
}

const char *f2c_version(void)
{
	return PACKAGE_VERSION;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context of a run: the text of the last error and where log lines go.
 * A message is made once, where the fault is seen; callers pass the errno up
 * and add nothing. All functions here may be called from several threads.
 */
#ifndef F2CORE_BASE_CTX_H
#define F2CORE_BASE_CTX_H

#include <stdarg.h>

enum ctx_level { CTX_ERROR, CTX_WARNING, CTX_INFO, CTX_DEBUG };

/*
 * @text is one line without a newline, valid during the call only; bytes that
 * would act on a terminal (names on a volume may hold any) are shown as '?'.
 * One call at a time; it must not log or set the callback itself.
 */
typedef void ctx_log_fn(void *priv, enum ctx_level level, const char *module,
			const char *text);

struct f2c_ctx;

/* NULL if memory is short. Reads F2CORE_DEBUG=module,... once. */
struct f2c_ctx *ctx_new(void);
void ctx_free(struct f2c_ctx *ctx);
void ctx_set_log(struct f2c_ctx *ctx, ctx_log_fn *fn, void *priv);

/* For lib/api: the callback of its public type, kept beside ours. */
struct ctx_user_log {
	void (*fn)(void);
	void *priv;
};
struct ctx_user_log *ctx_user_log(struct f2c_ctx *ctx);

/*
 * The last error's text, "" if none; valid until the next ctx_fail(), so not
 * to be asked for while other threads work.
 */
const char *ctx_error(const struct f2c_ctx *ctx);
void ctx_clear_error(struct f2c_ctx *ctx);

/*
 * Set the text of the last error and return @err (a negative errno). The text
 * is one line as in a log; it may be made from ctx_error()'s.
 */
int ctx_fail(struct f2c_ctx *ctx, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a failed allocation of @what: returns -ENOMEM. */
int ctx_nomem(struct f2c_ctx *ctx, const char *what);

/* Send a line to the callback; debug lines only of modules in F2CORE_DEBUG. */
void ctx_log(struct f2c_ctx *ctx, enum ctx_level level, const char *module,
	     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif

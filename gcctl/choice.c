/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that choose sections. */
#include "config.h"

#include "choice.h"
#include "tool/size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {
	[F2C_GREEDY] = "greedy",
	[F2C_COST_BENEFIT] = "cost-benefit",
	[F2C_AGE_THRESHOLD] = "age-threshold",
};

static const char *const sides[] = {
	[F2C_BOTH_SIDES] = "all",
	[F2C_DATA_ONLY] = "data",
	[F2C_NODES_ONLY] = "node",
};

#define NR_OF(names) (sizeof(names) / sizeof((names)[0]))

/* The place of @arg among @nr names, or a usage error. */
static int find_name(struct cli *cli, const char *arg,
		     const char *const *names, size_t nr, unsigned int *i)
{
	for (*i = 0; *i < nr; (*i)++)
		if (!strcmp(names[*i], arg))
			return 0;
	return cli_fail(cli, "'%s' is neither %s, %s nor %s", arg, names[0],
			names[1], names[2]);
}

int set_policy(struct cli *cli, const char *arg)
{
	struct choice *c = cli->priv;
	unsigned int i;
	int err = find_name(cli, arg, policies, NR_OF(policies), &i);

	if (!err)
		c->opt.policy = (enum f2c_victim_policy)i;
	return err;
}

int set_type(struct cli *cli, const char *arg)
{
	struct choice *c = cli->priv;
	unsigned int i;
	int err = find_name(cli, arg, sides, NR_OF(sides), &i);

	if (!err)
		c->opt.side = (enum f2c_victim_side)i;
	return err;
}

/* "5" or "5-9". */
static bool parse_range(const char *arg, struct f2c_section_range *range)
{
	const char *dash = strchr(arg, '-');
	uint64_t first, last;
	char text[32];

	if (!dash)
		dash = arg + strlen(arg);
	if ((size_t)(dash - arg) >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(dash - arg), arg);
	if (size_parse_u64(text, &first))
		return false;
	last = first;
	if (*dash && size_parse_u64(dash + 1, &last))
		return false;
	if (first > last || last > UINT32_MAX)
		return false;
	*range = (struct f2c_section_range){ (uint32_t)first, (uint32_t)last };
	return true;
}

int set_section(struct cli *cli, const char *arg)
{
	struct choice *c = cli->priv;
	struct f2c_section_range range, *more;

	if (!parse_range(arg, &range))
		return cli_fail(cli, "'%s' is neither a section nor a range of them",
				arg);
	more = reallocarray(c->only, c->opt.nr_only + 1, sizeof(*more));
	if (!more)
		return cli_fail(cli, "out of memory");
	c->only = more;
	c->only[c->opt.nr_only++] = range;
	return 0;
}

int set_skip_valid(struct cli *cli, const char *arg)
{
	struct choice *c = cli->priv;
	int err = cli_percent(cli, arg, &c->opt.skip_valid);

	if (!err && c->opt.skip_valid <= 0)
		err = cli_fail(cli, "at 0 every section would be left alone");
	return err;
}

const struct f2c_victim_options *choice_options(struct choice *c)
{
	c->opt.size = sizeof(c->opt);
	c->opt.only = c->only;
	return &c->opt;
}

void choice_free(struct choice *c)
{
	free(c->only);
	c->only = NULL;
}

const char *policy_name(enum f2c_victim_policy policy)
{
	return policies[policy];
}

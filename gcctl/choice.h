/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that choose sections, for each command that has to do with them. */
#ifndef F2CORE_GCCTL_CHOICE_H
#define F2CORE_GCCTL_CHOICE_H

#include "gcctl.h"

/* What the jobs of such commands begin with. Zero, but for the session. */
struct choice {
	struct session s;		/* first: the shared handlers */
	struct f2c_victim_options opt;
	struct f2c_section_range *only;
};

int set_policy(struct cli *cli, const char *arg);
int set_type(struct cli *cli, const char *arg);
int set_section(struct cli *cli, const char *arg);
int set_skip_valid(struct cli *cli, const char *arg);

#define CHOICE_OPTIONS \
	{ 0, "policy", "POLICY", "which sections come first: greedy (default), cost-benefit or age-threshold", \
	  set_policy }, \
	{ 0, "type", "TYPE", "only sections of this type: data, node or all", \
	  set_type }, \
	{ 0, "section", "N[-M]", "only this section, or N to M; may be given again", \
	  set_section }, \
	{ 0, "skip-valid", "PCT", "leave sections alone of which PCT percent or more are valid", \
	  set_skip_valid }

/* The options for the library; they hold until choice_free(). */
const struct f2c_victim_options *choice_options(struct choice *c);
void choice_free(struct choice *c);

const char *policy_name(enum f2c_victim_policy policy);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the format's numbers, as they stand in reports. */
#include "config.h"

#include "api/f2core.h"
#include "format/feature.h"

#include <assert.h>

static_assert((int)F2C_HOT_DATA == (int)LOG_HOT_DATA, "f2c_log_type");
static_assert((int)F2C_WARM_DATA == (int)LOG_WARM_DATA, "f2c_log_type");
static_assert((int)F2C_COLD_DATA == (int)LOG_COLD_DATA, "f2c_log_type");
static_assert((int)F2C_HOT_NODE == (int)LOG_HOT_NODE, "f2c_log_type");
static_assert((int)F2C_WARM_NODE == (int)LOG_WARM_NODE, "f2c_log_type");
static_assert((int)F2C_COLD_NODE == (int)LOG_COLD_NODE, "f2c_log_type");
static_assert((int)F2C_NR_LOGS == (int)OD_NR_LOGS, "f2c_log_type");

const char *f2c_log_name(unsigned int type)
{
	static const char *const names[F2C_NR_LOGS] = {
		"hot_data", "warm_data", "cold_data",
		"hot_node", "warm_node", "cold_node",
	};

	return type < F2C_NR_LOGS ? names[type] : NULL;
}

/* In the order of the bits from OD_CP_UMOUNT on. */
const char *f2c_cp_flag_name(unsigned int bit)
{
	static const char *const names[] = {
		"umount", "orphan_present", "compact_sum", "error", "fsck",
		"fastboot", "crc_recovery", "nat_bits", "trimmed",
		"nocrc_recovery", "large_nat_bitmap", "quota_need_fsck",
		"disabled", "disabled_quick", "resizefs",
	};

	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

const char *f2c_feature_name(unsigned int bit)
{
	return bit < 64 ? feature_name(UINT64_C(1) << bit) : NULL;
}

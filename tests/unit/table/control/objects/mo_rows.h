/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of test_table as structs: second edit of three. */
#include_next "control/objects/mo_rows.h"

#ifndef DCB_TESTS_TABLE_MO_ROWS_H
#define DCB_TESTS_TABLE_MO_ROWS_H

struct trial_row {
	struct trial_config config;
};

struct trial_port_row {
	int32_t config;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The structs of the rows of test_table's tables: second of three edits. */
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

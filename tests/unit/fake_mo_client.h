/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mo_client.h without a socket: linked in the place of mo_client.c, it serves
 * rows a test put there, counts what it is asked, and fails on demand.
 */
#ifndef DCB_TESTS_FAKE_MO_CLIENT_H
#define DCB_TESTS_FAKE_MO_CLIENT_H

#include "lib/mo/mo_client.h"

#define FAKE_ROWS_MAX     16384 /* of all tables together */
#define FAKE_VARBINDS_MAX 64

struct fake_dcbd {
	struct {
		enum mo_table_id table;
		struct mo_index index;
	} rows[FAKE_ROWS_MAX]; /* those of one table together, ascending */
	unsigned n_rows;
	unsigned hole_every; /* one in so many values is missing, 0: none */
	uint32_t boot_id;
	enum mo_client_status fails; /* what every call returns, MO_CLIENT_OK: works */
	unsigned fail_calls;         /* ... for so many calls, 0: for ever */

	/* The answers of a transaction's phases, and what was asked. */
	enum mo_error test_error, commit_error, undo_error;
	unsigned error_varbind;
	unsigned tests, commits, undos, cleanups;
	uint32_t txid;
	struct mo_varbind set[FAKE_VARBINDS_MAX];
	unsigned n_set;

	unsigned reads, last_max_rows; /* READ messages */
};

extern struct fake_dcbd fake_dcbd;

void fake_dcbd_reset(void);
/* A row at the table's end: its index parts, one sub-identifier each. */
void fake_dcbd_add(enum mo_table_id table, unsigned n, const uint32_t *sub);
/* n rows whose last sub-identifier goes first, first + step, ..., the others being valid. */
void fake_dcbd_fill(enum mo_table_id table, unsigned n, uint32_t first, uint32_t step);
/* What the fake says the value is; false: a hole. */
bool fake_dcbd_value(const struct mo_table *table, const struct mo_index *index,
		     const struct mo_column *col, struct mo_value *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces mo_client.c, without a socket: serves rows that the test adds, counts and
 * records requests, and fails when the test requests it.
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
	} rows[FAKE_ROWS_MAX]; /* rows of one table together, in ascending order */
	unsigned n_rows;
	unsigned hole_every; /* one in this many values is missing; 0: none */
	uint32_t boot_id;
	enum mo_client_status fails; /* result of every call; MO_CLIENT_OK: no failure */
	unsigned fail_calls;         /* number of calls that fail; 0: all */
	int late_fd;                 /* of a late reply; -1: none */

	/* The results of the phases of a transaction, and the recorded requests. */
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
/* Appends a row with an index of n sub-identifiers. */
void fake_dcbd_add(enum mo_table_id table, unsigned n, const uint32_t *sub);
/* Appends n rows; the last sub-identifier is first, first + step, ..., the others are valid. */
void fake_dcbd_fill(enum mo_table_id table, unsigned n, uint32_t first, uint32_t step);
/* Calculates the value that the fake returns for an instance; false: the value is missing. */
bool fake_dcbd_value(const struct mo_table *table, const struct mo_index *index,
		     const struct mo_column *col, struct mo_value *value);

#endif

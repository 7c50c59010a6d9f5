/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads rows of a table from dcbd, page by page. */
#ifndef DCB_AGENT_CLI_BASE_FETCH_H
#define DCB_AGENT_CLI_BASE_FETCH_H

#include "agent/cli/base/out.h"
#include "agent/cli/base/target.h"
#include "lib/mo/mo_client.h"

/* Called for each row. *row and the data it points to are valid until the function returns. */
typedef void (*fetch_fn)(void *ctx, const struct out_row *row);

/*
 * Calls fn for every row that target names, in ascending order. If it does not
 * return MO_CLIENT_OK, fn may have been called for some of the rows.
 */
enum mo_client_status fetch_rows(struct mo_client *client, const struct target *target, fetch_fn fn,
				 void *ctx);
/* The same with the origins of the values. */
enum mo_client_status fetch_origins(struct mo_client *client, const struct target *target,
				    fetch_fn fn, void *ctx);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table from dcbd, page by page. */
#ifndef DCB_AGENT_CLI_FETCH_H
#define DCB_AGENT_CLI_FETCH_H

#include "agent/cli/out.h"
#include "agent/cli/target.h"
#include "lib/mo/mo_client.h"

/* row and what it points to live until the function returns. */
typedef void (*fetch_fn)(void *ctx, const struct out_row *row);

/* Every row meant, in ascending order. After an error some rows may have been given. */
enum mo_client_status fetch_rows(struct mo_client *client, const struct target *target, fetch_fn fn,
				 void *ctx);

#endif

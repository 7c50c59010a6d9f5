/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking client of dcbd's control socket, with a deadline on every call.
 *
 * After any error but MO_CLIENT_REFUSED the connection is closed; the next
 * call tries to connect again, so a client survives restarts of dcbd without
 * doing anything about it. Transactions do not survive: dcbd drops what a
 * closed connection had begun.
 */
#ifndef DCB_LIB_MO_MO_CLIENT_H
#define DCB_LIB_MO_MO_CLIENT_H

#include "lib/mo/mo_msg.h"

struct mo_client;

enum mo_client_status {
	MO_CLIENT_OK = 0,
	MO_CLIENT_REFUSED,     /* dcbd answered with an enum mo_error */
	MO_CLIENT_UNREACHABLE, /* no dcbd at the socket */
	MO_CLIENT_TIMEOUT,
	MO_CLIENT_PROTOCOL, /* an answer that makes no sense */
};

/* timeout_ms bounds every call. Does not connect yet. NULL: out of memory or path too long. */
struct mo_client *mo_client_new(const char *socket_path, unsigned timeout_ms);
void mo_client_free(struct mo_client *c);
const char *mo_client_strerror(const struct mo_client *c); /* of the last call that failed */
/* Changes whenever the client has connected to another run of dcbd. 0: never connected. */
/* Why dcbd refused the last transaction, where it says more than the error; else "". */
const char *mo_client_reason(const struct mo_client *c);
uint32_t mo_client_boot_id(const struct mo_client *c);

/* A page: rows of one table in ascending order, held encoded. */
struct mo_page {
	const struct mo_table *table;
	uint16_t n_rows;
	bool more;    /* rows follow the last one */
	uint8_t *buf; /* owned; reused by the next read into this page */
	size_t buf_size;
	struct mo_page_row *rows;
	size_t rows_size;
};

struct mo_page_row {
	struct mo_index index;
	uint32_t offset; /* of the first column's value in buf */
	uint32_t len;    /* of all its values */
};

void mo_page_free(struct mo_page *page);

/* Read up to max_rows rows: flags are MO_READ_*. No row is MO_CLIENT_OK with n_rows 0. */
enum mo_client_status mo_client_read(struct mo_client *c, enum mo_table_id table, unsigned flags,
				     const struct mo_index *index, unsigned max_rows,
				     struct mo_page *page);
/* Value of a row's column; false: the row has none there. */
bool mo_page_value(const struct mo_page *page, unsigned row, const struct mo_column *col,
		   struct mo_value *value);

/*
 * One transaction, phase by phase. MO_CLIENT_REFUSED: *error and *varbind
 * (1-based, 0: the whole) say why. txid is the caller's, unique per connection
 * while the transaction lives; TEST with a txid in use starts it anew.
 */
enum mo_client_status mo_client_test(struct mo_client *c, uint32_t txid,
				     const struct mo_varbind *vbs, unsigned n, enum mo_error *error,
				     unsigned *varbind);
/* Waits, as long as any call may take, while another client's transaction ends. */
enum mo_client_status mo_client_commit(struct mo_client *c, uint32_t txid, enum mo_error *error,
				       unsigned *varbind);
enum mo_client_status mo_client_undo(struct mo_client *c, uint32_t txid, enum mo_error *error);
enum mo_client_status mo_client_cleanup(struct mo_client *c, uint32_t txid);

/*
 * Events from now on, or behind this one, where dcbd is still the same run of it
 * and the number is not 0. No other call may follow but mo_client_event(), which
 * waits for the next as long as it takes.
 */
enum mo_client_status mo_client_subscribe(struct mo_client *c, uint64_t seen);
enum mo_client_status mo_client_event(struct mo_client *c, struct mo_event *ev);

#endif

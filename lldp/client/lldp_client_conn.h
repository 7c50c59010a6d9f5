/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to lldpd: one request at a time, its answer reported from
 * libevent's loop, nothing blocks. liblldpctl's one door.
 *
 * After any failure a connection is of no use any more: close it. Only an answer
 * CONN_REFUSED leaves it as good as new.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_H

#include "lldp/client/lldp_client.h"
#include "lldp/client/lldp_client_sendv.h"
#include "lldp/client/lldp_client_port.h"

/* lldpd answers from memory; one that takes longer is stopped or gone. */
#define CONN_LIMIT_MS 5000

enum conn_answer {
	CONN_DONE,
	CONN_REFUSED, /* lldpd does not know the interface (any more) */
	CONN_LOST,    /* lldpd has gone, does not answer, or talks nonsense */
};

enum conn_change { CONN_ADDED, CONN_UPDATED, CONN_DELETED };

enum conn_op { CONN_REPLACE, CONN_REMOVE };

struct conn_ops {
	/*
	 * The answer to the request under way, or CONN_LOST without one. The connection may
	 * be given another request or be closed in here.
	 */
	void (*answer)(void *ctx, enum conn_answer answer);
	/* After conn_watch(): a neighbor that speaks LLDP. Nothing may be closed in here. */
	void (*change)(void *ctx, enum conn_change change, const struct lldp_remote *remote);
};

struct conn;
struct event_base;

/* NULL: errno says why. ops->answer may come before any request: CONN_LOST. */
struct conn *conn_open(struct event_base *base, const char *socket, const struct conn_ops *ops,
		       void *ctx);
void conn_close(struct conn *c);
/* Why the last answer was not CONN_DONE. */
const char *conn_why(const struct conn *c);
/*
 * Is it that lldpd's messages have another layout than the structs of the library? Nothing
 * of such a message is reported. false for NULL.
 */
bool conn_mismatch(const struct conn *c);
/* The file of the library, and its version when this was built. */
const char *conn_library(void);

/* Asks for one message of each layout that needs no interface, for conn_mismatch(). */
void conn_check(struct conn *c);

/* Neighbors are reported from now on, in place of anything else. */
void conn_watch(struct conn *c);
/* The interfaces that lldpd knows. */
void conn_list(struct conn *c);
size_t conn_names(const struct conn *c, char (*names)[IF_NAMESIZE], size_t room);
bool conn_knows(const struct conn *c, const char *ifname);
/* An interface of the list, and what belongs to it; it is what conn_set() is about. */
void conn_get(struct conn *c, const char *ifname);
/* false: out of memory. Free tlvs. */
bool conn_port(const struct conn *c, struct conn_port *out);
void conn_neighbors(const struct conn *c, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx);
/*
 * One custom TLV; of tlv nothing but OUI and subtype counts for CONN_REMOVE. In two,
 * so that several connections' requests can be sent with nothing between them: all the
 * work, and then just the sending. n: at most SENDV_MAX.
 */
void conn_prepare(struct conn *c, enum conn_op op, const struct lldp_tlv *tlv);
void conn_set(struct sendv *sendv, struct conn *const *conns, size_t n);
/* Until lldpd has taken in the request, or 100 us have passed. */
void conn_await_read(const struct conn *c);
/* lldpd is to transmit now, on every port. */
void conn_transmit(struct conn *c);
/* Is there a request under way? */
bool conn_busy(const struct conn *c);
#define CONN_POLL_MAX 16
/*
 * For when libevent's loop does not run: waits for input to one of these, and takes
 * it. n: at most CONN_POLL_MAX; NULLs are left out. false: limit_ms passed.
 */
bool conn_poll(struct conn *const *conns, size_t n, unsigned limit_ms);

#endif

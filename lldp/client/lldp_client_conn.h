/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to lldpd by liblldpctl: one request at a time, its answer reported from
 * libevent's loop, nothing blocks.
 *
 * After CONN_LOST the caller has to close the connection. After CONN_REFUSED it can make
 * another request, beginning with conn_list().
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_H

#include "lldp/client/lldp_client.h"
#include "lldp/client/lldp_client_sendv.h"
#include "lldp/client/lldp_client_port.h"

/* Time limit for an answer. lldpd answers from memory, so a longer wait means that it hangs. */
#define CONN_LIMIT_MS 5000

enum conn_answer {
	CONN_DONE,
	CONN_REFUSED, /* lldpd answered with an error: it does not know the interface */
	CONN_LOST,    /* connection closed, no answer in time, or invalid answer */
};

enum conn_change { CONN_ADDED, CONN_UPDATED, CONN_DELETED };

enum conn_op { CONN_REPLACE, CONN_REMOVE, CONN_STATUS };

struct conn_ops {
	/*
	 * The pending request is answered, or the connection is lost, also without a request.
	 * The function may make another request or close the connection.
	 */
	void (*answer)(void *ctx, enum conn_answer answer);
	/*
	 * After conn_watch(): an LLDP neighbor has changed. The function must not close a
	 * connection.
	 */
	void (*change)(void *ctx, enum conn_change change, const struct lldp_remote *remote);
};

struct conn;
struct event_base;

/* Connects to lldpd's control socket. NULL: see errno. */
struct conn *conn_open(struct event_base *base, const char *socket, const struct conn_ops *ops,
		       void *ctx);
/* Closes and frees a connection, without a call of ops->answer. NULL: does nothing. */
void conn_close(struct conn *c);
/* Returns why the last answer was not CONN_DONE. */
const char *conn_why(const struct conn *c);
/*
 * Was the connection lost because a message of lldpd does not have the layout of the
 * library's structs? Such a message is not reported. false for NULL.
 */
bool conn_mismatch(const struct conn *c);
/* Returns the file of the library in use and the version this program was built with. */
const char *conn_library(void);

/* Requests one message of each layout that does not need an interface, for conn_mismatch(). */
void conn_check(struct conn *c);

/* Subscribes to changes of neighbors. The connection can make no other request afterwards. */
void conn_watch(struct conn *c);
/* Requests the list of lldpd's interfaces. */
void conn_list(struct conn *c);
/* Copies up to room names of the list, and returns how many there are. */
size_t conn_names(const struct conn *c, char (*names)[IF_NAMESIZE], size_t room);
/* Is the interface in the list? */
bool conn_knows(const struct conn *c, const char *ifname);
/*
 * Requests the port of an interface of the list, for the functions below. "": the default port, of
 * which lldpd makes a copy for each new interface.
 */
void conn_get(struct conn *c, const char *ifname);
/* Reads the port's TLVs. false: out of memory. The caller frees out->tlvs. */
bool conn_port(const struct conn *c, struct conn_port *out);
/* Calls each() for the port's neighbors. */
void conn_neighbors(const struct conn *c, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx);
/*
 * conn_prepare() encodes a request to replace or remove a custom TLV of the port;
 * CONN_REMOVE uses only tlv's OUI and subtype. CONN_STATUS sets the status of the port to
 * tlv's subtype, an enum port_status. conn_set() then sends the prepared requests
 * of n connections, at most SENDV_MAX, with no other work between them.
 */
void conn_prepare(struct conn *c, enum conn_op op, const struct lldp_tlv *tlv);
void conn_set(struct sendv *sendv, struct conn *const *conns, size_t n);
/* Waits until lldpd has read the request, at most 100 us. */
void conn_await_read(const struct conn *c);
/*
 * Requests that lldpd announce a bridge and its management interface, unless the operator has set
 * something else. Not a bridge: that lldpd determine both by itself again, if this program has set
 * them before.
 */
void conn_describe(struct conn *c, const struct lldp_system *system);
/* After conn_describe(): something was not set in lldpd, and is now. */
bool conn_has_set(const struct conn *c);
/* After conn_describe() or conn_transmit(): lldpd was paused, and nothing was done. */
bool conn_is_paused(const struct conn *c);
/* Requests that lldpd transmit LLDPDUs now, on all ports. */
void conn_transmit(struct conn *c);
/* Is there a pending request? */
bool conn_busy(const struct conn *c);
#define CONN_POLL_MAX 16
/*
 * Replaces libevent's loop where it does not run: waits for input on one of n
 * connections, at most CONN_POLL_MAX, and handles it. NULLs are skipped. false: no
 * input within limit_ms.
 */
bool conn_poll(struct conn *const *conns, size_t n, unsigned limit_ms);

#endif

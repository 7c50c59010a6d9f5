/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to lldpd: one request at a time, its answer reported from
 * libevent's loop, nothing blocks. liblldpctl's one door.
 *
 * After any failure a lane is of no use any more: close it. Only an answer
 * LANE_REFUSED leaves it as good as new.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_LANE_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_LANE_H

#include "lldp/client/lldp_client.h"
#include "lldp/client/lldp_client_burst.h"
#include "lldp/client/lldp_client_port.h"

/* lldpd answers from memory; one that takes longer is stopped or gone. */
#define LANE_LIMIT_MS 5000

enum lane_answer {
	LANE_DONE,
	LANE_REFUSED, /* lldpd does not know the interface (any more) */
	LANE_LOST,    /* lldpd has gone, does not answer, or talks nonsense */
};

enum lane_change { LANE_ADDED, LANE_UPDATED, LANE_DELETED };

enum lane_op { LANE_REPLACE, LANE_REMOVE };

struct lane_ops {
	/*
	 * The answer to the request under way, or LANE_LOST without one. The lane may
	 * be given another request or be closed in here.
	 */
	void (*answer)(void *ctx, enum lane_answer answer);
	/* After lane_watch(): a neighbor that speaks LLDP. Nothing may be closed in here. */
	void (*change)(void *ctx, enum lane_change change, const struct lldp_remote *remote);
};

struct lane;
struct event_base;

/* NULL: errno says why. ops->answer may come before any request: LANE_LOST. */
struct lane *lane_open(struct event_base *base, const char *socket, const struct lane_ops *ops,
		       void *ctx);
void lane_close(struct lane *l);
/* Why the last answer was not LANE_DONE. */
const char *lane_why(const struct lane *l);
/*
 * Is it that lldpd's messages have another layout than the structs of the library? Nothing
 * of such a message is reported. false for NULL.
 */
bool lane_mismatch(const struct lane *l);
/* The file of the library, and its version when this was built. */
const char *lane_library(void);

/* Asks for one message of each layout that needs no interface, for lane_mismatch(). */
void lane_check(struct lane *l);

/* Neighbors are reported from now on, in place of anything else. */
void lane_watch(struct lane *l);
/* The interfaces that lldpd knows. */
void lane_list(struct lane *l);
size_t lane_names(const struct lane *l, char (*names)[IF_NAMESIZE], size_t room);
bool lane_knows(const struct lane *l, const char *ifname);
/* An interface of the list, and what belongs to it; it is what lane_set() is about. */
void lane_get(struct lane *l, const char *ifname);
/* false: out of memory. Free tlvs. */
bool lane_port(const struct lane *l, struct lane_port *out);
void lane_neighbors(const struct lane *l, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx);
/*
 * One custom TLV; of tlv nothing but OUI and subtype counts for LANE_REMOVE. In two,
 * so that several lanes' requests can be sent with nothing between them: all the
 * work, and then just the sending. n: at most BURST_MAX.
 */
void lane_prepare(struct lane *l, enum lane_op op, const struct lldp_tlv *tlv);
void lane_set(struct burst *burst, struct lane *const *lanes, size_t n);
/* Until lldpd has taken in the request, or 100 us have passed. */
void lane_await_read(const struct lane *l);
/* lldpd is to transmit now, on every port. */
void lane_transmit(struct lane *l);
/* Is there a request under way? */
bool lane_busy(const struct lane *l);
#define LANE_POLL_MAX 16
/*
 * For when libevent's loop does not run: waits for input to one of these, and takes
 * it. n: at most LANE_POLL_MAX; NULLs are left out. false: limit_ms passed.
 */
bool lane_poll(struct lane *const *lanes, size_t n, unsigned limit_ms);

#endif

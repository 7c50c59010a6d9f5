/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An LLDP agent as dcbd uses it: TLVs it is to send on a port, neighbors it
 * tells of. lldpd by its own library (lldp_client_lldpd.c, the one door to
 * liblldpctl) in dcb-lldp, dcb-lldp by messages in dcbd (lldp/process/lldp_process.c),
 * or links in memory (lldp_client_memory.c).
 *
 * Everything is asynchronous and nothing blocks. What is asked for is kept and
 * held up: after a reconnection, after somebody else has removed it, when an
 * interface comes back.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LLDP_TLV_INFO_OCTETS 507
#define LLDP_TLVS_MAX        32  /* of one neighbor that are looked at */
#define LLDP_ID_OCTETS       255 /* of a chassis or port ID */

struct lldp_tlv {
	uint8_t oui[3];
	uint8_t subtype;
	uint16_t len;
	uint8_t info[LLDP_TLV_INFO_OCTETS];
};

/* Chassis ID or port ID: 802.1AB 8.5.2, 8.5.3. */
struct lldp_id {
	uint8_t subtype;
	uint8_t len;
	uint8_t octets[LLDP_ID_OCTETS];
};
#define LLDP_CHASSIS_MAC 4
#define LLDP_PORT_MAC    3

/* A neighbor on one of our interfaces. */
struct lldp_remote {
	char ifname[IF_NAMESIZE];
	struct lldp_id chassis, port;
	char sysname[256];
	uint32_t ttl; /* seconds */
	unsigned n_tlvs;
	struct lldp_tlv tlvs[LLDP_TLVS_MAX]; /* organizationally specific, 802.1's first */
};

/* Connection: dcbLldpState. */
enum lldp_state {
	LLDP_OFF = 1,    /* no agent is configured */
	LLDP_CONNECTING, /* not there, or not ready: tried again for ever */
	LLDP_CONNECTED,
	LLDP_MISMATCH, /* it is there, and speaks another version than liblldpctl */
};

struct lldp_events {
	/*
	 * LLDP_CONNECTED comes first and then remote() for each neighbor the agent
	 * knows, then all_reported(): what it told of before the connection was lost and
	 * has not told of since is not there any more as far as it knows.
	 */
	void (*state)(void *ctx, enum lldp_state state);
	void (*all_reported)(void *ctx);
	/* New, or said something else. */
	void (*remote)(void *ctx, const struct lldp_remote *remote);
	/* Gone: aged out, shut down, its or our interface down. Only ifname, chassis and port. */
	void (*gone)(void *ctx, const struct lldp_remote *remote);
};

struct lldp_stats {
	uint32_t connects;    /* times the connection came up */
	uint32_t disconnects; /* ... and was lost */
	uint64_t batches;     /* changes of a port's TLVs handed over, one LLDPDU each */
	uint64_t deferred;    /* ... that had to wait for the rate limit */
	uint64_t repairs;     /* found other than we had set it, and set again */
	uint64_t refused;     /* not set: the LLDPDU would be longer than the MTU */
	uint64_t failures;    /* calls the agent answered with an error */
};

struct lldp_client;

struct lldp_client_ops {
	/*
	 * These TLVs from now on on this interface, whether or not it is there yet: OUI
	 * 00-80-C2, one of a subtype. No others with this OUI and a subtype that has
	 * ever been set by us, or one of data center bridging (08 to 0C, 17), which may
	 * be left from a life before this. Whoever sets other TLVs keeps them. mtu in
	 * octets, 0 for no limit: what the LLDPDU has to fit in.
	 */
	void (*set)(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		    size_t n, uint32_t mtu);
	/* The interface has appeared (again), so the agent may have lost what we set. */
	void (*refresh)(struct lldp_client *c, const char *ifname);
	/*
	 * remote() once more for its neighbors: they have been told of when nobody took
	 * it. recent: it is another interface than the last of that name, so only those
	 * that may have been heard on this one. May be NULL, where nobody is ever late.
	 */
	void (*replay)(struct lldp_client *c, const char *ifname, bool recent);
	/* Not ours any more: takes our TLVs away. */
	void (*forget)(struct lldp_client *c, const char *ifname);
	void (*read)(const struct lldp_client *c, struct lldp_stats *out);
	/*
	 * Our TLVs go, unless the agent says nothing for half a second or there are still
	 * some after five seconds. Not from an event.
	 */
	void (*destroy)(struct lldp_client *c);
};

struct lldp_client {
	const struct lldp_client_ops *ops;
};

struct event_base;

/*
 * lldpd at its control socket, 1.0.15 or later. It need not be there yet. events
 * are called from base's loop, not from within this. NULL: out of memory; or errno is
 * ENOSYS, as this program was built without liblldpctl. Of a process that ends without
 * destroy() lldpd keeps the TLVs, and sends them until it is told otherwise.
 */
struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket,
				      const struct lldp_events *events, void *ctx);
/* Of a client made by lldp_client_lldpd(): why it is not connected, "" if it has not been said. */
const char *lldp_client_lldpd_why(const struct lldp_client *c);
/* The library in use: its file, and the version this program was built with. */
const char *lldp_client_lldpd_library(void);

#endif

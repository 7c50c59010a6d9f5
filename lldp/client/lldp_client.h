/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client of an LLDP agent: sets the TLVs that the agent sends on an interface and
 * reports the neighbors that the agent hears.
 *
 * Implementations: lldpd by liblldpctl, in dcb-lldp (lldp_client_lldpd.c); dcb-lldp by
 * messages, in dcbd (lldp/process/lldp_process.c); agents in memory, for tests and
 * dcbsim (lldp_client_memory.c).
 *
 * All functions but destroy() are asynchronous: they do not wait for the agent. The
 * client keeps the TLVs of each interface and sets them again after a reconnection,
 * after another program has changed them and when an interface returns. All functions
 * and events are of one thread, that of the event loop: in dcbd the control thread.
 *
 * Of a bridge, describe() has the agent announce the capability and the addresses of the first
 * interface that is no port, before any TLV; what the operator has set in lldpd stays.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LLDP_TLV_INFO_OCTETS 507
#define LLDP_TLVS_MAX        32               /* TLVs that are kept of one neighbor */
#define LLDP_ID_OCTETS       255              /* of a chassis or port ID */
#define LLDP_ADDRESS_OCTETS  INET6_ADDRSTRLEN /* of an address as text, with its zero */

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

/* A neighbor. */
struct lldp_remote {
	char ifname[IF_NAMESIZE]; /* of the local interface that hears it */
	struct lldp_id chassis, port;
	char sysname[256];
	/* IPv4 or IPv6, as inet_ntop() writes it: 802.1AB 8.5.9; empty: none. */
	char management[LLDP_ADDRESS_OCTETS];
	uint32_t ttl; /* seconds */
	unsigned n_tlvs;
	struct lldp_tlv tlvs[LLDP_TLVS_MAX]; /* organizationally specific, those of 802.1 first */
};

/* Connection: dcbLldpState. */
enum lldp_state {
	LLDP_OFF = 1,    /* no agent is configured */
	LLDP_CONNECTING, /* not connected; the client keeps trying */
	LLDP_CONNECTED,
	LLDP_MISMATCH, /* messages of lldpd do not have the layout that liblldpctl expects */
};

struct lldp_events {
	/*
	 * The connection's state has changed. After LLDP_CONNECTED follow remote() for
	 * each neighbor of the agent and then all_reported(): the agent does not have
	 * neighbors of an earlier connection that are not reported by then.
	 */
	void (*state)(void *ctx, enum lldp_state state);
	void (*all_reported)(void *ctx);
	/* A neighbor is new or has changed. */
	void (*remote)(void *ctx, const struct lldp_remote *remote);
	/*
	 * A neighbor is gone: it aged out, sent a shutdown LLDPDU, or the link is down. Only
	 * ifname, chassis and port of *remote are set.
	 */
	void (*gone)(void *ctx, const struct lldp_remote *remote);
	/*
	 * Reads what the last set() of the interface had: returns the number of TLVs, and sets
	 * *mtu. Only a client that keeps no TLVs, lldp_process, calls it, from any of its
	 * functions too. NULL: for another client.
	 */
	unsigned (*tlvs)(void *ctx, const char *ifname, struct lldp_tlv tlvs[LLDP_TLVS_MAX],
			 uint32_t *mtu);
};

struct lldp_stats {
	uint32_t connects;    /* times the connection came up */
	uint32_t disconnects; /* times the connection was lost */
	uint64_t batches;     /* changes of an interface's TLVs, one LLDPDU each */
	uint64_t deferred;    /* changes delayed by the rate limit */
	uint64_t repairs;     /* TLVs set again because another program had changed them */
	uint64_t refused;     /* changes not made: the LLDPDU would be longer than the MTU */
	uint64_t failures;    /* requests that the agent answered with an error */
};

/* What the agent announces of the system: 802.1AB 8.5.8, 8.5.9. */
struct lldp_system {
	bool bridge; /* the ports are those of a bridge; false: as the agent finds by itself */
	/* With bridge: the interface whose addresses are announced; empty: no address is. */
	char management[IF_NAMESIZE];
};

struct lldp_client;

struct lldp_client_ops {
	/*
	 * Sets the TLVs of an interface, which need not exist yet. They replace those of
	 * the call before. n TLVs: OUI 00-80-C2, at most one of each subtype. The client
	 * removes others of this OUI whose subtype it has set before or that is one of
	 * data center bridging (08 to 0C, 17): an earlier process may have left them. It
	 * does not change other TLVs. mtu: the limit for the LLDP frame in octets; 0: none.
	 */
	void (*set)(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		    size_t n, uint32_t mtu);
	/*
	 * The interface, a port or not, has appeared or returned, and set() was called if it has
	 * TLVs: checks soon whether the agent has them. Only then does the agent send on an
	 * interface that is new to it.
	 */
	void (*refresh)(struct lldp_client *c, const char *ifname);
	/*
	 * Calls remote() again for the neighbors of the interface, which may have been
	 * reported before the caller had a port for it. recent: only those that were new or
	 * changed in the last 2 s, as older ones may be of a deleted interface of that
	 * name. NULL: the client never reports a neighbor before the caller has the port.
	 */
	void (*replay)(struct lldp_client *c, const char *ifname, bool recent);
	/* Removes the TLVs of an interface that is no longer a port. */
	void (*forget)(struct lldp_client *c, const char *ifname);
	/*
	 * Describes the system. What the operator has set in the agent stays; destroy() takes
	 * back what this function has set. NULL: the agent is not told.
	 */
	void (*describe)(struct lldp_client *c, const struct lldp_system *system);
	/* Reads the statistics. */
	void (*read)(const struct lldp_client *c, struct lldp_stats *out);
	/*
	 * Removes all TLVs that were set and frees the client. Blocks until they are
	 * removed, at most 5 s (lldp_process: 6 s), and gives up if the agent does not
	 * answer for 500 ms. Must not be called from an event.
	 */
	void (*destroy)(struct lldp_client *c);
};

struct lldp_client {
	const struct lldp_client_ops *ops;
};

struct event_base;

/*
 * Returns a client of lldpd, 1.0.15 or later, at its control socket. lldpd need not run
 * yet. holds: lldpd sends nothing on a new interface until set() or refresh() was called for it,
 * or for some seconds. events are called from base's loop, not from within this function. NULL:
 * out of memory, or built without liblldpctl (errno ENOSYS). If the process ends without
 * destroy(), lldpd keeps the TLVs and goes on sending them.
 */
struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket, bool holds,
				      const struct lldp_events *events, void *ctx);
/*
 * Has lldpd send on new interfaces as the operator has set it, and leaves the TLVs. To be called
 * instead of destroy(), which it blocks as. The loop must not run afterwards.
 */
void lldp_client_lldpd_release(struct lldp_client *c);
/* Returns why a client of lldp_client_lldpd() is not connected; "": connected, or not tried. */
const char *lldp_client_lldpd_why(const struct lldp_client *c);
/* Returns the file of the library in use and the version this program was built with. */
const char *lldp_client_lldpd_library(void);

#endif

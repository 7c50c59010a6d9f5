/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port of a SONiC switch, and a switch, as its databases have them.
 *
 * A value that is missing or malformed is unknown: its bit in a mask `known` is 0, and so is the
 * value. All octets of the structs are defined, so that two can be compared with memcmp().
 *
 * Names of SONiC beside those of 802.1Q:
 *   priority   number in a PFC frame; the PCP of a frame that gets the traffic class of that name
 *   queue      traffic class of 802.1Q: priorities map to it, and it has an algorithm and a share
 *   TC         number between a priority or DSCP and its queue and priority group
 *   PG         priority group: receive buffer of one or several TCs, with XOFF and XON
 */
#ifndef DCB_SONIC_SONIC_PORT_H
#define DCB_SONIC_SONIC_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/sonic/sonic_tables.h"
#include "lib/units.h"
#include "lldp/dcb_tlv.h"

#define SONIC_NAME_OCTETS   32 /* with the terminator, as all of these; longer ones are malformed */
#define SONIC_ALIAS_OCTETS  64
#define SONIC_OBJECT_OCTETS 64 /* name of a map, profile, pool or scheduler */
#define SONIC_DSCPS         64
#define SONIC_POOLS         8
#define SONIC_NO_PRIORITY   UINT8_MAX

/* Counters that syncd polls together, each group with an interval of its own; a bit each. */
enum sonic_group {
	SONIC_GROUP_PORT,             /* of struct sonic_priority: those of the port; pause_... */
	SONIC_GROUP_WATCHDOG,         /* rx_pause_us where only the watchdog polls it */
	SONIC_GROUP_PG_DROPS,         /* pg_drops */
	SONIC_GROUP_PG_WATERMARKS,    /* pg_shared_peak, pg_xoff_peak */
	SONIC_GROUP_QUEUE_WATERMARKS, /* queue_peak */
	SONIC_GROUPS
};

/* Members of struct sonic_priority that are known, a bit each. */
enum sonic_priority_member {
	SONIC_TC = 1 << 0,
	SONIC_PG = 1 << 1,
	SONIC_QUEUE_OF = 1 << 2,
	SONIC_LOSSLESS = 1 << 3,
	SONIC_PROFILE_SIZE = 1 << 4,
	SONIC_PROFILE_XON = 1 << 5,
	SONIC_PROFILE_XON_OFFSET = 1 << 6,
	SONIC_PROFILE_XOFF = 1 << 7,
	SONIC_PROFILE_DYNAMIC = 1 << 8,
	SONIC_PROFILE_STATIC = 1 << 9,
	SONIC_RX_FRAMES = 1 << 10,
	SONIC_TX_FRAMES = 1 << 11,
	SONIC_RX_PAUSE = 1 << 12,
	SONIC_RX_TRANSITIONS = 1 << 13,
	SONIC_PG_DROPS = 1 << 14,
	SONIC_PG_SHARED_PEAK = 1 << 15,
	SONIC_PG_XOFF_PEAK = 1 << 16,
	SONIC_QUEUE_PEAK = 1 << 17,
	SONIC_WD_STATE = 1 << 18,
	SONIC_WD_COUNTS = 1 << 19, /* wd_storms, wd_ended */
	SONIC_WD_TX_DROPS = 1 << 20,
	SONIC_WD_RX_DROPS = 1 << 21,
};
/* Those that count up. */
#define SONIC_COUNTERS                                                               \
	(SONIC_RX_FRAMES | SONIC_TX_FRAMES | SONIC_RX_PAUSE | SONIC_RX_TRANSITIONS | \
	 SONIC_PG_DROPS | SONIC_WD_COUNTS | SONIC_WD_TX_DROPS | SONIC_WD_RX_DROPS)

enum sonic_wd_state { SONIC_WD_OPERATIONAL = 1, SONIC_WD_STORMED };

/* Octets are of the buffer of the ASIC, in its cells: frames with the ASIC's own overhead. */
struct sonic_priority {
	uint32_t known;        /* enum sonic_priority_member */
	uint8_t tc, pg, queue; /* of the receiver: tc, pg; that PFC stops: queue */
	bool lossless;         /* the profile of its PG has room for frames after XOFF */
	uint8_t wd_state;      /* enum sonic_wd_state, of its queue */
	int8_t dynamic_th;     /* share of the free pool is 2 to this power */
	char profile[SONIC_OBJECT_OCTETS]; /* of its PG; empty: none */
	char pool[SONIC_OBJECT_OCTETS];    /* of the profile; empty: unknown */
	/* Octets: reserve; XON; below the threshold of XOFF; after XOFF; threshold. */
	uint64_t size, xon, xon_offset, xoff, static_th;
	uint64_t rx_frames, tx_frames; /* PFC frames that name the priority */
	uint64_t rx_pause_us;          /* paused by received PFC */
	uint64_t rx_transitions;       /* from paused to not paused (Broadcom) */
	uint64_t pg_drops;             /* frames received and discarded for want of a buffer */
	uint64_t pg_shared_peak, pg_xoff_peak; /* octets since an operator cleared them */
	uint64_t queue_peak;                   /* octets, the same */
	uint64_t wd_storms, wd_ended;
	uint64_t wd_tx_drops, wd_rx_drops; /* frames discarded in storms */
};

enum sonic_wd_action { SONIC_WD_DROP = 1, SONIC_WD_FORWARD, SONIC_WD_ALERT };

/* Members of struct sonic_port that are known, a bit each. Names are empty if unknown. */
enum sonic_port_member {
	SONIC_ADMIN = 1 << 0,
	SONIC_OPER = 1 << 1,
	SONIC_SPEED = 1 << 2,
	SONIC_MTU = 1 << 3,
	SONIC_PFC_ENABLE = 1 << 4,
	SONIC_PFCWD_ENABLE = 1 << 5,
	SONIC_PFC_ASYM = 1 << 6,
	SONIC_CABLE = 1 << 7,
	SONIC_ETS = 1 << 8,
	SONIC_WD_DETECTION = 1 << 9,
	SONIC_WD_RESTORATION = 1 << 10,
	SONIC_WD_ACTION = 1 << 11,
	SONIC_PAUSE_RX = 1 << 12,
	SONIC_PAUSE_TX = 1 << 13,
	SONIC_OID = 1 << 14, /* orchagent has the port: it has counters */
	SONIC_ASIC_PFC = 1 << 15,
};

struct sonic_port {
	char name[SONIC_NAME_OCTETS];
	char alias[SONIC_ALIAS_OCTETS];
	char lag[SONIC_NAME_OCTETS]; /* of which it is a member; empty: none */
	uint32_t ifindex;            /* sonic_ifindex(name), not 0 */
	uint32_t known;              /* enum sonic_port_member */
	bool admin_up, oper_up;
	bool pfc_asym;        /* asymmetric PFC: it obeys PFC of all priorities */
	bool has_qos_map;     /* it has a row of PORT_QOS_MAP for itself */
	uint8_t pfc_enable;   /* one bit a priority; 0 and known without a row of PORT_QOS_MAP */
	uint8_t asic_pfc;     /* what SAI has got, the same */
	uint8_t pfcwd_enable; /* priorities that the watchdog watches, the same */
	uint8_t wd_action;    /* enum sonic_wd_action */
	uint8_t stale; /* enum sonic_group: groups that are not polled any more, a bit each */
	uint32_t speed_mbps, mtu;
	uint32_t cable_m;
	char cable_row[SONIC_OBJECT_OCTETS];         /* of CABLE_LENGTH with cable_m; empty: none */
	uint32_t wd_detection_ms, wd_restoration_ms; /* known with a row of PFC_WD only */
	uint64_t oid;                                /* of SAI */
	uint64_t pause_rx, pause_tx;                 /* frames of 802.3 annex 31B */
	/*
	 * SONIC_ETS: queues as traffic classes, priority_tc of a priority its queue. Bandwidths add
	 * up to 100 over the queues with TSA_ETS that have a priority, or there is none.
	 */
	struct ets_tables ets;
	char dscp_map[SONIC_OBJECT_OCTETS]; /* empty: none */
	uint8_t dscp_priority[SONIC_DSCPS]; /* SONIC_NO_PRIORITY: none, or no map */
	struct sonic_priority priority[DCB_PRIORITIES];
	/* The first malformed value: what, where, and the values expected. Empty: none. */
	char error[SONIC_ERROR_OCTETS];
};

enum sonic_pool_member { SONIC_POOL_SIZE = 1 << 0, SONIC_POOL_XOFF = 1 << 1 };

struct sonic_pool {
	char name[SONIC_OBJECT_OCTETS];
	uint8_t known; /* enum sonic_pool_member */
	bool ingress;  /* else egress */
	bool dynamic;  /* thresholds are shares of the free pool, else octets */
	uint64_t size,
	    xoff; /* octets; xoff: of them, for all frames after XOFF (shared headroom) */
};

/* A switch, or one of its ASICs. */
struct sonic_switch {
	uint8_t mac[6];
	bool has_mac;
	char hwsku[SONIC_OBJECT_OCTETS], platform[SONIC_OBJECT_OCTETS];
	bool dynamic_buffers; /* buffer_model: sizes are computed, else looked up */
	uint8_t n_pools;
	struct sonic_pool pools[SONIC_POOLS]; /* in the order of names */
	/* Interval in which syncd polls each group, ms; 0: it does not poll it. */
	uint32_t poll_ms[SONIC_GROUPS];
	char error[SONIC_ERROR_OCTETS]; /* as of a port */
};

#endif

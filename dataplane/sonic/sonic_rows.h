/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports of a SONiC switch, from the rows of its databases. Pure.
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
#ifndef DCB_SONIC_SONIC_ROWS_H
#define DCB_SONIC_SONIC_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/sonic/sonic_conf.h"
#include "lib/units.h"
#include "lldp/dcb_tlv.h"

#define SONIC_NAME_OCTETS   32 /* with the terminator, as all of these; longer ones are malformed */
#define SONIC_ALIAS_OCTETS  64
#define SONIC_OBJECT_OCTETS 64 /* name of a map, profile, pool or scheduler */
#define SONIC_ERROR_OCTETS  160
#define SONIC_DSCPS         64
#define SONIC_POOLS         8
#define SONIC_NO_PRIORITY   UINT8_MAX

/*
 * Returns the ifIndex of a port as SONiC's SNMP agent has it: EthernetN N + 1, Ethernet-BPN
 * 9000 + N, Ethernet-IBN 11000 + N, Ethernet-RecN 12000 + N. 0: no port has this name, or the
 * number is too large. It is unique in a switch: names of ports are, over all ASICs.
 */
uint32_t sonic_ifindex(const char *name);

/* --- rows ---------------------------------------------------------------------------------- */

/* A hash of redis. Strings are terminated and printable. */
struct sonic_field {
	const char *name, *value;
};
struct sonic_row {
	const char *key;                  /* without the table and its separator */
	const struct sonic_field *fields; /* in ascending order of their names by strcmp() */
	unsigned n;
};

/* Tables that are read in full. The comments have the database. */
enum sonic_table {
	SONIC_PORT,               /* CONFIG PORT */
	SONIC_PORT_QOS_MAP,       /* CONFIG PORT_QOS_MAP */
	SONIC_CABLE_LENGTH,       /* CONFIG CABLE_LENGTH */
	SONIC_LAG_MEMBER,         /* CONFIG PORTCHANNEL_MEMBER */
	SONIC_METADATA,           /* CONFIG DEVICE_METADATA */
	SONIC_TC_TO_PG,           /* CONFIG TC_TO_PRIORITY_GROUP_MAP */
	SONIC_PFC_TO_PG,          /* CONFIG PFC_PRIORITY_TO_PRIORITY_GROUP_MAP */
	SONIC_PFC_TO_QUEUE,       /* CONFIG MAP_PFC_PRIORITY_TO_QUEUE */
	SONIC_TC_TO_QUEUE,        /* CONFIG TC_TO_QUEUE_MAP */
	SONIC_DSCP_TO_TC,         /* CONFIG DSCP_TO_TC_MAP */
	SONIC_DOT1P_TO_TC,        /* CONFIG DOT1P_TO_TC_MAP */
	SONIC_QUEUE,              /* CONFIG QUEUE */
	SONIC_SCHEDULER,          /* CONFIG SCHEDULER */
	SONIC_PFC_WD,             /* CONFIG PFC_WD */
	SONIC_FLEX_COUNTER,       /* CONFIG FLEX_COUNTER_TABLE */
	SONIC_BUFFER_PG,          /* CONFIG BUFFER_PG */
	SONIC_BUFFER_PROFILE,     /* CONFIG BUFFER_PROFILE */
	SONIC_BUFFER_POOL,        /* CONFIG BUFFER_POOL */
	SONIC_APP_PORT,           /* APPL PORT_TABLE */
	SONIC_APP_BUFFER_PG,      /* APPL BUFFER_PG_TABLE: those in force, if there are any */
	SONIC_APP_BUFFER_PROFILE, /* APPL BUFFER_PROFILE_TABLE, the same */
	SONIC_APP_BUFFER_POOL,    /* APPL BUFFER_POOL_TABLE, the same */
	SONIC_STATE_PORT,         /* STATE PORT_TABLE: speed of the link */
	SONIC_PORT_NAMES,         /* COUNTERS COUNTERS_PORT_NAME_MAP, one row with key "" */
	SONIC_QUEUE_NAMES,        /* COUNTERS COUNTERS_QUEUE_NAME_MAP, the same */
	SONIC_PG_NAMES,           /* COUNTERS COUNTERS_PG_NAME_MAP, the same */
	SONIC_TABLES
};

/* The database and the name of each. */
struct sonic_table_place {
	enum sonic_db_name db;
	const char *name;
};
extern const struct sonic_table_place sonic_tables[SONIC_TABLES];

/* The rows of each table, in ascending order of their keys by strcmp(). */
struct sonic_rows {
	struct {
		const struct sonic_row *rows;
		unsigned n;
	} of[SONIC_TABLES];
};

/* --- a port -------------------------------------------------------------------------------- */

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

/* Octets are of the buffer of the ASIC, in its cells: frames with what it adds. */
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
};

struct sonic_port {
	char name[SONIC_NAME_OCTETS];
	char alias[SONIC_ALIAS_OCTETS];
	char lag[SONIC_NAME_OCTETS]; /* of which it is a member; empty: none */
	uint32_t ifindex;            /* sonic_ifindex(name), not 0 */
	uint32_t known;              /* enum sonic_port_member */
	bool admin_up, oper_up;
	bool pfc_asym;        /* asymmetric PFC: it obeys PFC of all priorities */
	uint8_t pfc_enable;   /* one bit a priority; 0 and known without a row of PORT_QOS_MAP */
	uint8_t pfcwd_enable; /* priorities that the watchdog watches, the same */
	uint8_t wd_action;    /* enum sonic_wd_action */
	uint8_t stale; /* enum sonic_group: groups that are not polled any more, a bit each */
	uint32_t speed_mbps, mtu;
	uint32_t cable_m;
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

/* Sets *out to what the rows say of the switch. */
void sonic_switch_of(const struct sonic_rows *rows, struct sonic_switch *out);

/*
 * Sets *out to what the rows say of a port, without counters. name: of PORT. Returns false if it is
 * no port: sonic_ifindex() is 0 or the name is too long.
 */
bool sonic_port_of(const struct sonic_rows *rows, const char *name, struct sonic_port *out);

/* Object identifiers of SAI of a port; 0: none. */
struct sonic_oids {
	uint64_t port;
	uint64_t queue[DCB_PRIORITIES]; /* by the number of the queue */
	uint64_t pg[DCB_PRIORITIES];    /* by the number of the PG */
};
/* Sets *out, and in port->error what is malformed. */
void sonic_oids_of(const struct sonic_rows *rows, struct sonic_port *port, struct sonic_oids *out);
/* Reads "oid:0x" and 1 to 16 hexadecimal digits, not 0. Returns false if it is anything else. */
bool sonic_read_oid(const char *text, uint64_t *oid);

/* --- counters ------------------------------------------------------------------------------ */

/* The fields to read, in the order in which the values are given. */
#define SONIC_PORT_FIELDS  (4 * DCB_PRIORITIES + 2)
#define SONIC_QUEUE_FIELDS 5
#define SONIC_PG_FIELDS    1
#define SONIC_PG_PEAKS     2
#define SONIC_QUEUE_PEAKS  1
extern const char *const sonic_port_fields[SONIC_PORT_FIELDS];   /* COUNTERS, of a port */
extern const char *const sonic_queue_fields[SONIC_QUEUE_FIELDS]; /* COUNTERS, of a queue */
extern const char *const sonic_pg_fields[SONIC_PG_FIELDS];       /* COUNTERS, of a PG */
extern const char *const sonic_pg_peaks[SONIC_PG_PEAKS];         /* USER_WATERMARKS, of a PG */
extern const char *const sonic_queue_peaks[SONIC_QUEUE_PEAKS];   /* the same, of a queue */

/*
 * Set the members that come from these fields. A value that is NULL is missing. number: of the
 * queue or PG; the values go to all priorities that have it.
 */
void sonic_take_port(struct sonic_port *port, const char *const values[SONIC_PORT_FIELDS]);
void sonic_take_queue(struct sonic_port *port, unsigned number,
		      const char *const values[SONIC_QUEUE_FIELDS]);
void sonic_take_pg(struct sonic_port *port, unsigned number,
		   const char *const values[SONIC_PG_FIELDS]);
void sonic_take_pg_peaks(struct sonic_port *port, unsigned number,
			 const char *const values[SONIC_PG_PEAKS]);
void sonic_take_queue_peaks(struct sonic_port *port, unsigned number,
			    const char *const values[SONIC_QUEUE_PEAKS]);

/*
 * Returns whether the counters of now continue those of before: none is less, and none that was
 * unknown is known.
 */
bool sonic_continues(const struct sonic_port *before, const struct sonic_port *now);

/*
 * Reads a message of channel PFC_WD_ACTION: ["oid:0x...","storm"] or "restore", with more strings
 * behind these. Returns false if it is anything else.
 */
bool sonic_read_storm(const char *message, uint64_t *queue_oid, bool *begins);

#endif

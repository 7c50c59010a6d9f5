/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl storms --trace: the way of a pause from port to port. A port is paused by the neighbor on
 * its link, which sends PFC frames because a port of its own is paused or slow. So the way goes to
 * the neighbor, there to the port that is paused for the same priority, and on.
 *
 * Pure: the rows of a system come from its dcbd or from the output of snmpbulkwalk, and a function
 * of the caller gets the system of a neighbor. All texts are from the network, without control
 * characters here.
 */
#ifndef DCB_AGENT_CLI_TRACE_H
#define DCB_AGENT_CLI_TRACE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PRIORITIES     8
#define TRACE_HOPS_MAX       32
#define TRACE_PORTS_MAX      8192 /* of a system; more are ignored, as are more neighbors */
#define TRACE_NAME_OCTETS    256
#define TRACE_ADDRESS_OCTETS INET6_ADDRSTRLEN
#define TRACE_TARGET_OCTETS  (TRACE_ADDRESS_OCTETS + 8)
#define TRACE_ROOT_OCTETS    64
#define TRACE_TEXT_OCTETS    4096
#define TRACE_WHY_OCTETS     256

/* --- a system ------------------------------------------------------------------------------- */

/* The counters of a port at one read, by priority. */
struct trace_counts {
	uint64_t paused_us[TRACE_PRIORITIES], frames[TRACE_PRIORITIES];
	uint8_t has_paused, has_frames; /* one bit for each priority */
	uint8_t is_paused;              /* at the moment of the read */
};

struct trace_pause {
	bool is_on;     /* at one of the two reads, or between them */
	bool is_storm;  /* the PFC watchdog says so */
	double percent; /* of the time between the reads; negative: not known */
	double rate;    /* PFC frames received per second; negative: not known */
};

struct trace_port {
	uint32_t ifindex;
	char name[TRACE_NAME_OCTETS];    /* empty: not known */
	char if_name[TRACE_NAME_OCTETS]; /* of IF-MIB; empty: not known */
	char mac[18];                    /* as 00-1b-21-00-00-01; empty: not known */
	struct trace_counts reads[2];
	struct trace_pause pause[TRACE_PRIORITIES]; /* by trace_measure() */
};

struct trace_neighbor {
	uint32_t ifindex; /* of the port that hears it */
	uint32_t index;
	uint32_t chassis_subtype, port_subtype; /* of the LLDP MIB modules; 0: IDs are texts */
	char chassis[TRACE_NAME_OCTETS], port[TRACE_NAME_OCTETS];
	char name[TRACE_NAME_OCTETS];       /* empty: it sends none */
	char address[TRACE_ADDRESS_OCTETS]; /* of management; empty: none that can be asked */
};

struct trace_system {
	bool is_local;
	bool of_all_priorities;          /* its rates are of a port, whatever the priority */
	char name[TRACE_NAME_OCTETS];    /* as its neighbors call it */
	char chassis[TRACE_NAME_OCTETS]; /* empty: not known */
	char address[TRACE_ADDRESS_OCTETS];
	size_t n_ports, ports_room;
	struct trace_port *ports; /* ascending by ifIndex */
	size_t n_neighbors, neighbors_room;
	struct trace_neighbor *neighbors;
};

void trace_system_free(struct trace_system *s);
/* Returns the port; NULL: there is none. */
struct trace_port *trace_port_of(const struct trace_system *s, uint32_t ifindex);
/* The same, or a new one if its ifIndex is above all others. */
struct trace_port *trace_port(struct trace_system *s, uint32_t ifindex);
/* Returns the neighbor, a new one if there is none. NULL: there are too many. */
struct trace_neighbor *trace_neighbor(struct trace_system *s, uint32_t ifindex, uint32_t index);
/* Copies text, in which "?" takes the place of all octets but printable ASCII. */
void trace_text(char *to, size_t size, const char *octets, size_t len);
/* Takes a management address, unless no system can be asked at it. */
void trace_take_address(struct trace_neighbor *n, const char *text);
/* Computes the pauses from two reads that are this time apart. */
void trace_measure(struct trace_system *s, double seconds);
/* The name of a port: its own, or its ifIndex. */
const char *trace_port_name(const struct trace_port *port, char name[TRACE_NAME_OCTETS]);
/* The name of a neighbor: its system name, or its chassis ID. */
const char *trace_neighbor_name(const struct trace_neighbor *n);

/* --- rows by SNMP --------------------------------------------------------------------------- */

enum trace_walk {
	TRACE_PAUSE_TIME,  /* dcbPfcPriorityPauseTime */
	TRACE_PAUSED,      /* dcbPfcPriorityPaused */
	TRACE_FRAMES,      /* dcbPfcPriorityIndications */
	TRACE_PORT_FRAMES, /* ieee8021PfcIndications */
	TRACE_PORT_NAMES,  /* dcbPortName */
	TRACE_NEIGHBORS,   /* dcbNeighborTable */
	TRACE_IF_NAMES,    /* ifName */
	TRACE_IF_MACS,     /* ifPhysAddress */
	TRACE_LLDP,        /* lldpRemTable; its local port numbers are taken for ifIndexes */
	TRACE_LLDP_ADDRESSES,
	TRACE_LLDP_V2, /* lldpV2RemTable */
	TRACE_LLDP_V2_ADDRESSES,
	TRACE_WALKS
};

/* Writes the OID where a walk begins. */
void trace_root(enum trace_walk walk, char text[TRACE_ROOT_OCTETS]);
/*
 * Takes the output of "snmpbulkwalk -Onqx" from that OID. read: 0 or 1, of the counters. Lines that
 * have another form, and rows that no such system has, are ignored.
 */
void trace_take(struct trace_system *s, enum trace_walk walk, unsigned read, const char *text,
		size_t len);
/* Writes the argument of the Net-SNMP tools for an address. Returns false if it is no address. */
bool trace_target(const char *address, char target[TRACE_TARGET_OCTETS]);

/* --- the way -------------------------------------------------------------------------------- */

enum trace_reason {
	TRACE_SOURCE,      /* the neighbor is paused at no other port */
	TRACE_CYCLE,       /* the way returns to one of its ports */
	TRACE_NOT_PAUSED,  /* neither end of the link is paused */
	TRACE_NO_NEIGHBOR, /* LLDP knows none at the port */
	TRACE_NO_ADDRESS,  /* the neighbor announces none */
	TRACE_NO_ANSWER,
	TRACE_NO_TOOL,    /* snmpbulkwalk cannot be run */
	TRACE_NO_OBJECTS, /* the neighbor shows no counters of PFC */
	TRACE_TOO_FAR,    /* TRACE_HOPS_MAX */
	TRACE_REASONS
};

struct trace_hop {
	const struct trace_system *system;
	const struct trace_port *port;         /* that is paused */
	const struct trace_neighbor *neighbor; /* that pauses it; NULL: not known */
	unsigned others; /* ports of the system that are paused, too, but for a shorter time */
};

struct trace {
	unsigned priority;
	unsigned n;
	struct trace_hop hops[TRACE_HOPS_MAX];
	enum trace_reason reason;     /* of the end */
	unsigned cycle;               /* TRACE_CYCLE: the hop with which it begins */
	char text[TRACE_TEXT_OCTETS]; /* the end in words */
	char why[TRACE_WHY_OCTETS];   /* the words of the tool; empty: none */
};

/*
 * Gets the system of a neighbor, which has an address. NULL: *reason is one of TRACE_NO_ANSWER to
 * TRACE_NO_OBJECTS, and why has the words of the tool.
 */
typedef const struct trace_system *trace_ask(void *ctx, const struct trace_neighbor *n,
					     enum trace_reason *reason, char why[TRACE_WHY_OCTETS]);

/*
 * Follows the pause of t->priority from a port of the local system. Sets the rest of *t, and the
 * name and chassis ID of the local system when the system that pauses it has them.
 */
void trace_follow(struct trace *t, struct trace_system *local, const struct trace_port *port,
		  trace_ask *ask, void *ctx);
/* The name of a reason in JSON. */
const char *trace_reason_name(enum trace_reason reason);

#endif

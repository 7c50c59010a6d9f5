/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dcbctl watch shows of each port on a screen: two reads of dcbd's objects become rates, and
 * ports are selected and sorted. Nothing here knows a terminal.
 */
#ifndef DCB_AGENT_CLI_VIEW_WATCH_MODEL_H
#define DCB_AGENT_CLI_VIEW_WATCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/cli/view/baseline.h"
#include "lib/mo/mo_client.h"

enum watch_counter {
	WATCH_RX_OCTETS,
	WATCH_TX_OCTETS,
	WATCH_PFC_IN,  /* PFC frames received that asked for a pause: indications */
	WATCH_PFC_OUT, /* and sent: requests */
	WATCH_LOSSES,  /* frames: MO_VIEW_LOSSES */
	WATCH_PAUSE,   /* microseconds for which priority 0 was paused; the next seven follow */
	WATCH_COUNTERS = WATCH_PAUSE + 8
};

struct watch_port {
	uint32_t ifindex;
	char name[16]; /* dcbPortName; its ifIndex if it has none */
	bool up;
	bool paused;       /* a priority is paused now */
	bool storm;        /* the PFC watchdog has detected a storm that has not ended */
	uint64_t bps;      /* of the link */
	uint64_t since_ms; /* dcbPortCounterDiscontinuityTime */
	uint64_t count[WATCH_COUNTERS];
	uint64_t lost; /* losses since the counters began or were cleared */
	/*
	 * The fullest queue: of a congestion point against its set point, or what a priority with
	 * PFC holds against its XOFF threshold. Octets.
	 */
	uint32_t queue, limit; /* limit 0: the port has no such queue */
	uint8_t priority;      /* of that queue */

	/* Since the last read; known false: there is none to compare with. */
	bool known;
	double per_s[WATCH_COUNTERS];
	double paused_percent; /* of the priority that was paused longest */
};

struct watch_model {
	double at_s;
	uint32_t boot_id;
	size_t n, room;
	struct watch_port *ports; /* ascending by ifIndex */
};

/*
 * Reads all ports into *b, which is all zeros or from an earlier read; now_s is the time of the
 * read in seconds, base the counters that were cleared. If the result is not MO_CLIENT_OK, *b has
 * some of the ports.
 */
enum mo_client_status watch_read(struct watch_model *b, struct mo_client *client, double now_s,
				 const struct baseline *base);
/*
 * Calculates rates from an earlier read. A port has none if it is new, if its counters began
 * anew meanwhile, or if dcbd was started anew.
 */
void watch_compare(struct watch_model *b, const struct watch_model *before);
void watch_free(struct watch_model *b);

/* --- selection ------------------------------------------------------------------------------ */

enum watch_sort {
	WATCH_BY_NAME, /* swp2 before swp10 */
	WATCH_BY_QUEUE,
	WATCH_BY_PFC,
	WATCH_BY_PAUSE,
	WATCH_BY_LOSSES,
	WATCH_SORTS
};

#define WATCH_FILTER_OCTETS 16
struct watch_view {
	enum watch_sort sort;             /* the greatest first, names ascending */
	bool all;                         /* also ports that are not busy */
	char filter[WATCH_FILTER_OCTETS]; /* only ports with this in their name */
};

/* Returns queue / limit; 0 if the port has no such queue. */
double watch_fill(const struct watch_port *port);
/* Whether anything happens on the port: traffic, pauses, a queue, losses or a storm. */
bool watch_is_busy(const struct watch_port *port);
/*
 * Selects and sorts ports into of, which has room for b->n. Ports that are equal are in the order
 * of their names. Returns their number.
 */
size_t watch_select(const struct watch_model *b, const struct watch_view *view,
		    const struct watch_port **of);

#endif

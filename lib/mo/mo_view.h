/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where an object is seen, other than where all objects are: by VIEW in its row in mibs.
 * dcbctl and dcb-exporter show objects by this, contrib/prometheus/gen.sh reads the rows.
 */
#ifndef DCB_LIB_MO_MO_VIEW_H
#define DCB_LIB_MO_MO_VIEW_H

#include "lib/mo/mo.h"

enum mo_view {
	MO_VIEW_NONE = 0,
	/* Added up over the rows of a port, by dcbctl watch: */
	MO_VIEW_RX = 1 << 0, /* octets */
	MO_VIEW_TX = 1 << 1,
	MO_VIEW_PFC_IN = 1 << 2, /* PFC frames */
	MO_VIEW_PFC_OUT = 1 << 3,
	MO_VIEW_PAUSE = 1 << 4, /* microseconds, of each priority */
	/*
	 * Frames lost, by dcbctl status too. Choice: those that the port should have forwarded and
	 * could not. Frames discarded for their contents (malformed, reserved address, VLAN) are no
	 * losses of a congested network. Frames longer than dcbd's buffers are losses: a link of
	 * this MTU carries them.
	 */
	MO_VIEW_LOSSES = 1 << 5,
	/* Groups of dcb-exporter: what alerts and dashboards use, see agent/exporter/collect.h. */
	MO_VIEW_HEALTH = 1 << 6,
	MO_VIEW_CP = 1 << 7,
	MO_VIEW_PFC = 1 << 8,
	MO_VIEW_WATCHDOG = 1 << 9,
	MO_VIEW_SNMP = 1 << 10, /* module dcb of contrib/prometheus/generator.yml */
	MO_VIEW_FULL = 1 << 11, /* nowhere else */
};
#define MO_VIEWS_OF_WATCH                                                                        \
	((unsigned)(MO_VIEW_RX | MO_VIEW_TX | MO_VIEW_PFC_IN | MO_VIEW_PFC_OUT | MO_VIEW_PAUSE | \
		    MO_VIEW_LOSSES))

/* Returns the views of an accessible object of the table, bits of enum mo_view. Any thread. */
unsigned mo_views(const struct mo_table *table, const struct mo_column *col);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of the thread of provider "sonic", and its parameters. */
#ifndef DCB_SONIC_SONIC_REPORT_H
#define DCB_SONIC_SONIC_REPORT_H

#include <sys/queue.h>

#include "dataplane/sonic/sonic_conf.h"
#include "dataplane/sonic/sonic_port.h"
#include "lib/dcbtime.h"

#define SONIC_POLL_NS    DCB_NS_PER_S
#define SONIC_CONFIG_NS  (10 * DCB_NS_PER_S)
#define SONIC_HOLD_NS    (60 * DCB_NS_PER_S)
#define SONIC_TIMEOUT_MS 1000

enum sonic_report_type {
	SONIC_CONNECTED,    /* an instance can be read: sw */
	SONIC_LOST,         /* it cannot: text. Also reported when the first attempt fails */
	SONIC_SWITCH,       /* sw has changed */
	SONIC_PORT_ADDED,   /* port, with all that it has */
	SONIC_PORT_CHANGED, /* port */
	SONIC_PORT_REMOVED, /* port, as it was last */
	SONIC_STORM,        /* stormed, ended; port as it was last */
	SONIC_APPLIED,      /* the patch is applied; or text says why it is not */
};

struct sonic_report {
	STAILQ_ENTRY(sonic_report) next;
	enum sonic_report_type type;
	unsigned instance;              /* 0..SONIC_INSTANCES-1 */
	char space[SONIC_SPACE_OCTETS]; /* its namespace; empty: the host's */
	/* PORT_CHANGED: the counters do not continue: another object, a lower or a new counter. */
	bool discontinuity;
	uint8_t stormed, ended; /* STORM: one bit a priority */
	/*
	 * LOST: the request, the error, and the remedy. CONNECTED: why there are no
	 * notifications; empty: there are. APPLIED: the error; empty: none.
	 */
	char text[200];
	union {
		struct sonic_switch sw;
		struct sonic_port port;
	};
};

struct sonic_worker_params {
	/*
	 * database_config.json of the one instance, or database_global.json, which names those of
	 * all; read again at each connect. NULL: the global one of SONiC's directory, if it is
	 * there, else the other one.
	 */
	const char *config;
	const char *password; /* of redis; NULL: none */
	uint32_t timeout_ms;  /* of each exchange with redis; 0: SONIC_TIMEOUT_MS */
	bool writes;          /* settings are to be confirmed: what SAI has got is read too */
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl pfc-send: PFC frames at an even pace, to see what whoever receives
 * them makes of it. Needs no dcbd.
 *
 *   options -> plan (what to send, and when) -> pace -> outcome
 */
#ifndef DCB_AGENT_CLI_PFC_SEND_H
#define DCB_AGENT_CLI_PFC_SEND_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agent/cli/pace.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

/* As getopt(3) takes them. */
#define PFC_SEND_OPTIONS "a:c:i:p:q:t:w:X"
extern const struct option pfc_send_long_options[];

/* All zero: as the user said nothing. */
struct pfc_send_options {
	uint8_t enable;                /* bit n: priority n was named ... */
	uint8_t has_time;              /* ... with a time of its own, this one */
	uint16_t time[DCB_PRIORITIES]; /* quanta */
	bool has_quanta;               /* for the priorities without one, ... */
	uint16_t quanta;               /* ... 65535 where this is not set */
	int64_t interval_ns;           /* 0: half of the shortest pause */
	int64_t duration_ns;           /* 0: no end */
	uint64_t count;                /* 0: no end */
	bool has_source;               /* else the interface's own address */
	uint8_t source[ETH_ADDR_OCTETS];
	bool no_xon;
	enum pace_wait wait;
};

/* Takes option c. false: err says what was expected. */
bool pfc_send_option(struct pfc_send_options *o, int c, const char *arg, char *err, size_t errlen);

/* What option c is to be, for its error messages. */
const char *pfc_send_expects(int c);

/* "84us", "1.5ms", "2s": a number and ns, us, ms or s. false: it is none, or out of bounds. */
bool pfc_send_parse_time(const char *text, int64_t min_ns, int64_t max_ns, int64_t *ns);

/* The interface as it was found. */
struct pfc_port {
	const char *ifname;
	uint8_t address[ETH_ADDR_OCTETS];
	struct dcb_rate speed; /* unlimited: it does not say */
};

/* What quanta are taken to last at where the interface says nothing of its speed. */
#define PFC_SEND_SPEED_MBPS 10000

struct pfc_plan {
	struct pfc_pdu pdu;
	uint8_t xoff[PFC_FRAME_OCTETS];
	uint8_t xon[PFC_FRAME_OCTETS]; /* ends every pause that xoff asks for */
	bool end_with_xon;
	struct dcb_rate speed;   /* that pauses are worked out with */
	int64_t pause_ns;        /* the shortest that is none of 0; 0: all are */
	struct pace_params pace; /* its frame is xoff: the plan stays where it is */
};

void pfc_send_plan(const struct pfc_send_options *o, const struct pfc_port *port,
		   struct pfc_plan *plan);

struct pfc_outcome {
	struct pace_report pace;
	bool xon_sent;
	int xon_error; /* errno, where it was to be sent and was not */
};

/* Sends all of it. host->send is told what; outcome need not be initialized. */
void pfc_send_run(const struct pfc_plan *plan, const struct pace_host *host,
		  struct pfc_outcome *outcome);

/* What came of it: pfc_report.c. */
void pfc_report_text(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
		     const struct pfc_outcome *outcome);
void pfc_report_json(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
		     const struct pfc_outcome *outcome);

/*
 * A socket that sends on the interface past the queueing discipline, as soon
 * as anything does: pfc_socket.c. Fills *port. -1: err says what is missing.
 */
int pfc_socket_open(const char *ifname, struct pfc_port *port, char *err, size_t errlen);

/* Clock, sleep and this socket; ended by SIGINT and SIGTERM, which are caught from here on. */
void pfc_socket_host(int *fd, struct pace_host *host);

/* May this process run on one processor only? Awake, it would be in everybody's way. */
bool pfc_socket_has_one_cpu(void);

#endif

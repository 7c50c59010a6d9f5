/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb-pfcgen: sends PFC frames at a fixed interval, to test the port that
 * receives them. Does not need dcbd.
 *
 *   options -> plan (frames and times) -> pace -> outcome -> report
 */
#ifndef DCB_AGENT_PFCGEN_PFCGEN_H
#define DCB_AGENT_PFCGEN_PFCGEN_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agent/pfcgen/pace.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

/* The short options, as getopt(3) takes them. */
#define PFCGEN_OPTIONS "a:c:i:p:q:t:w:X"
extern const struct option pfcgen_long_options[];

/* The options as given; all zero: none. */
struct pfcgen_options {
	uint8_t enable;                /* bit n: pause priority n */
	uint8_t has_time;              /* bit n: priority n has a time of its own */
	uint16_t time[DCB_PRIORITIES]; /* quanta */
	bool has_quanta;               /* -q was given */
	uint16_t quanta;     /* time of the other priorities, quanta; 65535 unless has_quanta */
	int64_t interval_ns; /* 0: half of the shortest pause */
	int64_t duration_ns; /* 0: no limit */
	uint64_t count;      /* 0: no limit */
	bool has_source;     /* false: use the interface's address */
	uint8_t source[ETH_ADDR_OCTETS];
	bool no_xon;
	enum pace_wait wait;
};

/* Parses the argument of option c into *o. false: err describes the expected argument. */
bool pfcgen_option(struct pfcgen_options *o, int c, const char *arg, char *err, size_t errlen);

/* Returns a description of option c's argument, for error messages. */
const char *pfcgen_expects(int c);

/*
 * Parses a number with the unit ns, us, ms or s: "84us", "1.5ms", "2s". false:
 * malformed, or not in min_ns..max_ns.
 */
bool pfcgen_parse_time(const char *text, int64_t min_ns, int64_t max_ns, int64_t *ns);

/* The interface that the frames are sent on. */
struct pfc_port {
	const char *ifname;
	uint8_t address[ETH_ADDR_OCTETS];
	struct dcb_rate speed; /* unlimited: unknown */
};

/* Speed to convert quanta to time with, if the speed of the interface is unknown. */
#define PFCGEN_SPEED_MBPS 10000

struct pfc_plan {
	struct pfc_pdu pdu;
	uint8_t xoff[PFC_FRAME_OCTETS];
	uint8_t xon[PFC_FRAME_OCTETS]; /* ends the pauses of all priorities in xoff */
	bool end_with_xon;
	struct dcb_rate speed;   /* used to convert quanta to time */
	int64_t pause_ns;        /* the shortest pause longer than 0; 0: there is none */
	struct pace_params pace; /* points to xoff: do not copy the plan */
};

void pfcgen_plan(const struct pfcgen_options *o, const struct pfc_port *port,
		 struct pfc_plan *plan);

struct pfc_outcome {
	struct pace_report pace;
	bool xon_sent;
	int xon_error; /* errno of sending XON; 0: sent, or not to be sent */
};

/*
 * Sends the frames of the plan by host->send(). Fills in *outcome, which need
 * not be initialized.
 */
void pfcgen_run(const struct pfc_plan *plan, const struct pace_host *host,
		struct pfc_outcome *outcome);

/* Write the outcome, as text and as JSON: report.c. */
void pfcgen_report_text(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
			const struct pfc_outcome *outcome);
void pfcgen_report_json(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
			const struct pfc_outcome *outcome);

/*
 * Opens a packet socket that sends on the interface, past the queueing
 * discipline if the driver permits it: socket.c. Fills in *port. Returns
 * the file descriptor, -1 on an error that err describes.
 */
int pfcgen_socket_open(const char *ifname, struct pfc_port *port, char *err, size_t errlen);

/*
 * Fills in *host with the system's clock and this socket. Installs handlers of
 * SIGINT and SIGTERM, after which host->stopped() returns true.
 */
void pfcgen_socket_host(int *fd, struct pace_host *host);

/*
 * Gives the process real time for a run with these parameters, after pfcgen_socket_host(), with the
 * priority that it has already or the least one. Returns 0 or an errno: it goes on without.
 */
int pfcgen_socket_real_time(const struct pace_params *p);

/*
 * Returns whether this process is bound to one CPU: staying awake would then
 * delay every other process there.
 */
bool pfcgen_socket_has_one_cpu(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to the service manager, by the protocol of sd_notify(3): lines of VARIABLE=value
 * in a datagram. Own code instead of libsystemd: the protocol is stable and needs a screen of
 * code, and the library would bring liblzma, libzstd, liblz4, libgcrypt and libcap into a
 * process with CAP_NET_RAW. Control thread.
 *
 * READY is sent when every dataplane thread has adopted its first configuration.
 */
#ifndef DCB_CONTROL_HOST_NOTIFY_H
#define DCB_CONTROL_HOST_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"

#define NOTIFY_TEXT_OCTETS 1024

struct notify {
	int fd;              /* connected to $NOTIFY_SOCKET; -1: no service manager */
	int64_t watchdog_ns; /* WATCHDOG=1 is expected in each such interval; 0: never */
	char unsent[NOTIFY_TEXT_OCTETS]; /* state that the socket did not take yet; empty: none */
};

/*
 * Reads and removes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID of the environment, so that
 * programs that dcbd starts do not use them. An error is logged; there is then no service
 * manager. To be called before priv_drop().
 */
void notify_open(struct notify *n);
void notify_close(struct notify *n);

/*
 * Sends a state such as "READY=1\nSTATUS=...", cut at NOTIFY_TEXT_OCTETS. Does not block:
 * while the manager's socket is full, the latest state waits for notify_retry().
 */
void notify_state(struct notify *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void notify_retry(struct notify *n);
/* Sends WATCHDOG=1. One that the socket does not take is lost. */
void notify_alive(struct notify *n);

/*
 * Feeds the watchdog of the service manager while both threads of dcbd run: a timer of the
 * control thread sends WATCHDOG=1 if the dataplane thread has turned since the last one.
 */
struct heartbeat {
	uint64_t turns;      /* of the dataplane thread, at the last message */
	struct dcb_time fed; /* time of the last message */
	bool missed;         /* that the dataplane thread does not turn is logged */
};

/* Returns the interval of heartbeat_run(): a quarter of the watchdog's, at most 1 s. */
int64_t heartbeat_interval_ns(const struct notify *n);
/* turns: number of turns of the dataplane thread, which turns at least once a second. */
void heartbeat_run(struct heartbeat *h, struct notify *n, uint64_t turns, struct dcb_time now);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the bridge on capture files, in virtual time: dcbd --read in.pcap --write
 * out.pcap.
 *
 * Each file belongs to a port. Port NAME receives the frames of FILE at their
 * timestamps with "--read NAME=FILE", and "--write NAME=FILE" records the frames
 * that it sends. Both options may be given once for each port. Without "NAME=",
 * --read is for port "1" and --write for port "2". dcbd.conf has the settings of a
 * port by its name. The ifIndex is the port's position in the order of names, from
 * 1; numbers in names are ordered by value.
 *
 * The captures give the time: frames arrive in the order of their timestamps, at
 * equal times in the order of ports. A timestamp before the latest one so far is
 * replaced by the latest. The timestamp of a written frame is the start of its
 * transmission. The run ends when all captures are read and all queues are empty.
 * No clock is used, so equal files, settings and seed give equal output.
 *
 * One thread makes all calls.
 */
#ifndef DCB_DATAPLANE_SOFT_OFFLINE_H
#define DCB_DATAPLANE_SOFT_OFFLINE_H

#include <stdio.h>

#include "dataplane/config/provider.h"

#define OFFLINE_PORTS_MAX 64

struct offline_port {
	char name[IF_NAMESIZE];
	const char *read_path;  /* NULL: the port receives nothing */
	const char *write_path; /* NULL: sent frames are not recorded */
};

struct offline {
	unsigned n_ports;
	struct offline_port ports[OFFLINE_PORTS_MAX]; /* sorted by name */
};

/*
 * Parse the argument of --read or --write. arg must stay valid: paths point into it.
 * Return false on failure; err: the reason.
 */
bool offline_add_read(struct offline *o, const char *arg, char *err, size_t errlen);
bool offline_add_write(struct offline *o, const char *arg, char *err, size_t errlen);

/* Fills in link for port_open() of port i. The caller sets settings.memory of the port. */
void offline_link(const struct offline *o, unsigned i, struct link_info *link);

/*
 * Opens the files and runs to the end. p: a provider_soft without a thread that has
 * all ports of o and a configuration in force. Returns false on failure; err: the
 * reason.
 */
bool offline_run(struct provider *p, const struct offline *o, char *err, size_t errlen);

/* Prints counters after the run: a line for each port and for each congestion point. */
void offline_print(struct provider *p, const struct offline *o, FILE *out);

#endif

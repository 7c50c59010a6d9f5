/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge on capture files, in virtual time: dcbd --read in.pcap --write
 * out.pcap.
 *
 * Each file belongs to a port. "--read NAME=FILE" says what arrives at port
 * NAME and when, "--write NAME=FILE" takes what leaves it, both as often as
 * there are ports; a port may have one of the two or both. Without "NAME=", what
 * is read arrives at port "1" and what is written leaves port "2". Settings of a
 * port are those that dcbd.conf has for its name; ifIndex is its place in the
 * order of names (numbers in names by their value), from 1.
 *
 * Time is that of the captures: frames of all of them arrive in the order of
 * their timestamps, at equal times by port; a timestamp that goes back counts as
 * the latest one so far. A frame is stamped with the time at which it begins to
 * leave. The run ends when all captures are read and all queues are empty. Nothing
 * depends on a clock, so the same files, settings and seed give the same octets.
 */
#ifndef DCB_DATAPLANE_SOFT_OFFLINE_H
#define DCB_DATAPLANE_SOFT_OFFLINE_H

#include <stdio.h>

#include "dataplane/config/provider.h"

#define OFFLINE_PORTS_MAX 64

struct offline_port {
	char name[IF_NAMESIZE];
	const char *read_path;  /* NULL: nothing arrives */
	const char *write_path; /* NULL: what leaves is not kept */
};

struct offline {
	unsigned n_ports;
	struct offline_port ports[OFFLINE_PORTS_MAX]; /* in the order of their names */
};

/* Takes the argument of a --read or --write, which must live on. false: err says what is wrong. */
bool offline_add_read(struct offline *o, const char *arg, char *err, size_t errlen);
bool offline_add_write(struct offline *o, const char *arg, char *err, size_t errlen);

/* An interface for port i, as port_open() wants it; settings.memory is to be set. */
void offline_link(const struct offline *o, unsigned i, struct link_info *link);

/*
 * Opens the files and runs to the end. p: provider_soft without a thread, with
 * a port for each of ours and a configuration in force. false: err says why.
 */
bool offline_run(struct provider *p, const struct offline *o, char *err, size_t errlen);

/* Counters after the run, a line a port and one a congestion point. */
void offline_print(struct provider *p, const struct offline *o, FILE *out);

#endif

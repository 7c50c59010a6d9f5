/* SPDX-License-Identifier: BSD-3-Clause */
/* Links recorded in capture files: --pcap LINK=FILE. */
#ifndef DCB_SIM_PCAPS_H
#define DCB_SIM_PCAPS_H

#include "sim/sim.h"

#define PCAPS_MAX 16

struct pcaps {
	unsigned n;
	struct {
		const char *arg; /* "a->b=file" */
		struct netio *file;
		struct sim_link *link;
	} of[PCAPS_MAX];
};

/* The option's argument, which must live on. false, with a complaint: it is none. */
bool pcaps_add(struct pcaps *p, const char *arg);

/* Opens the files. false: err says why. */
bool pcaps_open(struct pcaps *p, struct sim *sim, char *err, size_t errlen);

/* Closes what is open. false: err says why, unless there was something wrong already. */
bool pcaps_close(struct pcaps *p, bool ok, char *err, size_t errlen);

#endif

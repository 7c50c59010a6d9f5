/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of the frames sent into links: --pcap LINK=FILE. */
#ifndef DCB_SIM_PCAPS_H
#define DCB_SIM_PCAPS_H

#include "sim/net/sim.h"

#define PCAPS_MAX 16

struct pcaps {
	unsigned n;
	struct {
		const char *arg; /* "a->b=file" */
		struct netio *file;
		struct sim_link *link;
	} of[PCAPS_MAX];
};

/* Adds an option argument, which must stay valid. Returns false, with an error on stderr. */
bool pcaps_add(struct pcaps *p, const char *arg);

/* Opens the files. Returns false with the reason in err. */
bool pcaps_open(struct pcaps *p, struct sim *sim, char *err, size_t errlen);

/* Closes the files. Returns ok, or false with the reason in err if a file is incomplete. */
bool pcaps_close(struct pcaps *p, bool ok, char *err, size_t errlen);

#endif

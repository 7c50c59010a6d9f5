/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl headroom: its options, for the tests. */
#ifndef DCB_AGENT_CLI_HEADROOM_H
#define DCB_AGENT_CLI_HEADROOM_H

#include <stddef.h>

#include "agent/cli/base/cli.h"
#include "dataplane/core/pfc_headroom.h"

struct headroom_name {
	const char *name;
	uint8_t value;
};

enum headroom_kind {
	HEADROOM_RATE,   /* 10G */
	HEADROOM_NUMBER, /* min..max */
	HEADROOM_MTU,    /* min..max; sets the frame size by pfc_headroom_frame_octets() */
	HEADROOM_NAME,   /* one of names */
	HEADROOM_FLAG,   /* no argument */
};

struct headroom_option {
	const char *name;
	enum headroom_kind kind;
	size_t offset; /* in struct pfc_headroom_input */
	const char *unit;
	uint32_t min, max;
	const struct headroom_name *names; /* the last one has the name NULL */
};
extern const struct headroom_option headroom_options[];
extern const size_t headroom_n_options;

#endif

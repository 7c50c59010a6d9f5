/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl headroom: its options, the inputs of the calculation, and the writers of its result. */
#ifndef DCB_AGENT_CLI_HEADROOM_H
#define DCB_AGENT_CLI_HEADROOM_H

#include <stddef.h>
#include <stdio.h>

#include "agent/cli/cli.h"
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

/*
 * The value of an option in *in. The name is NULL if the option was not given
 * and has no default.
 */
const char *headroom_name_of(const struct headroom_option *option,
			     const struct pfc_headroom_input *in);
uint64_t headroom_number_of(const struct headroom_option *option,
			    const struct pfc_headroom_input *in);

/* Returns the name of an enum pfc_source; "" for no valid one. */
const char *headroom_source(uint8_t source);

void headroom_write_text(FILE *f, const struct pfc_headroom_input *in,
			 const struct pfc_headroom *sum);
void headroom_write_json(FILE *f, const struct pfc_headroom_input *in,
			 const struct pfc_headroom *sum);

/*
 * dcbctl headroom show: prints the headroom of dcbd's ports, argv: all or these. Returns the
 * exit status.
 */
int headroom_show(struct cli *cli, int argc, char **argv);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of the screen of dcbctl watch, for any width: text with the kind of each part. Pure
 * functions; screen.c draws the parts with colors.
 */
#ifndef DCB_AGENT_CLI_VIEW_LAYOUT_H
#define DCB_AGENT_CLI_VIEW_LAYOUT_H

#include "agent/cli/view/watch_model.h"

enum layout_kind { LAYOUT_PLAIN, LAYOUT_DIM, LAYOUT_NOTICE, LAYOUT_ALARM };

#define LAYOUT_WIDTH_MAX 256
#define LAYOUT_COLUMNS   9

/* A line: text of at most the width asked for, in ASCII, and the kinds of its columns. */
struct layout_line {
	char text[LAYOUT_WIDTH_MAX + 1];
	unsigned n;
	struct {
		unsigned at, len; /* characters of text */
		enum layout_kind kind;
	} parts[LAYOUT_COLUMNS];
};

/* Writes the headings of the columns that fit; the one that is sorted by is a NOTICE. */
void layout_head(struct layout_line *line, unsigned width, enum watch_sort sort);
/* Writes a port; losses and a storm are ALARM, pauses and a queue above its limit NOTICE. */
void layout_port(struct layout_line *line, unsigned width, const struct watch_port *port);

/*
 * Writes a bar of width characters: '#' for each part of the queue, '|' where limit is, in the
 * middle, '>' at the end if the queue is above twice the limit.
 */
void layout_bar(char *buf, unsigned width, uint32_t queue, uint32_t limit);
/*
 * Writes a number of at most five characters: 0, 0.3, 12, 4567, 12.3k, 456k, 7.8M ... Rates are per
 * second, in frames or bits.
 */
#define LAYOUT_NUMBER_OCTETS 8
void layout_number(char buf[LAYOUT_NUMBER_OCTETS], double number);

#endif

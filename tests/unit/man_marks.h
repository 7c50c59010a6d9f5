/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks of the settings in dcbd.conf(5): when dcbd uses a changed value. */
#ifndef DCB_UNIT_MAN_MARKS_H
#define DCB_UNIT_MAN_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#define MAN_MARKS_MAX 200

struct man_mark {
	char path[80]; /* as in messages, without the number of an entry: "ports.tap" */
	char mark[20]; /* "reload", "restart" or "first start"; empty: none */
	bool used;     /* man_mark_of() has returned it */
};

/* Fails the test if man/dcbd.conf.5 below $DCB_SRCDIR cannot be read. Returns the number of marks.
 */
size_t man_marks_read(struct man_mark marks[MAN_MARKS_MAX]);
/*
 * Returns the mark of a setting; NULL: none. Those of ports.cn and ports.pfc, which the page has
 * without members, are those of defaults.
 */
const char *man_mark_of(struct man_mark *marks, size_t n, const char *path);

#endif

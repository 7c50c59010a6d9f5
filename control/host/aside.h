/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files set aside for an operator, beside the file that they were: PATH.damaged-TIME-NUMBER and the
 * like. Control thread only.
 */
#ifndef DCB_CONTROL_HOST_ASIDE_H
#define DCB_CONTROL_HOST_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Files set aside for one path: of more, the oldest are deleted. */
#define ASIDE_FILES 8

enum aside_kind {
	ASIDE_DAMAGED,
	ASIDE_IGNORED, /* not read: dcbd --ignore-state */
	ASIDE_NEWER,   /* a version with other objects wrote it */
};

/* Renames a file and writes its new name to aside. Returns 0, or an errno. */
int aside_rename(const char *path, enum aside_kind kind, char *aside, size_t size);

/*
 * Writes a copy of a file, which has this text, and its name to aside. The number in its name is
 * the mark: if there is a copy with this mark, nothing is written, and *is_old is true. Returns 0,
 * or an errno.
 */
int aside_copy(const char *path, enum aside_kind kind, unsigned long mark, const char *text,
	       size_t len, char *aside, size_t size, bool *is_old);

#endif

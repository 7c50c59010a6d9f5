/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that have their former or their new content whenever dcbd or the machine ends: temporary
 * file, fsync(), exchange of the names, fsync() of the directory.
 */
#ifndef DCB_CONTROL_HOST_REPLACE_FILE_H
#define DCB_CONTROL_HOST_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* What a replacement has left. */
struct file_written {
	int error;    /* 0: the text is on disk; else an errno: the file has its former content */
	bool is_left; /* unless this is set: that could not be restored */
};

/*
 * Replaces the content of a file: creates it with mode 0640 if it is not there. Waits for the disk.
 * Any thread, one at a time for each path: uses nothing but its arguments.
 */
struct file_written replace_file(const char *path, const char *text, size_t len);
/* The same for a file that only the user of dcbd can read: mode 0600. */
struct file_written replace_private_file(const char *path, const char *text, size_t len);
#endif

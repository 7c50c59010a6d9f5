/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Confinement of a process by the kernel. Landlock leaves it the files that it names, a
 * seccomp filter the system calls that it names. Both hold for all threads and programs that
 * the process starts later, and cannot be taken back; therefore they are to be called before
 * the first thread is started. A process that was taken over by a malformed frame, LLDPDU or
 * request can then do no more than this.
 *
 * Best effort: if the kernel, a container or the build lacks one of the two, the process
 * goes on without it, and the log has one line.
 */
#ifndef DCB_LIB_CONFINE_H
#define DCB_LIB_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/log.h"

#define CONFINE_TOKEN "confine" /* of the log */

/* --- files ------------------------------------------------------------------------------ */

/* Use of the files in a directory and below, or of one file. */
enum confine_use {
	CONFINE_READ,    /* read files, list directories */
	CONFINE_EXECUTE, /* also execute files */
	CONFINE_WRITE,   /* read and write existing files and devices */
	CONFINE_LOG,     /* write and create files */
	CONFINE_REPLACE, /* read, create, write, rename and remove regular files */
	CONFINE_SOCKETS, /* create and remove sockets */
};

/* The files that remain. ruleset -1: Landlock is missing, and the functions do nothing. */
struct confine_files {
	int ruleset;
	uint64_t handled; /* access rights that this kernel can refuse */
};

/* Returns the reason why this program cannot use Landlock, NULL if it can. */
const char *confine_files_missing(void);

/* Begins with no file at all. */
void confine_files_begin(struct confine_files *c);
/* Adds a file or directory. One that does not exist, or not for this user, is left out. */
void confine_files_add(struct confine_files *c, enum confine_use use, const char *path);
/* Adds the directory of a file, and of the file that it leads to if it is a symbolic link. */
void confine_files_add_directory_of(struct confine_files *c, enum confine_use use,
				    const char *file);
/* Adds the directories of shared libraries, so that programs can be started (EXECUTE) or
 * libraries loaded (READ). */
void confine_files_add_libraries(struct confine_files *c, enum confine_use use);
/*
 * Puts the rules in force. Sockets to connect to, the names of files, their status, and files
 * that are open already are not restricted. Sets no_new_privs. Returns true if Landlock is in
 * force; level: of the line of the log if it is not.
 */
bool confine_files_end(struct confine_files *c, enum log_level level);

/* --- system calls ----------------------------------------------------------------------- */

/* Lists of names that end with NULL. A name that an architecture does not have is ignored. */
struct confine_calls {
	const char *const *const *lists; /* NULL: end */
	const int *families;             /* of socket(), 0: end */
};

/* Memory, threads, time, files, sockets and event loops: calls that every program needs. */
extern const char *const confine_common[];
/* Calls from execve() until a started program has its own filter. */
extern const char *const confine_start[];

/* Returns the reason why this program cannot filter system calls, NULL if it can. */
const char *confine_calls_missing(void);

/*
 * Refuses all other system calls with ENOSYS, as a kernel that does not have them: the C
 * library then uses an older call. Ending the process instead would end the bridge because
 * a new version of a library uses a call that this list does not know. The kernel's log, or
 * audit, has each refused call. Creating namespaces is refused. Sets no_new_privs. Returns true if
 * the filter is in force; level: of the line of the log if it is not.
 */
bool confine_calls(const struct confine_calls *calls, enum log_level level);

#endif

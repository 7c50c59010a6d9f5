/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that writes files, the state file or those of packet numbers: a disk can take seconds,
 * and the control thread serves its clients meanwhile. It gets a text and a path, and touches
 * nothing else. One job at a time. All functions are called by the control thread.
 */
#ifndef DCB_CONTROL_SAVER_H
#define DCB_CONTROL_SAVER_H

#include "control/host/replace_file.h"

struct event_base;
struct saver;

/* Takes the result of a job, in the control thread. */
typedef void (*saver_done_fn)(void *ctx, const struct file_written *w);

/* replace_file() or replace_private_file(). */
typedef struct file_written (*saver_write_fn)(const char *path, const char *text, size_t len);

/*
 * Starts the thread, which calls write; base's event loop calls the functions that take
 * results. NULL: errno.
 */
struct saver *saver_new(struct event_base *base, saver_write_fn write);
/* Ends the thread. There is no job. saver may be NULL. */
void saver_free(struct saver *saver);

/*
 * Begins write(path, text, len). There is no other job until done is called. The
 * text is from malloc and the saver's from here on; path has to exist until then.
 */
void saver_start(struct saver *saver, const char *path, char *text, size_t len, saver_done_fn done,
		 void *ctx);
/* Waits for the job, and has its result taken before it returns. */
void saver_wait(struct saver *saver);

#endif

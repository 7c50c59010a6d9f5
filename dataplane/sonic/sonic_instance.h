/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instance of the databases of SONiC: its connections, its ports, and when to read what. For one
 * thread, which gives the time.
 */
#ifndef DCB_SONIC_SONIC_INSTANCE_H
#define DCB_SONIC_SONIC_INSTANCE_H

#include "dataplane/sonic/sonic_report.h"

struct sonic_instance;

/*
 * Creates one. params stay as long as it exists. stop_fd: as of struct sonic_db_params. post() gets
 * each report, for free(). NULL: out of memory.
 */
struct sonic_instance *sonic_instance_new(unsigned number, const struct sonic_worker_params *params,
					  int stop_fd,
					  void (*post)(void *arg, struct sonic_report *report),
					  void *arg);
void sonic_instance_free(struct sonic_instance *i);

/*
 * Connects or reads, as far as it is due. conf: of the instance, as it is now in the files; used
 * when it connects.
 */
void sonic_instance_turn(struct sonic_instance *i, const struct sonic_instance_conf *conf,
			 struct dcb_time now);
/* Has the next turn read all rows, at once: they have been changed. Of no use without a connection.
 */
void sonic_instance_read_config(struct sonic_instance *i, struct dcb_time now);
/* Takes the messages that have come. */
void sonic_instance_messages(struct sonic_instance *i, struct dcb_time now);
/* Reports that it cannot be read, and why, unless that was the last report of this kind. */
void sonic_instance_lose(struct sonic_instance *i, const char *why, struct dcb_time now);

bool sonic_instance_is_connected(const struct sonic_instance *i);
/* Returns the time of the next turn. */
struct dcb_time sonic_instance_next(const struct sonic_instance *i);
/* Returns a file descriptor that is readable when there are messages; -1: none. */
int sonic_instance_fd(const struct sonic_instance *i);
/* Returns when the counters were read last, ns; 0: never. */
int64_t sonic_instance_read_ns(const struct sonic_instance *i);

#endif

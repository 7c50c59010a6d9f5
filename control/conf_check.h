/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd -t: would dcbd start with a dcbd.conf, and what would it manage? */
#ifndef DCB_CONTROL_CONF_CHECK_H
#define DCB_CONTROL_CONF_CHECK_H

#include <stdio.h>

#include "control/conf/conf.h"

/*
 * Checks what conf_read() of file cannot: user and groups, directories with the privileges
 * that dcbd would have, the frame memory (managed_conf_check()), patterns and the interfaces of
 * this network namespace. Writes a line to standard error for each problem, and to out the
 * ports, their rates and the paths; and what the machine lacks (priv_lacks()). Returns false if
 * dcbd would not start; other problems are warnings. Before other threads are started, because it
 * forks.
 */
bool conf_check(const struct conf *conf, const char *file, FILE *out);

/* Returns what dcbd needs with this dcbd.conf, for priv_lacks(). */
unsigned conf_needs(const struct conf *conf);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer pools of a switch, and buffer profiles of a port. Pure.
 *
 * In force are the tables of APPL_DB, which the buffer manager derives. Older images have them in
 * CONFIG_DB only: where APPL_DB has no row of a table, those of CONFIG_DB count.
 */
#ifndef DCB_SONIC_SONIC_BUFFERS_H
#define DCB_SONIC_SONIC_BUFFERS_H

#include "dataplane/sonic/sonic_port.h"

/* Sets the pools, the first SONIC_POOLS in the order of names. */
void sonic_pools_of(const struct sonic_rows *rows, struct sonic_switch *out);
/* Sets the profile of each priority. out has its name, and the PG of each priority. */
void sonic_buffers_of(const struct sonic_rows *rows, struct sonic_port *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The delays that ports have measured (P802.1Qdt 36.9.6), as records of the state file: for
 * persist.c and persist_load.c. They are no settings. They are in a list of their own, which
 * earlier versions of dcbd do not look for, so that they accept the file.
 *
 * A measurement writes nothing: for every save the control thread reads the delays from the
 * statistics of the ports that have reported one. After a restart the list goes into the
 * immutable settings of the port (struct pfc_measured in struct port_config), as parked settings
 * of an absent interface do, and the dataplane thread hands it to the engine before the link is
 * up; only while the link has that rate, because quanta are of another length otherwise.
 */
#ifndef DCB_CONTROL_PERSIST_MEASURED_H
#define DCB_CONTROL_PERSIST_MEASURED_H

#include "control/conf/conf_read.h"
#include "control/managed/managed.h"
#include "control/persist_text.h"

struct persist_measured; /* a list of records */

/*
 * Adds the record of a port to the file whose root this is, unless the count is 0. key: the port's
 * alias or name. false: out of memory.
 */
bool persist_measured_add(config_setting_t *root, const struct pfc_measured *is, const char *key,
			  bool is_alias);

/*
 * Reads the records of a file. Choice: a wrong one is logged with its line and left out. It costs
 * the port its result until it has measured again, which takes a few round trips, and not the
 * system its settings.
 */
void persist_measured_read(struct persist_measured **list, struct reader *r);
/* Returns the record with this alias or name; its count is 0 if there is none. */
struct pfc_measured persist_measured_of(const struct persist_measured *list, const char *key,
					bool is_alias);
/* Publishes the delays of the ports that exist. If that fails, it is logged. */
void persist_measured_publish(struct managed *m, const struct persist_ports *ports,
			      const struct persist_measured *list);
void persist_measured_free(struct persist_measured *list);

#endif

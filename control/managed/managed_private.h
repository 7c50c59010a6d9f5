/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by managed.c and managed_parked.c: settings of interfaces that do not exist now. Control
 * thread.
 */
#ifndef DCB_CONTROL_MANAGED_MANAGED_PRIVATE_H
#define DCB_CONTROL_MANAGED_MANAGED_PRIVATE_H

#include "control/managed/managed.h"

/*
 * Returns the settings that the interface had when it was a port before; else those parked under
 * its alias, or else its name, by a hash, unless their interface still exists. Not those that a
 * port has taken. NULL: none.
 */
struct managed_parked *managed_find_parked(const struct managed *m, const struct link_info *link);
/* From now on the settings that the interface had are those of the next one with the same key. */
void managed_parked_gone(struct managed *m, uint32_t ifindex);
/*
 * A port was added with initial settings: warns if parked settings seem to be of its interface, by
 * its MAC address or name, under a key that it has not.
 */
void managed_warn_of_parked(const struct managed *m, const struct link_info *link);
/* Frees parked settings. p may be NULL. */
void managed_unpark(struct managed *m, struct managed_parked *p);
/* The port, which has taken parked settings, was refused: they are there for another attempt. */
void managed_give_back(struct managed *m, const struct port *port);
/* Returns the parked settings that the port has taken. NULL: none. */
struct managed_parked *managed_find_taken(const struct managed *m, const struct port *port);
/* Frees the parked settings that ports have taken. */
void managed_unpark_taken(struct managed *m);
/* Frees those that were parked when m->next_parked was first, and later. */
void managed_unpark_from(struct managed *m, uint64_t first);

/* Parks the settings of these ports, unless they are defaults. false: out of memory, none is. */
bool managed_park_ports(struct managed *m, const struct dcb_positions *ports);

/*
 * Returns a copy of parked settings for a port with this rate of the profile, with initial
 * values for priorities whose component-wide row has changed since and for what the port has no
 * objects of, and without static entries that another port or RBridge has and next hops that
 * contradict others. The other ports are those of config, which can have this one too. Sets
 * p->is_cut. NULL: out of memory.
 */
struct port_config *managed_parked_settings(const struct managed *m,
					    const struct dcb_config *config,
					    struct managed_parked *p, const struct port *port,
					    struct dcb_rate rate);
/*
 * After a port that was being collected was refused, and is in config no more: gives the others
 * the settings that contradicted only those of this port. false: out of memory.
 */
bool managed_restore_cut(struct managed *m, struct dcb_config *config);

#endif

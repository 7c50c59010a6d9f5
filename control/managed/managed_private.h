/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by managed.c and managed_absent.c: settings of interfaces that do not exist now. Control
 * thread.
 */
#ifndef DCB_CONTROL_MANAGED_MANAGED_PRIVATE_H
#define DCB_CONTROL_MANAGED_MANAGED_PRIVATE_H

#include "control/managed/managed.h"

/*
 * Returns the settings that the interface had when it was a port before; else those kept under
 * its alias, or else its name, by a hash, unless their interface still exists. Not those that a
 * port has taken. NULL: none.
 */
struct managed_absent *managed_absent_find(const struct managed *m, const struct link_info *link);
/* From now on the settings that the interface had are those of the next one with the same key. */
void managed_absent_gone(struct managed *m, uint32_t ifindex);
/*
 * A port was added with initial settings: warns if kept settings seem to be of its interface, by
 * its MAC address or name, under a key that it has not.
 */
void managed_warn_of_absent(const struct managed *m, const struct link_info *link);
/* Frees kept settings. p may be NULL. */
void managed_absent_remove(struct managed *m, struct managed_absent *p);
/* The port, which has taken kept settings, was refused: they are there for another attempt. */
void managed_give_back(struct managed *m, const struct port *port);
/* Returns the kept settings that the port has taken. NULL: none. */
struct managed_absent *managed_find_taken(const struct managed *m, const struct port *port);
/* Frees the kept settings that ports have taken. */
void managed_absent_remove_taken(struct managed *m);
/* Frees those that were kept when m->next_absent was first, and later. */
void managed_absent_remove_from(struct managed *m, uint64_t first);

/* Keeps the settings of these ports, unless they are defaults. false: out of memory, none is. */
bool managed_absent_add_ports(struct managed *m, const struct dcb_positions *ports);

/*
 * Returns a copy of kept settings for a port with this rate of the profile, with initial
 * values for priorities whose component-wide row has changed since and for what the port has no
 * objects of, and without static entries that another port or RBridge has and next hops that
 * contradict others. The other ports are those of config, which can have this one too. Sets
 * p->is_cut. NULL: out of memory.
 */
struct port_config *managed_absent_settings(const struct managed *m,
					    const struct dcb_config *config,
					    struct managed_absent *p, const struct port *port,
					    struct dcb_rate rate);
/*
 * After a port that was being collected was refused, and is in config no more: gives the others
 * the settings that contradicted only those of this port. false: out of memory.
 */
bool managed_restore_cut(struct managed *m, struct dcb_config *config);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the managed system from dcbd.conf. Control thread only. */
#ifndef DCB_CONTROL_MANAGED_CONF_H
#define DCB_CONTROL_MANAGED_CONF_H

#include "control/conf/conf.h"
#include "control/conf/conf_macsec.h"
#include "control/managed/managed.h"
#include "dataplane/soft/provider_soft.h"

/*
 * Creates a managed system that calls event_watch_ops. It owns the n providers from here
 * on. Returns NULL if out of memory; the caller then still owns the providers.
 */
struct managed *managed_conf_new(const struct conf *conf, struct provider *const *providers,
				 unsigned n);

/* Returns the values that dcbd.conf has for objects; NULL: out of memory. */
struct mo_origins *managed_conf_origins(const struct conf *conf);

/*
 * Returns the parameters of provider "soft" in dcbd.conf, for this role. With no_thread the
 * caller moves the frames.
 */
struct provider_soft_params managed_conf_soft(const struct conf *conf, enum dcb_role role,
					      bool no_thread, uint64_t seed);
/*
 * The same of provider "station": a station beside the bridge or RBridge, with its own frame
 * memory and thread, which is on any CPU.
 */
struct provider_soft_params managed_conf_station(const struct conf *conf, bool no_thread,
						 uint64_t seed);

/*
 * Adds the memory_ports of dcbd.conf, ports without an interface, for tests and benchmarks
 * of management. false: err says why.
 */
bool managed_conf_memory_ports(struct managed *m, const struct conf *conf, char *err,
			       size_t errlen);

struct listed_link {
	struct link_info link;
	struct link_host host;
};

struct link_list {
	struct listed_link *links; /* from malloc */
	size_t n;
};

/*
 * Lists the Ethernet interfaces of this network namespace. false: err says why. May block as
 * long as the kernel needs to list them. The caller calls link_list_free() in both cases.
 */
bool link_list_read(struct link_list *list, char *err, size_t errlen);
void link_list_free(struct link_list *list);

/* Sets conf->frame_octets_found from the MTUs of the interfaces that conf makes ports. */
void managed_conf_take_mtus(struct conf *conf);

/*
 * Checks, for dcbd -t, that the frame memory holds the reserves and the headroom of all
 * ports with their initial settings, as if all links were up. Ports are the memory_ports and
 * the interfaces of this network namespace that dcbd.conf selects, none of which is opened.
 * modes: the ports whose frames MACsec makes longer and later (36.4.1), though none is protected.
 * false: err has the sum that exceeds the memory, or another reason why dcbd would refuse the
 * settings. true: err has a warning, or is empty. May block as long as the kernel needs to list
 * its interfaces.
 */
bool managed_conf_check(const struct conf *conf, const struct macsec_modes *modes, char *err,
			size_t errlen);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of a hardware port in the terms of the kernel: what dcbd wants, compared with what the
 * device has. Pure.
 *
 * ETS: the device's tables are compared as far as they have an effect: of a class with another
 * algorithm than ETS, no bandwidth.
 * Application priorities: those that dcbd wants have to be there; others can be there too.
 */
#ifndef DCB_KERNEL_KERNEL_SETTINGS_H
#define DCB_KERNEL_KERNEL_SETTINGS_H

#include "dataplane/config/provider.h"
#include "dataplane/kernel/dcbnl.h"
#include "dataplane/kernel/kernel_counters.h"
#include "dataplane/kernel/kernel_rp.h"

struct kernel_wanted {
	uint8_t pfc_enable, pfc_mask; /* one bit a priority; those that count */
	struct ets_tables ets_tables;
	uint32_t delay; /* in the unit of the driver */
	struct kernel_rp rp;
	uint16_t n_apps;
	struct app_priority apps[APP_MAX]; /* ascending (selector, protocol) */
};

/* What a port in a configuration with these CNPVs in force wants. */
void kernel_wanted_of(const struct dcb_config_port *at, uint8_t cnpvs,
		      const struct kernel_driver *driver, struct kernel_wanted *out);
/*
 * The settings that change: priorities of was that are no CNPVs any more count. only: others than
 * those that change do not.
 */
void kernel_wanted_change(struct kernel_wanted *wanted, const struct kernel_wanted *was, bool only);
/* Returns the parts that a device has. */
unsigned kernel_parts(const struct dcbnl_port *now, const struct kernel_driver *driver);
/* Returns those of which the device has something set: not the values after a reset. */
unsigned kernel_set_parts(const struct dcbnl_port *now, const struct kernel_driver *driver);
/* Returns those parts in which two settings differ. */
unsigned kernel_changed_parts(const struct kernel_wanted *a, const struct kernel_wanted *b);
/* Returns those parts of the device that are not as wanted. */
unsigned kernel_differing_parts(const struct kernel_wanted *wanted, const struct dcbnl_port *now,
				const struct kernel_driver *driver);
/*
 * Returns whether the device can have these settings, in the parts named. false: *why, as of
 * prepare(), for port.
 */
bool kernel_can(const struct kernel_wanted *wanted, unsigned parts, const struct dcbnl_port *now,
		const struct kernel_driver *driver, const struct port *port,
		struct provider_refusal *why);

/* Set the wanted values in *pfc and *ets, which have those of the device; see kernel_rp_set(). */
void kernel_set_pfc(const struct kernel_wanted *wanted, unsigned parts, struct ieee_pfc *pfc);
void kernel_set_ets(const struct kernel_wanted *wanted, struct ieee_ets *ets);
/*
 * Finds the application entries to add, and those to delete: of was, of which wanted has none or
 * another priority. Each array has room for APP_MAX.
 */
void kernel_app_changes(const struct kernel_wanted *wanted, const struct kernel_wanted *was,
			const struct dcbnl_apps *now, struct dcb_app *add, unsigned *n_add,
			struct dcb_app *drop, unsigned *n_drop);

/* Sets in config what the device has, as of adopt(). Returns whether that changed it. */
bool kernel_adopt(const struct dcbnl_port *now, const struct kernel_driver *driver, uint8_t cnpvs,
		  struct port_config *config);
/* Returns what the device has for a priority; members that it does not have are 0. */
struct hardware_pri_stats kernel_pri(const struct dcbnl_port *now, unsigned priority);
/* Returns these members. */
uint64_t kernel_pri_unknown(const struct dcbnl_port *now);
/* Converts the device's ETS. Returns whether a class has TSA_ETS. */
bool kernel_ets_tables(const struct ieee_ets *ets, struct ets_tables *out);

#endif

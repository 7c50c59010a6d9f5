/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits the headroom that follows from what neighbors say, by a local delay or by the round
 * trips that they answer: one that lies must not take the frame memory of other ports.
 * Control thread only.
 */
#ifndef DCB_CONTROL_MANAGED_HEADROOM_CAP_H
#define DCB_CONTROL_MANAGED_HEADROOM_CAP_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/config/provider.h"

/*
 * Sets oper.headroom_cap_octets of each port in config, whose other operational values are set and
 * which is to replace before. engine: the provider that has the memory; NULL: none.
 * Choice: a claim is what the neighbor's word adds to the headroom that the port's settings give.
 * If the memory does not hold all claims, and one longest frame in the shared lossy pool, claims in
 * force are met first, smaller ones next. Each of the others gets the same part of the rest.
 * Returns false, with no caps, if memory for the calculation cannot be allocated.
 */
bool headroom_cap_set(enum dcb_role role, const struct provider *engine,
		      const struct dcb_config *before, struct dcb_config *config);

/* Returns whether a port in config has a claim: then caps change with links. */
bool headroom_cap_has_claims(const struct dcb_config *config);

#endif

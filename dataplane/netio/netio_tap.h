/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tap interface: what the host sends is received here, and the other way
 * round. It is gone when it is closed. Opened and set by the control thread.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_TAP_H
#define DCB_DATAPLANE_NETIO_NETIO_TAP_H

#include "dataplane/netio/netio.h"

#include <net/if.h>

struct netio_tap_params {
	const char *name; /* "%d" in it: the first number that is free */
	uint32_t wire;    /* ifIndex of the interface it takes the place of; 0: none */
	const uint8_t *mac;
	uint32_t mtu;
	bool carrier;          /* the wire is up */
	uint32_t frame_octets; /* longest frame to receive whole */
};

/* NULL: err says which step failed, why, and what would help. */
struct netio *netio_tap_open(const struct netio_tap_params *params, char *err, size_t errlen);

/* The interface it is: name as given when it was opened, ifIndex for good. */
const char *netio_tap_name(const struct netio *io);
uint32_t netio_tap_ifindex(const struct netio *io);

/* The wire's address, MTU or state changed: control thread, while frames flow. false: errno. */
bool netio_tap_set_mac(struct netio *io, const uint8_t *mac);
bool netio_tap_set_mtu(struct netio *io, uint32_t mtu);
bool netio_tap_set_carrier(struct netio *io, bool up);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tap interface: read() returns frames that the host sends by it, send()
 * delivers frames to the host. Closing it deletes the interface. The control
 * thread calls the functions below; the dataplane thread uses struct netio_ops.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_TAP_H
#define DCB_DATAPLANE_NETIO_NETIO_TAP_H

#include "dataplane/netio/netio.h"

#include <net/if.h>

struct netio_tap_params {
	const char *name; /* "%d" in it: the kernel inserts the first free number */
	const uint8_t *mac;
	uint32_t mtu;
	bool carrier; /* the link's interface is up */
};

/* Returns NULL on failure; err: the failed step, the reason, and a hint. */
struct netio *netio_tap_open(const struct netio_tap_params *params, char *err, size_t errlen);

/* Returns the interface's last known name. A rename by the operator may not show yet. */
const char *netio_tap_name(const struct netio *io);
/* Returns the ifIndex, which never changes. */
uint32_t netio_tap_ifindex(const struct netio *io);

/* Returns false after the interface was deleted. Makes a system call. */
bool netio_tap_exists(const struct netio *io);

/*
 * Set the tap's MAC address, MTU (octets) or carrier. The dataplane thread may
 * send and receive meanwhile. Return false on failure, with errno.
 */
bool netio_tap_set_mac(struct netio *io, const uint8_t *mac);
bool netio_tap_set_mtu(struct netio *io, uint32_t mtu);
bool netio_tap_set_carrier(struct netio *io, bool up);

#endif

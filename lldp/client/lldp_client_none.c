/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the client of lldpd in a build without liblldpctl. */
#include "lldp/client/lldp_client.h"

#include <errno.h>

#include "lib/log.h"

struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket, bool holds,
				      const struct lldp_events *events, void *ctx)
{
	(void)base;
	(void)holds;
	(void)events;
	(void)ctx;
	/*
	 * Message: dcbd was built without the library of lldpd(8). Build it with that, or set
	 * `lldp.enable` to false.
	 */
	log_warn("lldp",
		 "%s: built without liblldpctl: DCB TLVs are not sent, neighbors are unknown",
		 socket);
	errno = ENOSYS;
	return NULL;
}

const char *lldp_client_lldpd_why(const struct lldp_client *c)
{
	(void)c;
	return "";
}

const char *lldp_client_lldpd_library(void)
{
	return "none";
}

void lldp_client_lldpd_release(struct lldp_client *c)
{
	(void)c;
}

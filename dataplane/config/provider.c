/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/provider.h"

#include <stdarg.h>
#include <stdio.h>

bool provider_refuse(struct provider_refusal *why, enum provider_reason reason,
		     const struct port *port, unsigned about, const char *fmt, ...)
{
	va_list ap;

	why->reason = reason;
	why->port = port;
	why->about = about;
	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return false;
}

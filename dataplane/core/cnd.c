/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnd.h"

unsigned int cnd_count(uint8_t cnpv_mask)
{
	unsigned int n = 0;

	for (unsigned int priority = 0; priority < DCB_PRIORITIES; priority++)
		n += cnd_is_cnpv(cnpv_mask, priority);
	return n;
}

uint8_t cnd_auto_alt_pri(uint8_t cnpv_mask, unsigned int priority)
{
	for (unsigned int lower = priority; lower-- > 0;)
		if (!cnd_is_cnpv(cnpv_mask, lower))
			return (uint8_t)lower;
	for (unsigned int higher = priority + 1; higher < DCB_PRIORITIES; higher++)
		if (!cnd_is_cnpv(cnpv_mask, higher))
			return (uint8_t)higher;
	return (uint8_t)priority;
}

bool cnd_port_is_errored(uint8_t cnpv_mask, unsigned int cncp_alternate_priority,
			 unsigned int cnpd_alternate_priority)
{
	return cnd_is_cnpv(cnpv_mask, cncp_alternate_priority) ||
	       cnd_is_cnpv(cnpv_mask, cnpd_alternate_priority);
}

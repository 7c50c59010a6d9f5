/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/dcb_tlv.h"

bool ets_tables_share(const struct ets_tables *ets)
{
	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		if (ets->tsa[tc] == TSA_ETS)
			return true;
	return false;
}

bool ets_tables_add_up(const struct ets_tables *ets)
{
	unsigned sum = 0;

	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		if (ets->tsa[tc] == TSA_ETS)
			sum += ets->bandwidth[tc];
	return sum == 100 || !ets_tables_share(ets);
}

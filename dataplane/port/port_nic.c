/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_nic.h"

#include "dataplane/core/hm.h"

enum netio_clock port_nic_choose(const struct port_nic_times *t, uint32_t *delay_ns)
{
	int64_t ns;

	*delay_ns = 0;
	if (!t->has_sent)
		return NETIO_CLOCK_NONE;
	if (!t->has_nic_sent || !t->has_nic_received)
		return NETIO_CLOCK_KERNEL;
	ns = dcb_time_diff_ns(t->received, t->sent) - (t->nic_received_ns - t->nic_sent_ns);
	/* The clocks do not have quite the same rate. */
	if (ns < -HM_TIMESTAMP_ERROR_NS || ns > PORT_NIC_MAX_NS)
		return NETIO_CLOCK_KERNEL;
	*delay_ns = ns < 0 ? 0 : (uint32_t)ns;
	return NETIO_CLOCK_NIC;
}

int64_t port_nic_deduct(const struct port_nic *n, uint32_t delay_ns)
{
	uint32_t longest = port_nic_longest(n);

	return longest > delay_ns ? (int64_t)delay_ns - longest : 0;
}

void port_nic_add(struct port_nic *n, uint32_t delay_ns)
{
	n->delay_ns[n->next] = delay_ns;
	n->next = (uint8_t)((n->next + 1) % PORT_NIC_SAMPLES);
}

uint32_t port_nic_longest(const struct port_nic *n)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < PORT_NIC_SAMPLES; i++)
		if (n->delay_ns[i] > longest)
			longest = n->delay_ns[i];
	return longest;
}

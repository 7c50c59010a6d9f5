/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_pfc_tx.h"

/* Time between attempts to send a PFC frame that the interface had no room for. */
#define PORT_PFC_TX_RETRY_NS (100 * DCB_NS_PER_US)

/* --- configuration --------------------------------------------------------- */

static struct dcb_rate bit_rate(const struct soft_port *port)
{
	return port_bit_rate(&port->base.settings, port_speed(port));
}

void port_pfc_tx_configure(struct soft_port *port)
{
	pfc_tx_configure(&port->pfc.tx, pfc_sent(port), bit_rate(port));
}

uint8_t port_pfc_tx_congested(const struct soft_port *port)
{
	const struct port_buffers *b = &port->buffers;
	uint8_t congested = 0;

	for (unsigned i = 0; port->pfc.tx.enable >> i; i++) {
		const struct buffer_account *a = &b->lossless[i];
		bool is;

		if (!pfc_tx_is_enabled(&port->pfc.tx, i))
			continue;
		is = port->pfc.tx.paused >> i & 1 ? !buffer_is_below_xon(a, &b->xon[i])
						  : buffer_is_congested(a);
		congested |= (uint8_t)(is << i);
	}
	return congested;
}

/* --- PFC frames ------------------------------------------------------------ */

static void count_sent(struct soft_port *port, const struct pfc_pdu *pdu)
{
	counter_add(&port->stats.pfc_frames_sent, 1);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct pfc_stats *stats = &port->pfc.stats[i];

		if (!(pdu->enable >> i & 1))
			continue;
		counter_add(&stats->pfc_requests, 1);
		gauge_set(&stats->pfc_pause_sent_us,
			  port->pfc.tx.paused_ns[i] / (uint64_t)DCB_NS_PER_US);
	}
}

void port_charge_control(struct soft_port *port, uint32_t len, struct dcb_time now)
{
	if (netio_security(port->io) == NETIO_SECURES_ALL)
		len += port->link_octets;
	if (dcb_rate_is_unlimited(port->base.settings.rate))
		return;
	limiter_forget(&port->queues.limiter, now, port_wants_to_send(port) ? PORT_CATCH_UP_NS : 0);
	limiter_charge(&port->queues.limiter, port->base.settings.rate, dcb_wire_octets(len));
}

bool port_send_mac_control(struct soft_port *port, const uint8_t octets[PFC_FRAME_OCTETS],
			   struct dcb_time now, int *error)
{
	struct iovec iov = {(void *)octets, PFC_FRAME_OCTETS};
	struct netio_sent sent = netio_send_control(port->io, &iov, now);

	*error = sent.error;
	counter_add(&port->stats.tx_errors, sent.refused);
	if (sent.taken == sent.refused)
		return false;
	counter_add(&port->stats.tx_frames, 1);
	counter_add(&port->stats.tx_octets, PFC_FRAME_OCTETS);
	counter_add(&port->pfc.port_stats.control_sent, 1);
	if (pfc_pdu_is_pause(octets, PFC_FRAME_OCTETS))
		counter_add(&port->pfc.port_stats.pause_sent, 1);
	port_charge_control(port, PFC_FRAME_OCTETS, now);
	return true;
}

static int send_pdu(struct soft_port *port, struct pfc_pdu *pdu, struct dcb_time now)
{
	uint8_t octets[PFC_FRAME_OCTETS];
	int error;

	port_mac(port, pdu->source);
	pfc_pdu_encode(pdu, octets);
	if (port_send_mac_control(port, octets, now, &error)) {
		pfc_tx_sent(&port->pfc.tx, pdu, now);
		count_sent(port, pdu);
	}
	return error;
}

int port_pfc_tx_send(struct soft_port *port, struct dcb_time now)
{
	struct pfc_pdu pdu;

	if (!port->up || !pfc_tx_next(&port->pfc.tx, port_pfc_tx_congested(port), now, &pdu))
		return 0;
	return send_pdu(port, &pdu, now);
}

struct dcb_time port_pfc_tx_deadline(const struct soft_port *port, struct dcb_time now)
{
	struct pfc_pdu pdu;

	if (!port->up)
		return DCB_TIME_NEVER;
	if (pfc_tx_next(&port->pfc.tx, port_pfc_tx_congested(port), now, &pdu))
		return dcb_time_add_ns(now, PORT_PFC_TX_RETRY_NS);
	return pfc_tx_deadline(&port->pfc.tx);
}

void port_pfc_tx_leave(struct soft_port *port, struct dcb_time now)
{
	struct pfc_pdu pdu;

	if (port->up && pfc_tx_last(&port->pfc.tx, &pdu))
		(void)send_pdu(port, &pdu, now);
}

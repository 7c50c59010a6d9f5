/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/pause_history.h"

#include <stdlib.h>

#include "dataplane/config/provider.h"

struct ring {
	struct pause_interval of[PAUSE_INTERVALS];
	unsigned n; /* intervals so far; the last one is at (n - 1) % PAUSE_INTERVALS */
};

/* Of a priority, as they were read last. */
struct counts {
	uint64_t sent, received, paused_ns, pausing_us;
};

struct port_pauses {
	uint32_t ifindex; /* 0: none */
	struct counts last[DCB_PRIORITIES];
	struct ring *ring[DCB_PRIORITIES];
};

struct pause_history {
	uint32_t number; /* of the last interval */
	struct dcb_time ended;
	struct port_pauses port[DCB_SLOTS];
};

/* calloc() maps pages on first use: slots without port cost no memory. */
struct pause_history *pause_history_new(void)
{
	return calloc(1, sizeof(struct pause_history));
}

static void clear(struct port_pauses *p)
{
	for (unsigned n = 0; n < DCB_PRIORITIES; n++)
		free(p->ring[n]);
	*p = (struct port_pauses){.ifindex = 0};
}

void pause_history_free(struct pause_history *h)
{
	for (unsigned i = 0; h && i < DCB_SLOTS; i++) {
		if (h->port[i].ifindex)
			clear(&h->port[i]);
	}
	free(h);
}

/* The difference of a counter; all of it, if the counters began anew. */
static uint32_t more(uint64_t is, uint64_t was)
{
	uint64_t n = is >= was ? is - was : is;

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct pause_interval interval_of(const struct counts *is, const struct counts *was,
					 const struct pfc_peaks *peaks)
{
	return (struct pause_interval){
	    .sent = more(is->sent, was->sent),
	    .received = more(is->received, was->received),
	    .paused_us = more(is->paused_ns / 1000, was->paused_ns / 1000),
	    .pausing_us = more(is->pausing_us, was->pausing_us),
	    .longest_us = more(peaks->longest_ns / 1000, 0),
	    .queue_octets = more(peaks->queue_octets, 0),
	};
}

static bool has_pauses(const struct pause_interval *i)
{
	return i->sent | i->received | i->paused_us | i->pausing_us;
}

static void add(struct state_lock *lock, struct ring **ring, const struct pause_interval *i)
{
	if (!*ring && !has_pauses(i))
		return;
	state_change_begin(lock);
	if (!*ring)
		*ring = calloc(1, sizeof(**ring)); /* out of memory: the next time */
	if (*ring)
		(*ring)->of[(*ring)->n++ % PAUSE_INTERVALS] = *i;
	state_change_end(lock);
}

/*
 * The first counters of a device are no interval; those of dcbd's queues began with the port. Those
 * of a priority without PFC are none either.
 */
static void sample(struct pause_history *h, struct state_lock *lock,
		   const struct dcb_config_port *port, uint32_t lasted_ms)
{
	const struct provider_ops *ops = port->port->provider->ops;
	struct port_pauses *p = &h->port[port->port->slot];
	uint32_t ifindex = port->port->link.ifindex;
	struct pfc_peaks peaks[DCB_PRIORITIES] = {{0}};
	bool is_known = p->ifindex == ifindex || port->port->has & PROVIDER_QUEUES;

	if (p->ifindex != ifindex) {
		state_change_begin(lock);
		clear(p);
		p->ifindex = ifindex;
		state_change_end(lock);
	}
	if (ops->take_pfc_peaks)
		ops->take_pfc_peaks(port->port, peaks);
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		struct pause_interval i;
		struct pfc_stats stats;
		struct counts is;

		ops->read_pfc(port->port, n, &stats);
		is = (struct counts){stats.pfc_requests, stats.pfc_indications, stats.pfc_paused_ns,
				     stats.pfc_pause_sent_us};
		i = interval_of(&is, &p->last[n], &peaks[n]);
		i.number = h->number;
		i.lasted_ms = lasted_ms;
		p->last[n] = is;
		if (is_known && port->oper.pfc_enable >> n & 1)
			add(lock, &p->ring[n], &i);
	}
}

void pause_history_tick(struct pause_history *h, struct state_lock *lock,
			const struct dcb_config *config, struct dcb_time started,
			struct dcb_time now)
{
	uint32_t number = (uint32_t)(dcb_time_diff_ns(now, started) / DCB_NS_PER_S);
	struct dcb_time began = h->number ? h->ended : started;
	int64_t lasted_ns = dcb_time_diff_ns(now, began);

	if (lasted_ns < DCB_NS_PER_S / 2)
		return;
	h->number = number > h->number ? number : h->number + 1;
	h->ended = now;
	for (size_t pos = 0; pos < config->n_ports; pos++) {
		if (config->ports[pos].port->has & PROVIDER_PFC_STATS)
			sample(h, lock, &config->ports[pos], (uint32_t)(lasted_ns / DCB_NS_PER_MS));
	}
}

/* Returns NULL if the port and priority have none. */
static const struct ring *ring_of(const struct pause_history *h, const struct port *port,
				  unsigned priority)
{
	const struct port_pauses *p = &h->port[port->slot];

	return p->ifindex == port->link.ifindex ? p->ring[priority] : NULL;
}

const struct pause_interval *pause_history_from(const struct pause_history *h,
						const struct port *port, unsigned priority,
						uint32_t number)
{
	const struct ring *ring = ring_of(h, port, priority);
	unsigned at = ring && ring->n > PAUSE_INTERVALS ? ring->n - PAUSE_INTERVALS : 0;

	for (; ring && at < ring->n; at++) {
		if (ring->of[at % PAUSE_INTERVALS].number >= number)
			return &ring->of[at % PAUSE_INTERVALS];
	}
	return NULL;
}

const struct pause_interval *pause_history_last(const struct pause_history *h,
						const struct port *port, unsigned priority)
{
	const struct ring *ring = ring_of(h, port, priority);

	return ring && ring->n ? &ring->of[(ring->n - 1) % PAUSE_INTERVALS] : NULL;
}

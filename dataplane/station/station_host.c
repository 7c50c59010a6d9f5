/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames from the host: checked, classified, tagged, and queued in a flow queue or in the port.
 *
 * A frame is read into the buffer that it is queued in, with room for tags in front. Its priority
 * is that of its tag, of the rules of dcbd.conf, of the application priorities in force
 * (dataplane/core/app.h), or the default. What the host must not send is judged on the frame as it
 * leaves, and as it is when other systems have removed its tags: no MAC control, no CNM and no
 * CN-TAG but the station's behind any tags.
 *
 * A system call has the processor fetch code and predict branches anew, which cost 30 ns a frame:
 * therefore 64 frames are read at a time. doc/decisions.md has other numbers.
 */
#include "dataplane/station/station_private.h"

#include "lib/octets.h"

#include <string.h>

/* Octets in front of a frame of the host in its buffer: for the tags that it gets, now or later. */
#define TAG_ROOM (2 * ETH_TAG_OCTETS)

/* (C) Frames of the host that are read before they are queued. */
#define HOST_BATCH 64

/* Where the next frame of the host goes. */
struct host_buffer {
	struct dcb_frame *frame; /* NULL: all are in use, and the frame is discarded */
	uint8_t *octets; /* in frame or in station.scratch: station.ports.frame_octets + 1 */
};

/* A frame of the host, parsed and classified. */
struct departure {
	struct dcb_frame *frame; /* as in struct host_buffer */
	uint8_t *octets;
	uint32_t len;
	struct eth_view view;
	uint16_t vid;
	uint8_t priority;
	bool control; /* see is_control() */
	bool parsed;  /* *keys and rule are set: parse_flow() */
	struct flow_keys *keys;
	const struct flow_rule *rule;
};

static void parse_flow(const struct station *st, struct departure *d)
{
	uint32_t at = d->view.payload_offset - 2u;

	if (d->parsed)
		return;
	d->parsed = true;
	/* If the frame is too short for its IP headers, keys contain the MAC addresses only. */
	(void)flow_parse(d->keys, d->octets, d->octets + ETH_SA_OFFSET, d->vid, d->octets + at,
			 d->len - at);
	d->rule = flow_find_rule(&st->flows, d->keys);
}

/*
 * Returns the priority of the host's frame: of its VLAN tag, else of the first rule that
 * matches if it sets one, else of its application, else the port's default.
 */
static uint8_t classify(const struct station *st, const struct soft_port *port, struct departure *d)
{
	const struct app_map *apps = &port->station->apps;
	uint8_t priority = APP_NONE;

	if (d->view.tagged)
		return d->view.priority;
	if (st->flows.n > 0 || apps->selectors) {
		parse_flow(st, d);
		if (d->rule && d->rule->sets_priority)
			return d->rule->priority;
		priority = app_map_find(apps, d->keys);
	}
	return priority == APP_NONE ? port->base.settings.default_priority : priority;
}

/*
 * Returns the counter of the reason to discard the host's frame; NULL: it is valid.
 * Tags do not matter: the station removes the host's, and other systems may remove
 * further ones. A second CN-TAG would then be taken for the station's.
 */
static uint64_t *discard_reason(const struct station *st, struct soft_port *port,
				struct departure *d, uint32_t wire_octets)
{
	struct port_stats *stats = &port->stats;

	if (wire_octets > d->len || d->len > st->ports.frame_octets)
		return &stats->discard_oversize;
	if (eth_parse(d->octets, d->len, &d->view) != ETH_OK)
		return &stats->discard_malformed;
	if (d->view.inner_type == ETH_TYPE_CNM)
		return &port->station->cnm.cnm_from_host;
	if (eth_is_link_control(&d->view))
		return &stats->discard_reserved;
	if (d->view.inner_cn_tagged)
		return &stats->discard_malformed;
	return d->view.vid == ETH_VID_RESERVED ? &stats->discard_vlan : NULL;
}

/*
 * 36.2.8: flow control must not delay frames to reserved addresses, the control
 * protocols between neighbors such as LLDP.
 */
static bool is_control(const uint8_t *octets)
{
	return eth_is_reserved(octets);
}

/*
 * Returns the control information of the frame's C-TAG; 0 if it leaves untagged. A
 * frame of the PVID needs a tag only for its priority, with VID 0 (6.9.2), unless
 * settings.pvid_tagged. A control frame has a tag only if the host sent it tagged. A
 * frame in which a second C-TAG follows has one in any case: otherwise the second
 * would leave as the first, with a VID and priority that the station did not check.
 */
static uint16_t tci_of(const struct soft_port *port, const struct departure *d, bool *tagged)
{
	const struct port_settings *settings = &port->base.settings;
	unsigned tci = (unsigned)d->priority << 13 | (unsigned)d->view.drop_eligible << 12;

	if (d->control && !d->view.tagged)
		tci = 0;
	else if (d->vid != settings->pvid || settings->pvid_tagged)
		tci |= d->vid;
	*tagged = tci != 0 || d->view.ethertype == ETH_TYPE_CTAG;
	return (uint16_t)tci;
}

/*
 * Replaces the host's tags by new ones, in front of the octets that follow them, and puts the
 * addresses in front of these. flow_id 0: no CN-TAG. The octets of d are not valid any more.
 */
static void write_frame(struct dcb_frame *frame, const struct soft_port *port,
			const struct departure *d, uint16_t flow_id)
{
	uint32_t rest = d->view.payload_offset - 2u;
	uint8_t addresses[ETH_TYPE_OFFSET];
	uint8_t *p = d->octets + rest;
	bool tagged;
	uint16_t tci = tci_of(port, d, &tagged);

	memcpy(addresses, d->octets, sizeof(addresses));
	if (flow_id) {
		p -= ETH_TAG_OCTETS;
		put_be32(p, (uint32_t)ETH_TYPE_CN_TAG << 16 | flow_id);
	}
	if (tagged) {
		p -= ETH_TAG_OCTETS;
		put_be32(p, (uint32_t)ETH_TYPE_CTAG << 16 | tci);
	}
	p -= sizeof(addresses);
	memcpy(p, addresses, sizeof(addresses));
	frame->priority = d->priority;
	frame->flags = flow_id ? FRAME_CN_TAGGED : 0;
	frame->data = p;
	frame->len = eth_pad(p, d->len - (uint32_t)(p - d->octets));
}

/* Returns an upper limit of the length that write_frame() produces. */
static uint32_t max_len(const struct departure *d)
{
	return eth_padded_octets(d->len + 2 * ETH_TAG_OCTETS);
}

static struct buffer_account *admit(struct soft_port *port, const struct departure *d)
{
	return d->control ? port_admit_control(port, max_len(d))
			  : port_admit(port, d->priority, max_len(d));
}

/*
 * Gives the frame buffer, for max_len() octets, to the account that has counted it. Returns
 * false if there is none.
 */
static bool own_buffer(struct soft_port *port, const struct departure *d,
		       struct buffer_account *account)
{
	if (d->frame) {
		d->frame->account = account;
		return true;
	}
	buffer_release(account, max_len(d), 1);
	counter_add(&account->no_frames, 1);
	port_count_no_buffer(port, d->priority);
	return false;
}

static void write_counted(const struct soft_port *port, const struct departure *d, uint16_t flow_id)
{
	uint32_t octets = max_len(d);

	write_frame(d->frame, port, d, flow_id);
	if (octets > d->frame->len)
		buffer_release(d->frame->account, octets - d->frame->len, 0);
}

/* Queues the frame. Returns false if it is discarded: its buffer is free. */
static bool to_port(struct station *st, struct soft_port *port, const struct departure *d)
{
	struct buffer_account *account;

	if (!d->control && port_discards(port, d->priority))
		return false;
	account = admit(port, d);
	if (!account || !own_buffer(port, d, account))
		return false;
	write_counted(port, d, 0);
	if (d->control)
		d->frame->flags |= PORT_FRAME_CONTROL;
	(void)port_set_enqueue(&st->ports, port, d->frame, st->now);
	return true;
}

/* Selects the flow queue; last as for flow_queues_assign(), unchanged if there is none to set. */
static struct flow_queue *select_flow_queue(struct station *st, struct station_port *sp,
					    struct departure *d, uint32_t **last)
{
	struct station_pri *pri = &sp->pri[d->priority];
	int index = 0;

	if (pri->rppp_max_rps > 1) {
		parse_flow(st, d);
		d->keys->priority = d->priority;
		index = flow_queues_rule(st, sp, d->priority, d->rule);
		if (index < 0)
			return flow_queues_assign(st, sp, d->priority,
						  station_flow_hash(st, d->keys), last);
	}
	return fq_get(sp, d->priority, (unsigned)index);
}

/* Queues the frame. Returns false if it is discarded: its buffer is free. */
static bool to_flow_queue(struct station *st, struct station_port *sp, struct departure *d)
{
	uint32_t none, *last = &none;
	struct flow_queue *fq = select_flow_queue(st, sp, d, &last);
	struct station_pri *pri = &sp->pri[d->priority];
	struct buffer_account *account;

	if (port_discards(sp->port, d->priority))
		return false;
	account = fq_admit(fq, max_len(d));
	if (!account || !own_buffer(sp->port, d, account))
		return false;
	write_counted(sp->port, d, pri->adds_cn_tags ? fq_flow_id(fq) : 0);
	fq_enqueue(st, fq, d->frame);
	*last = fq->pushed;
	return true;
}

static struct host_buffer get_buffer(struct station *st)
{
	struct dcb_frame *frame = frame_pool_get(&st->ports.pool);

	return (struct host_buffer){frame, frame ? frame->data + TAG_ROOM : st->scratch};
}

static void put_buffer(struct station *st, const struct host_buffer *buffer)
{
	if (buffer->frame)
		frame_pool_put(&st->ports.pool, buffer->frame);
}

/* Queues the frame in the buffer. Returns false if it is discarded: the buffer is free. */
static bool depart(struct station *st, struct soft_port *port, const struct host_buffer *buffer,
		   uint32_t len, uint32_t wire_octets)
{
	struct station_port *sp = port->station;
	struct flow_keys keys; /* not in d, which is cleared: they are long */
	struct departure d = {
	    .frame = buffer->frame, .octets = buffer->octets, .len = len, .keys = &keys};
	uint64_t *reason;

	reason = discard_reason(st, port, &d, wire_octets);
	if (reason) {
		counter_add(reason, 1);
		return false;
	}
	d.vid = station_vid(port, &d.view);
	d.control = is_control(d.octets);
	d.priority = classify(st, port, &d);
	/* After a priority stops being a CNPV, flow queues keep the order until they are empty. */
	if (!d.control && (station_is_cnpv(port, d.priority) || sp->pri[d.priority].queued))
		return to_flow_queue(st, sp, &d);
	return to_port(st, port, &d);
}

void station_from_host(struct station *st, struct soft_port *port, const uint8_t *octets,
		       uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	uint32_t longest = st->ports.frame_octets + 1, n = len < longest ? len : longest;
	struct host_buffer buffer;

	st->now = now;
	if (!port->station || !port->attached || !port->up)
		return;
	buffer = get_buffer(st);
	memcpy(buffer.octets, octets, frame_extent(&st->ports.extent, n));
	if (!depart(st, port, &buffer, n, wire_octets))
		put_buffer(st, &buffer);
}

/* Frames of the host that were read and not yet queued. */
struct host_batch {
	struct host_buffer buffer[HOST_BATCH];
	uint32_t len[HOST_BATCH];
	unsigned n;
};

/*
 * Reads up to max frames, fewer while buffers are short: a frame without a buffer is read alone.
 * Returns what the last read() returned.
 */
static int read_frames(struct station *st, struct netio *host, unsigned max, struct host_batch *a)
{
	int len = 0;

	for (a->n = 0; a->n < max; a->n++) {
		struct host_buffer *b = &a->buffer[a->n];

		*b = get_buffer(st);
		if (!b->frame && a->n > 0)
			break;
		len = host->ops->read(host, b->octets, st->ports.frame_octets + 1);
		a->len[a->n] = (uint32_t)len;
		if (len <= 0) {
			put_buffer(st, b);
			break;
		}
	}
	return len;
}

static void queue_frames(struct station *st, struct soft_port *port, const struct host_batch *a)
{
	bool up = port->attached && port->up;

	for (unsigned i = 0; i < a->n; i++) {
		if (!up || !depart(st, port, &a->buffer[i], a->len[i], a->len[i]))
			put_buffer(st, &a->buffer[i]);
	}
}

/*
 * Several frames are read, and then queued: a system call leaves little of the processor's caches
 * of instructions and branches, and each of these frames but the first finds those of the one
 * before.
 */
int station_read_host(struct station *st, struct soft_port *port, unsigned max, struct dcb_time now)
{
	struct netio *host = station_port_host(port);
	unsigned n = 0;
	int len;

	if (!host)
		return 0;
	st->now = now;
	do {
		struct host_batch a;

		len = read_frames(st, host, max - n < HOST_BATCH ? max - n : HOST_BATCH, &a);
		queue_frames(st, port, &a);
		n += a.n;
	} while (n < max && len > 0);
	return n == 0 ? len : (int)n;
}

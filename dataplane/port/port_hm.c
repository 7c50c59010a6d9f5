/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_hm.h"

#include "dataplane/config/port_headroom.h"
#include "dataplane/port/port_pfc_tx.h"
#include "lib/counter.h"

/* HMPDUs sent in one call of port_hm_run(): the engine has at most these two at a time. */
#define RUN_BATCH 2

/* Times taken in one call of port_hm_times(). */
#define TIMES_BATCH 8

/* Time until the rest of a batch is sent, or a result that found no room is handed over. */
#define RETRY_NS (100 * DCB_NS_PER_US)

/* A timestamp that is older than this was taken before the date was set. */
#define OLDEST_NS DCB_NS_PER_S

static struct dcb_time time_now(const struct port_hm_set *s, struct dcb_time now)
{
	return s->now ? s->now(s->ctx) : now;
}

/* --- statistics and result ------------------------------------------------------- */

static void show_states(struct soft_port *port)
{
	struct pfc_measure_stats *stats = &port->hm.stats;
	const struct hm *engine = &port->hm.engine;
	struct hm_states is;

	hm_get_states(engine, &is);
	gauge_set(&stats->hr, (uint64_t)is.hr);
	gauge_set(&stats->qp, (uint64_t)is.qp);
	gauge_set(&stats->rp, (uint64_t)is.rp);
	gauge_set(&stats->ct, (uint64_t)is.ct);
	gauge_set(&stats->qt, (uint64_t)is.qt);
	gauge_set(&stats->rt, (uint64_t)is.rt);
	gauge_set(&stats->oper_up, (uint64_t)engine->hm_oper_up);
	gauge_set(&stats->measure, (uint64_t)engine->measure);
	gauge_set(&stats->path, (uint64_t)hm_path_code((enum hm_via)engine->request_path,
						       (enum hm_via)engine->response_path));
	gauge_set(&stats->rate_bps, engine->rate.bps);
}

static void show_result(struct soft_port *port, const struct hm_result *is)
{
	struct pfc_measure_stats *stats = &port->hm.stats;

	gauge_set(&stats->average, (uint64_t)is->average);
	gauge_set(&stats->measured, (uint64_t)is->measured);
	gauge_set(&stats->count, (uint64_t)is->count);
	gauge_set(&stats->minimum, (uint64_t)is->minimum);
	gauge_set(&stats->median, (uint64_t)is->median);
	gauge_set(&stats->maximum, (uint64_t)is->maximum);
	gauge_set(&stats->last, (uint64_t)is->last);
	gauge_set(&stats->since_ns, (uint64_t)is->since.ns);
}

static uint32_t round_up(uint32_t quanta)
{
	uint32_t over = quanta % PORT_HM_STEP;

	if (over == 0 || quanta > UINT32_MAX - PORT_HM_STEP)
		return quanta;
	return quanta + PORT_HM_STEP - over;
}

uint32_t port_hm_result(uint32_t before, struct dcb_time at, uint32_t quanta, struct dcb_time now,
			struct dcb_time *next)
{
	uint32_t is = round_up(quanta);
	struct dcb_time earliest;

	*next = DCB_TIME_NEVER;
	if (is == before || (is && is < before && before - is < 2 * PORT_HM_STEP))
		return before;
	earliest = dcb_time_add_ns(at, is > before ? PORT_HM_GROW_NS : PORT_HM_SHRINK_NS);
	if (at.ns == 0 || !dcb_time_before(now, earliest))
		return is;
	*next = earliest;
	return before;
}

/* The initial value is a result only if one is set. */
static uint32_t result_of(const struct soft_port *port, const struct hm_result *is)
{
	const struct pfc_measure_config *config = &port->config->pfc_measure;

	if (config->enable != PFC_MEASURE_AGREED && config->enable != PFC_MEASURE_ALWAYS)
		return 0;
	return is->measured || config->initial ? is->average : 0;
}

/* Hands the result and the bound of the response time over if one has changed. */
static void hand_over(struct port_hm_set *s, struct soft_port *port, const struct hm_result *is,
		      struct dcb_time now)
{
	struct port_hm *p = &port->hm;
	uint32_t before = (uint32_t)p->stats.result, result;
	uint64_t bound_before = p->stats.response_bound_ns, bound = p->response.bound_ns;

	result = port_hm_result(before, p->result_at, result_of(port, is), now, &p->result_next);
	if (result == before && bound == bound_before)
		return;
	gauge_set(&p->stats.result, (uint64_t)result);
	gauge_set(&p->stats.response_bound_ns, bound);
	if (s->measured && !s->measured(s->ctx, port)) {
		gauge_set(&p->stats.result, (uint64_t)before);
		gauge_set(&p->stats.response_bound_ns, bound_before);
		p->result_next = dcb_time_add_ns(now, RETRY_NS);
		return;
	}
	if (result != before)
		p->result_at = now;
}

/* Returns when the next periodic measurement begins; DCB_TIME_NEVER: not while this one lasts. */
static struct dcb_time periodic_time(const struct soft_port *port)
{
	const struct hm *engine = &port->hm.engine;
	int64_t interval_s = port->config ? port->config->pfc_measure.interval_s : 0;

	if (!interval_s || !engine->hm_oper_up || !engine->settings.measure || engine->measure)
		return DCB_TIME_NEVER;
	return dcb_time_add_ns(engine->began, interval_s * DCB_NS_PER_S);
}

static void schedule(struct port_hm_set *s, struct soft_port *port)
{
	struct port_hm *p = &port->hm;
	struct dcb_time at = dcb_time_min(hm_deadline(&p->engine), p->result_next);

	if (p->dropping && port->up)
		at = dcb_time_min(at, p->excess_end);
	deadlines_set(&s->due, &p->deadline, dcb_time_min(at, periodic_time(port)));
}

/* Updates what follows from a change of the engine, and schedules the port. */
static void update(struct port_hm_set *s, struct soft_port *port, struct dcb_time now)
{
	struct port_hm *p = &port->hm;
	struct hm_result is;

	hm_get_result(&p->engine, &is);
	show_result(port, &is);
	show_states(port);
	hand_over(s, port, &is, now);
	schedule(s, port);
}

/* --- configuration and link -------------------------------------------------------- */

/* No Request Adjustment: the calculation adds items a and b of 36.1.1 (36.9.4, NOTE 2). */
static void settings_of(const struct soft_port *port, struct dcb_rate rate, struct hm_settings *out)
{
	const struct pfc_measure_config *c = &port->config->pfc_measure;

	*out = (struct hm_settings){
	    .minimum = c->minimum ? c->minimum : 1,
	    .maximum = c->maximum,
	    .initial = c->initial,
	    .halt_ns = port_halt_ns(&port->base.settings, port->config, port->hm.response.bound_ns),
	    .transmit_ns = c->transmit_ns,
	    .receive_ns = c->receive_ns,
	    .measure = port_measures(port->config, &port->oper),
	    .separate = c->separate,
	};
	if (!out->maximum)
		out->maximum = (uint32_t)hm_ns_to_quanta(rate, PFC_MEASURE_MAX_NS);
	if (out->maximum < out->minimum)
		out->maximum = out->minimum;
	port_mac(port, out->address);
}

/* Triggers of the control thread: no effect on a port that is measuring. */
static void take_triggers(struct soft_port *port, struct dcb_time now)
{
	struct port_hm *p = &port->hm;

	if (p->interruptions != port->oper.pfc_interruptions)
		hm_trigger(&p->engine, HM_TRIGGER_CONNECTIVITY, now);
	if (p->restart != port->config->pfc_measure.restart)
		hm_trigger(&p->engine, HM_TRIGGER_MANAGEMENT, now);
	p->interruptions = port->oper.pfc_interruptions;
	p->restart = port->config->pfc_measure.restart;
}

/*
 * 36.9.5, 36.9.7: requests take the path of PFC frames, responses that of data frames. A SecY
 * without a key to transmit with sends neither.
 */
static void set_oper(struct soft_port *port, struct dcb_time now)
{
	enum netio_security security = netio_security(port->io);
	bool up = port->attached && port->up && security != NETIO_NOT_SECURE_YET;
	enum hm_via request = security == NETIO_SECURES_ALL ? HM_VIA_MACSEC : HM_VIA_PLAIN;
	enum hm_via response = security == NETIO_SECURES_NONE ? HM_VIA_PLAIN : HM_VIA_MACSEC;

	(void)hm_set_oper(&port->hm.engine, up, request, response, now);
}

/*
 * 36.9.6: an average of prior measurements, of the same rate, is in force at once. The rate may be
 * known only when the link comes up: no effect after that. A link-up with another path drops it.
 */
static void restore(struct soft_port *port, struct dcb_rate rate)
{
	const struct pfc_measured *was = &port->config->pfc_measured;

	if (was->rate.bps == rate.bps)
		hm_restore(&port->hm.engine, (enum hmpdu_path)was->path, was->average, was->count);
}

void port_hm_update(struct port_hm_set *s, struct soft_port *port, struct dcb_time now)
{
	struct dcb_rate rate = port_bit_rate(&port->base.settings, port_speed(port));
	struct port_hm *p = &port->hm;
	struct hm_settings settings;

	if (!port->config)
		return;
	if (port->up && !p->engine.hm_oper_up) {
		port_response_restart(&p->response);
		p->nic = (struct port_nic){0};
		gauge_set(&p->stats.response_ns, (uint64_t)p->response.longest_ns);
		gauge_set(&p->stats.nic_ns, 0);
	}
	settings_of(port, rate, &settings);
	if (!p->engine.counters)
		hm_init(&p->engine, &settings, rate, &p->stats.hm);
	else
		hm_configure(&p->engine, &settings, rate, now);
	restore(port, rate);
	set_oper(port, now);
	take_triggers(port, now);
	update(s, port, now);
}

void port_hm_trigger(struct port_hm_set *s, struct soft_port *port, enum hm_trigger trigger,
		     struct dcb_time now)
{
	struct port_hm *p = &port->hm;

	hm_trigger(&p->engine, trigger, now);
	schedule(s, port);
}

void port_hm_leave(struct port_hm_set *s, struct soft_port *port, struct dcb_time now)
{
	if (port->hm.engine.counters)
		(void)hm_set_oper(&port->hm.engine, false, HM_VIA_PLAIN, HM_VIA_PLAIN, now);
	deadlines_remove(&s->due, &port->hm.deadline);
}

/* --- times of transmission ----------------------------------------------------------- */

static struct port_hm_sent *sent_with_id(struct port_hm *p, uint32_t id)
{
	for (unsigned i = 0; i < PORT_HM_SENT; i++)
		if ((p->sent[i].awaits_time || p->sent[i].awaits_nic) && p->sent[i].id == id)
			return &p->sent[i];
	return NULL;
}

/* A frame leaves after it was sent, and not later than now. */
static bool is_plausible(const struct port_hm_sent *sent, struct dcb_time at, struct dcb_time now)
{
	return dcb_time_diff_ns(at, sent->frame.at) >= -HM_TIMESTAMP_ERROR_NS &&
	       dcb_time_diff_ns(now, at) >= -HM_TIMESTAMP_ERROR_NS;
}

static void take_nic_time(struct port_hm_sent *sent, int64_t nic_ns)
{
	sent->awaits_nic = false;
	sent->has_nic = true;
	sent->nic_ns = nic_ns;
}

static void take_time(struct port_hm *p, struct port_hm_sent *sent, struct dcb_time at)
{
	sent->awaits_time = false;
	sent->has_time = true;
	sent->at = at;
	hm_sent(&p->engine, &sent->frame, at);
}

void port_hm_times(struct port_hm_set *s, struct soft_port *port, struct dcb_time now)
{
	struct port_hm *p = &port->hm;
	struct netio_stamp stamp;

	for (int i = 0;
	     i < TIMES_BATCH && port->io->ops->sent_at && port->io->ops->sent_at(port->io, &stamp);
	     i++) {
		struct port_hm_sent *sent = sent_with_id(p, stamp.id);

		if (sent && stamp.by_nic)
			take_nic_time(sent, stamp.nic_ns);
		else if (sent && is_plausible(sent, stamp.at, time_now(s, now)))
			take_time(p, sent, stamp.at);
	}
}

static bool awaits_times(const struct port_hm *p)
{
	bool any = false;

	for (unsigned i = 0; i < PORT_HM_SENT; i++)
		any |= p->sent[i].awaits_time || p->sent[i].awaits_nic;
	return any;
}

/* --- sending --------------------------------------------------------------------------- */

/* Returns 0, or an errno if the interface is gone or down. */
static int send_frame(struct port_hm_set *s, struct soft_port *port, const struct hm_frame *frame)
{
	struct port_hm_sent *sent = &port->hm.sent[port->hm.next_sent++ % PORT_HM_SENT];
	struct netio *io = port->io;
	struct netio_stamping stamping = {.controlled = frame->via == HM_VIA_MACSEC};
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct iovec iov = {octets, sizeof(octets)};
	struct netio_sent is;

	*sent = (struct port_hm_sent){.frame = *frame};
	hmpdu_encode(&frame->pdu, octets);
	if (io->ops->send_stamped)
		is = io->ops->send_stamped(io, &iov, frame->at, &stamping);
	else
		is = netio_send_control(io, &iov, frame->at);
	counter_add(&port->stats.tx_errors, is.refused);
	if (is.taken == is.refused) {
		counter_add(&port->hm.stats.unsent, 1);
		return is.error;
	}
	counter_add(&port->stats.tx_frames, 1);
	counter_add(&port->stats.tx_octets, sizeof(octets));
	port_charge_control(port, sizeof(octets), frame->at);
	sent->id = stamping.id;
	sent->awaits_time = stamping.awaits_time;
	sent->awaits_nic = stamping.awaits_nic;
	if (sent->awaits_time)
		port_hm_times(s, port, frame->at);
	return 0;
}

/* --- floods ---------------------------------------------------------------------------- */

/* The octets of dropped frames are not known: each is counted with those of an HMPDU. */
static void end_drop(struct soft_port *port)
{
	uint64_t dropped = 0;

	if (port->io->ops->end_drop && !port->io->ops->end_drop(port->io, &dropped))
		return;
	port->hm.dropping = false;
	counter_add(&port->hm.stats.excess, dropped);
	counter_add(&port->stats.rx_frames, dropped);
	counter_add(&port->stats.rx_octets, dropped * HMPDU_FRAME_OCTETS);
}

/* Counts a frame that is too many. */
static void note_excess(struct port_hm_set *s, struct soft_port *in, struct dcb_time now)
{
	struct port_hm *p = &in->hm;

	counter_add(&p->stats.excess, 1);
	if (p->dropping)
		return;
	if (!dcb_time_before(now, p->excess_end)) {
		p->excess_end = dcb_time_add_ns(now, PORT_HM_DROP_NS);
		p->excess = 0;
	}
	if (++p->excess != PORT_HM_EXCESS || !in->io->ops->begin_drop)
		return;
	p->dropping = in->io->ops->begin_drop(in->io);
	p->excess_end = dcb_time_add_ns(now, PORT_HM_DROP_NS);
	if (p->dropping)
		schedule(s, in);
}

int port_hm_run(struct port_hm_set *s, struct soft_port *port, struct dcb_time now)
{
	struct port_hm *p = &port->hm;
	struct hm_frame frame;
	int error = 0;

	if (p->dropping && port->up && !dcb_time_before(now, p->excess_end))
		end_drop(port);
	if (!dcb_time_before(now, periodic_time(port)))
		hm_trigger(&p->engine, HM_TRIGGER_MANAGEMENT, now);
	for (int i = 0; i < RUN_BATCH && !error; i++) {
		if (!hm_transmit(&p->engine, time_now(s, now), &frame))
			break;
		error = send_frame(s, port, &frame);
	}
	update(s, port, now);
	if (p->deadline.pos && !dcb_time_before(now, p->deadline.at))
		deadlines_set(&s->due, &p->deadline, dcb_time_add_ns(now, RETRY_NS));
	return error;
}

/* --- reception ------------------------------------------------------------------------- */

/* port_receive() has found the EtherType: if it is not the first one, tags precede it. */
void port_hm_count_bad(struct soft_port *in, enum hmpdu_error error)
{
	if (error == HMPDU_NOT_HMPDU)
		error = HMPDU_TAGGED;
	counter_add(&in->hm.stats.bad[error], 1);
	counter_add(&in->stats.discard_malformed, 1);
}

/* Takes one of the port's permissions. */
static bool is_permitted(struct dcb_time *next, struct dcb_time now)
{
	struct dcb_time earliest = dcb_time_add_ns(now, -PORT_HM_BURST * PORT_HM_INTERVAL_NS);

	/* 0: none was taken yet. A clock may begin at 0. */
	if (next->ns == 0 || dcb_time_before(*next, earliest))
		*next = earliest;
	if (!dcb_time_before(*next, now))
		return false;
	*next = dcb_time_add_ns(*next, PORT_HM_INTERVAL_NS);
	return true;
}

static struct dcb_time received_at(const struct port_hm_set *s, struct soft_port *in,
				   struct dcb_time now)
{
	struct dcb_time call = time_now(s, now), at;

	if (!in->io->ops->received_at)
		return call;
	at = in->io->ops->received_at(in->io);
	if (dcb_time_diff_ns(call, at) < -HM_TIMESTAMP_ERROR_NS ||
	    dcb_time_diff_ns(call, at) > OLDEST_NS)
		return call;
	return at;
}

void port_hm_paused(struct port_hm_set *s, struct soft_port *in, struct dcb_time now)
{
	struct dcb_rate rate = port_bit_rate(&in->base.settings, port_speed(in));
	const struct netio_ops *ops = in->io->ops;
	struct port_hm *p = &in->hm;
	uint32_t bound = p->response.bound_ns;
	int64_t ns;

	if (!ops->received_at)
		return;
	ns = dcb_time_diff_ns(time_now(s, now), received_at(s, in, now));
	if (ops->unsent)
		ns += dcb_rate_octets_to_ns(rate, ops->unsent(in->io));
	port_response_add(&p->response, ns);
	gauge_set(&p->stats.response_ns, (uint64_t)p->response.longest_ns);
	if (p->response.bound_ns != bound)
		port_hm_update(s, in, now);
}

static enum hm_via received_via(struct soft_port *in)
{
	const struct netio_ops *ops = in->io->ops;

	return ops->received_controlled && ops->received_controlled(in->io) ? HM_VIA_MACSEC
									    : HM_VIA_PLAIN;
}

static bool is_response(const struct hmpdu_tuple *t)
{
	return t->use == HMPDU_RESPONSE || t->use == HMPDU_RESPONSE_ADJUSTED;
}

static bool has_request(const struct hmpdu *pdu, uint32_t timestamp)
{
	for (unsigned i = 0; i < HMPDU_TUPLES; i++)
		if (pdu->tuple[i].use == HMPDU_REQUEST && pdu->tuple[i].timestamp == timestamp)
			return true;
	return false;
}

/* Returns the frame with the request that a response in the PDU answers; NULL: none is known. */
static const struct port_hm_sent *sent_before(const struct port_hm *p, const struct hmpdu *pdu)
{
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		if (!is_response(&pdu->tuple[i]))
			continue;
		for (unsigned k = 0; k < PORT_HM_SENT; k++)
			if (has_request(&p->sent[k].frame.pdu, pdu->tuple[i].timestamp))
				return &p->sent[k];
	}
	return NULL;
}

static enum netio_clock clock_of(struct soft_port *in, const struct port_hm_sent *sent,
				 struct dcb_time at, uint32_t *nic_delay_ns)
{
	const struct netio_ops *ops = in->io->ops;
	struct port_nic_times times = {.has_sent = sent->has_time,
				       .has_nic_sent = sent->has_nic,
				       .sent = sent->at,
				       .received = at,
				       .nic_sent_ns = sent->nic_ns};

	if (sent->has_nic && ops->received_by_nic)
		times.has_nic_received = ops->received_by_nic(in->io, &times.nic_received_ns);
	return port_nic_choose(&times, nic_delay_ns);
}

/* Shows which times a round trip is from. */
static void note_clock(struct port_hm *p, const struct port_hm_sent *sent, enum netio_clock clock,
		       uint32_t nic_delay_ns)
{
	gauge_set(&p->stats.clock, (uint64_t)clock);
	if (clock == NETIO_CLOCK_NIC) {
		port_nic_add(&p->nic, nic_delay_ns);
		gauge_set(&p->stats.nic_ns, port_nic_longest(&p->nic));
	} else if (sent->has_nic || sent->awaits_nic) {
		counter_add(&p->stats.nic_missing, 1);
	}
}

static void pass_to_engine(struct port_hm_set *s, struct soft_port *in, const struct hmpdu *pdu,
			   struct dcb_time now)
{
	struct port_hm *p = &in->hm;
	const struct port_hm_sent *sent = sent_before(p, pdu);
	struct dcb_time at = received_at(s, in, now);
	enum netio_clock clock = NETIO_CLOCK_NONE;
	uint32_t nic_delay_ns = 0;
	int64_t deduct_ns = 0;
	enum hm_verdict verdict;

	if (sent)
		clock = clock_of(in, sent, at, &nic_delay_ns);
	if (clock == NETIO_CLOCK_NIC)
		deduct_ns = port_nic_deduct(&p->nic, nic_delay_ns);
	verdict = hm_receive_deducting(&p->engine, pdu, received_via(in), at, deduct_ns);
	if (sent && verdict <= HM_BOUNDED)
		note_clock(p, sent, clock, nic_delay_ns);
}

/* noinline: not part of the path of other frames. */
void __attribute__((noinline))
port_hm_receive(struct port_hm_set *s, struct soft_port *in, const uint8_t *octets, uint32_t len,
		struct dcb_time now)
{
	struct port_hm *p = &in->hm;
	struct hmpdu pdu;
	enum hmpdu_error error = hmpdu_decode(octets, len, &pdu);

	if (error != HMPDU_OK) {
		port_hm_count_bad(in, error);
		return;
	}
	if (!p->engine.counters || !is_permitted(&p->permit, now)) {
		note_excess(s, in, now);
		return;
	}
	if (awaits_times(p))
		port_hm_times(s, in, now);
	pass_to_engine(s, in, &pdu, now);
	deadlines_set(&s->due, &p->deadline, now);
}

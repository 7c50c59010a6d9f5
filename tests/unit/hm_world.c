/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/hm_world.h"
#include "tests/unit/unit.h"

#include <string.h>

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static struct dcb_time at(int64_t ns)
{
	return (struct dcb_time){ns};
}

void hm_world_init(struct hm_world *w, struct dcb_rate rate, int64_t wire_ns)
{
	*w = (struct hm_world){.rate = rate, .unit_ns = 1};
	for (unsigned i = 0; i < 2; i++) {
		w->end[i].settings =
		    (struct hm_settings){.minimum = 1,
					 .maximum = 4000000,
					 .initial = 1000,
					 .measure = true,
					 .address = {0x02, 0, 0, 0, 0, (uint8_t)(i + 1)}};
		w->end[i].wire_ns = wire_ns;
	}
	dcb_rng_seed(&w->rng, 1, 1);
}

void hm_world_start(struct hm_world *w)
{
	for (unsigned i = 0; i < 2; i++) {
		struct hm_end *e = &w->end[i];

		assert_true(hm_settings_check(&e->settings));
		hm_init(&e->hm, &e->settings, w->rate, &e->counters);
		e->poll_ns = e->first_ns = HM_WORLD_NEVER;
	}
	w->now_ns = earlier(w->end[0].up_ns, w->end[1].up_ns);
}

void hm_world_set_up(struct hm_world *w, unsigned end, bool up)
{
	struct hm_end *e = &w->end[end];

	e->up = up;
	e->up_ns = up ? w->now_ns : HM_WORLD_NEVER;
	assert_true(hm_set_oper(&e->hm, up, HM_VIA_PLAIN, HM_VIA_PLAIN, at(w->now_ns)));
	e->poll_ns = up ? w->now_ns : HM_WORLD_NEVER;
}

/* --- truth ------------------------------------------------------------------------------ */

int64_t hm_world_truth_ns(const struct hm_world *w, unsigned end)
{
	const struct hm_end *self = &w->end[end], *peer = &w->end[!end];

	return self->settings.initiate_ns + self->wire_ns + peer->settings.halt_ns + peer->wire_ns;
}

int64_t hm_world_truth(const struct hm_world *w, unsigned end)
{
	double bits = (double)hm_world_truth_ns(w, end) * (double)w->rate.bps / 1e9;

	return (int64_t)(bits / 512 + 0.5);
}

int64_t hm_world_round_trip_ns(const struct hm_world *w, unsigned end)
{
	const struct hm_end *self = &w->end[end], *peer = &w->end[!end];

	return self->lag_ns + self->settings.transmit_ns + self->wire_ns +
	       peer->settings.receive_ns + peer->turnaround_ns + peer->lag_ns +
	       peer->settings.transmit_ns + peer->wire_ns + self->settings.receive_ns;
}

/* --- events ------------------------------------------------------------------------------ */

static int64_t jitter(struct hm_world *w, const struct hm_end *e)
{
	return dcb_rng_uniform(&w->rng, 0, e->jitter_ns);
}

static void trace(struct hm_world *w, unsigned from, const struct hmpdu *pdu)
{
	static const char letter[] = {' ', 'P', 'P', 'Q'};
	size_t used = strlen(w->trace);

	if (used + 40 > sizeof(w->trace))
		return;
	snprintf(w->trace + used, sizeof(w->trace) - used, "%s%c@%lld %c%c", used ? ", " : "",
		 'A' + (int)from, (long long)(w->now_ns / w->unit_ns), letter[pdu->tuple[0].use],
		 letter[pdu->tuple[1].use]);
	used = strlen(w->trace);
	if (w->trace[used - 1] == ' ')
		w->trace[used - 1] = '\0';
}

/* Passes the frame through the codec, as between two machines. */
static void through_codec(struct hmpdu *pdu)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];

	hmpdu_encode(pdu, octets);
	assert_int_equal(hmpdu_decode(octets, sizeof(octets), pdu), HMPDU_OK);
}

static void launch(struct hm_world *w, unsigned from, const struct hm_frame *frame)
{
	struct hm_end *e = &w->end[from];
	struct hm_flight *f = w->flight;

	for (; f->used; f++)
		assert_true(f + 1 < w->flight + HM_WORLD_FLIGHT);
	if (e->sent < HM_WORLD_SENT)
		e->sent_ns[e->sent] = w->now_ns;
	e->sent++;
	trace(w, from, &frame->pdu);
	*f = (struct hm_flight){.frame = *frame, .from = from, .used = true};
	through_codec(&f->frame.pdu);
	f->actual_ns = w->now_ns + e->lag_ns + jitter(w, e);
	f->report_ns =
	    e->report_ns == HM_WORLD_NEVER ? HM_WORLD_NEVER : f->actual_ns + e->report_ns;
	f->arrives_ns = w->now_ns + e->lag_ns + e->settings.transmit_ns + e->wire_ns +
			w->end[!from].settings.receive_ns;
	if (w->frames < 64 && w->lose >> w->frames & 1)
		f->arrives_ns = HM_WORLD_NEVER;
	w->frames++;
}

/* RP may process a response when it arrives, or after a transmission. */
static void note_results(struct hm_world *w, unsigned end)
{
	struct hm_end *e = &w->end[end];

	if (e->hm.count == e->results)
		return;
	e->results = e->hm.count;
	e->first_ns = earlier(e->first_ns, w->now_ns);
	if (w->on_result)
		w->on_result(w, end);
}

static void poll_end(struct hm_world *w, unsigned end)
{
	struct hm_end *e = &w->end[end];
	struct hm_frame frame;
	unsigned n = 0;

	e->poll_ns = HM_WORLD_NEVER;
	while (hm_transmit(&e->hm, at(w->now_ns), &frame)) {
		assert_int_equal(frame.at.ns, w->now_ns);
		assert_true(++n <= 4);
		launch(w, end, &frame);
		note_results(w, end);
	}
}

static void receive(struct hm_world *w, const struct hm_flight *f)
{
	struct hm_end *e = &w->end[!f->from];

	if (!e->up)
		return;
	hm_receive(&e->hm, &f->frame.pdu, (enum hm_via)f->frame.via, at(w->now_ns + jitter(w, e)));
	e->poll_ns = earlier(e->poll_ns, w->now_ns + e->turnaround_ns);
	note_results(w, !f->from);
}

static void run_flights(struct hm_world *w)
{
	for (unsigned i = 0; i < HM_WORLD_FLIGHT; i++) {
		struct hm_flight *f = &w->flight[i], arrived = *f;

		if (f->used && !f->reported && f->report_ns <= w->now_ns) {
			f->reported = true;
			hm_sent(&w->end[f->from].hm, &f->frame, at(f->actual_ns));
		}
		if (f->arrives_ns == HM_WORLD_NEVER &&
		    (f->reported || f->report_ns == HM_WORLD_NEVER))
			f->used = false; /* lost */
		if (!f->used || f->arrives_ns > w->now_ns)
			continue;
		if (f->report_ns != HM_WORLD_NEVER && !f->reported)
			f->arrives_ns = HM_WORLD_NEVER; /* keep it for the report */
		else
			f->used = false;
		receive(w, &arrived);
	}
}

static int64_t next_event(const struct hm_world *w)
{
	int64_t next = HM_WORLD_NEVER;

	for (unsigned i = 0; i < 2; i++) {
		const struct hm_end *e = &w->end[i];
		int64_t due = hm_deadline(&e->hm).ns;

		if (!e->up)
			next = earlier(next, e->up_ns);
		else
			next = earlier(next, earlier(e->poll_ns, due > 0 ? due : HM_WORLD_NEVER));
	}
	for (unsigned i = 0; i < HM_WORLD_FLIGHT; i++) {
		const struct hm_flight *f = &w->flight[i];

		if (f->used && !f->reported)
			next = earlier(next, f->report_ns);
		if (f->used)
			next = earlier(next, f->arrives_ns);
	}
	return next;
}

static void run_ends(struct hm_world *w)
{
	for (unsigned i = 0; i < 2; i++) {
		struct hm_end *e = &w->end[i];
		int64_t due = hm_deadline(&e->hm).ns;

		if (!e->up && e->up_ns <= w->now_ns)
			hm_world_set_up(w, i, true);
		else if (e->up && (e->poll_ns <= w->now_ns || (due > 0 && due <= w->now_ns)))
			poll_end(w, i);
	}
}

void hm_world_run(struct hm_world *w, int64_t until_ns)
{
	for (int64_t next = next_event(w); next <= until_ns; next = next_event(w)) {
		w->now_ns = next > w->now_ns ? next : w->now_ns;
		run_flights(w);
		run_ends(w);
	}
	w->now_ns = until_ns;
}

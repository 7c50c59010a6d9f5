/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "lldp/cn_defense.h"
#include "tests/unit/unit.h"

#include <string.h>

/* --- one machine ------------------------------------------------------------------ */

#define INPUTS (2 * 2 * 4 * 32)

/* Returns the combination of inputs with number n. */
static struct cndd_inputs inputs_of(unsigned n)
{
	return (struct cndd_inputs){
	    .has_lldp_instance = n & 1,
	    .cnpd_rcvd_cnpv = n >> 1 & 1,
	    .cnpd_rcvd_ready = n >> 2 & 1,
	    .cnpd_accepts_cn_tag = n >> 3 & 1,
	    .cncp_does_edge = n >> 4 & 1,
	    .enabled = n >> 5 & 1,
	    .admin = {n >> 6 & 1, (enum cn_defense_mode)(CPT_DISABLED + (n >> 7)), 0},
	};
}

/* Returns the final state of figure 32-1 for these inputs. */
static enum cndd_state final_state(const struct cndd_inputs *in)
{
	bool cnpv = in->has_lldp_instance && in->cnpd_rcvd_cnpv;

	if (!in->enabled || in->admin.cnpd_is_admin_def_mode)
		return CNDD_DISABLED;
	if (cnpv && in->cnpd_rcvd_ready)
		return CNDD_INTERIOR_READY;
	return cnpv || !in->cncp_does_edge ? CNDD_INTERIOR : CNDD_EDGE;
}

static enum cn_defense_mode mode_at_rest(const struct cndd_inputs *in)
{
	switch (final_state(in)) {
	case CNDD_INTERIOR_READY:
		return CPT_INTERIOR_READY;
	case CNDD_INTERIOR:
		return CPT_INTERIOR;
	default:
		return in->cncp_does_edge ? CPT_EDGE : CPT_INTERIOR;
	}
}

static void assert_outcome(const struct cndd *d, const struct cndd_inputs *in)
{
	enum cn_defense_mode mode =
	    in->admin.cnpd_is_admin_def_mode ? in->admin.cnpd_defense_mode : mode_at_rest(in);

	assert_int_equal(d->state, final_state(in));
	assert_int_equal(d->cnpd_auto_defense_mode, mode_at_rest(in));
	assert_int_not_equal(d->cnpd_auto_defense_mode, CPT_DISABLED);
	if (!in->enabled || !in->has_lldp_instance || mode == CPT_DISABLED) {
		assert_false(d->cnpd_xmit_cnpv_capable);
		assert_false(d->cnpd_xmit_ready);
		return;
	}
	assert_true(d->cnpd_xmit_cnpv_capable);
	assert_int_equal(d->cnpd_xmit_ready, mode != CPT_EDGE && in->cnpd_accepts_cn_tag);
}

/* From the final state of any inputs, any other inputs lead to the same state as from the start. */
static void test_state_does_not_depend_on_history(void **state)
{
	(void)state;
	for (unsigned before = 0; before < INPUTS; before++) {
		for (unsigned after = 0; after < INPUTS; after++) {
			struct cndd_inputs first = inputs_of(before), in = inputs_of(after);
			struct cndd d = {0}, was;
			bool changed;

			assert_true(cndd_run(&d, &first));
			assert_outcome(&d, &first);
			was = d;
			changed = cndd_run(&d, &in);
			assert_outcome(&d, &in);
			assert_int_equal(changed, memcmp(&d, &was, sizeof(d)) != 0);
			assert_false(cndd_run(&d, &in));
			assert_outcome(&d, &in);
		}
	}
}

static const struct cndd_inputs automatic = {
    .enabled = true,
    .admin = {false, CPT_EDGE, 0},
    .cncp_does_edge = true,
    .cnpd_accepts_cn_tag = true,
    .has_lldp_instance = true,
};

/* Transitions into a domain and out of it. */
static void test_transitions(void **state)
{
	struct cndd_inputs in = automatic;
	struct cndd d = {0};

	(void)state;
	cndd_run(&d, &in);
	assert_int_equal(d.state, CNDD_EDGE);
	assert_true(d.cnpd_xmit_cnpv_capable);
	assert_false(d.cnpd_xmit_ready);
	in.cnpd_rcvd_ready = true; /* Ready indicator of a priority that is not a CNPV there */
	assert_false(cndd_run(&d, &in));
	in.cnpd_rcvd_ready = false;
	in.cnpd_rcvd_cnpv = true;
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_INTERIOR);
	assert_true(d.cnpd_xmit_ready);
	in.cnpd_rcvd_ready = true;
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_INTERIOR_READY);
	assert_true(d.cnpd_xmit_ready);
	in.cnpd_rcvd_ready = false;
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_INTERIOR);
	in.cnpd_rcvd_ready = true;
	assert_true(cndd_run(&d, &in));
	in.cnpd_rcvd_cnpv = false; /* aged out, or there is a second neighbor */
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_EDGE);
	assert_false(d.cnpd_xmit_ready);
}

/* An administrative mode stops the machine; afterwards it starts again in CNDD_DISABLED. */
static void test_admin_mode_stops_the_machine(void **state)
{
	struct cndd_inputs in = automatic;
	struct cndd d = {0};

	(void)state;
	in.cnpd_rcvd_cnpv = in.cnpd_rcvd_ready = true;
	cndd_run(&d, &in);
	assert_int_equal(d.state, CNDD_INTERIOR_READY);
	in.admin = (struct cnd_defense){true, CPT_INTERIOR_READY, 0};
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_DISABLED);
	assert_true(d.cnpd_xmit_ready);
	in.admin.cnpd_defense_mode = CPT_DISABLED;
	assert_true(cndd_run(&d, &in));
	assert_false(d.cnpd_xmit_cnpv_capable);
	in.admin.cnpd_is_admin_def_mode = false;
	in.cnpd_rcvd_cnpv = false;
	assert_true(cndd_run(&d, &in));
	assert_int_equal(d.state, CNDD_EDGE);
}

/* Table 32-1. */
static void test_lldp_instance(void **state)
{
	(void)state;
	for (uint8_t component = CNL_NONE; component <= CNL_ADMIN; component++) {
		for (uint8_t port = CNL_NONE; port <= CNL_COMPONENT; port++) {
			struct cn_lldp_choice_row c = {component, 1}, p = {port, 3};
			uint16_t expected = 0;

			if (port == CNL_ADMIN)
				expected = 3;
			else if (port == CNL_COMPONENT && component == CNL_ADMIN)
				expected = 1;
			assert_int_equal(cn_lldp_instance(&c, &p), expected);
		}
	}
}

/* --- machines of several ports ---------------------------------------------------- */

#define ENDS_MAX 16

/* A port at one end of a link: the neighbor of end n is end n ^ 1. */
struct end {
	struct cndd_inputs in;
	struct cndd d;
	bool sends_tlv; /* sends a CN TLV */
};

struct world {
	struct end ends[ENDS_MAX];
	unsigned n;
};

static void settle(struct world *w, unsigned at)
{
	cndd_run(&w->ends[at].d, &w->ends[at].in);
	assert_outcome(&w->ends[at].d, &w->ends[at].in);
}

static void make(struct world *w, unsigned n)
{
	*w = (struct world){.n = n};
	for (unsigned at = 0; at < n; at++) {
		w->ends[at].in = automatic;
		w->ends[at].sends_tlv = true;
		settle(w, at);
	}
}

/* Delivers the neighbor's current indicators. Returns true if they changed. */
static bool deliver(struct world *w, unsigned to)
{
	const struct end *from = &w->ends[to ^ 1];
	struct cndd_inputs *in = &w->ends[to].in;
	struct cndd_inputs was = *in;

	in->cnpd_rcvd_cnpv = from->sends_tlv && from->d.cnpd_xmit_cnpv_capable;
	in->cnpd_rcvd_ready = from->sends_tlv && from->d.cnpd_xmit_ready;
	settle(w, to);
	return in->cnpd_rcvd_cnpv != was.cnpd_rcvd_cnpv ||
	       in->cnpd_rcvd_ready != was.cnpd_rcvd_ready;
}

/* Delivers to all ends until there is no change. Returns the number of rounds. */
static unsigned deliver_until_stable(struct world *w)
{
	for (unsigned rounds = 0;; rounds++) {
		bool changed = false;

		assert_true(rounds < 5);
		for (unsigned at = 0; at < w->n; at++)
			changed |= deliver(w, at);
		if (!changed)
			return rounds;
	}
}

static void assert_state(const struct world *w, unsigned at, enum cndd_state state)
{
	assert_int_equal(w->ends[at].d.state, state);
}

/* In any order of LLDPDUs, three in turn are sufficient. */
static void test_two_ends_converge(void **state)
{
	(void)state;
	for (unsigned order = 0; order < 1u << 10; order++) {
		struct world w;

		make(&w, 2);
		for (unsigned step = 0; step < 10; step++)
			deliver(&w, order >> step & 1);
		for (unsigned step = 0; step < 3; step++)
			deliver(&w, (order ^ step) & 1);
		assert_state(&w, 0, CNDD_INTERIOR_READY);
		assert_state(&w, 1, CNDD_INTERIOR_READY);
		assert_int_equal(deliver_until_stable(&w), 0);
	}
}

/* Every kind of neighbor, and the resulting state of an automatic end. */
static void test_kinds_of_neighbors(void **state)
{
	static const struct {
		bool sends_tlv, enabled, accepts, edge;
		uint8_t admin; /* enum cn_defense_mode, 0: automatic */
		enum cndd_state ours, theirs;
	} cases[] = {
	    {true, true, true, true, 0, CNDD_INTERIOR_READY, CNDD_INTERIOR_READY},
	    {false, true, true, true, 0, CNDD_EDGE, CNDD_INTERIOR},
	    {true, false, true, true, 0, CNDD_EDGE, CNDD_DISABLED},
	    {true, true, false, true, 0, CNDD_INTERIOR, CNDD_INTERIOR_READY},
	    {true, true, true, false, 0, CNDD_INTERIOR_READY, CNDD_INTERIOR_READY},
	    {true, true, true, true, CPT_DISABLED, CNDD_EDGE, CNDD_DISABLED},
	    {true, true, true, true, CPT_EDGE, CNDD_INTERIOR, CNDD_DISABLED},
	    {true, true, true, true, CPT_INTERIOR, CNDD_INTERIOR_READY, CNDD_DISABLED},
	    {true, true, true, true, CPT_INTERIOR_READY, CNDD_INTERIOR_READY, CNDD_DISABLED},
	    {true, true, false, true, CPT_INTERIOR_READY, CNDD_INTERIOR, CNDD_DISABLED},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct world w;
		struct cndd_inputs *theirs = &w.ends[1].in;

		make(&w, 2);
		w.ends[1].sends_tlv = cases[i].sends_tlv;
		theirs->enabled = cases[i].enabled;
		theirs->cnpd_accepts_cn_tag = cases[i].accepts;
		theirs->cncp_does_edge = cases[i].edge;
		theirs->admin.cnpd_is_admin_def_mode = cases[i].admin != 0;
		theirs->admin.cnpd_defense_mode = (enum cn_defense_mode)cases[i].admin;
		settle(&w, 1);
		deliver_until_stable(&w);
		assert_state(&w, 0, cases[i].ours);
		assert_state(&w, 1, cases[i].theirs);
	}
}

/*
 * Three bridges in a row with a host at each end; the second host sends no CN
 * TLV. CNPVs are enabled bridge by bridge.
 */
static void test_chain_of_bridges(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int run = 0; run < 2000; run++) {
		struct world w;
		unsigned missing = 4;

		make(&w, 8); /* host 0-1 bridge 2-3 bridge 4-5 bridge 6-7 host */
		w.ends[7].sends_tlv = false;
		for (unsigned at = 0; at < w.n; at++) {
			w.ends[at].in.enabled = false;
			settle(&w, at);
		}
		while (missing) {
			unsigned node = dcb_rng_uniform(&rng, 0, 3), at = 2 * node;

			missing -= !w.ends[at].in.enabled;
			for (unsigned side = at ? at - 1 : at; side <= at; side++) {
				w.ends[side].in.enabled = true;
				settle(&w, side);
			}
			for (unsigned n = dcb_rng_uniform(&rng, 0, 9); n > 0; n--)
				deliver(&w, dcb_rng_uniform(&rng, 0, 7));
		}
		deliver_until_stable(&w);
		for (unsigned at = 0; at < 6; at++)
			assert_state(&w, at, CNDD_INTERIOR_READY);
		assert_state(&w, 6, CNDD_EDGE);
	}
}

/* --- random changes --------------------------------------------------------------- */

#define RUNS           300
#define CHANGES_NS     2000000000 /* changes for two seconds */
#define CHANGE_NS      20000000   /* mean time between changes is at most 20 ms */
#define LLDPDU_NS      1000000000 /* longest time between two LLDPDUs */
#define CONVERGENCE_NS (3 * (int64_t)LLDPDU_NS)
#define END_NS         (CHANGES_NS + 2 * CONVERGENCE_NS)

static void change(struct world *w, struct dcb_rng *rng)
{
	unsigned at = dcb_rng_uniform(rng, 0, w->n - 1);
	struct cndd_inputs in = inputs_of(dcb_rng_uniform(rng, 0, INPUTS - 1));

	if (dcb_rng_uniform(rng, 0, 2)) /* mostly the usual inputs */
		in.enabled = in.has_lldp_instance = in.cnpd_accepts_cn_tag = in.cncp_does_edge =
		    true;
	in.cnpd_rcvd_cnpv = w->ends[at].in.cnpd_rcvd_cnpv;
	in.cnpd_rcvd_ready = w->ends[at].in.cnpd_rcvd_ready;
	w->ends[at].in = in;
	w->ends[at].sends_tlv = dcb_rng_uniform(rng, 0, 9) != 0;
	settle(w, at);
}

/*
 * An end is in INTERIOR_READY if, and only if, its neighbor sends Ready and it
 * has an LLDP instance.
 */
static void assert_agreed(const struct world *w)
{
	for (unsigned at = 0; at < w->n; at++) {
		const struct end *end = &w->ends[at], *other = &w->ends[at ^ 1];
		bool ready =
		    other->sends_tlv && other->d.cnpd_xmit_ready && end->in.has_lldp_instance;

		if (!end->in.enabled || end->in.admin.cnpd_is_admin_def_mode)
			assert_state(w, at, CNDD_DISABLED);
		else
			assert_int_equal(end->d.state == CNDD_INTERIOR_READY, ready);
	}
}

/*
 * Inputs change while LLDPDUs are late. After the last change, at most three
 * LLDPDUs change an end; then the states of all ends are consistent.
 */
static void test_random_changes_converge(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int run = 0; run < RUNS; run++) {
		int64_t now = 0, next_change = 0, next_lldpdu[ENDS_MAX] = {0};
		struct world w;

		make(&w, 2 * dcb_rng_uniform(&rng, 1, ENDS_MAX / 2));
		while (now < END_NS) {
			unsigned first = 0;

			for (unsigned at = 1; at < w.n; at++)
				if (next_lldpdu[at] < next_lldpdu[first])
					first = at;
			if (next_change < CHANGES_NS && next_change <= next_lldpdu[first]) {
				now = next_change;
				next_change += dcb_rng_uniform(&rng, 0, 2 * CHANGE_NS);
				change(&w, &rng);
				continue;
			}
			now = next_lldpdu[first];
			next_lldpdu[first] += dcb_rng_uniform(&rng, 1, LLDPDU_NS);
			if (now > CHANGES_NS + CONVERGENCE_NS)
				assert_false(deliver(&w, first));
			else
				deliver(&w, first);
		}
		assert_agreed(&w);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_state_does_not_depend_on_history),
	    cmocka_unit_test(test_transitions),
	    cmocka_unit_test(test_admin_mode_stops_the_machine),
	    cmocka_unit_test(test_lldp_instance),
	    cmocka_unit_test(test_two_ends_converge),
	    cmocka_unit_test(test_kinds_of_neighbors),
	    cmocka_unit_test(test_chain_of_bridges),
	    cmocka_unit_test(test_random_changes_converge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

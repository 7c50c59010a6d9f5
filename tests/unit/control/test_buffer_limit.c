/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A configuration whose headroom exceeds the frame memory: refused by SET with nothing
 * changed, accepted as a status where it follows from a link, a new port or a restart. The
 * provider is dcbd's own, without its thread.
 */
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/managed/lldp_ports.h"
#include "control/managed_conf.h"
#include "dataplane/soft/provider_soft_private.h"
#include "lib/clock.h"
#include "lib/rng.h"

#define ENABLE   "dcbPfcPriorityEnable"
#define RATIO    "dcbBufferHeadroomRatio"
#define IN_FORCE "dcbPfcHeadroomInForce"

static void start(struct mo_world *w)
{
	struct provider_soft_params params = managed_conf_soft(&w->conf, w->conf.role, true, 1);
	char err[256];
	struct provider *soft = provider_soft_new(&params, err, sizeof(err));

	assert_non_null(soft);
	w->m = managed_conf_new(&w->conf, &soft, 1);
	assert_non_null(w->m);
	w->service = mo_service_new(w->m, w->state, 7);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
}

static void release(struct mo_world *w)
{
	struct provider_refusal why;

	assert_true(managed_release(w->m, &why));
}

static void stop(struct mo_world *w)
{
	mo_session_free(w->session);
	mo_service_free(w->service);
	managed_free(w->m);
}

static void add_link(struct mo_world *w, const struct link_info *link)
{
	struct port_settings settings = w->conf.port_default;
	char err[256];

	settings.memory = true;
	if (!managed_port_add(w->m, link, &settings, err, sizeof(err)))
		fail_msg("%s", err);
	mo_world_adopt(w);
}

static void add(struct mo_world *w, uint32_t ifindex, const char *name)
{
	struct link_info link = mo_world_link(ifindex, name, "");

	add_link(w, &link);
}

/*
 * Two ports of 10 Gb/s. Each of their priorities with PFC has 14830 octets of headroom and a
 * frame, in 201 frame buffers.
 */
static struct mo_world *make_of(enum dcb_role role, uint32_t frame_buffers)
{
	struct mo_world *w = calloc(1, sizeof(*w));

	conf_init(&w->conf);
	w->conf.role = role;
	w->conf.frame_buffers = frame_buffers;
	snprintf(w->dir, sizeof(w->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->state, sizeof(w->state), "%s/state", w->dir);
	start(w);
	add(w, 3, "sw3");
	add(w, 5, "sw5");
	release(w);
	return w;
}

static struct mo_world *make_with(uint32_t frame_buffers)
{
	return make_of(ROLE_BRIDGE, frame_buffers);
}

/* Enough for two priorities with PFC. */
static struct mo_world *make(void)
{
	return make_with(600);
}

static void end(struct mo_world *w)
{
	stop(w);
	conf_free(&w->conf);
	unlink(w->state);
	rmdir(w->dir);
	free(w);
}

static uint64_t number(struct mo_world *w, const char *object)
{
	char text[256];
	unsigned long long n;

	mo_world_column(w, object, text, sizeof(text));
	assert_int_equal(sscanf(text, "0=%llu", &n), 1);
	return n;
}

/* Returns the octets of the shared pools. */
static uint64_t pool_octets(struct mo_world *w)
{
	unsigned long long lossless, lossy, headroom;
	char text[256];

	mo_world_column(w, "dcbBufferPoolSizeOctets", text, sizeof(text));
	assert_int_equal(sscanf(text, "1=%llu 2=%llu 3=%llu", &lossless, &lossy, &headroom), 3);
	return lossless + lossy;
}

static size_t read_state(const struct mo_world *w, char *text, size_t size)
{
	FILE *f = fopen(w->state, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, size, f);
	fclose(f);
	return n;
}

/* The reason has the sum and what to change; settings, memory and state file stay. */
static void test_set_that_does_not_fit_changes_nothing(void **state)
{
	struct mo_world *w = make();
	const struct dcb_config *before;
	char was[8192], is[8192];
	uint64_t promised;
	size_t len;

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "3.3", "true"}), MO_NO_ERROR);
	before = w->m->config;
	promised = number(w, "dcbBufferPromisedFrames");
	assert_true(promised > 0);
	len = read_state(w, was, sizeof(was));
	assert_int_equal(SET(w, {"dcbBufferLosslessShare", "0", "60"}, {ENABLE, "3.4", "true"},
			     {ENABLE, "5.3", "true"}, {ENABLE, "5.4", "true"},
			     {"dcbNotifyRateLimit", "0", "7"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2); /* of the port that does not fit */
	if (!strstr(w->reason, "sw3: reserves of ") || !strstr(w->reason, " headroom of 804 ") ||
	    !strstr(w->reason, " (ratio 1) do not fit: expected bridge.frame_buffers of ") ||
	    !strstr(w->reason, " instead of 600, smaller reserves or a higher ratio"))
		fail_msg("reason: %s", w->reason);
	assert_ptr_equal(w->m->config, before);
	assert_int_equal(number(w, "dcbBufferPromisedFrames"), promised);
	assert_column(w, "dcbBufferLosslessShare", "0=50");
	assert_column(w, "dcbNotifyRateLimit", "0=120");
	assert_column(w, "dcbBufferStatus", "0=fits");
	assert_int_equal(read_state(w, is, sizeof(is)), len);
	assert_memory_equal(is, was, len);
	/* The reason names the port that needs more, not one with other changes. */
	assert_int_equal(SET(w, {"dcbPfcWatchdogAction", "3.3", "drop"}, {ENABLE, "5.3", "true"},
			     {ENABLE, "5.4", "true"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2);
	assert_memory_equal(w->reason, "sw5: reserves of ", 17);
	/* With a ratio of 2 they fit; then 1 does not. */
	assert_int_equal(SET(w, {RATIO, "0", "2"}, {ENABLE, "3.4", "true"}, {ENABLE, "5.3", "true"},
			     {ENABLE, "5.4", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(number(w, "dcbBufferPromisedFrames"), 4 * promised);
	assert_int_equal(SET(w, {"dcbNotifyRateLimit", "0", "7"}, {RATIO, "0", "1"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_column(w, RATIO, "0=2");
	/* So does a longer cable, or a reserve. */
	assert_int_equal(SET(w, {"dcbPfcHeadroomCableLength", "5", "60000"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 1);
	assert_int_equal(SET(w, {"dcbBufferReserve", "5.0", "10000000"}), MO_RESOURCE_UNAVAILABLE);
	assert_column(w, "dcbBufferStatus", "0=fits");
	end(w);
}

/*
 * The number of frame buffers in the reason is the least that is enough, also where automatic
 * reserves begin to be in force with it.
 */
static void test_expected_frame_buffers_are_enough(void **state)
{
	static const uint32_t has[] = {64, 150, 300, 401};
	static const char expected[] = "expected bridge.frame_buffers of ";

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(has); i++) {
		struct mo_world *w = make_with(has[i]);
		const char *at;
		unsigned n = 0;

		for (unsigned part = 0; part < 3; part++) {
			assert_int_equal(SET(w, {ENABLE, "3.3", "true"}, {ENABLE, "5.3", "true"}),
					 part < 2 ? MO_RESOURCE_UNAVAILABLE : MO_NO_ERROR);
			if (part == 0) {
				at = strstr(w->reason, expected);
				assert_non_null(at);
				assert_int_equal(sscanf(at + strlen(expected), "%u", &n), 1);
			}
			end(w);
			if (part < 2)
				w = make_with(n - 1 + part);
		}
	}
}

/*
 * A reserve that was set counts also where automatic reserves are not available, and if it has
 * as many frames as an automatic one: seven ports take 112 of 64 frame buffers so.
 */
static void test_reserves_of_automatic_size_are_counted(void **state)
{
	struct mo_world *w = make_with(64);
	unsigned refused = 0;

	(void)state;
	for (uint32_t ifindex = 7; ifindex <= 15; ifindex += 2) {
		char name[16];

		snprintf(name, sizeof(name), "sw%u", (unsigned)ifindex);
		add(w, ifindex, name);
	}
	for (unsigned ifindex = 3; ifindex <= 15; ifindex += 2) {
		for (unsigned priority = 0; priority < DCB_PRIORITIES; priority++) {
			char index[16];

			snprintf(index, sizeof(index), "%u.%u", ifindex, priority);
			refused +=
			    SET(w, {"dcbBufferReserve", index, "4104"}) == MO_RESOURCE_UNAVAILABLE;
			assert_int_equal(number(w, "dcbBufferMissingFrames"), 0);
		}
	}
	assert_true(refused >= 56 - 32);
	end(w);
}

/* 36.8: the memory of the headroom of a shorter link, or of one that is measured, is free. */
static void test_shorter_link_frees_the_difference(void **state)
{
	struct mo_world *w = make_with(4000);
	uint64_t before, shared;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcHeadroomCableLength", "3", "10000"},
			     {"dcbPfcHeadroomCableMedium", "3", "fibre"}, {ENABLE, "3.3", "true"}),
			 MO_NO_ERROR);
	before = number(w, "dcbBufferPromisedOctets");
	shared = pool_octets(w);
	assert_int_equal(SET(w, {"dcbPfcHeadroomCableLength", "3", "1000"}), MO_NO_ERROR);
	/* 9 km of fiber in both directions are 90 us, at 10 Gb/s 112500 octets. */
	assert_int_equal(before - number(w, "dcbBufferPromisedOctets"), 112500);
	assert_int_equal(pool_octets(w) - shared, 112500);
	end(w);
}

static void update(struct mo_world *w, const struct link_info *link)
{
	managed_port_update(w->m, managed_find(w->m, link->ifindex), link);
}

static void set_link(struct mo_world *w, uint32_t ifindex, const char *name, uint32_t mbps)
{
	struct link_info link = mo_world_link(ifindex, name, "");

	link.speed = dcb_rate_from_mbps(mbps);
	update(w, &link);
}

/*
 * The link changes after the port was opened and before its first configuration is in
 * force: the port's reserves are those of the present link.
 */
static void test_link_may_change_before_the_first_configuration(void **state)
{
	struct mo_world *w = make();
	struct link_info link = mo_world_link(7, "sw7", "");
	uint64_t reserved;

	(void)state;
	reserved = number(w, "dcbBufferReservedFrames");
	stop(w);
	start(w);
	add(w, 3, "sw3");
	add(w, 5, "sw5");
	add(w, 7, "sw7");
	link.up = false;
	update(w, &link);
	release(w);
	assert_int_equal(number(w, "dcbBufferReservedFrames"), reserved);
	stop(w);
	start(w);
	add(w, 3, "sw3");
	add_link(w, &link);
	link.up = true;
	update(w, &link);
	release(w);
	assert_int_equal(number(w, "dcbBufferReservedFrames"), reserved);
	mo_world_value(w, "dcbBufferReserveFrames", "7.0", "2");
	end(w);
}

/* The link decides what the headroom needs: a status, and no SET may make it worse. */
static void test_faster_link_is_a_status(void **state)
{
	struct mo_world *w = make();
	uint64_t missing;

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "3.3", "true"}, {ENABLE, "5.3", "true"}), MO_NO_ERROR);
	set_link(w, 5, "sw5", 100000);
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	assert_column(w, "dcbPfcHeadroomStatus", "3=insufficient 5=insufficient");
	missing = number(w, "dcbBufferMissingFrames");
	assert_true(missing > 0);
	assert_int_equal(SET(w, {ENABLE, "3.4", "true"}), MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(number(w, "dcbBufferMissingFrames"), missing);
	/* Other settings, and less headroom, are accepted. */
	assert_int_equal(SET(w, {"dcbPfcWatchdogAction", "5.3", "drop"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"dcbPfcHeadroomCableLength", "5", "0"}), MO_NO_ERROR);
	assert_true(number(w, "dcbBufferMissingFrames") < missing);
	set_link(w, 5, "sw5", 10000);
	assert_column(w, "dcbBufferStatus", "0=fits");
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=calculated");
	end(w);
}

/* --- sums that are kept ----------------------------------------------------------------------- */

/* Returns whether the provider has kept sums; they are those of a walk over all ports. */
static bool keeps_right_sums(const struct mo_world *w)
{
	const struct soft *s = (const struct soft *)w->m->providers[0];
	struct port_buffer_sums all;

	if (!s->sums_generation)
		return false;
	assert_int_equal(s->sums_generation, s->published->generation);
	port_buffer_sums_of(s->published, &s->ports->memory.is, &all);
	assert_memory_equal(&all, &s->sums, sizeof(all));
	return true;
}

static void change_at_random(struct mo_world *w, struct dcb_rng *rng)
{
	static const char *const values[] = {"true", "false"};
	const char *port = dcb_rng_next(rng) % 2 ? "3" : "5";
	char index[8], metres[8];

	snprintf(index, sizeof(index), "%s.%u", port, dcb_rng_next(rng) % 8);
	snprintf(metres, sizeof(metres), "%u", dcb_rng_next(rng) % 9 * 100);
	switch (dcb_rng_next(rng) % 8) {
	case 0:
		set_link(w, port[0] == '3' ? 3 : 5, port[0] == '3' ? "sw3" : "sw5",
			 dcb_rng_next(rng) % 2 ? 10000 : 100000);
		break;
	case 1:
		(void)SET(w, {RATIO, "0", dcb_rng_next(rng) % 2 ? "1" : "2"});
		break;
	case 2:
	case 3:
		(void)SET(w, {"dcbPfcHeadroomCableLength", port, metres});
		break;
	default:
		(void)SET(w, {ENABLE, index, values[dcb_rng_next(rng) % 2]});
	}
}

static void test_kept_sums_are_those_of_all_ports(void **state)
{
	struct mo_world *w = make_with(900);
	struct dcb_rng rng;
	unsigned kept = 0;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 100; i++) {
		change_at_random(w, &rng);
		kept += keeps_right_sums(w);
	}
	assert_true(kept > 0);
	end(w);
}

/* --- delays of neighbors ---------------------------------------------------------------------- */

static void run(struct mo_world *w)
{
	managed_run(w->m, clock_now());
	mo_world_adopt(w);
}

/* The neighbor of sw3 or sw5 sends its PFC Local Delay, in ns, and supports measurement. */
static void hear_delay(struct mo_world *w, const char *name, int64_t ns)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 8, .qdt = true, .rtm = true},
				.pfc_delay = ns * 65536};
	struct lldp_remote r = neighbor(name, 1);

	says(&r, DCB_TLV_PFC, &tlvs);
	if (ns)
		says(&r, DCB_TLV_PFC_DELAY, &tlvs);
	lldp_ports_events.remote(w->m->lldp, &r);
	run(w);
}

/* The dataplane has measured a round trip; way b) is in use. */
static void measure(struct mo_world *w, uint32_t ifindex, uint32_t quanta)
{
	const struct dcb_config_port *at = &w->m->config->ports[managed_find(w->m, ifindex)];

	assert_int_equal(at->oper.pfc_way, PFC_WAY_MEASURED);
	w->m->measured[at->port->slot] = quanta;
	w->m->measured_unpublished[at->port->slot / 64] |= UINT64_C(1) << at->port->slot % 64;
	w->m->measured_is_due = true;
	run(w);
}

/* Two ports with PFC for priority 3, whose neighbors can measure. */
static struct mo_world *make_for_neighbors_of(enum dcb_role role, uint32_t frame_buffers)
{
	struct mo_world *w = make_of(role, frame_buffers);

	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->m->lldp);
	assert_int_equal(
	    SET(w, {ENABLE, "3.3", "true"}, {ENABLE, "5.3", "true"},
		{"lldpXdot1dcbxConfigPFCTxEnable", "3.1", "true"},
		{"lldpXdot1dcbxConfigPFCTxEnable", "5.1", "true"},
		{"dcbPfcWayAdvertise", "3", "p8021qdt"}, {"dcbPfcWayAdvertise", "5", "p8021qdt"},
		{"dcbPfcWayMeasurement", "3", "true"}, {"dcbPfcWayMeasurement", "5", "true"}),
	    MO_NO_ERROR);
	return w;
}

static struct mo_world *make_for_neighbors(uint32_t frame_buffers)
{
	return make_for_neighbors_of(ROLE_BRIDGE, frame_buffers);
}

struct headrooms {
	unsigned long long sw3, sw5; /* in force, bits */
};

static struct headrooms headrooms(struct mo_world *w)
{
	struct headrooms is;
	char text[256];

	mo_world_column(w, IN_FORCE, text, sizeof(text));
	assert_int_equal(sscanf(text, "3=%llu 5=%llu", &is.sw3, &is.sw5), 2);
	return is;
}

/* What sw5 is given leaves room for other ports, and for the longest frame. */
static void assert_sw5_is_capped(struct mo_world *w, const struct headrooms *before)
{
	unsigned long long lossless, lossy, headroom;
	struct headrooms is = headrooms(w);
	char text[256];

	assert_true(is.sw3 == before->sw3);
	assert_true(is.sw5 > before->sw5);
	assert_column(w, "dcbBufferStatus", "0=fits");
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=insufficient");
	mo_world_column(w, "dcbBufferPoolSizeOctets", text, sizeof(text));
	assert_int_equal(sscanf(text, "1=%llu 2=%llu 3=%llu", &lossless, &lossy, &headroom), 3);
	assert_true(lossy >= 2048);
	mo_world_column(w, "dcbBufferPoolSizeFrames", text, sizeof(text));
	assert_int_equal(sscanf(text, "1=%llu 2=%llu 3=%llu", &lossless, &lossy, &headroom), 3);
	assert_in_range(lossy, 1, 3); /* nothing more is left */
}

static void assert_delay_takes_what_is_left(enum dcb_role role)
{
	struct mo_world *w = make_for_neighbors_of(role, 600);
	struct headrooms before = headrooms(w), small, large;

	hear_delay(w, "sw5", 2000);
	small = headrooms(w);
	assert_true(small.sw3 == before.sw3 && small.sw5 < before.sw5);
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=calculated");
	hear_delay(w, "sw5", 50000000);
	assert_sw5_is_capped(w, &before);
	large = headrooms(w);
	hear_delay(w, "sw5", 90000000);
	assert_true(headrooms(w).sw5 == large.sw5);
	hear_delay(w, "sw5", 2000);
	assert_true(headrooms(w).sw5 == small.sw5);
	measure(w, 5, 10000000);
	assert_sw5_is_capped(w, &before);
	measure(w, 5, 0);
	assert_true(headrooms(w).sw5 == small.sw5);
	hear_delay(w, "sw5", 0);
	assert_true(headrooms(w).sw5 == before.sw5);
	end(w);
}

/* One neighbor takes the memory of other ports by no number that it sends or lets measure. */
static void test_delay_of_a_neighbor_takes_what_is_left(void **state)
{
	(void)state;
	assert_delay_takes_what_is_left(ROLE_BRIDGE);
	assert_delay_takes_what_is_left(ROLE_RBRIDGE);
}

/* A port that needs memory gets it back: by a SET, a link, or what its own neighbor says. */
static void test_other_ports_get_memory_back_from_a_liar(void **state)
{
	struct mo_world *w = make_for_neighbors(900);
	struct headrooms before = headrooms(w), first, second;
	struct link_info link = mo_world_link(7, "sw7", "");

	(void)state;
	hear_delay(w, "sw5", 90000000);
	assert_sw5_is_capped(w, &before);
	first = headrooms(w);
	assert_int_equal(SET(w, {ENABLE, "3.4", "true"}), MO_NO_ERROR);
	second = headrooms(w);
	assert_true(second.sw3 == before.sw3 && second.sw5 < first.sw5);
	assert_sw5_is_capped(w, &before);
	assert_int_equal(SET(w, {ENABLE, "3.4", "false"}), MO_NO_ERROR);
	assert_true(headrooms(w).sw5 == first.sw5);
	hear_delay(w, "sw3", 10000);
	second = headrooms(w);
	assert_true(second.sw3 > before.sw3 && second.sw5 < first.sw5);
	assert_sw5_is_capped(w, &(struct headrooms){second.sw3, before.sw5});
	hear_delay(w, "sw3", 0);
	assert_true(headrooms(w).sw5 == first.sw5);
	set_link(w, 3, "sw3", 20000);
	run(w);
	assert_true(headrooms(w).sw5 < first.sw5);
	assert_column(w, "dcbBufferStatus", "0=fits");
	link = mo_world_link(3, "sw3", "");
	link.up = false;
	update(w, &link);
	run(w);
	assert_true(headrooms(w).sw5 > first.sw5);
	end(w);
}

/* A later claim does not take the memory of one in force, although it is smaller. */
static void test_claim_in_force_stays(void **state)
{
	struct mo_world *w = make_for_neighbors(600);
	struct headrooms before = headrooms(w), is;

	(void)state;
	hear_delay(w, "sw5", 12000);
	is = headrooms(w);
	assert_true(is.sw5 > before.sw5);
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=calculated");
	hear_delay(w, "sw3", 11900);
	assert_true(headrooms(w).sw5 == is.sw5);
	assert_in_range(headrooms(w).sw3, before.sw3, is.sw5);
	assert_column(w, "dcbPfcHeadroomStatus", "3=insufficient 5=calculated");
	assert_column(w, "dcbBufferStatus", "0=fits");
	end(w);
}

/* RFC 3416, 4.2.5: a SET that made the memory fit is undone, although it does not fit then. */
static void test_undo_is_never_refused(void **state)
{
	static const char *const set[][3] = {{ENABLE, "5.3", "false"}};
	struct mo_world *w = make();

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "3.3", "true"}, {ENABLE, "5.3", "true"}), MO_NO_ERROR);
	set_link(w, 5, "sw5", 100000);
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_column(w, "dcbBufferStatus", "0=fits");
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	mo_world_value(w, ENABLE, "5.3", "true");
	/* The next SET does not restore. */
	assert_int_equal(SET(w, {ENABLE, "3.4", "true"}), MO_RESOURCE_UNAVAILABLE);
	end(w);
}

/* An interface that returns with its settings is a port, and dcbd starts with its settings. */
static void test_new_port_and_restart_are_a_status(void **state)
{
	struct mo_world *w = make();

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "3.3", "true"}, {ENABLE, "5.3", "true"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	assert_int_equal(SET(w, {ENABLE, "3.4", "true"}), MO_NO_ERROR);
	add(w, 5, "sw5");
	assert_column(w, ENABLE,
		      "3.0=false 3.1=false 3.2=false 3.3=true 3.4=true 3.5=false "
		      "3.6=false 3.7=false 5.0=false 5.1=false 5.2=false 5.3=true "
		      "5.4=false 5.5=false 5.6=false 5.7=false");
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	assert_int_equal(SET(w, {"dcbBufferLosslessShare", "0", "60"}), MO_NO_ERROR);
	stop(w);
	start(w);
	add(w, 3, "sw3");
	add(w, 5, "sw5");
	mo_world_load(w);
	release(w);
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	assert_column(w, "dcbBufferLosslessShare", "0=60");
	end(w);
}

/* A change of dcbBufferWatermarkReset sets the time; a SET to the same value does not. */
static void test_watermark_reset_sets_the_time(void **state)
{
	struct mo_world *w = make();

	(void)state;
	assert_column(w, "dcbBufferWatermarksSince", "0=0");
	w->m->started.ns -= 5 * DCB_NS_PER_S;
	(void)provider_soft_advance(w->m->providers[0], clock_now());
	assert_int_equal(SET(w, {"dcbBufferWatermarkReset", "0", "0"}), MO_NO_ERROR);
	assert_column(w, "dcbBufferWatermarksSince", "0=0");
	assert_int_equal(SET(w, {"dcbBufferWatermarkReset", "0", "1"}), MO_NO_ERROR);
	assert_true(number(w, "dcbBufferWatermarksSince") >= 500);
	end(w);
}

/* dcbd -t: the same sum for the ports of dcbd.conf. */
static void test_conf_that_does_not_fit_is_refused(void **state)
{
	const struct macsec_modes modes = {0};
	struct conf conf;
	char err[512];

	(void)state;
	conf_init(&conf);
	conf.memory_ports = 4;
	conf.frame_buffers = 600;
	assert_true(managed_conf_check(&conf, &modes, err, sizeof(err)));
	conf.initial[0] = (struct conf_initial){
	    .object = strdup(ENABLE),
	    .index = strdup("*.3"),
	    .port = strdup("mem*"),
	    .value = strdup("true"),
	    .line = 7,
	};
	conf.n_initial = 1;
	assert_false(managed_conf_check(&conf, &modes, err, sizeof(err)));
	if (!strstr(err, " 600 buffers: reserves ") || !strstr(err, " buffers more: raise "))
		fail_msg("%s", err);
	conf.frame_buffers = 1200;
	if (!managed_conf_check(&conf, &modes, err, sizeof(err)))
		fail_msg("%s", err);
	conf.port_default.pfc_buffer_octets = 16000;
	assert_false(managed_conf_check(&conf, &modes, err, sizeof(err)));
	assert_non_null(strstr(err, "mem0: pfc.buffer 16000 of dcbd.conf is less than the "));
	conf_free(&conf);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_that_does_not_fit_changes_nothing),
	    cmocka_unit_test(test_expected_frame_buffers_are_enough),
	    cmocka_unit_test(test_shorter_link_frees_the_difference),
	    cmocka_unit_test(test_reserves_of_automatic_size_are_counted),
	    cmocka_unit_test(test_link_may_change_before_the_first_configuration),
	    cmocka_unit_test(test_faster_link_is_a_status),
	    cmocka_unit_test(test_kept_sums_are_those_of_all_ports),
	    cmocka_unit_test(test_delay_of_a_neighbor_takes_what_is_left),
	    cmocka_unit_test(test_other_ports_get_memory_back_from_a_liar),
	    cmocka_unit_test(test_claim_in_force_stays),
	    cmocka_unit_test(test_undo_is_never_refused),
	    cmocka_unit_test(test_new_port_and_restart_are_a_status),
	    cmocka_unit_test(test_watermark_reset_sets_the_time),
	    cmocka_unit_test(test_conf_that_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests_name("buffer_limit", tests, NULL, NULL);
}

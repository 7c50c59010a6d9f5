/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbPfcWayTable: TLVs of both ends, the way in which headroom is found, and the values in force.
 */
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "control/managed/lldp_ports.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define WAY(name) "dcbPfcWay" name
#define NS(n)     ((int64_t)(n)*65536)

/* --- an LLDP client that keeps the TLVs of sw5 ------------------------------------------- */

struct agent {
	struct lldp_client client;
	struct lldp_tlv sent[DCB_TLVS];
	size_t n;
};

static void agent_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		      size_t n, uint32_t mtu)
{
	struct agent *a = (struct agent *)c;

	(void)mtu;
	if (strcmp(ifname, "sw5") != 0)
		return;
	memcpy(a->sent, tlvs, n * sizeof(tlvs[0]));
	a->n = n;
}

static void agent_about(struct lldp_client *c, const char *ifname)
{
	(void)c;
	(void)ifname;
}

static void agent_read(const struct lldp_client *c, struct lldp_stats *out)
{
	(void)c;
	memset(out, 0, sizeof(*out));
}

static void agent_destroy(struct lldp_client *c)
{
	(void)c;
}

static const struct lldp_client_ops agent_ops = {
    .set = agent_set,
    .refresh = agent_about,
    .forget = agent_about,
    .read = agent_read,
    .destroy = agent_destroy,
};

static struct agent agent = {.client = {.ops = &agent_ops}};

static void agent_wake(void *ctx)
{
	(void)ctx;
}

static void run_at(struct mo_world *w, struct dcb_time now)
{
	managed_run(w->m, now);
	mo_world_adopt(w);
}

static void run(struct mo_world *w)
{
	run_at(w, clock_now());
}

/* Returns a system whose port sw5 has PFC for priority 3 and sends the PFC TLV. */
static struct mo_world *world_new(void)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	agent.n = 0;
	lldp_ports_use(w->m->lldp, &agent.client, agent_wake, NULL);
	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->m->lldp);
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"},
			     {"lldpXdot1dcbxConfigPFCTxEnable", "5.1", "true"}),
			 MO_NO_ERROR);
	run(w);
	return w;
}

static void hear(struct mo_world *w, const struct lldp_remote *r)
{
	lldp_ports_events.remote(w->m->lldp, r);
	run(w);
}

/* The neighbor of sw5 sends a PFC TLV with PFC for priority 3. */
static void hear_pfc(struct mo_world *w, const struct pfc_tlv *bits)
{
	struct dcb_tlvs tlvs = {.pfc = *bits};
	struct lldp_remote r = neighbor("sw5", 1);

	tlvs.pfc.cap = 8;
	tlvs.pfc.enable = 8;
	says(&r, DCB_TLV_PFC, &tlvs);
	hear(w, &r);
}

static void hear_delay(struct mo_world *w, int64_t delay)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 8}, .pfc_delay = delay};
	struct lldp_remote r = neighbor("sw5", 1);

	says(&r, DCB_TLV_PFC, &tlvs);
	says(&r, DCB_TLV_PFC_DELAY, &tlvs);
	hear(w, &r);
}

static const struct port_oper *oper(struct mo_world *w)
{
	return &w->m->config->ports[managed_find(w->m, 5)].oper;
}

static const struct lldp_tlv *sent(uint8_t subtype)
{
	for (size_t i = 0; i < agent.n; i++)
		if (agent.sent[i].subtype == subtype)
			return &agent.sent[i];
	return NULL;
}

static void offer(struct mo_world *w, const char *measurement, const char *ptp)
{
	assert_int_equal(SET(w, {WAY("Advertise"), "5", "p8021qdt"},
			     {WAY("Measurement"), "5", measurement}, {WAY("Ptp"), "5", ptp}),
			 MO_NO_ERROR);
	run(w);
}

/* --- tests -------------------------------------------------------------------------------- */

static void test_by_default_the_tlv_has_length_6(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_column(w, WAY("Advertise"), "3=ieee8021q2018 5=ieee8021q2018 9=ieee8021q2018");
	assert_column(w, WAY("InUse"), "3=configured 5=configured 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=off 9=off");
	assert_column(w, WAY("LocalDelay"), "3=0 5=0 9=0");
	assert_int_equal(agent.n, 1);
	assert_int_equal(sent(0x0b)->len, 2);
	/* The bits are sent in the other format only. */
	assert_int_equal(SET(w, {WAY("Measurement"), "5", "true"}), MO_NO_ERROR);
	run(w);
	assert_int_equal(sent(0x0b)->len, 2);
	assert_column(w, WAY("LocalBits"), "3=none 5=none 9=none");
	mo_world_free(w);
}

static void test_settings_are_the_bits_of_the_tlv(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_int_equal(SET(w, {WAY("Advertise"), "5", "p8021qdt"}, {WAY("Macsec"), "5", "true"},
			     {WAY("Measurement"), "5", "true"}),
			 MO_NO_ERROR);
	run(w);
	assert_int_equal(sent(0x0b)->len, 3);
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x28, 0x08, 0x80}), 3);
	assert_column(w, WAY("LocalBits"), "3=none 5=macsec,measurement 9=none");
	assert_int_equal(SET(w, {WAY("Privacy"), "5", "true"}, {WAY("Ptp"), "5", "true"}),
			 MO_NO_ERROR);
	run(w);
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x38, 0x08, 0xc0}), 3);
	/* Without the TLV there are no bits. */
	assert_int_equal(SET(w, {"lldpXdot1dcbxConfigPFCTxEnable", "5.1", "false"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("LocalBits"), "3=none 5=none 9=none");
	mo_world_free(w);
}

/* With keys of dcbd, MACsec cap says whether their mode protects PFC frames. */
static void test_macsec_bit_follows_the_key_file(void **state)
{
	struct mo_world *w = world_new();
	struct port_settings *settings = &w->m->config->ports[1].port->settings;

	(void)state;
	settings->macsec = PFC_MACSEC_ALL;
	assert_int_equal(SET(w, {WAY("Advertise"), "5", "p8021qdt"}), MO_NO_ERROR);
	run(w);
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x28, 0x08, 0x00}), 3);
	assert_column(w, WAY("Macsec"), "3=false 5=true 9=false");
	assert_column(w, WAY("LocalBits"), "3=none 5=macsec 9=none");
	settings->macsec = PFC_MACSEC_DATA;
	assert_int_equal(SET(w, {WAY("Macsec"), "5", "true"}, {WAY("Privacy"), "5", "true"}),
			 MO_NO_ERROR);
	run(w);
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x08, 0x08, 0x00}), 3);
	assert_column(w, WAY("Macsec"), "3=false 5=false 9=false");
	/* Nor has dcbd privacy channels in front of its SecY. */
	assert_column(w, WAY("Privacy"), "3=false 5=false 9=false");
	assert_column(w, WAY("LocalBits"), "3=none 5=none 9=none");
	settings->macsec = 0;
	assert_int_equal(SET(w, {WAY("Advertise"), "5", "p8021qdt"}), MO_NO_ERROR);
	assert_column(w, WAY("Privacy"), "3=false 5=true 9=false");
	mo_world_free(w);
}

/* Neighbors with length 6, with length 7, and one that stops sending the TLV. */
static void test_way_follows_the_neighbor(void **state)
{
	struct mo_world *w = world_new();
	struct lldp_remote silent = neighbor("sw5", 1);

	(void)state;
	offer(w, "true", "true");
	assert_column(w, WAY("Reason"), "3=off 5=noPeer 9=off");
	hear_pfc(w, &(struct pfc_tlv){.mbc = true});
	assert_column(w, WAY("Reason"), "3=off 5=peer2018 9=off");
	assert_column(w, WAY("RemoteBits"), "3=none 5=mbc 9=none");
	assert_true(oper(w)->pfc_peer.mbc);
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_CONFIGURED);
	hear_pfc(w, &(struct pfc_tlv){.qdt = true, .ptp = true});
	assert_column(w, WAY("InUse"), "3=configured 5=linkDelays 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=agreed 9=off");
	assert_column(w, WAY("AgreedBits"), "3=none 5=ptp 9=none");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_LINK_DELAYS);
	assert_false(oper(w)->pfc_peer.mbc);
	hear_pfc(w, &(struct pfc_tlv){.qdt = true, .ptp = true, .rtm = true, .privacy = true});
	assert_column(w, WAY("InUse"), "3=configured 5=measured 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=preferred 9=off");
	assert_column(w, "dcbNeighborPfcBits", "5.1=privacy,measurement,ptp");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_MEASURED);
	assert_true(oper(w)->pfc_peer.rtm && oper(w)->pfc_peer.privacy);
	hear(w, &silent);
	assert_column(w, WAY("InUse"), "3=configured 5=configured 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=peerSilent 9=off");
	assert_column(w, WAY("RemoteBits"), "3=none 5=none 9=none");
	assert_column(w, WAY("Changes"), "3=0 5=3 9=0");
	lldp_ports_events.gone(w->m->lldp, &silent);
	run(w);
	assert_column(w, WAY("Reason"), "3=off 5=noPeer 9=off");
	mo_world_free(w);
}

/* Without requests of this port there is no result: no bit RTM. */
static void test_port_that_does_not_measure_does_not_offer_it(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	offer(w, "true", "false");
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x08, 0x08, 0x80}), 3);
	assert_int_equal(SET(w, {"dcbPfcMeasureEnable", "5", "off"}), MO_NO_ERROR);
	run(w);
	assert_memory_equal(sent(0x0b)->info, ((uint8_t[]){0x08, 0x08, 0x00}), 3);
	hear_pfc(w, &(struct pfc_tlv){.qdt = true, .rtm = true});
	assert_column(w, WAY("Reason"), "3=off 5=notMeasuring 9=off");
	assert_column(w, WAY("LocalBits"), "3=none 5=none 9=none");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_CONFIGURED);
	assert_int_equal(SET(w, {WAY("Ptp"), "5", "true"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("Reason"), "3=off 5=notMeasuring 9=off");
	hear_pfc(w, &(struct pfc_tlv){.qdt = true, .rtm = true, .ptp = true});
	assert_column(w, WAY("Reason"), "3=off 5=agreed 9=off");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_LINK_DELAYS);
	assert_int_equal(SET(w, {"dcbPfcMeasureEnable", "5", "always"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("Reason"), "3=off 5=preferred 9=off");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_MEASURED);
	/* With the other format there is no bit to withhold. */
	assert_int_equal(
	    SET(w, {"dcbPfcMeasureEnable", "5", "off"}, {WAY("Advertise"), "5", "ieee8021q2018"}),
	    MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("Reason"), "3=off 5=off 9=off");
	mo_world_free(w);
}

static void test_several_neighbors_agree_on_nothing(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 8, .qdt = true, .rtm = true}};
	struct lldp_remote other = neighbor("sw5", 2);

	(void)state;
	offer(w, "true", "false");
	hear_pfc(w, &tlvs.pfc);
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_MEASURED);
	says(&other, DCB_TLV_PFC, &tlvs);
	hear(w, &other);
	assert_column(w, WAY("Reason"), "3=off 5=manyPeers 9=off");
	assert_int_equal(oper(w)->pfc_way, PFC_WAY_CONFIGURED);
	assert_false(oper(w)->pfc_peer.rtm);
	mo_world_free(w);
}

/* 10 Gb/s, MTU 1500: 18944 + 10000 + 12368 + 18944 bits, as in Annex N. */
static void test_local_delay_is_sent(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_int_equal(SET(w, {WAY("SendDelay"), "5", "true"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("LocalDelay"), "3=0 5=205026 9=0"); /* PFC_MEASURE_HALT_HOST_NS */
	assert_int_equal(SET(w, {WAY("Response"), "5", "1000"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("LocalDelay"), "3=0 5=6026 9=0");
	assert_int_equal(sent(0x17)->len, 8);
	assert_memory_equal(sent(0x17)->info, ((uint8_t[]){0, 0, 0, 0, 0x17, 0x8a, 0, 0}), 8);
	assert_column(w, "dcbDcbxPortTlvsSent", "3=none 5=pfc,pfcDelay 9=none");
	assert_int_equal(SET(w, {WAY("SendDelay"), "5", "false"}), MO_NO_ERROR);
	run(w);
	assert_null(sent(0x17));
	mo_world_free(w);
}

/* The provider of sw5 has measured how long its PFC receiver takes. */
static void respond(struct mo_world *w, uint64_t longest_ns, uint64_t bound_ns)
{
	const struct port *port = w->m->config->ports[managed_find(w->m, 5)].port;

	fake_port(port)->measure.response_ns = longest_ns;
	fake_port(port)->measure.response_bound_ns = bound_ns;
	managed_measured(w->m, port->slot);
	run(w);
	run(w);
}

/* As above, without the 1000 ns: 5026 ns. */
static void test_local_delay_has_the_measured_response(void **state)
{
	struct mo_world *w = world_new();
	uint64_t generation;

	(void)state;
	assert_int_equal(SET(w, {WAY("SendDelay"), "5", "true"}), MO_NO_ERROR);
	run(w);
	generation = w->m->config->generation;
	respond(w, 7000, 16384);
	assert_column(w, WAY("LocalDelay"), "3=0 5=21410 9=0");
	assert_column(w, WAY("MeasuredResponse"), "3=0 5=7000 9=0");
	assert_memory_equal(sent(0x17)->info, ((uint8_t[]){0, 0, 0, 0, 0x53, 0xa2, 0, 0}), 8);
	/* Only the TLV changes. */
	assert_int_equal(w->m->config->generation, generation);
	respond(w, 300000, 1048576);
	assert_column(w, WAY("LocalDelay"), "3=0 5=1053602 9=0");
	assert_int_equal(SET(w, {WAY("Response"), "5", "1000"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("LocalDelay"), "3=0 5=6026 9=0");
	assert_int_equal(SET(w, {"dcbPfcMeasureHaltDelay", "5", "2000"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("LocalDelay"), "3=0 5=7026 9=0");
	mo_world_free(w);
}

static void test_refused_delays_are_counted_and_logged(void **state)
{
	static const int64_t refused[] = {NS(-5000), -1, 0, NS(1236), NS(100000001), INT64_MAX};
	struct mo_world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 1);
	char text[16384], want[64];

	(void)state;
	hear_delay(w, NS(5000) - 1);
	assert_column(w, WAY("PeerDelay"), "3=0 5=5000 9=0");
	assert_int_equal(oper(w)->pfc_peer.delay_ns, 5000);
	assert_column(w, WAY("RefusedDelays"), "3=0 5=0 9=0");
	for (unsigned i = 0; i < UNIT_COUNT(refused); i++) {
		struct log_capture c = log_capture();

		hear_delay(w, refused[i]);
		log_captured(&c, text, sizeof(text));
		if (i == 0)
			assert_non_null(strstr(text,
					       "sw5: the neighbor's PFC local delay of -5000 "
					       "ns is refused, expected 1237 to 100000000 "
					       "ns"));
		assert_int_equal(oper(w)->pfc_peer.delay_ns, 0);
		snprintf(want, sizeof(want), "3=0 5=%u 9=0", i + 1);
		assert_column(w, WAY("RefusedDelays"), want);
		assert_column(w, WAY("Reason"), "3=off 5=off 9=off");
	}
	/* Too short is malformed; a longer one of a later version has its delay, 0 here. */
	for (uint16_t len = 0; len <= 9; len++) {
		if (len == 8)
			continue;
		r.tlvs[0] = (struct lldp_tlv){.oui = {0x00, 0x80, 0xc2}, .subtype = 0x17};
		r.tlvs[0].len = len;
		r.n_tlvs = 1;
		hear(w, &r);
	}
	assert_column(w, WAY("Malformed"), "3=0 5=8 9=0");
	assert_column(w, WAY("RefusedDelays"), "3=0 5=7 9=0");
	r.tlvs[0].subtype = 0x0b; /* a PFC TLV of length 8 */
	r.tlvs[0].len = 4;
	r.tlvs[0].info[2] = 0x80;
	hear(w, &r);
	assert_column(w, WAY("Malformed"), "3=0 5=8 9=0");
	assert_column(w, WAY("RemoteBits"), "3=none 5=measurement 9=none");
	r.tlvs[0].len = 1;
	hear(w, &r);
	assert_column(w, WAY("Malformed"), "3=0 5=9 9=0");
	assert_column(w, WAY("RefusedDelays"), "3=0 5=7 9=0");
	mo_world_free(w);
}

/* A neighbor that flaps changes the values in force a few times, and is heard again later. */
static void test_flapping_neighbor_is_held(void **state)
{
	struct mo_world *w = world_new();
	const struct pfc_tlv qdt = {.qdt = true, .rtm = true}, old = {.qdt = false};
	uint64_t generation;
	struct dcb_time next;

	(void)state;
	offer(w, "true", "false");
	for (int i = 0; i < 20; i++) {
		hear_pfc(w, &qdt);
		hear_pfc(w, &old);
	}
	assert_column(w, WAY("Changes"), "3=0 5=6 9=0");
	generation = w->m->config->generation;
	hear_pfc(w, &qdt);
	assert_int_equal(w->m->config->generation, generation);
	assert_column(w, WAY("InUse"), "3=configured 5=configured 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=held 9=off");
	assert_column(w, WAY("AgreedBits"), "3=none 5=measurement 9=none");
	next = managed_run(w->m, clock_now());
	assert_in_range(dcb_time_diff_ns(next, clock_now()), 0, PFC_WAY_QUIET_NS);
	run_at(w, dcb_time_add_ns(clock_now(), PFC_WAY_QUIET_NS));
	assert_column(w, WAY("InUse"), "3=configured 5=measured 9=configured");
	assert_column(w, WAY("Reason"), "3=off 5=agreed 9=off");
	mo_world_free(w);
}

/* 36.9.6 b): also without DCBX TLVs. While there are two, it is not known which one the link has.
 */
static void test_lost_neighbor_is_an_interruption(void **state)
{
	struct mo_world *w = world_new();
	struct lldp_remote first = neighbor("sw5", 1), second = neighbor("sw5", 2);
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	hear(w, &first);
	hear(w, &first);
	assert_int_equal(oper(w)->pfc_interruptions, 0);
	lldp_ports_events.gone(w->m->lldp, &first);
	run(w);
	assert_int_equal(oper(w)->pfc_interruptions, 1);
	hear(w, &first);
	assert_int_equal(oper(w)->pfc_interruptions, 1);
	hear(w, &second);
	assert_int_equal(oper(w)->pfc_interruptions, 1);
	lldp_ports_events.gone(w->m->lldp, &second);
	run(w);
	assert_int_equal(oper(w)->pfc_interruptions, 1);
	hear(w, &second);
	lldp_ports_events.gone(w->m->lldp, &first);
	run(w);
	assert_int_equal(oper(w)->pfc_interruptions, 2);
	/* A link that goes down is another trigger. */
	link.up = false;
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	run(w);
	lldp_ports_events.gone(w->m->lldp, &second);
	run(w);
	link.up = true;
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	run(w);
	hear(w, &first);
	assert_int_equal(oper(w)->pfc_interruptions, 2);
	mo_world_free(w);
}

static bool is_configured(const struct dcb_config_port *at)
{
	return at->oper.pfc_way == PFC_WAY_CONFIGURED;
}

/* An undone change is counted neither as a change of the way nor as a loss. */
static void test_refused_publication_changes_nothing(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	offer(w, "true", "false");
	w->provider.accepts = is_configured;
	hear_pfc(w, &(struct pfc_tlv){.qdt = true, .rtm = true});
	assert_column(w, WAY("InUse"), "3=configured 5=configured 9=configured");
	assert_column(w, WAY("Changes"), "3=0 5=0 9=0");
	w->provider.accepts = NULL;
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "3", "31"}), MO_NO_ERROR);
	run(w);
	assert_column(w, WAY("InUse"), "3=configured 5=measured 9=configured");
	assert_column(w, WAY("Changes"), "3=0 5=1 9=0");
	mo_world_free(w);
}

static void test_settings_survive_a_restart(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_int_equal(SET(w, {WAY("Advertise"), "5", "p8021qdt"},
			     {WAY("Measurement"), "5", "true"}, {WAY("Ptp"), "5", "true"},
			     {WAY("Macsec"), "5", "true"}, {WAY("Privacy"), "5", "true"},
			     {WAY("SendDelay"), "5", "true"}, {WAY("Response"), "5", "1000000000"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {WAY("Response"), "5", "1000000001"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {WAY("InUse"), "5", "measured"}), MO_NOT_WRITABLE);
	mo_world_reload(w);
	assert_column(w, WAY("Advertise"), "3=ieee8021q2018 5=p8021qdt 9=ieee8021q2018");
	assert_column(w, WAY("Measurement"), "3=false 5=true 9=false");
	assert_column(w, WAY("Ptp"), "3=false 5=true 9=false");
	assert_column(w, WAY("Macsec"), "3=false 5=true 9=false");
	assert_column(w, WAY("Privacy"), "3=false 5=true 9=false");
	assert_column(w, WAY("SendDelay"), "3=false 5=true 9=false");
	assert_column(w, WAY("Response"), "3=0 5=1000000000 9=0");
	mo_world_free(w);
}

/* A neighbor is released, and the publication fails: it is tried again after a second. */
static void test_failed_release_of_a_held_neighbor_waits(void **state)
{
	const struct pfc_tlv qdt = {.qdt = true, .rtm = true}, old = {.qdt = false};
	struct mo_world *w = world_new();
	struct dcb_time now;

	(void)state;
	offer(w, "true", "false");
	for (unsigned i = 0; i < 20; i++) {
		hear_pfc(w, &qdt);
		hear_pfc(w, &old);
	}
	hear_pfc(w, &qdt);
	assert_column(w, WAY("Reason"), "3=off 5=held 9=off");
	w->provider.failure = PROVIDER_FAILED;
	w->provider.fail_commits = 1000;
	now = dcb_time_add_ns(clock_now(), PFC_WAY_QUIET_NS);
	for (unsigned i = 0; i < 5; i++) {
		struct dcb_time next = managed_run(w->m, now);

		assert_int_equal(dcb_time_diff_ns(next, now), DCB_NS_PER_S);
	}
	assert_true(w->provider.n_failed > 0);
	w->provider.fail_commits = 0;
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_default_the_tlv_has_length_6),
	    cmocka_unit_test(test_settings_are_the_bits_of_the_tlv),
	    cmocka_unit_test(test_macsec_bit_follows_the_key_file),
	    cmocka_unit_test(test_way_follows_the_neighbor),
	    cmocka_unit_test(test_port_that_does_not_measure_does_not_offer_it),
	    cmocka_unit_test(test_several_neighbors_agree_on_nothing),
	    cmocka_unit_test(test_local_delay_is_sent),
	    cmocka_unit_test(test_local_delay_has_the_measured_response),
	    cmocka_unit_test(test_refused_delays_are_counted_and_logged),
	    cmocka_unit_test(test_flapping_neighbor_is_held),
	    cmocka_unit_test(test_lost_neighbor_is_an_interruption),
	    cmocka_unit_test(test_refused_publication_changes_nothing),
	    cmocka_unit_test(test_failed_release_of_a_held_neighbor_waits),
	    cmocka_unit_test(test_settings_survive_a_restart),
	};

	log_init("test_mo_way", LOG_LEVEL_WARN, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

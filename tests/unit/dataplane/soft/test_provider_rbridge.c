/* SPDX-License-Identifier: BSD-3-Clause */
/* Provider "soft" as RBridge, in the thread of the test: memory ports 1 (access) and 2 (trunk). */
#include "dataplane/soft/provider_soft.h"

#include <stdio.h>
#include <string.h>

#include "control/objects/mo_defaults.h"
#include "dataplane/netio/netio.h"
#include "dataplane/rbridge/rbridge.h"
#include "dataplane/soft/provider_soft_private.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

#define PORTS       2
#define FDB_ENTRIES 64

static const uint8_t station[] = {2, 0, 0, 0, 9, 1}, far[] = {2, 0, 0, 0, 9, 2};
static const uint8_t neighbor[] = {2, 0, 0, 0, 0, 0x22}, own[] = {2, 0, 0, 0, 0, 2};

struct lab {
	struct provider *provider;
	struct port *ports[PORTS];
	struct netio *cables[PORTS];
	struct dcb_defaults defaults;
	struct dcb_config *config;
	uint8_t frame[1600]; /* the last that left by a port */
	uint32_t len, n;
};

static void plug_in(struct lab *lab, unsigned i)
{
	static const struct port_settings settings = {
	    .buffer_octets = 1 << 20, .pvid = 1, .memory = true};
	struct link_info link = {.ifindex = i + 1,
				 .up = true,
				 .mtu = 1500,
				 .speed = {1000000000},
				 .mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)}};
	struct netio *ends[2];
	char err[256] = "";

	snprintf(link.name, sizeof(link.name), "mem%u", i);
	lab->ports[i] = lab->provider->ops->port_open(lab->provider, (uint16_t)i, &link, &settings,
						      err, sizeof(err));
	assert_non_null(lab->ports[i]);
	assert_true(netio_mem_pair(ends, 256, 1600));
	provider_soft_set_netio(lab->ports[i], ends[0]);
	lab->cables[i] = ends[1];
}

/* Nickname 1, with nickname 2 behind the trunk port, and the address far behind nickname 2. */
static struct dcb_config *config_of(struct lab *lab)
{
	struct dcb_config *c = dcb_config_new(&lab->defaults);
	struct trill_next_hop hop = {.nickname = 2, .tree = true};

	memcpy(hop.mac, neighbor, sizeof(hop.mac));
	for (unsigned i = 0; i < PORTS; i++)
		c = dcb_config_insert_port(c, lab->ports[i], NULL);
	c->trill.nickname = 1;
	dcb_config_edit_port(c, 1)->trill.mode = TRILL_TRUNK;
	assert_true(trill_next_hop_put(&dcb_config_edit_port(c, 1)->trill_hops, &hop));
	assert_true(trill_egress_put(&c->trill_egress,
				     &(struct trill_egress){static_unicast_key(1, far), 2}));
	dcb_config_compute_oper(c);
	return c;
}

static bool commit(struct lab *lab, struct dcb_config *c, struct provider_refusal *why)
{
	struct dcb_config *before = lab->config;

	if (!lab->provider->ops->prepare(lab->provider, c, why))
		return false;
	c->generation = before ? before->generation + 1 : 1;
	assert_true(lab->provider->ops->commit(lab->provider, c, why));
	(void)provider_soft_advance(lab->provider, (struct dcb_time){1});
	dcb_config_free(before);
	lab->config = c;
	return true;
}

static int set_up(void **state)
{
	static const struct provider_soft_params params = {
	    .rbridge = true,
	    .no_thread = true,
	    .frame_buffers = 512,
	    .frame_octets = 1600,
	    .fdb_entries = FDB_ENTRIES,
	    .cpu = -1,
	    .seed = 1,
	};
	struct lab *lab = calloc(1, sizeof(*lab));
	struct provider_refusal why;
	char err[256] = "";

	assert_non_null(lab);
	mo_defaults(&lab->defaults);
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	for (unsigned i = 0; i < PORTS; i++)
		plug_in(lab, i);
	assert_true(commit(lab, config_of(lab), &why));
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	lab->provider->ops->destroy(lab->provider);
	for (unsigned i = 0; i < PORTS; i++)
		lab->cables[i]->ops->close(lab->cables[i]);
	dcb_config_free(lab->config);
	free(lab);
	return 0;
}

static void take(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct lab *lab = ctx;

	(void)wire_octets;
	assert_in_range(len, 1, sizeof(lab->frame));
	memcpy(lab->frame, octets, len);
	lab->len = len;
	lab->n++;
}

/* Sends a frame to a port and returns how many left by the other one; the last is lab->frame. */
static uint32_t forward(struct lab *lab, unsigned in, const uint8_t *octets, size_t len)
{
	const struct iovec iov = {.iov_base = (void *)(uintptr_t)octets, .iov_len = len};
	struct dcb_time now = {2};

	lab->n = 0;
	lab->cables[in]->ops->send(lab->cables[in], &iov, 1, now);
	assert_int_equal(provider_soft_receive(lab->ports[in], 10, now), 1);
	(void)provider_soft_advance(lab->provider, now);
	lab->cables[!in]->ops->recv(lab->cables[!in], 10, take, lab);
	return lab->n;
}

static void put_ends(uint8_t *frame, const uint8_t *da, const uint8_t *sa)
{
	memcpy(frame, da, ETH_ADDR_OCTETS);
	memcpy(frame + ETH_ADDR_OCTETS, sa, ETH_ADDR_OCTETS);
}

static void test_native_frame_leaves_encapsulated(void **state)
{
	struct lab *lab = *state;
	uint8_t native[60] = {[12] = 0x08, [14] = 0x45};
	struct trill_port_stats stats;
	struct trill_nickname_stats of;

	put_ends(native, far, station);
	assert_int_equal(forward(lab, 0, native, sizeof(native)), 1);
	assert_memory_equal(lab->frame, neighbor, 6);
	assert_memory_equal(lab->frame + 6, own, 6);
	/* C-TAG of VLAN 1, 22-F3, hop count 63, egress 2, ingress 1, the inner frame */
	assert_memory_equal(lab->frame + 12, "\x81\x00\x00\x01\x22\xf3\x00\x3f\x00\x02\x00\x01",
			    12);
	assert_memory_equal(lab->frame + 24, native, 12);
	lab->provider->ops->read_trill_port(lab->ports[0], &stats);
	assert_int_equal(stats.ingressed, 1);
	assert_true(lab->provider->ops->read_trill_nickname(lab->provider, 2, &of));
	assert_int_equal(of.frames_to, 1);
	assert_false(lab->provider->ops->read_trill_nickname(lab->provider, 3, &of));
}

static void test_trill_frame_leaves_as_native_frame(void **state)
{
	static const uint8_t header[] = {0x81, 0, 0, 1, 0x22, 0xf3, 0, 10, 0, 1, 0, 2};
	static const uint8_t type[] = {0x81, 0, 0, 1, 0x08, 0};
	struct lab *lab = *state;
	uint8_t frame[90] = {0};
	struct trill_port_stats stats;
	struct trill_nickname_stats of;

	put_ends(frame, own, neighbor);
	memcpy(frame + 12, header, sizeof(header));
	put_ends(frame + 24, station, (const uint8_t[]){2, 0, 0, 0, 9, 3});
	memcpy(frame + 36, type, sizeof(type));
	assert_int_equal(forward(lab, 1, frame, sizeof(frame)), 1);
	assert_memory_equal(lab->frame, frame + 24, 12);
	assert_memory_equal(lab->frame + 12, "\x08\x00", 2);
	lab->provider->ops->read_trill_port(lab->ports[1], &stats);
	assert_int_equal(stats.egressed, 1);
	assert_true(lab->provider->ops->read_trill_nickname(lab->provider, 2, &of));
	assert_int_equal(of.frames_from, 1);
	assert_int_equal(of.learned, 1);
}

static void test_ports_have_trill(void **state)
{
	static const struct provider_soft_params bridge = {
	    .no_thread = true, .frame_buffers = 64, .frame_octets = 1600, .fdb_entries = 64};
	struct lab *lab = *state, other = {0};
	struct fdb_addresses none;
	char err[256];

	assert_true(lab->ports[0]->has & PROVIDER_TRILL);
	assert_true(lab->ports[0]->has & PROVIDER_VLAN);
	assert_false(lab->ports[0]->has & PROVIDER_RP);
	other.provider = provider_soft_new(&bridge, err, sizeof(err));
	assert_non_null(other.provider);
	plug_in(&other, 0);
	assert_false((other.ports[0]->has | other.ports[0]->sets) & PROVIDER_TRILL);
	assert_false(other.provider->ops->read_trill_nickname(other.provider, 2, NULL));
	assert_true(other.provider->ops->read_addresses(other.provider, &none));
	assert_int_equal(none.n, 0);
	free(none.of);
	other.provider->ops->destroy(other.provider);
	other.cables[0]->ops->close(other.cables[0]);
}

static void test_more_addresses_than_fit_are_refused(void **state)
{
	struct lab *lab = *state;
	struct dcb_config *c = config_of(lab);
	struct provider_refusal why;

	for (uint64_t i = 0; i < FDB_ENTRIES / 2; i++)
		assert_true(trill_egress_put(&c->trill_egress,
					     &(struct trill_egress){(UINT64_C(7) << 48) + i, 2}));
	assert_false(commit(lab, c, &why));
	assert_int_equal(why.reason, PROVIDER_NO_RESOURCE);
	assert_int_equal(why.about, PROVIDER_TRILL);
	assert_non_null(strstr(why.text, "32 static entries"));
	trill_egress_drop(&c->trill_egress, UINT64_C(7) << 48);
	assert_true(commit(lab, c, &why));
}

/* Sends a TRILL frame from nickname 2, with this inner source, to the trunk port. */
static void learn(struct lab *lab, const uint8_t *sa)
{
	static const uint8_t header[] = {0x81, 0, 0, 1, 0x22, 0xf3, 0, 10, 0, 1, 0, 2};
	static const uint8_t type[] = {0x81, 0, 0, 1, 0x08, 0};
	uint8_t frame[90] = {0};

	put_ends(frame, own, neighbor);
	memcpy(frame + 12, header, sizeof(header));
	put_ends(frame + 24, station, sa);
	memcpy(frame + 36, type, sizeof(type));
	(void)forward(lab, 1, frame, sizeof(frame));
}

/* Addresses of the own ports are before them. */
static void test_addresses_behind_others_are_read_in_order(void **state)
{
	struct lab *lab = *state;
	uint8_t native[60] = {[12] = 0x08, [14] = 0x45}, sa[] = {2, 0, 0, 1, 0, 0};
	struct fdb_addresses all;

	put_ends(native, far, station);
	assert_int_equal(forward(lab, 0, native, sizeof(native)), 1);
	for (uint8_t i = 40; i > 0; i--) {
		sa[5] = i;
		learn(lab, sa);
	}
	assert_true(lab->provider->ops->read_addresses(lab->provider, &all));
	/* A nickname learns half of what the database holds. */
	assert_int_equal(all.n_local, 1);
	assert_int_equal(all.of[0].key, static_unicast_key(1, station));
	assert_int_equal(all.of[0].nickname, TRILL_NICKNAME_NONE);
	assert_int_equal(all.n, 2 + FDB_ENTRIES / 2);
	assert_int_equal(all.of[1].key, static_unicast_key(1, far));
	assert_true(all.of[1].fixed);
	for (uint32_t i = 2; i < all.n; i++) {
		sa[5] = (uint8_t)(39 - FDB_ENTRIES / 2 + i);
		assert_int_equal(all.of[i].key, static_unicast_key(1, sa));
		assert_int_equal(all.of[i].nickname, 2);
		assert_int_equal(all.of[i].age_s, 0);
		assert_false(all.of[i].fixed);
	}
	free(all.of);
}

static void test_addresses_of_a_nickname_vanish_with_it(void **state)
{
	static const uint8_t sa[] = {2, 0, 0, 1, 0, 1};
	struct lab *lab = *state;
	struct dcb_config *c = config_of(lab);
	struct provider_refusal why;
	struct fdb_addresses all;

	learn(lab, sa);
	(void)provider_soft_advance(lab->provider, (struct dcb_time){100 * DCB_NS_PER_S});
	assert_true(lab->provider->ops->read_addresses(lab->provider, &all));
	assert_int_equal(all.n, 2);
	assert_int_equal(all.of[1].key, static_unicast_key(1, sa));
	assert_int_equal(all.of[1].age_s, 100);
	free(all.of);
	trill_egress_drop(&c->trill_egress, static_unicast_key(1, far));
	trill_next_hop_drop(&dcb_config_edit_port(c, 1)->trill_hops, 2, neighbor);
	dcb_config_compute_oper(c);
	assert_true(commit(lab, c, &why));
	assert_true(lab->provider->ops->read_addresses(lab->provider, &all));
	assert_int_equal(all.n, 0);
	free(all.of);
}

/* As while the dataplane thread has lost its processor in the middle of a change. */
static void test_addresses_are_not_read_during_a_change(void **state)
{
	struct lab *lab = *state;
	struct fdb *fdb = &((struct soft *)lab->provider)->rbridge.native.fdb;
	struct fdb_addresses all;

	fdb->changes++;
	assert_false(lab->provider->ops->read_addresses(lab->provider, &all));
	assert_int_equal(all.n, 0);
	assert_null(all.of);
	fdb->changes++;
	assert_true(lab->provider->ops->read_addresses(lab->provider, &all));
	assert_int_equal(all.n, 1);
	free(all.of);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_native_frame_leaves_encapsulated, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_trill_frame_leaves_as_native_frame, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_ports_have_trill, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_addresses_behind_others_are_read_in_order, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_addresses_of_a_nickname_vanish_with_it, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_addresses_are_not_read_during_a_change, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_more_addresses_than_fit_are_refused, set_up,
					    tear_down),
	};

	log_init("test_provider_rbridge", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

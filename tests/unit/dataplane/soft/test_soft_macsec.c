/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port with MACsec on a real interface, in a network namespace of the test. The test is the
 * other end of the link, without a SecY: it sees what leaves the port, which sends requests of the
 * headroom measurement.
 */
#include "dataplane/macsec/port_macsec.h"
#include "dataplane/netio/netio.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/clock.h"
#include "lib/octets.h"
#include "tests/unit/macsec_pair.h"
#include "tests/unit/own_netns.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEADLINE_S 100

struct lab {
	struct provider *provider;
	struct port *port;
	struct link_info link;
	struct port_config config;
	struct port_macsec macsec;
	struct dcb_config *published;
	int far;
	bool told;     /* there was a PROVIDER_MACSEC */
	bool measured; /* there was a PROVIDER_MEASURED */
	uint32_t last_pn;
};

static const struct port_settings settings = {.buffer_octets = 1 << 20, .pvid = 1};

static void command(const char *line)
{
	if (system(line) != 0)
		fail_msg("%s", line);
}

static bool is_operational(const struct lab *lab)
{
	struct port_stats stats;

	lab->port->provider->ops->read_port(lab->port, &stats);
	return stats.up;
}

/* One round of what the control thread does. */
static void turn(struct lab *lab)
{
	struct provider *p = lab->provider;
	struct pollfd pfd = {.fd = p->ops->event_fd(p), .events = POLLIN};
	struct provider_event ev;

	poll(&pfd, 1, 10);
	while (p->ops->next_event(p, &ev)) {
		lab->told |= ev.type == PROVIDER_MACSEC && ev.slot == lab->port->slot;
		lab->measured |= ev.type == PROVIDER_MEASURED && ev.slot == lab->port->slot;
	}
	p->ops->tick(p, clock_now());
}

#define until(lab, cond)                                                             \
	do {                                                                         \
		time_t end_ = time(NULL) + DEADLINE_S;                               \
		while (!(cond)) {                                                    \
			if (time(NULL) >= end_)                                      \
				fail_msg("not true within the deadline: %s", #cond); \
			turn(lab);                                                   \
		}                                                                    \
	} while (0)

static int open_far(void)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
				   .sll_protocol = htons(ETH_P_ALL),
				   .sll_ifindex = (int)if_nametoindex("far")};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void make_macsec(struct port_macsec *m, uint64_t last)
{
	struct port_macsec_params p = {
	    .name = "wire0", .mode = PFC_MACSEC_ALL, .peer_sci = PAIR_RIGHT, .transmit_an = 0};

	secy_config_init(&p.secy, PAIR_LEFT);
	p.secy.tx_scs = 2;
	p.secy.always_include_sci = true;
	p.sak[0] = pair_sak(MACSEC_GCM_AES_128, 0);
	p.numbers[0] = (struct port_macsec_numbers){1, last, {1, 1}};
	assert_int_equal(port_macsec_init(m, &p), SECY_OK);
}

static int set_up(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	struct provider_soft_params params = {.frame_buffers = 64,
					      .frame_octets = 1600,
					      .fdb_entries = 16,
					      .fdb_ageing_s = 300,
					      .cpu = -1,
					      .seed = 1,
					      .n_macsec = 1};
	struct provider_refusal why;
	char err[256] = "";

	assert_non_null(lab);
	command(
	    "ip link add wire0 type veth peer name far && ip link set far up && "
	    "ip link set wire0 up");
	lab->far = open_far();
	lab->link = (struct link_info){.ifindex = if_nametoindex("wire0"), .up = true, .mtu = 1500};
	snprintf(lab->link.name, sizeof(lab->link.name), "wire0");
	make_macsec(&lab->macsec, *(const uint64_t *)*state);
	params.macsec = &lab->macsec;
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	lab->port = lab->provider->ops->port_open(lab->provider, 0, &lab->link, &settings, err,
						  sizeof(err));
	assert_non_null(lab->port);
	lab->config.pfc_measure.enable = PFC_MEASURE_ALWAYS;
	lab->published = calloc(1, sizeof(*lab->published) + sizeof(lab->published->ports[0]));
	assert_non_null(lab->published);
	lab->published->generation = 1;
	lab->published->ports[lab->published->n_ports++] =
	    dcb_config_port_alone(lab->port, &lab->config);
	assert_true(lab->provider->ops->commit(lab->provider, lab->published, &why));
	until(lab, is_operational(lab));
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	lab->provider->ops->destroy(lab->provider);
	close(lab->far);
	port_macsec_free(&lab->macsec);
	free(lab->published);
	free(lab);
	command("ip link del far");
	return 0;
}

/*
 * Checks the frames that have left: each has a SecTAG, and its packet number is beyond those
 * before. Returns their number.
 */
static unsigned check_sent(struct lab *lab)
{
	uint8_t octets[2048];
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	struct sectag_view view;
	unsigned n = 0;
	ssize_t got;

	while ((got = recvfrom(lab->far, octets, sizeof(octets), 0, (struct sockaddr *)&from,
			       &len)) > 0) {
		len = sizeof(from);
		if (from.sll_pkttype == PACKET_OUTGOING)
			continue;
		assert_int_equal(get_be16(octets + 12), SECTAG_ETHERTYPE);
		assert_int_equal(sectag_decode(octets, (size_t)got, &view), SECTAG_OK);
		assert_true(view.tag.pn > lab->last_pn);
		lab->last_pn = view.tag.pn;
		n++;
	}
	return n;
}

/* Also while the interface is opened again, because it has another name. */
static void test_every_frame_is_protected_and_has_a_number_of_its_own(void **state)
{
	struct lab *lab = *state;
	char line[200];

	assert_ptr_equal(provider_macsec(lab->port), &lab->macsec);
	assert_true(lab->port->has & PROVIDER_SECY);
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = 0;

		until(lab, (n += check_sent(lab)) >= 2);
		snprintf(line, sizeof(line),
			 "ip link set wire%u down && ip link set wire%u name wire%u && "
			 "ip link set wire%u up",
			 i % 2, i % 2, (i + 1) % 2, (i + 1) % 2);
		command(line);
		snprintf(lab->link.name, sizeof(lab->link.name), "wire%u", (i + 1) % 2);
		lab->provider->ops->port_update(lab->port, &lab->link);
	}
	until(lab, is_operational(lab));
}

static void test_another_port_does_not_get_the_keys(void **state)
{
	struct lab *lab = *state;
	char err[256] = "";

	assert_null(lab->provider->ops->port_open(lab->provider, 1, &lab->link, &settings, err,
						  sizeof(err)));
	assert_string_equal(err, "wire0: another port, which had this name, has its MACsec keys");
}

/* Three numbers: the control thread is told, and measurement waits for more. */
static void test_numbers_that_end_are_reported_and_extended(void **state)
{
	struct lab *lab = *state;
	struct pfc_measure_stats stats;

	until(lab, lab->told);
	until(lab, (check_sent(lab), lab->last_pn == 3));
	until(lab, (lab->provider->ops->read_measure(lab->port, &stats), !stats.oper_up));
	port_macsec_reserve(&lab->macsec, 0, 100000);
	provider_soft_numbers_reserved(lab->provider);
	until(lab, (check_sent(lab), lab->last_pn > 4));
	until(lab, (lab->provider->ops->read_measure(lab->port, &stats), stats.oper_up));
	assert_int_equal(lab->macsec.stats.used_up, 0);
}

/* The other end sends frames, for which there is no queue behind the port. */
static void send_from_far(struct lab *lab, struct secy *far, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pair_frame frame;

		pair_plain(&frame, 1000, 1);
		assert_int_equal(
		    secy_protect(far, 0, frame.at.octets, frame.at.len, frame.room, &frame.at),
		    SECY_TX_SEND);
		(void)send(lab->far, frame.at.octets, frame.at.len, 0);
	}
}

static void set_link(struct lab *lab, bool up)
{
	lab->link.up = up;
	lab->provider->ops->port_update(lab->port, &lab->link);
	until(lab, is_operational(lab) == up);
}

/* P802.1Qdt 36.1.1, c and d: the delay of each 256th frame, measured by the dataplane thread. */
static void test_delay_of_the_secy_is_measured_and_reported(void **state)
{
	struct lab *lab = *state;
	struct pfc_measure_stats stats;
	struct secy_config config;
	struct secy far;
	struct sak *sak = pair_sak(MACSEC_GCM_AES_128, 0);

	secy_config_init(&config, PAIR_RIGHT);
	config.always_include_sci = true;
	assert_int_equal(secy_init(&far, &config), SECY_OK);
	assert_int_equal(secy_install_tx(&far, 0, 0, sak, 0, 1, SECY_PN_ALL), SECY_OK);
	assert_int_equal(secy_transmit(&far, 0, 0, pair_start), SECY_OK);
	lab->provider->ops->read_measure(lab->port, &stats);
	assert_int_equal(stats.secy_ns, 0);
	assert_false(lab->measured);
	until(lab, (send_from_far(lab, &far, 64), lab->measured));
	lab->provider->ops->read_measure(lab->port, &stats);
	assert_in_range(stats.secy_ns, 1, PFC_HEADROOM_DELAY_MAX_NS);
	/* Each time the link comes up, it is measured anew. */
	set_link(lab, false);
	set_link(lab, true);
	until(lab, (lab->provider->ops->read_measure(lab->port, &stats), stats.secy_ns == 0));
	lab->measured = false;
	until(lab, (send_from_far(lab, &far, 64), lab->measured));
	sak_free(sak);
}

static const uint64_t many = 100000, three = 3;

#define TEST(name, last)                                                  \
	cmocka_unit_test_prestate_setup_teardown(name, set_up, tear_down, \
						 (void *)(uintptr_t) & (last))

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_every_frame_is_protected_and_has_a_number_of_its_own, many),
	    TEST(test_another_port_does_not_get_the_keys, many),
	    TEST(test_numbers_that_end_are_reported_and_extended, three),
	    TEST(test_delay_of_the_secy_is_measured_and_reported, many),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("soft_macsec", tests, NULL, NULL);
}

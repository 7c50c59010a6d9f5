/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hub whose ports have a SecY each: a frame from one interface goes to all others.
 *
 *   secy_hub KEY-FILE PLAIN-IF IF...
 *
 * Each IF is a port of the key file (conf_macsec.h); PLAIN-IF has no SecY. Packet numbers start
 * at 1. Prints "ready", and at SIGTERM a line of JSON with the counters of each SecY.
 */
#include "control/conf/conf_macsec.h"
#include "dataplane/macsec/netio_secy.h"
#include "dataplane/macsec/secret.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define PORTS_MAX    16
#define FRAME_OCTETS 2048
#define BATCH        32

struct port {
	const char *name;
	struct netio *io;
	struct port_macsec macsec;
	uint64_t dropped; /* frames to this port */
};

static struct port ports[PORTS_MAX];
static unsigned n_ports;
static const struct dcb_time now;
static volatile sig_atomic_t ended;

static void __attribute__((noreturn)) die(const char *what, const char *why)
{
	fprintf(stderr, "secy_hub: %s: %s\n", what, why);
	exit(1);
}

static void on_term(int signal)
{
	(void)signal;
	ended = 1;
}

static struct netio *open_link(const char *name)
{
	struct netio_packet_params params = {
	    .ifname = name, .ifindex = if_nametoindex(name), .frame_octets = FRAME_OCTETS};
	char err[200];
	struct netio *io = netio_packet_open(&params, err, sizeof(err));

	if (!io)
		die(name, err);
	return io;
}

/* Takes the settings and keys of the port; all packet numbers are reserved. */
static void take_settings(struct port *port, const struct macsec_port *conf)
{
	struct port_macsec_params params = {.name = port->name,
					    .mode = conf->mode,
					    .secy = conf->secy,
					    .peer_sci = conf->peer_sci,
					    .transmit_an = conf->transmit_an};
	enum secy_error error;

	params.ssci[0][0] = macsec_ssci(conf, conf->secy.sci);
	params.ssci[1][0] = macsec_ssci(conf, conf->peer_sci);
	for (unsigned an = 0; an < SECTAG_ANS; an++) {
		const struct macsec_key *key = &conf->keys[an];

		if (!key->is_set)
			continue;
		params.sak[an] = sak_new(conf->secy.suite, key->key, key->salt);
		if (!params.sak[an])
			die(port->name, "sak_new() failed");
		params.numbers[an] =
		    (struct port_macsec_numbers){.next = 1, .last = UINT32_MAX, .lowest = {1}};
	}
	error = port_macsec_init(&port->macsec, &params);
	if (error != SECY_OK)
		die(port->name, secy_strerror(error));
}

static void add_port(const char *name, const struct macsec_conf *conf)
{
	struct port *port = &ports[n_ports++];
	const struct macsec_port *settings = conf_macsec_port(conf, name);

	port->name = name;
	if (!settings)
		die(name, "not a port of the key file");
	take_settings(port, settings);
	port->io =
	    netio_secy_open(open_link(name), &port->macsec, FRAME_OCTETS - NETIO_SECY_OCTETS);
	if (!port->io)
		die(name, "no memory");
}

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct iovec frame = {(void *)(uintptr_t)octets, len};

	for (struct port *to = ports; to < ports + n_ports; to++) {
		struct netio_sent sent;

		if (to == ctx)
			continue;
		sent = to->io->ops->send(to->io, &frame, 1, now);
		to->dropped += wire_octets > len || sent.taken == 0 || sent.refused > 0;
	}
}

static void forward(void)
{
	struct pollfd fds[PORTS_MAX];

	for (unsigned i = 0; i < n_ports; i++)
		fds[i] = (struct pollfd){.fd = ports[i].io->recv_fd, .events = POLLIN};
	while (!ended) {
		/* The limit: a signal can arrive before poll(). */
		(void)poll(fds, n_ports, 100);
		for (unsigned i = 0; i < n_ports; i++)
			ports[i].io->ops->recv(ports[i].io, BATCH, on_frame, &ports[i]);
	}
}

static void print_counters(const struct port *port)
{
	const struct secy_rx_sc_stats *rx = &port->macsec.secy.rx[0].stats;
	const struct secy_tx_sc_stats *tx = &port->macsec.secy.tx[0].stats;
	const struct secy_stats *secy = &port->macsec.secy.stats;

	printf("{\"link\": \"%s\", \"ok\": %" PRIu64 ", \"late\": %" PRIu64
	       ", \"notValid\": %" PRIu64 ", \"protected\": %" PRIu64 ", \"encrypted\": %" PRIu64
	       ", \"other\": %" PRIu64 ", \"dropped\": %" PRIu64 "}\n",
	       port->name, rx->ok_pkts, rx->late_pkts, rx->not_valid_pkts, tx->protected_pkts,
	       tx->encrypted_pkts,
	       rx->invalid_pkts + rx->delayed_pkts + rx->unchecked_pkts + secy->rx_no_tag_pkts +
		   secy->rx_bad_tag_pkts + secy->rx_no_sa_pkts + secy->rx_no_sa_error_pkts +
		   secy->tx_too_long_pkts + secy->tx_no_sa_pkts,
	       port->dropped);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_term};
	struct macsec_conf *conf;
	char err[400];

	if (argc < 4 || argc > PORTS_MAX + 2)
		die("usage", "secy_hub KEY-FILE PLAIN-IF IF...");
	if (secret_init() == SECRET_FAILED)
		die("secret_init", "failed");
	conf = conf_macsec_read(argv[1], err, sizeof(err));
	if (!conf)
		die("key file", err);
	for (int i = 3; i < argc; i++)
		add_port(argv[i], conf);
	conf_macsec_free(conf);
	ports[n_ports].name = argv[2];
	ports[n_ports++].io = open_link(argv[2]);
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	forward();
	for (unsigned i = 0; i < n_ports; i++) {
		if (i + 1 < n_ports)
			print_counters(&ports[i]);
		ports[i].io->ops->close(ports[i].io);
		port_macsec_free(&ports[i].macsec);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A veth pair whose ends are opened by netio_packet. Each test program has its own. */
#ifndef DCB_TESTS_VETH_LAB_H
#define DCB_TESTS_VETH_LAB_H

#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/core/eth.h"
#include "dataplane/netio/netio.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

#define DEADLINE_MS  100000
#define FRAME_OCTETS 1600
#define KEPT         256

struct lab {
	struct netio *near_end, *far_end;
};

struct seen {
	unsigned n;
	uint32_t len[KEPT], wire_octets[KEPT];
	uint8_t octets[KEPT][FRAME_OCTETS];
};

static struct seen seen;

static inline void command(const char *line)
{
	if (system(line) != 0)
		fail_msg("%s", line);
}

static inline struct netio *open_end(const char *ifname)
{
	const struct netio_packet_params params = {
	    .ifname = ifname,
	    .ifindex = if_nametoindex(ifname),
	    .mtu = 1500,
	    .frame_octets = FRAME_OCTETS,
	};
	char err[256] = "";
	struct netio *io = netio_packet_open(&params, err, sizeof(err));

	assert_string_equal(err, "");
	return io;
}

static inline void keep(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct seen *s = ctx;
	unsigned i = s->n++ % KEPT;

	assert_true(len <= wire_octets);
	s->len[i] = len;
	s->wire_octets[i] = wire_octets;
	memcpy(s->octets[i], octets, len < FRAME_OCTETS ? len : FRAME_OCTETS);
}

static inline struct netio_sent send_one(struct netio *io, const void *octets, uint32_t len)
{
	const struct iovec iov = {(void *)octets, len};

	return io->ops->send(io, &iov, 1, (struct dcb_time){0});
}

static inline uint32_t make_frame(uint8_t *f, bool tagged, uint32_t len)
{
	static const uint8_t head[] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1};
	uint32_t at = sizeof(head);

	memcpy(f, head, sizeof(head));
	if (tagged) {
		memcpy(f + at, "\x81\x00\xb0\x05", ETH_TAG_OCTETS); /* priority 5, DEI, VID 5 */
		at += ETH_TAG_OCTETS;
	}
	memcpy(f + at, "\x88\xb5", 2);
	for (at += 2; at < len; at++)
		f[at] = (uint8_t)at;
	return len;
}

/* The kernel activates a link asynchronously and drops frames until then. */
static inline void send_until_seen(struct netio *from, struct netio *to, const uint8_t *f,
				   uint32_t len)
{
	seen.n = 0;
	for (int i = 0; i < DEADLINE_MS / 20 && seen.n == 0; i++) {
		struct pollfd pfd = {.fd = to->recv_fd, .events = POLLIN};

		send_one(from, f, len);
		poll(&pfd, 1, 20);
		assert_true(to->ops->recv(to, 64, keep, &seen) >= 0);
	}
	assert_true(seen.n > 0);
}

static inline int set_up(void **state)
{
	static struct lab lab;
	uint8_t f[64];

	command(
	    "ip link add near type veth peer name far && ip link set near up && "
	    "ip link set far up");
	lab.near_end = open_end("near");
	lab.far_end = open_end("far");
	make_frame(f, false, sizeof(f));
	send_until_seen(lab.near_end, lab.far_end, f, sizeof(f));
	send_until_seen(lab.far_end, lab.near_end, f, sizeof(f));
	*state = &lab;
	return 0;
}

static inline int tear_down(void **state)
{
	struct lab *lab = *state;

	lab->near_end->ops->close(lab->near_end);
	lab->far_end->ops->close(lab->far_end);
	(void)!system("ip link del far 2>/dev/null");
	return 0;
}

static inline int recv_until_error(struct netio *io)
{
	struct pollfd pfd = {.fd = io->recv_fd, .events = POLLIN};
	int n = 0;

	while (n >= 0 && poll(&pfd, 1, 200) > 0)
		n = io->ops->recv(io, 64, keep, &seen);
	return n;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif

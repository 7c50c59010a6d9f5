/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces dcb-lldp; dcbd starts it with the same arguments. Executes the order in the
 * file SOCKET.double and removes that file. Without such a file it executes the dcb-lldp beside
 * it.
 *
 *   flood IFNAME    sends neighbors of IFNAME without pause and without regard to ACKs
 *   busy            sends as many events as ACKs permit, without end; answers each PING
 *   lie SEED        sends a message that is invalid or out of order; SEED selects it
 *   mute            sends HELLO, then neither reads nor sends
 *   fail            sends HELLO and ends with an error; the file stays
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/rng.h"
#include "lldp/process/lldp_msg.h"
#include "lldp/process/lldp_spawn.h"

static uint8_t octets[LLDP_MSG_MAX + 1];

static void send_octets(size_t len)
{
	while (send(LLDP_SPAWN_FD, octets, len, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			exit(0); /* dcbd has closed its end */
}

static void send_msg(const struct lldp_msg *m)
{
	send_octets(lldp_msg_encode(m, octets, sizeof(octets)));
}

static void send_hello(void)
{
	struct lldp_msg m = {.type = LLDP_MSG_HELLO};

	strcpy(m.text, "lldp_double");
	send_msg(&m);
}

static void send_state(enum lldp_state state)
{
	const struct lldp_msg m = {.type = LLDP_MSG_STATE, .state = state};

	send_msg(&m);
}

static struct lldp_msg neighbor(const char *ifname, uint32_t number)
{
	struct lldp_msg m = {.type = LLDP_MSG_REMOTE};

	snprintf(m.remote.ifname, sizeof(m.remote.ifname), "%s", ifname);
	m.remote.chassis = (struct lldp_id){LLDP_CHASSIS_MAC, 6, {2}};
	m.remote.port = (struct lldp_id){LLDP_PORT_MAC, 6, {2}};
	memcpy(m.remote.chassis.octets + 2, &number, sizeof(number));
	m.remote.ttl = 1;
	return m;
}

static void flood(const char *ifname)
{
	send_hello();
	send_state(LLDP_CONNECTED);
	for (uint32_t i = 0;; i++) {
		struct lldp_msg m = neighbor(ifname, i);

		send_msg(&m);
	}
}

/* Reads a message of dcbd; waits for one if may_send is 0. */
static void listen_to_dcbd(unsigned *may_send)
{
	static uint8_t in[LLDP_MSG_MAX];
	static struct lldp_msg m;
	ssize_t n = recv(LLDP_SPAWN_FD, in, sizeof(in), *may_send ? MSG_DONTWAIT : 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || lldp_msg_decode(in, (size_t)n, LLDP_MSG_FROM_DCBD, &m) ||
	    m.type == LLDP_MSG_END)
		exit(0);
	if (m.type == LLDP_MSG_ACK)
		*may_send += m.number;
	if (m.type == LLDP_MSG_PING) {
		m.type = LLDP_MSG_PONG;
		send_msg(&m);
	}
}

static void busy(void)
{
	unsigned may_send = LLDP_MSG_WINDOW;

	send_hello();
	for (;;) {
		listen_to_dcbd(&may_send);
		if (may_send > 0) {
			send_state(LLDP_CONNECTING);
			may_send--;
		}
	}
}

static void send_random(struct dcb_rng *rng)
{
	size_t len = dcb_rng_uniform(rng, 0, 199);

	for (size_t i = 0; i < len; i++)
		octets[i] = (uint8_t)dcb_rng_uniform(rng, 0, 255);
	send_octets(len);
}

/* Sends a valid message with one change. */
static void send_altered(struct dcb_rng *rng)
{
	struct lldp_msg m = neighbor("swp1", 1);
	size_t len = lldp_msg_encode(&m, octets, sizeof(octets));

	switch (dcb_rng_uniform(rng, 0, 5)) {
	case 0:
		octets[0]++; /* version */
		break;
	case 1:
		octets[1] = LLDP_MSG_SET; /* type */
		break;
	case 2:
		octets[3]++; /* length */
		break;
	case 3:
		octets[len - 1] = LLDP_TLVS_MAX + 1; /* number of TLVs */
		break;
	case 4:
		octets[5] = '/'; /* interface */
		break;
	default:
		len--;
		break;
	}
	send_octets(len);
}

static void lie(uint64_t seed)
{
	struct lldp_msg m = {.type = LLDP_MSG_ALL_REPORTED};
	struct dcb_rng rng;
	uint32_t kind;

	dcb_rng_seed(&rng, seed, 1);
	kind = dcb_rng_uniform(&rng, 0, 5);
	if (kind > 0)
		send_hello();
	if (kind > 3)
		send_state(LLDP_CONNECTED);
	switch (kind) {
	case 0: /* no HELLO */
	case 1: /* no connection */
		send_msg(&m);
		break;
	case 2:
		m.type = LLDP_MSG_PONG; /* without a PING */
		send_msg(&m);
		break;
	case 3: /* longer than LLDP_MSG_MAX */
		memset(octets, 1, sizeof(octets));
		send_octets(sizeof(octets));
		break;
	case 4:
		send_random(&rng);
		break;
	default:
		send_altered(&rng);
		break;
	}
	pause(); /* until dcbd kills this process */
}

/* Returns false if there is no such file. */
static bool read_order(const char *path, char *line, size_t room)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fgets(line, (int)room, f);

	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static void become_dcb_lldp(char **argv)
{
	char path[4096];

	if (lldp_spawn_beside("dcb-lldp", path, sizeof(path)))
		execv(path, argv);
	perror(path);
	exit(1);
}

int main(int argc, char **argv)
{
	char path[256], line[64];

	snprintf(path, sizeof(path), "%s.double", argv[argc - 1]);
	if (!read_order(path, line, sizeof(line)))
		become_dcb_lldp(argv);
	if (strcmp(line, "fail") != 0)
		unlink(path);
	if (strncmp(line, "flood ", 6) == 0) {
		flood(line + 6);
	} else if (strcmp(line, "busy") == 0) {
		busy();
	} else if (strncmp(line, "lie ", 4) == 0) {
		lie(strtoull(line + 4, NULL, 0));
	} else {
		send_hello();
		if (strcmp(line, "fail") == 0)
			exit(9); /* not a signal, which sanitizers catch */
		pause();
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends and lists LLDPDUs by raw sockets, without any check of their contents.
 *
 *   lldp_peer send IF [-c CHASSIS] [-o PORT] [-t TTL] [-d DA] [-s SA] [-N NEIGHBORS]
 *                     [-n COUNT] [-g MICROSECONDS] TLV... [/ TLV...]...
 *     sends COUNT LLDPDUs (0: until ended), MICROSECONDS apart, of NEIGHBORS neighbors
 *     in turn. CHASSIS and PORT are MAC addresses or other texts, by default SA; n is
 *     added to the addresses of the n-th neighbor. A "/" begins the contents of
 *     another LLDPDU: the contents are sent in turn.
 *     TLV is SUBTYPE:HEX (OUI 00-80-C2), OUI/SUBTYPE:HEX with the OUI in hexadecimal
 *     and the subtype in decimal, or =HEX: octets in the place of a TLV.
 *   lldp_peer list IF
 *     prints "ready", then a line for each LLDPDU in either direction until ended:
 *     MICROSECONDS in|out SA DA TTL [SUBTYPE:HEX]... [malformed]
 *     with the time since 1970 and the TLVs of OUI 00-80-C2. TTL -1: no TTL TLV.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>

#define LLDPDU_MAX   9216
#define FRAME_MIN    60
#define CONTENTS_MAX 16
#define LLDP_TYPE    0x88cc

enum tlv_type { TLV_END, TLV_CHASSIS, TLV_PORT, TLV_TTL, TLV_ORG = 127 };

static const uint8_t dot1[3] = {0x00, 0x80, 0xc2};

struct contents {
	uint8_t octets[LLDPDU_MAX];
	size_t len;
};

struct speaker {
	const char *chassis, *port; /* NULL: sa */
	uint8_t da[6], sa[6];
	unsigned ttl, neighbors, count, gap_us;
	struct contents contents[CONTENTS_MAX];
	unsigned n_contents;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "lldp_peer: %s: %s\n", what, errno ? strerror(errno) : "not valid");
	exit(1);
}

static _Noreturn void usage(void)
{
	fprintf(stderr,
		"usage: lldp_peer send IF [OPTION]... TLV... [/ TLV...]...\n"
		"       lldp_peer list IF\n");
	exit(2);
}

/* --- words ---------------------------------------------------------------------- */

static bool parse_mac(const char *text, uint8_t mac[6])
{
	int used = 0;

	return sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		      &mac[3], &mac[4], &mac[5], &used) == 6 &&
	       text[used] == '\0';
}

static unsigned parse_number(const char *text, unsigned max)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || end == text || *end || v > max)
		die(text);
	return (unsigned)v;
}

static size_t parse_hex(const char *text, uint8_t *buf, size_t room)
{
	size_t n = 0;

	errno = 0;
	for (; *text; text += 2)
		if (n == room || sscanf(text, "%2hhx", &buf[n++]) != 1 || !text[1])
			die(text);
	return n;
}

/* --- LLDPDUs to send --------------------------------------------------------------- */

static void put_tlv(struct contents *c, unsigned type, const uint8_t *value, size_t len)
{
	errno = 0;
	if (len > 511 || c->len + 2 + len > sizeof(c->octets))
		die("TLV too long");
	c->octets[c->len++] = (uint8_t)(type << 1 | len >> 8);
	c->octets[c->len++] = (uint8_t)len;
	memcpy(c->octets + c->len, value, len);
	c->len += len;
}

static void add_tlv(struct contents *c, const char *word)
{
	const char *slash = strchr(word, '/'), *colon = strchr(word, ':');
	uint8_t value[LLDPDU_MAX], oui[4] = {0x00, 0x80, 0xc2};
	char text[8] = {0};

	errno = 0;
	if (*word == '=') {
		c->len += parse_hex(word + 1, c->octets + c->len, sizeof(c->octets) - c->len);
		return;
	}
	if (!colon)
		die(word);
	if (slash) {
		memcpy(text, word, slash - word == 6 ? 6 : 0);
		if (parse_hex(text, oui, 3) != 3)
			die(word);
		word = slash + 1;
	}
	memcpy(value, oui, 3);
	memset(text, 0, sizeof(text));
	memcpy(text, word, colon - word < 4 ? (size_t)(colon - word) : 0);
	value[3] = (uint8_t)parse_number(text, 255);
	put_tlv(c, TLV_ORG, value, 4 + parse_hex(colon + 1, value + 4, sizeof(value) - 4));
}

/* Puts a chassis ID or port ID TLV; mac_subtype is its subtype for a MAC address. */
static void put_id(struct contents *c, unsigned type, unsigned mac_subtype, const char *text,
		   const uint8_t sa[6], unsigned number)
{
	uint8_t value[256] = {7}; /* locally assigned */
	uint8_t mac[6];

	if (!text || parse_mac(text, mac)) {
		value[0] = (uint8_t)mac_subtype;
		memcpy(value + 1, text ? mac : sa, 6);
		if (text)
			value[6] = (uint8_t)(value[6] + number);
		put_tlv(c, type, value, 7);
		return;
	}
	put_tlv(
	    c, type, value,
	    1 + (size_t)snprintf((char *)value + 1, sizeof(value) - 1, "%.200s%u", text, number));
}

static size_t build(const struct speaker *s, unsigned number, const struct contents *said,
		    uint8_t *frame)
{
	struct contents c = {.len = 0};
	uint8_t sa[6], ttl[2] = {(uint8_t)(s->ttl >> 8), (uint8_t)s->ttl};
	size_t len = 14;

	memcpy(sa, s->sa, 6);
	sa[5] = (uint8_t)(sa[5] + number);
	put_id(&c, TLV_CHASSIS, 4, s->chassis, sa, number);
	put_id(&c, TLV_PORT, 3, s->port, sa, number);
	put_tlv(&c, TLV_TTL, ttl, sizeof(ttl));
	memcpy(frame, s->da, 6);
	memcpy(frame + 6, sa, 6);
	frame[12] = LLDP_TYPE >> 8;
	frame[13] = LLDP_TYPE & 0xff;
	memcpy(frame + len, c.octets, c.len);
	len += c.len;
	memcpy(frame + len, said->octets, said->len);
	len += said->len;
	memset(frame + len, 0, FRAME_MIN); /* End Of LLDPDU TLV and padding */
	return len + 2 < FRAME_MIN ? FRAME_MIN : len + 2;
}

static int open_socket(const char *ifname, unsigned protocol)
{
	struct sockaddr_ll sa = {.sll_family = AF_PACKET,
				 .sll_protocol = htons((uint16_t)protocol)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	sa.sll_ifindex = promiscuous.mr_ifindex = (int)if_nametoindex(ifname);
	if (sa.sll_ifindex == 0 || fd < 0)
		die(ifname);
	if (protocol && setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
				   sizeof(promiscuous)) < 0)
		die(ifname);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die(ifname);
	return fd;
}

static void speak(const struct speaker *s, int fd)
{
	static uint8_t frame[2 * LLDPDU_MAX];
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	for (unsigned i = 0; s->count == 0 || i < s->count; i++) {
		const struct contents *said = &s->contents[i / s->neighbors % s->n_contents];
		size_t len = build(s, i % s->neighbors, said, frame);

		/* A link that is down may come up again. */
		while (send(fd, frame, len, 0) < 0 && errno != ENETDOWN) {
			if (errno != ENOBUFS && errno != EINTR)
				die("send");
			usleep(100);
		}
		due.tv_nsec += s->gap_us * 1000L;
		due.tv_sec += due.tv_nsec / 1000000000;
		due.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
}

static int do_send(int argc, char **argv)
{
	static struct speaker s = {.da = {1, 0x80, 0xc2, 0, 0, 0x0e},
				   .sa = {2, 0, 0, 0, 0xee, 1},
				   .ttl = 120,
				   .neighbors = 1,
				   .count = 1,
				   .n_contents = 1};
	int c, fd = open_socket(argv[1], 0);

	optind = 2;
	errno = 0;
	while ((c = getopt(argc, argv, "+c:o:t:d:s:N:n:g:")) != -1) {
		if (c == 'c')
			s.chassis = optarg;
		else if (c == 'o')
			s.port = optarg;
		else if (c == 't')
			s.ttl = parse_number(optarg, 65535);
		else if (c == 'N')
			s.neighbors = parse_number(optarg, 255);
		else if (c == 'n')
			s.count = parse_number(optarg, UINT32_MAX);
		else if (c == 'g')
			s.gap_us = parse_number(optarg, 100000000);
		else if (c == '?' || !parse_mac(optarg, c == 'd' ? s.da : s.sa))
			usage();
	}
	if (s.neighbors == 0)
		usage();
	for (; optind < argc; optind++) {
		if (strcmp(argv[optind], "/") != 0)
			add_tlv(&s.contents[s.n_contents - 1], argv[optind]);
		else if (++s.n_contents > CONTENTS_MAX)
			usage();
	}
	speak(&s, fd);
	return 0;
}

/* --- LLDPDUs received -------------------------------------------------------------- */

/* Prints the organizationally specific TLVs. Returns false if the LLDPDU is malformed. */
static bool print_tlvs(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 2) {
		unsigned type = p[0] >> 1, len = (p[0] & 1u) << 8 | p[1];

		p += 2;
		if (type == TLV_END || (size_t)(end - p) < len)
			return type == TLV_END && len == 0;
		if (type == TLV_ORG && len >= 4 && memcmp(p, dot1, sizeof(dot1)) == 0) {
			printf(" %u:", p[3]);
			for (unsigned i = 4; i < len; i++)
				printf("%02x", p[i]);
		}
		p += len;
	}
	return p == end; /* the End Of LLDPDU TLV is optional in a full frame */
}

static int find_ttl(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		unsigned type = p[0] >> 1, len = (p[0] & 1u) << 8 | p[1];

		if (type == TLV_TTL && len >= 2)
			return p[2] << 8 | p[3];
		if (type == TLV_END || (size_t)(end - p) < 2 + len)
			break;
		p += 2 + len;
	}
	return -1;
}

static void print_lldpdu(const uint8_t *frame, size_t len, int64_t us, bool out)
{
	printf("%" PRId64 " %s", us, out ? "out" : "in");
	for (unsigned i = 0; i < 12; i++) {
		unsigned at = i < 6 ? i + 6 : i - 6;

		printf("%c%02x", i % 6 ? ':' : ' ', frame[at]);
	}
	printf(" %d", find_ttl(frame + 14, frame + len));
	puts(print_tlvs(frame + 14, frame + len) ? "" : " malformed");
}

/* Returns the time when the kernel received or sent the frame. */
static int64_t arrived_us(struct msghdr *msg)
{
	struct timeval tv = {0};

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMP)
			memcpy(&tv, CMSG_DATA(c), sizeof(tv));
	return tv.tv_sec * INT64_C(1000000) + tv.tv_usec;
}

static void listen_for_lldp(int fd)
{
	static struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LLDP_TYPE, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, 65535),
	    BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	int on = 1, size = 4 << 20;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof(on)) < 0)
		die("socket");
}

static _Noreturn void do_list(const char *ifname)
{
	static uint8_t buf[65536];
	int fd = open_socket(ifname, ETH_P_ALL);

	listen_for_lldp(fd);
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	puts("ready");
	for (;;) {
		union {
			struct cmsghdr align;
			char octets[CMSG_SPACE(sizeof(struct timeval))];
		} control;
		struct sockaddr_ll from;
		struct iovec iov = {buf, sizeof(buf)};
		struct msghdr msg = {.msg_name = &from,
				     .msg_namelen = sizeof(from),
				     .msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &control,
				     .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(fd, &msg, 0);

		if (n < 0 && errno != EINTR && errno != ENETDOWN)
			die("receive");
		/* Frames of any type may be queued from before the filter was attached. */
		if (n > 14 && buf[12] == LLDP_TYPE >> 8 && buf[13] == (LLDP_TYPE & 0xff))
			print_lldpdu(buf, (size_t)n, arrived_us(&msg),
				     from.sll_pkttype == PACKET_OUTGOING);
	}
}

/* stdout is line buffered and has no rest to flush. */
static void on_term(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	signal(SIGTERM, on_term);
	if (argc > 2 && strcmp(argv[1], "send") == 0)
		return do_send(argc - 1, argv + 1);
	if (argc == 3 && strcmp(argv[1], "list") == 0)
		do_list(argv[2]);
	usage();
}

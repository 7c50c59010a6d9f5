/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames for the system tests: sends numbered frames on an interface, and lists
 * frames that an interface receives. After the EtherType 88b5 (local experiments)
 * a frame has a stream number and a sequence number, four octets each.
 *
 *   frames send IF [-d DA] [-s SA] [-v VID] [-p PRIORITY] [-i STREAM] [-n COUNT]
 *                  [-f FLOW] [-l OCTETS] [-g MICROSECONDS] [-a]
 *     sends COUNT frames of OCTETS octets (without FCS), MICROSECONDS apart. -v or
 *     -p: tagged; -p alone: VID 0, priority-tagged. -f: with a CN-TAG of this flow.
 *     -a: increments the last four octets of SA as a number, and STREAM, for each frame.
 *   frames raw IF HEX [-n COUNT]
 *     sends this frame COUNT times, padded with zeros to 60 octets.
 *   frames list IF [-x]
 *     prints "ready", then a line for each frame until ended:
 *     DA SA untagged|VID/PRIORITY [FLOW+]ETHERTYPE OCTETS STREAM SEQUENCE MICROSECONDS
 *     STREAM and SEQUENCE are 0 for other EtherTypes. FLOW is that of a CN-TAG. OCTETS
 *     includes the tags. MICROSECONDS is the kernel's time of reception, by
 *     CLOCK_REALTIME. -x: also the frame's octets in hexadecimal.
 *   frames pcap FILE
 *     prints such lines for a capture file, with times of the file.
 *   frames write FILE
 *     writes a capture file of frames that are such lines on standard input.
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
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <sys/socket.h>

#define FRAME_MAX  9216
#define FRAME_MIN  60
#define OWN_MIN    30 /* with both tags, stream and sequence */
#define TAG_OCTETS 4
#define OWN_TYPE   0x88b5
#define CN_TYPE    0x22e9

struct frame {
	uint8_t da[6], sa[6];
	int vid, priority; /* -1: untagged */
	int flow;          /* of its CN-TAG; -1: none */
	unsigned type, octets;
	uint32_t stream, sequence;
};

static void die(const char *what)
{
	fprintf(stderr, "frames: %s: %s\n", what, errno ? strerror(errno) : "not valid");
	exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: frames send|raw|list IF ..., frames pcap|write FILE\n");
	exit(2);
}

/* --- octets -------------------------------------------------------------------- */

static uint8_t *put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v & 0xffff);
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static void parse_mac(const char *text, uint8_t mac[6])
{
	int used = 0;

	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		   &mac[3], &mac[4], &mac[5], &used) != 6 ||
	    text[used]) {
		errno = 0;
		die(text);
	}
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

/* Returns the frame's length in octets. */
static unsigned build(const struct frame *f, uint8_t *buf)
{
	uint8_t *p = buf;

	memset(buf, 0, f->octets);
	memcpy(p, f->da, 6);
	memcpy(p + 6, f->sa, 6);
	p += 12;
	if (f->vid >= 0)
		p = put16(put16(p, ETH_P_8021Q), (unsigned)f->priority << 13 | (unsigned)f->vid);
	if (f->flow >= 0)
		p = put16(put16(p, CN_TYPE), (unsigned)f->flow);
	p = put16(p, f->type);
	if (f->type == OWN_TYPE)
		put32(put32(p, f->stream), f->sequence);
	return f->octets;
}

static void print_hex(const uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", buf[i]);
}

/* Prints the octets as on the wire: with the C-TAG that the kernel has removed. */
static void print_octets(const uint8_t *buf, size_t len, int tci)
{
	uint8_t tag[TAG_OCTETS];

	putchar(' ');
	print_hex(buf, 12);
	if (tci >= 0) {
		put16(put16(tag, ETH_P_8021Q), (unsigned)tci);
		print_hex(tag, sizeof(tag));
	}
	print_hex(buf + 12, len - 12);
}

/* tci: of the C-TAG that the kernel has removed from the frame; -1 if it has not. */
static void print(const uint8_t *buf, size_t len, int tci, int64_t us, bool octets)
{
	struct frame f = {.vid = -1, .flow = -1};
	int taken = tci;
	const uint8_t *p = buf + 12, *end = buf + len;

	if (len < 14)
		return;
	f.octets = (unsigned)len;
	if (tci >= 0) {
		f.octets += TAG_OCTETS;
	} else if (get16(p) == ETH_P_8021Q && len >= 18) {
		tci = (int)get16(p + 2);
		p += TAG_OCTETS;
	}
	if (tci >= 0) {
		f.vid = tci & 0xfff;
		f.priority = tci >> 13;
	}
	f.type = get16(p);
	if (f.type == CN_TYPE && end - p >= 6) {
		f.flow = (int)get16(p + 2);
		p += TAG_OCTETS;
		f.type = get16(p);
	}
	if (f.type == OWN_TYPE && end - p >= 10) {
		f.stream = get32(p + 2);
		f.sequence = get32(p + 6);
	}
	for (unsigned i = 0; i < 12; i++)
		printf("%02x%c", buf[i], i % 6 == 5 ? ' ' : ':');
	if (f.vid < 0)
		printf("untagged");
	else
		printf("%d/%d", f.vid, f.priority);
	putchar(' ');
	if (f.flow >= 0)
		printf("%04x+", (unsigned)f.flow);
	printf("%04x %u %" PRIu32 " %" PRIu32 " %" PRId64, f.type, f.octets, f.stream, f.sequence,
	       us);
	if (octets)
		print_octets(buf, len, taken);
	putchar('\n');
}

/* --- interfaces ------------------------------------------------------------------ */

static int open_socket(const char *ifname, unsigned protocol)
{
	struct sockaddr_ll sa = {.sll_family = AF_PACKET,
				 .sll_protocol = htons((uint16_t)protocol)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	int on = 1, fd = socket(AF_PACKET, SOCK_RAW, 0);

	sa.sll_ifindex = promiscuous.mr_ifindex = (int)if_nametoindex(ifname);
	if (sa.sll_ifindex == 0 || fd < 0)
		die(ifname);
	if (protocol != 0 && (setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) < 0 ||
			      setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
					 sizeof(promiscuous)) < 0))
		die(ifname);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die(ifname);
	return fd;
}

static void send_one(int fd, const uint8_t *buf, size_t len)
{
	while (send(fd, buf, len, 0) < 0) {
		if (errno != ENOBUFS && errno != EINTR)
			die("send");
		usleep(100);
	}
}

static int do_send(int argc, char **argv)
{
	struct frame f = {.da = {2, 0, 0, 0, 0, 2},
			  .sa = {2, 0, 0, 0, 0, 1},
			  .vid = -1,
			  .priority = -1,
			  .flow = -1,
			  .type = OWN_TYPE,
			  .octets = FRAME_MIN};
	unsigned count = 1, gap_us = 0;
	uint8_t buf[FRAME_MAX];
	bool sources = false;
	int c, fd = open_socket(argv[1], 0);

	optind = 2;
	while ((c = getopt(argc, argv, "d:s:v:p:i:n:l:g:f:a")) != -1) {
		switch (c) {
		case 'd':
			parse_mac(optarg, f.da);
			break;
		case 's':
			parse_mac(optarg, f.sa);
			break;
		case 'v':
			f.vid = (int)parse_number(optarg, 4095);
			break;
		case 'p':
			f.priority = (int)parse_number(optarg, 7);
			break;
		case 'f':
			f.flow = (int)parse_number(optarg, 0xffff);
			break;
		case 'i':
			f.stream = parse_number(optarg, UINT32_MAX);
			break;
		case 'n':
			count = parse_number(optarg, UINT32_MAX);
			break;
		case 'l':
			f.octets = parse_number(optarg, FRAME_MAX);
			break;
		case 'g':
			gap_us = parse_number(optarg, 1000000);
			break;
		case 'a':
			sources = true;
			break;
		default:
			usage();
		}
	}
	if (f.vid >= 0 || f.priority >= 0) {
		f.vid = f.vid < 0 ? 0 : f.vid;
		f.priority = f.priority < 0 ? 0 : f.priority;
	}
	if (f.octets < OWN_MIN)
		f.octets = OWN_MIN;
	for (; f.sequence < count; f.sequence++) {
		send_one(fd, buf, build(&f, buf));
		if (sources) {
			put32(f.sa + 2, get32(f.sa + 2) + 1);
			f.stream++;
		}
		if (gap_us)
			usleep(gap_us);
	}
	return 0;
}

static int do_raw(int argc, char **argv)
{
	uint8_t buf[FRAME_MAX] = {0};
	size_t len = 0;
	unsigned count = 1;
	int fd = open_socket(argv[1], 0);

	for (const char *p = argv[2]; *p && len < sizeof(buf); p += 2)
		if (sscanf(p, "%2hhx", &buf[len++]) != 1)
			usage();
	if (len < FRAME_MIN)
		len = FRAME_MIN;
	if (argc == 5 && strcmp(argv[3], "-n") == 0)
		count = parse_number(argv[4], UINT32_MAX);
	while (count-- > 0)
		send_one(fd, buf, len);
	return 0;
}

/* Returns the time when the kernel received the frame; on a veth, when the other end sent it. */
static int64_t received_us(struct msghdr *msg)
{
	struct timespec ts = {0};

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
	}
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

/* Returns the TCI of the tag that the kernel has removed from the frame, or -1. */
static int auxiliary_tag(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct tpacket_auxdata aux;

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (aux.tp_status & TP_STATUS_VLAN_VALID)
			return aux.tp_vlan_tci;
	}
	return -1;
}

/* stdout is line buffered and has no rest to flush. */
static void on_term(int sig)
{
	(void)sig;
	_exit(0);
}

static _Noreturn void do_list(char **argv, bool octets)
{
	static uint8_t buf[65536];
	int on = 1, size = 8 << 20, fd = open_socket(argv[1], ETH_P_ALL);

	/* A flood that this host sends would fill the socket's buffer. Linux 4.20. */
	(void)setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) < 0)
		die("SO_TIMESTAMPNS");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	signal(SIGTERM, on_term);
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	puts("ready");
	for (;;) {
		union {
			struct cmsghdr align;
			char octets[CMSG_SPACE(sizeof(struct tpacket_auxdata)) +
				    CMSG_SPACE(sizeof(struct timespec))];
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
		if (n <= 0 || from.sll_pkttype == PACKET_OUTGOING)
			continue;
		print(buf, (size_t)n, auxiliary_tag(&msg), received_us(&msg), octets);
	}
}

/* --- capture files --------------------------------------------------------------- */

static int do_pcap(char **argv)
{
	char err[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_open_offline(argv[1], err);
	struct pcap_pkthdr *h;
	const uint8_t *data;
	int rc;

	if (!p) {
		fprintf(stderr, "frames: %s\n", err);
		return 1;
	}
	while ((rc = pcap_next_ex(p, &h, &data)) == 1)
		print(data, h->caplen, -1, h->ts.tv_sec * INT64_C(1000000) + h->ts.tv_usec, false);
	if (rc != PCAP_ERROR_BREAK)
		fprintf(stderr, "frames: %s: %s\n", argv[1], pcap_geterr(p));
	pcap_close(p);
	return rc != PCAP_ERROR_BREAK;
}

static bool parse_line(const char *line, struct frame *f, int64_t *us)
{
	char da[18], sa[18], tag[16], type[16];
	unsigned flow;

	if (sscanf(line, "%17s %17s %15s %15s %u %" SCNu32 " %" SCNu32 " %" SCNd64, da, sa, tag,
		   type, &f->octets, &f->stream, &f->sequence, us) != 8)
		return false;
	parse_mac(da, f->da);
	parse_mac(sa, f->sa);
	f->vid = f->priority = f->flow = -1;
	if (sscanf(type, "%x+%x", &flow, &f->type) == 2)
		f->flow = (int)flow;
	else if (sscanf(type, "%x", &f->type) != 1)
		return false;
	if (strcmp(tag, "untagged") != 0 && sscanf(tag, "%d/%d", &f->vid, &f->priority) != 2)
		return false;
	return f->octets >= OWN_MIN && f->octets <= FRAME_MAX;
}

static int do_write(char **argv)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *out = pcap_dump_open(p, argv[1]);
	char line[256];

	if (!out)
		die(argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		uint8_t buf[FRAME_MAX];
		struct pcap_pkthdr h = {0};
		struct frame f;
		int64_t us;

		if (!parse_line(line, &f, &us)) {
			fprintf(stderr, "frames: not a frame: %s", line);
			return 1;
		}
		h.caplen = h.len = build(&f, buf);
		h.ts.tv_sec = us / 1000000;
		h.ts.tv_usec = us % 1000000;
		pcap_dump((u_char *)out, &h, buf);
	}
	pcap_dump_close(out);
	pcap_close(p);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	argc--;
	argv++;
	if (strcmp(what, "send") == 0)
		return do_send(argc, argv);
	if (strcmp(what, "raw") == 0 && argc > 2)
		return do_raw(argc, argv);
	if (strcmp(what, "list") == 0)
		do_list(argv, argc == 3 && strcmp(argv[2], "-x") == 0);
	if (strcmp(what, "pcap") == 0)
		return do_pcap(argv);
	if (strcmp(what, "write") == 0)
		return do_write(argv);
	usage();
	return 2;
}

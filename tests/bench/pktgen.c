/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends a frame repeatedly through an AF_PACKET socket, as fast as possible or at a given
 * rate. Reads the number of received frames from the counter of the far interface,
 * because a receiving program would use processor time, a different amount for each
 * measured element.
 *
 *   pktgen -i IF -d DESTINATION-MAC -o OCTETS [-v VID.PRIORITY] [-n FRAMES]
 *          [-t SECONDS] [-w WARM-UP-SECONDS] [-r FRAMES-PER-SECOND [-z]]
 *          [-N SINK-NAMESPACE -I SINK-IF] [-P PID] [-F FLOOD-FRAMES-PER-SECOND -J FLOOD-IF]
 *          [-T EGRESS-NICKNAME.INGRESS-NICKNAME -D INNER-DESTINATION-MAC -V VID.PRIORITY]
 *
 * OCTETS includes the FCS, as usual for frame sizes, but not the tag. With -n, sends that
 * many frames and ends; with -n and -r, sleeps between frames. Otherwise prints one line
 * for the time after the warm-up, with sent and received frames read at the same two
 * times, and the generator's own processor time between them; with -P also that of a process
 * and its threads. With -z, sleeps until the next frame is due instead of polling the clock. With
 * -F, also sends requests of the headroom measurement (P802.1Qdt 36.9) on FLOOD-IF; with -r 0
 * nothing else. The line has their number between the two times, and with the warm-up. With -T, the
 * frame is inside a TRILL frame, with this address and tag; then -d and -v are outside. Both
 * sources are the address of the interface.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libmnl/libmnl.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH      64
#define FRAME_MAX  2048
#define HEADERS    64 /* octets of tags and TRILL header, at most */
#define FCS_OCTETS 4
#define HOPS       20
#define TYPE_TRILL 0x22f3

struct tag {
	unsigned vid, priority;
	bool present;
};

static struct {
	const char *ifname, *destination, *sink_netns, *sink_ifname, *flood_ifname;
	const char *inner_destination;
	unsigned octets, egress, ingress;
	struct tag tag, inner_tag;
	bool trill, sleeps;
	uint64_t count;
	int pid;
	double seconds, warm_up, rate, flood_rate;
} options = {.octets = 64, .seconds = 1.0, .warm_up = 0.3, .rate = -1};

struct generator {
	int fd;
	uint64_t sent;
	size_t len;
	uint8_t frame[FRAME_MAX + HEADERS];
	struct iovec iov;
	struct mmsghdr msgs[BATCH];
};

struct sink {
	struct mnl_socket *nl;
	unsigned ifindex;
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "pktgen: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static double clock_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double now_s(void)
{
	return clock_s(CLOCK_MONOTONIC);
}

/* --- frame ------------------------------------------------------------------- */

/* Writes the address of the interface at to. */
static void copy_source(const struct generator *g, uint8_t *to, const char *ifname)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	if (ioctl(g->fd, SIOCGIFHWADDR, &ifr) < 0)
		die("%s: no address: %m", ifname);
	memcpy(to, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
}

static uint8_t *put_be16(uint8_t *at, unsigned value)
{
	*at++ = (uint8_t)(value >> 8);
	*at++ = (uint8_t)value;
	return at;
}

/* Writes addresses and tag at at. Returns where the EtherType is. */
static uint8_t *put_head(const struct generator *g, uint8_t *at, char option, const char *to,
			 const struct tag *tag)
{
	unsigned mac[ETH_ALEN];

	if (sscanf(to, "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5]) !=
	    ETH_ALEN)
		die("-%c %s: expected a MAC address", option, to);
	for (unsigned i = 0; i < ETH_ALEN; i++)
		*at++ = (uint8_t)mac[i];
	copy_source(g, at, options.ifname);
	at += ETH_ALEN;
	if (!tag->present)
		return at;
	at = put_be16(at, ETH_P_8021Q);
	return put_be16(at, tag->priority << 13 | tag->vid);
}

static uint8_t *put_trill(const struct generator *g, uint8_t *at)
{
	at = put_be16(at, TYPE_TRILL);
	at = put_be16(at, HOPS);
	at = put_be16(at, options.egress);
	at = put_be16(at, options.ingress);
	return put_head(g, at, 'D', options.inner_destination, &options.inner_tag);
}

static void make_frame(struct generator *g)
{
	static const unsigned untagged = 2 * ETH_ALEN;
	uint8_t *at = put_head(g, g->frame, 'd', options.destination, &options.tag);

	if (options.trill)
		at = put_trill(g, at);
	g->len = (size_t)(at - g->frame) + options.octets - FCS_OCTETS - untagged;
	/* EtherType for local experiments: no protocol stack processes it. */
	at = put_be16(at, 0x88b5);
	for (size_t i = (size_t)(at - g->frame); i < g->len; i++)
		g->frame[i] = (uint8_t)i;
}

/* A request in the first tuple, path 0: 36.9.5. */
static void make_request(struct generator *g)
{
	static const uint8_t destination[ETH_ALEN] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
	static const uint8_t pdu[] = {0x89, 0xa2, 0x01, 0xc0, 0, 0, 0, 1, 0, 0, 0, 0};

	memcpy(g->frame, destination, ETH_ALEN);
	copy_source(g, g->frame + ETH_ALEN, options.flood_ifname);
	memcpy(g->frame + (size_t)2 * ETH_ALEN, pdu, sizeof(pdu));
	g->len = 64 - FCS_OCTETS;
}

static void open_generator(struct generator *g, const char *ifname,
			   void (*make)(struct generator *))
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	const int on = 1;

	addr.sll_ifindex = (int)if_nametoindex(ifname);
	g->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (g->fd < 0 || !addr.sll_ifindex || bind(g->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("%s: %m", ifname);
	if (setsockopt(g->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		die("PACKET_QDISC_BYPASS: %m");
	make(g);
	g->iov = (struct iovec){g->frame, g->len};
	for (unsigned i = 0; i < BATCH; i++)
		g->msgs[i].msg_hdr = (struct msghdr){.msg_iov = &g->iov, .msg_iovlen = 1};
}

/* ENOBUFS from veth: the backlog of the other side is full; the frame counts as sent and lost. */
static void send_batch(struct generator *g, unsigned n)
{
	unsigned done = 0;

	while (done < n) {
		int rc = sendmmsg(g->fd, g->msgs, n - done, 0);

		if (rc > 0)
			done += (unsigned)rc;
		else if (errno == ENOBUFS)
			done++;
		else if (errno != EINTR && errno != EAGAIN)
			die("%s: send: %m", options.ifname);
	}
	g->sent += n;
}

/* --- sink -------------------------------------------------------------------- */

/* A netlink socket stays in the network namespace in which it was created. */
static void open_sink(struct sink *s)
{
	char path[256];
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;

	snprintf(path, sizeof(path), "/run/netns/%s", options.sink_netns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (here < 0 || there < 0 || setns(there, CLONE_NEWNET))
		die("%s: %m", path);
	s->ifindex = if_nametoindex(options.sink_ifname);
	s->nl = mnl_socket_open(NETLINK_ROUTE);
	if (!s->ifindex || !s->nl || mnl_socket_bind(s->nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("%s in %s: %m", options.sink_ifname, options.sink_netns);
	if (setns(here, CLONE_NEWNET))
		die("return to the own network namespace: %m");
	close(here);
	close(there);
}

static int take_stats(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == IFLA_STATS64)
		memcpy(data, mnl_attr_get_payload(attr), sizeof(struct rtnl_link_stats64));
	return MNL_CB_OK;
}

static int take_link(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct ifinfomsg), take_stats, data);
}

static uint64_t arrived(const struct sink *s)
{
	char buf[32768];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *ifm;
	struct rtnl_link_stats64 stats = {0};
	ssize_t n;

	nlh->nlmsg_type = RTM_GETLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	ifm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifm));
	ifm->ifi_index = (int)s->ifindex;
	if (mnl_socket_sendto(s->nl, nlh, nlh->nlmsg_len) < 0 ||
	    (n = mnl_socket_recvfrom(s->nl, buf, sizeof(buf))) < 0 ||
	    mnl_cb_run(buf, (size_t)n, 0, mnl_socket_get_portid(s->nl), take_link, &stats) < 0)
		die("counters of %s: %m", options.sink_ifname);
	return stats.rx_packets;
}

/* --- the element's processor time ---------------------------------------------- */

static double thread_seconds(const char *tid)
{
	char path[64];
	uint64_t ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", options.pid, tid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%" SCNu64, &ns) != 1)
		die("%s: %m", path);
	fclose(f);
	return (double)ns * 1e-9;
}

/* Returns the processor time of the process in -P, seconds; 0 without -P. */
static double element_seconds(void)
{
	char path[64];
	double sum = 0;
	DIR *tasks;

	if (!options.pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", options.pid);
	tasks = opendir(path);
	if (!tasks)
		die("%s: %m", path);
	for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks)) {
		if (d->d_name[0] != '.')
			sum += thread_seconds(d->d_name);
	}
	closedir(tasks);
	return sum;
}

/* --- run --------------------------------------------------------------------- */

/* Returns how many frames are due after this time, at most a batch; rate < 0: a batch. */
static unsigned due_frames(double rate, double elapsed, uint64_t sent)
{
	double due = rate * elapsed - (double)sent;

	if (rate < 0 || due > BATCH)
		return BATCH;
	return due < 0 ? 0 : (unsigned)due;
}

/* t: of now_s(), which is CLOCK_MONOTONIC. */
static void sleep_until(double t)
{
	struct timespec at = {.tv_sec = (time_t)t};

	at.tv_nsec = (long)((t - (double)at.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* Sends until end, at the given rates if any. */
static void send_until(struct generator *g, struct generator *flood, double end)
{
	double start = now_s(), now = start;
	uint64_t before = g->sent, flood_before = flood->sent;

	while (now < end) {
		unsigned n = due_frames(options.rate, now - start, g->sent - before);

		if (n)
			send_batch(g, n);
		n = due_frames(options.flood_rate, now - start, flood->sent - flood_before);
		if (n)
			send_batch(flood, n);
		if (options.sleeps)
			sleep_until(start + (double)(g->sent - before + 1) / options.rate);
		now = now_s();
	}
}

/* Sends -n frames in bursts of 1 ms and sleeps in between. */
static void send_count(struct generator *g)
{
	double start = now_s();

	while (g->sent < options.count) {
		double due = (now_s() - start) * options.rate;
		uint64_t n = due > (double)g->sent ? (uint64_t)due - g->sent : 0;

		if (options.rate <= 0)
			n = 1;
		if (n > options.count - g->sent)
			n = options.count - g->sent;
		if (n)
			send_batch(g, n < BATCH ? (unsigned)n : BATCH);
		if (options.rate > 0)
			usleep(1000);
	}
}

static void measure(struct generator *g, struct generator *flood, const struct sink *s)
{
	uint64_t sent, flooded, received;
	double start, elapsed, cpu, own;

	start = now_s();
	send_until(g, flood, start + options.warm_up);
	cpu = element_seconds();
	own = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	start = now_s();
	sent = g->sent;
	flooded = flood->sent;
	received = arrived(s);
	send_until(g, flood, start + options.seconds);
	received = arrived(s) - received;
	sent = g->sent - sent;
	flooded = flood->sent - flooded;
	elapsed = now_s() - start;
	own = clock_s(CLOCK_PROCESS_CPUTIME_ID) - own;
	cpu = element_seconds() - cpu;
	printf("octets=%u sent=%" PRIu64 " received=%" PRIu64
	       " seconds=%.3f sent_fps=%.0f"
	       " received_fps=%.0f loss=%.4f own_cpu_s=%.4f cpu_s=%.4f flood=%" PRIu64
	       " flood_all=%" PRIu64 "\n",
	       options.octets, sent, received, elapsed, (double)sent / elapsed,
	       (double)received / elapsed,
	       received < sent ? 1.0 - (double)received / (double)sent : 0.0, own, cpu, flooded,
	       flood->sent);
}

static void parse_tag(char option, const char *text, struct tag *tag)
{
	tag->present = true;
	if (sscanf(text, "%u.%u", &tag->vid, &tag->priority) != 2 || tag->vid > 4094 ||
	    tag->priority > 7)
		die("-%c %s: expected VID.PRIORITY", option, text);
}

static void parse_nicknames(const char *text)
{
	options.trill = true;
	if (sscanf(text, "%u.%u", &options.egress, &options.ingress) != 2 ||
	    options.egress > UINT16_MAX || options.ingress > UINT16_MAX)
		die("-T %s: expected EGRESS.INGRESS, two nicknames", text);
}

static void parse(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "i:d:o:v:n:t:w:r:zN:I:P:F:J:T:D:V:")) != -1) {
		switch (opt) {
		case 'i':
			options.ifname = optarg;
			break;
		case 'd':
			options.destination = optarg;
			break;
		case 'o':
			options.octets = (unsigned)atoi(optarg);
			break;
		case 'v':
			parse_tag('v', optarg, &options.tag);
			break;
		case 'T':
			parse_nicknames(optarg);
			break;
		case 'D':
			options.inner_destination = optarg;
			break;
		case 'V':
			parse_tag('V', optarg, &options.inner_tag);
			break;
		case 'n':
			options.count = strtoull(optarg, NULL, 10);
			break;
		case 't':
			options.seconds = atof(optarg);
			break;
		case 'w':
			options.warm_up = atof(optarg);
			break;
		case 'r':
			options.rate = atof(optarg);
			break;
		case 'z':
			options.sleeps = true;
			break;
		case 'N':
			options.sink_netns = optarg;
			break;
		case 'I':
			options.sink_ifname = optarg;
			break;
		case 'P':
			options.pid = atoi(optarg);
			break;
		case 'F':
			options.flood_rate = atof(optarg);
			break;
		case 'J':
			options.flood_ifname = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (!options.ifname || !options.destination)
		die("expected -i IF and -d MAC");
	if (options.trill != (options.inner_destination != NULL) ||
	    options.trill != options.inner_tag.present)
		die("expected -T, -D and -V, or none of them");
	if (options.octets < 64 || options.octets > FRAME_MAX - 4)
		die("-o: expected 64 to %d octets", FRAME_MAX - 4);
	if (!options.count && (!options.sink_netns || !options.sink_ifname))
		die("expected -N and -I: the interface that receives the frames");
	if (options.sleeps && options.rate <= 0)
		die("-z: expected -r above 0");
	if (options.flood_rate < 0 || (options.flood_rate > 0) != (options.flood_ifname != NULL))
		die("expected -F above 0 with -J, or neither");
}

int main(int argc, char **argv)
{
	struct generator g = {0}, flood = {0};
	struct sink s;

	parse(argc, argv);
	(void)prctl(PR_SET_TIMERSLACK, 1L); /* ns: of sleep_until() */
	open_generator(&g, options.ifname, make_frame);
	if (options.flood_ifname)
		open_generator(&flood, options.flood_ifname, make_request);
	if (options.count) {
		send_count(&g);
		return 0;
	}
	open_sink(&s);
	measure(&g, &flood, &s);
	return 0;
}

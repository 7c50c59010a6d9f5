/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The peer of dcbd for kernel.sh, and its manager.
 *
 *   kernel_loop poll PREFIX PORTS ROUNDS
 *     the requests that reading the devices of the interfaces PREFIX0, PREFIX1 ... takes at least,
 *     without reading the answers: DCB_CMD_IEEE_GET and ETHTOOL_GSTATS. Prints the processor time
 *     of a round, ns.
 *   kernel_loop get SOCKET OBJECT READS INDEX...
 *     reads rows from dcbd in turn.
 */
#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/mo/mo_client.h"

#define COUNTERS   512
#define TIMEOUT_MS 60000

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* --- requests ----------------------------------------------------------------------------------
 */

struct request {
	struct nlmsghdr head;
	struct dcbmsg body;
	char attributes[64];
};

static void put_name(struct request *r, const char *name)
{
	struct nlattr attribute = {.nla_type = DCB_ATTR_IFNAME,
				   .nla_len = (uint16_t)(sizeof(attribute) + strlen(name) + 1)};

	memcpy(r->attributes, &attribute, sizeof(attribute));
	memcpy(r->attributes + sizeof(attribute), name, strlen(name) + 1);
	r->head.nlmsg_len =
	    (uint32_t)(NLMSG_LENGTH(sizeof(r->body)) + NLA_ALIGN(attribute.nla_len));
	r->head.nlmsg_flags = NLM_F_REQUEST;
}

static void ask(int fd, const struct request *r)
{
	static char answer[16384];

	if (send(fd, r, r->head.nlmsg_len, 0) < 0 || recv(fd, answer, sizeof(answer), 0) < 0)
		die("netlink");
}

static void set_name(struct ifreq *ifr, const char *name)
{
	memcpy(ifr->ifr_name, name, strlen(name) + 1);
}

static int open_netlink(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		die("socket");
	return fd;
}

/* --- poll --------------------------------------------------------------------------------------
 */

struct poller {
	int fd;
	struct request get;
	struct ethtool_stats *stats;
	bool *has_counters; /* by port */
};

/* Returns whether a driver has counters: the kernel warns if ETHTOOL_GSTATS finds none. */
static bool has_counters(int fd, const char *name)
{
	/* With the one number of data[]. */
	union {
		struct ethtool_sset_info info;
		unsigned char octets[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} set = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1U << ETH_SS_STATS}};
	struct ifreq ifr = {.ifr_data = (char *)&set};

	set_name(&ifr, name);
	return ioctl(fd, SIOCETHTOOL, &ifr) == 0 && set.info.sset_mask != 0 && set.info.data[0] > 0;
}

static void poll_port(struct poller *p, const char *name, bool counters)
{
	struct ifreq ifr = {.ifr_data = (char *)p->stats};

	put_name(&p->get, name);
	ask(p->fd, &p->get);
	if (!counters)
		return;
	set_name(&ifr, name);
	*p->stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = COUNTERS};
	if (ioctl(p->fd, SIOCETHTOOL, &ifr) < 0)
		die(name);
}

static const char *name_of(const char *prefix, unsigned port, char name[IFNAMSIZ])
{
	snprintf(name, IFNAMSIZ, "%.8s%u", prefix, port % 100000);
	return name;
}

static int poll_ports(const char *prefix, unsigned ports, unsigned rounds)
{
	struct poller p = {.fd = open_netlink(),
			   .get = {.head.nlmsg_type = RTM_GETDCB, .body.cmd = DCB_CMD_IEEE_GET}};
	char name[IFNAMSIZ];
	double start;

	p.stats = calloc(1, sizeof(*p.stats) + COUNTERS * sizeof(p.stats->data[0]));
	p.has_counters = calloc(ports, sizeof(p.has_counters[0]));
	if (!p.stats || !p.has_counters)
		die("calloc");
	for (unsigned k = 0; k < ports; k++)
		p.has_counters[k] = has_counters(p.fd, name_of(prefix, k, name));
	start = cpu_ns();
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < ports; k++)
			poll_port(&p, name_of(prefix, k, name), p.has_counters[k]);
	}
	printf("ns=%.0f\n", (cpu_ns() - start) / rounds);
	free(p.has_counters);
	free(p.stats);
	return 0;
}

/* --- get ---------------------------------------------------------------------------------------
 */

static int get(const char *socket, const char *table, unsigned long reads, char **words)
{
	struct mo_client *c = mo_client_new(socket, TIMEOUT_MS);
	const struct mo_table *t;
	struct mo_index index[64];
	struct mo_page page = {0};
	unsigned n = 0;

	if (!c || !mo_column_by_name(table, &t))
		die(table);
	for (; n < sizeof(index) / sizeof(index[0]) && words[n]; n++)
		if (!mo_index_parse(words[n], &index[n]))
			die(words[n]);
	for (unsigned long i = 0; i < reads; i++)
		if (mo_client_read(c, t->id, MO_READ_EXACT, &index[i % n], 1, &page) !=
			MO_CLIENT_OK ||
		    page.n_rows != 1)
			die(words[i % n]);
	mo_page_free(&page);
	mo_client_free(c);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "poll") == 0)
		return poll_ports(argv[2], (unsigned)strtoul(argv[3], NULL, 10),
				  (unsigned)strtoul(argv[4], NULL, 10));
	if (argc > 5 && strcmp(argv[1], "get") == 0)
		return get(argv[2], argv[3], strtoul(argv[4], NULL, 10), argv + 5);
	fputs(
	    "usage: kernel_loop poll PREFIX PORTS ROUNDS | "
	    "get SOCKET OBJECT READS INDEX...\n",
	    stderr);
	return 2;
}

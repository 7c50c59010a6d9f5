/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about Linux on which this depends:
 *
 * - Answers have the port and the sequence number of the request: the driver's result or the values
 *   first, then the acknowledgment, which alone comes after an error of the kernel.
 * - ETHTOOL_GSTRINGS and ETHTOOL_GSTATS write as many entries as there are at that time, whatever
 *   the request has room for, and a driver can have more of them than a moment ago (mlx5, when PFC
 *   is switched on). They write their number before the entries. The area for them ends at a page
 *   that is not accessible: the kernel stops there with EFAULT. Newer kernels compare the number in
 *   the request, and write 0 if it is another one.
 */
#include "dataplane/kernel/kernel_io.h"

#include <errno.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#include "dataplane/kernel/kernel_wire.h"
#include "lib/clock.h"

/*
 * An answer is there when the request has been sent: the time limit is for one that never comes. A
 * driver that resets its link takes seconds, within send().
 */
#define ANSWER_MS 30000

struct over {
	struct kernel_io base;
	struct kernel_wire *wire;
	uint32_t seq;
	char *area; /* pages before one that is not accessible; NULL: none yet */
	size_t area_octets;
	struct dcbnl_port port; /* of answers and notifications that are not returned */
	uint32_t request[DCBNL_REQUEST_OCTETS / sizeof(uint32_t)];
	uint32_t answer[KERNEL_WIRE_OCTETS / sizeof(uint32_t)];
};

static struct over *over_of(struct kernel_io *io)
{
	return (struct over *)io;
}

/* --- netlink ------------------------------------------------------------- */

/* What has arrived of the answer to a request. */
struct answer {
	struct dcbnl_port *port;
	bool has_port, has_result, has_ack;
	struct dcbnl_result result;
};

static void take_message(const struct dcbnl_message *m, struct answer *a)
{
	switch (m->kind) {
	case DCBNL_IS_PORT:
		a->has_port = true;
		return;
	case DCBNL_IS_RESULT:
		a->has_result = true;
		a->result = m->result;
		return;
	case DCBNL_IS_ACK:
		a->has_ack = true;
		if (m->result.error)
			a->result = m->result;
		return;
	}
}

/* Takes the messages of a datagram that are answers to the last request. */
static void take_datagram(struct over *o, size_t len, struct answer *a)
{
	const char *at = (const char *)o->answer;
	struct dcbnl_message m;
	size_t used;

	for (; len > 0 && !a->has_ack; at += used, len -= used) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)at;
		bool ours = len >= sizeof(*nlh) && nlh->nlmsg_seq == o->seq &&
			    nlh->nlmsg_pid == o->wire->port;

		if (dcbnl_read(at, len, &used, &m, ours ? a->port : &o->port) && ours)
			take_message(&m, a);
		if (used == 0)
			return;
	}
}

/* Sends the request of this length, and reads its answers up to the acknowledgment. */
static void exchange(struct over *o, size_t len, struct answer *a)
{
	const struct dcb_time end = dcb_time_add_ns(clock_now(), ANSWER_MS * DCB_NS_PER_MS);
	int error = o->wire->ops->send(o->wire, o->request, len);

	while (error == 0 && !a->has_ack) {
		int64_t left = dcb_time_diff_ns(end, clock_now()) / DCB_NS_PER_MS;
		ssize_t n =
		    o->wire->ops->receive(o->wire, o->answer, sizeof(o->answer), (int)MAX(left, 0));

		if (n >= 0)
			take_datagram(o, (size_t)n, a);
		else
			error = (int)-n;
	}
	if (error)
		a->result = (struct dcbnl_result){.error = error};
}

static int over_get(struct kernel_io *io, const char *name, struct dcbnl_port *out)
{
	struct over *o = over_of(io);
	struct answer a = {.port = out};

	memset(out, 0, sizeof(*out));
	exchange(o, dcbnl_write_get(o->request, name, ++o->seq), &a);
	if (a.result.error == 0 && !a.has_port)
		return EPROTO;
	return a.result.error;
}

/* Sends a request for a change. */
static struct dcbnl_result change(struct over *o, size_t len)
{
	struct answer a = {.port = &o->port};

	exchange(o, len, &a);
	if (a.result.error == 0 && !a.has_result)
		a.result.error = EPROTO;
	return a.result;
}

static struct dcbnl_result over_set(struct kernel_io *io, const char *name,
				    const struct dcbnl_change *c)
{
	struct over *o = over_of(io);

	return change(o, dcbnl_write_set(o->request, name, ++o->seq, c));
}

static struct dcbnl_result over_drop_apps(struct kernel_io *io, const char *name,
					  const struct dcb_app *apps, unsigned n)
{
	struct over *o = over_of(io);

	return change(o, dcbnl_write_delete(o->request, name, ++o->seq, apps, n));
}

static struct dcbnl_result over_set_dcbx(struct kernel_io *io, const char *name, uint8_t dcbx)
{
	struct over *o = over_of(io);

	return change(o, dcbnl_write_dcbx(o->request, name, ++o->seq, dcbx));
}

static int over_fd(const struct kernel_io *io)
{
	const struct over *o = (const struct over *)io;

	return o->wire->ops->group_fd(o->wire);
}

static bool over_changed(struct kernel_io *io, char name[IF_NAMESIZE])
{
	struct over *o = over_of(io);

	for (;;) {
		ssize_t n = o->wire->ops->receive_group(o->wire, o->answer, sizeof(o->answer));
		struct dcbnl_message m;
		size_t used;

		if (n == -EAGAIN)
			return false;
		if (n < 0) { /* ENOBUFS, or a datagram that is longer than any of the kernel */
			name[0] = '\0';
			return true;
		}
		/* The kernel sends one message in a datagram of this group. */
		if (dcbnl_read(o->answer, (size_t)n, &used, &m, &o->port) &&
		    m.kind == DCBNL_IS_PORT) {
			memcpy(name, m.name, sizeof(m.name));
			return true;
		}
	}
}

/* --- ioctl --------------------------------------------------------------- */

/* Returns a request about an interface. */
static struct ifreq about(const char *name, void *data)
{
	struct ifreq ifr = {.ifr_data = data};

	memcpy(ifr.ifr_name, name, strnlen(name, IF_NAMESIZE - 1));
	return ifr;
}

static int ethtool(struct over *o, const char *name, void *data)
{
	struct ifreq ifr = about(name, data);

	return o->wire->ops->request(o->wire, SIOCETHTOOL, &ifr);
}

static uint32_t over_ifindex(struct kernel_io *io, const char *name)
{
	struct over *o = over_of(io);
	struct ifreq ifr = about(name, NULL);

	if (o->wire->ops->request(o->wire, SIOCGIFINDEX, &ifr))
		return 0;
	return (uint32_t)ifr.ifr_ifindex;
}

static int over_driver(struct kernel_io *io, const char *name, char driver[KERNEL_DRIVER_OCTETS])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int error = ethtool(over_of(io), name, &info);

	if (error)
		return error;
	memset(driver, 0, KERNEL_DRIVER_OCTETS);
	memcpy(driver, info.driver, strnlen(info.driver, KERNEL_DRIVER_OCTETS - 1));
	return 0;
}

static int over_count(struct kernel_io *io, const char *name)
{
	union {
		struct ethtool_sset_info info;
		char octets[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} set = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1u << ETH_SS_STATS}};
	int error = ethtool(over_of(io), name, &set);
	uint32_t n;

	if (error)
		return -error;
	if (!(set.info.sset_mask & 1u << ETH_SS_STATS))
		return 0;
	memcpy(&n, set.octets + sizeof(set.info), sizeof(n));
	return n < INT_MAX ? (int)n : -EPROTO;
}

/*
 * Returns len octets, aligned to 8, behind which the kernel cannot write; valid until the next
 * call. NULL: out of memory.
 */
static void *area(struct over *o, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t octets = roundup(len, page);

	if (octets > o->area_octets) {
		char *pages = mmap(NULL, octets + page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return NULL;
		if (mprotect(pages + octets, page, PROT_NONE)) {
			munmap(pages, octets + page);
			return NULL;
		}
		if (o->area)
			munmap(o->area, o->area_octets + page);
		o->area = pages;
		o->area_octets = octets;
	}
	return o->area + o->area_octets - roundup(len, sizeof(uint64_t));
}

static int over_names(struct kernel_io *io, const char *name, struct kernel_names *out)
{
	struct over *o = over_of(io);
	int n = over_count(io, name), error;
	struct ethtool_gstrings *strings;

	*out = (struct kernel_names){0};
	if (n <= 0)
		return -n;
	strings = area(o, sizeof(*strings) + (size_t)n * ETH_GSTRING_LEN);
	if (!strings)
		return ENOMEM;
	*strings = (struct ethtool_gstrings){
	    .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = (uint32_t)n};
	error = ethtool(o, name, strings);
	if (error)
		return error == EFAULT ? EAGAIN : error;
	if (strings->len != (uint32_t)n)
		return EAGAIN;
	out->of = calloc((size_t)n, sizeof(out->of[0]));
	if (!out->of)
		return ENOMEM;
	out->n = (unsigned)n;
	for (size_t i = 0; i < out->n; i++) {
		const char *text = (const char *)strings->data + i * ETH_GSTRING_LEN;

		memcpy(out->of[i], text, strnlen(text, KERNEL_COUNTER_OCTETS - 1));
	}
	return 0;
}

static int over_values(struct kernel_io *io, const char *name, uint64_t *values, unsigned n)
{
	struct over *o = over_of(io);
	struct ethtool_stats *stats = area(o, sizeof(*stats) + n * sizeof(stats->data[0]));
	int error;

	if (!stats)
		return -ENOMEM;
	*stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
	error = ethtool(o, name, stats);
	if (error && error != EFAULT)
		return -error;
	if (error == EFAULT || stats->n_stats != n) {
		int now = over_count(io, name);

		return now == (int)n ? -EAGAIN : now;
	}
	memcpy(values, stats->data, n * sizeof(values[0]));
	return (int)n;
}

/* --- life ---------------------------------------------------------------- */

static void over_destroy(struct kernel_io *io)
{
	struct over *o = over_of(io);

	if (o->area)
		munmap(o->area, o->area_octets + (size_t)sysconf(_SC_PAGESIZE));
	o->wire->ops->destroy(o->wire);
	free(o);
}

static const struct kernel_io_ops over_ops = {
    .get = over_get,
    .set = over_set,
    .drop_apps = over_drop_apps,
    .set_dcbx = over_set_dcbx,
    .ifindex = over_ifindex,
    .driver = over_driver,
    .count = over_count,
    .names = over_names,
    .values = over_values,
    .fd = over_fd,
    .changed = over_changed,
    .destroy = over_destroy,
};

struct kernel_io *kernel_io_over(struct kernel_wire *wire)
{
	struct over *o = calloc(1, sizeof(*o));

	if (!o) {
		wire->ops->destroy(wire);
		return NULL;
	}
	o->base.ops = &over_ops;
	o->wire = wire;
	return &o->base;
}

struct kernel_io *kernel_io_open(char *err, size_t errlen)
{
	struct kernel_wire *wire = kernel_wire_open(err, errlen);
	struct kernel_io *io = wire ? kernel_io_over(wire) : NULL;

	if (wire && !io)
		snprintf(err, errlen, "out of memory");
	return io;
}

bool kernel_has_pfc(const char *name)
{
	struct dcbnl_port now;
	char err[128];
	struct kernel_io *io = kernel_io_open(err, sizeof(err));
	bool has = io && io->ops->get(io, name, &now) == 0 && (now.has & DCBNL_PFC);

	if (io)
		io->ops->destroy(io);
	return has;
}

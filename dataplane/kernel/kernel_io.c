/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about Linux on which this depends:
 *
 * - Answers have the port and the sequence number of the request: the driver's result, then the
 *   acknowledgment; after IEEE_GET without NLM_F_ACK the values only; after an error of the kernel
 *   the acknowledgment only.
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

struct kernel_io {
	struct kernel_wire *wire;
	uint32_t seq;
	char *area; /* pages before one that is not accessible; NULL: none yet */
	size_t area_octets;
	struct dcbnl_port port; /* of answers and notifications that are not returned */
	uint32_t request[DCBNL_REQUEST_OCTETS / sizeof(uint32_t)];
	uint32_t answer[KERNEL_WIRE_OCTETS / sizeof(uint32_t)];
};

/* --- netlink ------------------------------------------------------------- */

/* What has arrived of the answer to a request. */
struct answer {
	struct dcbnl_port *port;
	bool is_get; /* the values end it */
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

static bool is_complete(const struct answer *a)
{
	return a->has_ack || (a->is_get && a->has_port);
}

/* Takes the messages of a datagram that are answers to the last request. */
static void take_datagram(struct kernel_io *io, size_t len, struct answer *a)
{
	const char *at = (const char *)io->answer;
	struct dcbnl_message m;
	size_t used;

	for (; len > 0 && !is_complete(a); at += used, len -= used) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)at;
		bool ours = len >= sizeof(*nlh) && nlh->nlmsg_seq == io->seq &&
			    nlh->nlmsg_pid == io->wire->port;

		if (dcbnl_read(at, len, &used, &m, ours ? a->port : &io->port) && ours)
			take_message(&m, a);
		if (used == 0)
			return;
	}
}

/* Sends the request of this length, and reads its answers. */
static void exchange(struct kernel_io *io, size_t len, struct answer *a)
{
	const struct dcb_time end = dcb_time_add_ns(clock_now(), ANSWER_MS * DCB_NS_PER_MS);
	int error = io->wire->ops->send(io->wire, io->request, len);

	while (error == 0 && !is_complete(a)) {
		int64_t left = dcb_time_diff_ns(end, clock_now()) / DCB_NS_PER_MS;
		ssize_t n = io->wire->ops->receive(io->wire, io->answer, sizeof(io->answer),
						   (int)MAX(left, 0));

		if (n >= 0)
			take_datagram(io, (size_t)n, a);
		else
			error = (int)-n;
	}
	if (error)
		a->result = (struct dcbnl_result){.error = error};
}

int kernel_io_get(struct kernel_io *io, const char *name, struct dcbnl_port *out)
{
	struct answer a = {.port = out, .is_get = true};

	exchange(io, dcbnl_write_get(io->request, name, ++io->seq), &a);
	if (a.has_port)
		return 0;
	memset(out, 0, sizeof(*out));
	return a.result.error ? a.result.error : EPROTO;
}

/* Sends a request for a change. */
static struct dcbnl_result change(struct kernel_io *io, size_t len)
{
	struct answer a = {.port = &io->port};

	exchange(io, len, &a);
	if (a.result.error == 0 && !a.has_result)
		a.result.error = EPROTO;
	return a.result;
}

struct dcbnl_result kernel_io_set(struct kernel_io *io, const char *name,
				  const struct dcbnl_change *c)
{
	return change(io, dcbnl_write_set(io->request, name, ++io->seq, c));
}

struct dcbnl_result kernel_io_drop_apps(struct kernel_io *io, const char *name,
					const struct dcb_app *apps, unsigned n)
{
	return change(io, dcbnl_write_delete(io->request, name, ++io->seq, apps, n));
}

struct dcbnl_result kernel_io_set_dcbx(struct kernel_io *io, const char *name, uint8_t dcbx)
{
	return change(io, dcbnl_write_dcbx(io->request, name, ++io->seq, dcbx));
}

int kernel_io_fd(const struct kernel_io *io)
{
	return io->wire->ops->group_fd(io->wire);
}

bool kernel_io_changed(struct kernel_io *io, char name[IF_NAMESIZE])
{
	for (;;) {
		ssize_t n = io->wire->ops->receive_group(io->wire, io->answer, sizeof(io->answer));
		struct dcbnl_message m;
		size_t used;

		if (n == -EAGAIN)
			return false;
		if (n < 0) { /* ENOBUFS, or a datagram that is longer than any of the kernel */
			name[0] = '\0';
			return true;
		}
		/* The kernel sends one message in a datagram of this group. */
		if (dcbnl_read(io->answer, (size_t)n, &used, &m, &io->port) &&
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

static int ethtool(struct kernel_io *io, const char *name, void *data)
{
	struct ifreq ifr = about(name, data);

	return io->wire->ops->request(io->wire, SIOCETHTOOL, &ifr);
}

uint32_t kernel_io_ifindex(struct kernel_io *io, const char *name)
{
	struct ifreq ifr = about(name, NULL);

	if (io->wire->ops->request(io->wire, SIOCGIFINDEX, &ifr))
		return 0;
	return (uint32_t)ifr.ifr_ifindex;
}

static void copy_text(char to[KERNEL_DRIVER_OCTETS], const char *from)
{
	memcpy(to, from, strnlen(from, KERNEL_DRIVER_OCTETS - 1));
}

int kernel_io_driver(struct kernel_io *io, const char *name, struct kernel_driver_info *out)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int error = ethtool(io, name, &info);

	*out = (struct kernel_driver_info){.driver = ""};
	if (error)
		return error;
	copy_text(out->driver, info.driver);
	copy_text(out->version, info.version);
	copy_text(out->firmware, info.fw_version);
	return 0;
}

int kernel_io_prevention(struct kernel_io *io, const char *name, uint64_t *ms)
{
	union {
		struct ethtool_tunable tunable;
		char octets[sizeof(struct ethtool_tunable) + sizeof(uint16_t)];
	} get = {.tunable = {.cmd = ETHTOOL_GTUNABLE,
			     .id = ETHTOOL_PFC_PREVENTION_TOUT,
			     .type_id = ETHTOOL_TUNABLE_U16,
			     .len = sizeof(uint16_t)}};
	int error = ethtool(io, name, &get);
	uint16_t value;

	if (error)
		return error;
	memcpy(&value, get.octets + sizeof(get.tunable), sizeof(value));
	*ms = value;
	return 0;
}

int kernel_io_count(struct kernel_io *io, const char *name)
{
	union {
		struct ethtool_sset_info info;
		char octets[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} set = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1u << ETH_SS_STATS}};
	int error = ethtool(io, name, &set);
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
static void *area(struct kernel_io *io, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t octets = roundup(len, page);

	if (octets > io->area_octets) {
		char *pages = mmap(NULL, octets + page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return NULL;
		if (mprotect(pages + octets, page, PROT_NONE)) {
			munmap(pages, octets + page);
			return NULL;
		}
		if (io->area)
			munmap(io->area, io->area_octets + page);
		io->area = pages;
		io->area_octets = octets;
	}
	return io->area + io->area_octets - roundup(len, sizeof(uint64_t));
}

int kernel_io_names(struct kernel_io *io, const char *name, struct kernel_names *out)
{
	int n = kernel_io_count(io, name), error;
	struct ethtool_gstrings *strings;

	*out = (struct kernel_names){0};
	if (n <= 0)
		return -n;
	strings = area(io, sizeof(*strings) + (size_t)n * ETH_GSTRING_LEN);
	if (!strings)
		return ENOMEM;
	*strings = (struct ethtool_gstrings){
	    .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = (uint32_t)n};
	error = ethtool(io, name, strings);
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

int kernel_io_values(struct kernel_io *io, const char *name, uint64_t *values, unsigned n)
{
	struct ethtool_stats *stats = area(io, sizeof(*stats) + n * sizeof(stats->data[0]));
	int error;

	if (!stats)
		return -ENOMEM;
	*stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
	error = ethtool(io, name, stats);
	if (error && error != EFAULT)
		return -error;
	if (error == EFAULT || stats->n_stats != n) {
		int now = kernel_io_count(io, name);

		return now == (int)n ? -EAGAIN : now;
	}
	memcpy(values, stats->data, n * sizeof(values[0]));
	return (int)n;
}

/* --- life ---------------------------------------------------------------- */

void kernel_io_destroy(struct kernel_io *io)
{
	if (io->area)
		munmap(io->area, io->area_octets + (size_t)sysconf(_SC_PAGESIZE));
	io->wire->ops->destroy(io->wire);
	free(io);
}

struct kernel_io *kernel_io_over(struct kernel_wire *wire)
{
	struct kernel_io *io = calloc(1, sizeof(*io));

	if (!io) {
		wire->ops->destroy(wire);
		return NULL;
	}
	io->wire = wire;
	return io;
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
	bool has = io && kernel_io_get(io, name, &now) == 0 && (now.has & DCBNL_PFC);

	if (io)
		kernel_io_destroy(io);
	return has;
}

int kernel_io_get_of(struct kernel_io *io, const char *name, uint32_t ifindex,
		     struct dcbnl_port *out)
{
	int error = kernel_io_get(io, name, out);

	if (!error && kernel_io_ifindex(io, name) != ifindex)
		error = ENODEV;
	return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library for LD_PRELOAD that gives each interface of lldpad a NIC with IEEE 802.1Qaz
 * (linux/dcbnl.h). lldpad has no DCBX on an interface whose driver does not answer dcbnl, and no
 * driver of a virtual interface does. The NIC supports 8 traffic classes and leaves DCBX to the
 * host. What lldpad sets is in the file $LLDPAD_NIC/IFNAME, one line: the priorities with PFC,
 * then traffic class, bandwidth and algorithm for each of 8 priorities or classes, in hex:
 *
 *   08 0000111122223333 003c280000000000 0002020000000000
 *
 * lldpad sends these requests with libnl, by sendmsg(), and reads each answer with recvmsg() from
 * the same socket. All other messages, dcbnl requests of CEE DCBX among them, go to the kernel.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/dcbnl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NICS_MAX   16
#define APPS_MAX   8
#define FDS_MAX    1024
#define ANSWER_MAX 512

struct nic {
	char ifname[IFNAMSIZ];
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	unsigned n_apps;
	struct dcb_app apps[APPS_MAX]; /* application priorities, which lldpad announces */
};

static struct nic nics[NICS_MAX];
/* Answers that lldpad has not read, by descriptor; empty ones have no length. */
static struct answer {
	size_t len;
	char octets[ANSWER_MAX];
} answers[FDS_MAX];

static void fatal(const char *reason)
{
	fprintf(stderr, "lldpad_shim: %s\n", reason);
	abort();
}

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		fatal(name);
	return function;
}

static struct nic *nic_of(const char *ifname)
{
	for (unsigned i = 0; i < NICS_MAX; i++) {
		if (nics[i].ifname[0] == '\0')
			snprintf(nics[i].ifname, sizeof(nics[i].ifname), "%s", ifname);
		if (strcmp(nics[i].ifname, ifname) == 0)
			return &nics[i];
	}
	fatal("too many interfaces");
	return NULL;
}

static void print_octets(FILE *f, const uint8_t *octets)
{
	fputc(' ', f);
	for (unsigned i = 0; i < IEEE_8021QAZ_MAX_TCS; i++)
		fprintf(f, "%02x", octets[i]);
}

/* Writes the NIC's settings to its file. Readers see the old file or the new one. */
static void show(const struct nic *nic)
{
	const char *dir = getenv("LLDPAD_NIC");
	char path[256], part[sizeof(path) + 5];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", nic->ifname);
	snprintf(part, sizeof(part), "%s.new", path);
	f = fopen(part, "w");
	if (!f)
		fatal(part);
	fprintf(f, "%02x", nic->pfc.pfc_en);
	print_octets(f, nic->ets.prio_tc);
	print_octets(f, nic->ets.tc_tx_bw);
	print_octets(f, nic->ets.tc_tsa);
	fputc('\n', f);
	if (fclose(f) != 0 || rename(part, path) != 0)
		fatal(path);
}

/* Adds application priorities to the NIC's, or removes them. */
static void change_apps(struct nic *nic, const struct nlattr *table, bool add)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, table)
	{
		const struct dcb_app *app = mnl_attr_get_payload(attr);
		unsigned at = 0;

		if (mnl_attr_get_payload_len(attr) < sizeof(*app))
			continue;
		while (at < nic->n_apps && memcmp(&nic->apps[at], app, sizeof(*app)) != 0)
			at++;
		if (at < nic->n_apps)
			nic->apps[at] = nic->apps[--nic->n_apps];
		if (add && nic->n_apps == APPS_MAX)
			fatal("too many application priorities");
		if (add)
			nic->apps[nic->n_apps++] = *app;
	}
}

static void set_nic(struct nic *nic, const struct nlattr *ieee)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, ieee)
	{
		size_t len = mnl_attr_get_payload_len(attr);

		if (mnl_attr_get_type(attr) == DCB_ATTR_IEEE_ETS && len >= sizeof(nic->ets))
			memcpy(&nic->ets, mnl_attr_get_payload(attr), sizeof(nic->ets));
		else if (mnl_attr_get_type(attr) == DCB_ATTR_IEEE_PFC && len >= sizeof(nic->pfc))
			memcpy(&nic->pfc, mnl_attr_get_payload(attr), sizeof(nic->pfc));
		else if (mnl_attr_get_type(attr) == DCB_ATTR_IEEE_APP_TABLE)
			change_apps(nic, attr, true);
	}
	show(nic);
}

static void delete_from_nic(struct nic *nic, const struct nlattr *ieee)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, ieee)
	{
		if (mnl_attr_get_type(attr) == DCB_ATTR_IEEE_APP_TABLE)
			change_apps(nic, attr, false);
	}
}

static void put_settings(struct nlmsghdr *to, struct nic *nic)
{
	struct nlattr *ieee, *apps;

	nic->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	nic->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	mnl_attr_put_strz(to, DCB_ATTR_IFNAME, nic->ifname);
	ieee = mnl_attr_nest_start(to, DCB_ATTR_IEEE);
	mnl_attr_put(to, DCB_ATTR_IEEE_ETS, sizeof(nic->ets), &nic->ets);
	mnl_attr_put(to, DCB_ATTR_IEEE_PFC, sizeof(nic->pfc), &nic->pfc);
	apps = mnl_attr_nest_start(to, DCB_ATTR_IEEE_APP_TABLE); /* lldpad expects it last */
	for (unsigned i = 0; i < nic->n_apps; i++)
		mnl_attr_put(to, DCB_ATTR_IEEE_APP, sizeof(nic->apps[i]), &nic->apps[i]);
	mnl_attr_nest_end(to, apps);
	mnl_attr_nest_end(to, ieee);
}

/* Executes a request. Returns false if it is for the kernel. */
static bool execute(struct answer *answer, const struct nlmsghdr *request)
{
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(request);
	const struct nlattr *attr, *ieee = NULL;
	struct nic *nic = NULL;
	struct nlmsghdr *to = mnl_nlmsg_put_header(answer->octets);

	to->nlmsg_type = request->nlmsg_type;
	to->nlmsg_seq = request->nlmsg_seq;
	to->nlmsg_pid = request->nlmsg_pid;
	memcpy(mnl_nlmsg_put_extra_header(to, sizeof(*dcb)), dcb, sizeof(*dcb));
	mnl_attr_for_each(attr, request, sizeof(*dcb))
	{
		if (mnl_attr_get_type(attr) == DCB_ATTR_IFNAME)
			nic = nic_of(mnl_attr_get_str(attr));
		else if (mnl_attr_get_type(attr) == DCB_ATTR_IEEE)
			ieee = attr;
	}
	if (!nic)
		return false;
	switch (dcb->cmd) {
	case DCB_CMD_GDCBX:
		mnl_attr_put_u8(to, DCB_ATTR_DCBX, DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
		break;
	case DCB_CMD_IEEE_GET:
		put_settings(to, nic);
		break;
	case DCB_CMD_IEEE_SET:
		if (ieee)
			set_nic(nic, ieee);
		mnl_attr_put_u8(to, DCB_ATTR_IEEE, 0);
		break;
	case DCB_CMD_IEEE_DEL:
		if (ieee)
			delete_from_nic(nic, ieee);
		mnl_attr_put_u8(to, DCB_ATTR_IEEE, 0);
		break;
	default:
		return false;
	}
	answer->len = to->nlmsg_len;
	return true;
}

static bool is_dcb(int fd, const struct nlmsghdr *msg, size_t len)
{
	int domain;
	socklen_t size = sizeof(domain);

	return fd >= 0 && fd < FDS_MAX &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_NETLINK &&
	       len >= MNL_NLMSG_HDRLEN + sizeof(struct dcbmsg) && mnl_nlmsg_ok(msg, (int)len) &&
	       (msg->nlmsg_type == RTM_GETDCB || msg->nlmsg_type == RTM_SETDCB);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct iovec *iov = msg->msg_iov;
	ssize_t (*real)(int, const struct msghdr *, int);

	if (msg->msg_iovlen == 1 && is_dcb(fd, iov->iov_base, iov->iov_len) &&
	    execute(&answers[fd], iov->iov_base))
		return (ssize_t)iov->iov_len;
	*(void **)&real = next("sendmsg");
	return real(fd, msg, flags);
}

/* As the kernel's: MSG_PEEK leaves the message, MSG_TRUNC returns its whole length. */
ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct answer *answer = fd >= 0 && fd < FDS_MAX ? &answers[fd] : NULL;
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	ssize_t (*real)(int, struct msghdr *, int);
	size_t len, room;

	if (!answer || answer->len == 0) {
		*(void **)&real = next("recvmsg");
		return real(fd, msg, flags);
	}
	len = answer->len;
	room = msg->msg_iovlen > 0 ? msg->msg_iov[0].iov_len : 0;
	if (room > 0)
		memcpy(msg->msg_iov[0].iov_base, answer->octets, room < len ? room : len);
	if (msg->msg_name && msg->msg_namelen >= sizeof(kernel))
		memcpy(msg->msg_name, &kernel, sizeof(kernel));
	msg->msg_namelen = sizeof(kernel);
	msg->msg_controllen = 0;
	msg->msg_flags = room < len ? MSG_TRUNC : 0;
	if (!(flags & MSG_PEEK))
		answer->len = 0;
	return (ssize_t)(room < len && !(flags & MSG_TRUNC) ? room : len);
}

/* Without it the next socket with this number would receive an answer that was not read. */
int close(int fd)
{
	int (*real)(int);

	if (fd >= 0 && fd < FDS_MAX)
		answers[fd].len = 0;
	*(void **)&real = next("close");
	return real(fd);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about net/dcb/dcbnl.c on which this depends:
 *
 * - The result of a change is the driver's int in an octet, so that -EBUSY is 240; the
 *   acknowledgment after it says 0.
 * - A notification is what IEEE_GET answers, as RTM_SETDCB with the command of the change or as
 *   RTM_GETDCB, with the requester's sequence number and port 0. A result has no DCB_ATTR_IFNAME,
 *   which tells them apart.
 * - Structures grow at their end. An attribute that is shorter than the structure here is treated
 *   as absent: half a structure would say 0 where the kernel said nothing.
 * - Entries of other tables than DCB_ATTR_IEEE_APP (DCB_ATTR_DCB_APP, for PCP) are skipped.
 */
#include "dataplane/kernel/dcbnl.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#define ERRNO_MAX 4095 /* the largest that a system call returns */

/* --- requests ------------------------------------------------------------ */

static struct nlmsghdr *begin(void *buf, const char *name, uint32_t seq, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	char terminated[IF_NAMESIZE] = {0};
	struct dcbmsg *dcb;

	memcpy(terminated, name, strnlen(name, IF_NAMESIZE - 1));
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = seq;
	dcb = mnl_nlmsg_put_extra_header(nlh, sizeof(*dcb));
	dcb->cmd = cmd;
	mnl_attr_put_strz(nlh, DCB_ATTR_IFNAME, terminated);
	return nlh;
}

static void put_apps(struct nlmsghdr *nlh, const struct dcb_app *apps, unsigned n)
{
	struct nlattr *table = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE_APP_TABLE);

	for (unsigned i = 0; i < n && i < DCBNL_APPS_MAX; i++)
		mnl_attr_put(nlh, DCB_ATTR_IEEE_APP, sizeof(apps[i]), &apps[i]);
	mnl_attr_nest_end(nlh, table);
}

size_t dcbnl_write_get(void *buf, const char *name, uint32_t seq)
{
	struct nlmsghdr *nlh = begin(buf, name, seq, RTM_GETDCB, DCB_CMD_IEEE_GET);

	/* The values are the end of the answer, or else an error. */
	nlh->nlmsg_flags = NLM_F_REQUEST;
	return nlh->nlmsg_len;
}

size_t dcbnl_write_set(void *buf, const char *name, uint32_t seq, const struct dcbnl_change *change)
{
	struct nlmsghdr *nlh = begin(buf, name, seq, RTM_SETDCB, DCB_CMD_IEEE_SET);
	struct nlattr *ieee = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE);

	if (change->sets & DCBNL_ETS)
		mnl_attr_put(nlh, DCB_ATTR_IEEE_ETS, sizeof(*change->ets), change->ets);
	if (change->sets & DCBNL_MAXRATE)
		mnl_attr_put(nlh, DCB_ATTR_IEEE_MAXRATE, sizeof(*change->maxrate), change->maxrate);
	if (change->sets & DCBNL_QCN)
		mnl_attr_put(nlh, DCB_ATTR_IEEE_QCN, sizeof(*change->qcn), change->qcn);
	if (change->sets & DCBNL_PFC)
		mnl_attr_put(nlh, DCB_ATTR_IEEE_PFC, sizeof(*change->pfc), change->pfc);
	if (change->sets & DCBNL_BUFFER)
		mnl_attr_put(nlh, DCB_ATTR_DCB_BUFFER, sizeof(*change->buffer), change->buffer);
	if (change->sets & DCBNL_APPS)
		put_apps(nlh, change->apps, change->n_apps);
	mnl_attr_nest_end(nlh, ieee);
	return nlh->nlmsg_len;
}

size_t dcbnl_write_delete(void *buf, const char *name, uint32_t seq, const struct dcb_app *apps,
			  unsigned n)
{
	struct nlmsghdr *nlh = begin(buf, name, seq, RTM_SETDCB, DCB_CMD_IEEE_DEL);
	struct nlattr *ieee = mnl_attr_nest_start(nlh, DCB_ATTR_IEEE);

	put_apps(nlh, apps, n);
	mnl_attr_nest_end(nlh, ieee);
	return nlh->nlmsg_len;
}

size_t dcbnl_write_dcbx(void *buf, const char *name, uint32_t seq, uint8_t dcbx)
{
	struct nlmsghdr *nlh = begin(buf, name, seq, RTM_SETDCB, DCB_CMD_SDCBX);

	mnl_attr_put_u8(nlh, DCB_ATTR_DCBX, dcbx);
	return nlh->nlmsg_len;
}

/* --- answers ------------------------------------------------------------- */

/* Attributes of DCB_ATTR_IEEE that are one structure. */
static const struct {
	uint16_t type;
	uint32_t has;
	size_t at, octets; /* in struct dcbnl_port */
} structures[] = {
#define STRUCTURE(type, has, member)                            \
	{                                                       \
		type, has, offsetof(struct dcbnl_port, member), \
		    sizeof(((struct dcbnl_port *)0)->member)    \
	}
    STRUCTURE(DCB_ATTR_IEEE_ETS, DCBNL_ETS, ets),
    STRUCTURE(DCB_ATTR_IEEE_PFC, DCBNL_PFC, pfc),
    STRUCTURE(DCB_ATTR_IEEE_MAXRATE, DCBNL_MAXRATE, maxrate),
    STRUCTURE(DCB_ATTR_IEEE_QCN, DCBNL_QCN, qcn),
    STRUCTURE(DCB_ATTR_IEEE_QCN_STATS, DCBNL_QCN_STATS, qcn_stats),
    STRUCTURE(DCB_ATTR_DCB_BUFFER, DCBNL_BUFFER, buffer),
    STRUCTURE(DCB_ATTR_IEEE_PEER_ETS, DCBNL_PEER_ETS, peer_ets),
    STRUCTURE(DCB_ATTR_IEEE_PEER_PFC, DCBNL_PEER_PFC, peer_pfc),
#undef STRUCTURE
};

/* Whether an attribute is complete within these octets. */
static bool is_within(const struct nlattr *attr, const void *octets, size_t len)
{
	return mnl_attr_ok(attr, (int)((const char *)octets + len - (const char *)attr));
}

static void read_apps(const void *octets, size_t len, struct dcbnl_apps *apps)
{
	const struct nlattr *attr;

	for (attr = octets; is_within(attr, octets, len); attr = mnl_attr_next(attr)) {
		if (mnl_attr_get_type(attr) != DCB_ATTR_IEEE_APP ||
		    mnl_attr_get_payload_len(attr) < sizeof(struct dcb_app))
			continue;
		if (apps->n == DCBNL_APPS_MAX) {
			apps->more = true;
			return;
		}
		memcpy(&apps->of[apps->n++], mnl_attr_get_payload(attr), sizeof(struct dcb_app));
	}
}

static void read_ieee(const void *octets, size_t len, struct dcbnl_port *port)
{
	const struct nlattr *attr;

	for (attr = octets; is_within(attr, octets, len); attr = mnl_attr_next(attr)) {
		const uint16_t type = mnl_attr_get_type(attr),
			       size = mnl_attr_get_payload_len(attr);
		const void *payload = mnl_attr_get_payload(attr);

		if (type == DCB_ATTR_IEEE_APP_TABLE) {
			port->has |= DCBNL_APPS;
			read_apps(payload, size, &port->apps);
		} else if (type == DCB_ATTR_IEEE_PEER_APP) {
			port->has |= DCBNL_PEER_APPS;
			read_apps(payload, size, &port->peer_apps);
		}
		for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++) {
			if (structures[i].type != type || size < structures[i].octets)
				continue;
			port->has |= structures[i].has;
			memcpy((char *)port + structures[i].at, payload, structures[i].octets);
		}
	}
}

/* Returns whether an attribute has the name of an interface, and copies it. */
static bool read_name(const struct nlattr *attr, char name[IF_NAMESIZE])
{
	const char *text = mnl_attr_get_payload(attr);
	size_t len = strnlen(text, mnl_attr_get_payload_len(attr));

	if (len == 0 || len >= IF_NAMESIZE)
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return true;
}

static struct dcbnl_result result_of(uint8_t octet)
{
	if (octet >= 128)
		return (struct dcbnl_result){.error = 256 - octet};
	return (struct dcbnl_result){.status = octet};
}

/* Attributes of a message; NULL: it does not have this one. */
struct attributes {
	const struct nlattr *name, *ieee, *dcbx;
};

static struct attributes read_attributes(const void *octets, size_t len)
{
	struct attributes in = {0};
	const struct nlattr *attr;

	for (attr = octets; is_within(attr, octets, len); attr = mnl_attr_next(attr)) {
		switch (mnl_attr_get_type(attr)) {
		case DCB_ATTR_IFNAME:
			in.name = attr;
			break;
		case DCB_ATTR_IEEE:
			in.ieee = attr;
			break;
		case DCB_ATTR_DCBX:
			in.dcbx = attr;
			break;
		}
	}
	return in;
}

static bool read_port(const struct attributes *in, struct dcbnl_message *out,
		      struct dcbnl_port *port)
{
	if (!read_name(in->name, out->name))
		return false;
	out->kind = DCBNL_IS_PORT;
	memset(port, 0, sizeof(*port));
	if (in->ieee)
		read_ieee(mnl_attr_get_payload(in->ieee), mnl_attr_get_payload_len(in->ieee), port);
	if (in->dcbx && mnl_attr_get_payload_len(in->dcbx) >= sizeof(port->dcbx)) {
		port->has |= DCBNL_DCBX;
		port->dcbx = mnl_attr_get_u8(in->dcbx);
	}
	return true;
}

static bool read_result(const struct nlattr *octet, struct dcbnl_message *out)
{
	if (!octet || mnl_attr_get_payload_len(octet) != 1)
		return false;
	out->kind = DCBNL_IS_RESULT;
	out->result = result_of(mnl_attr_get_u8(octet));
	return true;
}

static bool read_dcb(const struct nlmsghdr *nlh, struct dcbnl_message *out, struct dcbnl_port *port)
{
	const struct dcbmsg *dcb = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	struct attributes in;

	if (len < sizeof(*dcb))
		return false;
	in = read_attributes(dcb + 1, len - sizeof(*dcb));
	if (in.name)
		return read_port(&in, out, port);
	switch (dcb->cmd) {
	case DCB_CMD_IEEE_SET:
	case DCB_CMD_IEEE_DEL:
		return read_result(in.ieee, out);
	case DCB_CMD_SDCBX:
		return read_result(in.dcbx, out);
	default:
		return false;
	}
}

static bool read_ack(const struct nlmsghdr *nlh, struct dcbnl_message *out)
{
	const struct nlmsgerr *ack = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*ack) || ack->error > 0 ||
	    ack->error < -ERRNO_MAX)
		return false;
	out->kind = DCBNL_IS_ACK;
	out->result.error = -ack->error;
	return true;
}

bool dcbnl_read(const void *buf, size_t len, size_t *used, struct dcbnl_message *out,
		struct dcbnl_port *port)
{
	const struct nlmsghdr *nlh = buf;
	size_t padded;

	*used = 0;
	/*
	 * Not mnl_nlmsg_ok(), which takes lengths of 2^31 and more for negative ones. The functions
	 * for attributes read up to the padded end.
	 */
	if (len < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > len)
		return false;
	padded = ((size_t)nlh->nlmsg_len + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);
	*used = padded < len ? padded : len;
	*out = (struct dcbnl_message){.seq = nlh->nlmsg_seq, .pid = nlh->nlmsg_pid};
	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		return read_ack(nlh, out);
	case RTM_GETDCB:
	case RTM_SETDCB:
		return read_dcb(nlh, out, port);
	default:
		return false;
	}
}

/* --- errors -------------------------------------------------------------- */

const char *dcbnl_error_text(int error, char *buf, size_t size)
{
	static const struct {
		int error;
		const char *text;
	} texts[] = {
	    {EPERM, "not permitted: CAP_NET_ADMIN in the first user namespace is needed"},
	    {ENODEV, "there is no such interface"},
	    {EOPNOTSUPP, "the driver has no DCB operations"},
	    {EINVAL, "the driver does not take the values, or firmware owns DCBX"},
	    {EBUSY, "the driver is busy"},
	    {EEXIST, "there is such an application entry"},
	    {ENOENT, "there is no such application entry"},
	    {EMSGSIZE, "the kernel has more than one message can contain"},
	    {ENOBUFS, "the answer was lost"},
	    {ETIMEDOUT, "the kernel did not answer in time"},
	    {EPROTO, "the kernel's answer is not understood"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].error == error) {
			snprintf(buf, size, "%s", texts[i].text);
			return buf;
		}
	}
	snprintf(buf, size, "%s", strerror(error));
	return buf;
}

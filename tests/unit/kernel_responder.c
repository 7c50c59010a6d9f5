/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/kernel_responder.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include <sys/queue.h>
#include <unistd.h>

#include "dataplane/kernel/kernel_wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define QUEUE_MAX 64 /* notifications that a socket keeps */

/* Offsets in a request: struct nlmsghdr, struct dcbmsg, attributes. */
#define AT_TYPE 4
#define AT_SEQ  8
#define AT_CMD  17
#define AT_ATTR 20

#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

struct counter {
	char name[ETH_GSTRING_LEN + 1];
	int priority; /* -1: of the port */
	uint64_t value;
};

struct netdev {
	char name[IF_NAMESIZE];
	uint32_t ifindex;
	enum kernel_kind kind;
	char driver[KERNEL_DRIVER_OCTETS];
	struct dcbnl_port port;
	struct counter *counters;
	unsigned n_counters, changes;
	uint16_t prevention_ms;
	LIST_ENTRY(netdev) entry;
};

struct datagram {
	STAILQ_ENTRY(datagram) entry;
	size_t len;
	uint8_t octets[];
};
STAILQ_HEAD(datagrams, datagram);

/* The sockets of one kernel_io. */
struct sockets {
	struct kernel_wire base;
	struct kernel_responder *responder;
	struct datagrams answers, notifications;
	unsigned n_notifications;
	bool lost;
	int event; /* readable while there are notifications */
	LIST_ENTRY(sockets) entry;
};

struct kernel_responder {
	pthread_mutex_t lock;
	LIST_HEAD(, netdev) netdevs;
	LIST_HEAD(, sockets) sockets;
	uint32_t last_ifindex, last_port;
	unsigned requests;
	bool permitted;
	void (*hook)(void *ctx, const char *name, uint8_t cmd);
	void *ctx;
};

/* --- octets -------------------------------------------------------------- */

static uint16_t u16_at(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Octets of one or more attributes. */
struct span {
	const uint8_t *p;
	size_t len;
};

/* Takes the next attribute off a span. Returns false at its end. */
static bool next_attribute(struct span *in, uint16_t *type, struct span *payload)
{
	size_t len = in->len < 4 ? 0 : u16_at(in->p), padded = roundup(len, 4);

	if (len < 4 || len > in->len)
		return false;
	*type = u16_at(in->p + 2) & NLA_TYPE_MASK;
	*payload = (struct span){in->p + 4, len - 4};
	in->p += MIN(padded, in->len);
	in->len -= MIN(padded, in->len);
	return true;
}

/* Returns the last attribute of a type, as the kernel does; p is NULL if there is none. */
static struct span find(struct span in, uint16_t type)
{
	struct span found = {NULL, 0}, payload;
	uint16_t is;

	while (next_attribute(&in, &is, &payload))
		if (is == type)
			found = payload;
	return found;
}

struct message {
	size_t len;
	uint8_t octets[KERNEL_WIRE_OCTETS];
};

static void append(struct message *m, const void *octets, size_t len)
{
	size_t padded = roundup(len, 4);

	MUST(m->len + padded <= sizeof(m->octets));
	memset(m->octets + m->len, 0, padded);
	memcpy(m->octets + m->len, octets, len);
	m->len += padded;
}

/* Begins an attribute, of which end_attribute() writes the length. */
static size_t begin_attribute(struct message *m, uint16_t type)
{
	const uint16_t header[2] = {0, type};
	size_t at = m->len;

	append(m, header, sizeof(header));
	return at;
}

static void end_attribute(struct message *m, size_t at)
{
	uint16_t len = (uint16_t)(m->len - at);

	memcpy(m->octets + at, &len, sizeof(len));
}

static void put(struct message *m, uint16_t type, const void *octets, size_t len)
{
	const uint16_t header[2] = {(uint16_t)(4 + len), type};

	append(m, header, sizeof(header));
	append(m, octets, len);
}

static void begin_message(struct message *m, uint16_t type, uint32_t seq, uint32_t port)
{
	const struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_seq = seq, .nlmsg_pid = port};

	m->len = 0;
	append(m, &header, sizeof(header));
}

static void queue(struct datagrams *to, const struct message *m)
{
	struct datagram *d = malloc(sizeof(*d) + m->len);
	uint32_t len = (uint32_t)m->len;

	MUST(d);
	d->len = m->len;
	memcpy(d->octets, m->octets, m->len);
	memcpy(d->octets, &len, sizeof(len));
	STAILQ_INSERT_TAIL(to, d, entry);
}

/* Moves the first datagram to buf. Returns its length; 0: there is none. */
static size_t take(struct datagrams *from, void *buf, size_t size)
{
	struct datagram *d = STAILQ_FIRST(from);
	size_t len = d ? d->len : 0;

	if (!d)
		return 0;
	MUST(len <= size);
	memcpy(buf, d->octets, len);
	STAILQ_REMOVE_HEAD(from, entry);
	free(d);
	return len;
}

/* --- what interfaces have ------------------------------------------------ */

static struct netdev *netdev_of(const struct kernel_responder *r, const char *name)
{
	struct netdev *d;

	LIST_FOREACH(d, &r->netdevs, entry)
	if (strcmp(d->name, name) == 0)
		return d;
	return NULL;
}

static void put_apps(struct message *m, uint16_t type, const struct dcbnl_apps *apps)
{
	size_t table = begin_attribute(m, type);

	for (unsigned i = 0; i < apps->n; i++)
		put(m, DCB_ATTR_IEEE_APP, &apps->of[i], sizeof(apps->of[i]));
	end_attribute(m, table);
}

/* The answer to IEEE_GET, and a notification. */
static void put_port(struct message *m, const struct netdev *d)
{
	const struct dcbnl_port *p = &d->port;
	size_t ieee;

	put(m, DCB_ATTR_IFNAME, d->name, strlen(d->name) + 1);
	ieee = begin_attribute(m, DCB_ATTR_IEEE);
	if (p->has & DCBNL_ETS)
		put(m, DCB_ATTR_IEEE_ETS, &p->ets, sizeof(p->ets));
	if (p->has & DCBNL_MAXRATE)
		put(m, DCB_ATTR_IEEE_MAXRATE, &p->maxrate, sizeof(p->maxrate));
	if (p->has & DCBNL_QCN)
		put(m, DCB_ATTR_IEEE_QCN, &p->qcn, sizeof(p->qcn));
	if (p->has & DCBNL_QCN_STATS)
		put(m, DCB_ATTR_IEEE_QCN_STATS, &p->qcn_stats, sizeof(p->qcn_stats));
	if (p->has & DCBNL_PFC)
		put(m, DCB_ATTR_IEEE_PFC, &p->pfc, sizeof(p->pfc));
	if (p->has & DCBNL_BUFFER)
		put(m, DCB_ATTR_DCB_BUFFER, &p->buffer, sizeof(p->buffer));
	put_apps(m, DCB_ATTR_IEEE_APP_TABLE, &p->apps);
	if (p->has & DCBNL_PEER_ETS)
		put(m, DCB_ATTR_IEEE_PEER_ETS, &p->peer_ets, sizeof(p->peer_ets));
	if (p->has & DCBNL_PEER_PFC)
		put(m, DCB_ATTR_IEEE_PEER_PFC, &p->peer_pfc, sizeof(p->peer_pfc));
	if (p->has & DCBNL_PEER_APPS)
		put_apps(m, DCB_ATTR_IEEE_PEER_APP, &p->peer_apps);
	end_attribute(m, ieee);
	if (p->has & DCBNL_DCBX)
		put(m, DCB_ATTR_DCBX, &p->dcbx, sizeof(p->dcbx));
}

static void wake(const struct sockets *s)
{
	const uint64_t one = 1;

	MUST(write(s->event, &one, sizeof(one)) == sizeof(one));
}

/* Sends a notification to all sockets of the group. */
static void notify(struct kernel_responder *r, const struct netdev *d, uint8_t cmd, uint32_t seq)
{
	const struct dcbmsg dcb = {.cmd = cmd};
	struct message m;
	struct sockets *s;

	begin_message(&m, RTM_SETDCB, seq, 0);
	append(&m, &dcb, sizeof(dcb));
	put_port(&m, d);
	LIST_FOREACH(s, &r->sockets, entry)
	{
		if (s->n_notifications == QUEUE_MAX) {
			s->lost = true;
		} else {
			queue(&s->notifications, &m);
			s->n_notifications++;
		}
		wake(s);
	}
}

/* --- changes ------------------------------------------------------------- */

static bool same_app(const struct dcb_app *a, const struct dcb_app *b)
{
	return a->selector == b->selector && a->protocol == b->protocol &&
	       a->priority == b->priority;
}

/* Adds an application entry, or deletes it. Returns 0 or a negative errno. */
static int change_app(struct dcbnl_apps *apps, const struct dcb_app *app, bool add)
{
	unsigned i = 0;

	while (i < apps->n && !same_app(&apps->of[i], app))
		i++;
	if (add) {
		if (i < apps->n)
			return -EEXIST;
		MUST(apps->n < DCBNL_APPS_MAX);
		apps->of[apps->n++] = *app;
		return 0;
	}
	if (i == apps->n)
		return -ENOENT;
	memmove(&apps->of[i], &apps->of[i + 1], (--apps->n - i) * sizeof(apps->of[0]));
	return 0;
}

static int change_apps(struct netdev *d, struct span table, bool add)
{
	struct span payload;
	struct dcb_app app;
	uint16_t type;
	int error;

	while (next_attribute(&table, &type, &payload)) {
		if (type != DCB_ATTR_IEEE_APP)
			continue;
		if (payload.len < sizeof(app))
			return -ERANGE;
		if (d->kind == KERNEL_FIRMWARE)
			return -EINVAL;
		memcpy(&app, payload.p, sizeof(app));
		error = change_app(&d->port.apps, &app, add);
		if (error)
			return error;
	}
	return 0;
}

/* The setter of a driver. Returns 0 or a negative errno. */
static int set_one(struct netdev *d, enum dcbnl_has what, const uint8_t *value)
{
	struct dcbnl_port *p = &d->port;
	struct ieee_ets ets;
	struct ieee_pfc pfc;

	if (d->kind == KERNEL_FIRMWARE)
		return -EINVAL;
	if (d->kind == KERNEL_BUSY && what == DCBNL_PFC)
		return -EBUSY;
	switch (what) {
	case DCBNL_ETS:
		memcpy(&ets, value, sizeof(ets));
		ets.ets_cap = p->ets.ets_cap;
		ets.cbs = p->ets.cbs;
		p->ets = ets;
		return 0;
	case DCBNL_PFC:
		memcpy(&pfc, value, sizeof(pfc));
		p->pfc.pfc_en = pfc.pfc_en;
		p->pfc.mbc = pfc.mbc;
		p->pfc.delay = pfc.delay;
		return 0;
	case DCBNL_MAXRATE:
		memcpy(&p->maxrate, value, sizeof(p->maxrate));
		return 0;
	case DCBNL_QCN:
		memcpy(&p->qcn, value, sizeof(p->qcn));
		return 0;
	case DCBNL_BUFFER:
		memcpy(&p->buffer, value, sizeof(p->buffer));
		return 0;
	default:
		abort();
	}
}

/* IEEE_SET. *error: of the request; else returns the result of the driver. */
static int ieee_set(struct netdev *d, struct span ieee, int *error)
{
	/* In the order of net/dcb/dcbnl.c. */
	static const struct {
		uint16_t type;
		enum dcbnl_has what;
		size_t octets;
	} parts[] = {
	    {DCB_ATTR_IEEE_ETS, DCBNL_ETS, sizeof(struct ieee_ets)},
	    {DCB_ATTR_IEEE_MAXRATE, DCBNL_MAXRATE, sizeof(struct ieee_maxrate)},
	    {DCB_ATTR_IEEE_QCN, DCBNL_QCN, sizeof(struct ieee_qcn)},
	    {DCB_ATTR_IEEE_PFC, DCBNL_PFC, sizeof(struct ieee_pfc)},
	    {DCB_ATTR_DCB_BUFFER, DCBNL_BUFFER, sizeof(struct dcbnl_buffer)},
	};
	int result;

	for (size_t i = 0; i < COUNT(parts); i++) {
		struct span value = find(ieee, parts[i].type);

		if (value.p && value.len < parts[i].octets) {
			*error = ERANGE;
			return 0;
		}
	}
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct span value = find(ieee, parts[i].type);

		/* A driver without a value has no setter for it. */
		if (!value.p || d->kind == KERNEL_NO_SETTER || !(d->port.has & parts[i].what))
			continue;
		result = set_one(d, parts[i].what, value.p);
		if (result)
			return result;
	}
	return change_apps(d, find(ieee, DCB_ATTR_IEEE_APP_TABLE), true);
}

/* The setter of a driver for DCBX. Returns its result: 1 is a refusal. */
static uint8_t set_dcbx(struct netdev *d, uint8_t dcbx)
{
	if (d->kind == KERNEL_FIRMWARE || dcbx != (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE))
		return 1;
	d->port.dcbx = dcbx;
	return 0;
}

static bool is_change(uint8_t cmd)
{
	return cmd == DCB_CMD_IEEE_SET || cmd == DCB_CMD_IEEE_DEL || cmd == DCB_CMD_SDCBX;
}

/* Works on a command for an interface and appends its answer. Returns an errno of the request. */
static int work(struct kernel_responder *r, struct netdev *d, uint8_t cmd, uint32_t seq,
		struct span attributes, struct message *m)
{
	struct span ieee = find(attributes, DCB_ATTR_IEEE), dcbx = find(attributes, DCB_ATTR_DCBX);
	int error = 0, result;
	uint8_t octet;

	if (cmd == DCB_CMD_IEEE_GET) {
		put_port(m, d);
		return 0;
	}
	d->changes++;
	if (cmd == DCB_CMD_SDCBX) {
		if (d->kind == KERNEL_NO_SETTER)
			return EOPNOTSUPP;
		if (dcbx.len < 1)
			return EINVAL;
		octet = set_dcbx(d, dcbx.p[0]);
		put(m, DCB_ATTR_DCBX, &octet, sizeof(octet));
		return 0;
	}
	if (!ieee.p)
		return EINVAL;
	result = cmd == DCB_CMD_IEEE_SET
		     ? ieee_set(d, ieee, &error)
		     : change_apps(d, find(ieee, DCB_ATTR_IEEE_APP_TABLE), false);
	if (error)
		return error;
	octet = (uint8_t)result;
	put(m, DCB_ATTR_IEEE, &octet, sizeof(octet));
	notify(r, d, cmd, seq);
	return 0;
}

/* --- requests ------------------------------------------------------------ */

/* Copies the name of the interface that a request is about; empty: none. */
static void name_of(struct span attributes, char name[IF_NAMESIZE])
{
	struct span found = find(attributes, DCB_ATTR_IFNAME);

	memset(name, 0, IF_NAMESIZE);
	if (found.p && strnlen((const char *)found.p, found.len) < MIN(found.len, IF_NAMESIZE))
		strcpy(name, (const char *)found.p);
}

static int answer(struct sockets *s, uint16_t type, uint8_t cmd, uint32_t seq,
		  struct span attributes, struct message *m)
{
	struct kernel_responder *r = s->responder;
	const struct dcbmsg dcb = {.cmd = cmd};
	char name[IF_NAMESIZE];
	struct netdev *d;

	if ((type == RTM_SETDCB || is_change(cmd)) && !r->permitted)
		return EPERM;
	if (cmd != DCB_CMD_IEEE_GET && !is_change(cmd))
		return EOPNOTSUPP;
	name_of(attributes, name);
	if (!name[0])
		return EINVAL;
	d = netdev_of(r, name);
	if (!d)
		return ENODEV;
	if (d->kind == KERNEL_NO_DCB)
		return EOPNOTSUPP;
	begin_message(m, is_change(cmd) ? RTM_SETDCB : RTM_GETDCB, seq, s->base.port);
	append(m, &dcb, sizeof(dcb));
	return work(r, d, cmd, seq, attributes, m);
}

static int responder_send(struct kernel_wire *wire, const void *request, size_t len)
{
	struct sockets *s = (struct sockets *)wire;
	struct kernel_responder *r = s->responder;
	const uint8_t *p = request;
	struct span attributes = {p + AT_ATTR, len - AT_ATTR};
	struct nlmsgerr ack = {0};
	void (*hook)(void *ctx, const char *name, uint8_t cmd);
	char name[IF_NAMESIZE];
	struct message m;
	uint32_t seq;
	void *ctx;
	int error;

	MUST(len >= AT_ATTR && u32_at(p) == len);
	MUST((u16_at(p + 6) | NLM_F_ACK) == (NLM_F_REQUEST | NLM_F_ACK));
	seq = u32_at(p + AT_SEQ);
	name_of(attributes, name);
	pthread_mutex_lock(&r->lock);
	hook = r->hook;
	ctx = r->ctx;
	pthread_mutex_unlock(&r->lock);
	if (hook)
		hook(ctx, name, p[AT_CMD]);
	pthread_mutex_lock(&r->lock);
	r->requests++;
	error = answer(s, u16_at(p + AT_TYPE), p[AT_CMD], seq, attributes, &m);
	if (!error)
		queue(&s->answers, &m);
	if (error || u16_at(p + 6) & NLM_F_ACK) {
		begin_message(&m, NLMSG_ERROR, seq, s->base.port);
		ack.error = -error;
		memcpy(&ack.msg, p, sizeof(ack.msg));
		append(&m, &ack, sizeof(ack));
		queue(&s->answers, &m);
	}
	pthread_mutex_unlock(&r->lock);
	return 0;
}

static ssize_t responder_receive(struct kernel_wire *wire, void *buf, size_t size, int ms)
{
	struct sockets *s = (struct sockets *)wire;
	size_t len;

	(void)ms;
	pthread_mutex_lock(&s->responder->lock);
	len = take(&s->answers, buf, size);
	pthread_mutex_unlock(&s->responder->lock);
	return len ? (ssize_t)len : -ETIMEDOUT;
}

static ssize_t responder_receive_group(struct kernel_wire *wire, void *buf, size_t size)
{
	struct sockets *s = (struct sockets *)wire;
	uint64_t ignored;
	ssize_t len;

	pthread_mutex_lock(&s->responder->lock);
	if (s->lost) {
		s->lost = false;
		len = -ENOBUFS;
	} else {
		len = (ssize_t)take(&s->notifications, buf, size);
		s->n_notifications -= len > 0;
	}
	if (s->n_notifications == 0)
		(void)!read(s->event, &ignored, sizeof(ignored));
	pthread_mutex_unlock(&s->responder->lock);
	return len ? len : -EAGAIN;
}

static int responder_group_fd(const struct kernel_wire *wire)
{
	return ((const struct sockets *)wire)->event;
}

static bool is_visible(const struct netdev *d, const struct counter *c)
{
	return c->priority < 0 || strcmp(d->driver, "mlx5_core") != 0 ||
	       d->port.pfc.pfc_en >> c->priority & 1;
}

static uint32_t visible_counters(const struct netdev *d)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < d->n_counters; i++)
		n += is_visible(d, &d->counters[i]);
	return n;
}

/* The data of SIOCETHTOOL is written up to the number of entries that it has room for. */
static int ethtool(const struct netdev *d, void *data)
{
	struct ethtool_drvinfo *info = data;
	struct ethtool_sset_info *set = data;
	struct ethtool_gstrings *strings = data;
	struct ethtool_stats *stats = data;
	const struct ethtool_tunable *tunable = data;
	uint32_t n = visible_counters(d), room, at = 0;

	switch (u32_at(data)) {
	case ETHTOOL_GDRVINFO:
		snprintf(info->driver, sizeof(info->driver), "%s", d->driver);
		snprintf(info->version, sizeof(info->version), "6.1.0");
		snprintf(info->fw_version, sizeof(info->fw_version), "22.35.2000");
		return 0;
	case ETHTOOL_GSSET_INFO:
		MUST(set->sset_mask == 1u << ETH_SS_STATS);
		if (n > 0)
			memcpy(set->data, &n, sizeof(n));
		else
			set->sset_mask = 0;
		return 0;
	case ETHTOOL_GTUNABLE:
		if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT)
			return EINVAL;
		if (tunable->type_id != ETHTOOL_TUNABLE_U16 || tunable->len != sizeof(uint16_t))
			return EINVAL;
		if (strcmp(d->driver, "mlx5_core") != 0)
			return EOPNOTSUPP;
		memcpy((char *)data + sizeof(*tunable), &d->prevention_ms, sizeof(uint16_t));
		return 0;
	case ETHTOOL_GSTRINGS:
		MUST(strings->string_set == ETH_SS_STATS);
		room = strings->len;
		strings->len = n;
		break;
	case ETHTOOL_GSTATS:
		room = stats->n_stats;
		stats->n_stats = n;
		break;
	default:
		return EOPNOTSUPP;
	}
	for (unsigned i = 0; i < d->n_counters; i++) {
		const struct counter *c = &d->counters[i];

		if (!is_visible(d, c))
			continue;
		if (at == room)
			return EFAULT;
		if (u32_at(data) == ETHTOOL_GSTATS)
			stats->data[at++] = c->value;
		else
			memcpy(strings->data + ETH_GSTRING_LEN * at++, c->name, ETH_GSTRING_LEN);
	}
	return 0;
}

static int responder_request(struct kernel_wire *wire, unsigned long request, struct ifreq *ifr)
{
	struct sockets *s = (struct sockets *)wire;
	const struct netdev *d;
	int error = 0;

	pthread_mutex_lock(&s->responder->lock);
	s->responder->requests++;
	d = netdev_of(s->responder, ifr->ifr_name);
	if (!d)
		error = ENODEV;
	else if (request == SIOCGIFINDEX)
		ifr->ifr_ifindex = (int)d->ifindex;
	else if (request == SIOCETHTOOL)
		error = ethtool(d, ifr->ifr_data);
	else
		error = EINVAL;
	pthread_mutex_unlock(&s->responder->lock);
	return error;
}

static void drop_all(struct datagrams *from)
{
	uint8_t octets[KERNEL_WIRE_OCTETS];

	while (take(from, octets, sizeof(octets)) > 0)
		;
}

static void responder_destroy(struct kernel_wire *wire)
{
	struct sockets *s = (struct sockets *)wire;

	pthread_mutex_lock(&s->responder->lock);
	LIST_REMOVE(s, entry);
	pthread_mutex_unlock(&s->responder->lock);
	drop_all(&s->answers);
	drop_all(&s->notifications);
	close(s->event);
	free(s);
}

static const struct kernel_wire_ops responder_ops = {
    .send = responder_send,
    .receive = responder_receive,
    .receive_group = responder_receive_group,
    .group_fd = responder_group_fd,
    .request = responder_request,
    .destroy = responder_destroy,
};

/* --- tests --------------------------------------------------------------- */

struct kernel_responder *kernel_responder_new(void)
{
	struct kernel_responder *r = calloc(1, sizeof(*r));

	MUST(r);
	pthread_mutex_init(&r->lock, NULL);
	r->permitted = true;
	r->last_ifindex = 100;
	r->last_port = 4711;
	return r;
}

static void free_netdev(struct netdev *d)
{
	LIST_REMOVE(d, entry);
	free(d->counters);
	free(d);
}

void kernel_responder_free(struct kernel_responder *r)
{
	struct netdev *d;

	MUST(LIST_EMPTY(&r->sockets));
	while ((d = LIST_FIRST(&r->netdevs)))
		free_netdev(d);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct kernel_io *kernel_responder_open(struct kernel_responder *r)
{
	struct sockets *s = calloc(1, sizeof(*s));

	MUST(s);
	s->base.ops = &responder_ops;
	s->responder = r;
	STAILQ_INIT(&s->answers);
	STAILQ_INIT(&s->notifications);
	s->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	MUST(s->event >= 0);
	pthread_mutex_lock(&r->lock);
	s->base.port = ++r->last_port;
	LIST_INSERT_HEAD(&r->sockets, s, entry);
	pthread_mutex_unlock(&r->lock);
	return kernel_io_over(&s->base);
}

static void add_counter(struct netdev *d, const char *format, int priority)
{
	struct counter *c;

	d->counters = realloc(d->counters, (d->n_counters + 1) * sizeof(d->counters[0]));
	MUST(d->counters);
	c = &d->counters[d->n_counters++];
	*c = (struct counter){.priority = priority};
	/* A name without priority has no %d for it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(c->name, sizeof(c->name), format, priority);
#pragma GCC diagnostic pop
}

static void add_counters(struct netdev *d)
{
	static const struct {
		const char *driver, *of_port[4], *of_priority[7];
	} drivers[] = {
	    {"mlx5_core",
	     {"rx_packets", "rx_global_pause", "tx_pause_storm_warning_events",
	      "tx_pause_storm_error_events"},
	     {"rx_prio%d_packets", "rx_prio%d_discards", "rx_prio%d_pause",
	      "rx_prio%d_pause_duration", "tx_prio%d_pause", "tx_prio%d_pause_duration",
	      "rx_prio%d_pause_transition"}},
	    {"ice",
	     {"rx_unicast", "link_xon_rx.nic"},
	     {"tx_priority_%d_xon.nic", "tx_priority_%d_xoff.nic", "rx_priority_%d_xon.nic",
	      "rx_priority_%d_xoff.nic"}},
	    {"bnxt_en",
	     {"rx_pfc_frames", "tx_pfc_frames", "rx_pause_frames"},
	     {"rx_bytes_pri%d", "rx_pfc_ena_frames_pri%d", "tx_pfc_ena_frames_pri%d",
	      "pfc_pri%d_rx_duration_us", "pfc_pri%d_rx_transitions", "pfc_pri%d_tx_duration_us",
	      "pfc_pri%d_tx_transitions"}},
	};

	for (size_t i = 0; i < COUNT(drivers); i++) {
		if (strcmp(drivers[i].driver, d->driver) != 0)
			continue;
		for (size_t k = 0; k < COUNT(drivers[i].of_port) && drivers[i].of_port[k]; k++)
			add_counter(d, drivers[i].of_port[k], -1);
		for (int priority = 0; priority < 8; priority++)
			for (size_t k = 0; k < COUNT(drivers[i].of_priority); k++)
				if (drivers[i].of_priority[k])
					add_counter(d, drivers[i].of_priority[k], priority);
	}
}

uint32_t kernel_responder_add(struct kernel_responder *r, const char *name, enum kernel_kind kind,
			      const char *driver)
{
	struct netdev *d = calloc(1, sizeof(*d));
	uint32_t ifindex;

	MUST(d && strlen(name) < sizeof(d->name) && strlen(driver) < sizeof(d->driver));
	strcpy(d->name, name);
	strcpy(d->driver, driver);
	d->kind = kind;
	d->port.has = DCBNL_ETS | DCBNL_PFC | DCBNL_APPS | DCBNL_MAXRATE | DCBNL_QCN |
		      DCBNL_QCN_STATS | DCBNL_BUFFER | DCBNL_DCBX;
	d->port.dcbx = kind == KERNEL_FIRMWARE ? DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE
					       : DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	d->port.ets.ets_cap = 8;
	d->port.pfc.pfc_cap = 8;
	for (unsigned i = 0; i < 8; i++)
		d->port.ets.prio_tc[i] = (uint8_t)i;
	add_counters(d);
	pthread_mutex_lock(&r->lock);
	MUST(!netdev_of(r, name));
	ifindex = d->ifindex = ++r->last_ifindex;
	LIST_INSERT_HEAD(&r->netdevs, d, entry);
	pthread_mutex_unlock(&r->lock);
	return ifindex;
}

/* Locks the responder and returns one of its interfaces. */
static struct netdev *lock(struct kernel_responder *r, const char *name)
{
	struct netdev *d;

	pthread_mutex_lock(&r->lock);
	d = netdev_of(r, name);
	MUST(d);
	return d;
}

void kernel_responder_remove(struct kernel_responder *r, const char *name)
{
	free_netdev(lock(r, name));
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_rename(struct kernel_responder *r, const char *from, const char *to)
{
	struct netdev *d = lock(r, from);

	MUST(!netdev_of(r, to) && strlen(to) < sizeof(d->name));
	strcpy(d->name, to);
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_read(struct kernel_responder *r, const char *name, struct dcbnl_port *out)
{
	*out = lock(r, name)->port;
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_write(struct kernel_responder *r, const char *name,
			    const struct dcbnl_port *now, bool notified)
{
	struct netdev *d = lock(r, name);

	d->port = *now;
	if (notified)
		notify(r, d, DCB_CMD_IEEE_SET, 0);
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_count(struct kernel_responder *r, const char *name, const char *counter,
			    uint64_t value)
{
	struct netdev *d = lock(r, name);
	unsigned i = 0;

	while (i < d->n_counters && strcmp(d->counters[i].name, counter) != 0)
		i++;
	MUST(i < d->n_counters);
	d->counters[i].value = value;
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_prevent(struct kernel_responder *r, const char *name, uint16_t ms)
{
	lock(r, name)->prevention_ms = ms;
	pthread_mutex_unlock(&r->lock);
}

unsigned kernel_responder_changes(struct kernel_responder *r, const char *name)
{
	unsigned n = lock(r, name)->changes;

	pthread_mutex_unlock(&r->lock);
	return n;
}

unsigned kernel_responder_requests(struct kernel_responder *r)
{
	unsigned n;

	pthread_mutex_lock(&r->lock);
	n = r->requests;
	pthread_mutex_unlock(&r->lock);
	return n;
}

void kernel_responder_permit(struct kernel_responder *r, bool permitted)
{
	pthread_mutex_lock(&r->lock);
	r->permitted = permitted;
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_hook(struct kernel_responder *r,
			   void (*hook)(void *ctx, const char *name, uint8_t cmd), void *ctx)
{
	pthread_mutex_lock(&r->lock);
	r->hook = hook;
	r->ctx = ctx;
	pthread_mutex_unlock(&r->lock);
}

void kernel_responder_lose(struct kernel_responder *r)
{
	struct sockets *s;

	pthread_mutex_lock(&r->lock);
	LIST_FOREACH(s, &r->sockets, entry)
	{
		drop_all(&s->notifications);
		s->n_notifications = 0;
		s->lost = true;
		wake(s);
	}
	pthread_mutex_unlock(&r->lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblldpctl keeps the state of one request and calls back for input and output: a call
 * that needs I/O fails with LLDPCTL_ERR_WOULDBLOCK and has to be repeated with the same
 * arguments when there is more input. So a request is a function that is called until it
 * succeeds.
 *
 * Properties of the library, 1.0.16:
 *  - An atom has an uncounted pointer to its connection, and an atom made by
 *    lldpctl_atom_create() is in the memory of its list: connection and list must outlive
 *    it.
 *  - After an error all calls on a connection fail with "invalid state". If only the
 *    request was refused, a new lldpctl_conn_t can use the same socket, as neither side
 *    has unread input.
 *  - A watching connection can make no other request, and notifications may follow the
 *    answer to the subscription in its input.
 *  - It takes a short write for a complete one. Requests are shorter than 1 kB and sent
 *    one at a time, so a request that does not fit into the socket's buffer means that
 *    lldpd does not read.
 *
 * lldp_client_conn_socket.c does the input and output.
 */
#include "lldp/client/lldp_client_conn_private.h"

#include <dlfcn.h>
#include <event2/event.h>
#include <limits.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

/* Limit for lldpd's read of a request. It is enough if lldpd has a processor of its own. */
#define READ_WITHIN_NS 100000

static void drop(lldpctl_atom_t **atom)
{
	lldpctl_atom_dec_ref(*atom);
	*atom = NULL;
}

static void drop_port(struct conn *c)
{
	drop(&c->tlv);
	drop(&c->custom);
	drop(&c->port);
	c->iface = NULL;
}

static void drop_list(struct conn *c)
{
	drop_port(c);
	for (size_t i = 0; i < c->n_interfaces; i++)
		drop(&c->interfaces[i].atom);
	free(c->interfaces);
	c->interfaces = NULL;
	c->n_interfaces = 0;
}

void conn_drop_atoms(struct conn *c)
{
	drop_list(c);
	drop(&c->chassis);
	drop(&c->config);
}

/* --- neighbors and ports --------------------------------------------------------------------- */

static void on_change(lldpctl_change_t type, lldpctl_atom_t *interface, lldpctl_atom_t *neighbor,
		      void *ctx)
{
	struct conn *c = ctx;
	struct lldp_remote remote;

	c->changes++;
	if (c->is_short)
		return; /* the check of the layout only counts changes */
	if (atoms_remote(neighbor, lldpctl_atom_get_str(interface, lldpctl_k_interface_name),
			 &remote))
		c->ops->change(c->ctx,
			       type == lldpctl_c_added     ? CONN_ADDED
			       : type == lldpctl_c_updated ? CONN_UPDATED
							   : CONN_DELETED,
			       &remote);
}

void conn_neighbors(const struct conn *c, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx)
{
	const char *ifname = lldpctl_atom_get_str(c->port, lldpctl_k_port_name);
	lldpctl_atom_t *list = lldpctl_atom_get(c->port, lldpctl_k_port_neighbors);
	lldpctl_atom_t *neighbor;
	struct lldp_remote remote;

	lldpctl_atom_foreach (list, neighbor) {
		if (atoms_remote(neighbor, ifname, &remote))
			each(ctx, &remote);
	}
	lldpctl_atom_dec_ref(list);
}

bool conn_port(const struct conn *c, struct conn_port *out)
{
	return atoms_port(c->port, out);
}

/* --- requests -------------------------------------------------------------------------------- */

void conn_set_why(struct conn *c, const char *why)
{
	snprintf(c->why, sizeof(c->why), "%s", why);
}

bool conn_step(struct conn *c, enum conn_answer *answer)
{
	lldpctl_error_t error;

	*answer = CONN_DONE;
	if (c->request(c))
		return true;
	error = lldpctl_last_error(c->lldpctl);
	if (error == LLDPCTL_ERR_WOULDBLOCK)
		return false;
	*answer = CONN_LOST;
	conn_set_why(c, lldpctl_strerror(error));
	return true;
}

/* Starts a request. The loop reports an early answer, so that callers are not reentered. */
static void begin(struct conn *c, bool (*request)(struct conn *c))
{
	const struct timeval limit = {CONN_LIMIT_MS / 1000, CONN_LIMIT_MS % 1000 * 1000};

	c->request = request;
	event_add(c->limit, &limit);
	c->early = conn_step(c, &c->answer);
	if (c->early)
		event_active(c->limit, EV_TIMEOUT, 0);
}

static bool request_watch(struct conn *c)
{
	return lldpctl_watch_callback2(c->lldpctl, on_change, c) == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct interface *i = a, *j = b;

	return strcmp(i->name, j->name);
}

/* false: out of memory, which request_list() reports as a lost connection. */
static bool take_list(struct conn *c, lldpctl_atom_t *list)
{
	lldpctl_atom_t *item;
	size_t n = 0;

	lldpctl_atom_foreach (list, item) {
		n++;
	}
	c->interfaces = calloc(n ? n : 1, sizeof(*c->interfaces));
	if (!c->interfaces)
		return false;
	lldpctl_atom_foreach (list, item) {
		const char *name = lldpctl_atom_get_str(item, lldpctl_k_interface_name);
		struct interface *i = &c->interfaces[c->n_interfaces];

		if (!name || strlen(name) >= sizeof(i->name))
			continue;
		strcpy(i->name, name);
		lldpctl_atom_inc_ref(item);
		i->atom = item;
		c->n_interfaces++;
	}
	qsort(c->interfaces, c->n_interfaces, sizeof(*c->interfaces), by_name);
	return true;
}

static bool request_list(struct conn *c)
{
	lldpctl_atom_t *list = lldpctl_get_interfaces(c->lldpctl);
	bool ok = list && take_list(c, list);

	lldpctl_atom_dec_ref(list);
	return ok;
}

static bool request_get(struct conn *c)
{
	c->port = lldpctl_get_port(c->iface);
	return c->port;
}

static bool request_get_default(struct conn *c)
{
	c->port = lldpctl_get_default_port(c->lldpctl);
	return c->port;
}

static bool request_status(struct conn *c)
{
	return lldpctl_atom_set_str(c->port, lldpctl_k_port_status, atoms_status(c->status));
}

static bool request_set(struct conn *c)
{
	return c->tlv && lldpctl_atom_set(c->port, lldpctl_k_custom_tlv, c->tlv);
}

/*
 * The end of our pattern for management addresses, by which it differs from one of the operator.
 * It matches nothing. A pattern cannot exclude the ports: one that has only exclusions, as !p0,
 * takes an address if either the address or the name of the interface is not excluded.
 */
#define OUR_PATTERN ",!dcb-agent"

static bool is_ours(const char *pattern)
{
	size_t len = strlen(pattern), end = strlen(OUR_PATTERN);

	return len >= end && strcmp(pattern + len - end, OUR_PATTERN) == 0;
}

/*
 * A request to set a part of the configuration has all of it: what another program sets between
 * the two requests is undone. So it is read anew for each part; and while lldpd is paused, as its
 * own lldpcli does for as long as it reads lldpd.conf, nothing is set.
 */
static bool get_config(struct conn *c)
{
	c->config = lldpctl_get_configuration(c->lldpctl);
	if (c->config && lldpctl_atom_get_int(c->config, lldpctl_k_config_paused))
		c->is_paused = true;
	return c->config;
}

static bool request_transmit(struct conn *c)
{
	if (!c->config && !get_config(c))
		return false;
	return c->is_paused || lldpctl_atom_set_int(c->config, lldpctl_k_config_tx_interval, -1);
}

/*
 * The override before the capability: without it lldpd determines the capabilities itself, at any
 * time. Decides once, as the library changes its copy before lldpd has answered.
 */
static bool set_override(struct conn *c)
{
	bool overridden;

	if (!c->config) {
		if (!get_config(c))
			return false;
		overridden =
		    lldpctl_atom_get_int(c->config, lldpctl_k_config_chassis_cap_override) != 0;
		c->sets = !c->is_paused &&
			  (c->system.bridge ? !overridden : overridden && c->has_overridden);
		c->sets_capability = c->sets && c->system.bridge;
	}
	if (c->sets && !lldpctl_atom_set_int(c->config, lldpctl_k_config_chassis_cap_override,
					     c->system.bridge))
		return false;
	if (c->sets)
		c->has_overridden = c->system.bridge;
	c->has_set |= c->sets;
	drop(&c->config);
	return true;
}

static bool set_capability(struct conn *c)
{
	if (!c->sets_capability)
		return true;
	if (!c->chassis)
		c->chassis = lldpctl_get_local_chassis(c->lldpctl);
	if (!c->chassis)
		return false;
	c->ignores_body = true;
	if (!lldpctl_atom_set_int(c->chassis, lldpctl_k_chassis_cap_enabled, LLDP_CAP_BRIDGE))
		return false;
	c->ignores_body = c->sets_capability = false;
	drop(&c->chassis);
	return true;
}

static bool set_management(struct conn *c)
{
	const char *name = c->system.management, *now;
	char pattern[IF_NAMESIZE + sizeof(OUR_PATTERN)] = "";

	if (c->system.bridge)
		snprintf(pattern, sizeof(pattern), "%s%s", *name ? name : "!*", OUR_PATTERN);
	if (!c->config) {
		if (!get_config(c))
			return false;
		now = lldpctl_atom_get_str(c->config, lldpctl_k_config_mgmt_pattern);
		c->sets =
		    !c->is_paused && now && (is_ours(now) || !*now) && strcmp(now, pattern) != 0;
	}
	if (c->sets && !lldpctl_atom_set_str(c->config, lldpctl_k_config_mgmt_pattern,
					     c->system.bridge ? pattern : NULL))
		return false;
	c->has_set |= c->sets;
	drop(&c->config);
	return true;
}

static bool request_describe(struct conn *c)
{
	static bool (*const steps[])(struct conn * c) = {set_override, set_capability,
							 set_management};

	for (; c->n_described < sizeof(steps) / sizeof(steps[0]); c->n_described++)
		if (!steps[c->n_described](c))
			return false;
	return true;
}

bool conn_is_paused(const struct conn *c)
{
	return c->is_paused;
}

bool conn_has_set(const struct conn *c)
{
	return c->has_set;
}

#define LAYOUTS 3
/* Gets number i of lldpd's structs that can be requested without an interface. */
static lldpctl_atom_t *get_layout(lldpctl_conn_t *conn, size_t i)
{
	if (i == 0)
		return lldpctl_get_configuration(conn);
	return i == 1 ? lldpctl_get_local_chassis(conn) : lldpctl_get_default_port(conn);
}

static bool request_check(struct conn *c)
{
	for (; c->n_checked < LAYOUTS; c->n_checked++) {
		lldpctl_atom_t *atom = get_layout(c->lldpctl, c->n_checked);

		if (!atom)
			return false;
		/* Of another layout: two of its pointers can be one, which would be freed twice. */
		if (!c->is_short)
			lldpctl_atom_dec_ref(atom);
	}
	return true;
}

void conn_check(struct conn *c)
{
	c->n_checked = 0;
	begin(c, request_check);
}

void conn_watch(struct conn *c)
{
	c->watching = true;
	begin(c, request_watch);
}

void conn_list(struct conn *c)
{
	drop_list(c);
	begin(c, request_list);
}

static lldpctl_atom_t *find(const struct conn *c, const char *ifname)
{
	struct interface key = {.atom = NULL}, *found;

	if (strlen(ifname) >= sizeof(key.name) || c->n_interfaces == 0)
		return NULL;
	strcpy(key.name, ifname);
	found = bsearch(&key, c->interfaces, c->n_interfaces, sizeof(key), by_name);
	return found ? found->atom : NULL;
}

bool conn_knows(const struct conn *c, const char *ifname)
{
	return find(c, ifname);
}

size_t conn_names(const struct conn *c, char (*names)[IF_NAMESIZE], size_t room)
{
	for (size_t i = 0; i < c->n_interfaces && i < room; i++)
		strcpy(names[i], c->interfaces[i].name);
	return c->n_interfaces;
}

void conn_get(struct conn *c, const char *ifname)
{
	drop_port(c);
	if (!*ifname) {
		begin(c, request_get_default);
		return;
	}
	c->iface = find(c, ifname);
	if (c->iface) {
		begin(c, request_get);
		return;
	}
	conn_set_why(c, "lldpd does not know the interface");
	c->request = request_get;
	c->early = true;
	c->answer = CONN_REFUSED;
	event_active(c->limit, EV_TIMEOUT, 0);
}

static void make_tlv(struct conn *c, enum conn_op op, const struct lldp_tlv *tlv)
{
	drop(&c->tlv);
	drop(&c->custom);
	c->custom = lldpctl_atom_get(c->port, lldpctl_k_custom_tlvs);
	c->tlv = lldpctl_atom_create(c->custom);
	lldpctl_atom_set_buffer(c->tlv, lldpctl_k_custom_tlv_oui, tlv->oui, sizeof(tlv->oui));
	lldpctl_atom_set_int(c->tlv, lldpctl_k_custom_tlv_oui_subtype, tlv->subtype);
	if (op == CONN_REPLACE && tlv->len) /* unset means an empty information string */
		lldpctl_atom_set_buffer(c->tlv, lldpctl_k_custom_tlv_oui_info_string, tlv->info,
					tlv->len);
	lldpctl_atom_set_str(c->tlv, lldpctl_k_custom_tlv_op,
			     op == CONN_REPLACE ? "replace" : "remove");
}

void conn_prepare(struct conn *c, enum conn_op op, const struct lldp_tlv *tlv)
{
	if (op == CONN_STATUS) {
		c->status = tlv->subtype;
		c->request = request_status;
	} else {
		make_tlv(c, op, tlv);
		c->request = request_set;
	}
	c->holding = true;
	c->held_len = 0;
	c->early = conn_step(c, &c->answer);
	c->holding = false;
}

void conn_set(struct sendv *sendv, struct conn *const *conns, size_t n)
{
	const struct timeval limit = {CONN_LIMIT_MS / 1000, CONN_LIMIT_MS % 1000 * 1000};
	struct sendv_msg msgs[SENDV_MAX];

	for (size_t i = 0; i < n; i++)
		msgs[i] =
		    (struct sendv_msg){conns[i]->fd, conns[i]->held, conns[i]->held_len, false};
	sendv_send(sendv, msgs, n);
	for (size_t i = 0; i < n; i++) {
		struct conn *c = conns[i];

		event_add(c->limit, &limit);
		if (!c->early && !msgs[i].sent) {
			conn_set_why(c, "lldpd does not read requests");
			c->early = true;
			c->answer = CONN_LOST;
		}
		if (c->early)
			event_active(c->limit, EV_TIMEOUT, 0);
	}
}

void conn_await_read(const struct conn *c)
{
	struct timespec start, now;
	int unread = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		if (ioctl(c->fd, SIOCOUTQ, &unread) < 0)
			return;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (unread > 0 &&
		 (now.tv_sec - start.tv_sec) * INT64_C(1000000000) + now.tv_nsec - start.tv_nsec <
		     READ_WITHIN_NS);
}

void conn_describe(struct conn *c, const struct lldp_system *system)
{
	drop(&c->config);
	drop(&c->chassis);
	c->is_paused = false;
	c->n_described = 0;
	c->has_set = false;
	c->system = *system;
	begin(c, request_describe);
}

void conn_transmit(struct conn *c)
{
	drop(&c->config);
	c->is_paused = false;
	begin(c, request_transmit);
}

bool conn_busy(const struct conn *c)
{
	return c->request;
}

const char *conn_why(const struct conn *c)
{
	return c->why;
}

bool conn_mismatch(const struct conn *c)
{
	return c && c->mismatch;
}

const char *conn_library(void)
{
	static char text[96];
	char path[PATH_MAX];
	const char *name = NULL;
	Dl_info info;

	if (dladdr((void *)(uintptr_t)lldpctl_new_name, &info) && realpath(info.dli_fname, path))
		name = strrchr(path, '/');
	snprintf(text, sizeof(text), "%.60s (built with %s)", name ? name + 1 : "liblldpctl",
		 LLDPCTL_VERSION);
	return text;
}

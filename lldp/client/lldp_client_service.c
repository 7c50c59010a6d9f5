/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves one port at a time: reads its TLVs in lldpd, plans the steps to the desired TLVs,
 * takes the steps, and polls the port again some seconds later.
 *
 * lldpd handles one request of each connection, then goes through all its interfaces and
 * sends an LLDPDU on each that has changed. So that a change of several TLVs costs one
 * LLDPDU, each step has a connection of its own. The main connection sends a request that
 * changes nothing but makes lldpd go through its interfaces. When lldpd has read it, the
 * steps are written by one system call, and lldpd finds all of them when it is done with
 * the interfaces. If lldpd is done before they are written, the change costs a second
 * LLDPDU.
 *
 * The alternative, to disable transmission on the port during the change, would leave the
 * port silent if this process ended in between: lldpd cannot tell such a port from one
 * that the operator has disabled.
 */
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lldp/client/lldp_client_lldpd.h"

static struct client *client_of(struct lldp_client *base)
{
	return (struct client *)base;
}

/* Makes the port due, after the ports that have been due for longer. */
static void schedule(struct client *c, struct desired_tlvs *d)
{
	int64_t now = client_now_ms();

	if (!d->deferred && d->due_ms > now)
		d->due_ms = now;
	client_schedule(c);
}

void service_set(struct lldp_client *base, const char *ifname, const struct lldp_tlv *tlvs,
		 size_t n, uint32_t mtu)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = desired_at(&c->desired, ifname, client_now_ms());

	if (!d || !desired_request(d, tlvs, n, mtu)) {
		/* Message: as "out of memory" */
		log_error("lldp", "%s: out of memory", ifname);
		return;
	}
	if (d->changed)
		schedule(c, d);
}

static void fast_poll(struct client *c, struct desired_tlvs *d)
{
	d->fast_poll_until_ms = client_now_ms() + FAST_POLL_FOR_MS;
	schedule(c, d);
}

void service_refresh(struct lldp_client *base, const char *ifname)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (d)
		fast_poll(c, d);
}

void service_forget(struct lldp_client *base, const char *ifname)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (!d)
		return;
	d->forgotten = true;
	d->changed = true;
	fast_poll(c, d);
}

void service_reset(struct client *c)
{
	struct desired_tlvs *d, *next;

	for (d = c->desired; d; d = next) {
		next = d->hh.next;
		d->synced = false;
		d->due_ms = 0;
		d->unknown_ms = 0;
	}
	free(c->plan.steps);
	c->plan = (struct desired_plan){0};
	c->serving = NULL;
	c->pending = 0;
	c->stepping = false;
}

void service_free(struct client *c)
{
	struct desired_tlvs *d, *next;

	for (d = c->desired; d; d = next) {
		next = d->hh.next;
		desired_free(&c->desired, d);
	}
	free(c->plan.steps);
}

bool service_neighbor(struct client *c, const char *ifname)
{
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (!d)
		return false;
	schedule(c, d); /* lldpd may have recreated the port and lost its TLVs */
	return !d->forgotten;
}

/* --- end of serving a port ------------------------------------------------------------------- */

/* Ends serving the port, which is due again in retry_ms. */
static void finish(struct client *c, int64_t retry_ms)
{
	struct desired_tlvs *d = c->serving;

	free(c->plan.steps);
	c->plan = (struct desired_plan){0};
	c->serving = NULL;
	d->due_ms = client_now_ms() + retry_ms;
	client_schedule(c);
}

/* Until the next poll for an interface that lldpd has not known for so long. */
static int64_t unknown_poll_ms(int64_t unknown_for_ms)
{
	int64_t ms = unknown_for_ms / 4;

	return ms < UNKNOWN_POLL_MS ? UNKNOWN_POLL_MS : ms < FAST_POLL_MS ? ms : FAST_POLL_MS;
}

/* lldpd does not have the interface, or not yet. */
static void finish_unknown(struct client *c, struct desired_tlvs *d)
{
	int64_t now = client_now_ms();

	d->synced = false;
	if (!d->unknown_ms)
		d->unknown_ms = now;
	if (!d->unknown_logged && now - d->unknown_ms >= FAST_POLL_FOR_MS) {
		d->unknown_logged = true;
		/*
		 * Message: lldpd(8) does not manage the interface. Check its option `-I` and its
		 * configuration `system interface pattern`.
		 */
		log_warn("lldp", "%s: lldpd does not know the interface: DCB TLVs are not sent",
			 d->ifname);
	}
	d->due_ms = now + (d->fast_poll_until_ms > now || now - d->unknown_ms < FAST_POLL_FOR_MS
			       ? unknown_poll_ms(now - d->unknown_ms)
			       : POLL_MS);
	if (c->serving == d)
		finish(c, d->due_ms - now);
	if (d->forgotten)
		desired_free(&c->desired, d);
}

/* Poll interval of a port: longer with many ports, to limit lldpd's load. */
static int64_t poll_ms(const struct client *c)
{
	int64_t each = (int64_t)HASH_COUNT(c->desired) * POLL_EACH_MS;

	return each > POLL_MS ? each : POLL_MS;
}

static void finish_synced(struct client *c)
{
	struct desired_tlvs *d = c->serving;
	bool is_fast = d->fast_poll_until_ms > client_now_ms();

	d->synced = true;
	if (d->forgotten && !d->changed) {
		finish(c, 0);
		desired_free(&c->desired, d);
		return;
	}
	finish(c, d->changed ? 0 : is_fast ? FAST_POLL_MS : poll_ms(c));
}

/* --- steps ----------------------------------------------------------------------------------- */

static void take_steps(struct client *c);

/* Handles the answer to a step. */
static void step_answered(struct client *c, enum conn_answer answer)
{
	if (answer == CONN_REFUSED) {
		c->refused = true;
		c->stats.failures++;
	}
	if (--c->pending > 0)
		return;
	c->stepping = false;
	if (c->refused)
		finish_unknown(c, c->serving);
	else if (c->plan_at < c->plan.n)
		take_steps(c);
	else
		finish_synced(c);
}

static size_t ready_conns(const struct client *c)
{
	size_t n = 0;

	while (n < EXTRA_CONNS && c->extra[n].ready)
		n++;
	return n;
}

/* Takes as many steps of the plan as there are connections. */
static void take_steps(struct client *c)
{
	size_t conns = ready_conns(c), left = c->plan.n - c->plan_at;
	const struct desired_step *step = &c->plan.steps[c->plan_at];
	struct conn *extra[EXTRA_CONNS];

	c->refused = false;
	c->stepping = true;
	c->on_answer = step_answered;
	c->stats.batches++;
	if (left == 1 || conns == 0) {
		c->pending = 1;
		c->plan_at++;
		conn_prepare(c->main, step->op, &step->tlv);
		conn_set(NULL, &c->main, 1);
		return;
	}
	if (left > conns)
		left = conns;
	c->pending = 1 + (unsigned)left;
	c->plan_at += left;
	conn_prepare(c->main, CONN_REMOVE, &c->absent);
	for (size_t i = 0; i < left; i++) {
		extra[i] = c->extra[i].conn;
		conn_prepare(extra[i], step[i].op, &step[i].tlv);
	}
	conn_set(NULL, &c->main, 1);
	conn_await_read(c->main);
	conn_set(c->sendv, extra, left);
}

static void extra_ready(struct client *c)
{
	if (--c->pending > 0)
		return;
	take_steps(c);
}

static void extra_get(struct extra *e)
{
	if (e->listed && conn_knows(e->conn, e->c->serving->ifname)) {
		conn_get(e->conn, e->c->serving->ifname);
	} else {
		e->listed = false;
		conn_list(e->conn);
	}
}

/* Handles the answer of an extra connection: to conn_list(), conn_get() or a step. */
void service_extra_answer(void *ctx, enum conn_answer answer)
{
	struct extra *e = ctx;
	struct client *c = e->c;

	if (answer == CONN_LOST) {
		client_lost(c, conn_why(e->conn));
		return;
	}
	if (answer == CONN_REFUSED)
		e->listed = false;
	if (c->stepping) {
		step_answered(c, answer);
		return;
	}
	if (answer == CONN_DONE && !e->listed) {
		e->listed = true;
		if (conn_knows(e->conn, c->serving->ifname)) {
			extra_get(e);
			return;
		}
	} else {
		e->ready = answer == CONN_DONE;
	}
	extra_ready(c);
}

const struct conn_ops client_extra_ops = {.answer = service_extra_answer};

/* For several steps: each extra connection has to get the port first. */
static void prepare_extra(struct client *c)
{
	size_t n_conns = c->plan.n < EXTRA_CONNS ? c->plan.n : EXTRA_CONNS;

	c->plan_at = 0;
	c->pending = 1; /* this function */
	for (size_t i = 0; i < EXTRA_CONNS; i++) {
		struct extra *e = &c->extra[i];

		e->ready = false;
		if (c->plan.n < 2 || i >= n_conns)
			continue;
		if (!e->conn) {
			e->listed = false;
			e->conn = conn_open(c->loop, c->socket, &client_extra_ops, e);
		}
		if (!e->conn)
			break; /* lldpd's backlog is full: use fewer connections */
		c->pending++;
		extra_get(e);
	}
	extra_ready(c);
}

/* --- serving a port -------------------------------------------------------------------------- */

static void check_fit(struct client *c, struct desired_tlvs *d, const struct conn_port *port)
{
	static const char *const outcome[] = {
	    [DESIRED_TOO_LONG] = "TLVs not changed",
	    [DESIRED_NONE_FIT] = "the former TLVs do not fit either and are removed",
	};
	size_t octets;
	enum desired_fit fit = desired_fit(d, port, &octets);

	if (fit == DESIRED_FITS && d->too_long && !d->forgotten)
		log_info("lldp", "%s: the requested TLVs fit into the MTU now", d->ifname);
	if (fit != DESIRED_FITS && !d->too_long) {
		c->stats.refused++;
		/*
		 * Message: The TLVs do not fit into a frame on the interface. The end of the
		 * message says whether the former TLVs stay or are removed. Raise the MTU, delete
		 * application priorities or application VLANs of the port, or set TxEnable objects
		 * of the port to false.
		 */
		log_warn("lldp",
			 "%s: an LLDP frame with the requested TLVs has %zu octets, more than the "
			 "MTU of %u: %s",
			 d->ifname, octets, d->mtu, outcome[fit]);
	}
	/* d->fitting has changed: the difference to lldpd is no repair. */
	d->changed = d->changed || d->too_long != (fit != DESIRED_FITS);
	d->too_long = fit != DESIRED_FITS;
}

static void start_change(struct client *c, struct desired_tlvs *d, bool repairs)
{
	int64_t now = client_now_ms();
	int64_t wait = c->closing ? 0 : desired_tx_credit(d, now);

	if (wait > 0) {
		c->stats.deferred += !d->deferred;
		d->deferred = true;
		finish(c, wait);
		return;
	}
	d->deferred = false;
	d->changed = false;
	if (repairs) {
		c->stats.repairs++;
		/*
		 * Message: Another program has removed or changed TLVs of dcbd(8). The level of
		 * this message is info. If the message repeats, find that program, for example an
		 * lldpcli(8) script, and stop it.
		 */
		log_info("lldp", "%s: another program changed the TLVs in lldpd: set again",
			 d->ifname);
	}
	prepare_extra(c);
}

/* Returns a TLV that the port does not have: a request to remove it changes nothing. */
static struct lldp_tlv absent(const struct conn_port *port)
{
	struct lldp_tlv tlv = {.oui = {0x00, 0x80, 0xc2}};

	for (size_t i = 0; i < port->n;) {
		if (memcmp(port->tlvs[i].oui, tlv.oui, sizeof(tlv.oui)) == 0 &&
		    port->tlvs[i].subtype == tlv.subtype) {
			tlv.subtype++;
			i = 0;
		} else {
			i++;
		}
	}
	return tlv;
}

static void got_port(struct client *c, enum conn_answer answer)
{
	struct desired_tlvs *d = c->serving;
	struct conn_port port;
	bool planned = false;

	if (answer != CONN_DONE) {
		c->stats.failures++;
		finish_unknown(c, d);
		return;
	}
	if (d->unknown_ms)
		d->fast_poll_until_ms = client_now_ms() + FAST_POLL_FOR_MS;
	if (d->unknown_logged)
		log_info("lldp", "%s: lldpd knows the interface now", d->ifname);
	d->unknown_ms = 0;
	d->unknown_logged = false;
	if (conn_port(c->main, &port)) {
		c->absent = absent(&port);
		check_fit(c, d, &port);
		planned = desired_plan(d, &port, &c->plan);
		free(port.tlvs);
	}
	if (!planned) {
		finish(c, POLL_MS);
	} else if (c->plan.n == 0) {
		d->changed = d->deferred = false;
		finish_synced(c);
	} else {
		start_change(c, d,
			     d->synced && !d->changed && d->fast_poll_until_ms <= client_now_ms());
	}
}

static void listed(struct client *c, enum conn_answer answer)
{
	(void)answer;
	c->listed_ms = client_now_ms();
	client_schedule(c);
}

int64_t service_run(struct client *c, int64_t now_ms)
{
	struct desired_tlvs *first = c->desired;

	for (struct desired_tlvs *d = c->desired; d; d = d->hh.next)
		if (d->due_ms < first->due_ms)
			first = d;
	if (!first)
		return INT64_MAX;
	if (first->due_ms > now_ms)
		return first->due_ms;
	if (!conn_knows(c->main, first->ifname)) {
		if (now_ms - c->listed_ms < UNKNOWN_POLL_MS / 2) {
			finish_unknown(c, first);
			return now_ms;
		}
		c->on_answer = listed;
		conn_list(c->main);
		return now_ms;
	}
	c->serving = first;
	c->on_answer = got_port;
	conn_get(c->main, first->ifname);
	return now_ms;
}

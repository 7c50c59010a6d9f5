/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/mo_service.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "control/managed/addresses.h"
#include "control/mo_service_private.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_edit.h"
#include "control/objects/mo_origin.h"
#include "control/persist.h"
#include "control/persist_text.h"
#include "lib/clock.h"
#include "lib/log.h"

struct mo_file mo_service_file(const struct mo_service *s)
{
	struct stat st;

	if (!s->state_file || stat(s->state_file, &st) < 0)
		return (struct mo_file){0};
	return (struct mo_file){st.st_dev, st.st_ino, st.st_mtim};
}

struct mo_service *mo_service_new(struct managed *m, const char *state_file, uint32_t boot_id)
{
	struct mo_service *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->m = m;
	s->state_file = state_file;
	s->boot_id = boot_id;
	s->file = mo_service_file(s);
	TAILQ_INIT(&s->jobs);
	s->texts = persist_cache_new();
	if (s->texts)
		return s;
	free(s);
	return NULL;
}

bool mo_service_use_origins(struct mo_service *s, struct mo_origins *origins)
{
	mo_origins_free(s->origins);
	s->origins = origins;
	return origins;
}

bool mo_service_use_thread(struct mo_service *s, struct event_base *base)
{
	s->saver = saver_new(base, replace_file);
	return s->saver;
}

void mo_service_finish(struct mo_service *s)
{
	if (!s)
		return;
	s->finishing = true;
	mo_transaction_run(s);
	while (s->running)
		saver_wait(s->saver);
}

/* Returns whether the file is the one that was read or written last. */
static bool has_own_file(const struct mo_service *s)
{
	const struct mo_file now = mo_service_file(s), *own = &s->file;

	return own->inode && now.inode == own->inode && now.device == own->device &&
	       now.modified.tv_sec == own->modified.tv_sec &&
	       now.modified.tv_nsec == own->modified.tv_nsec;
}

/*
 * Returns whether a port, or an absent interface, has a delay to be written. The provider's last
 * events are not read any more: the delays are.
 */
static bool has_measured(struct managed *m)
{
	bool any = false;

	for (size_t i = 0; i < m->config->n_ports; i++) {
		if (!managed_delay(&m->config->ports[i]).count)
			continue;
		managed_measured(m, m->config->ports[i].port->slot);
		any = true;
	}
	for (const struct managed_parked *k = m->parked; k; k = k->hh.next)
		any |= k->config->pfc_measured.count != 0;
	return any;
}

void mo_service_save_measured(struct mo_service *s)
{
	int error;

	mo_service_finish(s);
	if (!s || !has_measured(s->m) || !has_own_file(s))
		return;
	error = persist_save(s->m, s->m->config, s->state_file);
	if (error)
		log_error("persist", "%s: %s: measured delays not saved", s->state_file,
			  strerror(error));
}

void mo_service_free(struct mo_service *s)
{
	if (!s)
		return;
	mo_service_finish(s);
	assert(TAILQ_EMPTY(&s->jobs));
	saver_free(s->saver);
	mo_origins_free(s->origins);
	persist_cache_free(s->texts);
	free(s);
}

struct mo_session *mo_session_new(struct mo_service *s, unsigned rights)
{
	struct mo_session *session = calloc(1, sizeof(*session));

	if (session) {
		session->service = s;
		session->rights = rights;
		session->job.session = session;
	}
	return session;
}

void mo_session_listen(struct mo_session *session, mo_answer_fn answer, void *ctx)
{
	session->answer = answer;
	session->answer_ctx = ctx;
}

bool mo_session_is_waiting(const struct mo_session *session)
{
	return session->has_job;
}

/* --- reading ----------------------------------------------------------------------------- */

#define ROW_COLUMNS_MAX 64

/* origins NULL: without them. */
static void put_row(const struct managed *m, const struct mo_table *table,
		    const struct mo_index *index, const struct mo_place *place,
		    struct mo_origin_reader *origins, struct octets_out *out)
{
	struct mo_origin of[ROW_COLUMNS_MAX];
	bool of_port = mo_bind_port_part(table->id) >= 0;
	const struct port *port = of_port ? m->config->ports[place->pos].port : NULL;
	bool complete = !port || mo_caps_has_columns(port, table);
	_Alignas(8) uint8_t row[MO_ROW_OCTETS];
	struct mo_value value;

	mo_bind_load(m, m->config, table->id, place, row);
	mo_msg_put_index(out, index);
	assert(table->n_columns <= ROW_COLUMNS_MAX);
	if (origins)
		mo_origin_row(origins, table, index, place, of);
	for (unsigned i = 0; i < table->n_columns; i++) {
		if (!complete && !mo_caps_has(port, table, &table->columns[i])) {
			octets_out_u8(out, MO_MSG_NO_VALUE);
			continue;
		}
		mo_field_get(table, &table->columns[i], row, &value);
		mo_msg_put_value(out, &value);
		if (origins)
			mo_msg_put_origin(out, &of[i]);
	}
}

/* Writes up to max_rows rows that fit in out. Returns their number; *more: rows are left. */
static uint16_t put_rows(const struct mo_service *s, const struct mo_table *table, unsigned flags,
			 struct mo_index *index, unsigned max_rows, struct octets_out *out,
			 bool *more)
{
	struct mo_origin_reader reader, *origins = NULL;
	const struct managed *m = s->m;
	bool after = flags & MO_READ_AFTER;
	struct mo_place place = {0};
	uint16_t n = 0;

	*more = false;
	if (flags & MO_READ_ORIGIN) {
		mo_origin_begin(&reader, m, s->origins);
		origins = &reader;
	}
	if (flags & MO_READ_EXACT) {
		if (!mo_bind_find(m, m->config, table->id, index, &place))
			return 0;
		put_row(m, table, index, &place, origins, out);
		return 1;
	}
	while (mo_bind_seek(m, m->config, table->id, index, after, &place)) {
		size_t len = out->len;

		*more = true;
		if (n == max_rows)
			return n;
		put_row(m, table, index, &place, origins, out);
		if (out->overrun) {
			out->overrun = false;
			out->len = len;
			return n;
		}
		n++;
		after = true;
		*more = false;
	}
	return n;
}

static bool handle_read(struct mo_session *t, uint16_t table_id, struct octets_in *in,
			struct octets_out *out)
{
	const struct mo_table *table =
	    table_id < MO_TABLES ? mo_table((enum mo_table_id)table_id) : NULL;
	unsigned flags = octets_in_u8(in), max_rows = octets_in_be16(in);
	struct mo_index index;
	uint8_t *head;
	uint16_t n;
	bool more;

	mo_msg_get_index(in, &index);
	if (!table || in->overrun)
		return false;
	head = octets_out_take(out, 3);
	if (!head)
		return false;
	n = put_rows(t->service, table, flags, &index, max_rows, out, &more);
	head[0] = more;
	put_be16(head + 1, n);
	return true;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool handle_subscribe(struct mo_session *t, struct octets_in *in, struct octets_out *out)
{
	const struct events *e = t->service->m->events;
	uint8_t flags = octets_in_u8(in);
	bool same_run = octets_in_be32(in) == t->service->boot_id;
	uint64_t seen = octets_in_be64(in);

	if (in->overrun)
		return false;
	if (flags & MO_SUBSCRIBE_NOTIFIER && !(t->rights & MO_MAY_NOTIFY)) {
		t->why =
		    "only root, dcbd's user and control.agent_user may send notifications, "
		    "over control.socket";
		return false;
	}
	t->subscribed = true;
	t->notifier = flags & MO_SUBSCRIBE_NOTIFIER;
	if (same_run && seen < events_next(e))
		t->next_event = seen + 1;
	else
		t->next_event = t->notifier ? events_acked(e) + 1 : events_next(e);
	octets_out_be32(out, t->service->boot_id);
	octets_out_be64(out, t->next_event);
	return true;
}

static bool handle_ack(struct mo_session *t, struct octets_in *in, struct octets_out *out)
{
	uint64_t number = octets_in_be64(in);

	out->len = 0;
	if (in->overrun || !t->notifier)
		return false;
	events_ack(t->service->m->events, number);
	return true;
}

bool mo_session_is_subscribed(const struct mo_session *session)
{
	return session->subscribed;
}

/*
 * What a request needs and what takes long, before read_begin(): the control thread would wait for
 * it, and any local user may read. The providers never change, and the addresses have a lock of
 * their own.
 */
static void refresh(const struct managed *m, const struct mo_msg_header *h)
{
	if (h->op == MO_OP_READ &&
	    (h->table == MO_fdb || h->table == MO_tp_fdb || h->table == MO_trill_fdb))
		addresses_refresh(m->addresses, m->providers, m->n_providers, clock_now());
}

static void read_begin(struct mo_session *t)
{
	if (mo_session_only_reads(t))
		state_read_begin(t->service->m->lock);
}

static void read_end(struct mo_session *t)
{
	if (mo_session_only_reads(t))
		state_read_end(t->service->m->lock);
}

const uint8_t *mo_session_event(struct mo_session *t, size_t *len)
{
	const uint8_t *event;

	if (!t->subscribed)
		return NULL;
	read_begin(t);
	event = events_at(t->service->m->events, &t->next_event, len);
	if (event)
		memcpy(t->event, event, *len);
	read_end(t);
	return event ? t->event : NULL;
}

void mo_session_event_sent(struct mo_session *t)
{
	t->next_event++;
}

struct events *mo_service_events(struct mo_service *s)
{
	return s->m->events;
}

/* --- dispatch --------------------------------------------------------------------------------- */

static bool handle_hello(struct mo_session *t, struct octets_out *out)
{
	octets_out_be32(out, t->service->boot_id);
	octets_out_u8(out, sizeof(PACKAGE_VERSION) - 1);
	octets_out_bytes(out, PACKAGE_VERSION, sizeof(PACKAGE_VERSION) - 1);
	return true;
}

/* Handles one request whose header was read. */
static bool handle(struct mo_session *t, const struct mo_msg_header *h, struct octets_in *in,
		   struct octets_out *reply)
{
	switch ((enum mo_msg_op)h->op) {
	case MO_OP_HELLO:
		return handle_hello(t, reply);
	case MO_OP_READ:
		return handle_read(t, h->table, in, reply);
	case MO_OP_TEST:
		return mo_transaction_test(t, in, reply);
	case MO_OP_COMMIT:
	case MO_OP_UNDO:
	case MO_OP_CLEANUP:
		return mo_transaction_phase(t, h, in, reply);
	case MO_OP_SUBSCRIBE:
		return handle_subscribe(t, in, reply);
	case MO_OP_ACK:
		return handle_ack(t, in, reply);
	case MO_OP_EVENT:
	case MO_OP_CLOSE:
		break;
	}
	return false;
}

/* false: *reply is no reply to the request. */
static bool handle_message(struct mo_session *t, const uint8_t *request, size_t len,
			   struct octets_out *reply)
{
	struct octets_in in = octets_in(request, len);
	struct mo_msg_header h;
	bool ok;

	t->why = "malformed or unknown request";
	if (!mo_msg_get_header(&in, &h))
		return false;
	mo_msg_put_header(reply, &(struct mo_msg_header){
				     .op = h.op | MO_MSG_REPLY, .table = h.table, .seq = h.seq});
	t->reply = reply;
	/* A reply, which no client sends, has an operation of its own: it is unknown. */
	refresh(t->service->m, &h);
	read_begin(t);
	ok = handle(t, &h, &in, reply);
	read_end(t);
	if (!mo_session_only_reads(t))
		mo_transaction_run(t->service);
	t->reply = NULL;
	return ok && !reply->overrun;
}

bool mo_service_handle(struct mo_session *session, const uint8_t *request, size_t len,
		       struct octets_out *reply)
{
	if (session->has_job) {
		session->why = "request before the reply to the one before";
	} else if (handle_message(session, request, len, reply)) {
		if (session->has_job)
			reply->len = 0; /* it comes later */
		return true;
	}
	*reply = octets_out(reply->start, reply->size);
	mo_msg_put_close(reply, session->why);
	return false;
}

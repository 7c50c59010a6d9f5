/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/mo_service.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_edit.h"
#include "control/persist.h"

struct mo_service {
	struct managed *m;
	const char *state_file;
	uint32_t boot_id;
	/* Has a transaction that is committed and not cleaned up: others cannot commit. */
	struct mo_session *committed;
	bool overdue; /* the next COMMIT of another session ends that transaction */
};

enum txn_state {
	TXN_NONE,
	TXN_TESTED,
	TXN_COMMITTED,
	TXN_HALF_COMMITTED, /* COMMIT failed, restoring the former state also: UNDO tries again */
	TXN_OVERTAKEN,      /* was one of the latter two when another session's COMMIT ended it */
};

struct mo_session {
	struct mo_service *service;
	unsigned rights;
	enum txn_state state;
	enum mo_error overtaken; /* in this state: the result of COMMIT, */
	bool undone;             /* and whether it was undone */
	uint32_t txid;
	struct mo_varbind *vbs;
	unsigned n;
	struct dcb_config *before; /* UNDO restores it; NULL unless (half) committed */
	bool subscribed, notifier;
	const char *why; /* the reason for refusing a request that is not malformed */
	uint64_t next_event;
};

struct mo_service *mo_service_new(struct managed *m, const char *state_file, uint32_t boot_id)
{
	struct mo_service *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->m = m;
	s->state_file = state_file;
	s->boot_id = boot_id;
	return s;
}

void mo_service_free(struct mo_service *s)
{
	free(s);
}

struct mo_session *mo_session_new(struct mo_service *s, unsigned rights)
{
	struct mo_session *session = calloc(1, sizeof(*session));

	if (session) {
		session->service = s;
		session->rights = rights;
	}
	return session;
}

static void txn_end(struct mo_session *t)
{
	if (t->service->committed == t) {
		t->service->committed = NULL;
		t->service->overdue = false;
	}
	dcb_config_free(t->before);
	t->before = NULL;
	free(t->vbs);
	t->vbs = NULL;
	t->n = 0;
	t->state = TXN_NONE;
}

/* --- reading ----------------------------------------------------------------------------- */

static void put_row(const struct managed *m, const struct mo_table *table,
		    const struct mo_index *index, const struct mo_place *place,
		    struct octets_out *out)
{
	bool of_port = mo_bind_port_part(table->id) >= 0;
	const struct port *port = of_port ? m->config->ports[place->pos].port : NULL;
	bool complete = !port || mo_caps_has_columns(port, table);
	_Alignas(8) uint8_t row[MO_ROW_OCTETS];
	struct mo_value value;

	mo_bind_load(m, m->config, table->id, place, row);
	mo_msg_put_index(out, index);
	for (unsigned i = 0; i < table->n_columns; i++) {
		if (!complete && !mo_caps_has(port, table, &table->columns[i])) {
			octets_out_u8(out, MO_MSG_NO_VALUE);
			continue;
		}
		mo_field_get(table, &table->columns[i], row, &value);
		mo_msg_put_value(out, &value);
	}
}

/* Writes up to max_rows rows that fit in out. Returns their number; *more: rows are left. */
static uint16_t put_rows(const struct managed *m, const struct mo_table *table, unsigned flags,
			 struct mo_index *index, unsigned max_rows, struct octets_out *out,
			 bool *more)
{
	bool after = flags & MO_READ_AFTER;
	struct mo_place place = {0};
	uint16_t n = 0;

	*more = false;
	if (flags & MO_READ_EXACT) {
		if (!mo_bind_find(m, m->config, table->id, index, &place))
			return 0;
		put_row(m, table, index, &place, out);
		return 1;
	}
	while (mo_bind_seek(m, m->config, table->id, index, after, &place)) {
		size_t len = out->len;

		*more = true;
		if (n == max_rows)
			return n;
		put_row(m, table, index, &place, out);
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
	n = put_rows(t->service->m, table, flags, &index, max_rows, out, &more);
	head[0] = more;
	put_be16(head + 1, n);
	return true;
}

/* --- transactions --------------------------------------------------------------------------- */

/* The result of a phase. */
struct result {
	enum mo_error error;
	unsigned varbind; /* that caused the error, 1-based; 0: not a single one */
	char text[MO_TEXT_MAX + 1];
};

static bool put_result(struct octets_out *out, const struct result *r)
{
	octets_out_u8(out, (uint8_t)r->error);
	octets_out_be16(out, (uint16_t)r->varbind);
	mo_msg_put_text(out, r->text);
	return true;
}

static bool put_error(struct octets_out *out, enum mo_error error)
{
	return put_result(out, &(struct result){.error = error});
}

static enum mo_error error_of(enum provider_reason reason)
{
	switch (reason) {
	case PROVIDER_NO_RESOURCE:
		return MO_RESOURCE_UNAVAILABLE;
	case PROVIDER_CANNOT:
		return MO_INCONSISTENT_VALUE;
	case PROVIDER_FAILED:
	case PROVIDER_NOT_UNDONE:
		return MO_COMMIT_FAILED;
	}
	return MO_GEN_ERR;
}

/* Sets the result for a provider's refusal, and logs it. */
static void refused(const struct mo_session *t, const struct provider_refusal *why,
		    struct result *r)
{
	r->error = error_of(why->reason);
	r->varbind = mo_caps_refused_varbind(t->vbs, t->n, why);
	managed_refusal_text(why, r->text, sizeof(r->text));
	log_warn_limited("provider", "SET refused: %s: %s", mo_strerror(r->error), r->text);
}

#define VARBIND_OCTETS_MIN 9 /* of a varbind in a message: no index, no octets */

static bool get_varbinds(struct mo_session *t, unsigned n, struct octets_in *in)
{
	if (n > in->left / VARBIND_OCTETS_MIN)
		return false;
	t->vbs = calloc(n ? n : 1, sizeof(*t->vbs));
	if (!t->vbs) {
		t->why = "out of memory";
		return false;
	}
	t->n = n;
	for (unsigned i = 0; i < n && !in->overrun; i++)
		mo_msg_get_varbind(in, &t->vbs[i]);
	return !in->overrun;
}

/* Returns the edited configuration, or NULL and *r: mo_edit() and mo_edit_check_instances(). */
static struct dcb_config *edit(const struct mo_session *t, struct result *r)
{
	const struct managed *m = t->service->m;
	struct dcb_config *config = mo_edit(m, t->vbs, t->n, &r->error, &r->varbind);

	if (!config)
		return NULL;
	r->error = mo_edit_check_instances(m, config, t->vbs, t->n, &r->varbind);
	if (r->error == MO_NO_ERROR)
		return config;
	dcb_config_free(config);
	return NULL;
}

static bool handle_test(struct mo_session *t, struct octets_in *in, struct octets_out *out)
{
	uint32_t txid = octets_in_be32(in);
	unsigned n = octets_in_be16(in);
	struct result r = {.error = MO_NO_ERROR};
	struct provider_refusal why;
	struct dcb_config *config;

	if (!(t->rights & MO_MAY_SET)) {
		r.error = MO_NO_ACCESS;
		snprintf(r.text, sizeof(r.text),
			 "the view socket is for reading: objects are set over control.socket");
		return put_result(out, &r);
	}
	txn_end(t); /* a repeated TEST, or one without CLEANUP of the last transaction */
	if (in->overrun || !get_varbinds(t, n, in)) {
		txn_end(t);
		return false;
	}
	config = edit(t, &r);
	if (config && !managed_try(t->service->m, config, &why))
		refused(t, &why, &r);
	if (r.error == MO_NO_ERROR) {
		t->txid = txid;
		t->state = TXN_TESTED;
	} else {
		txn_end(t);
	}
	return put_result(out, &r);
}

static enum mo_error save(struct mo_service *s, const struct dcb_config *config)
{
	int error = s->state_file ? persist_save(s->m, config, s->state_file) : 0;

	if (error == 0) {
		s->m->state_saves++;
		if (s->m->state_status == STATE_WRITE_FAILING) {
			s->m->state_status = STATE_OK;
			log_info_limited("persist", "%s can be written again", s->state_file);
		}
		return MO_NO_ERROR;
	}
	log_error_limited("persist", "%s: %s: settings not saved", s->state_file, strerror(error));
	s->m->state_failures++;
	s->m->state_status = STATE_WRITE_FAILING;
	return error == ENOSPC || error == EDQUOT || error == ENOMEM ? MO_RESOURCE_UNAVAILABLE
								     : MO_COMMIT_FAILED;
}

/* Keeps the configuration that UNDO restores, and blocks COMMIT of other sessions. */
static void committed(struct mo_session *t, enum txn_state state, struct dcb_config *before)
{
	t->before = before;
	t->state = state;
	t->service->committed = t;
}

/* Saves and commits the prepared configuration. */
static void commit_prepared(struct mo_session *t, struct dcb_config *before, struct result *r)
{
	struct mo_service *s = t->service;
	struct provider_refusal why;

	r->error = save(s, s->m->next.config);
	if (r->error != MO_NO_ERROR) {
		managed_abort(s->m);
		dcb_config_free(before);
		return;
	}
	if (managed_commit(s->m, &why)) {
		committed(t, TXN_COMMITTED, before);
		return;
	}
	refused(t, &why, r);
	if (save(s, s->m->config) == MO_NO_ERROR && why.reason != PROVIDER_NOT_UNDONE)
		dcb_config_free(before);
	else
		committed(t, TXN_HALF_COMMITTED, before);
}

static enum mo_error undo(struct mo_session *t);

/* Ends the transaction of a session that is silent after COMMIT, as the session's end does. */
static void overtake(struct mo_session *silent)
{
	bool failed = silent->state == TXN_HALF_COMMITTED;

	silent->overtaken = failed ? MO_COMMIT_FAILED : MO_NO_ERROR;
	silent->undone = failed && undo(silent) == MO_NO_ERROR;
	txn_end(silent);
	silent->state = TXN_OVERTAKEN;
	log_warn_limited("ctl", "a client has not ended its SET: it can no longer be undone");
}

static void commit(struct mo_session *t, struct result *r)
{
	struct mo_service *s = t->service;
	struct dcb_config *config, *before;
	struct provider_refusal why;

	r->error = MO_GEN_ERR;
	if (s->committed && s->overdue)
		overtake(s->committed);
	if (s->committed) {
		snprintf(r->text, sizeof(r->text), "another SET has not ended");
		return;
	}
	config = edit(t, r);
	if (!config)
		return;
	before = dcb_config_copy(s->m->config);
	if (!before) {
		r->error = MO_RESOURCE_UNAVAILABLE;
		dcb_config_free(config);
	} else if (managed_prepare(s->m, config, &why)) {
		commit_prepared(t, before, r);
	} else {
		refused(t, &why, r);
		dcb_config_free(before);
	}
}

/* Saves and commits the prepared configuration. Does not keep the former one. */
static bool undo_prepared(struct mo_service *s, struct provider_refusal *why)
{
	if (save(s, s->m->next.config) != MO_NO_ERROR) {
		managed_abort(s->m);
		return provider_refuse(why, PROVIDER_FAILED, NULL, 0,
				       "the state file cannot be written");
	}
	if (managed_commit(s->m, why))
		return true;
	(void)save(s, s->m->config); /* logs a failure itself */
	return false;
}

static enum mo_error undo(struct mo_session *t)
{
	struct mo_service *s = t->service;
	struct dcb_config *config = dcb_config_restore(s->m->config, t->before);
	struct provider_refusal why;
	char text[MO_TEXT_MAX + 1];

	if (!config)
		return MO_UNDO_FAILED;
	if (managed_prepare(s->m, config, &why) && undo_prepared(s, &why))
		return MO_NO_ERROR;
	log_error_limited("provider", "UNDO of a SET failed: %s",
			  managed_refusal_text(&why, text, sizeof(text)));
	return MO_UNDO_FAILED;
}

static bool may_undo(const struct mo_session *t)
{
	return t->state == TXN_COMMITTED || t->state == TXN_HALF_COMMITTED;
}

void mo_session_reply_lost(struct mo_session *t)
{
	if (!may_undo(t))
		return;
	log_warn_limited("ctl", "reply to a client lost: undoing its committed SET");
	if (undo(t) != MO_NO_ERROR)
		log_error_limited("ctl",
				  "UNDO failed: the SET whose reply was lost stays in force");
}

static bool handle_commit(struct mo_session *t, struct octets_out *out)
{
	struct result r = {.error = MO_NO_ERROR};

	if (t->state == TXN_TESTED)
		commit(t, &r);
	else if (t->state == TXN_HALF_COMMITTED)
		r.error = MO_COMMIT_FAILED;
	else if (t->state == TXN_OVERTAKEN)
		r.error = t->overtaken;
	return put_result(out, &r);
}

/* Other SETs may have followed, and with the former configuration they would be lost. */
static bool undo_overtaken(struct mo_session *t, struct octets_out *out)
{
	struct result r = {.error = t->undone ? MO_NO_ERROR : MO_UNDO_FAILED};

	if (!t->undone)
		snprintf(r.text, sizeof(r.text), "too late: another SET has followed");
	txn_end(t);
	return put_result(out, &r);
}

/* Handles COMMIT, UNDO and CLEANUP. A master that lost a response can repeat each of them. */
static bool handle_phase(struct mo_session *t, enum mo_msg_op op, struct octets_in *in,
			 struct octets_out *out)
{
	uint32_t txid = octets_in_be32(in);
	enum mo_error error = MO_NO_ERROR;

	if (in->overrun)
		return false;
	if (t->state == TXN_NONE || t->txid != txid)
		return put_error(out, op == MO_OP_COMMIT ? MO_COMMIT_FAILED : MO_NO_ERROR);
	if (op == MO_OP_COMMIT)
		return handle_commit(t, out);
	if (op == MO_OP_UNDO && t->state == TXN_OVERTAKEN)
		return undo_overtaken(t, out);
	if (op == MO_OP_UNDO && may_undo(t))
		error = undo(t);
	txn_end(t);
	return put_error(out, error);
}

bool mo_session_is_committed(const struct mo_session *session)
{
	return session->service->committed == session;
}

void mo_service_overdue(struct mo_service *s)
{
	s->overdue = s->committed != NULL;
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

const uint8_t *mo_session_event(struct mo_session *t, size_t *len)
{
	return t->subscribed ? events_at(t->service->m->events, &t->next_event, len) : NULL;
}

void mo_session_event_sent(struct mo_session *t)
{
	t->next_event++;
}

struct events *mo_service_events(struct mo_service *s)
{
	return s->m->events;
}

/* After a failed COMMIT, dcb-agentx and dcbctl may send no UNDO: the session's end is one. */
void mo_session_free(struct mo_session *session)
{
	if (!session)
		return;
	if (session->state == TXN_HALF_COMMITTED)
		(void)undo(session);
	txn_end(session);
	free(session);
}

bool mo_service_save(struct mo_service *s)
{
	return save(s, s->m->config) == MO_NO_ERROR;
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
		return handle_test(t, in, reply);
	case MO_OP_COMMIT:
	case MO_OP_UNDO:
	case MO_OP_CLEANUP:
		return handle_phase(t, (enum mo_msg_op)h->op, in, reply);
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

bool mo_service_handle(struct mo_session *session, const uint8_t *request, size_t len,
		       struct octets_out *reply)
{
	struct octets_in in = octets_in(request, len);
	struct mo_msg_header h;

	session->why = "malformed or unknown request";
	if (mo_msg_get_header(&in, &h)) {
		mo_msg_put_header(reply, &(struct mo_msg_header){.op = h.op | MO_MSG_REPLY,
								 .table = h.table,
								 .seq = h.seq});
		/* A reply, which no client sends, has an operation of its own: it is unknown. */
		if (handle(session, &h, &in, reply) && !reply->overrun)
			return true;
	}
	*reply = octets_out(reply->start, reply->size);
	mo_msg_put_close(reply, session->why);
	return false;
}

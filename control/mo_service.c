/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transactions, and what else writes the state file, as jobs:
 *
 *   TEST     edit, prepare, abort
 *   COMMIT   write -> prepare, commit -> confirmed by the providers
 *                     if that fails -> write the former settings
 *   UNDO     the same with the configuration that COMMIT replaced
 *   save     write
 *
 * At each arrow the event loop goes on: clients read the configuration in force, ports come
 * and go, and configurations are published. Therefore nothing stays prepared while the disk
 * writes. If another configuration was published since TEST or since the write, COMMIT edits
 * that one, and asks the providers before it writes: the SET applies to the configuration of
 * that time.
 *
 * An UNDO goes before the COMMITs that wait. Meanwhile snmpd processes one SET and nothing else
 * (netsnmp_processing_set), so only a SET of another client leaves its managers their reads.
 *
 * The reply has the provider's reason, for dcbctl and the logs; SNMP has the error and the index
 * of the variable binding that needs the port and the capability refused. COMMIT answers undoFailed
 * if the former state could not be restored. CommitSet of AgentX has commitFailed for both
 * (RFC 2741, 7.2.4.2); the manager gets undoFailed if UNDO, which tries again, fails too.
 */
#include "control/mo_service.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include <event2/event.h>

#include "control/managed/addresses.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_edit.h"
#include "control/objects/mo_origin.h"
#include "control/objects/mo_trill.h"
#include "control/persist.h"
#include "control/saver.h"
#include "lib/clock.h"
#include "lib/log.h"

#define VARBIND_OCTETS_MIN 9 /* of a varbind in a message: no index, no octets */
#define REPLY_OCTETS       (MO_MSG_HEADER + 4 + MO_TEXT_MAX)

/* What writes the state file. The jobs are done one after the other. */
enum mo_job_kind {
	JOB_COMMIT,
	JOB_UNDO,     /* the client asks for it; the others are the service's own: */
	JOB_LOST,     /* the reply to COMMIT was lost */
	JOB_END,      /* the session ends after a COMMIT that failed */
	JOB_OVERTAKE, /* another session commits after a COMMIT that failed */
	JOB_SAVE,     /* mo_service_save() */
};

struct mo_job {
	TAILQ_ENTRY(mo_job) link;
	enum mo_job_kind kind;
	struct mo_session *session; /* NULL: JOB_SAVE */
};

/* Continues the running job when the state file is written, or has its former content. */
typedef void (*mo_written_fn)(struct mo_service *s, enum mo_error error);

/*
 * Continues the running job when the providers have put the configuration published in force, or
 * not, or have not said so in time: PROVIDER_PENDING. why: the reason, if it is not
 * PROVIDER_IN_FORCE.
 */
typedef void (*mo_outcome_fn)(struct mo_service *s, enum provider_outcome outcome,
			      const struct provider_refusal *why);

/* Identifies a file and its content. inode 0: there is no file. */
struct mo_file {
	dev_t device;
	ino_t inode;
	struct timespec modified;
};

struct mo_service {
	struct managed *m;
	const char *state_file;
	uint32_t boot_id;
	struct mo_origins *origins; /* NULL: none */
	struct persist_cache *texts;
	/* Has a transaction that is committed and not cleaned up: others cannot commit. */
	struct mo_session *committed;
	bool overdue;        /* the next COMMIT of another session ends that transaction */
	struct saver *saver; /* NULL: the control thread waits for the disk */
	TAILQ_HEAD(mo_jobs, mo_job) jobs;
	struct mo_job *running; /* waits for the disk; is in jobs */
	mo_written_fn written;
	mo_outcome_fn confirmed;     /* NULL: the running job does not wait for providers */
	struct event *confirm_timer; /* NULL: without an event loop */
	int write_error;             /* errno of the last write; 0: none */
	bool finishing;              /* no COMMIT begins any more */
	struct mo_file file;         /* at state_file when it was read or written last */
	struct mo_job save;
	bool save_is_listed; /* in jobs */
	bool save_again;     /* when it is done */
	mo_saved_fn saved;
	void *saved_ctx;
};

enum mo_txn_state {
	TXN_NONE,
	TXN_TESTED,
	TXN_COMMITTED,
	/* COMMIT failed, restoring the former state also: undoFailed. UNDO tries again. */
	TXN_HALF_COMMITTED,
	TXN_OVERTAKEN, /* was one of the latter two when another session's COMMIT ended it */
};

struct mo_session {
	struct mo_service *service;
	unsigned rights;
	enum mo_txn_state state;
	enum mo_error overtaken; /* in this state: the result of COMMIT, */
	bool undone;             /* and whether it was undone */
	uint32_t txid;
	struct mo_varbind *vbs;
	unsigned n;
	struct dcb_config *edited; /* with the SET applied to that of generation edited_of */
	uint64_t edited_of;
	struct dcb_config *before; /* UNDO restores it; NULL unless (half) committed */
	struct mo_job job;
	bool has_job;            /* job is in the service's list */
	bool is_closed;          /* mo_session_free() was called: the session ends with its job */
	struct mo_result result; /* of the job */
	bool not_undone;         /* a provider could not return to its former configuration */
	struct mo_msg_header asked; /* the request that the job answers */
	struct octets_out *reply;   /* while the request is handled, else NULL */
	mo_answer_fn answer;
	void *answer_ctx;
	bool subscribed, notifier;
	const char *why; /* the reason for refusing a request that is not malformed */
	uint64_t next_event;
	uint8_t event[EVENT_OCTETS]; /* a copy: another thread may raise the next one */
};

static void run_jobs(struct mo_service *s);

/* May the session run in another thread? Then it leaves the service's transactions alone. */
static bool mo_session_only_reads(const struct mo_session *t)
{
	return !(t->rights & MO_MAY_SET);
}

/* Returns the file that is at state_file now. */
static struct mo_file state_file_of(const struct mo_service *s)
{
	struct stat st;

	if (!s->state_file || stat(s->state_file, &st) < 0)
		return (struct mo_file){0};
	return (struct mo_file){st.st_dev, st.st_ino, st.st_mtim};
}

static void txn_end(struct mo_session *t)
{
	if (t->service->committed == t) {
		t->service->committed = NULL;
		t->service->overdue = false;
	}
	dcb_config_free(t->edited);
	t->edited = NULL;
	dcb_config_free(t->before);
	t->before = NULL;
	free(t->vbs);
	t->vbs = NULL;
	t->n = 0;
	t->state = TXN_NONE;
}

/* --- results ---------------------------------------------------------------------------- */

static bool put_result(struct octets_out *out, const struct mo_result *r)
{
	octets_out_u8(out, (uint8_t)r->error);
	octets_out_be16(out, (uint16_t)r->varbind);
	mo_msg_put_text(out, r->text);
	return true;
}

static bool put_error(struct octets_out *out, enum mo_error error)
{
	return put_result(out, &(struct mo_result){.error = error});
}

static enum mo_error error_of(enum provider_reason reason)
{
	switch (reason) {
	case PROVIDER_NO_RESOURCE:
		return MO_RESOURCE_UNAVAILABLE;
	case PROVIDER_CANNOT:
		return MO_INCONSISTENT_VALUE;
	case PROVIDER_FAILED:
		return MO_COMMIT_FAILED;
	case PROVIDER_NOT_UNDONE:
		return MO_UNDO_FAILED;
	}
	return MO_GEN_ERR;
}

/* Sets the result for a provider's refusal, and logs it. */
static void refused(const struct mo_session *t, const struct provider_refusal *why,
		    struct mo_result *r)
{
	r->error = error_of(why->reason);
	r->varbind = mo_caps_refused_varbind(t->vbs, t->n, why);
	managed_refusal_text(why, r->text, sizeof(r->text));
	/*
	 * Message: The values of a SET contradict other objects, or the provider of a port refused
	 * them. The message has the error and the reason, with the expected and the found value;
	 * see dcb(7). Correct the values. With `provider "observe" cannot apply the neighbor's PFC
	 * configuration: expected not willing`, do not set lldpXdot1dcbxAdminPFCWilling of the port
	 * to true.
	 */
	log_warn_limited("provider", "SET refused: %s: %s", mo_strerror(r->error), r->text);
}

/* --- TEST --------------------------------------------------------------------------------- */

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

/* Returns the edited configuration, or NULL and *r: mo_edit() and the checks of a SET. */
static struct dcb_config *edit(const struct mo_session *t, struct mo_result *r)
{
	const struct managed *m = t->service->m;
	struct dcb_config *config = mo_edit(m, t->vbs, t->n, r);

	if (config && mo_edit_check_instances(m, config, t->vbs, t->n, r) == MO_NO_ERROR &&
	    mo_trill_check(m, config, t->vbs, t->n, r) == MO_NO_ERROR &&
	    mo_trill_check_root(m, config, t->vbs, t->n, r) == MO_NO_ERROR) {
		r->varbind = 0;
		return config;
	}
	if (r->text[0]) /* SNMP has only the error */
		/* Message: as "SET refused: %s: %s" */
		log_info_limited("ctl", "SET refused: %s: %s", mo_strerror(r->error), r->text);
	dcb_config_free(config);
	return NULL;
}

static bool is_edited(const struct mo_session *t)
{
	return t->edited && t->edited_of == t->service->m->generation;
}

/* Makes t->edited, unless it is of the configuration in force. false: *r. */
static bool edit_current(struct mo_session *t, struct mo_result *r)
{
	r->error = MO_NO_ERROR;
	if (is_edited(t))
		return true;
	dcb_config_free(t->edited);
	t->edited = edit(t, r);
	t->edited_of = t->service->m->generation;
	return t->edited;
}

/* Handle a request, as mo_service_handle(). false: it is malformed. */
static bool transaction_test(struct mo_session *t, struct octets_in *in, struct octets_out *out)
{
	uint32_t txid = octets_in_be32(in);
	unsigned n = octets_in_be16(in);
	struct mo_result r = {.error = MO_NO_ERROR};
	struct provider_refusal why;

	if (!(t->rights & MO_MAY_SET)) {
		r.error = MO_NO_ACCESS;
		/*
		 * Message: The path of `-s` is that of the view socket. Leave it out, or pass the
		 * path of the control socket.
		 */
		snprintf(r.text, sizeof(r.text),
			 "the view socket is for reading: objects are set over control.socket");
		return put_result(out, &r);
	}
	txn_end(t); /* a repeated TEST, or one without CLEANUP of the last transaction */
	if (in->overrun || !get_varbinds(t, n, in)) {
		txn_end(t);
		return false;
	}
	if (edit_current(t, &r) && !managed_try(t->service->m, t->edited, &why))
		refused(t, &why, &r);
	if (r.error == MO_NO_ERROR) {
		t->txid = txid;
		t->state = TXN_TESTED;
	} else {
		txn_end(t);
	}
	return put_result(out, &r);
}

/* --- the list of jobs --------------------------------------------------------------------- */

static void add_job(struct mo_session *t, enum mo_job_kind kind)
{
	t->job.kind = kind;
	t->has_job = true;
	t->result = (struct mo_result){.error = MO_GEN_ERR};
	t->not_undone = false;
	TAILQ_INSERT_TAIL(&t->service->jobs, &t->job, link);
}

/* Adds a job for which those that wait, wait: they cannot commit before it. */
static void add_job_first(struct mo_session *t, enum mo_job_kind kind)
{
	struct mo_service *s = t->service;

	add_job(t, kind);
	TAILQ_REMOVE(&s->jobs, &t->job, link);
	if (s->running)
		TAILQ_INSERT_AFTER(&s->jobs, s->running, &t->job, link);
	else
		TAILQ_INSERT_HEAD(&s->jobs, &t->job, link);
}

static void session_end(struct mo_session *t)
{
	txn_end(t);
	free(t);
}

/*
 * Gives the result to the client: as the reply to the request that is being handled, or
 * later. After a job that the client has not asked for there is none.
 */
static void give_answer(struct mo_session *t, bool has_asked)
{
	uint8_t buf[REPLY_OCTETS];
	struct octets_out out = octets_out(buf, sizeof(buf));

	if (t->reply) {
		if (has_asked)
			put_result(t->reply, &t->result);
		return;
	}
	if (has_asked) {
		mo_msg_put_header(&out, &(struct mo_msg_header){.op = t->asked.op | MO_MSG_REPLY,
								.table = t->asked.table,
								.seq = t->asked.seq});
		put_result(&out, &t->result);
	}
	if (t->answer)
		t->answer(t->answer_ctx, buf, out.len);
}

/* Ends the session's job. The session may be gone afterwards. */
static void job_done(struct mo_session *t)
{
	struct mo_service *s = t->service;
	enum mo_job_kind kind = t->job.kind;

	TAILQ_REMOVE(&s->jobs, &t->job, link);
	t->has_job = false;
	s->running = NULL;
	if (!t->is_closed)
		give_answer(t, kind == JOB_COMMIT || kind == JOB_UNDO);
	else if (t->state == TXN_HALF_COMMITTED && kind == JOB_COMMIT)
		add_job_first(t, JOB_END);
	else
		session_end(t);
}

/* --- writing the state file ------------------------------------------------------------- */

/* Counts a save, and returns whether the one before it had another result. */
static bool count_save(struct managed *m, bool ok)
{
	bool was_failing = m->state_status == STATE_WRITE_FAILING;

	state_change_begin(m->lock);
	m->state_saves += ok;
	m->state_failures += !ok;
	if (!ok)
		m->state_status = STATE_WRITE_FAILING;
	else if (was_failing)
		m->state_status = STATE_OK;
	state_change_end(m->lock);
	return was_failing == ok;
}

static enum mo_error note_written(struct mo_service *s, int error)
{
	bool changes = count_save(s->m, error == 0);

	s->write_error = error;
	if (error == 0) {
		s->file = state_file_of(s);
		if (changes)
			log_info_limited("persist", "%s can be written again", s->state_file);
		return MO_NO_ERROR;
	}
	/*
	 * Message: The state file cannot be written. SETs fail until it can be written, and
	 * dcbAgentStateStatus is writeFailing. Correct the cause: free space on the disk, or make
	 * the directory of the file writable for `user`.
	 */
	log_error_limited("persist", "%s: %s: settings not saved", s->state_file, strerror(error));
	return error == ENOSPC || error == EDQUOT || error == ENOMEM ? MO_RESOURCE_UNAVAILABLE
								     : MO_COMMIT_FAILED;
}

static void on_written(void *ctx, const struct file_written *w)
{
	struct mo_service *s = ctx;

	s->written(s, note_written(s, persist_outcome(s->state_file, w)));
	run_jobs(s);
}

/* Writes the settings of config for the running job, which continues with the next function. */
static void write_state(struct mo_service *s, const struct dcb_config *config, mo_written_fn next)
{
	struct file_written w = {.error = 0};
	size_t len;
	char *text;

	if (!s->state_file) {
		next(s, note_written(s, 0));
		return;
	}
	text = persist_text(s->m, config, s->texts, &len);
	s->written = next;
	if (!text) {
		next(s, note_written(s, ENOMEM));
	} else if (s->saver) {
		saver_start(s->saver, s->state_file, text, len, on_written, s);
	} else {
		w = replace_file(s->state_file, text, len);
		free(text);
		next(s, note_written(s, persist_outcome(s->state_file, &w)));
	}
}

/* --- confirmation by the providers ------------------------------------------------------ */

static void go_on(struct mo_service *s, enum provider_outcome outcome, struct provider_refusal *why)
{
	mo_outcome_fn next = s->confirmed;

	s->confirmed = NULL;
	if (s->confirm_timer)
		evtimer_del(s->confirm_timer);
	if (outcome == PROVIDER_PENDING && s->finishing)
		/* Message: as "not confirmed within %d ms: the values are taken back" */
		provider_refuse(why, PROVIDER_NOT_UNDONE, NULL, 0,
				"dcbd ends before the values are confirmed: they are taken back");
	else if (outcome == PROVIDER_PENDING)
		/*
		 * Message: A device has not confirmed the values in time, and they are taken back.
		 * Compare the objects of the SET with the device.
		 */
		provider_refuse(why, PROVIDER_NOT_UNDONE, NULL, 0,
				"not confirmed within %d ms: the values are taken back",
				MANAGED_CONFIRM_MS);
	next(s, outcome, why);
}

/* Has the running job continue when the outcome of the last publication is known. */
static void await(struct mo_service *s, mo_outcome_fn next)
{
	const struct timeval limit = {MANAGED_CONFIRM_MS / 1000, MANAGED_CONFIRM_MS % 1000 * 1000};
	struct provider_refusal why;
	enum provider_outcome outcome = managed_outcome(s->m, &why);

	s->confirmed = next;
	if (outcome != PROVIDER_PENDING)
		go_on(s, outcome, &why);
	else if (s->confirm_timer)
		evtimer_add(s->confirm_timer, &limit);
}

static void on_confirm_timer(evutil_socket_t fd, short what, void *arg)
{
	struct mo_service *s = arg;
	struct provider_refusal why;

	(void)fd;
	(void)what;
	go_on(s, PROVIDER_PENDING, &why);
	run_jobs(s);
}

void mo_service_outcome(struct mo_service *s)
{
	struct provider_refusal why;
	enum provider_outcome outcome = managed_outcome(s->m, &why);
	char text[MO_TEXT_MAX + 1];

	if (outcome == PROVIDER_PENDING)
		return;
	if (s->confirmed) {
		go_on(s, outcome, &why);
		run_jobs(s);
	} else if (outcome == PROVIDER_REFUSED) {
		/*
		 * Message: The device of a port did not take settings that follow from a neighbor,
		 * from a new port, or from a SET that was answered before. They are written again
		 * with the next change.
		 */
		log_warn_limited("provider", "not in force: %s",
				 managed_refusal_text(&why, text, sizeof(text)));
	}
}

/* --- COMMIT ----------------------------------------------------------------------------- */

/* Keeps the configuration that UNDO restores, and blocks COMMIT of other sessions. */
static void committed(struct mo_session *t, enum mo_txn_state state, struct dcb_config *before)
{
	t->before = before;
	t->state = state;
	t->service->committed = t;
}

/* The former settings are on disk again, or could not be written. */
static void commit_restored(struct mo_service *s, enum mo_error error)
{
	struct mo_session *t = s->running->session;

	if (t->before && (error != MO_NO_ERROR || t->not_undone)) {
		t->result.error = MO_UNDO_FAILED;
		committed(t, TXN_HALF_COMMITTED, t->before);
	} else {
		if (error != MO_NO_ERROR)
			persist_outcome(s->state_file, &(struct file_written){.is_left = true});
		dcb_config_free(t->before);
		t->before = NULL;
	}
	job_done(t);
}

/* Puts the SET in force, whose result is on disk. false: t->result says why. */
static bool put_in_force(struct mo_session *t)
{
	struct mo_service *s = t->service;
	struct provider_refusal why;
	struct dcb_config *config;

	t->before = dcb_config_ref(s->m->config);
	if (!edit_current(t, &t->result))
		return false;
	config = t->edited;
	t->edited = NULL;
	if (managed_publish(s->m, config, &why))
		return true;
	refused(t, &why, &t->result);
	t->not_undone = why.reason == PROVIDER_NOT_UNDONE;
	return false;
}

static void taken_back(struct mo_service *s, enum provider_outcome outcome,
		       const struct provider_refusal *why)
{
	(void)why;
	s->running->session->not_undone = outcome != PROVIDER_IN_FORCE;
	write_state(s, s->m->config, commit_restored);
}

/* Publishes the settings of before the SET. in_time: and waits until it is confirmed. */
static void take_back(struct mo_session *t, bool in_time)
{
	struct mo_service *s = t->service;
	struct dcb_config *config = dcb_config_restore(s->m->config, t->before);
	struct provider_refusal why;

	t->not_undone = true;
	if (config && managed_publish(s->m, config, &why) && in_time)
		await(s, taken_back);
	else
		write_state(s, s->m->config, commit_restored);
}

static void commit_confirmed(struct mo_service *s, enum provider_outcome outcome,
			     const struct provider_refusal *why)
{
	struct mo_session *t = s->running->session;

	if (outcome != PROVIDER_IN_FORCE)
		refused(t, why, &t->result);
	if (outcome != PROVIDER_IN_FORCE || t->is_closed) {
		take_back(t, outcome != PROVIDER_PENDING);
		return;
	}
	committed(t, TXN_COMMITTED, t->before);
	job_done(t);
}

static void commit_written(struct mo_service *s, enum mo_error error)
{
	struct mo_session *t = s->running->session;

	if (error != MO_NO_ERROR) {
		mo_refuse(&t->result, error, "the state file cannot be written: %s",
			  strerror(s->write_error));
		job_done(t);
	} else if (t->is_closed) {
		/*
		 * Message: The client closed its connection, or was killed, before the disk had
		 * confirmed the new state file. The former values stay in force, and the state file
		 * has them again. If the client is dcb-agentx(8), the disk took longer than it
		 * waits (5 seconds): check the disk.
		 */
		log_warn_limited("ctl", "a client has left during its SET: the SET is undone");
		write_state(s, s->m->config, commit_restored);
	} else if (put_in_force(t)) {
		await(s, commit_confirmed);
	} else {
		write_state(s, s->m->config, commit_restored);
	}
}

static void commit(struct mo_session *t)
{
	bool was_tested = is_edited(t);
	struct provider_refusal why;

	if (edit_current(t, &t->result)) {
		if (was_tested || managed_try(t->service->m, t->edited, &why)) {
			write_state(t->service, t->edited, commit_written);
			return;
		}
		refused(t, &why, &t->result);
		dcb_config_free(t->edited);
		t->edited = NULL;
	}
	job_done(t);
}

/* --- UNDO ------------------------------------------------------------------------------- */

static void undo_done(struct mo_session *t, enum mo_error error)
{
	t->result.error = error;
	switch (t->job.kind) {
	case JOB_LOST:
		if (error == MO_NO_ERROR)
			txn_end(t);
		else
			/*
			 * Message: The SET of the preceding message could not be undone. Check the
			 * objects of the SET.
			 */
			log_error_limited(
			    "ctl", "UNDO failed: the SET whose reply was lost stays in force");
		break;
	case JOB_OVERTAKE:
		txn_end(t);
		t->undone = error == MO_NO_ERROR;
		t->state = TXN_OVERTAKEN;
		break;
	case JOB_UNDO:
	case JOB_END:
		txn_end(t);
		break;
	case JOB_COMMIT:
	case JOB_SAVE:
		break;
	}
	job_done(t);
}

static void undo_failed(struct mo_session *t, const struct provider_refusal *why)
{
	char text[MO_TEXT_MAX + 1];

	/*
	 * Message: A SET failed in part, and the former settings could not be restored. Compare the
	 * objects of the SET with the intended values and set them again.
	 */
	log_error_limited("provider", "UNDO of a SET failed: %s",
			  managed_refusal_text(why, text, sizeof(text)));
	undo_done(t, MO_UNDO_FAILED);
}

/* The settings in force are on disk again, or note_written() has logged why not. */
static void undo_restored(struct mo_service *s, enum mo_error error)
{
	(void)error;
	undo_done(s->running->session, MO_UNDO_FAILED);
}

static void undo_confirmed(struct mo_service *s, enum provider_outcome outcome,
			   const struct provider_refusal *why)
{
	if (outcome == PROVIDER_IN_FORCE)
		undo_done(s->running->session, MO_NO_ERROR);
	else
		undo_failed(s->running->session, why);
}

static void undo_written(struct mo_service *s, enum mo_error error)
{
	struct mo_session *t = s->running->session;
	struct provider_refusal why;
	struct dcb_config *config;
	char text[MO_TEXT_MAX + 1];

	if (error != MO_NO_ERROR) {
		provider_refuse(&why, PROVIDER_FAILED, NULL, 0, "the state file cannot be written");
		undo_failed(t, &why);
		return;
	}
	config = dcb_config_restore(s->m->config, t->before);
	if (config && managed_publish(s->m, config, &why)) {
		await(s, undo_confirmed);
		return;
	}
	if (!config)
		provider_refuse(&why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	/* Message: as "UNDO of a SET failed: %s" */
	log_error_limited("provider", "UNDO of a SET failed: %s",
			  managed_refusal_text(&why, text, sizeof(text)));
	write_state(s, s->m->config, undo_restored);
}

static void undo(struct mo_session *t)
{
	struct mo_service *s = t->service;
	struct dcb_config *config = dcb_config_restore(s->m->config, t->before);
	struct provider_refusal why;

	if (config && managed_try(s->m, config, &why)) {
		write_state(s, config, undo_written);
	} else {
		if (!config)
			provider_refuse(&why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
		undo_failed(t, &why);
	}
	dcb_config_free(config);
}

static bool may_undo(const struct mo_session *t)
{
	return t->state == TXN_COMMITTED || t->state == TXN_HALF_COMMITTED;
}

/* --- running the jobs --------------------------------------------------------------------- */

static void add_save(struct mo_service *s)
{
	s->save.kind = JOB_SAVE;
	s->save_is_listed = true;
	s->save_again = false;
	TAILQ_INSERT_TAIL(&s->jobs, &s->save, link);
}

static void save_written(struct mo_service *s, enum mo_error error)
{
	TAILQ_REMOVE(&s->jobs, &s->save, link);
	s->save_is_listed = false;
	s->running = NULL;
	if (s->save_again)
		add_save(s); /* the settings have changed meanwhile */
	else
		s->saved(s->saved_ctx, error == MO_NO_ERROR);
}

/* Ends the transaction of a session that is silent after COMMIT, as the session's end does. */
static void overtake(struct mo_session *silent)
{
	/*
	 * Message: The client was stopped or hangs after its SET, and another SET followed. The
	 * values of both SETs are in force. If the client is dcb-agentx(8), check the load of the
	 * host and of the master.
	 */
	log_warn_limited("ctl", "a client has not ended its SET: it can no longer be undone");
	if (silent->state == TXN_HALF_COMMITTED) {
		silent->overtaken = MO_COMMIT_FAILED;
		add_job_first(silent, JOB_OVERTAKE);
		return;
	}
	silent->overtaken = MO_NO_ERROR;
	silent->undone = false;
	txn_end(silent);
	silent->state = TXN_OVERTAKEN;
}

/* A COMMIT waits until the transaction before it has ended or is overdue. */
static struct mo_job *next_job(const struct mo_service *s)
{
	bool may_commit = !s->finishing && (!s->committed || s->overdue);
	struct mo_job *job;

	TAILQ_FOREACH(job, &s->jobs, link)
	if (job->kind != JOB_COMMIT || may_commit)
		return job;
	return NULL;
}

static void begin(struct mo_service *s, struct mo_job *job)
{
	s->running = job;
	switch (job->kind) {
	case JOB_COMMIT:
		commit(job->session);
		break;
	case JOB_UNDO:
	case JOB_LOST:
	case JOB_END:
	case JOB_OVERTAKE:
		undo(job->session);
		break;
	case JOB_SAVE:
		write_state(s, s->m->config, save_written);
		break;
	}
}

/* Begins the jobs whose turn it is. */
static void run_jobs(struct mo_service *s)
{
	struct mo_job *job;

	while (!s->running && (job = next_job(s))) {
		if (job->kind == JOB_COMMIT && s->committed)
			overtake(s->committed);
		else
			begin(s, job);
	}
}

/* --- COMMIT, UNDO and CLEANUP ------------------------------------------------------------ */

/* While the list is empty, a client tries again; otherwise its turn comes. */
static bool add_commit(struct mo_session *t, struct octets_out *out)
{
	const struct mo_service *s = t->service;
	struct mo_result r = {.error = MO_GEN_ERR};

	if (s->committed && !s->overdue && TAILQ_EMPTY(&s->jobs)) {
		snprintf(r.text, sizeof(r.text), "another SET has not ended");
		return put_result(out, &r);
	}
	add_job(t, JOB_COMMIT);
	return true;
}

static bool handle_commit(struct mo_session *t, struct octets_out *out)
{
	switch (t->state) {
	case TXN_TESTED:
		return add_commit(t, out);
	case TXN_HALF_COMMITTED:
		return put_error(out, MO_UNDO_FAILED);
	case TXN_OVERTAKEN:
		return put_error(out, t->overtaken);
	case TXN_NONE:
	case TXN_COMMITTED:
		break;
	}
	return put_error(out, MO_NO_ERROR);
}

/* Other SETs may have followed, and with the former configuration they would be lost. */
static bool undo_overtaken(struct mo_session *t, struct octets_out *out)
{
	struct mo_result r = {.error = t->undone ? MO_NO_ERROR : MO_UNDO_FAILED};

	if (!t->undone)
		snprintf(r.text, sizeof(r.text), "too late: another SET has followed");
	txn_end(t);
	return put_result(out, &r);
}

/* A master that lost a response can repeat each of them. */
static bool transaction_phase(struct mo_session *t, const struct mo_msg_header *h,
			      struct octets_in *in, struct octets_out *out)
{
	uint32_t txid = octets_in_be32(in);

	if (in->overrun)
		return false;
	t->asked = *h;
	if (t->state == TXN_NONE || t->txid != txid)
		return put_error(out, h->op == MO_OP_COMMIT ? MO_COMMIT_FAILED : MO_NO_ERROR);
	if (h->op == MO_OP_COMMIT)
		return handle_commit(t, out);
	if (h->op == MO_OP_UNDO && t->state == TXN_OVERTAKEN)
		return undo_overtaken(t, out);
	if (h->op == MO_OP_UNDO && may_undo(t)) {
		add_job_first(t, JOB_UNDO);
		return true;
	}
	txn_end(t);
	return put_error(out, MO_NO_ERROR);
}

bool mo_session_is_committed(const struct mo_session *session)
{
	return !mo_session_only_reads(session) && session->service->committed == session;
}

void mo_service_overdue(struct mo_service *s)
{
	s->overdue = s->committed != NULL;
	run_jobs(s);
}

void mo_session_reply_lost(struct mo_session *t)
{
	if (!may_undo(t))
		return;
	/*
	 * Message: A client ended its connection during a SET, and the SET is undone. Repeat the
	 * SET.
	 */
	log_warn_limited("ctl", "reply to a client lost: undoing its committed SET");
	add_job_first(t, JOB_LOST);
	run_jobs(t->service);
}

/* After a failed COMMIT, dcb-agentx and dcbctl may send no UNDO: the session's end is one. */
void mo_session_free(struct mo_session *t)
{
	struct mo_service *s;

	if (!t)
		return;
	if (mo_session_only_reads(t)) {
		free(t);
		return;
	}
	s = t->service;
	t->answer = NULL;
	if (t->has_job && t->job.kind == JOB_COMMIT && s->running != &t->job) {
		TAILQ_REMOVE(&s->jobs, &t->job, link);
		t->has_job = false;
	}
	t->is_closed = true;
	if (!t->has_job && t->state == TXN_HALF_COMMITTED)
		add_job_first(t, JOB_END);
	else if (!t->has_job)
		session_end(t);
	run_jobs(s);
}

/* --- saves that are no SET ------------------------------------------------------------------ */

void mo_service_save(struct mo_service *s, mo_saved_fn saved, void *ctx)
{
	s->saved = saved;
	s->saved_ctx = ctx;
	if (s->save_is_listed)
		s->save_again = s->running == &s->save;
	else
		add_save(s);
	run_jobs(s);
}

/* --- the service ---------------------------------------------------------------------------- */

struct mo_service *mo_service_new(struct managed *m, const char *state_file, uint32_t boot_id)
{
	struct mo_service *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->m = m;
	s->state_file = state_file;
	s->boot_id = boot_id;
	s->file = state_file_of(s);
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
	s->confirm_timer = evtimer_new(base, on_confirm_timer, s);
	return s->saver && s->confirm_timer;
}

void mo_service_finish(struct mo_service *s)
{
	if (!s)
		return;
	s->finishing = true;
	run_jobs(s);
	while (s->running) {
		struct provider_refusal why;

		if (s->confirmed) {
			go_on(s, PROVIDER_PENDING, &why);
			run_jobs(s);
		} else {
			saver_wait(s->saver);
		}
	}
}

/* Returns whether the file is the one that was read or written last. */
static bool has_own_file(const struct mo_service *s)
{
	const struct mo_file now = state_file_of(s), *own = &s->file;

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
	for (const struct managed_absent *k = m->absent; k; k = k->hh.next)
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
		/*
		 * Message: At the end of dcbd, the state file could not be written. It has the
		 * settings, and the delays of the last SET. Correct the cause as for `%s: %s:
		 * settings not saved`.
		 */
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
	if (s->confirm_timer)
		event_free(s->confirm_timer);
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
		    const struct mo_index *index, const struct mo_row_at *place,
		    struct mo_origin_reader *origins, struct octets_out *out)
{
	struct mo_origin of[ROW_COLUMNS_MAX];
	bool of_port = mo_index_part(table, MO_PART_PORT) >= 0;
	const struct port *port = of_port ? m->config->ports[place->pos].port : NULL;
	bool complete =
	    !port || (mo_caps_has_columns(port, table) && !port->provider->ops->unknown);
	_Alignas(8) uint8_t row[MO_ROW_OCTETS];
	struct mo_value value;

	mo_read_load(m, m->config, table->id, place, row);
	mo_msg_put_index(out, index);
	assert(table->n_columns <= ROW_COLUMNS_MAX);
	if (origins)
		mo_origin_row(origins, table, index, place, of);
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];

		if (!complete && (!mo_caps_has(port, table, col) ||
				  !mo_caps_knows(port, table, col, place->priority))) {
			octets_out_u8(out, MO_MSG_NO_VALUE);
			continue;
		}
		mo_field_get(table, col, row, &value);
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
	struct mo_row_at place = {0};
	uint16_t n = 0;

	*more = false;
	if (flags & MO_READ_ORIGIN) {
		mo_origin_begin(&reader, m, s->origins);
		origins = &reader;
	}
	if (flags & MO_READ_EXACT) {
		if (!mo_read_find(m, m->config, table->id, index, &place))
			return 0;
		put_row(m, table, index, &place, origins, out);
		return 1;
	}
	while (mo_read_next(m, m->config, table->id, index, after, &place)) {
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
		/*
		 * Message: dcb-agentx(8) runs as another user, and notifications are not sent. Set
		 * `control.agent_user` in dcbd.conf(5) to this user.
		 */
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
		return transaction_test(t, in, reply);
	case MO_OP_COMMIT:
	case MO_OP_UNDO:
	case MO_OP_CLEANUP:
		return transaction_phase(t, h, in, reply);
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

	/*
	 * Message: The process sent a message that is no request. If it is dcb-agentx(8) or
	 * dcbctl(8), install the same version of it as of dcbd.
	 */
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
		run_jobs(t->service);
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

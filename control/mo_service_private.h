/* SPDX-License-Identifier: BSD-3-Clause */
/* The structs of the managed-object service, for mo_service.c and mo_transaction.c. */
#ifndef DCB_CONTROL_MO_SERVICE_PRIVATE_H
#define DCB_CONTROL_MO_SERVICE_PRIVATE_H

#include <sys/queue.h>
#include <sys/types.h>
#include <time.h>

#include "control/mo_service.h"
#include "control/saver.h"

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
	int write_error;     /* errno of the last write; 0: none */
	bool finishing;      /* no COMMIT begins any more */
	struct mo_file file; /* at state_file when it was read or written last */
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
	TXN_HALF_COMMITTED, /* COMMIT failed, restoring the former state also: UNDO tries again */
	TXN_OVERTAKEN,      /* was one of the latter two when another session's COMMIT ended it */
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

/* Handle a request, as mo_service_handle(). false: it is malformed. */
bool mo_transaction_test(struct mo_session *t, struct octets_in *in, struct octets_out *out);
bool mo_transaction_phase(struct mo_session *t, const struct mo_msg_header *h, struct octets_in *in,
			  struct octets_out *out);
/* May the session run in another thread? Then it leaves the service's transactions alone. */
static inline bool mo_session_only_reads(const struct mo_session *t)
{
	return !(t->rights & MO_MAY_SET);
}

/* Returns the file that is at state_file now. */
struct mo_file mo_service_file(const struct mo_service *s);

/* Begins the jobs whose turn it is. */
void mo_transaction_run(struct mo_service *s);

#endif

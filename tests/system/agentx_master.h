/* SPDX-License-Identifier: BSD-3-Clause */
/* A scripted AgentX master of one subagent, see agentx_master.c. */
#ifndef DCB_TESTS_AGENTX_MASTER_H
#define DCB_TESTS_AGENTX_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RESPONSE  28
#define PDU_MAX   4096
#define NODE_MAX  256
#define CONNS_MAX 16
#define ROOTS_MAX 16
#define LATE_MAX  8

enum kind { DIES, STOPS, HANGS, TRUNCATES, LOSES, REPEATS, DELAYS, ANNOUNCES, KINDS };
extern const char *const kind_names[KINDS];

struct node { /* a registration: its OID as received, and the session that holds it */
	uint8_t octets[NODE_MAX];
	size_t len;
	uint32_t session;
};

struct conn {
	int fd; /* -1: unused */
	bool victim, hung;
	uint32_t session; /* 0: not opened */
	uint8_t flags;    /* of the subagent's PDUs: its byte order */
	uint8_t in[PDU_MAX];
	size_t have;
	uint64_t octets; /* sent and received */
	bool ignore;     /* the PDU that is being received */
	uint8_t rest[RESPONSE];
	size_t n_rest;  /* octets of a PDU not sent yet, while the master is stopped */
	uint32_t check; /* packet of the GetNext of all roots; 0: none */
	int64_t check_ms;
};

struct late { /* a Response to be sent later */
	int conn;
	int64_t due_ms;
	uint8_t pdu[RESPONSE];
};

struct job {
	int number;
	pid_t pid;
	long memory_kb;
	char path[108];
	int listener;        /* -1: dead */
	int64_t listen_ms;   /* dead: end of it */
	int64_t continue_ms; /* stopped until then; 0: not stopped */
	struct conn conns[CONNS_MAX];
	struct node nodes[ROOTS_MAX];
	unsigned n_nodes;
	struct late late[LATE_MAX];
	unsigned n_late;
	unsigned roots; /* of a subagent */
	uint32_t last_session, last_packet;
	uint64_t total; /* octets of a whole conversation; 0: not known yet */
	bool active;    /* in a round */
	long round;
	enum kind kind;
	uint64_t cut;  /* octet of the conversation at which the master fails */
	bool failed;   /* in this round */
	bool idle;     /* hangs, and the subagent has sent nothing since */
	bool answered; /* since then, the GetNext of all roots, by one session that has them */
	int64_t begin_ms;
	int64_t sound_ms; /* since when the master is sound */
};

void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...);
int64_t now_ms(void);
void random_start(uint64_t seed);
uint64_t random_below(uint64_t n);

/* Listens at job->path. */
void job_listen(struct job *j);
void job_accept(struct job *j);
void job_close_all(struct job *j);
/* Receives and handles what a connection of fd has, if it is one of this job. */
void job_receive(struct job *j, int fd);
/* Continues after a stop, sends late Responses and the GetNext of all roots, when they are due. */
void job_tick(struct job *j, int64_t now);

#endif

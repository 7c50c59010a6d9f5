/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by lldp_client_conn.c (requests and their results) and lldp_client_conn_socket.c
 * (input and output).
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_PRIVATE_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_CONN_PRIVATE_H

#include "lldp/client/lldp_client_atoms.h"
#include "lldp/client/lldp_client_conn.h"

/* The longest request: one custom TLV in the library's encoding. */
#define REQUEST_OCTETS_MAX 2048

struct interface {
	char name[IF_NAMESIZE];
	lldpctl_atom_t *atom;
};

struct conn {
	const struct conn_ops *ops;
	void *ctx;
	struct event *readable;
	struct event *limit; /* active: the request ends, early or without an answer */
	int fd;
	lldpctl_conn_t *lldpctl;
	bool (*request)(struct conn *c); /* calls the library; false: see lldpctl_last_error() */
	bool watching;
	bool early; /* the request was answered within its first call */
	bool mismatch;
	uint8_t *in; /* input, from the start of a message on */
	size_t in_len, in_size;
	const uint8_t *offered; /* the part that on_recv() gives to the library */
	size_t offered_len;
	bool ignores_body; /* the library skips the body of the answer to this request */
	bool is_short;     /* the message is offered without its last octet */
	unsigned changes;  /* calls of on_change() for the offered octets */
	size_t n_checked;
	bool holding;
	size_t held_len;
	uint8_t held[REQUEST_OCTETS_MAX]; /* the prepared request: conn_set() sends it */
	enum conn_answer answer;
	char why[160];
	struct interface *interfaces; /* by name */
	size_t n_interfaces;
	lldpctl_atom_t *iface; /* of conn_get() */
	lldpctl_atom_t *port, *custom, *tlv, *config, *chassis;
	enum port_status status;    /* to be set, by CONN_STATUS */
	struct lldp_system system;  /* of conn_describe() */
	size_t n_described;         /* steps of it that are done */
	bool has_set;               /* one of them has set something */
	bool sets, sets_capability; /* this step sets something; the next one does */
	bool is_paused;             /* lldpd was: nothing was set, or not all */
	bool has_overridden;        /* lldpd's capabilities, by this connection */
};

/* Sets what conn_why() returns. */
void conn_set_why(struct conn *c, const char *why);
/* Calls the library for the pending request. true: it has ended with *answer. */
bool conn_step(struct conn *c, enum conn_answer *answer);
/* Drops all atoms: they must not outlive c->lldpctl. */
void conn_drop_atoms(struct conn *c);

#endif

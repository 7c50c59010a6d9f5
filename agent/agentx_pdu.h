/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codec of AgentX PDUs (RFC 2741): decodes the header, the search ranges of Get, GetNext
 * and GetBulk, the varbinds of TestSet, and the Response of a master; encodes the Response
 * with its varbinds, and the PDUs with which a subagent keeps a session: Open, Register,
 * Unregister, Ping, Notify, Close. Requests and their Responses in both byte
 * orders: the sender of a request chooses one by a header flag, and the Response
 * uses the same. The PDUs of a session are in network byte order.
 */
#ifndef DCB_AGENT_AGENTX_PDU_H
#define DCB_AGENT_AGENTX_PDU_H

#include "agent/mib_oid.h"
#include "lib/mo/mo.h"
#include "lib/octets.h"

#define AGENTX_HEADER  20
#define AGENTX_PDU_MAX 65536 /* octets, header included; Net-SNMP discards longer PDUs */

enum agentx_type {
	AGENTX_OPEN = 1,
	AGENTX_CLOSE = 2,
	AGENTX_REGISTER = 3,
	AGENTX_UNREGISTER = 4,
	AGENTX_GET = 5,
	AGENTX_GET_NEXT = 6,
	AGENTX_GET_BULK = 7,
	AGENTX_TEST_SET = 8,
	AGENTX_COMMIT_SET = 9,
	AGENTX_UNDO_SET = 10,
	AGENTX_CLEANUP_SET = 11,
	AGENTX_NOTIFY = 12,
	AGENTX_PING = 13,
	AGENTX_RESPONSE = 18,
};

/* Errors of a Response: RFC 2741, 6.2.16. */
enum agentx_error {
	AGENTX_TOO_BIG = 1,
	AGENTX_OPEN_FAILED = 256, /* the first error of AgentX */
	AGENTX_NOT_OPEN = 257,
	AGENTX_UNSUPPORTED_CONTEXT = 262,
	AGENTX_DUPLICATE_REGISTRATION = 263,
	AGENTX_UNKNOWN_REGISTRATION = 264,
	AGENTX_PARSE_ERROR = 266,
	AGENTX_PROCESSING_ERROR = 268, /* the last one */
};

/* Reasons of Close: RFC 2741, 6.2.2. */
enum agentx_reason { AGENTX_REASON_TIMEOUTS = 4, AGENTX_REASON_SHUTDOWN = 5 };

enum agentx_flag { AGENTX_NON_DEFAULT_CONTEXT = 0x08, AGENTX_NETWORK_BYTE_ORDER = 0x10 };

/* Varbind types without a value: RFC 2741, 5.4. */
enum agentx_exception {
	AGENTX_NO_SUCH_OBJECT = 128,
	AGENTX_NO_SUCH_INSTANCE = 129,
	AGENTX_END_OF_MIB_VIEW = 130,
};

struct agentx_header {
	uint8_t type;
	uint8_t flags;
	uint32_t session, transaction, packet;
	uint32_t length; /* of the payload, octets */
};

/* Decodes the header, RFC 2741, 6.1. false: its version is not 1. */
bool agentx_get_header(const uint8_t octets[AGENTX_HEADER], struct agentx_header *h);

/*
 * Decodes a SearchRange, RFC 2741, 5.2: from start (itself included if
 * *include) up to, but not including, end. end->n 0 means no end. false:
 * malformed.
 */
bool agentx_get_range(struct octets_in *in, const struct agentx_header *h, struct mib_oid *start,
		      bool *include, struct mib_oid *end);

/* Decodes non_repeaters and max_repetitions of GetBulk, RFC 2741, 6.2.7. */
void agentx_get_repetitions(struct octets_in *in, const struct agentx_header *h,
			    uint16_t *non_repeaters, uint16_t *max_repetitions);

/* The value of a varbind that a master sent. */
enum agentx_value {
	AGENTX_VALUE,      /* of the syntax of its ASN.1 type: MO_INTEGER32, MO_OCTETS ... */
	AGENTX_LONG_VALUE, /* more octets than an object can have: value has the first ones */
	AGENTX_NO_VALUE,   /* of a type that no object has: NULL, an OID ... */
};
/* Decodes a VarBind, RFC 2741, 5.4. false: malformed. */
bool agentx_get_varbind(struct octets_in *in, const struct agentx_header *h, struct mib_oid *name,
			enum agentx_value *kind, struct mo_value *value);

/*
 * Starts the Response to the request with header h, RFC 2741, 6.2.16. Varbinds
 * follow by agentx_put_varbind() and agentx_put_exception(), then
 * agentx_end_response().
 */
void agentx_begin_response(struct octets_out *out, const struct agentx_header *h);
void agentx_put_varbind(struct octets_out *out, const struct agentx_header *h,
			const struct mib_oid *name, const struct mo_value *value);
void agentx_put_exception(struct octets_out *out, const struct agentx_header *h,
			  const struct mib_oid *name, enum agentx_exception exception);
/*
 * Completes the Response: length, error (an SNMP error-status or an enum
 * agentx_error), and index, the 1-based number of the varbind that it is about,
 * 0 for none. With an error the varbinds are removed. If the varbinds did not fit
 * into out, the Response is that of agentx_put_too_big().
 */
void agentx_end_response(struct octets_out *out, const struct agentx_header *h, unsigned error,
			 uint16_t index);
/*
 * Writes the whole Response tooBig to the request with header h. Its index is 1,
 * not the 0 of RFC 3416, 4.2.1: Net-SNMP's master replaces every error with index
 * 0 by genErr.
 */
void agentx_put_too_big(struct octets_out *out, const struct agentx_header *h);

/*
 * Decodes the payload of a Response that a master sent. false: it is shorter
 * than its fixed part, or there is no such error.
 */
bool agentx_get_response(const uint8_t *payload, const struct agentx_header *h, uint16_t *error);

/*
 * Write a whole PDU of a session, RFC 2741, 6.2. packet identifies the Response.
 * Registrations have the default priority and time limit.
 */
void agentx_put_open(struct octets_out *out, uint32_t packet, uint8_t timeout_s,
		     const char *description);
void agentx_put_close(struct octets_out *out, uint32_t session, uint32_t packet,
		      enum agentx_reason reason);
/* type: AGENTX_REGISTER or AGENTX_UNREGISTER. */
void agentx_put_registration(struct octets_out *out, enum agentx_type type, uint32_t session,
			     uint32_t packet, const struct mib_oid *subtree);
void agentx_put_ping(struct octets_out *out, uint32_t session, uint32_t packet);
/*
 * Starts a Notify with snmpTrapOID, the first varbind, and fills in *h. Other
 * varbinds follow by agentx_put_varbind(), then agentx_end_pdu().
 */
void agentx_begin_notify(struct octets_out *out, struct agentx_header *h, uint32_t session,
			 uint32_t packet, const struct mib_oid *trap);
void agentx_end_pdu(struct octets_out *out, const struct agentx_header *h);

#endif

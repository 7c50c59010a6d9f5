/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AgentX (RFC 2741) on the wire, as far as reading goes: the header, the
 * search ranges of Get and GetNext, the Response with its varbinds. Both byte
 * orders: a sender chooses by a header flag, an answer follows the request.
 */
#ifndef DCB_AGENT_AGENTX_PDU_H
#define DCB_AGENT_AGENTX_PDU_H

#include "agent/mib_oid.h"
#include "lib/mo/mo.h"
#include "lib/octets.h"

#define AGENTX_HEADER  20
#define AGENTX_PDU_MAX 65536 /* header included: Net-SNMP drops what is longer, unread */

enum agentx_type { AGENTX_GET = 5, AGENTX_GET_NEXT = 6, AGENTX_RESPONSE = 18 };

enum agentx_flag { AGENTX_NON_DEFAULT_CONTEXT = 0x08, AGENTX_NETWORK_BYTE_ORDER = 0x10 };

/* Types of varbinds without a value: RFC 2741, 5.4. */
enum agentx_exception {
	AGENTX_NO_SUCH_OBJECT = 128,
	AGENTX_NO_SUCH_INSTANCE = 129,
	AGENTX_END_OF_MIB_VIEW = 130,
};

struct agentx_header {
	uint8_t type;
	uint8_t flags;
	uint32_t session, transaction, packet;
	uint32_t length; /* of what follows the header, octets */
};

/* RFC 2741, 6.1. false: another version than 1. */
bool agentx_get_header(const uint8_t octets[AGENTX_HEADER], struct agentx_header *h);

/*
 * A search range, RFC 2741, 5.2: from start (included where *include) up to
 * end, without limit where end->n is 0. false: malformed.
 */
bool agentx_get_range(struct octets_in *in, const struct agentx_header *h, struct mib_oid *start,
		      bool *include, struct mib_oid *end);

/* A Response to the request h, RFC 2741, 6.2.16; varbinds follow, then its end. */
void agentx_begin_response(struct octets_out *out, const struct agentx_header *h);
void agentx_put_varbind(struct octets_out *out, const struct agentx_header *h,
			const struct mib_oid *name, const struct mo_value *value);
void agentx_put_exception(struct octets_out *out, const struct agentx_header *h,
			  const struct mib_oid *name, enum agentx_exception exception);
/*
 * error is an SNMP error-status about the 1-based varbind index; the varbinds
 * are left out then. A Response that did not fit is an error as well: genErr.
 */
void agentx_end_response(struct octets_out *out, const struct agentx_header *h, enum mo_error error,
			 uint16_t index);

#endif

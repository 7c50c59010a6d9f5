/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codec of the AgentX PDUs (RFC 2741) that the fast read path needs: decodes
 * the header and the search ranges of Get and GetNext, encodes the Response
 * with its varbinds. In both byte orders: the sender of a request chooses one
 * by a header flag, and the Response uses the same.
 */
#ifndef DCB_AGENT_AGENTX_PDU_H
#define DCB_AGENT_AGENTX_PDU_H

#include "agent/mib_oid.h"
#include "lib/mo/mo.h"
#include "lib/octets.h"

#define AGENTX_HEADER  20
#define AGENTX_PDU_MAX 65536 /* octets, header included; Net-SNMP discards longer PDUs */

enum agentx_type { AGENTX_GET = 5, AGENTX_GET_NEXT = 6, AGENTX_RESPONSE = 18 };

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
 * Completes the Response: length, error (an SNMP error-status), and index, the
 * 1-based number of the varbind that it is about, 0 for none. With an error the
 * varbinds are removed. If the varbinds did not fit into out, the Response is
 * genErr with index 0.
 */
void agentx_end_response(struct octets_out *out, const struct agentx_header *h, enum mo_error error,
			 uint16_t index);

#endif

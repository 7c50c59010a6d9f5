/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests of an AgentX master: decodes a PDU, looks up its objects or takes the step of its
 * SET, encodes the Response.
 */
#ifndef DCB_AGENT_AGENTX_ANSWER_H
#define DCB_AGENT_AGENTX_ANSWER_H

#include "agent/agentx_pdu.h"
#include "agent/mib.h"
#include "agent/mib_txn.h"

struct agentx_objects {
	struct mib *mib;
	struct mib_txn *txn; /* SETs */
};

/*
 * Processes the PDU with header h and h->length octets of payload. now_ms is the time of a
 * monotonic clock. Encodes the Response into out, which the caller has initialized empty, with a
 * buffer of AGENTX_PDU_MAX octets. An object that cannot be read makes it genErr (RFC 2741,
 * 7.2.3); a malformed PDU makes it parseError, a context unsupportedContext.
 *
 * Returns false if the PDU gets no Response: CleanupSet, and PDUs that are not requests.
 */
bool agentx_answer(const struct agentx_objects *objects, int64_t now_ms,
		   const struct agentx_header *h, const uint8_t *payload, struct octets_out *out);

#endif

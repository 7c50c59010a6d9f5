/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The AgentX Get and GetNext requests: decodes a request PDU, looks up its
 * objects, encodes the Response PDU.
 */
#ifndef DCB_AGENT_AGENTX_ANSWER_H
#define DCB_AGENT_AGENTX_ANSWER_H

#include "agent/agentx_pdu.h"
#include "agent/mib.h"

/*
 * Answers the Get or GetNext PDU with header h and h->length octets of payload.
 * now_ms is the time of a monotonic clock. Encodes the Response into out, which
 * the caller has initialized empty, with a buffer of AGENTX_PDU_MAX octets. An
 * object that cannot be read makes it a Response with genErr (RFC 2741, 7.2.3).
 *
 * Returns false if the PDU has another type, names a context, is malformed or
 * has no varbind. out is undefined then, and Net-SNMP's library has to process
 * the PDU.
 */
bool agentx_answer(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
		   const uint8_t *payload, struct octets_out *out);

#endif

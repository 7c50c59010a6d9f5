/* SPDX-License-Identifier: BSD-3-Clause */
/* Get and GetNext as the whole of a request: one AgentX PDU in, one out. */
#ifndef DCB_AGENT_AGENTX_ANSWER_H
#define DCB_AGENT_AGENTX_ANSWER_H

#include "agent/agentx_pdu.h"
#include "agent/mib.h"

/*
 * Answer the Get or GetNext PDU whose header is h and whose payload is
 * h->length octets at payload. out is empty and takes AGENTX_PDU_MAX octets.
 * false: not a request this can answer (another type, a context, malformed,
 * no varbinds), out is to be thrown away.
 */
bool agentx_answer(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
		   const uint8_t *payload, struct octets_out *out);

#endif

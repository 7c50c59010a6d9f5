/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control protocol between dcbd and its clients (dcb-agentx, dcbctl): one
 * request, one reply, each one message on a SOCK_SEQPACKET unix socket, all
 * numbers in network byte order.
 *
 *   octets  0     version (MO_MSG_VERSION)
 *           1     operation, replies with MO_MSG_REPLY set
 *           2-3   table (READ), 0 else
 *           4-7   sequence number, copied into the reply
 *           8-    body
 *
 *   HELLO   -> (empty)            <- u32 boot id, string version
 *   READ    -> u8 flags, u16 max rows, index
 *           <- u8 more, u16 n, n x (index, per column in descriptor order: value)
 *   TEST    -> u32 txid, u16 n, n x (u16 table, u32 subid, index, value)
 *   COMMIT, UNDO, CLEANUP -> u32 txid
 *           <- u8 error (enum mo_error), u16 1-based varbind the error is about, 0: all
 *
 *   One transaction at a time is between COMMIT and CLEANUP: genErr answers
 *   another's COMMIT, which may be tried again.
 *
 *   index   u8 n, n x u32
 *   value   u8 syntax; numbers u64; octets and strings u8 length and octets
 *
 * A row that has no value in a column carries syntax MO_MSG_NO_VALUE there.
 */
#ifndef DCB_AGENT_MO_MSG_H
#define DCB_AGENT_MO_MSG_H

#include "agent/mo.h"
#include "dataplane/core/octets.h"

#define MO_MSG_VERSION  1
#define MO_MSG_MAX      65536 /* octets of a message */
#define MO_MSG_HEADER   8
#define MO_MSG_REPLY    0x80
#define MO_MSG_NO_VALUE 0xff

enum mo_msg_op {
	MO_OP_HELLO = 1,
	MO_OP_READ,
	MO_OP_TEST,
	MO_OP_COMMIT,
	MO_OP_UNDO,
	MO_OP_CLEANUP,
	MO_OP_LAST = MO_OP_CLEANUP
};

/* READ flags: the row at the index itself, or rows after it (absent: from it on). */
#define MO_READ_EXACT 0x01
#define MO_READ_AFTER 0x02

struct mo_msg_header {
	uint8_t op;
	uint16_t table;
	uint32_t seq;
};

struct mo_varbind {
	enum mo_table_id table;
	uint32_t subid;
	struct mo_index index;
	struct mo_value value;
};

void mo_msg_put_header(struct octets_out *out, const struct mo_msg_header *h);
/* false: short, wrong version or unknown operation. */
bool mo_msg_get_header(struct octets_in *in, struct mo_msg_header *h);

void mo_msg_put_index(struct octets_out *out, const struct mo_index *index);
void mo_msg_get_index(struct octets_in *in, struct mo_index *index);
void mo_msg_put_value(struct octets_out *out, const struct mo_value *value);
/* false: the row has no value in this column, or the input is malformed (then in->overrun). */
bool mo_msg_get_value(struct octets_in *in, struct mo_value *value);
void mo_msg_put_varbind(struct octets_out *out, const struct mo_varbind *vb);
void mo_msg_get_varbind(struct octets_in *in, struct mo_varbind *vb);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_msg.h"

#include <stdarg.h>
#include <stdio.h>

void mo_msg_put_header(struct octets_out *out, const struct mo_msg_header *h)
{
	octets_out_u8(out, MO_MSG_VERSION);
	octets_out_u8(out, h->op);
	octets_out_be16(out, h->table);
	octets_out_be32(out, h->seq);
}

bool mo_msg_get_header(struct octets_in *in, struct mo_msg_header *h)
{
	uint8_t version = octets_in_u8(in);
	uint8_t op;

	h->op = octets_in_u8(in);
	h->table = octets_in_be16(in);
	h->seq = octets_in_be32(in);
	op = h->op & (uint8_t)~MO_MSG_REPLY;
	return !in->overrun && version == MO_MSG_VERSION && op >= MO_OP_HELLO && op <= MO_OP_LAST;
}

void mo_msg_put_index(struct octets_out *out, const struct mo_index *index)
{
	octets_out_u8(out, index->n);
	for (unsigned i = 0; i < index->n; i++)
		octets_out_be32(out, index->sub[i]);
}

void mo_msg_get_index(struct octets_in *in, struct mo_index *index)
{
	index->n = octets_in_u8(in);
	if (index->n > MO_INDEX_MAX) {
		in->overrun = true;
		index->n = 0;
	}
	for (unsigned i = 0; i < index->n; i++)
		index->sub[i] = octets_in_be32(in);
}

static bool syntax_is_octets(uint8_t syntax)
{
	return mo_is_octets((enum mo_syntax)syntax);
}

void mo_msg_put_value(struct octets_out *out, const struct mo_value *value)
{
	octets_out_u8(out, (uint8_t)value->syntax);
	if (!syntax_is_octets((uint8_t)value->syntax)) {
		octets_out_be64(out, (uint64_t)value->num);
		return;
	}
	octets_out_u8(out, value->len);
	octets_out_bytes(out, value->octets, value->len);
}

bool mo_msg_get_value(struct octets_in *in, struct mo_value *value)
{
	uint8_t syntax = octets_in_u8(in);
	const uint8_t *p;

	value->num = 0;
	value->len = 0;
	if (syntax == MO_MSG_NO_VALUE)
		return false;
	if (syntax > MO_SYNTAX_LAST)
		in->overrun = true;
	if (in->overrun)
		return false;
	value->syntax = (enum mo_syntax)syntax;
	if (!syntax_is_octets(syntax)) {
		value->num = (int64_t)octets_in_be64(in);
		return !in->overrun;
	}
	value->len = octets_in_u8(in);
	p = octets_in_take(in, value->len);
	if (!p)
		return false;
	memcpy(value->octets, p, value->len);
	return true;
}

void mo_msg_put_origin(struct octets_out *out, const struct mo_origin *origin)
{
	octets_out_u8(out, origin->kind);
	octets_out_be32(out, origin->line);
}

void mo_msg_get_origin(struct octets_in *in, struct mo_origin *origin)
{
	origin->kind = octets_in_u8(in);
	origin->line = octets_in_be32(in);
	if (origin->kind > MO_ORIGIN_LAST)
		in->overrun = true;
}

void mo_msg_put_varbind(struct octets_out *out, const struct mo_varbind *vb)
{
	octets_out_be16(out, (uint16_t)vb->table);
	octets_out_be32(out, vb->subid);
	mo_msg_put_index(out, &vb->index);
	mo_msg_put_value(out, &vb->value);
}

void mo_msg_get_varbind(struct octets_in *in, struct mo_varbind *vb)
{
	uint16_t table = octets_in_be16(in);

	vb->subid = octets_in_be32(in);
	mo_msg_get_index(in, &vb->index);
	if (!mo_msg_get_value(in, &vb->value) || table >= MO_TABLES) {
		in->overrun = true;
		return;
	}
	vb->table = (enum mo_table_id)table;
}

void mo_msg_put_text(struct octets_out *out, const char *text)
{
	size_t len = strnlen(text, MO_TEXT_MAX);

	octets_out_u8(out, (uint8_t)len);
	octets_out_bytes(out, text, len);
}

void mo_msg_get_text(struct octets_in *in, char text[MO_TEXT_MAX + 1])
{
	size_t len = octets_in_u8(in);
	const uint8_t *p = octets_in_take(in, len);

	for (size_t i = 0; p && i < len; i++)
		text[i] = p[i] >= ' ' && p[i] != 0x7f ? (char)p[i] : '?';
	text[p ? len : 0] = '\0';
}

void mo_msg_put_close(struct octets_out *out, const char *reason)
{
	mo_msg_put_header(out, &(struct mo_msg_header){.op = MO_OP_CLOSE | MO_MSG_REPLY});
	mo_msg_put_text(out, reason);
}

enum mo_error mo_refuse(struct mo_result *r, enum mo_error error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
	r->error = error;
	return error;
}

enum mo_error mo_refuse_status(struct mo_result *r, const struct mo_varbind *vb, bool exists,
			       const char *expected)
{
	char index[12 * MO_INDEX_MAX], status[32];

	mo_index_format(&vb->index, index, sizeof(index));
	mo_format(mo_column(mo_table(vb->table), vb->subid), &vb->value, status, sizeof(status));
	return mo_refuse(r, MO_INCONSISTENT_VALUE, "row %s %s: expected %s, not %s", index,
			 exists ? "exists" : "does not exist", expected, status);
}

void mo_msg_put_event(struct octets_out *out, const struct mo_event *ev)
{
	octets_out_be64(out, ev->number);
	octets_out_be64(out, ev->real_ms);
	octets_out_be64(out, ev->mono_ms);
	octets_out_u8(out, ev->flags);
	octets_out_u8(out, ev->id);
	octets_out_u8(out, ev->n);
	for (unsigned i = 0; i < ev->n; i++)
		mo_msg_put_varbind(out, &ev->vbs[i]);
}

void mo_msg_get_event(struct octets_in *in, struct mo_event *ev)
{
	ev->number = octets_in_be64(in);
	ev->real_ms = octets_in_be64(in);
	ev->mono_ms = octets_in_be64(in);
	ev->flags = octets_in_u8(in);
	ev->id = octets_in_u8(in);
	ev->n = octets_in_u8(in);
	if (ev->n > MO_EVENT_VARBINDS) {
		in->overrun = true;
		ev->n = 0;
	}
	for (unsigned i = 0; i < ev->n && !in->overrun; i++)
		mo_msg_get_varbind(in, &ev->vbs[i]);
}

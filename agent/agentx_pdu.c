/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_pdu.h"

#define AGENTX_VERSION         1
#define AGENTX_RESPONSE_FIXED  (AGENTX_HEADER + 8) /* sysUpTime, error, index */
#define AGENTX_INTERNET_PREFIX 5                   /* sub-identifiers 1.3.6.1.x */
#define AGENTX_PRIORITY        127                 /* default: RFC 2741, 6.2.3 */

/* Types of a varbind with a value: RFC 2741, 5.4. */
enum agentx_varbind {
	AGENTX_INTEGER = 2,
	AGENTX_OCTET_STRING = 4,
	AGENTX_NULL = 5,
	AGENTX_OBJECT_ID = 6,
	AGENTX_IP_ADDRESS = 64,
	AGENTX_COUNTER32 = 65,
	AGENTX_GAUGE32 = 66,
	AGENTX_TIME_TICKS = 67,
	AGENTX_OPAQUE = 68,
	AGENTX_COUNTER64 = 70,
};

/* --- numbers in the byte order of the header ---------------------------------- */

static bool is_big(const struct agentx_header *h)
{
	return h->flags & AGENTX_NETWORK_BYTE_ORDER;
}

static uint32_t load32(const uint8_t *p, bool big)
{
	if (big)
		return get_be32(p);
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static uint16_t load16(const uint8_t *p, bool big)
{
	return big ? get_be16(p) : (uint16_t)(p[1] << 8 | p[0]);
}

static void store16(uint8_t *p, uint16_t v, bool big)
{
	p[!big] = (uint8_t)(v >> 8);
	p[big] = (uint8_t)v;
}

static void store32(uint8_t *p, uint32_t v, bool big)
{
	store16(p + (big ? 0 : 2), (uint16_t)(v >> 16), big);
	store16(p + (big ? 2 : 0), (uint16_t)v, big);
}

static void put16(struct octets_out *out, const struct agentx_header *h, uint16_t v)
{
	uint8_t *p = octets_out_take(out, 2);

	if (p)
		store16(p, v, is_big(h));
}

static void put32(struct octets_out *out, const struct agentx_header *h, uint32_t v)
{
	uint8_t *p = octets_out_take(out, 4);

	if (p)
		store32(p, v, is_big(h));
}

/* --- reading --------------------------------------------------------------- */

bool agentx_get_header(const uint8_t octets[AGENTX_HEADER], struct agentx_header *h)
{
	bool big = octets[2] & AGENTX_NETWORK_BYTE_ORDER;

	h->type = octets[1];
	h->flags = octets[2];
	h->session = load32(octets + 4, big);
	h->transaction = load32(octets + 8, big);
	h->packet = load32(octets + 12, big);
	h->length = load32(octets + 16, big);
	return octets[0] == AGENTX_VERSION;
}

/*
 * RFC 2741, 5.1: n_subid; prefix p, which stands for 1.3.6.1.p unless 0;
 * include; reserved; n_subid numbers.
 */
static bool get_oid(struct octets_in *in, const struct agentx_header *h, struct mib_oid *oid,
		    bool *include)
{
	const uint8_t *head = octets_in_take(in, 4);
	const uint8_t *subs;
	unsigned n = 0;

	oid->n = 0;
	if (!head)
		return false;
	if (head[1]) {
		const uint32_t prefix[AGENTX_INTERNET_PREFIX] = {1, 3, 6, 1, head[1]};

		memcpy(oid->sub, prefix, sizeof(prefix));
		n = AGENTX_INTERNET_PREFIX;
	}
	subs = octets_in_take(in, head[0] * 4u);
	if (!subs || n + head[0] > MIB_OID_MAX)
		return false;
	for (unsigned i = 0; i < head[0]; i++)
		oid->sub[n++] = load32(subs + i * 4, is_big(h));
	oid->n = (uint8_t)n;
	*include = head[2] != 0;
	return true;
}

bool agentx_get_range(struct octets_in *in, const struct agentx_header *h, struct mib_oid *start,
		      bool *include, struct mib_oid *end)
{
	bool ignored;

	return get_oid(in, h, start, include) && get_oid(in, h, end, &ignored);
}

void agentx_get_repetitions(struct octets_in *in, const struct agentx_header *h,
			    uint16_t *non_repeaters, uint16_t *max_repetitions)
{
	const uint8_t *p = octets_in_take(in, 4);

	*non_repeaters = p ? load16(p, is_big(h)) : 0;
	*max_repetitions = p ? load16(p + 2, is_big(h)) : 0;
}

/* RFC 2741, 5.3. */
static enum agentx_value get_octets(struct octets_in *in, const struct agentx_header *h,
				    struct mo_value *value)
{
	const uint8_t *head = octets_in_take(in, 4), *octets;
	uint32_t len = head ? load32(head, is_big(h)) : 0;

	/* Padding of a length near 2^32 would wrap. */
	octets = len > AGENTX_PDU_MAX ? octets_in_take(in, SIZE_MAX)
				      : octets_in_take(in, (len + 3) & ~3u);
	value->syntax = MO_OCTETS;
	value->len = len > MO_OCTETS_MAX ? MO_OCTETS_MAX : (uint8_t)len;
	if (octets)
		memcpy(value->octets, octets, value->len);
	return len > MO_OCTETS_MAX ? AGENTX_LONG_VALUE : AGENTX_VALUE;
}

static enum agentx_value get_number(struct octets_in *in, const struct agentx_header *h,
				    enum mo_syntax syntax, struct mo_value *value)
{
	const uint8_t *p = octets_in_take(in, 4);
	uint32_t v = p ? load32(p, is_big(h)) : 0;

	value->syntax = syntax;
	value->num = syntax == MO_INTEGER32 ? (int32_t)v : (int64_t)v;
	return AGENTX_VALUE;
}

static enum agentx_value get_counter64(struct octets_in *in, const struct agentx_header *h,
				       struct mo_value *value)
{
	const uint8_t *p = octets_in_take(in, 8);
	uint64_t first = p ? load32(p, is_big(h)) : 0, second = p ? load32(p + 4, is_big(h)) : 0;

	value->syntax = MO_COUNTER64;
	value->num = (int64_t)(is_big(h) ? first << 32 | second : second << 32 | first);
	return AGENTX_VALUE;
}

bool agentx_get_varbind(struct octets_in *in, const struct agentx_header *h, struct mib_oid *name,
			enum agentx_value *kind, struct mo_value *value)
{
	const uint8_t *type = octets_in_take(in, 4);
	struct mib_oid oid;
	bool ignored;

	*value = (struct mo_value){0};
	*kind = AGENTX_NO_VALUE;
	if (!type || !get_oid(in, h, name, &ignored))
		return false;
	switch (load16(type, is_big(h))) {
	case AGENTX_INTEGER:
		*kind = get_number(in, h, MO_INTEGER32, value);
		break;
	case AGENTX_OCTET_STRING:
		*kind = get_octets(in, h, value);
		break;
	case AGENTX_COUNTER32:
		*kind = get_number(in, h, MO_COUNTER32, value);
		break;
	case AGENTX_GAUGE32:
		*kind = get_number(in, h, MO_UNSIGNED32, value);
		break;
	case AGENTX_TIME_TICKS:
		*kind = get_number(in, h, MO_TIMETICKS, value);
		break;
	case AGENTX_COUNTER64:
		*kind = get_counter64(in, h, value);
		break;
	case AGENTX_IP_ADDRESS:
	case AGENTX_OPAQUE:
		(void)get_octets(in, h, value);
		break;
	case AGENTX_OBJECT_ID:
		return get_oid(in, h, &oid, &ignored);
	case AGENTX_NULL:
	case AGENTX_NO_SUCH_OBJECT:
	case AGENTX_NO_SUCH_INSTANCE:
	case AGENTX_END_OF_MIB_VIEW:
		break;
	default:
		return false;
	}
	return !in->overrun;
}

bool agentx_get_response(const uint8_t *payload, const struct agentx_header *h, uint16_t *error)
{
	if (h->length < AGENTX_RESPONSE_FIXED - AGENTX_HEADER)
		return false;
	*error = load16(payload + 4, is_big(h));
	return *error <= MO_INCONSISTENT_NAME ||
	       (*error >= AGENTX_OPEN_FAILED && *error <= AGENTX_PROCESSING_ERROR);
}

/* --- writing --------------------------------------------------------------- */

static void put_header(struct octets_out *out, const struct agentx_header *h)
{
	octets_out_u8(out, AGENTX_VERSION);
	octets_out_u8(out, h->type);
	octets_out_u8(out, h->flags & AGENTX_NETWORK_BYTE_ORDER);
	octets_out_u8(out, 0);
	put32(out, h, h->session);
	put32(out, h, h->transaction);
	put32(out, h, h->packet);
	put32(out, h, 0); /* length: agentx_end_pdu() */
}

void agentx_end_pdu(struct octets_out *out, const struct agentx_header *h)
{
	store32(out->start + 16, (uint32_t)(out->len - AGENTX_HEADER), is_big(h));
}

static void put_oid(struct octets_out *out, const struct agentx_header *h,
		    const struct mib_oid *oid)
{
	const uint32_t *sub = oid->sub;
	unsigned n = oid->n, prefix = 0;
	uint8_t *head;

	if (n >= AGENTX_INTERNET_PREFIX && sub[0] == 1 && sub[1] == 3 && sub[2] == 6 &&
	    sub[3] == 1 && sub[4] > 0 && sub[4] <= UINT8_MAX) {
		prefix = sub[4];
		sub += AGENTX_INTERNET_PREFIX;
		n -= AGENTX_INTERNET_PREFIX;
	}
	head = octets_out_take(out, 4);
	if (!head)
		return;
	head[0] = (uint8_t)n;
	head[1] = (uint8_t)prefix;
	head[2] = 0;
	head[3] = 0;
	for (unsigned i = 0; i < n; i++)
		put32(out, h, sub[i]);
}

/* RFC 2741, 5.3: length, octets, padding with zeros to a multiple of four. */
static void put_octets(struct octets_out *out, const struct agentx_header *h, const uint8_t *octets,
		       uint8_t len)
{
	static const uint8_t zeros[3];

	put32(out, h, len);
	octets_out_bytes(out, octets, len);
	octets_out_bytes(out, zeros, -(unsigned)len & 3);
}

static enum agentx_varbind varbind_type(enum mo_syntax syntax)
{
	switch (syntax) {
	case MO_UNSIGNED32:
		return AGENTX_GAUGE32;
	case MO_COUNTER32:
		return AGENTX_COUNTER32;
	case MO_COUNTER64:
	case MO_GAUGE64:
		return AGENTX_COUNTER64;
	case MO_TIMETICKS:
		return AGENTX_TIME_TICKS;
	case MO_OCTETS:
	case MO_STRING:
	case MO_BITS:
	case MO_VLANS:
		return AGENTX_OCTET_STRING;
	case MO_INTEGER32:
	case MO_TRUTH:
	case MO_ENUM:
	case MO_ROW_STATUS:
		break;
	}
	return AGENTX_INTEGER;
}

static void put_name(struct octets_out *out, const struct agentx_header *h, uint16_t type,
		     const struct mib_oid *name)
{
	put16(out, h, type);
	put16(out, h, 0);
	put_oid(out, h, name);
}

void agentx_put_varbind(struct octets_out *out, const struct agentx_header *h,
			const struct mib_oid *name, const struct mo_value *value)
{
	uint64_t num = (uint64_t)value->num;

	put_name(out, h, (uint16_t)varbind_type(value->syntax), name);
	switch (value->syntax) {
	case MO_OCTETS:
	case MO_STRING:
	case MO_BITS:
	case MO_VLANS:
		put_octets(out, h, value->octets, value->len);
		break;
	case MO_COUNTER64:
	case MO_GAUGE64:
		put32(out, h, (uint32_t)(is_big(h) ? num >> 32 : num));
		put32(out, h, (uint32_t)(is_big(h) ? num : num >> 32));
		break;
	default:
		put32(out, h, (uint32_t)num);
	}
}

void agentx_put_exception(struct octets_out *out, const struct agentx_header *h,
			  const struct mib_oid *name, enum agentx_exception exception)
{
	put_name(out, h, (uint16_t)exception, name);
}

void agentx_begin_response(struct octets_out *out, const struct agentx_header *h)
{
	struct agentx_header response = *h;

	response.type = AGENTX_RESPONSE;
	put_header(out, &response);
	put32(out, h, 0); /* sysUpTime is set by the master */
	put16(out, h, 0); /* error and index: agentx_end_response() sets them */
	put16(out, h, 0);
}

void agentx_end_response(struct octets_out *out, const struct agentx_header *h, unsigned error,
			 uint16_t index)
{
	if (out->overrun) {
		error = AGENTX_TOO_BIG;
		index = 1;
	}
	if (error != MO_NO_ERROR) {
		out->len = AGENTX_RESPONSE_FIXED;
		out->overrun = false;
	}
	agentx_end_pdu(out, h);
	store16(out->start + 24, (uint16_t)error, is_big(h));
	store16(out->start + 26, index, is_big(h));
}

void agentx_put_too_big(struct octets_out *out, const struct agentx_header *h)
{
	agentx_begin_response(out, h);
	agentx_end_response(out, h, AGENTX_TOO_BIG, 1);
}

/* --- PDUs of a session --------------------------------------------------------- */

static struct agentx_header begin_pdu(struct octets_out *out, enum agentx_type type,
				      uint32_t session, uint32_t packet)
{
	struct agentx_header h = {
	    .type = (uint8_t)type,
	    .flags = AGENTX_NETWORK_BYTE_ORDER,
	    .session = session,
	    .packet = packet,
	};

	put_header(out, &h);
	return h;
}

/* RFC 2741, 6.2.1: time limit of requests, reserved; no identifier of the subagent. */
void agentx_put_open(struct octets_out *out, uint32_t packet, uint8_t timeout_s,
		     const char *description)
{
	struct agentx_header h = begin_pdu(out, AGENTX_OPEN, 0, packet);

	octets_out_be32(out, (uint32_t)timeout_s << 24);
	put_oid(out, &h, &(struct mib_oid){0});
	put_octets(out, &h, (const uint8_t *)description, (uint8_t)strlen(description));
	agentx_end_pdu(out, &h);
}

void agentx_put_close(struct octets_out *out, uint32_t session, uint32_t packet,
		      enum agentx_reason reason)
{
	struct agentx_header h = begin_pdu(out, AGENTX_CLOSE, session, packet);

	octets_out_be32(out, (uint32_t)reason << 24);
	agentx_end_pdu(out, &h);
}

/* RFC 2741, 6.2.3 and 6.2.4: time limit or reserved, priority, range, reserved. */
void agentx_put_registration(struct octets_out *out, enum agentx_type type, uint32_t session,
			     uint32_t packet, const struct mib_oid *subtree)
{
	struct agentx_header h = begin_pdu(out, type, session, packet);

	octets_out_be32(out, AGENTX_PRIORITY << 16);
	put_oid(out, &h, subtree);
	agentx_end_pdu(out, &h);
}

void agentx_put_ping(struct octets_out *out, uint32_t session, uint32_t packet)
{
	struct agentx_header h = begin_pdu(out, AGENTX_PING, session, packet);

	agentx_end_pdu(out, &h);
}

/* RFC 2741, 6.2.10: snmpTrapOID has to be the first varbind; the master adds sysUpTime. */
void agentx_begin_notify(struct octets_out *out, struct agentx_header *h, uint32_t session,
			 uint32_t packet, const struct mib_oid *trap)
{
	static const struct mib_oid name = {11, {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0}};

	*h = begin_pdu(out, AGENTX_NOTIFY, session, packet);
	put_name(out, h, AGENTX_OBJECT_ID, &name);
	put_oid(out, h, trap);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_msg.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/octets.h"

#define HEADER_OCTETS   4
#define ID_SUBTYPE_LAST 7 /* of chassis and port IDs: the others are reserved */
#define MAC_OCTETS      6
#define TTL_MAX         65535

static const uint8_t oui_8021[3] = {0x00, 0x80, 0xc2};

/* --- validation ------------------------------------------------------------------------------ */

/* Same rules as the kernel's dev_valid_name(). */
static bool is_ifname(const char *name)
{
	size_t len = strnlen(name, IF_NAMESIZE);

	if (len == 0 || len == IF_NAMESIZE || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] == '/' || name[i] == ':' || name[i] == ' ' ||
		    (name[i] >= '\t' && name[i] <= '\r'))
			return false;
	return true;
}

static bool is_id(const struct lldp_id *id, uint8_t mac_subtype)
{
	return id->subtype >= 1 && id->subtype <= ID_SUBTYPE_LAST && id->len >= 1 &&
	       (id->subtype != mac_subtype || id->len == MAC_OCTETS);
}

/* Returns whether text is empty or an IPv4 or IPv6 address. */
static bool is_address(const char text[LLDP_ADDRESS_OCTETS])
{
	struct in6_addr address;

	return strnlen(text, LLDP_ADDRESS_OCTETS) < LLDP_ADDRESS_OCTETS &&
	       (!*text || inet_pton(AF_INET, text, &address) == 1 ||
		inet_pton(AF_INET6, text, &address) == 1);
}

static const char *check_key(const struct lldp_remote *remote)
{
	if (!is_ifname(remote->ifname))
		return "invalid interface name";
	if (!is_id(&remote->chassis, LLDP_CHASSIS_MAC))
		return "invalid chassis ID";
	if (!is_id(&remote->port, LLDP_PORT_MAC))
		return "invalid port ID";
	return NULL;
}

static const char *check_tlvs(const struct lldp_remote *remote)
{
	if (remote->n_tlvs > LLDP_TLVS_MAX)
		return "too many TLVs";
	for (unsigned i = 0; i < remote->n_tlvs; i++)
		if (remote->tlvs[i].len > LLDP_TLV_INFO_OCTETS)
			return "TLV too long";
	return NULL;
}

const char *lldp_remote_check(const struct lldp_remote *remote)
{
	const char *error = check_key(remote);

	if (error)
		return error;
	if (strnlen(remote->sysname, sizeof(remote->sysname)) == sizeof(remote->sysname))
		return "system name too long";
	if (!is_address(remote->management))
		return "invalid management address";
	if (remote->ttl == 0 || remote->ttl > TTL_MAX)
		return "invalid time to live";
	return check_tlvs(remote);
}

bool lldp_msg_is_event(enum lldp_msg_type type)
{
	return type >= LLDP_MSG_STATE && type <= LLDP_MSG_GONE;
}

/* --- writing --------------------------------------------------------------------------------- */

static void put_text(struct octets_out *out, const char *text)
{
	size_t len = strlen(text);

	octets_out_u8(out, (uint8_t)len);
	octets_out_bytes(out, text, len);
}

static void put_id(struct octets_out *out, const struct lldp_id *id)
{
	octets_out_u8(out, id->subtype);
	octets_out_u8(out, id->len);
	octets_out_bytes(out, id->octets, id->len);
}

static void put_key(struct octets_out *out, const struct lldp_remote *remote)
{
	put_text(out, remote->ifname);
	put_id(out, &remote->chassis);
	put_id(out, &remote->port);
}

static void put_tlvs(struct octets_out *out, const struct lldp_remote *remote)
{
	octets_out_u8(out, (uint8_t)remote->n_tlvs);
	for (unsigned i = 0; i < remote->n_tlvs; i++) {
		const struct lldp_tlv *tlv = &remote->tlvs[i];

		octets_out_bytes(out, tlv->oui, sizeof(tlv->oui));
		octets_out_u8(out, tlv->subtype);
		octets_out_be16(out, tlv->len);
		octets_out_bytes(out, tlv->info, tlv->len);
	}
}

static void put_stats(struct octets_out *out, const struct lldp_stats *stats)
{
	octets_out_be64(out, stats->connects);
	octets_out_be64(out, stats->disconnects);
	octets_out_be64(out, stats->batches);
	octets_out_be64(out, stats->deferred);
	octets_out_be64(out, stats->repairs);
	octets_out_be64(out, stats->refused);
	octets_out_be64(out, stats->failures);
}

static void put_remote(struct octets_out *out, const struct lldp_remote *remote)
{
	put_key(out, remote);
	put_text(out, remote->sysname);
	put_text(out, remote->management);
	octets_out_be32(out, remote->ttl);
	put_tlvs(out, remote);
}

static void put_body(struct octets_out *out, const struct lldp_msg *m)
{
	switch (m->type) {
	case LLDP_MSG_SET:
		put_text(out, m->remote.ifname);
		octets_out_be32(out, m->mtu);
		put_tlvs(out, &m->remote);
		break;
	case LLDP_MSG_FORGET:
	case LLDP_MSG_REFRESH:
		put_text(out, m->remote.ifname);
		break;
	case LLDP_MSG_REPLAY:
		put_text(out, m->remote.ifname);
		octets_out_u8(out, m->recent);
		break;
	case LLDP_MSG_DESCRIBE:
		octets_out_u8(out, m->system.bridge);
		put_text(out, m->system.management);
		break;
	case LLDP_MSG_ACK:
	case LLDP_MSG_PING:
		octets_out_be32(out, m->number);
		break;
	case LLDP_MSG_PONG:
		octets_out_be32(out, m->number);
		put_stats(out, &m->stats);
		break;
	case LLDP_MSG_HELLO:
		put_text(out, m->text);
		break;
	case LLDP_MSG_STATE:
		octets_out_u8(out, (uint8_t)m->state);
		put_text(out, m->text);
		break;
	case LLDP_MSG_REMOTE:
		put_remote(out, &m->remote);
		break;
	case LLDP_MSG_GONE:
		put_key(out, &m->remote);
		break;
	case LLDP_MSG_END:
	case LLDP_MSG_ALL_REPORTED:
		break;
	}
}

size_t lldp_msg_encode(const struct lldp_msg *m, uint8_t *buf, size_t size)
{
	struct octets_out out = octets_out(buf, size < LLDP_MSG_MAX ? size : LLDP_MSG_MAX);

	octets_out_u8(&out, LLDP_MSG_VERSION);
	octets_out_u8(&out, (uint8_t)m->type);
	octets_out_be16(&out, 0);
	put_body(&out, m);
	if (out.overrun)
		return 0;
	put_be16(buf + 2, (uint16_t)out.len);
	return out.len;
}

/* --- reading ---------------------------------------------------------------------------------
 * Each function returns NULL or an error text. lldp_msg_decode() checks once at the end
 * whether the octets ended too early.
 */

/* room: size of text in octets, terminating zero included. */
static const char *get_text(struct octets_in *in, char *text, size_t room)
{
	size_t len = octets_in_u8(in);
	const uint8_t *octets = octets_in_take(in, len);

	if (!octets)
		return NULL;
	if (len >= room || memchr(octets, 0, len))
		return "invalid text";
	memcpy(text, octets, len);
	text[len] = '\0';
	return NULL;
}

static const char *get_printable(struct octets_in *in, char *text, size_t room)
{
	const char *error = get_text(in, text, room);

	for (; !error && *text; text++)
		if (*text < ' ' || *text > '~')
			error = "text is not printable";
	return error;
}

static const char *get_ifname(struct octets_in *in, char *ifname)
{
	const char *error = get_text(in, ifname, IF_NAMESIZE);

	return error || in->overrun || is_ifname(ifname) ? error : "invalid interface name";
}

static void get_id(struct octets_in *in, struct lldp_id *id)
{
	const uint8_t *octets;

	id->subtype = octets_in_u8(in);
	id->len = octets_in_u8(in);
	octets = octets_in_take(in, id->len);
	if (octets && id->len)
		memcpy(id->octets, octets, id->len);
}

static const char *get_key(struct octets_in *in, struct lldp_remote *remote)
{
	const char *error = get_text(in, remote->ifname, sizeof(remote->ifname));

	get_id(in, &remote->chassis);
	get_id(in, &remote->port);
	return error || in->overrun ? error : check_key(remote);
}

static const char *get_tlvs(struct octets_in *in, struct lldp_remote *remote)
{
	remote->n_tlvs = octets_in_u8(in);
	if (remote->n_tlvs > LLDP_TLVS_MAX)
		return "too many TLVs";
	for (unsigned i = 0; i < remote->n_tlvs; i++) {
		struct lldp_tlv *tlv = &remote->tlvs[i];
		const uint8_t *oui = octets_in_take(in, sizeof(tlv->oui)), *info;

		tlv->subtype = octets_in_u8(in);
		tlv->len = octets_in_be16(in);
		if (tlv->len > LLDP_TLV_INFO_OCTETS)
			return "TLV too long";
		info = octets_in_take(in, tlv->len);
		if (!oui || !info)
			return NULL;
		memcpy(tlv->oui, oui, sizeof(tlv->oui));
		memcpy(tlv->info, info, tlv->len);
	}
	return NULL;
}

static const char *get_set(struct octets_in *in, struct lldp_msg *m)
{
	const char *error = get_ifname(in, m->remote.ifname);

	m->mtu = octets_in_be32(in);
	if (!error)
		error = get_tlvs(in, &m->remote);
	for (unsigned i = 0; !error && !in->overrun && i < m->remote.n_tlvs; i++)
		if (memcmp(m->remote.tlvs[i].oui, oui_8021, sizeof(oui_8021)) != 0)
			error = "TLV with another OUI than 00-80-C2";
	return error;
}

static const char *get_bool(struct octets_in *in, bool *out)
{
	uint8_t octet = octets_in_u8(in);

	*out = octet;
	return octet <= 1 ? NULL : "boolean is neither 0 nor 1";
}

static const char *get_replay(struct octets_in *in, struct lldp_msg *m)
{
	const char *error = get_ifname(in, m->remote.ifname);

	return error ? error : get_bool(in, &m->recent);
}

static const char *get_describe(struct octets_in *in, struct lldp_system *system)
{
	const char *error = get_bool(in, &system->bridge);

	if (!error)
		error = get_text(in, system->management, sizeof(system->management));
	return error || !system->management[0] || is_ifname(system->management)
		   ? error
		   : "invalid interface name";
}

static uint32_t get_counter32(struct octets_in *in, const char **error)
{
	uint64_t v = octets_in_be64(in);

	if (v > UINT32_MAX)
		*error = "counter exceeds 32 bits";
	return (uint32_t)v;
}

static const char *get_pong(struct octets_in *in, struct lldp_msg *m)
{
	const char *error = NULL;

	m->number = octets_in_be32(in);
	m->stats.connects = get_counter32(in, &error);
	m->stats.disconnects = get_counter32(in, &error);
	m->stats.batches = octets_in_be64(in);
	m->stats.deferred = octets_in_be64(in);
	m->stats.repairs = octets_in_be64(in);
	m->stats.refused = octets_in_be64(in);
	m->stats.failures = octets_in_be64(in);
	return error;
}

static const char *get_state(struct octets_in *in, struct lldp_msg *m)
{
	uint8_t state = octets_in_u8(in);

	if (!in->overrun && (state < LLDP_CONNECTING || state > LLDP_MISMATCH))
		return "invalid state";
	m->state = (enum lldp_state)state;
	return get_printable(in, m->text, sizeof(m->text));
}

static const char *get_remote(struct octets_in *in, struct lldp_remote *remote)
{
	const char *error = get_key(in, remote);

	if (!error)
		error = get_text(in, remote->sysname, sizeof(remote->sysname));
	if (!error)
		error = get_text(in, remote->management, sizeof(remote->management));
	remote->ttl = octets_in_be32(in);
	if (!error)
		error = get_tlvs(in, remote);
	return error || in->overrun ? error : lldp_remote_check(remote);
}

static const char *get_from_dcbd(struct octets_in *in, struct lldp_msg *m)
{
	switch (m->type) {
	case LLDP_MSG_SET:
		return get_set(in, m);
	case LLDP_MSG_FORGET:
	case LLDP_MSG_REFRESH:
		return get_ifname(in, m->remote.ifname);
	case LLDP_MSG_REPLAY:
		return get_replay(in, m);
	case LLDP_MSG_DESCRIBE:
		return get_describe(in, &m->system);
	case LLDP_MSG_ACK:
	case LLDP_MSG_PING:
		m->number = octets_in_be32(in);
		return NULL;
	case LLDP_MSG_END:
		return NULL;
	default:
		return "type of message not valid from dcbd";
	}
}

static const char *get_from_process(struct octets_in *in, struct lldp_msg *m)
{
	switch (m->type) {
	case LLDP_MSG_HELLO:
		return get_printable(in, m->text, sizeof(m->text));
	case LLDP_MSG_PONG:
		return get_pong(in, m);
	case LLDP_MSG_STATE:
		return get_state(in, m);
	case LLDP_MSG_ALL_REPORTED:
		return NULL;
	case LLDP_MSG_REMOTE:
		return get_remote(in, &m->remote);
	case LLDP_MSG_GONE:
		return get_key(in, &m->remote);
	default:
		return "type of message not valid from dcb-lldp";
	}
}

const char *lldp_msg_decode(const uint8_t *octets, size_t len, enum lldp_msg_from from,
			    struct lldp_msg *out)
{
	struct octets_in in = octets_in(octets, len);
	const char *error;
	uint8_t version;

	memset(out, 0, sizeof(*out));
	version = octets_in_u8(&in);
	out->type = (enum lldp_msg_type)octets_in_u8(&in);
	if (octets_in_be16(&in) != len || in.overrun || len > LLDP_MSG_MAX)
		return "length of message is wrong";
	if (version != LLDP_MSG_VERSION)
		return "unknown version";
	error = from == LLDP_MSG_FROM_DCBD ? get_from_dcbd(&in, out) : get_from_process(&in, out);
	if (in.overrun)
		return "truncated";
	if (!error && in.left > 0)
		return "octets after the end of the message";
	return error;
}

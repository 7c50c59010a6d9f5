/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/neighbor_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* Address family numbers of IANA, first octet of a network address. */
#define FAMILY_IPV4 1
#define FAMILY_IPV6 2

enum id_kind { ID_OTHER, ID_NAME, ID_MAC, ID_NETWORK };

static const uint8_t chassis_kinds[] = {
    [1] = ID_NAME, /* chassis component */
    [2] = ID_NAME, /* ifAlias */
    [3] = ID_NAME, /* port component */
    [LLDP_CHASSIS_MAC] = ID_MAC,
    [5] = ID_NETWORK,
    [6] = ID_NAME, /* ifName */
    [7] = ID_NAME, /* locally assigned */
};
static const uint8_t port_kinds[] = {
    [1] = ID_NAME, /* ifAlias */
    [2] = ID_NAME, /* port component */
    [LLDP_PORT_MAC] = ID_MAC,
    [4] = ID_NETWORK,
    [5] = ID_NAME,  /* ifName */
    [6] = ID_OTHER, /* agent circuit ID */
    [7] = ID_NAME,  /* locally assigned */
};

/* --- characters --------------------------------------------------------------------------- */

/* Decodes the UTF-8 character at p. Returns its length in octets; 0: invalid UTF-8. */
static size_t decode(const uint8_t *p, size_t left, uint32_t *c)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;

	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > left)
		return 0;
	*c = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return *c < lowest[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? 0 : n;
}

/* Excludes control, zero-width and bidirectional formatting characters and noncharacters. */
static bool is_safe(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && !(c >= 0x200b && c <= 0x200f) &&
	       !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff &&
	       (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

/* Returns the length in octets of the safe character at p; 0: invalid or unsafe. */
static size_t safe_length(const uint8_t *p, size_t left)
{
	uint32_t c;
	size_t n = decode(p, left, &c);

	return n && is_safe(c) ? n : 0;
}

static bool all_safe(const uint8_t *p, size_t len)
{
	for (size_t n; len > 0; p += n, len -= n) {
		n = safe_length(p, len);
		if (n == 0)
			return false;
	}
	return true;
}

void neighbor_name_text(const char *name, char text[NEIGHBOR_TEXT_OCTETS])
{
	const uint8_t *p = (const uint8_t *)name;
	size_t left = strnlen(name, NEIGHBOR_TEXT_OCTETS - 1);

	while (left > 0) {
		size_t n = safe_length(p, left);

		if (n)
			memcpy(text, p, n);
		else
			*text = '?';
		n = n ? n : 1;
		text += n;
		p += n;
		left -= n;
	}
	*text = '\0';
}

/* --- identifiers ---------------------------------------------------------------------------- */

static void hex_text(const uint8_t *p, size_t len, char text[NEIGHBOR_TEXT_OCTETS])
{
	const size_t fit = (NEIGHBOR_TEXT_OCTETS - sizeof("...")) / 3;
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < len && i < fit; i++)
		n += (size_t)snprintf(text + n, NEIGHBOR_TEXT_OCTETS - n, "%s%02x", i ? "-" : "",
				      p[i]);
	if (len > fit)
		snprintf(text + n, NEIGHBOR_TEXT_OCTETS - n, "...");
}

/* Returns false unless it is an IPv4 or IPv6 address of the right length. */
static bool network_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS])
{
	if (id->len == 1 + 4 && id->octets[0] == FAMILY_IPV4)
		return inet_ntop(AF_INET, id->octets + 1, text, NEIGHBOR_TEXT_OCTETS);
	if (id->len == 1 + 16 && id->octets[0] == FAMILY_IPV6)
		return inet_ntop(AF_INET6, id->octets + 1, text, NEIGHBOR_TEXT_OCTETS);
	return false;
}

static void id_text(const struct lldp_id *id, const uint8_t *kinds, size_t n_kinds,
		    char text[NEIGHBOR_TEXT_OCTETS])
{
	enum id_kind kind = id->subtype < n_kinds ? (enum id_kind)kinds[id->subtype] : ID_OTHER;

	if (kind == ID_NETWORK && network_text(id, text))
		return;
	if (kind == ID_NAME && id->len > 0 && all_safe(id->octets, id->len)) {
		memcpy(text, id->octets, id->len);
		text[id->len] = '\0';
		return;
	}
	hex_text(id->octets, id->len, text);
}

void neighbor_chassis_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS])
{
	id_text(id, chassis_kinds, sizeof(chassis_kinds), text);
}

void neighbor_port_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS])
{
	id_text(id, port_kinds, sizeof(port_kinds), text);
}

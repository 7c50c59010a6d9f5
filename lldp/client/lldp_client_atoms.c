/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/client/lldp_client_atoms.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a neighbor ----------------------------------------------------------------------------- */

/* The library numbers ID subtypes as 802.1AB does. false: not a valid ID. */
static bool take_id(lldpctl_atom_t *atom, lldpctl_key_t subtype, lldpctl_key_t id,
		    struct lldp_id *out)
{
	size_t n = 0;
	const uint8_t *octets = lldpctl_atom_get_buffer(atom, id, &n);
	long number = lldpctl_atom_get_int(atom, subtype);

	if (!octets || n == 0 || n > LLDP_ID_OCTETS || number < 0 || number > UINT8_MAX)
		return false;
	out->subtype = (uint8_t)number;
	out->len = (uint8_t)n;
	memcpy(out->octets, octets, n);
	return true;
}

/* false: not a valid organizationally specific TLV. */
static bool take_tlv(lldpctl_atom_t *atom, struct lldp_tlv *out)
{
	size_t n = 0;
	const uint8_t *octets = lldpctl_atom_get_buffer(atom, lldpctl_k_custom_tlv_oui, &n);
	long subtype = lldpctl_atom_get_int(atom, lldpctl_k_custom_tlv_oui_subtype);

	if (!octets || n != sizeof(out->oui) || subtype < 0 || subtype > UINT8_MAX)
		return false;
	memcpy(out->oui, octets, n);
	out->subtype = (uint8_t)subtype;
	n = 0;
	octets = lldpctl_atom_get_buffer(atom, lldpctl_k_custom_tlv_oui_info_string, &n);
	if (!octets)
		n = 0; /* the library returns NULL for an empty information string */
	if (n > LLDP_TLV_INFO_OCTETS)
		return false;
	out->len = (uint16_t)n;
	if (n)
		memcpy(out->info, octets, n);
	return true;
}

static bool is_dot1(lldpctl_atom_t *atom)
{
	static const uint8_t dot1[3] = {0x00, 0x80, 0xc2};
	size_t n = 0;
	const uint8_t *octets = lldpctl_atom_get_buffer(atom, lldpctl_k_custom_tlv_oui, &n);

	return octets && n == sizeof(dot1) && memcmp(octets, dot1, n) == 0;
}

/* Takes those of 802.1 first, so that TLVs of other OUIs cannot displace them. */
static bool take_tlvs(lldpctl_atom_t *neighbor, struct lldp_remote *out)
{
	lldpctl_atom_t *list = lldpctl_atom_get(neighbor, lldpctl_k_custom_tlvs), *tlv;
	bool ok = true;

	for (int others = 0; others < 2; others++) {
		lldpctl_atom_foreach (list, tlv) {
			if (out->n_tlvs < LLDP_TLVS_MAX && is_dot1(tlv) == !others)
				ok = take_tlv(tlv, &out->tlvs[out->n_tlvs++]) && ok;
		}
	}
	lldpctl_atom_dec_ref(list);
	return ok;
}

/* Whether text is an address by which systems on other links may reach the neighbor. */
static bool is_reachable(const char *text)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1)
		return v4.s_addr != htonl(INADDR_ANY) && ntohl(v4.s_addr) >> 24 != IN_LOOPBACKNET;
	return inet_pton(AF_INET6, text, &v6) == 1 && !IN6_IS_ADDR_LINKLOCAL(&v6) &&
	       !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_UNSPECIFIED(&v6);
}

/* Takes the first of these. Of other management addresses the library has no text. */
static void take_management(lldpctl_atom_t *neighbor, struct lldp_remote *out)
{
	lldpctl_atom_t *list = lldpctl_atom_get(neighbor, lldpctl_k_chassis_mgmt), *address;

	lldpctl_atom_foreach (list, address) {
		const char *text = lldpctl_atom_get_str(address, lldpctl_k_mgmt_ip);

		if (text && !out->management[0] && strlen(text) < sizeof(out->management) &&
		    is_reachable(text))
			strcpy(out->management, text);
	}
	lldpctl_atom_dec_ref(list);
}

bool atoms_remote(lldpctl_atom_t *neighbor, const char *ifname, struct lldp_remote *out)
{
	const char *text = lldpctl_atom_get_str(neighbor, lldpctl_k_port_protocol);
	long ttl = lldpctl_atom_get_int(neighbor, lldpctl_k_port_ttl);

	if (!ifname || strlen(ifname) >= sizeof(out->ifname) || !text || strcmp(text, "LLDP") != 0)
		return false;
	memset(out, 0, sizeof(*out));
	snprintf(out->ifname, sizeof(out->ifname), "%s", ifname);
	if (ttl < 0 || ttl > UINT16_MAX ||
	    !take_id(neighbor, lldpctl_k_chassis_id_subtype, lldpctl_k_chassis_id, &out->chassis) ||
	    !take_id(neighbor, lldpctl_k_port_id_subtype, lldpctl_k_port_id, &out->port))
		return false;
	out->ttl = (uint32_t)ttl;
	text = lldpctl_atom_get_str(neighbor, lldpctl_k_chassis_name);
	snprintf(out->sysname, sizeof(out->sysname), "%s", text ? text : "");
	take_management(neighbor, out);
	return take_tlvs(neighbor, out);
}

/* --- length of the frames that lldpd sends --------------------------------------------------- */

#define TLV_HEADER 2
#define ORG_HEADER (TLV_HEADER + 3 + 1)

static size_t str_tlv(lldpctl_atom_t *atom, lldpctl_key_t key, size_t header)
{
	const char *text = lldpctl_atom_get_str(atom, key);

	return text && *text ? header + strlen(text) : 0;
}

static size_t id_tlv(lldpctl_atom_t *atom, lldpctl_key_t key)
{
	size_t n = 0;

	return lldpctl_atom_get_buffer(atom, key, &n) ? TLV_HEADER + 1 + n : TLV_HEADER + 1;
}

/* Octets of a list of TLVs: each octets and a name (is_text) or value for each. */
static size_t list_tlvs(lldpctl_atom_t *port, lldpctl_key_t list_key, lldpctl_key_t value,
			bool is_text, size_t each)
{
	lldpctl_atom_t *list = lldpctl_atom_get(port, list_key), *item;
	size_t sum = 0;

	lldpctl_atom_foreach (list, item) {
		size_t n = 0;

		sum += each;
		if (is_text)
			sum += str_tlv(item, value, 0);
		else if (value && lldpctl_atom_get_buffer(item, value, &n))
			sum += n;
	}
	lldpctl_atom_dec_ref(list);
	return sum;
}

/*
 * LLDP-MED TLVs of an endpoint (lldpd -M): capabilities and inventory, 100 octets for
 * policies and a location.
 */
static size_t med_octets(lldpctl_atom_t *port)
{
	static const lldpctl_key_t inventory[] = {
	    lldpctl_k_chassis_med_inventory_hw,    lldpctl_k_chassis_med_inventory_fw,
	    lldpctl_k_chassis_med_inventory_sw,    lldpctl_k_chassis_med_inventory_sn,
	    lldpctl_k_chassis_med_inventory_manuf, lldpctl_k_chassis_med_inventory_model,
	    lldpctl_k_chassis_med_inventory_asset,
	};
	size_t sum = ORG_HEADER + 3;

	if (lldpctl_atom_get_int(port, lldpctl_k_chassis_med_type) <= 0)
		return 0;
	for (size_t i = 0; i < sizeof(inventory) / sizeof(inventory[0]); i++)
		sum += ORG_HEADER + (str_tlv(port, inventory[i], 0) ? 32U : 0U);
	return sum + 100;
}

/*
 * Octets of a frame without custom TLVs, with the Ethernet header: lldpd requires the
 * whole frame, not only the LLDPDU, to fit into the interface's MTU. A TLV counts as
 * sent where the library does not say whether it is.
 */
static size_t frame_octets(lldpctl_atom_t *port)
{
	size_t sum = 14 + 4; /* header, and a VLAN tag */

	sum += id_tlv(port, lldpctl_k_chassis_id) + id_tlv(port, lldpctl_k_port_id);
	sum += 4 + 2; /* time to live, end */
	sum += str_tlv(port, lldpctl_k_chassis_name, TLV_HEADER);
	sum += str_tlv(port, lldpctl_k_chassis_descr, TLV_HEADER);
	sum += str_tlv(port, lldpctl_k_port_descr, TLV_HEADER);
	sum += 6; /* capabilities */
	/* Management addresses: the longest is IPv6. */
	sum += list_tlvs(port, lldpctl_k_chassis_mgmt, 0, false, TLV_HEADER + 2 + 16 + 6);
	/* 802.1: port VLAN, port and protocol VLANs, VLAN names, protocol identities. */
	sum += lldpctl_atom_get_int(port, lldpctl_k_port_vlan_pvid) > 0 ? ORG_HEADER + 2 : 0;
	sum += list_tlvs(port, lldpctl_k_port_ppvids, 0, false, ORG_HEADER + 3);
	sum += list_tlvs(port, lldpctl_k_port_vlans, lldpctl_k_vlan_name, true, ORG_HEADER + 3);
	sum += list_tlvs(port, lldpctl_k_port_pis, lldpctl_k_pi_id, false, ORG_HEADER + 1);
	/* 802.3: aggregation, MAC and PHY, frame size, power. */
	sum += ORG_HEADER + 5 + ORG_HEADER + 5 + ORG_HEADER + 2;
	sum += lldpctl_atom_get_int(port, lldpctl_k_dot3_power_devicetype) > 0 ? 31 : 0;
	return sum + med_octets(port);
}

static const char *const statuses[] = {
    [PORT_TX_ONLY] = "TX only",
    [PORT_RX_ONLY] = "RX only",
    [PORT_DISABLED] = "disabled",
    [PORT_RX_TX] = "RX and TX",
};

const char *atoms_status(enum port_status status)
{
	return statuses[status];
}

static enum port_status take_status(lldpctl_atom_t *port)
{
	const char *text = lldpctl_atom_get_str(port, lldpctl_k_port_status);

	for (enum port_status s = PORT_TX_ONLY; text && s <= PORT_RX_TX; s++)
		if (strcmp(text, statuses[s]) == 0)
			return s;
	return 0;
}

bool atoms_port(lldpctl_atom_t *port, struct conn_port *out)
{
	lldpctl_atom_t *list = lldpctl_atom_get(port, lldpctl_k_custom_tlvs), *tlv;
	bool is_default = !lldpctl_atom_get_str(port, lldpctl_k_port_name);
	size_t n = 0;

	*out = (struct conn_port){.status = take_status(port)};
	if (!is_default)
		out->octets = frame_octets(port);
	lldpctl_atom_foreach (list, tlv) {
		n++;
	}
	out->tlvs = calloc(n ? n : 1, sizeof(*out->tlvs));
	if (out->tlvs) {
		lldpctl_atom_foreach (list, tlv) {
			if (take_tlv(tlv, &out->tlvs[out->n]))
				out->n++;
		}
	}
	lldpctl_atom_dec_ref(list);
	return out->tlvs;
}

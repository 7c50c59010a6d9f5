/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/varbind.h"

#include <string.h>

/* The library sign-extends received sub-identifiers of 2^31 and more; the cast reverts that. */
bool varbind_oid_from(const oid *name, size_t len, struct mib_oid *out)
{
	if (len > MIB_OID_MAX)
		return false;
	out->n = (uint8_t)len;
	for (size_t i = 0; i < len; i++)
		out->sub[i] = (uint32_t)name[i];
	return true;
}

void varbind_oid_to(netsnmp_variable_list *vb, const struct mib_oid *in)
{
	oid name[MIB_OID_MAX];

	for (unsigned i = 0; i < in->n; i++)
		name[i] = in->sub[i];
	snmp_set_var_objid(vb, name, in->n);
}

static int asn_type(enum mo_syntax syntax)
{
	switch (syntax) {
	case MO_UNSIGNED32:
		return ASN_GAUGE;
	case MO_COUNTER32:
		return ASN_COUNTER;
	case MO_COUNTER64:
	case MO_GAUGE64:
		return ASN_COUNTER64;
	case MO_TIMETICKS:
		return ASN_TIMETICKS;
	case MO_OCTETS:
	case MO_STRING:
	case MO_BITS:
	case MO_VLANS:
		return ASN_OCTET_STR;
	default:
		return ASN_INTEGER;
	}
}

void varbind_value_to(netsnmp_variable_list *vb, const struct mo_value *value)
{
	u_char type = (u_char)asn_type(value->syntax);

	if (type == ASN_OCTET_STR) {
		snmp_set_var_typed_value(vb, type, value->octets, value->len);
	} else if (type == ASN_COUNTER64) {
		struct counter64 c = {.high = (uint32_t)((uint64_t)value->num >> 32),
				      .low = (uint32_t)value->num};

		snmp_set_var_typed_value(vb, type, &c, sizeof(c));
	} else {
		snmp_set_var_typed_integer(vb, type, (long)value->num);
	}
}

bool varbind_value_from(const netsnmp_variable_list *vb, struct mo_value *value)
{
	static const struct {
		u_char asn;
		enum mo_syntax syntax;
	} numbers[] = {
	    {ASN_INTEGER, MO_INTEGER32},
	    {ASN_GAUGE, MO_UNSIGNED32},
	    {ASN_COUNTER, MO_COUNTER32},
	    {ASN_TIMETICKS, MO_TIMETICKS},
	};

	memset(value, 0, sizeof(*value));
	switch (vb->type) {
	case ASN_OCTET_STR:
		value->syntax = MO_OCTETS;
		value->len = vb->val_len > MO_OCTETS_MAX ? MO_OCTETS_MAX : (uint8_t)vb->val_len;
		memcpy(value->octets, vb->val.string, value->len);
		return true;
	case ASN_COUNTER64:
		value->syntax = MO_COUNTER64;
		value->num = (int64_t)((uint64_t)vb->val.counter64->high << 32 |
				       (vb->val.counter64->low & UINT32_MAX));
		return true;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].asn != vb->type)
			continue;
		value->syntax = numbers[i].syntax;
		value->num = vb->type == ASN_INTEGER ? (int32_t)*vb->val.integer
						     : (int64_t)(uint32_t)*vb->val.integer;
		return true;
	}
	return false;
}

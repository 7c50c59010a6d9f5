/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_stock.h"

#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <string.h>

/* --- conversion between the types of the library and of mo.h ----------------------- */

/*
 * Converts an OID of the library. The library sign-extends received
 * sub-identifiers of 2^31 and more; the cast reverts that. false: longer than
 * MIB_OID_MAX.
 */
static bool oid_from(const oid *name, size_t len, struct mib_oid *out)
{
	if (len > MIB_OID_MAX)
		return false;
	out->n = (uint8_t)len;
	for (size_t i = 0; i < len; i++)
		out->sub[i] = (uint32_t)name[i];
	return true;
}

static void oid_to(netsnmp_variable_list *vb, const struct mib_oid *in)
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

static void value_to(netsnmp_variable_list *vb, const struct mo_value *value)
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

/*
 * Converts the value of a varbind. A string that is too long is cut to one
 * octet more than any object has. false: no object has this type.
 */
static bool value_from(const netsnmp_variable_list *vb, struct mo_value *value)
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

/* --- Get and GetNext -------------------------------------------------------------------- */

static void stock_get(struct agentx_stock *stock, int64_t now_ms, netsnmp_agent_request_info *info,
		      netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	struct mo_value value;
	struct mib_oid name;
	enum mib_result result = MIB_NO_SUCH_OBJECT;

	if (oid_from(vb->name, vb->name_length, &name))
		result = mib_get(stock->mib, now_ms, &name, &value);
	if (result == MIB_OK)
		value_to(vb, &value);
	else if (result == MIB_NO_SUCH_OBJECT)
		netsnmp_set_request_error(info, request, SNMP_NOSUCHOBJECT);
	else if (result == MIB_NO_SUCH_INSTANCE)
		netsnmp_set_request_error(info, request, SNMP_NOSUCHINSTANCE);
	else
		netsnmp_set_request_error(info, request, SNMP_ERR_GENERR);
}

/*
 * The library passes a varbind without a result to the next registration, after
 * the last one it is endOfMibView.
 */
static void stock_next(struct agentx_stock *stock, int64_t now_ms, netsnmp_agent_request_info *info,
		       netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	struct mib_oid start, end, next;
	enum mib_result result = MIB_END;
	struct mo_value value;

	if (oid_from(vb->name, vb->name_length, &start) &&
	    oid_from(request->range_end, request->range_end_len, &end))
		result = mib_next(stock->mib, now_ms, &start, request->inclusive != 0, &end, &next,
				  &value);
	if (result == MIB_OK) {
		oid_to(vb, &next);
		value_to(vb, &value);
	} else if (result == MIB_GEN_ERR) {
		netsnmp_set_request_error(info, request, SNMP_ERR_GENERR);
	}
}

/* --- Set --------------------------------------------------------------------------------- */

static void stock_add(struct agentx_stock *stock, int64_t now_ms, netsnmp_agent_request_info *info,
		      netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	enum mo_error error = MO_NOT_WRITABLE;
	struct mo_value value;
	struct mib_oid name;

	(void)now_ms;
	if (oid_from(vb->name, vb->name_length, &name))
		error = mib_txn_add(stock->txn, (uint32_t)info->asp->pdu->transid,
				    (unsigned)request->index, &name,
				    value_from(vb, &value) ? &value : NULL);
	if (error == MO_NO_ERROR && vb->type == ASN_OCTET_STR && vb->val_len > MO_OCTETS_MAX)
		error = MO_WRONG_LENGTH;
	if (error != MO_NO_ERROR)
		netsnmp_set_request_error(info, request, (int)error);
}

/*
 * Reports the result of a step to the library. The varbind in question may be
 * in the call of another registration.
 */
static void stock_report(netsnmp_agent_request_info *info, netsnmp_request_info *requests,
			 enum mo_error error, unsigned number)
{
	if (error == MO_NO_ERROR)
		return;
	if (number == 0)
		netsnmp_set_request_error(info, requests, (int)error);
	for (netsnmp_request_info *r = requests; r && number; r = r->next)
		if ((unsigned)r->index == number)
			netsnmp_set_request_error(info, r, (int)error);
}

static void stock_step(struct agentx_stock *stock, netsnmp_agent_request_info *info,
		       netsnmp_request_info *requests)
{
	uint32_t id = (uint32_t)info->asp->pdu->transid;
	enum mo_error error = MO_NO_ERROR;
	unsigned number = 0;

	switch (info->mode) {
	case MODE_SET_RESERVE2:
		error = mib_txn_test(stock->txn, id, &number);
		break;
	case MODE_SET_ACTION:
		error = mib_txn_commit(stock->txn, id, &number);
		break;
	case MODE_SET_UNDO:
		error = mib_txn_undo(stock->txn, id);
		break;
	case MODE_SET_COMMIT:
	case MODE_SET_FREE:
		mib_txn_end(stock->txn, id);
		break;
	}
	stock_report(info, requests, error, number);
}

static int stock_handler(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
			 netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	struct agentx_stock *stock = handler->myvoid;
	int64_t now_ms = stock->now_ms();
	void (*each)(struct agentx_stock *, int64_t, netsnmp_agent_request_info *,
		     netsnmp_request_info *);

	(void)registration;
	switch (info->mode) {
	case MODE_GET:
		each = stock_get;
		break;
	case MODE_GETNEXT:
		each = stock_next;
		break;
	case MODE_SET_RESERVE1:
		each = stock_add;
		break;
	default:
		stock_step(stock, info, requests);
		return SNMP_ERR_NOERROR;
	}
	for (netsnmp_request_info *r = requests; r; r = r->next)
		if (!r->processed)
			each(stock, now_ms, info, r);
	return SNMP_ERR_NOERROR;
}

netsnmp_handler_registration *agentx_stock_register(struct agentx_stock *stock,
						    const struct mib_oid *root)
{
	netsnmp_handler_registration *registration;
	oid name[MIB_OID_MAX];

	for (unsigned i = 0; i < root->n; i++)
		name[i] = root->sub[i];
	registration = netsnmp_create_handler_registration("dcb", stock_handler, name, root->n,
							   HANDLER_CAN_RWRITE);
	if (!registration)
		return NULL;
	registration->handler->myvoid = stock;
	/* On an error the library has freed it. */
	return netsnmp_register_handler(registration) == MIB_REGISTERED_OK ? registration : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/dlmod_handler.h"

#include "agent/varbind.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <string.h>

/* --- Get and GetNext -------------------------------------------------------------------- */

static void handle_get(struct dlmod_objects *objects, int64_t now_ms,
		       netsnmp_agent_request_info *info, netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	struct mo_value value;
	struct mib_oid name;
	enum mib_result result = MIB_NO_SUCH_OBJECT;

	if (varbind_oid_from(vb->name, vb->name_length, &name))
		result = mib_get(objects->mib, now_ms, &name, &value);
	if (result == MIB_OK)
		varbind_value_to(vb, &value);
	else if (result == MIB_LATE)
		request->delegated = 1;
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
static void handle_next(struct dlmod_objects *objects, int64_t now_ms,
			netsnmp_agent_request_info *info, netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	struct mib_oid start, end, next;
	enum mib_result result = MIB_END;
	struct mo_value value;

	if (varbind_oid_from(vb->name, vb->name_length, &start) &&
	    varbind_oid_from(request->range_end, request->range_end_len, &end))
		result = mib_next(objects->mib, now_ms, &start, request->inclusive != 0, &end,
				  &next, &value);
	if (result == MIB_OK) {
		varbind_oid_to(vb, &next);
		varbind_value_to(vb, &value);
	} else if (result == MIB_LATE) {
		request->delegated = 1;
	} else if (result != MIB_END) {
		netsnmp_set_request_error(info, request, SNMP_ERR_GENERR);
	}
}

/* --- Set --------------------------------------------------------------------------------- */

static void handle_add(struct dlmod_objects *objects, int64_t now_ms,
		       netsnmp_agent_request_info *info, netsnmp_request_info *request)
{
	netsnmp_variable_list *vb = request->requestvb;
	enum mo_error error = MO_NOT_WRITABLE;
	struct mo_value value;
	struct mib_oid name;

	(void)now_ms;
	if (varbind_oid_from(vb->name, vb->name_length, &name))
		error = mib_txn_add(objects->txn, (uint32_t)info->asp->pdu->transid,
				    (unsigned)request->index, &name,
				    varbind_value_from(vb, &value) ? &value : NULL);
	if (error == MO_NO_ERROR && vb->type == ASN_OCTET_STR && vb->val_len > MO_OCTETS_MAX)
		error = MO_WRONG_LENGTH;
	if (error != MO_NO_ERROR)
		netsnmp_set_request_error(info, request, (int)error);
}

/*
 * Reports the result of a step to the library. The varbind in question may be
 * in the call of another registration.
 */
static void handle_report(netsnmp_agent_request_info *info, netsnmp_request_info *requests,
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

static void handle_step(struct dlmod_objects *objects, netsnmp_agent_request_info *info,
			netsnmp_request_info *requests)
{
	uint32_t id = (uint32_t)info->asp->pdu->transid;
	enum mo_error error = MO_NO_ERROR;
	unsigned number = 0;

	switch (info->mode) {
	case MODE_SET_RESERVE2:
		error = mib_txn_test(objects->txn, id, &number);
		break;
	case MODE_SET_ACTION:
		error = mib_txn_commit(objects->txn, id, &number);
		break;
	case MODE_SET_UNDO:
		error = mib_txn_undo(objects->txn, id);
		break;
	case MODE_SET_COMMIT:
	case MODE_SET_FREE:
		mib_txn_end(objects->txn, id);
		break;
	}
	handle_report(info, requests, error, number);
}

int dlmod_handler(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
		  netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	struct dlmod_objects *objects = handler->myvoid;
	int64_t now_ms = objects->now_ms();
	void (*each)(struct dlmod_objects *, int64_t, netsnmp_agent_request_info *,
		     netsnmp_request_info *);

	(void)registration;
	switch (info->mode) {
	case MODE_GET:
		each = handle_get;
		break;
	case MODE_GETNEXT:
		each = handle_next;
		break;
	case MODE_SET_RESERVE1:
		each = handle_add;
		break;
	default:
		handle_step(objects, info, requests);
		return SNMP_ERR_NOERROR;
	}
	for (netsnmp_request_info *r = requests; r; r = r->next)
		if (!r->processed)
			each(objects, now_ms, info, r);
	return SNMP_ERR_NOERROR;
}

/*
 * The mode is that of the request. The library turns a GETBULK into several
 * GetNext by a handler of its own, whose second half is left to do here.
 */
bool dlmod_retry(struct dlmod_objects *objects, int64_t now_ms, netsnmp_agent_request_info *info,
		 netsnmp_request_info *requests)
{
	bool complete = true;

	for (netsnmp_request_info *r = requests; r; r = r->next) {
		if (!r->delegated)
			continue;
		r->delegated = 0;
		if (info->mode == MODE_GET)
			handle_get(objects, now_ms, info, r);
		else
			handle_next(objects, now_ms, info, r);
		complete &= !r->delegated;
	}
	if (complete && info->mode == MODE_GETBULK)
		netsnmp_bulk_to_next_fix_requests(requests);
	return complete;
}

netsnmp_handler_registration *dlmod_register(struct dlmod_objects *objects,
					     const struct mib_oid *root,
					     Netsnmp_Node_Handler *handler)
{
	netsnmp_handler_registration *registration;
	oid name[MIB_OID_MAX];

	for (unsigned i = 0; i < root->n; i++)
		name[i] = root->sub[i];
	registration =
	    netsnmp_create_handler_registration("dcb", handler, name, root->n, HANDLER_CAN_RWRITE);
	if (!registration)
		return NULL;
	registration->handler->myvoid = objects;
	/* On an error the library has freed it. */
	return netsnmp_register_handler(registration) == MIB_REGISTERED_OK ? registration : NULL;
}

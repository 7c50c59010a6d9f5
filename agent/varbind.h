/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion between the types of Net-SNMP's library and those of mo.h. */
#ifndef DCB_AGENT_VARBIND_H
#define DCB_AGENT_VARBIND_H

#include "agent/mib_oid.h"
#include "lib/mo/mo.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

/* Converts an OID of the library. false: longer than MIB_OID_MAX. */
bool varbind_oid_from(const oid *name, size_t len, struct mib_oid *out);
/* Sets the name of a varbind. */
void varbind_oid_to(netsnmp_variable_list *vb, const struct mib_oid *in);
/* Sets type and value of a varbind. */
void varbind_value_to(netsnmp_variable_list *vb, const struct mo_value *value);
/*
 * Converts the value of a varbind. A string that is too long is cut to one
 * octet more than any object has. false: no object has this type.
 */
bool varbind_value_from(const netsnmp_variable_list *vb, struct mo_value *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The files and system calls of dcb-agentx. */
#ifndef DCB_AGENT_AGENTX_CONFINE_H
#define DCB_AGENT_AGENTX_CONFINE_H

/*
 * Confines dcb-agentx as lib/confine.h describes, as far as the kernel can: it opens no file
 * but its log, it connects to sockets and starts no program. With a master on TCP it can
 * read /etc and load libraries, which looking up a name of a host needs. master: the address
 * of option -x, NULL: Net-SNMP's default.
 */
void agentx_confine(const char *master);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connects to a master without waiting. The transports of Net-SNMP's library
 * connect in blocking mode: connect() to the socket of a master that is stopped
 * does not return once the queue of the socket is full.
 */
#ifndef DCB_AGENT_AGENTX_CONNECT_H
#define DCB_AGENT_AGENTX_CONNECT_H

#include <stdbool.h>

/*
 * Whether address is one of unix:/path, /path, tcp:host:port, tcp6:host:port,
 * with a path that fits into a socket address. A literal IPv6 address stands in
 * brackets.
 */
bool agentx_address_is_valid(const char *address);

/*
 * Returns a stream socket that is connected or will be: it is writable when the
 * attempt has ended, see agentx_connect_result(). -1: failed, errno says why. A
 * host name is resolved before that, which can take the resolver's time limit.
 */
int agentx_connect(const char *address);

/*
 * Ends an attempt: the socket is in blocking mode afterwards. false: not
 * connected, errno says why.
 */
bool agentx_connect_result(int fd);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What clients can cost, however many there are and whatever they send: our choice. */
#ifndef DCB_AGENT_EXPORTER_LIMITS_H
#define DCB_AGENT_EXPORTER_LIMITS_H

#define SERVER_DESCRIPTORS 64   /* open files and connections; more clients wait in the kernel */
#define SERVER_ANSWERS_MAX 8    /* answers with rows at a time; others get status 503 */
#define SERVER_IDLE_S      10   /* without an octet to or from a client */
#define SERVER_ANSWER_S    60   /* for one answer */
#define SERVER_REQUEST_S   20   /* for one request, from its first octet */
#define SERVER_HEADER_MAX  8192 /* octets of the header of a request, and of its body */
#define SERVER_INPUT_MAX   (4 * SERVER_HEADER_MAX) /* octets of a client that wait */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Particularities of libnetsnmpagent 5.9, and the functions that handle them:
 *
 * - The library's subagent opens the session with the master, registers, pings and
 *   opens it again. Each of these blocks for seconds if the master does not
 *   respond; a refused registration is only logged, and after a disconnection
 *   while it registers, register_mib_reattach() marks subtrees as registered that
 *   are not. Therefore it gets no session: keep_from_connecting().
 * - Requests reach its handlers by a session over a transport of our own, which
 *   has no connection: agentx_library_request() makes it read one PDU, and its
 *   Response goes to the function of the caller. The functions of the library's
 *   subagent that convert PDUs are in no installed header.
 * - A request passes several pipes inside the library: pump() repeats until
 *   select() reports no descriptor.
 * - The start has an order, kept by agentx_library_start() and
 *   library_configure(): subagent role; logging; what to switch off (parsing MIB
 *   files, reading configuration files, writing state to the persistent
 *   directory, SIGALRM); init_agent(); the handlers; init_snmp().
 * - The library frees the client argument of every callback when it shuts down:
 *   it is NULL everywhere, and the state is in one static variable.
 */
#include "agent/agentx_library.h"

#include "agent/agentx_pdu.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>
#include <net-snmp/library/large_fd_set.h>

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>

#define APP_NAME        "dcb-agentx"
#define SESSION_VERSION 0xc1 /* AGENTX_VERSION_1 of the library */

/* Exported by libnetsnmpagent, in no installed header. */
int agentx_parse(netsnmp_session *session, netsnmp_pdu *pdu, u_char *data, size_t len);
int agentx_realloc_build(netsnmp_session *session, netsnmp_pdu *pdu, u_char **buf, size_t *buf_len,
			 size_t *out_len);
int agentx_check_packet(u_char *packet, size_t len);
int handle_agentx_packet(int operation, netsnmp_session *session, int reqid, netsnmp_pdu *pdu,
			 void *magic);
int subagent_startup(int major, int minor, void *server_arg, void *client_arg);

static struct {
	void (*send)(const uint8_t *octets, size_t len);
	netsnmp_session *session;
	netsnmp_transport *transport;
	const uint8_t *pdu; /* the request to be read */
	size_t left;
	netsnmp_large_fd_set readable;
} lib;

/* --- log ---------------------------------------------------------------------- */

static int on_log(int major, int minor, void *server_arg, void *client_arg)
{
	const struct snmp_log_message *m = server_arg;
	int len = (int)strcspn(m->msg, "\n");

	(void)major, (void)minor, (void)client_arg;
	if (m->priority <= LOG_ERR)
		log_error("snmp", "%.*s", len, m->msg);
	else if (m->priority == LOG_WARNING)
		log_warn("snmp", "%.*s", len, m->msg);
	else
		log_debug("snmp", "%.*s", len, m->msg);
	return 0;
}

/* --- transport ------------------------------------------------------------------ */

/* Returning 0 with this flag means "no octets now", without it the end of the connection. */
static int on_recv(netsnmp_transport *t, void *buf, int size, void **opaque, int *olength)
{
	size_t n = lib.left < (size_t)size ? lib.left : (size_t)size;

	*opaque = NULL;
	*olength = 0;
	if (n == 0)
		t->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
	else
		memcpy(buf, lib.pdu, n);
	lib.pdu += n;
	lib.left -= n;
	return (int)n;
}

/* A Response that is too long for the master is replaced. */
static int on_send(netsnmp_transport *t, const void *buf, int size, void **opaque, int *olength)
{
	uint8_t small[64];
	struct octets_out out = octets_out(small, sizeof(small));
	struct agentx_header h;

	(void)t, (void)opaque, (void)olength;
	if (size <= AGENTX_PDU_MAX) {
		lib.send(buf, (size_t)size);
	} else if (agentx_get_header(buf, &h)) {
		agentx_put_too_big(&out, &h);
		lib.send(out.start, out.len);
	}
	return size;
}

static int on_close(netsnmp_transport *t)
{
	if (t->sock >= 0)
		close(t->sock);
	t->sock = -1;
	return 0;
}

static char *on_format(netsnmp_transport *t, const void *data, int len)
{
	(void)t, (void)data, (void)len;
	return strdup("master");
}

/* The library closes a session whose transport has no descriptor: this one is never readable. */
static bool open_transport(void)
{
	netsnmp_transport *t = calloc(1, sizeof(*t));

	if (!t)
		return false;
	t->sock = eventfd(0, EFD_CLOEXEC);
	t->flags = NETSNMP_TRANSPORT_FLAG_STREAM | NETSNMP_TRANSPORT_FLAG_OPENED;
	t->msgMaxSize = INT32_MAX; /* or the library drops long Responses without a word */
	t->f_recv = on_recv;
	t->f_send = on_send;
	t->f_close = on_close;
	t->f_fmtaddr = on_format;
	lib.transport = t;
	return t->sock >= 0;
}

static bool open_session(void)
{
	netsnmp_session session;

	snmp_sess_init(&session);
	session.version = SESSION_VERSION;
	session.flags |= SNMP_FLAGS_STREAM_SOCKET;
	session.callback = handle_agentx_packet;
	session.securityModel = SNMP_DEFAULT_SECMODEL; /* the library stores its ping timer here */
	if (!open_transport())
		return false;
	lib.session = snmp_add_full(&session, lib.transport, NULL, agentx_parse, NULL, NULL,
				    agentx_realloc_build, agentx_check_packet, NULL);
	if (lib.session)
		lib.session->securityModel = SNMP_DEFAULT_SECMODEL;
	return lib.session;
}

/* --- requests ------------------------------------------------------------------- */

/* Processes all messages in the library's pipes. */
static void pump(void)
{
	struct timeval timeout;
	int n_fds, block;

	for (;;) {
		n_fds = 0;
		block = 1;
		timerclear(&timeout);
		NETSNMP_LARGE_FD_ZERO(&lib.readable);
		snmp_select_info2(&n_fds, &lib.readable, &timeout, &block);
		timerclear(&timeout);
		if (netsnmp_large_fd_set_select(n_fds, &lib.readable, NULL, NULL, &timeout) <= 0)
			break;
		snmp_read2(&lib.readable);
		netsnmp_check_outstanding_agent_requests();
	}
}

void agentx_library_request(const uint8_t *pdu, size_t len)
{
	lib.pdu = pdu;
	lib.left = len;
	while (lib.left > 0) {
		NETSNMP_LARGE_FD_ZERO(&lib.readable);
		NETSNMP_LARGE_FD_SET(lib.transport->sock, &lib.readable);
		snmp_sess_read2(snmp_sess_pointer(lib.session), &lib.readable);
	}
	pump();
}

/* --- start and stop --------------------------------------------------------------- */

static void library_configure(void)
{
	const int ds = NETSNMP_DS_LIBRARY_ID;

	netsnmp_enable_subagent();
	snmp_disable_log();
	snmp_enable_calllog();
	snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, on_log, NULL);
	setenv("MIBS", "", 1);
	netsnmp_ds_set_boolean(ds, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
	netsnmp_ds_set_boolean(ds, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_boolean(ds, NETSNMP_DS_LIB_ALARM_DONT_USE_SIG, 1);
}

/* init_agent() has asked for a call when the configuration has been read. */
static void keep_from_connecting(void)
{
	snmp_unregister_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_POST_READ_CONFIG,
				 subagent_startup, NULL, 0);
}

static bool register_handlers(struct stock *stock)
{
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned n = mib_roots(stock->mib, roots);

	for (unsigned i = 0; i < n; i++) {
		if (!stock_register(stock, &roots[i].oid, stock_handler)) {
			log_error("agentx", "cannot register %s", roots[i].module);
			return false;
		}
	}
	return true;
}

bool agentx_library_start(struct stock *stock, void (*send)(const uint8_t *octets, size_t len))
{
	lib.send = send;
	netsnmp_large_fd_set_init(&lib.readable, FD_SETSIZE);
	library_configure();
	if (init_agent(APP_NAME) != 0) {
		log_error("agentx", "init_agent() failed");
		return false;
	}
	keep_from_connecting();
	if (!register_handlers(stock))
		return false;
	init_snmp(APP_NAME);
	if (!open_session()) {
		log_error("agentx", "out of memory");
		return false;
	}
	return true;
}

void agentx_library_stop(void)
{
	if (lib.session)
		snmp_close(lib.session);
	lib.session = NULL;
	snmp_shutdown(APP_NAME);
	shutdown_agent();
	netsnmp_large_fd_set_cleanup(&lib.readable);
}

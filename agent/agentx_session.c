/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Particularities of libnetsnmpagent 5.9, and the functions that handle them:
 *
 * - The start has an order, kept by library_start() and library_configure():
 *   subagent role; logging; what to switch off (parsing MIB files, reading
 *   configuration files, writing state to the persistent directory, SIGALRM);
 *   the master's address; init_agent(), which resets the ping interval; the ping
 *   interval; the registrations; init_snmp(), which connects.
 * - Pings and connection attempts are synchronous, with five repetitions of one
 *   second each unless the session is configured otherwise: on_session_init().
 * - The library does not report whether the master accepts a registration:
 *   agentx_register.c.
 * - A new session often gets the file descriptor number of the old one, which
 *   epoll has removed: sessions_seen makes rearm() add all descriptors again.
 * - A request passes several pipes inside the library: pump() repeats until
 *   select() reports no descriptor, or the library waits for its next timer.
 * - The library frees the client argument of every callback when it shuts down:
 *   it is NULL everywhere, and the state is in one static variable.
 * - send_v2trap() does not report the result of a notification: notify() builds
 *   the Notify PDU itself, and the library calls on_notified() with its Response
 *   or when it times out.
 * - Writing to a socket that the master has closed raises SIGPIPE: ignored.
 */
#include "agent/agentx_session.h"

#include "agent/agentx_fast.h"
#include "agent/agentx_register.h"
#include "lib/log.h"
#include "agent/notifier.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>
#include <net-snmp/agent/agent_callbacks.h>
#include <net-snmp/library/large_fd_set.h>

#include <event2/event.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#define APP_NAME       "dcb-agentx"
#define AGENTX_VERSION 0xc1 /* the library's session version of AgentX, in no installed header */
#define AGENTX_NOTIFY  12   /* agentx-Notify-PDU, RFC 2741, 6.2.10 */
#define SOCKETS_MAX    32

static struct {
	struct agentx_session_config config;
	struct agentx_stock *stock;
	struct event_base *base;
	struct event *timer;
	struct event *sockets[SOCKETS_MAX];
	unsigned n_sockets;
	netsnmp_session *session; /* with the master; NULL: none */
	unsigned sessions_seen, sessions_armed;
	struct notifier *notifier;
	netsnmp_large_fd_set watched, readable;
} s;

/* --- log ---------------------------------------------------------------------- */

static int on_log(int major, int minor, void *server_arg, void *client_arg)
{
	const struct snmp_log_message *m = server_arg;
	int len = (int)strcspn(m->msg, "\n");

	(void)major, (void)minor, (void)client_arg;
	if (agentx_register_take_log(m->msg))
		return 0;
	if (m->priority <= LOG_ERR)
		log_error("snmp", "%.*s", len, m->msg);
	else if (m->priority == LOG_WARNING)
		log_warn("snmp", "%.*s", len, m->msg);
	else
		log_debug("snmp", "%.*s", len, m->msg);
	return 0;
}

/* --- sessions -------------------------------------------------------------------- */

static int on_session_init(int major, int minor, void *server_arg, void *client_arg)
{
	netsnmp_session *session = server_arg;

	(void)major, (void)minor, (void)client_arg;
	if (session->version == AGENTX_VERSION) {
		session->timeout = (long)s.config.reply_ms * 1000;
		session->retries = 0;
	}
	return 0;
}

static const char *master_name(void)
{
	const char *name =
	    netsnmp_ds_get_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET);

	return name ? name : "the default socket";
}

static int on_start(int major, int minor, void *server_arg, void *client_arg)
{
	netsnmp_session *session = server_arg;
	void *handle = snmp_sess_pointer(session);
	netsnmp_transport *transport = handle ? snmp_sess_transport(handle) : NULL;

	(void)major, (void)minor, (void)client_arg;
	s.session = session;
	s.sessions_seen++;
	agentx_register_session(session);
	if (s.config.fast && transport)
		agentx_fast_attach(transport);
	log_info("agentx", "session opened with the master at %s", master_name());
	if (s.notifier)
		notifier_resume(s.notifier);
	return 0;
}

/*
 * An unfinished SET is ended here, because the master does not finish it. A
 * committed one is kept, also when this subagent closes the session: the master
 * may have reported success to the manager.
 */
static int on_stop(int major, int minor, void *server_arg, void *client_arg)
{
	(void)major, (void)minor, (void)server_arg, (void)client_arg;
	s.session = NULL;
	s.sessions_seen++;
	agentx_fast_detach();
	if (s.notifier)
		notifier_suspend(s.notifier);
	agentx_register_session(NULL);
	mib_txn_session_lost(s.stock->txn, s.stock->now_ms());
	log_warn("agentx", "session with the master lost, retry every %u s", s.config.ping_s);
	return 0;
}

/* --- notifications ----------------------------------------------------------------- */

static int on_notified(int operation, netsnmp_session *session, int reqid, netsnmp_pdu *pdu,
		       void *magic)
{
	uint32_t ticket = (uint32_t)(uintptr_t)magic;
	enum notifier_result result = NOTIFIER_TIMEOUT;

	(void)session, (void)reqid;
	if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
		result = pdu->errstat == SNMP_ERR_NOERROR ? NOTIFIER_SENT : NOTIFIER_REFUSED;
	if (result == NOTIFIER_REFUSED)
		log_warn("agentx", "master refused a notification: error %ld", pdu->errstat);
	if (s.notifier)
		notifier_done(s.notifier, ticket, result);
	return 1;
}

static bool add_trap_oid(netsnmp_pdu *pdu, const struct mo_notification *n)
{
	static const oid trap_oid[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0}; /* snmpTrapOID.0 */
	oid value[MO_OID_MAX];

	for (unsigned i = 0; i < n->oid_len; i++)
		value[i] = n->oid[i];
	return snmp_pdu_add_variable(pdu, trap_oid, OID_LENGTH(trap_oid), ASN_OBJECT_ID, value,
				     n->oid_len * sizeof(oid));
}

/* The first varbind has to be snmpTrapOID; the master adds sysUpTime before it. */
static bool notify(const struct mo_event *ev, uint32_t ticket)
{
	netsnmp_pdu *pdu = s.session ? snmp_pdu_create(AGENTX_NOTIFY) : NULL;
	bool good;

	if (!pdu)
		return false;
	pdu->sessid = s.session->sessid;
	good = add_trap_oid(pdu, mo_notification(ev->id));
	for (unsigned i = 0; i < ev->n && good; i++)
		good = agentx_stock_add(pdu, &ev->vbs[i]);
	if (!good || snmp_async_send(s.session, pdu, on_notified, (void *)(uintptr_t)ticket) == 0) {
		log_error("agentx", "sending a notification failed");
		snmp_free_pdu(pdu);
		return false;
	}
	event_active(s.timer, EV_TIMEOUT, 0); /* makes pump() schedule the time limit of the PDU */
	return true;
}

/* --- loop ---------------------------------------------------------------------- */

static void pump(void);

static void on_socket(evutil_socket_t fd, short what, void *arg)
{
	(void)what, (void)arg;
	if (fd != agentx_fast_fd() || !agentx_fast_serve())
		pump();
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	pump();
}

static void disarm(unsigned i)
{
	event_free(s.sockets[i]);
	s.sockets[i] = s.sockets[--s.n_sockets];
}

static bool is_armed(int fd)
{
	for (unsigned i = 0; i < s.n_sockets; i++)
		if (event_get_fd(s.sockets[i]) == fd)
			return true;
	return false;
}

static void arm(int fd)
{
	struct event *ev = NULL;

	if (s.n_sockets < SOCKETS_MAX)
		ev = event_new(s.base, fd, EV_READ | EV_PERSIST, on_socket, NULL);
	if (!ev || event_add(ev, NULL) < 0) {
		log_error("agentx", "cannot add an event for file descriptor %d, exiting", fd);
		exit(EXIT_FAILURE); /* requests would be lost: exit, to be restarted */
	}
	s.sockets[s.n_sockets++] = ev;
}

/*
 * Adds and removes events to match the descriptors in s.watched, and calls the
 * library again after tv. NULL: no timer.
 */
static void rearm(int n_fds, const struct timeval *tv)
{
	if (s.sessions_armed != s.sessions_seen)
		while (s.n_sockets > 0)
			disarm(0);
	s.sessions_armed = s.sessions_seen;
	for (unsigned i = s.n_sockets; i-- > 0;)
		if (event_get_fd(s.sockets[i]) >= n_fds ||
		    !NETSNMP_LARGE_FD_ISSET(event_get_fd(s.sockets[i]), &s.watched))
			disarm(i);
	for (int fd = 0; fd < n_fds; fd++)
		if (NETSNMP_LARGE_FD_ISSET(fd, &s.watched) && !is_armed(fd))
			arm(fd);
	if (tv)
		event_add(s.timer, tv);
	else
		event_del(s.timer);
}

/* Sets s.readable to the watched descriptors that are readable now. false: none. */
static bool is_readable(int n_fds)
{
	struct timeval zero = {0};
	bool some;

	NETSNMP_LARGE_FD_ZERO(&s.readable);
	for (int fd = 0; fd < n_fds; fd++)
		if (NETSNMP_LARGE_FD_ISSET(fd, &s.watched))
			NETSNMP_LARGE_FD_SET(fd, &s.readable);
	some = netsnmp_large_fd_set_select(n_fds, &s.readable, NULL, NULL, &zero) > 0;
	if (!some)
		NETSNMP_LARGE_FD_ZERO(&s.readable);
	if (agentx_fast_has_pending()) {
		NETSNMP_LARGE_FD_SET(agentx_fast_fd(), &s.readable);
		some = true;
	}
	return some;
}

static void pump(void)
{
	struct timeval tv;
	int n_fds, block;

	for (;;) {
		n_fds = 0;
		block = 1;
		timerclear(&tv);
		NETSNMP_LARGE_FD_ZERO(&s.watched);
		snmp_select_info2(&n_fds, &s.watched, &tv, &block);
		if (is_readable(n_fds))
			snmp_read2(&s.readable);
		else if (!block && !timerisset(&tv))
			run_alarms();
		else
			break;
		snmp_timeout();
		netsnmp_check_outstanding_agent_requests();
	}
	rearm(n_fds, block ? NULL : &tv);
}

/* --- start and stop --------------------------------------------------------------- */

static void library_configure(const struct agentx_session_config *config)
{
	const int lib = NETSNMP_DS_LIBRARY_ID, app = NETSNMP_DS_APPLICATION_ID;

	netsnmp_enable_subagent();
	snmp_disable_log();
	snmp_enable_calllog();
	snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, on_log, NULL);
	snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_SESSION_INIT, on_session_init,
			       NULL);
	setenv("MIBS", "", 1);
	netsnmp_ds_set_boolean(lib, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
	netsnmp_ds_set_boolean(lib, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_boolean(lib, NETSNMP_DS_LIB_ALARM_DONT_USE_SIG, 1);
	netsnmp_ds_set_boolean(app, NETSNMP_DS_AGENT_NO_CONNECTION_WARNINGS, 1);
	if (config->master)
		netsnmp_ds_set_string(app, NETSNMP_DS_AGENT_X_SOCKET, config->master);
}

static void library_callbacks(void)
{
	const int app = SNMP_CALLBACK_APPLICATION;

	snmp_register_callback(app, SNMPD_CALLBACK_INDEX_START, on_start, NULL);
	snmp_register_callback(app, SNMPD_CALLBACK_INDEX_STOP, on_stop, NULL);
}

static bool library_start(const struct agentx_session_config *config)
{
	library_configure(config);
	if (init_agent(APP_NAME) != 0) {
		log_error("agentx", "init_agent() failed");
		return false;
	}
	netsnmp_ds_set_int(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL,
			   (int)config->ping_s);
	library_callbacks();
	if (!agentx_register_start(s.stock, s.base, pump))
		return false;
	init_snmp(APP_NAME);
	return true;
}

bool agentx_session_start(const struct agentx_session_config *config, struct agentx_stock *stock,
			  struct event_base *base)
{
	s.config = *config;
	s.stock = stock;
	s.base = base;
	s.timer = evtimer_new(base, on_timer, NULL);
	if (!s.timer) {
		log_error("agentx", "out of memory");
		return false;
	}
	signal(SIGPIPE, SIG_IGN);
	netsnmp_large_fd_set_init(&s.watched, FD_SETSIZE);
	netsnmp_large_fd_set_init(&s.readable, FD_SETSIZE);
	agentx_fast_init(stock->mib);
	if (!library_start(config))
		return false;
	if (config->control) {
		s.notifier = notifier_new(base, config->control, notify);
		if (!s.notifier) {
			log_error("agentx", "%s: path too long for a socket, or out of memory",
				  config->control);
			return false;
		}
	}
	if (s.session && s.notifier)
		notifier_resume(s.notifier);
	if (!s.session)
		log_warn("agentx", "no master at %s yet, retry every %u s", master_name(),
			 config->ping_s);
	pump();
	return true;
}

void agentx_session_stop(void)
{
	while (s.n_sockets > 0)
		disarm(0);
	s.session = NULL;
	notifier_free(s.notifier);
	s.notifier = NULL;
	snmp_shutdown(APP_NAME);
	shutdown_agent();
	event_free(s.timer);
	agentx_register_stop();
	netsnmp_large_fd_set_cleanup(&s.watched);
	netsnmp_large_fd_set_cleanup(&s.readable);
}

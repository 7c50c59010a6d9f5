/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_session.h"

#include "agent/agentx_connect.h"
#include "agent/agentx_link.h"
#include "agent/agentx_register.h"
#include "agent/notifier.h"
#include "lib/clock.h"
#include "lib/log.h"

#include <event2/event.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT_MASTER "/var/agentx/master"
#define DESCRIPTION    "dcb-agentx " PACKAGE_VERSION
#define CONTROL_OCTETS 1024 /* more than Open, a registration, Ping or Close */
#define NOTIFY_OCTETS  16384

enum phase { PHASE_CLOSED, PHASE_CONNECTING, PHASE_OPENING, PHASE_OPEN };

static struct {
	struct agentx_session_config config;
	struct agentx_objects objects;
	struct event_base *base;
	struct event *timer, *socket, *events; /* events: of dcbd */
	struct notifier *notifier;
	enum phase phase;
	int fd;
	unsigned offer_ms, limit_ms; /* of one message, and of all its repetitions */
	int64_t attempt_ms;          /* begin of the last attempt to connect */
	int64_t next_ms;             /* closed: the next attempt */
	bool settled;                /* the master has answered all registrations */
	bool loss_logged;            /* since the last session that settled */
	uint32_t session, last_packet, open_packet;
	unsigned received; /* PDUs at heard_ms */
	int64_t heard_ms;  /* the last PDU was received, or the session opened */
	unsigned pings;    /* without Response */
	uint32_t ping_packet;
	int64_t ping_ms;                       /* time of the last of them */
	uint32_t notify_packet, notify_ticket; /* packet 0: no notification without Response */
	int64_t notify_ms;
} s = {.fd = -1};

static void schedule(void);
static void on_socket(evutil_socket_t fd, short what, void *arg);

static int64_t now_ms(void)
{
	return clock_now().ns / DCB_NS_PER_MS;
}

static const char *master_name(void)
{
	return s.config.master ? s.config.master : DEFAULT_MASTER;
}

/* Returns an identifier for the next packet, not 0. */
static uint32_t new_packet(void)
{
	if (++s.last_packet == 0)
		s.last_packet = 1;
	return s.last_packet;
}

static void send_pdu(const struct octets_out *out)
{
	agentx_link_send(out->start, out->len);
}

/* --- the session ends ------------------------------------------------------------ */

static void close_connection(void)
{
	if (s.socket)
		event_free(s.socket);
	s.socket = NULL;
	if (s.phase == PHASE_CONNECTING)
		close(s.fd);
	else
		agentx_link_detach();
	s.fd = -1;
	s.phase = PHASE_CLOSED;
}

/* Does not wait: a master that does not read sees the end of the connection. */
static void send_close(enum agentx_reason reason)
{
	uint8_t pdu[CONTROL_OCTETS];
	struct octets_out out = octets_out(pdu, sizeof(pdu));

	agentx_put_close(&out, s.session, new_packet(), reason);
	(void)!send(s.fd, out.start, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Ends the connection, whatever its phase. A session that was settled is opened
 * anew at once, but not more than once a second. Attempts that fail begin ping_s
 * seconds after each other, and the log has only the first of them.
 *
 * An unfinished SET is ended here, because the master does not finish it. A
 * committed one is kept: the master may have reported success to the manager.
 */
static void lose(const char *why)
{
	if (s.phase == PHASE_OPEN) {
		if (s.notifier)
			notifier_suspend(s.notifier);
		s.notify_packet = 0;
		agentx_register_end();
		mib_txn_session_lost(s.objects.txn);
	}
	if (!s.loss_logged && s.phase >= PHASE_OPENING)
		/*
		 * Messages: The last text is the cause. The message is not repeated before the
		 * master has answered all registrations of a session. The master is not running, it
		 * does not accept subagents, or dcb-agentx may not connect to the socket. Check
		 * that the master runs, that its configuration has `master agentx`, that
		 * `agentXSocket` is the address of `-x`, and that `agentXPerms` permits the user of
		 * dcb-agentx. With `no Response to Open`, `registrations without Response`, `pings
		 * without Response` or `master does not read responses`, the master is stopped or
		 * too slow: check the load of the host and the master. With `refused by the
		 * master`, check the log of the master. With `invalid header of a PDU` or `invalid
		 * Response`, the program at this address is not an AgentX master.
		 */
		log_warn("agentx", "session with the master lost: %s; retry every %u s", why,
			 s.config.ping_s);
	else if (!s.loss_logged)
		log_warn("agentx", "no master at %s yet: %s; retry every %u s", master_name(), why,
			 s.config.ping_s);
	s.loss_logged = true;
	close_connection();
	s.next_ms = s.attempt_ms + INT64_C(1000) * (s.settled ? 1 : s.config.ping_s);
	s.settled = false;
	schedule();
}

/* --- the session begins ------------------------------------------------------------ */

/* Messages would be lost: exits, to be restarted. */
__attribute__((noreturn)) static void no_event_for(int fd)
{
	/*
	 * Message: dcb-agentx exits with status 1, because it could not serve requests any more.
	 * Start it again, or let systemd(1) do so.
	 */
	log_error("agentx", "cannot add an event for file descriptor %d, exiting", fd);
	exit(EXIT_FAILURE);
}

static void watch(short what)
{
	if (s.socket)
		event_free(s.socket);
	s.socket = event_new(s.base, s.fd, what, on_socket, NULL);
	if (!s.socket || event_add(s.socket, NULL) < 0)
		no_event_for(s.fd);
}

static void open_session(void)
{
	uint8_t pdu[CONTROL_OCTETS];
	struct octets_out out = octets_out(pdu, sizeof(pdu));

	if (!agentx_connect_result(s.fd)) {
		lose(strerror(errno));
		return;
	}
	s.phase = PHASE_OPENING;
	agentx_link_attach(s.fd);
	watch(EV_READ | EV_PERSIST);
	s.open_packet = new_packet();
	agentx_put_open(&out, s.open_packet, s.config.request_s, DESCRIPTION);
	send_pdu(&out);
	schedule();
}

static void attempt(int64_t now)
{
	s.attempt_ms = now;
	s.fd = agentx_connect(master_name());
	if (s.fd < 0) {
		lose(strerror(errno));
		return;
	}
	s.phase = PHASE_CONNECTING;
	watch(EV_WRITE);
}

static void session_opened(uint32_t session)
{
	int64_t now = now_ms();

	s.phase = PHASE_OPEN;
	s.session = session;
	agentx_link_expect(session);
	s.received = agentx_link_received();
	s.heard_ms = now;
	s.pings = 0;
	agentx_register_begin(now);
	if (s.notifier)
		notifier_resume(s.notifier);
}

static void note_settled(void)
{
	if (s.settled || !agentx_register_is_settled())
		return;
	s.settled = true;
	s.loss_logged = false;
	log_info("agentx", "session opened with the master at %s", master_name());
}

/* --- messages of the session ---------------------------------------------------------- */

static uint32_t send_registration(enum agentx_type type, const struct mib_oid *node)
{
	uint8_t pdu[CONTROL_OCTETS];
	struct octets_out out = octets_out(pdu, sizeof(pdu));
	uint32_t packet = new_packet();

	agentx_put_registration(&out, type, s.session, packet, node);
	send_pdu(&out);
	return packet;
}

/* All pings that wait for a Response have the same packet identifier: any of them is one. */
static void send_ping(int64_t now)
{
	uint8_t pdu[CONTROL_OCTETS];
	struct octets_out out = octets_out(pdu, sizeof(pdu));

	if (s.pings == 0)
		s.ping_packet = new_packet();
	agentx_put_ping(&out, s.session, s.ping_packet);
	send_pdu(&out);
	s.pings++;
	s.ping_ms = now;
}

static void end_notify(enum notifier_result result)
{
	s.notify_packet = 0;
	if (s.notifier)
		notifier_done(s.notifier, s.notify_ticket, result);
}

static void on_response(const struct agentx_header *h, const uint8_t *payload)
{
	uint16_t error;

	if (!agentx_get_response(payload, h, &error)) {
		agentx_link_fail("invalid Response");
	} else if (s.phase == PHASE_OPENING) {
		if (h->packet != s.open_packet)
			return;
		if (error)
			agentx_link_fail("refused by the master");
		else
			session_opened(h->session);
	} else if (s.pings && h->packet == s.ping_packet && error != AGENTX_NOT_OPEN) {
		s.pings = 0;
	} else if (s.notify_packet && h->packet == s.notify_packet && error != AGENTX_NOT_OPEN) {
		if (error)
			/* Message: as "notification %s (%s) not sent: refused by the master" */
			log_warn("agentx", "master refused a notification: error %u", error);
		end_notify(error ? NOTIFIER_REFUSED : NOTIFIER_SENT);
	} else {
		agentx_register_response(now_ms(), h->packet, error);
	}
}

/* --- notifications ----------------------------------------------------------------- */

static void put_event(struct octets_out *out, const struct agentx_header *h,
		      const struct mo_event *ev)
{
	for (unsigned i = 0; i < ev->n; i++) {
		const struct mo_varbind *vb = &ev->vbs[i];
		const struct mo_table *table = mo_table(vb->table);
		struct mib_oid name = {.n = 0};

		for (unsigned n = 0; n < table->oid_len; n++)
			name.sub[name.n++] = table->oid[n];
		name.sub[name.n++] = vb->subid;
		for (unsigned n = 0; n < vb->index.n; n++)
			name.sub[name.n++] = vb->index.sub[n];
		agentx_put_varbind(out, h, &name, &vb->value);
	}
}

static enum notifier_sending notify(const struct mo_event *ev, uint32_t ticket)
{
	static uint8_t pdu[NOTIFY_OCTETS];
	struct octets_out out = octets_out(pdu, sizeof(pdu));
	const struct mo_notification *n = mo_notification(ev->id);
	struct mib_oid trap = {.n = n->oid_len};
	uint32_t packet = new_packet();
	struct agentx_header h;

	if (s.phase != PHASE_OPEN)
		return NOTIFIER_BUSY;
	for (unsigned i = 0; i < n->oid_len; i++)
		trap.sub[i] = n->oid[i];
	agentx_begin_notify(&out, &h, s.session, packet, &trap);
	put_event(&out, &h, ev);
	if (out.overrun) {
		/*
		 * Message: dcb-agentx tries again after one second. If this is repeated, restart
		 * dcb-agentx.
		 */
		log_error("agentx", "sending a notification failed");
		return NOTIFIER_BUSY;
	}
	agentx_end_pdu(&out, &h);
	send_pdu(&out);
	s.notify_packet = packet;
	s.notify_ticket = ticket;
	s.notify_ms = now_ms();
	return NOTIFIER_PENDING;
}

static void on_events(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	notifier_read(s.notifier);
	schedule();
}

static void on_ended(bool ended)
{
	mib_hide(s.objects.mib, ended);
}

static uint32_t boot_id(void)
{
	return mib_boot_id(s.objects.mib);
}

static void watch_events(int fd)
{
	if (s.events)
		event_free(s.events);
	s.events = fd < 0 ? NULL : event_new(s.base, fd, EV_READ | EV_PERSIST, on_events, NULL);
	if (fd >= 0 && (!s.events || event_add(s.events, NULL) < 0))
		no_event_for(fd);
}

/* --- time ---------------------------------------------------------------------------- */

static void earliest(int64_t *next_ms, int64_t ms)
{
	if (ms < *next_ms)
		*next_ms = ms;
}

/*
 * Pings a master that has sent no PDU for ping_s seconds, and repeats the ping
 * until there is a Response. Returns the time of the next call, -1 after the last ping.
 */
static int64_t run_ping(int64_t now)
{
	int64_t due_ms = s.heard_ms + INT64_C(1000) * s.config.ping_s;

	if (s.pings)
		due_ms = s.ping_ms + s.offer_ms;
	if (now < due_ms)
		return due_ms;
	if (s.pings == AGENTX_OFFERS)
		return -1;
	send_ping(now);
	return now + s.offer_ms;
}

/* Closes a session that the master has lost: the next on_timer() ends the connection. */
static int64_t give_up(int64_t now, const char *why)
{
	send_close(AGENTX_REASON_TIMEOUTS);
	agentx_link_fail(why);
	return now;
}

static int64_t run_open(int64_t now)
{
	int64_t next_ms = INT64_MAX, ms;

	if (s.received != agentx_link_received()) {
		s.received = agentx_link_received();
		s.heard_ms = now;
	}
	if (s.notify_packet && now >= s.notify_ms + s.limit_ms)
		end_notify(NOTIFIER_TIMEOUT);
	ms = agentx_register_run(now);
	if (ms < 0)
		return give_up(now, "registrations without Response");
	earliest(&next_ms, ms);
	note_settled();
	ms = run_ping(now);
	if (ms < 0)
		return give_up(now, "pings without Response");
	earliest(&next_ms, ms);
	return next_ms;
}

/* Sends the messages whose time has come in this phase. Returns the time of the next call. */
static int64_t run_phase(int64_t now)
{
	switch (s.phase) {
	case PHASE_CLOSED:
		return s.next_ms;
	case PHASE_CONNECTING:
	case PHASE_OPENING:
		return s.attempt_ms + s.limit_ms;
	case PHASE_OPEN:
		break;
	}
	return run_open(now);
}

static int64_t run(int64_t now)
{
	int64_t next_ms = run_phase(now);

	if (s.notifier)
		earliest(&next_ms, notifier_run(s.notifier, now));
	if (s.notify_packet)
		earliest(&next_ms, s.notify_ms + s.limit_ms);
	return next_ms;
}

/* Sets the timer. Time that is due is handled by the timer, not here. */
static void schedule(void)
{
	int64_t now = now_ms(), wait_ms = run(now) - now;
	struct timeval tv = {0};

	if (wait_ms < 0)
		wait_ms = 0;
	tv.tv_sec = wait_ms / 1000;
	tv.tv_usec = (wait_ms % 1000) * 1000;
	event_add(s.timer, &tv);
}

/* Octets that wait in the socket count as received in time, if this process was late. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	int64_t now = now_ms();

	(void)fd, (void)what, (void)arg;
	if (s.phase == PHASE_CLOSED && now >= s.next_ms) {
		attempt(now);
	} else if (s.phase >= PHASE_OPENING && !agentx_link_serve()) {
		lose(agentx_link_error());
		return;
	} else if (s.phase != PHASE_OPEN && s.phase != PHASE_CLOSED &&
		   now >= s.attempt_ms + s.limit_ms) {
		if (s.phase == PHASE_OPENING)
			send_close(AGENTX_REASON_TIMEOUTS);
		lose("no Response to Open");
		return;
	}
	schedule();
}

static void on_socket(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	if (s.phase == PHASE_CONNECTING)
		open_session();
	else if (!agentx_link_serve())
		lose(agentx_link_error());
	else
		schedule();
}

/* --- start and stop --------------------------------------------------------------- */

static void init_link(void)
{
	const struct agentx_link_config link = {
	    .objects = s.objects,
	    .response = on_response,
	};

	agentx_link_init(&link);
	agentx_register_init(s.objects.mib, s.offer_ms, send_registration);
}

bool agentx_session_start(const struct agentx_session_config *config,
			  const struct agentx_objects *objects, struct event_base *base)
{
	static const struct notifier_ops events = {
	    .send = notify, .watch = watch_events, .ended = on_ended, .boot_id = boot_id};

	s.config = *config;
	s.objects = *objects;
	s.base = base;
	s.limit_ms = config->reply_ms;
	s.offer_ms = config->reply_ms / AGENTX_OFFERS;
	if (!agentx_address_is_valid(master_name())) {
		/* Message: as "-%c %s: expected a number from %u to %u" */
		log_error("agentx", "-x %s: expected unix:/path or tcp:host:port", master_name());
		return false;
	}
	s.timer = evtimer_new(base, on_timer, NULL);
	if (!s.timer) {
		/* Message: as "out of memory" */
		log_error("agentx", "out of memory");
		return false;
	}
	signal(SIGPIPE, SIG_IGN);
	init_link();
	if (config->control) {
		s.notifier = notifier_new(config->control, config->view, &events);
		if (!s.notifier) {
			/* Message: as "%s: path too long for a socket, or out of memory" */
			log_error("agentx", "%s: path too long for a socket, or out of memory",
				  config->control);
			return false;
		}
	}
	attempt(now_ms());
	schedule();
	return true;
}

void agentx_session_stop(void)
{
	if (s.phase == PHASE_OPEN)
		send_close(AGENTX_REASON_SHUTDOWN);
	close_connection();
	notifier_free(s.notifier);
	s.notifier = NULL;
	event_free(s.timer);
}

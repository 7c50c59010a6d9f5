/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A managed system with provider "kernel" over a kernel in memory, and one session. The control
 * thread is that of the test: it handles the provider's events as dcbd does, in turn() and UNTIL().
 */
#ifndef DCB_TESTS_KERNEL_WORLD_H
#define DCB_TESTS_KERNEL_WORLD_H

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <event2/event.h>

#include "control/event_watch.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "dataplane/kernel/provider_kernel.h"
#include "lib/clock.h"
#include "tests/unit/kernel_responder.h"
#include "tests/unit/mo_world.h"

#define DEADLINE_MS 60000
#define PORTS       2 /* eth0 and eth1 */

struct hw {
	struct mo_world w;         /* without its providers; its session reads */
	struct mo_session *setter; /* the session that sets */
	struct kernel_responder *kernel;
	struct provider *provider;
	struct event_base *base;
	struct event_poll *poll;
	uint32_t ifindex[PORTS]; /* 0: no port */
	bool may_write;
	bool is_answered;
	enum mo_error error;
	unsigned changed; /* notifications dcbHardwareChanged */
	uint64_t next_event;

	/* With the mutex. */
	pthread_mutex_t mutex;
	bool closed;          /* requests wait */
	bool waits;           /* one does */
	unsigned gets[PORTS]; /* requests to read */
	void (*before)(struct hw *h, const char *name,
		       uint8_t cmd); /* each request; NULL: nothing */
};

static inline int64_t now_ms(void)
{
	return clock_now().ns / DCB_NS_PER_MS;
}

/* --- the kernel --------------------------------------------------------------------------- */

static inline void on_request(void *ctx, const char *name, uint8_t cmd)
{
	struct hw *h = ctx;
	void (*before)(struct hw * h, const char *name, uint8_t cmd);

	pthread_mutex_lock(&h->mutex);
	h->gets[strcmp(name, "eth1") == 0] += cmd == DCB_CMD_IEEE_GET;
	while (h->closed) {
		h->waits = true;
		pthread_mutex_unlock(&h->mutex);
		poll(NULL, 0, 1);
		pthread_mutex_lock(&h->mutex);
	}
	h->waits = false;
	before = h->before;
	pthread_mutex_unlock(&h->mutex);
	if (before)
		before(h, name, cmd);
}

/* The kernel answers no request, as while a driver holds rtnl; or does again. */
static inline void kernel_stop(struct hw *h, bool stop)
{
	pthread_mutex_lock(&h->mutex);
	h->closed = stop;
	pthread_mutex_unlock(&h->mutex);
}

static inline bool kernel_waits(struct hw *h)
{
	bool waits;

	pthread_mutex_lock(&h->mutex);
	waits = h->waits;
	pthread_mutex_unlock(&h->mutex);
	return waits;
}

static inline unsigned kernel_gets(struct hw *h, unsigned port)
{
	unsigned n;

	pthread_mutex_lock(&h->mutex);
	n = h->gets[port];
	pthread_mutex_unlock(&h->mutex);
	return n;
}

static inline void kernel_before(struct hw *h,
				 void (*before)(struct hw *h, const char *name, uint8_t cmd))
{
	pthread_mutex_lock(&h->mutex);
	h->before = before;
	pthread_mutex_unlock(&h->mutex);
}

static inline struct dcbnl_port in_kernel(const struct hw *h, const char *name)
{
	struct dcbnl_port port;

	kernel_responder_read(h->kernel, name, &port);
	return port;
}

static inline uint8_t kernel_pfc(const struct hw *h, const char *name)
{
	return in_kernel(h, name).pfc.pfc_en;
}

/* Another program enables PFC for these priorities. */
static inline void other_sets_pfc(const struct hw *h, const char *name, uint8_t pfc, bool notify)
{
	struct dcbnl_port port = in_kernel(h, name);

	port.pfc.pfc_en = pfc;
	kernel_responder_write(h->kernel, name, &port, notify);
}

static inline void other_adds_app(const struct hw *h, const char *name, struct dcb_app app)
{
	struct dcbnl_port port = in_kernel(h, name);

	port.apps.of[port.apps.n++] = app;
	kernel_responder_write(h->kernel, name, &port, true);
}

/* Half of the bandwidth for each of two classes. */
static inline void other_sets_ets(const struct hw *h, const char *name)
{
	struct dcbnl_port port = in_kernel(h, name);

	for (unsigned i = 0; i < 8; i++)
		port.ets.prio_tc[i] = (uint8_t)(i / 4);
	port.ets.tc_tsa[0] = port.ets.tc_tsa[1] = IEEE_8021QAZ_TSA_ETS;
	port.ets.tc_tx_bw[0] = port.ets.tc_tx_bw[1] = 50;
	kernel_responder_write(h->kernel, name, &port, true);
}

static inline unsigned kernel_changes(const struct hw *h, const char *name)
{
	return kernel_responder_changes(h->kernel, name);
}

static inline bool kernel_has_app(const struct hw *h, const char *name, unsigned selector,
				  unsigned protocol, unsigned priority)
{
	struct dcbnl_port port = in_kernel(h, name);

	for (unsigned i = 0; i < port.apps.n; i++)
		if (port.apps.of[i].selector == selector && port.apps.of[i].protocol == protocol &&
		    port.apps.of[i].priority == priority)
			return true;
	return false;
}

/* --- the system --------------------------------------------------------------------------- */

static inline bool next_event(struct hw *h, struct provider_event *ev)
{
	bool ok;

	state_change_begin(h->w.m->lock);
	ok = h->provider->ops->next_event(h->provider, ev);
	state_change_end(h->w.m->lock);
	return ok;
}

/* As on_provider() of dcbd. */
static inline void handle_events(struct hw *h)
{
	struct managed *m = h->w.m;
	struct provider_event ev;

	while (next_event(h, &ev)) {
		switch (ev.type) {
		case PROVIDER_ADOPTED:
			managed_adopted(m, h->provider, ev.generation);
			break;
		case PROVIDER_DISCONTINUITY:
			managed_discontinuity(m, ev.slot);
			event_poll_discontinuity(h->poll, m, ev.slot);
			break;
		case PROVIDER_OUTCOME:
			mo_service_outcome(h->w.service);
			break;
		case PROVIDER_CAPABILITIES:
			managed_capabilities(m, ev.slot);
			break;
		case PROVIDER_OPER:
			managed_oper(m, ev.slot);
			event_poll_hardware(h->poll, m, ev.slot, clock_now());
			break;
		default:
			fail_msg("event %d", ev.type);
		}
	}
}

static inline void count_notifications(struct hw *h)
{
	const uint8_t *octets;
	struct mo_event ev;
	size_t len;

	while ((octets = events_at(h->w.m->events, &h->next_event, &len))) {
		struct octets_in in = octets_in(octets, len);
		struct mo_msg_header header;

		assert_true(mo_msg_get_header(&in, &header));
		mo_msg_get_event(&in, &ev);
		h->changed += ev.id == MO_NOTIFY_hardware_changed;
		h->next_event++;
	}
}

static inline void turn(struct hw *h)
{
	struct pollfd fd = {.fd = h->provider->ops->event_fd(h->provider), .events = POLLIN};

	poll(&fd, 1, 1);
	handle_events(h);
	event_base_loop(h->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	count_notifications(h);
}

/* Handles events until a condition holds. */
#define UNTIL(h, condition)                                                                 \
	do {                                                                                \
		int64_t start_ = now_ms();                                                  \
		while (!(condition)) {                                                      \
			if (now_ms() - start_ > DEADLINE_MS)                                \
				fail_msg("line %d: not in time: %s", __LINE__, #condition); \
			turn(h);                                                            \
		}                                                                           \
	} while (0)

/*
 * Waits until each port has been read anew, and the report of that is handled: a third read begins
 * after that report. A loss of notifications begins a round of all ports at once.
 */
static inline void await_round(struct hw *h)
{
	for (unsigned i = 0; i < 3 * PORTS; i++) {
		unsigned port = i % PORTS, n = kernel_gets(h, port);

		kernel_responder_lose(h->kernel);
		UNTIL(h, !h->ifindex[port] || kernel_gets(h, port) > n);
	}
	turn(h);
}

static inline void on_answer(void *ctx, const uint8_t *reply, size_t len)
{
	struct hw *h = ctx;
	struct octets_in in = octets_in(reply, len);
	struct mo_msg_header header;

	if (len == 0)
		return;
	assert_true(mo_msg_get_header(&in, &header));
	h->error = (enum mo_error)octets_in_u8(&in);
	h->w.bad = octets_in_be16(&in);
	mo_msg_get_text(&in, h->w.reason);
	assert_false(in.overrun);
	h->is_answered = true;
}

static inline void add_port(struct hw *h, uint32_t ifindex, const char *name)
{
	struct link_info link = mo_world_link(ifindex, name, "");
	struct port_settings settings = h->w.conf.port_default;
	char err[256];

	settings.provider = "kernel";
	if (!managed_port_add(h->w.m, &link, &settings, err, sizeof(err)))
		fail_msg("%s", err);
}

/* Starts as dcbd does: the providers get the first configuration with the settings kept. */
static inline void start(struct hw *h)
{
	static const char *const names[PORTS] = {"eth0", "eth1"};
	struct provider_kernel_params params = {.io = kernel_responder_open(h->kernel),
						.worker_io = kernel_responder_open(h->kernel),
						.may_write = h->may_write};
	struct mo_world *w = &h->w;
	struct provider_refusal why;
	char err[256];

	h->provider = provider_kernel_new(&params);
	assert_non_null(h->provider);
	w->m = managed_conf_new(&w->conf, &h->provider, 1);
	assert_non_null(w->m);
	h->poll = event_poll_new(0);
	h->base = event_base_new();
	h->next_event = 1;
	h->changed = 0;
	managed_collect(w->m);
	for (unsigned i = 0; i < PORTS; i++)
		if (h->ifindex[i])
			add_port(h, h->ifindex[i], names[i]);
	assert_true(managed_collected(w->m, err, sizeof(err)));
	if (access(w->state, F_OK) == 0)
		assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)),
				 PERSIST_LOADED);
	w->service = mo_service_new(w->m, w->state, 7);
	assert_true(mo_service_use_thread(w->service, h->base));
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	h->setter = mo_session_new(w->service, MO_MAY_ALL);
	mo_session_listen(h->setter, on_answer, h);
	if (!managed_release(w->m, &why))
		fail_msg("%s", why.text);
	handle_events(h);
}

static inline void stop(struct hw *h)
{
	kernel_stop(h, false);
	mo_service_finish(h->w.service);
	mo_session_free(h->w.session);
	mo_session_free(h->setter);
	mo_service_free(h->w.service);
	event_poll_free(h->poll);
	managed_free(h->w.m);
	event_base_free(h->base);
}

/* A system that is not started, with a kernel without interfaces. */
static inline struct hw *hw_new(void)
{
	struct hw *h = calloc(1, sizeof(*h));

	pthread_mutex_init(&h->mutex, NULL);
	h->kernel = kernel_responder_new();
	kernel_responder_hook(h->kernel, on_request, h);
	h->may_write = true;
	h->w.conf.role = ROLE_BRIDGE;
	h->w.conf.component_id = 1;
	snprintf(h->w.dir, sizeof(h->w.dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(h->w.dir));
	snprintf(h->w.state, sizeof(h->w.state), "%s/state", h->w.dir);
	return h;
}

static inline void add_interface(struct hw *h, unsigned i, enum kernel_kind kind,
				 const char *driver)
{
	h->ifindex[i] = kernel_responder_add(h->kernel, i ? "eth1" : "eth0", kind, driver);
	assert_int_equal(h->ifindex[i], 101 + i);
}

/* The same with eth0, ifIndex 101, and eth1, 102, of such a driver. */
static inline struct hw *hw_of(enum kernel_kind kind0, enum kernel_kind kind1)
{
	struct hw *h = hw_new();

	add_interface(h, 0, kind0, "none");
	add_interface(h, 1, kind1, "none");
	return h;
}

static inline struct hw *hw_started(enum kernel_kind kind0, enum kernel_kind kind1)
{
	struct hw *h = hw_of(kind0, kind1);

	start(h);
	return h;
}

static inline void hw_free(struct hw *h)
{
	stop(h);
	kernel_responder_free(h->kernel);
	pthread_mutex_destroy(&h->mutex);
	unlink(h->w.state);
	rmdir(h->w.dir);
	free(h);
}

/* --- objects ------------------------------------------------------------------------------ */

/* Whether the object has this value in the row with this index; NULL: it has no instance. */
static inline bool is(struct hw *h, const char *object, const char *index, const char *value)
{
	static char text[65536];
	char want[300];

	text[0] = ' ';
	mo_world_column(&h->w, object, text + 1, sizeof(text) - 2);
	strcat(text, " ");
	snprintf(want, sizeof(want), " %s=%s%s", index, value ? value : "", value ? " " : "");
	return (strstr(text, want) != NULL) == (value != NULL);
}

/* Returns a number that an object has. */
static inline uint64_t number(struct hw *h, const char *object, const char *index)
{
	static char text[65536];
	char want[80];
	const char *at;

	text[0] = ' ';
	mo_world_column(&h->w, object, text + 1, sizeof(text) - 2);
	snprintf(want, sizeof(want), " %s=", index);
	at = strstr(text, want);
	if (!at)
		fail_msg("%s.%s: no instance", object, index);
	return strtoull(at + strlen(want), NULL, 10);
}

#define TEXT(h, object, expected) assert_column(&(h)->w, object, expected)

/* Sends TEST of a SET. */
static inline enum mo_error test(struct hw *h, const char *const set[][3], unsigned n)
{
	struct mo_session *reader = h->w.session;
	enum mo_error error;

	h->w.session = h->setter;
	error = mo_world_test(&h->w, set, n);
	h->w.session = reader;
	return error;
}

static inline void send_phase(struct hw *h, enum mo_msg_op op)
{
	uint8_t request[64], buf[1024];
	struct octets_out out = mo_world_request(request, sizeof(request), op, 0);
	struct octets_out reply = octets_out(buf, sizeof(buf));

	octets_out_be32(&out, h->w.txid);
	h->is_answered = false;
	assert_true(mo_service_handle(h->setter, request, out.len, &reply));
	assert_int_equal(reply.len == 0, mo_session_is_waiting(h->setter));
	on_answer(h, buf, reply.len);
}

static inline enum mo_error phase(struct hw *h, enum mo_msg_op op)
{
	send_phase(h, op);
	UNTIL(h, h->is_answered);
	return h->error;
}

/* Sends TEST, and COMMIT if that succeeds. */
static inline enum mo_error commit(struct hw *h, const char *const set[][3], unsigned n)
{
	enum mo_error error = test(h, set, n);

	return error == MO_NO_ERROR ? phase(h, MO_OP_COMMIT) : error;
}

/* Sends all phases of a SET. */
static inline enum mo_error set_all(struct hw *h, const char *const set[][3], unsigned n)
{
	enum mo_error error = commit(h, set, n);
	char reason[sizeof(h->w.reason)];
	unsigned bad = h->w.bad;

	memcpy(reason, h->w.reason, sizeof(reason));
	if (error == MO_COMMIT_FAILED)
		assert_int_equal(phase(h, MO_OP_UNDO), MO_NO_ERROR);
	phase(h, MO_OP_CLEANUP);
	memcpy(h->w.reason, reason, sizeof(reason));
	h->w.bad = bad;
	return error;
}

#define TRIPLES(...)                           \
	(const char *const[][3]){__VA_ARGS__}, \
	    sizeof((const char *const[][3]){__VA_ARGS__}) / sizeof(const char *[3])
#define HW_SET(h, ...)    set_all(h, TRIPLES(__VA_ARGS__))
#define HW_COMMIT(h, ...) commit(h, TRIPLES(__VA_ARGS__))

#define ENABLE  "dcbPfcPriorityEnable"
#define TSA     "lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm"
#define BW      "lldpXdot1dcbxAdminETSConTrafficClassBandwidth"
#define APP     "lldpXdot1dcbxAdminApplicationPriorityAEPriority"
#define APP_ROW "dcbDcbxAppRowStatus"
/* ETS with one class that has all of the bandwidth. */
#define ETS_OF(ifindex)                                 \
	{TSA, ifindex ".0", "tsaEnhancedTransmission"}, \
	{                                               \
		BW, ifindex ".0", "100"                 \
	}

#endif

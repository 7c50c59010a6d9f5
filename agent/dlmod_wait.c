/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/dlmod_wait.h"

#include "lib/clock.h"
#include "lib/log.h"

#include <stdlib.h>
#include <string.h>

#define TICK_US      10000
#define SET_TICKS    2   /* that reads wait when a SET has arrived: at most 20 ms */
#define READ_SLICES  1   /* that a read waits before it is delegated */
#define WRITE_SLICES 6   /* that a SET waits: 30 ms, and 5 ms more in each further phase */
#define DEFAULT_MS   400 /* time limit of a read with which the two above hold */
#define SPAN_US      100000
#define SPAN_SLICES  4 /* in this span: after these, reads do not wait */
#define DLMOD_UNLOAD 5 /* UCD-DLMOD-MIB */

/*
 * Exported by libnetsnmpagent, in no installed header: the SET in progress, and
 * the first of the requests that wait for a handler or a subagent.
 */
extern __attribute__((weak)) netsnmp_agent_session *netsnmp_processing_set, *agent_delegated_list;

struct waiting {
	struct waiting *next;
	netsnmp_delegated_cache *cache;
	int64_t arrived_ms;
};

static struct {
	struct dlmod_objects *objects;
	struct mib_cache *cache;
	struct dlmod_clients clients;
	struct waiting *first, **last;
	unsigned timeout_ms;
	int fd;              /* with the late reply, watched by snmpd; -1: none */
	unsigned alarm;      /* 0: none */
	unsigned set_ticks;  /* the last ones, in which a SET has waited for the requests */
	int64_t answered_ms; /* time of the last late reply */
	bool silent;
	bool ends; /* dlmod_wait_stop() has begun */
	/* The request in progress, all calls of handlers for it together. */
	long request;           /* its number; 0: none */
	int64_t begun_us;       /* the call */
	unsigned slices;        /* that it has waited for dcbd */
	unsigned slices_before; /* slices() at begun_us */
	unsigned reader_before; /* of these, of the reader */
	unsigned write_slices;  /* that it may still wait in a SET */
	unsigned probe_slices;  /* of probes that have failed, of all requests */
	unsigned most_slices;   /* of all requests */
	/* Reads of all requests. */
	int64_t span_us;
	unsigned span_slices; /* in which they have waited for dcbd since span_us */
} w = {.fd = -1};

static int64_t now_us(void)
{
	return clock_now().ns / DCB_NS_PER_US;
}

/* --- time that snmpd is held up --------------------------------------------------------- */

/* Returns n at the default time limit, and in proportion to it. */
static unsigned scaled(unsigned n)
{
	n = n * w.timeout_ms / DEFAULT_MS;
	return n > 0 ? n : 1;
}

static unsigned slices(void)
{
	return mo_client_slices(w.clients.reader) + mo_client_slices(w.clients.writer) +
	       w.probe_slices;
}

/* The slices of a probe count if it fails: a dcbd that is alive may take its time. */
static bool is_alive(void)
{
	const struct mo_index first = {.n = 1};
	unsigned before = mo_client_slices(w.clients.probe);
	struct mo_page page = {0};
	enum mo_client_status status;

	mo_client_wait_slices(w.clients.probe, (w.write_slices + 1) / 2, NULL);
	(void)mo_client_discard_late(w.clients.probe); /* a sign of former life */
	status = mo_client_read(w.clients.probe, MO_agent_id, 0, &first, 1, &page);
	mo_page_free(&page);
	if (status != MO_CLIENT_OK)
		w.probe_slices += mo_client_slices(w.clients.probe) - before;
	return status == MO_CLIENT_OK;
}

/* A dcbd that is slow does not use up the time of snmpd: there is one limit for all requests. */
static unsigned read_slices(void)
{
	if (w.begun_us - w.span_us >= SPAN_US) {
		w.span_us = w.begun_us;
		w.span_slices = 0;
	}
	return w.span_slices < SPAN_SLICES ? READ_SLICES : 0;
}

/* request: 0 if it has no number. Its reads wait for dcbd if reads_wait. */
static void begin_spending(long request, bool reads_wait)
{
	if (request != w.request || request == 0) {
		w.request = request;
		w.slices = 0;
	}
	w.begun_us = now_us();
	w.write_slices = scaled(WRITE_SLICES);
	w.write_slices = w.silent || w.slices >= w.write_slices ? 1 : w.write_slices - w.slices;
	mo_client_wait_slices(w.clients.reader, reads_wait ? read_slices() : 0, NULL);
	mo_client_wait_slices(w.clients.writer, w.write_slices, is_alive);
	w.slices_before = slices();
	w.reader_before = mo_client_slices(w.clients.reader);
}

/* The time of a request is that at which its handler began. */
static int64_t request_ms(void)
{
	return w.begun_us / 1000;
}

static void end_spending(void)
{
	w.slices += slices() - w.slices_before;
	w.span_slices += mo_client_slices(w.clients.reader) - w.reader_before;
	if (w.slices > w.most_slices)
		w.most_slices = w.slices;
}

/* --- requests that wait ------------------------------------------------------------------- */

static void on_readable(int fd, void *arg);
static void on_tick(unsigned alarm, void *arg);

/* Makes snmpd watch the descriptor of the late reply, if there is one. false: it cannot. */
static bool watch(void)
{
	int fd = mo_client_late_fd(w.clients.reader);

	if (fd == w.fd)
		return true;
	if (w.fd >= 0)
		unregister_readfd(w.fd);
	w.fd = fd >= 0 && register_readfd(fd, on_readable, NULL) == FD_REGISTERED_OK ? fd : -1;
	return w.fd == fd;
}

/* Runs the alarm while requests wait. */
static void time_waiting(void)
{
	struct timeval tick = {.tv_usec = TICK_US};

	if (w.first && !w.alarm) {
		w.set_ticks = 0;
		w.alarm = snmp_alarm_register_hr(tick, SA_REPEAT, on_tick, NULL);
	} else if (!w.first && w.alarm) {
		snmp_alarm_unregister(w.alarm);
		w.alarm = 0;
	}
}

static void remove_first(void)
{
	struct waiting *x = w.first;

	w.first = x->next;
	if (!w.first)
		w.last = &w.first;
	netsnmp_free_delegated_cache(x->cache);
	free(x);
}

/* Answers the delegated ones of the requests with genErr. */
static void refuse(netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	for (netsnmp_request_info *r = requests; r; r = r->next)
		if (r->delegated)
			netsnmp_set_request_error(info, r, SNMP_ERR_GENERR);
}

/*
 * No cache: snmpd has ended the request. The end of the manager's TCP session is no such end:
 * snmpd answers over the freed session then, see CAVEATS of dcb-dlmod(8).
 */
static void refuse_first(void)
{
	netsnmp_delegated_cache *cache = netsnmp_handler_check_cache(w.first->cache);

	if (cache)
		refuse(cache->reqinfo, cache->requests);
	remove_first();
}

static void refuse_all(void)
{
	while (w.first)
		refuse_first();
}

static bool retry_first(void)
{
	netsnmp_delegated_cache *cache = netsnmp_handler_check_cache(w.first->cache);

	return !cache ||
	       dlmod_retry(w.objects, w.first->arrived_ms, cache->reqinfo, cache->requests);
}

static bool append(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
		   netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	struct waiting *x = calloc(1, sizeof(*x));

	if (!x)
		return false;
	x->cache = netsnmp_create_delegated_cache(handler, registration, info, requests, NULL);
	x->arrived_ms = request_ms();
	if (!x->cache) {
		free(x);
		return false;
	}
	*w.last = x;
	w.last = &x->next;
	return true;
}

/* --- events -------------------------------------------------------------------------------- */

static void on_readable(int fd, void *arg)
{
	(void)fd, (void)arg;
	begin_spending(0, false); /* its reply is the next event */
	if (!w.first && mo_client_discard_late(w.clients.reader) == MO_CLIENT_OK && w.silent)
		log_info_limited("mo", "dcbd answers again");
	w.silent = false;
	w.answered_ms = request_ms();
	mib_cache_resume(w.cache);
	while (w.first && retry_first())
		remove_first();
	end_spending();
	if (!watch())
		refuse_all();
	time_waiting();
}

/* dcbd is silent if it has not answered for this time. */
static void judge_dcbd(int64_t now_ms, int64_t limit_ms)
{
	if (w.silent || now_ms - w.answered_ms < limit_ms)
		return;
	w.silent = true;
	/* Message: as "%s; requests fail with genErr until dcbd answers" */
	log_warn_limited("mo", "%s; requests fail with genErr until dcbd answers",
			 mo_client_strerror(w.clients.reader));
}

/* The requests wait in the order in which they have arrived. */
static void end_overdue(int64_t now_ms)
{
	while (w.first && now_ms - w.first->arrived_ms >= w.timeout_ms) {
		judge_dcbd(now_ms, w.timeout_ms);
		refuse_first(); /* perhaps only this one needs too many replies */
		if (w.silent)
			refuse_all();
	}
}

static void on_tick(unsigned alarm, void *arg)
{
	bool set_waits = &netsnmp_processing_set && netsnmp_processing_set;
	int64_t now_ms = now_us() / 1000;

	(void)alarm, (void)arg;
	w.set_ticks = set_waits ? w.set_ticks + 1 : 0;
	end_overdue(now_ms);
	if (w.first && w.set_ticks >= scaled(SET_TICKS)) {
		judge_dcbd(now_ms, w.set_ticks * TICK_US / 1000);
		refuse_all();
	}
	time_waiting();
}

static bool has_delegated(const netsnmp_request_info *requests)
{
	for (; requests; requests = requests->next)
		if (requests->delegated)
			return true;
	return false;
}

/*
 * A request of snmpd to itself: of its monitors, for example. snmpd waits for the answer in a loop
 * in which it reads no descriptor of ours and runs no alarm. Such requests have no number.
 */
static bool is_internal(const netsnmp_agent_request_info *info)
{
	return info->asp->pdu->transid == 0;
}

/*
 * The SET has dlmodStatus with unload(5), of this module or another. snmpd would unload the module
 * in the last phase of the SET, and then call our handlers for their objects.
 */
static bool unloads(const netsnmp_agent_request_info *info)
{
	static const oid status[] = {1, 3, 6, 1, 4, 1, 2021, 13, 14, 2, 1, 5};
	const netsnmp_variable_list *vb;

	for (vb = info->asp->pdu->variables; vb; vb = vb->next_variable)
		if (vb->type == ASN_INTEGER && *vb->val.integer == DLMOD_UNLOAD &&
		    netsnmp_oid_is_subtree(status, OID_LENGTH(status), vb->name, vb->name_length) ==
			0)
			return true;
	return false;
}

int dlmod_wait_handler(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
		       netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	int status;

	if (info->mode == MODE_SET_RESERVE1 && unloads(info)) {
		netsnmp_set_request_error(info, requests, SNMP_ERR_INCONSISTENTVALUE);
		return SNMP_ERR_NOERROR;
	}
	begin_spending((long)info->asp->pdu->transid, true);
	status = dlmod_handler(handler, registration, info, requests);
	end_spending();
	if (!has_delegated(requests))
		return status;
	if (w.silent || w.ends || !watch() || is_internal(info) ||
	    !append(handler, registration, info, requests)) {
		refuse(info, requests);
		if (w.fd < 0)
			mib_cache_resume(w.cache);
	}
	time_waiting();
	return status;
}

/* --- start and stop --------------------------------------------------------------------- */

void dlmod_wait_start(struct dlmod_objects *objects, struct mib_cache *cache,
		      const struct dlmod_clients *clients, unsigned timeout_ms)
{
	w.timeout_ms = timeout_ms;
	w.objects = objects;
	w.cache = cache;
	w.clients = *clients;
	w.last = &w.first;
	objects->now_ms = request_ms;
	mib_cache_allow_late(cache);
}

static bool is_ours(const netsnmp_subtree *subtree)
{
	const netsnmp_mib_handler *h =
	    subtree && subtree->reginfo ? subtree->reginfo->handler : NULL;

	while (h && h->access_method != dlmod_wait_handler)
		h = h->next;
	return h;
}

static bool has_ours(const netsnmp_agent_session *asp)
{
	for (int i = 0; i <= asp->treecache_num; i++)
		if (is_ours(asp->treecache[i].subtree))
			return true;
	return false;
}

/*
 * Ends the requests that have objects of dcb.so and wait for a subagent, with genErr: they have
 * pointers to our registrations.
 */
static void cancel_delegated(void)
{
	netsnmp_agent_session *first = &agent_delegated_list ? agent_delegated_list : NULL;

	for (netsnmp_agent_session *asp = first; asp; asp = asp->next) {
		if (!asp->treecache || !has_ours(asp))
			continue;
		for (int i = 0; i <= asp->treecache_num; i++)
			refuse(asp->reqinfo, asp->treecache[i].requests_begin);
		asp->flags |= SNMP_AGENT_FLAGS_CANCEL_IN_PROGRESS;
	}
	/* Not the queue: the SET that unloads dcb.so has come from there. */
	netsnmp_check_delegated_requests();
}

void dlmod_wait_stop(void)
{
	if (!w.objects)
		return;
	w.ends = true; /* requests that snmpd begins now do not wait either */
	refuse_all();
	time_waiting();
	if (w.fd >= 0)
		unregister_readfd(w.fd);
	cancel_delegated();
	/*
	 * Message: At the end, for information: the most that one request has waited in snmpd(8),
	 * in slices of 5 milliseconds. A reply to a read counts as the slices that it took,
	 * rounded. What a SET waited while dcbd(8) was alive is not in it.
	 */
	log_info("mo", "waited for dcbd %u ms at most in a request", w.most_slices * MO_SLICE_MS);
	memset(&w, 0, sizeof(w));
	w.fd = -1;
}

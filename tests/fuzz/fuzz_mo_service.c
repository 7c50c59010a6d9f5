/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed-object service with a client that sends any requests on one
 * session, each after two octets of length. Properties: responses are
 * well-formed, and afterwards all tables of the system can be walked to the
 * end. The first octet selects the system. Bit 0: a station. Bit 1: has a
 * second provider, with few capabilities and refusing some settings. Bits 2-3
 * and 4-5: number of commits that fail, of the second and of the first
 * provider. Bit 6: an RBridge, unless it is a station.
 *
 * To create a system takes longer than to handle a request: each of the six
 * serves many inputs and has its initial settings again after each. It ends,
 * with its own checks, after RUNS inputs and with the program.
 */
#include "lib/log.h"
#include "control/managed_conf.h"
#include "control/objects/mo_read.h"
#include "control/mo_service.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_provider.h"

#define RUNS         10000
#define REQUESTS_MAX 24   /* of an input; more make it slow and not different */
#define REPLY_OCTETS 4096 /* a table does not always fit in a reply */

struct world {
	struct fake_provider provider, other;
	struct managed *m;
	struct dcb_config *initial;
	unsigned runs;
};

/* Disables log messages: they would hide those of libFuzzer. */
static void quiet(void)
{
	log_level = LOG_LEVEL_ERROR;
}

static void add_port(struct managed *m, const struct conf *conf, uint32_t ifindex,
		     const char *provider)
{
	struct port_settings settings = conf->port_default;
	struct link_info link = {.ifindex = ifindex, .mac = {2}, .up = true};
	char err[128];

	snprintf(link.name, sizeof(link.name), "p%u", ifindex);
	settings.provider = provider;
	FUZZ_ASSERT(managed_port_add(m, &link, &settings, err, sizeof(err)));
}

static bool accepts(const struct dcb_config_port *at)
{
	return !(at->oper.pfc_enable & 0x80) && !at->config->dcbx.pfc_willing;
}

static void check_walk(const struct managed *m)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		struct mo_index at = {0}, last = {0};
		struct mo_row_at place;

		for (unsigned n = 0;
		     mo_read_next(m, m->config, (enum mo_table_id)id, &at, n > 0, &place); n++) {
			_Alignas(8) uint8_t row[MO_ROW_OCTETS];

			FUZZ_ASSERT(n == 0 || mo_index_compare(&last, &at) < 0);
			mo_read_load(m, m->config, (enum mo_table_id)id, &place, row);
			last = at;
		}
	}
	FUZZ_ASSERT(dcb_config_active_rows(m->config) < DCB_PRIORITIES);
}

static void check_reply(const struct octets_out *reply)
{
	struct octets_in in = octets_in(reply->start, reply->len);
	struct mo_msg_header h;

	FUZZ_ASSERT(!reply->overrun);
	FUZZ_ASSERT(mo_msg_get_header(&in, &h));
	FUZZ_ASSERT(h.op & MO_MSG_REPLY);
}

static void check_close(const struct octets_out *reply)
{
	struct octets_in in = octets_in(reply->start, reply->len);
	char text[MO_TEXT_MAX + 1];
	struct mo_msg_header h;

	FUZZ_ASSERT(mo_msg_get_header(&in, &h) && h.op == (MO_OP_CLOSE | MO_MSG_REPLY));
	mo_msg_get_text(&in, text);
	FUZZ_ASSERT(!in.overrun && in.left == 0 && text[0] != '\0');
}

/* Checks that messages without a request are events. */
static void check_events(struct mo_session *session)
{
	const uint8_t *octets;
	uint64_t last = 0;
	size_t len;

	while ((octets = mo_session_event(session, &len))) {
		struct octets_in in = octets_in(octets, len);
		struct mo_msg_header h;
		struct mo_event ev;

		FUZZ_ASSERT(mo_msg_get_header(&in, &h) && h.op == (MO_OP_EVENT | MO_MSG_REPLY));
		mo_msg_get_event(&in, &ev);
		FUZZ_ASSERT(!in.overrun && in.left == 0 && ev.number > last);
		last = ev.number;
		mo_session_event_sent(session);
	}
}

static void adopt(struct managed *m)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		managed_adopted(m, m->providers[i], m->generation);
}

static void send_requests(struct managed *m, struct mo_session *session, const uint8_t *data,
			  size_t size)
{
	static uint8_t buf[REPLY_OCTETS];
	struct octets_in in = octets_in(data, size);

	for (unsigned n = 0; n < REQUESTS_MAX && in.left > 2; n++) {
		struct octets_out reply = octets_out(buf, sizeof(buf));
		size_t len = octets_in_be16(&in);
		const uint8_t *request = octets_in_take(&in, len);

		if (!request)
			return;
		if (!mo_service_handle(session, request, len, &reply)) {
			check_close(&reply);
			return; /* ctl_server would close the session */
		}
		if (reply.len > 0)
			check_reply(&reply);
		check_events(session);
		adopt(m);
	}
}

/* --- systems ---------------------------------------------------------------------------- */

static struct world worlds[6]; /* by role, and bit 1 of the first octet */

static enum dcb_role role_of(unsigned bits)
{
	if (bits & 1)
		return ROLE_STATION;
	return bits & 0x40 ? ROLE_RBRIDGE : ROLE_BRIDGE;
}

static struct world *world_of(unsigned bits)
{
	return &worlds[2 * (role_of(bits) - ROLE_BRIDGE) + (bits >> 1 & 1)];
}

static void world_begin(struct world *w, unsigned bits)
{
	static struct conf conf;
	struct provider *const providers[] = {&w->provider.provider, &w->other.provider};
	struct provider_refusal why;

	conf.role = role_of(bits);
	conf.component_id = 1;
	fake_provider_init(&w->provider);
	if (conf.role == ROLE_STATION)
		w->provider.has = PROVIDER_CAPS_ALL;
	fake_provider_init(&w->other);
	w->other.ops.name = "other";
	w->other.has = w->other.sets = PROVIDER_PFC | PROVIDER_CN;
	w->other.accepts = accepts;
	w->m = managed_conf_new(&conf, providers, bits & 2 ? 2 : 1);
	add_port(w->m, &conf, 3, NULL);
	add_port(w->m, &conf, 5, bits & 2 ? "other" : NULL);
	FUZZ_ASSERT(managed_release(w->m, &why));
	adopt(w->m);
	w->initial = dcb_config_copy(w->m->config);
	FUZZ_ASSERT(w->initial);
	w->runs = 0;
}

static void world_end(struct world *w)
{
	if (!w->m)
		return;
	dcb_config_free(w->initial);
	managed_free(w->m);
	w->m = NULL;
	FUZZ_ASSERT(w->provider.n_open == 0 && w->other.n_open == 0);
	FUZZ_ASSERT(!w->provider.prepared && !w->other.prepared);
}

__attribute__((destructor)) static void end_all(void)
{
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++)
		world_end(&worlds[i]);
}

/* Restores the settings that a new system has, and forgets its events. */
static void world_restore(struct world *w)
{
	struct managed *m = w->m;
	struct provider_refusal why;
	struct dcb_config *config = dcb_config_restore(m->config, w->initial);

	FUZZ_ASSERT(config && managed_prepare(m, config, &why) && managed_commit(m, &why));
	adopt(m);
	if (events_next(m->events) > 1) {
		events_free(m->events);
		m->events = events_new();
		FUZZ_ASSERT(m->events);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mo_service *service;
	struct mo_session *session;
	uint64_t generation;
	struct world *w;

	quiet();
	if (size < 1)
		return 0;
	w = world_of(data[0]);
	if (w->runs == RUNS)
		world_end(w);
	if (!w->m)
		world_begin(w, data[0]);
	w->runs++;
	generation = w->m->generation;
	w->other.fail_commits = data[0] >> 2 & 3;
	w->provider.fail_commits = data[0] >> 4 & 3;
	service = mo_service_new(w->m, NULL, 1);
	session = mo_session_new(service, MO_MAY_ALL);
	send_requests(w->m, session, data + 1, size - 1);
	if (w->m->generation != generation)
		check_walk(w->m);
	mo_session_free(session);
	mo_service_free(service);
	w->other.fail_commits = w->provider.fail_commits = 0;
	if (w->m->generation != generation)
		world_restore(w);
	return 0;
}

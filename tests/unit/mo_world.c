/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/managed_conf.h"
#include "control/persist.h"

struct link_info mo_world_link(uint32_t ifindex, const char *name, const char *alias)
{
	struct link_info link = {.ifindex = ifindex,
				 .mac = {2, 0, 0, 0, 0, (uint8_t)ifindex},
				 .up = true,
				 .mtu = 1500,
				 .speed = dcb_rate_from_mbps(10000)};

	snprintf(link.name, sizeof(link.name), "%s", name);
	snprintf(link.alias, sizeof(link.alias), "%s", alias);
	return link;
}

struct fake_provider *mo_world_provider(struct mo_world *w, unsigned i)
{
	return i == 0 ? &w->provider : &w->others[i - 1];
}

static struct fake_provider *mo_world_provider_of(struct mo_world *w, uint32_t ifindex)
{
	unsigned i = ifindex == 9 ? 2 : ifindex == 5 ? 1 : 0;

	return mo_world_provider(w, i < w->n_providers ? i : w->n_providers - 1);
}

void mo_world_adopt(struct mo_world *w)
{
	for (unsigned i = 0; i < w->m->n_providers; i++)
		managed_adopted(w->m, w->m->providers[i], w->m->generation);
}

void mo_world_add_port(struct mo_world *w, uint32_t ifindex, const char *name, const char *alias)
{
	struct link_info link = mo_world_link(ifindex, name, alias);
	struct port_settings settings = w->conf.port_default;
	char err[256];

	settings.provider = mo_world_provider_of(w, ifindex)->ops.name;
	if (!managed_port_add(w->m, &link, &settings, err, sizeof(err)))
		fail_msg("%s", err);
	mo_world_adopt(w);
}

static void mo_world_start(struct mo_world *w)
{
	static const char *const names[] = {"fake", "other", "third"};
	struct provider *providers[MO_WORLD_PROVIDERS];
	struct provider_refusal why;

	for (unsigned i = 0; i < w->n_providers; i++) {
		struct fake_provider *f = mo_world_provider(w, i);

		fake_provider_init(f);
		f->ops.name = names[i];
		if (w->conf.role == ROLE_STATION)
			f->has = PROVIDER_CAPS_ALL;
		providers[i] = &f->provider;
	}
	w->m = managed_conf_new(&w->conf, providers, w->n_providers);
	assert_non_null(w->m);
	assert_true(managed_release(w->m, &why));
	w->service = mo_service_new(w->m, w->state, 7);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
}

static void mo_world_stop(struct mo_world *w)
{
	mo_session_free(w->session);
	mo_service_free(w->service);
	managed_free(w->m);
	for (unsigned i = 0; i < w->n_providers; i++) {
		assert_int_equal(mo_world_provider(w, i)->n_open, 0);
		assert_null(mo_world_provider(w, i)->prepared);
	}
}

static void mo_world_add_ports(struct mo_world *w)
{
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
}

struct mo_world *mo_world_of_providers(enum dcb_role role, unsigned n)
{
	struct mo_world *w = calloc(1, sizeof(*w));

	w->n_providers = n;
	w->conf.role = role;
	w->conf.component_id = 1;
	snprintf(w->dir, sizeof(w->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->state, sizeof(w->state), "%s/state", w->dir);
	mo_world_start(w);
	mo_world_add_ports(w);
	return w;
}

struct mo_world *mo_world_new(enum dcb_role role)
{
	return mo_world_of_providers(role, 1);
}

void mo_world_free(struct mo_world *w)
{
	mo_world_stop(w);
	unlink(w->state);
	rmdir(w->dir);
	free(w);
}

/* Stops and starts: the settings are loaded from the state file. */
void mo_world_restart(struct mo_world *w)
{
	mo_world_stop(w);
	mo_world_start(w);
}

void mo_world_load(struct mo_world *w)
{
	char err[256];

	assert_int_equal(persist_load(w->m, w->state, w->conf.keep_absent, err, sizeof(err)),
			 PERSIST_LOADED);
	mo_world_adopt(w);
}

void mo_world_reload(struct mo_world *w)
{
	mo_world_restart(w);
	mo_world_add_ports(w);
	mo_world_load(w);
}

/* --- requests --------------------------------------------------------------------------------- */

struct answer {
	uint8_t buf[MO_MSG_MAX];
	struct octets_in in;
};

static void mo_world_exchange(struct mo_world *w, struct octets_out *request, struct answer *a)
{
	struct octets_out reply = octets_out(a->buf, sizeof(a->buf));
	struct mo_msg_header h;

	assert_true(mo_service_handle(w->session, request->start, request->len, &reply));
	assert_false(reply.overrun);
	a->in = octets_in(a->buf, reply.len);
	assert_true(mo_msg_get_header(&a->in, &h));
	assert_true(h.op & MO_MSG_REPLY);
	assert_int_equal(h.seq, 42);
}

struct octets_out mo_world_request(uint8_t *buf, size_t size, enum mo_msg_op op, unsigned table)
{
	struct octets_out out = octets_out(buf, size);

	mo_msg_put_header(&out, &(struct mo_msg_header){(uint8_t)op, (uint16_t)table, 42});
	return out;
}

static struct mo_index index_of(const char *text)
{
	struct mo_index index = {0};

	if (*text)
		assert_true(mo_index_parse(text, &index));
	return index;
}

bool mo_world_next(struct mo_world *w, unsigned table, struct mo_index *index)
{
	static struct answer a;
	uint8_t buf[256];
	struct octets_out out = mo_world_request(buf, sizeof(buf), MO_OP_READ, table);
	uint16_t n;

	octets_out_u8(&out, MO_READ_AFTER);
	octets_out_be16(&out, 1);
	mo_msg_put_index(&out, index);
	mo_world_exchange(w, &out, &a);
	octets_in_u8(&a.in);
	n = octets_in_be16(&a.in);
	assert_true(n <= 1);
	if (n)
		mo_msg_get_index(&a.in, index);
	assert_false(a.in.overrun);
	return n;
}

/* Reads one column of all rows, as "index=value" words separated by blanks. */
void mo_world_column(struct mo_world *w, const char *object, char *text, size_t size)
{
	static struct answer a;
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct mo_index index = {0};
	uint8_t buf[256];
	struct octets_out out;
	unsigned n;

	assert_non_null(col);
	text[0] = '\0';
	out = mo_world_request(buf, sizeof(buf), MO_OP_READ, table->id);
	octets_out_u8(&out, 0);
	octets_out_be16(&out, 1000);
	mo_msg_put_index(&out, &index);
	mo_world_exchange(w, &out, &a);
	assert_int_equal(octets_in_u8(&a.in), 0);
	n = octets_in_be16(&a.in);
	for (unsigned r = 0; r < n; r++) {
		char index_text[80], value_text[MO_VALUE_TEXT];

		mo_msg_get_index(&a.in, &index);
		mo_index_format(&index, index_text, sizeof(index_text));
		for (unsigned i = 0; i < table->n_columns; i++) {
			struct mo_value value;

			bool has = mo_msg_get_value(&a.in, &value);

			assert_false(a.in.overrun);
			if (!has || &table->columns[i] != col)
				continue;
			mo_format(col, &value, value_text, sizeof(value_text));
			snprintf(text + strlen(text), size - strlen(text), "%s%s=%s",
				 *text ? " " : "", index_text, value_text);
		}
	}
	assert_int_equal(a.in.left, 0);
}

/* Reads a reply: sets w->bad and w->reason and returns the error. */
static enum mo_error take_result(struct mo_world *w, struct answer *a)
{
	enum mo_error error = (enum mo_error)octets_in_u8(&a->in);
	const uint8_t *text;
	size_t len;

	w->bad = octets_in_be16(&a->in);
	len = octets_in_u8(&a->in);
	text = octets_in_take(&a->in, len);
	assert_non_null(text);
	assert_int_equal(a->in.left, 0);
	memcpy(w->reason, text, len);
	w->reason[len] = '\0';
	/* The names of these two say nothing without a reason. */
	assert_true(len > 0 ||
		    (error != MO_INCONSISTENT_VALUE && error != MO_RESOURCE_UNAVAILABLE));
	return error;
}

enum mo_error mo_world_phase(struct mo_world *w, enum mo_msg_op op)
{
	static struct answer a;
	uint8_t buf[64];
	struct octets_out out = mo_world_request(buf, sizeof(buf), op, 0);

	octets_out_be32(&out, w->txid);
	mo_world_exchange(w, &out, &a);
	return take_result(w, &a);
}

/* Sends TEST with up to eight "object", "index", "value" triples. */
enum mo_error mo_world_test(struct mo_world *w, const char *const set[][3], unsigned n)
{
	static struct answer a;
	uint8_t buf[4096];
	struct octets_out out = mo_world_request(buf, sizeof(buf), MO_OP_TEST, 0);

	octets_out_be32(&out, ++w->txid);
	octets_out_be16(&out, (uint16_t)n);
	for (unsigned i = 0; i < n; i++) {
		const struct mo_table *table;
		const struct mo_column *col = mo_column_by_name(set[i][0], &table);
		struct mo_varbind vb = {.index = index_of(set[i][1])};

		assert_non_null(col);
		vb.table = table->id;
		vb.subid = col->subid;
		assert_true(mo_parse(col, set[i][2], &vb.value));
		mo_msg_put_varbind(&out, &vb);
	}
	mo_world_exchange(w, &out, &a);
	return take_result(w, &a);
}

enum mo_error mo_world_set(struct mo_world *w, const char *const set[][3], unsigned n)
{
	enum mo_error error = mo_world_test(w, set, n);
	char reason[sizeof(w->reason)];
	unsigned bad;

	if (error == MO_NO_ERROR)
		error = mo_world_phase(w, MO_OP_COMMIT);
	bad = w->bad;
	memcpy(reason, w->reason, sizeof(reason));
	mo_world_phase(w, MO_OP_CLEANUP);
	w->bad = bad;
	memcpy(w->reason, reason, sizeof(reason));
	mo_world_adopt(w);
	return error;
}

void mo_world_value(struct mo_world *w, const char *object, const char *index, const char *expected)
{
	static char text[65536];
	char want[128];

	mo_world_column(w, object, text + 1, sizeof(text) - 2);
	text[0] = ' ';
	strcat(text, " ");
	snprintf(want, sizeof(want), " %s=%s ", index, expected);
	if (!strstr(text, want))
		fail_msg("%s: no%sin%s", object, want, text);
}

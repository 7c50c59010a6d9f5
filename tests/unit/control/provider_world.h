/* SPDX-License-Identifier: BSD-3-Clause */
/* A system with one to three providers, and its state before and after a change that fails. */
#ifndef DCB_TESTS_PROVIDER_WORLD_H
#define DCB_TESTS_PROVIDER_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/mo_world.h"

#define ENABLE    "dcbPfcPriorityEnable"
#define ALLOWANCE "ieee8021PfcLinkDelayAllowance"

struct snapshot {
	char *state; /* the state file */
	const struct dcb_config *config;
	unsigned n_published[MO_WORLD_PROVIDERS];
};

static inline char *read_state(const struct mo_world *w)
{
	char *text = calloc(1, 65536);
	FILE *f = fopen(w->state, "re");

	if (f) {
		assert_true(fread(text, 1, 65535, f) < 65535);
		fclose(f);
	}
	return text;
}

static inline struct snapshot take_snapshot(struct mo_world *w)
{
	struct snapshot s = {.state = read_state(w), .config = w->m->config};

	for (unsigned i = 0; i < w->n_providers; i++)
		s.n_published[i] = mo_world_provider(w, i)->n_published;
	return s;
}

static inline void check_hardware(const struct dcb_config_port *at)
{
	const struct fake_port *port = fake_port(at->port);

	assert_true(port->is_written);
	assert_int_equal(port->hardware.allowance, at->config->pfc_link_delay_allowance);
	assert_int_equal(port->hardware.pfc_enable, at->oper.pfc_enable);
}

/* The providers' configurations are those of the managed objects, and their ports obey. */
static inline void check_in_force(struct mo_world *w)
{
	unsigned ports = 0;

	for (unsigned i = 0; i < w->n_providers; i++) {
		const struct dcb_config *c = mo_world_provider(w, i)->published;

		assert_null(mo_world_provider(w, i)->prepared);
		assert_non_null(c);
		assert_memory_equal(c->com_pri, w->m->config->com_pri, sizeof(c->com_pri));
		assert_int_equal(c->cnpv_acting, w->m->config->cnpv_acting);
		ports += (unsigned)c->n_ports;
		for (size_t k = 0; k < c->n_ports; k++) {
			size_t pos = managed_find(w->m, c->ports[k].port->link.ifindex);

			assert_ptr_equal(c->ports[k].port->provider,
					 &mo_world_provider(w, i)->provider);
			assert_true(pos < w->m->config->n_ports);
			assert_ptr_equal(c->ports[k].config, w->m->config->ports[pos].config);
			assert_memory_equal(&c->ports[k].oper, &w->m->config->ports[pos].oper,
					    sizeof(c->ports[k].oper));
			check_hardware(&c->ports[k]);
		}
	}
	assert_int_equal(ports, w->m->config->n_ports);
}

static inline void check_state(const struct mo_world *w, const char *expected)
{
	char *state = read_state(w);

	assert_string_equal(state, expected);
	free(state);
}

/* Nothing is changed, and no provider has been given a configuration. */
static inline void check_untouched(struct mo_world *w, struct snapshot *s)
{
	assert_ptr_equal(w->m->config, s->config);
	for (unsigned i = 0; i < w->n_providers; i++)
		assert_int_equal(mo_world_provider(w, i)->n_published, s->n_published[i]);
	check_in_force(w);
	check_state(w, s->state);
	free(s->state);
}

/* Settings on all three ports. */
static inline struct mo_world *make_world(unsigned providers)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, providers);

	assert_int_equal(
	    SET(w, {ALLOWANCE, "3", "33"}, {ALLOWANCE, "5", "55"}, {ALLOWANCE, "9", "99"}),
	    MO_NO_ERROR);
	check_in_force(w);
	return w;
}

static inline bool has_no_pfc_on_7(const struct dcb_config_port *at)
{
	return !(at->oper.pfc_enable & 0x80);
}

static inline bool has_little_delay(const struct dcb_config_port *at)
{
	return at->config->pfc_link_delay_allowance < 1000;
}

static inline void fail_next_commit(struct fake_provider *f, uint32_t ifindex)
{
	f->fail_commits = 1;
	f->fail_ifindex = ifindex;
}

#endif

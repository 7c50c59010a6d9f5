/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/fake_provider.h"

#include <stdlib.h>
#include <string.h>

static struct fake_provider *fake(struct provider *p)
{
	return (struct fake_provider *)p;
}

static void expect(bool contract)
{
	if (!contract)
		abort();
}

static struct port *fake_open(struct provider *p, uint16_t slot, const struct link_info *link,
			      const struct port_settings *settings, char *err, size_t errlen)
{
	struct fake_port *port = calloc(1, sizeof(*port));

	(void)err;
	(void)errlen;
	expect(port && !fake(p)->by_slot[slot]);
	fake(p)->by_slot[slot] = port;
	fake(p)->n_open++;
	port->port = (struct port){
	    .provider = p,
	    .slot = slot,
	    .has = fake(p)->has,
	    .sets = fake(p)->sets,
	    .link = *link,
	    .settings = *settings,
	};
	return &port->port;
}

static void fake_update(struct port *port, const struct link_info *link)
{
	port->link = *link;
}

static void fake_close(struct port *port)
{
	expect(!fake(port->provider)->prepared);
	fake(port->provider)->by_slot[port->slot] = NULL;
	fake(port->provider)->n_open--;
	free(port);
}

static bool refuse(const struct fake_provider *f, const struct port *port,
		   struct provider_refusal *why)
{
	return provider_refuse(why, f->refusal, f->names_no_port ? NULL : port, f->about,
			       "fake cannot: expected another");
}

static bool fake_prepare(struct provider *p, const struct dcb_config *config,
			 struct provider_refusal *why)
{
	struct fake_provider *f = fake(p);

	expect(!f->prepared);
	for (size_t i = 0; i < config->n_ports; i++) {
		expect(config->ports[i].port->provider == p);
		if (f->accepts && !f->accepts(&config->ports[i]))
			return refuse(f, config->ports[i].port, why);
	}
	f->prepared = config;
	f->n_prepared++;
	return true;
}

static const struct port *port_of(const struct dcb_config *config, uint32_t ifindex)
{
	size_t pos = dcb_config_lower_bound(config, ifindex);

	return pos < config->n_ports ? config->ports[pos].port : NULL;
}

static struct fake_hardware hardware_of(const struct dcb_config_port *at)
{
	return (struct fake_hardware){.allowance = at->config->pfc_link_delay_allowance,
				      .pfc_enable = at->oper.pfc_enable};
}

static bool write_hardware(struct fake_port *port, struct fake_hardware to)
{
	port->is_written = port->write_after > 0 || port->fail_writes == 0;
	if (port->write_after > 0)
		port->write_after--;
	else if (port->fail_writes > 0)
		port->fail_writes--;
	if (port->is_written)
		port->hardware = to;
	return port->is_written;
}

static bool has(const struct fake_port *port, struct fake_hardware what)
{
	return port->is_written && port->hardware.allowance == what.allowance &&
	       port->hardware.pfc_enable == what.pfc_enable;
}

/* Restores those of the first n ports of config that have changed. from: as in write_ports(). */
static bool write_back(const struct dcb_config *config, const struct dcb_config *from, size_t n)
{
	bool ok = true;

	for (size_t i = dcb_config_next_changed_from(config, from, 0); i < n;
	     i = dcb_config_next_changed_from(config, from, i + 1)) {
		struct fake_port *port = fake_port(config->ports[i].port);

		if (!has(port, port->was))
			ok &= write_hardware(port, port->was);
	}
	return ok;
}

/* All ports or none. */
static bool write_ports(struct fake_provider *f, const struct dcb_config *config,
			struct provider_refusal *why)
{
	/* The ports have its settings: only those that differ are written. NULL: write all. */
	const struct dcb_config *from = f->is_known ? f->published : NULL;
	bool ok = true;

	if (from == config)
		from = NULL;
	for (size_t i = dcb_config_next_changed_from(config, from, 0); ok && i < config->n_ports;
	     i = dcb_config_next_changed_from(config, from, i + 1)) {
		struct fake_port *port = fake_port(config->ports[i].port);
		struct fake_hardware to = hardware_of(&config->ports[i]);

		port->was = port->hardware;
		ok = has(port, to) || write_hardware(port, to);
		if (ok)
			continue;
		provider_refuse(why, PROVIDER_FAILED, &port->port, 0, "fake cannot be written");
		/* The port that failed may have a part of it. */
		if (!write_back(config, from, i + 1))
			why->reason = PROVIDER_NOT_UNDONE;
	}
	f->is_known = ok || (from && why->reason == PROVIDER_FAILED);
	return ok;
}

static bool fake_commit(struct provider *p, const struct dcb_config *config,
			struct provider_refusal *why)
{
	struct fake_provider *f = fake(p);

	expect(f->prepared == config || !f->ops.prepare);
	expect(!f->published || f->published->generation < config->generation);
	f->prepared = NULL;
	if (f->fail_after > 0) {
		f->fail_after--;
	} else if (f->fail_commits > 0) {
		f->fail_commits--;
		f->n_failed++;
		return provider_refuse(why, f->failure, port_of(config, f->fail_ifindex), 0,
				       "fake does not obey");
	}
	if (f->hands_over) {
		f->outcome = PROVIDER_PENDING;
	} else if (!write_ports(f, config, why)) {
		f->n_failed++;
		return false;
	}
	f->published = config;
	f->n_published++;
	return true;
}

void fake_provider_finish(struct fake_provider *f)
{
	expect(f->outcome == PROVIDER_PENDING);
	f->outcome = write_ports(f, f->published, &f->why) ? PROVIDER_IN_FORCE : PROVIDER_REFUSED;
}

static enum provider_outcome fake_outcome(const struct provider *p, struct provider_refusal *why)
{
	const struct fake_provider *f = (const struct fake_provider *)p;

	if (f->outcome == PROVIDER_REFUSED)
		*why = f->why;
	return f->outcome;
}

static void fake_abort(struct provider *p, const struct dcb_config *config)
{
	expect(fake(p)->prepared == config);
	fake(p)->prepared = NULL;
	fake(p)->n_aborted++;
}

static int fake_event_fd(const struct provider *p)
{
	(void)p;
	return -1;
}

static bool fake_next_event(struct provider *p, struct provider_event *ev)
{
	(void)p;
	(void)ev;
	return false;
}

static uint64_t fake_unknown(const struct port *port, enum stats_of of, unsigned priority)
{
	return fake_port(port)->unknown[of][priority];
}

static void fake_read_cp(const struct port *port, unsigned priority, struct cp_stats *out)
{
	*out = fake_port(port)->cp[priority];
}

static void fake_read_ecn(const struct port *port, unsigned priority, struct ecn_stats *out)
{
	*out = fake_port(port)->ecn[priority];
}

static void fake_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	*out = fake_port(port)->pfc[priority];
}

static void fake_read_pfc_port(const struct port *port, struct pfc_port_stats *out)
{
	*out = fake_port(port)->pfc_port;
}

static void fake_read_pfc_watchdog(const struct port *port, unsigned priority,
				   struct pfc_watchdog_stats *out)
{
	*out = fake_port(port)->watchdog[priority];
}

static void fake_read_measure(const struct port *port, struct pfc_measure_stats *out)
{
	*out = fake_port(port)->measure;
}

static void fake_read_buffer(const struct port *port, unsigned priority, struct buffer_stats *out)
{
	*out = fake_port(port)->buffer[priority];
}

static void fake_read_port(const struct port *port, struct port_stats *out)
{
	*out = fake_port(port)->stats;
}

static const struct port_fault *fake_fault(const struct port *port)
{
	return fake_port(port)->fault;
}

static void fake_read_learning(const struct port *port, struct learning_stats *out)
{
	*out = fake_port(port)->learning;
}

static void fake_read_trill_port(const struct port *port, struct trill_port_stats *out)
{
	*out = fake_port(port)->trill;
}

static bool fake_read_trill_nickname(const struct provider *p, uint16_t nickname,
				     struct trill_nickname_stats *out)
{
	const struct fake_provider *f = (const struct fake_provider *)p;

	if (f->nickname == nickname)
		*out = f->of_nickname;
	return f->nickname == nickname;
}

static bool fake_read_addresses(const struct provider *p, struct fdb_addresses *out)
{
	struct fake_provider *f = (struct fake_provider *)p;

	f->addresses_reads++;
	*out = (struct fdb_addresses){
	    .n = f->addresses_fail ? 0 : f->addresses.n,
	    .n_local = f->addresses_fail ? 0 : f->addresses.n_local,
	};
	if (out->n == 0)
		return !f->addresses_fail;
	out->of = malloc(out->n * sizeof(*out->of));
	if (!out->of)
		return false;
	memcpy(out->of, f->addresses.of, out->n * sizeof(*out->of));
	return true;
}

static void fake_read_rp_port_pri(const struct port *port, unsigned priority,
				  struct rp_port_pri_stats *out)
{
	*out = fake_port(port)->rp_port_pri[priority];
}

static void fake_read_rp(const struct port *port, unsigned priority, unsigned index,
			 struct rp_stats *out)
{
	*out = fake_port(port)->rp[priority][index - 1];
}

static void fake_read_oper(const struct port *port, struct provider_oper *out)
{
	*out = ((const struct fake_port *)port)->oper;
}

static struct port_macsec *fake_macsec(const struct port *port)
{
	return fake_port(port)->macsec;
}

static void fake_read_cnm(const struct port *port, struct cnm_stats *out)
{
	*out = fake_port(port)->cnm;
}

static void fake_read_provider(const struct provider *p, struct provider_stats *out)
{
	*out = ((const struct fake_provider *)p)->stats;
}

static void fake_destroy(struct provider *p)
{
	for (size_t slot = 0; slot < DCB_SLOTS; slot++)
		if (fake(p)->by_slot[slot])
			fake_close(&fake(p)->by_slot[slot]->port);
}

static const struct provider_ops fake_ops = {
    .name = "fake",
    .port_open = fake_open,
    .port_update = fake_update,
    .port_close = fake_close,
    .prepare = fake_prepare,
    .commit = fake_commit,
    .abort = fake_abort,
    .outcome = fake_outcome,
    .event_fd = fake_event_fd,
    .next_event = fake_next_event,
    .unknown = fake_unknown,
    .read_cp = fake_read_cp,
    .read_ecn = fake_read_ecn,
    .read_pfc = fake_read_pfc,
    .read_pfc_watchdog = fake_read_pfc_watchdog,
    .read_measure = fake_read_measure,
    .read_buffer = fake_read_buffer,
    .read_pfc_port = fake_read_pfc_port,
    .read_port = fake_read_port,
    .read_learning = fake_read_learning,
    .fault = fake_fault,
    .read_trill_port = fake_read_trill_port,
    .read_trill_nickname = fake_read_trill_nickname,
    .read_addresses = fake_read_addresses,
    .read_rp_port_pri = fake_read_rp_port_pri,
    .read_rp = fake_read_rp,
    .read_cnm = fake_read_cnm,
    .macsec = fake_macsec,
    .read_oper = fake_read_oper,
    .read_provider = fake_read_provider,
    .destroy = fake_destroy,
};

void fake_provider_init(struct fake_provider *f)
{
	*f = (struct fake_provider){
	    .ops = fake_ops,
	    .has = PROVIDER_CAPS_ALL & ~(PROVIDER_RP | PROVIDER_RP_STATE),
	    .sets = PROVIDER_SETS_ALL,
	    .refusal = PROVIDER_CANNOT,
	    .failure = PROVIDER_FAILED,
	};
	f->provider.ops = &f->ops;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd with providers that refuse and fail: its control socket, managed objects,
 * transactions and state file over the two providers of tests/unit/fake_provider.c, "first"
 * with ports 101 and 103, "second" with ports 102 and 104. Port 104 has no headroom, and its
 * watchdog cannot be set. Lines on a FIFO are orders to the providers; the program prints
 * "done: " and the line after it has executed one.
 *
 *   refuse PROVIDER resource|value PORT pfc|headroom|any AFTER
 *       refuse to prepare a configuration with changed settings of PORT, and name the
 *       capability at fault. AFTER such configurations are accepted before: with 0 the
 *       refusal is in TestSet, with 1 in CommitSet
 *   fail PROVIDER PORT AFTER TIMES
 *       after AFTER commits of PORT's settings, fail TIMES commits
 *   write PORT AFTER TIMES
 *       after AFTER times that PORT was written, fail TIMES times: its provider restores its ports
 *   remove PORT tested|failed
 *       remove PORT after the next TestSet, or after the next failed commit
 *   add PORT
 *   obey
 *       refuse and fail nothing
 *   show FILE
 *       write each provider's configuration, and whether dcbd's is the same
 *
 * usage: provider_dcbd SOCKET STATE FIFO
 */
#include <event2/buffer.h>
#include <event2/event.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "tests/unit/fake_provider.h"

#define FIRST_PORT 101
#define LAST_PORT  104
#define PROVIDERS  2

enum removal { REMOVE_NEVER, REMOVE_WHEN_TESTED, REMOVE_WHEN_FAILED, REMOVE_NOW };

static struct {
	struct fake_provider fakes[PROVIDERS];
	struct provider_ops fake_ops; /* as fake_provider_init() sets them */
	struct conf conf;
	struct event_base *base;
	struct managed *m;
	struct mo_service *service;
	struct ctl_server *ctl;
	struct event *fifo, *after, *term;
	struct evbuffer *orders;
	uint32_t refused_port;
	unsigned refuse_after;
	uint32_t removed_port;
	enum removal removal;
} d;

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
	fprintf(stderr, "provider_dcbd: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* --- providers -------------------------------------------------------------------------- */

static struct fake_provider *fake_of(const struct port *port)
{
	return (struct fake_provider *)port->provider;
}

/* Settings that a configuration does not change are shared with the one before. */
static bool is_changed(const struct dcb_config_port *at)
{
	const struct dcb_config *has = fake_of(at->port)->published;
	size_t pos = dcb_config_lower_bound(has, at->port->link.ifindex);

	return pos == has->n_ports || has->ports[pos].config != at->config;
}

static bool accepts(const struct dcb_config_port *at)
{
	if (at->port->link.ifindex != d.refused_port || !is_changed(at))
		return true;
	if (d.refuse_after == 0)
		return false;
	d.refuse_after--;
	return true;
}

static void remove_if(enum removal when)
{
	if (d.removal == when)
		d.removal = REMOVE_NOW;
}

/* A configuration that is prepared and not committed is that of TestSet. */
static void abort_and_note(struct provider *p, const struct dcb_config *config)
{
	d.fake_ops.abort(p, config);
	remove_if(REMOVE_WHEN_TESTED);
	event_active(d.after, EV_TIMEOUT, 0);
}

static bool commit_and_note(struct provider *p, const struct dcb_config *config,
			    struct provider_refusal *why)
{
	bool ok = d.fake_ops.commit(p, config, why);

	if (!ok)
		remove_if(REMOVE_WHEN_FAILED);
	event_active(d.after, EV_TIMEOUT, 0);
	return ok;
}

/* Runs after the response to a request, in the same loop of libevent, before the next request is
 * read. */
static void on_after(evutil_socket_t fd, short what, void *arg)
{
	struct fake_provider *f = &d.fakes[0];

	(void)fd;
	(void)what;
	(void)arg;
	managed_adopted(d.m, &f->provider, f->published->generation);
	if (d.removal != REMOVE_NOW)
		return;
	d.removal = REMOVE_NEVER;
	if (!managed_port_remove(d.m, managed_find(d.m, d.removed_port)))
		die("remove", "the port is still there");
}

/* "first" reports which configuration it has adopted; "second" has no event_fd for that. */
static void start_providers(void)
{
	static const char *const names[] = {"first", "second"};
	struct provider *providers[PROVIDERS];

	for (unsigned i = 0; i < PROVIDERS; i++) {
		struct fake_provider *f = &d.fakes[i];

		fake_provider_init(f);
		d.fake_ops = f->ops;
		f->ops.name = names[i];
		f->ops.abort = abort_and_note;
		f->ops.commit = commit_and_note;
		f->accepts = accepts;
		providers[i] = &f->provider;
	}
	d.fakes[1].ops.event_fd = NULL;
	d.m = managed_conf_new(&d.conf, providers, PROVIDERS);
	if (!d.m)
		die("managed", "out of memory");
}

static void add_port(uint32_t ifindex)
{
	struct fake_provider *f = &d.fakes[(ifindex - FIRST_PORT) % PROVIDERS];
	struct link_info link = {.ifindex = ifindex,
				 .mac = {2, 0, 0, 0, 0, (uint8_t)ifindex},
				 .up = true,
				 .mtu = 1500,
				 .speed = dcb_rate_from_mbps(10000)};
	struct port_settings settings = d.conf.port_default;
	char err[256];

	snprintf(link.name, sizeof(link.name), "port%u", ifindex);
	settings.provider = f->ops.name;
	f->has = PROVIDER_CAPS_ALL & ~(PROVIDER_RP | PROVIDER_RP_STATE);
	f->sets = PROVIDER_SETS_ALL;
	if (ifindex == LAST_PORT) {
		f->has &= ~(uint32_t)(PROVIDER_LINK_DELAY | PROVIDER_CABLE_LENGTH |
				      PROVIDER_HEADROOM | PROVIDER_MEASURE);
		f->sets &= (uint16_t)~PROVIDER_WATCHDOG;
	}
	if (!managed_port_add(d.m, &link, &settings, err, sizeof(err)))
		die("add", err);
}

/* --- the providers' configurations --------------------------------------------------------- */

static bool has_written(const struct dcb_config_port *at)
{
	const struct fake_port *port = fake_port(at->port);

	return port->is_written && port->hardware.pfc_enable == at->oper.pfc_enable &&
	       port->hardware.allowance == at->config->pfc_link_delay_allowance;
}

static bool is_in_force(const struct dcb_config_port *at)
{
	size_t pos = managed_find(d.m, at->port->link.ifindex);
	const struct dcb_config_port *managed = &d.m->config->ports[pos];

	return pos < d.m->config->n_ports && managed->config == at->config &&
	       managed->oper.pfc_enable == at->oper.pfc_enable && has_written(at);
}

static void show_port(FILE *out, const struct dcb_config_port *at)
{
	fprintf(out, "  %s allowance %u pfc %02x set point %u%s\n", at->port->link.name,
		at->config->pfc_link_delay_allowance, at->oper.pfc_enable, at->config->cp[3].cp_qsp,
		is_in_force(at) ? "" : " not as in dcbd");
}

static void show(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		die(path, strerror(errno));
	for (unsigned i = 0; i < PROVIDERS; i++) {
		const struct dcb_config *has = d.fakes[i].published;

		fprintf(out, "%s%s, CNPVs %02x\n", d.fakes[i].ops.name,
			d.fakes[i].prepared ? " is prepared" : "", has->cnpv_acting);
		for (size_t k = 0; k < has->n_ports; k++)
			show_port(out, &has->ports[k]);
	}
	if (fclose(out) != 0)
		die(path, strerror(errno));
}

/* --- orders --------------------------------------------------------------------------------- */

static struct fake_provider *fake_named(const char *name)
{
	for (unsigned i = 0; i < PROVIDERS; i++)
		if (strcmp(d.fakes[i].ops.name, name) == 0)
			return &d.fakes[i];
	die(name, "expected first or second");
}

static uint32_t cap_named(const char *name)
{
	if (strcmp(name, "pfc") == 0)
		return PROVIDER_PFC;
	if (strcmp(name, "headroom") == 0)
		return PROVIDER_HEADROOM | PROVIDER_LINK_DELAY;
	if (strcmp(name, "any") == 0)
		return 0;
	die(name, "expected pfc, headroom or any");
}

static enum provider_reason reason_named(const char *name)
{
	if (strcmp(name, "resource") == 0)
		return PROVIDER_NO_RESOURCE;
	if (strcmp(name, "value") == 0)
		return PROVIDER_CANNOT;
	die(name, "expected resource or value");
}

static enum removal removal_named(const char *name)
{
	if (strcmp(name, "tested") == 0)
		return REMOVE_WHEN_TESTED;
	if (strcmp(name, "failed") == 0)
		return REMOVE_WHEN_FAILED;
	die(name, "expected tested or failed");
}

static void obey(void)
{
	d.refused_port = 0;
	d.removal = REMOVE_NEVER;
	for (unsigned i = 0; i < PROVIDERS; i++)
		d.fakes[i].fail_commits = d.fakes[i].fail_after = 0;
	for (size_t i = 0; i < d.m->config->n_ports; i++) {
		struct fake_port *port = fake_port(d.m->config->ports[i].port);

		port->write_after = port->fail_writes = 0;
	}
}

static void fail_writes(uint32_t ifindex, unsigned after, unsigned times)
{
	size_t pos = managed_find(d.m, ifindex);
	struct fake_port *port;

	if (pos == d.m->config->n_ports)
		die("write", "no such port");
	port = fake_port(d.m->config->ports[pos].port);
	port->write_after = after;
	port->fail_writes = times;
}

static void take_order(const char *line)
{
	char provider[16], word[256], about[16];
	unsigned port, after, times;

	if (sscanf(line, "refuse %15s %15s %u %15s %u", provider, word, &port, about, &after) ==
	    5) {
		struct fake_provider *f = fake_named(provider);

		f->refusal = reason_named(word);
		f->about = cap_named(about);
		d.refused_port = port;
		d.refuse_after = after;
	} else if (sscanf(line, "fail %15s %u %u %u", provider, &port, &after, &times) == 4) {
		struct fake_provider *f = fake_named(provider);

		f->fail_ifindex = port;
		f->fail_after = after;
		f->fail_commits = times;
	} else if (sscanf(line, "write %u %u %u", &port, &after, &times) == 3) {
		fail_writes(port, after, times);
	} else if (sscanf(line, "remove %u %15s", &port, word) == 2) {
		d.removed_port = port;
		d.removal = removal_named(word);
	} else if (sscanf(line, "add %u", &port) == 1) {
		add_port(port);
	} else if (sscanf(line, "show %255s", word) == 1) {
		show(word);
	} else if (strcmp(line, "obey") == 0) {
		obey();
	} else {
		die(line, "expected an order");
	}
}

static void on_fifo(evutil_socket_t fd, short what, void *arg)
{
	char *line;

	(void)what;
	(void)arg;
	if (evbuffer_read(d.orders, fd, -1) < 0)
		die("read", strerror(errno));
	while ((line = evbuffer_readln(d.orders, NULL, EVBUFFER_EOL_LF))) {
		take_order(line);
		printf("done: %s\n", line);
		free(line);
	}
}

/* --- start and stop: as control/dcbd.c ---------------------------------------------------- */

static void on_term(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(arg);
}

/* O_RDWR: opened for reading only, a FIFO without writers would be at its end. */
static void start_events(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		die(path, strerror(errno));
	d.base = event_base_new();
	d.orders = evbuffer_new();
	d.fifo = event_new(d.base, fd, EV_READ | EV_PERSIST, on_fifo, NULL);
	d.after = evtimer_new(d.base, on_after, NULL);
	d.term = evsignal_new(d.base, SIGTERM, on_term, d.base);
	if (event_add(d.fifo, NULL) < 0 || event_add(d.term, NULL) < 0)
		die("events", strerror(errno));
}

static void load_state(const char *path)
{
	enum persist_result result;
	char err[256];

	result = persist_load(d.m, path, false, err, sizeof(err));
	if (result != PERSIST_LOADED && result != PERSIST_NONE)
		die("state", err);
}

static void start_service(const char *socket, const char *state)
{
	char err[256];

	d.service = mo_service_new(d.m, state, (uint32_t)getpid());
	if (!d.service)
		die("service", "out of memory");
	d.ctl = ctl_server_new(d.base, d.service, &(struct ctl_server_config){.control = socket},
			       err, sizeof(err));
	if (!d.ctl)
		die("control", err);
}

static void stop(void)
{
	ctl_server_free(d.ctl);
	mo_service_free(d.service);
	managed_free(d.m);
	close(event_get_fd(d.fifo));
	event_free(d.fifo);
	event_free(d.after);
	event_free(d.term);
	evbuffer_free(d.orders);
	event_base_free(d.base);
	conf_free(&d.conf);
	libevent_global_shutdown();
}

int main(int argc, char **argv)
{
	struct provider_refusal why;

	if (argc != 4)
		die("usage", "provider_dcbd SOCKET STATE FIFO");
	setlinebuf(stdout);
	signal(SIGPIPE, SIG_IGN);
	log_init("provider_dcbd", LOG_LEVEL_INFO, false);
	conf_init(&d.conf);
	start_events(argv[3]);
	start_providers();
	for (uint32_t ifindex = FIRST_PORT; ifindex <= LAST_PORT; ifindex++)
		add_port(ifindex);
	load_state(argv[2]);
	if (!managed_release(d.m, &why))
		die("release", why.text);
	start_service(argv[1], argv[2]);
	event_base_dispatch(d.base);
	stop();
	return EXIT_SUCCESS;
}

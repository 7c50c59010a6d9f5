/* SPDX-License-Identifier: BSD-3-Clause */
/* The providers of dcbd: which ones it starts, and whether their threads turn. */
#include "control/dcbd_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "control/managed_conf.h"
#include "dataplane/kernel/provider_kernel.h"
#include "dataplane/observe/provider_observe.h"
#include "dataplane/soft/provider_soft.h"
#include "dataplane/sonic/provider_sonic.h"
#include "dataplane/sonic/sonic_report.h"
#include "lib/entropy.h"
#include "lib/log.h"
#include "lib/rt_guard.h"

#define SUSPENSIONS_MS 60000 /* between two lines about suspended real time */

static struct provider *new_soft(const struct provider_soft_params *params)
{
	char err[256];
	struct provider *provider = provider_soft_new(params, err, sizeof(err));

	if (!provider)
		log_error("dcbd", "%s", err);
	return provider;
}

static struct provider *start_soft(const struct dcbd *d, bool no_thread, uint64_t seed)
{
	/* A replay of captures is never a station. */
	bool bridge = d->conf.role == ROLE_STATION && no_thread;
	struct provider_soft_params params =
	    managed_conf_soft(&d->conf, bridge ? ROLE_BRIDGE : d->conf.role, no_thread, seed);

	if (d->macsec)
		params.macsec = macsec_ports(d->macsec, &params.n_macsec);
	return new_soft(&params);
}

static struct provider *start_station(const struct dcbd *d)
{
	struct provider_soft_params params = managed_conf_station(&d->conf, false, entropy_u64());

	return new_soft(&params);
}

static struct provider *start_observe(void)
{
	struct provider *provider = provider_observe_new();

	if (!provider)
		/*
		 * Message: Free memory, raise the limit of memory of the program, or use smaller
		 * sizes in dcbd.conf(5) or in the scenario. Start the program again if it has
		 * ended.
		 */
		log_error("dcbd", "out of memory");
	return provider;
}

static struct provider *start_kernel(void)
{
	char err[256];
	struct provider *provider = provider_kernel_start(err, sizeof(err));

	if (!provider)
		/* Message: The sockets to the kernel cannot be opened, for this reason. */
		log_error("dcbd", "provider \"" CONF_PROVIDER_KERNEL "\": %s", err);
	return provider;
}

#ifdef DCB_SONIC
/* Reads the first line of sonic.password_file. false: the log has the reason. */
static bool read_password(const char *file, char *line, int size)
{
	FILE *f = file ? fopen(file, "re") : NULL;
	bool ok = !file || (f && fgets(line, size, f));

	if (!ok)
		/* Message: The file with the password of redis cannot be read, or is empty. */
		log_error("dcbd", "sonic.password_file: %s: %s", file,
			  f ? "expected a line" : strerror(errno));
	if (f)
		fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	return ok;
}

static struct provider *start_sonic(const struct conf *conf)
{
	char err[256], password[256] = "";
	struct sonic_worker_params params = {.config = conf->sonic_config,
					     .writes = conf->sonic_writes};
	struct provider *provider;

	if (!read_password(conf->sonic_password_file, password, sizeof(password)))
		return NULL;
	params.password = password[0] ? password : NULL;
	provider = provider_sonic_start(&params, err, sizeof(err));
	explicit_bzero(password, sizeof(password));
	if (!provider)
		/* Message: The databases of SONiC cannot be found, for this reason. */
		log_error("dcbd", "provider \"" CONF_PROVIDER_SONIC "\": %s", err);
	return provider;
}
#else
static struct provider *start_sonic(const struct conf *conf)
{
	(void)conf;
	/* Message: Build dcb-agent with hiredis, or use another `provider`. */
	log_error("dcbd", "provider \"" CONF_PROVIDER_SONIC "\": built without hiredis");
	return NULL;
}
#endif

/* Returns false if there is none: the log has the reason. */
static bool add_provider(struct provider **providers, unsigned *n, struct provider *provider)
{
	if (provider)
		providers[(*n)++] = provider;
	return provider;
}

bool dcbd_start_providers(struct dcbd *d, bool no_thread, uint64_t seed)
{
	struct provider *providers[MANAGED_PROVIDERS_MAX];
	unsigned n = 0;
	bool ok = true;

	if (no_thread || conf_moves_frames(&d->conf)) {
		d->soft = start_soft(d, no_thread, seed);
		ok = add_provider(providers, &n, d->soft);
	}
	if (ok && !no_thread && conf_uses_provider(&d->conf, CONF_PROVIDER_STATION)) {
		d->station = start_station(d);
		ok = add_provider(providers, &n, d->station);
	}
	if (ok && !no_thread && conf_uses_provider(&d->conf, CONF_PROVIDER_OBSERVE))
		ok = add_provider(providers, &n, start_observe());
	if (ok && !no_thread && conf_uses_provider(&d->conf, CONF_PROVIDER_KERNEL))
		ok = add_provider(providers, &n, start_kernel());
	if (ok && !no_thread && conf_uses_provider(&d->conf, CONF_PROVIDER_SONIC))
		ok = add_provider(providers, &n, start_sonic(&d->conf));
	d->managed = ok ? managed_conf_new(&d->conf, providers, n) : NULL;
	if (d->managed)
		return true;
	if (ok)
		/* Message: as "out of memory" */
		log_error("dcbd", "out of memory");
	while (n-- > 0)
		providers[n]->ops->destroy(providers[n]);
	return false;
}

static bool has_lost_real_time(const struct provider_stats *s)
{
	return s->rt_state == PROVIDER_RT_NOT_PERMITTED && s->rt_suspensions;
}

static void note_lost(struct dcbd *d)
{
	if (d->real_time_lost)
		return;
	/*
	 * Message: RLIMIT_RTPRIO of dcbd has been lowered while it ran, and the thread has no
	 * CAP_SYS_NICE. Raise the limit, and restart dcbd.
	 */
	log_warn("dataplane",
		 "no real time any more: after a suspension the kernel "
		 "does not permit it again");
	d->real_time_lost = true;
}

static void note_overloads(struct dcbd *d, uint64_t n)
{
	static struct log_limit limit;

	if (n == d->overloads || !log_permitted(&limit, SUSPENSIONS_MS, NULL))
		return;
	/*
	 * Message: More frames arrive than the thread can forward, or almost as many. Frames are
	 * lost, or will be; the log has this line at most once a minute.
	 */
	log_warn("dataplane",
		 "real time suspended %" PRIu64
		 " times: the dataplane thread used more than %d %% "
		 "of its processor",
		 n - d->overloads, (int)(100 * RT_GUARD_BUDGET_NS / RT_GUARD_WINDOW_NS));
	d->overloads = n;
}

static void note_yields(struct dcbd *d, uint64_t n)
{
	static struct log_limit limit;

	if (n == d->yields || !log_permitted(&limit, SUSPENSIONS_MS, NULL))
		return;
	/*
	 * Message: The machine has fewer processors than its programs use. Meanwhile other programs
	 * can delay PFC. Look for the programs by `ps -eLo cls,rtprio,pcpu,comm`, and run fewer of
	 * them, or set `dataplane.priority` of some to `"off"`.
	 */
	log_warn(
	    "dataplane",
	    "real time given up %" PRIu64
	    " times, for 0.4 to 64 s: the thread used more than %d %% of a processor for which "
	    "others waited, or other programs got none for %d ms",
	    n - d->yields, (int)(100 * RT_GUARD_BUDGET_NS / RT_GUARD_WINDOW_NS),
	    (int)(RT_GUARD_ANSWER_NS / DCB_NS_PER_MS));
	d->yields = n;
}

/* Reads the statistics of a software provider; NULL: all are zero. */
static struct provider_stats read_soft(const struct provider *p)
{
	struct provider_stats stats = {.loops = 0};

	if (p)
		p->ops->read_provider(p, &stats);
	return stats;
}

void dcbd_note_suspensions(struct dcbd *d)
{
	const struct provider_stats soft = read_soft(d->soft), station = read_soft(d->station);
	uint64_t yields;

	if (has_lost_real_time(&soft) || has_lost_real_time(&station))
		note_lost(d);
	yields = soft.rt_yields + station.rt_yields;
	note_overloads(d, soft.rt_suspensions + station.rt_suspensions - yields);
	note_yields(d, yields);
}

uint64_t dcbd_count_turns(struct dcbd *d)
{
	const struct provider_stats soft = read_soft(d->soft), station = read_soft(d->station);

	if ((d->soft && soft.loops == d->soft_turns) ||
	    (d->station && station.loops == d->station_turns))
		return d->turns;
	d->soft_turns = soft.loops;
	d->station_turns = station.loops;
	return ++d->turns;
}

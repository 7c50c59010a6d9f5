/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/soft/offline.h"

#include "dataplane/netio/netio.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/log.h"

#include <inttypes.h>
#include <string.h>

/* --- command line -------------------------------------------------------- */

/* Finds a port by name, or inserts it; NULL: too many ports. */
static struct offline_port *port_named(struct offline *o, const char *name, size_t len)
{
	struct offline_port new = {0};
	unsigned at = 0;
	int order = 1;

	memcpy(new.name, name, len);
	while (at < o->n_ports && (order = strverscmp(o->ports[at].name, new.name)) < 0)
		at++;
	if (at < o->n_ports && order == 0)
		return &o->ports[at];
	if (o->n_ports == OFFLINE_PORTS_MAX)
		return NULL;
	memmove(&o->ports[at + 1], &o->ports[at], (o->n_ports - at) * sizeof(new));
	o->ports[at] = new;
	o->n_ports++;
	return &o->ports[at];
}

/* Parses "NAME=FILE", or FILE for the default port. Sets *arg to FILE. */
static struct offline_port *port_of(struct offline *o, const char **arg, const char *default_name,
				    char *err, size_t errlen)
{
	const char *equals = strchr(*arg, '=');
	const char *name = equals ? *arg : default_name;
	size_t len = equals ? (size_t)(equals - *arg) : strlen(default_name);
	struct offline_port *port;

	if (len == 0 || len >= IF_NAMESIZE || memchr(name, '/', len)) {
		/* Messages: as "--seed %s: expected a 64-bit number" */
		snprintf(err, errlen, "%s: expected FILE or PORT=FILE, PORT of 1 to %d characters",
			 *arg, IF_NAMESIZE - 1);
		return NULL;
	}
	port = port_named(o, name, len);
	if (!port)
		snprintf(err, errlen, "%s: more than %d ports", *arg, OFFLINE_PORTS_MAX);
	if (equals)
		*arg = equals + 1;
	return port;
}

static bool set_path(const char **path, const char *name, const char *arg, const char *option,
		     char *err, size_t errlen)
{
	if (*path) {
		/* Messages: as "--seed %s: expected a 64-bit number" */
		snprintf(err, errlen, "%s: port %s already has a %s file: %s", arg, name, option,
			 *path);
		return false;
	}
	if (!*arg) {
		snprintf(err, errlen, "%s: missing name of the %s file", name, option);
		return false;
	}
	*path = arg;
	return true;
}

bool offline_add_read(struct offline *o, const char *arg, char *err, size_t errlen)
{
	struct offline_port *port = port_of(o, &arg, "1", err, errlen);

	return port && set_path(&port->read_path, port->name, arg, "read", err, errlen);
}

bool offline_add_write(struct offline *o, const char *arg, char *err, size_t errlen)
{
	struct offline_port *port = port_of(o, &arg, "2", err, errlen);

	for (unsigned i = 0; port && i < o->n_ports; i++) {
		if (o->ports[i].write_path && strcmp(o->ports[i].write_path, arg) == 0) {
			/* Message: as "--seed %s: expected a 64-bit number" */
			snprintf(err, errlen, "%s: already written by port %s", arg,
				 o->ports[i].name);
			return false;
		}
	}
	return port && set_path(&port->write_path, port->name, arg, "write", err, errlen);
}

void offline_link(const struct offline *o, unsigned i, struct link_info *link)
{
	*link = (struct link_info){
	    .ifindex = i + 1,
	    .mac = {0x02, 0, 0, 0, 0, (uint8_t)(i + 1)}, /* locally administered */
	    .up = true,
	    .mtu = 1500,
	};
	memcpy(link->name, o->ports[i].name, sizeof(link->name));
}

/* --- run ----------------------------------------------------------------- */

struct run {
	const struct offline *o;
	struct port *ports[OFFLINE_PORTS_MAX];
	struct netio *files[OFFLINE_PORTS_MAX]; /* owned by the ports */
};

static bool open_files(struct run *r, struct provider *p, char *err, size_t errlen)
{
	for (unsigned i = 0; i < r->o->n_ports; i++) {
		const struct offline_port *port = &r->o->ports[i];

		r->ports[i] = provider_soft_port(p, port->name);
		if (!r->ports[i]) {
			snprintf(err, errlen, "port %s is not managed", port->name);
			return false;
		}
		r->files[i] = netio_file_open(port->read_path, port->write_path, p->frame_octets,
					      err, errlen);
		if (!r->files[i])
			return false;
		provider_soft_set_netio(r->ports[i], r->files[i]);
	}
	return true;
}

/* Returns the port that receives the next frame: with the earliest timestamp, the first port. */
static unsigned next_arrival(const struct run *r, struct dcb_time *at)
{
	unsigned first = 0;

	*at = DCB_TIME_NEVER;
	for (unsigned i = 0; i < r->o->n_ports; i++) {
		struct dcb_time t = netio_file_next(r->files[i]);

		if (dcb_time_before(t, *at)) {
			first = i;
			*at = t;
		}
	}
	return first;
}

/* At equal times, frames are sent before others arrive: the link was free by then. */
static void run_to_end(struct run *r, struct provider *p)
{
	struct dcb_time departure = DCB_TIME_NEVER, now = {INT64_MIN}, arrival;

	for (;;) {
		unsigned port = next_arrival(r, &arrival);

		if (departure.ns == DCB_TIME_NEVER.ns && arrival.ns == DCB_TIME_NEVER.ns)
			return;
		if (dcb_time_before(arrival, departure)) {
			if (dcb_time_before(now, arrival))
				now = arrival;
			provider_soft_receive(r->ports[port], 1, now);
		} else {
			now = departure;
		}
		departure = provider_soft_advance(p, now);
	}
}

static bool finish_files(const struct run *r, char *err, size_t errlen)
{
	char why[256];

	for (unsigned i = 0; i < r->o->n_ports; i++) {
		uint64_t partial = netio_file_partial(r->files[i]);

		if (partial)
			/*
			 * Message: The file has only the first octets of these frames. Capture with
			 * a snapshot length above that of the frames.
			 */
			log_plain(LOG_LEVEL_WARN,
				  "%s: %" PRIu64
				  " frames were captured only in part, and are left "
				  "out: capture whole frames",
				  r->o->ports[i].read_path, partial);
		if (!netio_file_finish(r->files[i], why, sizeof(why))) {
			snprintf(err, errlen, "port %s: %s", r->o->ports[i].name, why);
			return false;
		}
	}
	return true;
}

bool offline_run(struct provider *p, const struct offline *o, char *err, size_t errlen)
{
	struct run r = {.o = o};

	if (!open_files(&r, p, err, errlen))
		return false;
	run_to_end(&r, p);
	return finish_files(&r, err, errlen);
}

/* --- report -------------------------------------------------------------- */

static void print_port(struct port *port, FILE *out)
{
	struct port_stats s;

	port->provider->ops->read_port(port, &s);
	fprintf(out,
		"port %s: %" PRIu64 " frames %" PRIu64 " octets in, %" PRIu64 " frames %" PRIu64
		" octets out; discarded: queue %" PRIu64 ", no buffer %" PRIu64
		", malformed %" PRIu64 ", reserved %" PRIu64 ", vlan %" PRIu64 ", oversize %" PRIu64
		"\n",
		port->link.name, s.rx_frames, s.rx_octets, s.tx_frames, s.tx_octets,
		s.discard_queue, s.discard_no_buffer, s.discard_malformed, s.discard_reserved,
		s.discard_vlan, s.discard_oversize);
}

static void print_cp(struct port *port, unsigned priority, FILE *out)
{
	struct cp_stats s;

	port->provider->ops->read_cp(port, priority, &s);
	if (!s.cp_transmitted_frames && !s.cp_discarded_frames)
		return;
	fprintf(out,
		"port %s priority %u: congestion point: %" PRIu64 " frames passed, %" PRIu64
		" discarded, %" PRIu64 " samples, highest cpQLen %" PRIu32 ", last cpFb %" PRId32
		"\n",
		port->link.name, priority, s.cp_transmitted_frames, s.cp_discarded_frames,
		s.cp_samples, s.cp_qlen_peak, s.cp_fb);
}

void offline_print(struct provider *p, const struct offline *o, FILE *out)
{
	for (unsigned i = 0; i < o->n_ports; i++) {
		struct port *port = provider_soft_port(p, o->ports[i].name);

		if (!port)
			continue;
		print_port(port, out);
		for (unsigned priority = 0; priority < DCB_PRIORITIES; priority++)
			print_cp(port, priority, out);
	}
}

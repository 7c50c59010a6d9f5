/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lldp_driver SOCKET: runs the client of lldpd. Reads commands from standard input
 * and prints events to standard output:
 *
 *   set IFNAME MTU [SUBTYPE:HEX]...    TLVs of OUI 00-80-C2, both in hexadecimal
 *   refresh IFNAME
 *   forget IFNAME
 *   stats
 *   quit                                or the end of the input
 *
 * Each line of output begins with milliseconds of CLOCK_REALTIME.
 */
#include <event2/event.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lldp/client/lldp_client.h"

struct driver {
	struct event_base *base;
	struct lldp_client *client;
	char line[16384];
	size_t len;
};

__attribute__((format(printf, 1, 2))) static void report(const char *fmt, ...)
{
	struct timespec ts;
	va_list ap;

	clock_gettime(CLOCK_REALTIME, &ts);
	printf("%lld ", (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static const char *hex(const uint8_t *octets, size_t n, char *out)
{
	*out = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", octets[i]);
	return out;
}

static void on_state(void *ctx, enum lldp_state state)
{
	(void)ctx;
	report("state %s", state == LLDP_CONNECTED ? "connected" : "connecting");
}

static void on_all_reported(void *ctx)
{
	(void)ctx;
	report("known");
}

static void on_remote(void *ctx, const struct lldp_remote *r)
{
	static char text[64 + LLDP_TLVS_MAX * 2 * (LLDP_TLV_INFO_OCTETS + 8)];
	char id[2 * LLDP_ID_OCTETS + 1];
	size_t at = 0;

	(void)ctx;
	text[0] = '\0';
	for (size_t i = 0; i < r->n_tlvs; i++) {
		at += (size_t)sprintf(text + at, " %02x%02x%02x-%02x:", r->tlvs[i].oui[0],
				      r->tlvs[i].oui[1], r->tlvs[i].oui[2], r->tlvs[i].subtype);
		hex(r->tlvs[i].info, r->tlvs[i].len, text + at);
		at += 2 * r->tlvs[i].len;
	}
	report("remote %s %s %s %u%s", r->ifname, hex(r->port.octets, r->port.len, id), r->sysname,
	       r->ttl, text);
}

static void on_gone(void *ctx, const struct lldp_remote *r)
{
	char id[2 * LLDP_ID_OCTETS + 1];

	(void)ctx;
	report("gone %s %s", r->ifname, hex(r->port.octets, r->port.len, id));
}

static const struct lldp_events events = {
    .state = on_state, .all_reported = on_all_reported, .remote = on_remote, .gone = on_gone};

/* SUBTYPE:HEX */
static struct lldp_tlv tlv_of(const char *word)
{
	struct lldp_tlv tlv = {.oui = {0x00, 0x80, 0xc2}};
	char *end;

	tlv.subtype = (uint8_t)strtoul(word, &end, 16);
	for (end += *end == ':'; end[0] && end[1] && tlv.len < LLDP_TLV_INFO_OCTETS; end += 2) {
		unsigned octet;

		if (sscanf(end, "%2x", &octet) != 1)
			break;
		tlv.info[tlv.len++] = (uint8_t)octet;
	}
	return tlv;
}

static void set(struct driver *d, const char *ifname)
{
	static struct lldp_tlv tlvs[64];
	const char *word = strtok(NULL, " ");
	uint32_t mtu = word ? (uint32_t)strtoul(word, NULL, 10) : 0;
	size_t n = 0;

	while (n < 64 && (word = strtok(NULL, " ")))
		tlvs[n++] = tlv_of(word);
	d->client->ops->set(d->client, ifname, tlvs, n, mtu);
}

static void stats(struct driver *d)
{
	struct lldp_stats s;

	d->client->ops->read(d->client, &s);
	report("stats connects=%u disconnects=%u batches=%" PRIu64 " deferred=%" PRIu64
	       " repairs=%" PRIu64 " refused=%" PRIu64 " failures=%" PRIu64,
	       s.connects, s.disconnects, s.batches, s.deferred, s.repairs, s.refused, s.failures);
}

static void command(struct driver *d, char *line)
{
	const char *what = strtok(line, " "), *ifname = strtok(NULL, " ");

	if (!what)
		return;
	if (strcmp(what, "set") == 0 && ifname)
		set(d, ifname);
	else if (strcmp(what, "refresh") == 0 && ifname)
		d->client->ops->refresh(d->client, ifname);
	else if (strcmp(what, "forget") == 0 && ifname)
		d->client->ops->forget(d->client, ifname);
	else if (strcmp(what, "stats") == 0)
		stats(d);
	else if (strcmp(what, "quit") == 0)
		event_base_loopbreak(d->base);
	else
		report("unknown command: %s", what);
}

static void on_input(evutil_socket_t fd, short what, void *ctx)
{
	struct driver *d = ctx;
	ssize_t n = read(fd, d->line + d->len, sizeof(d->line) - 1 - d->len);
	char *end;

	(void)what;
	if (n <= 0) {
		event_base_loopbreak(d->base);
		return;
	}
	d->len += (size_t)n;
	d->line[d->len] = '\0';
	while ((end = strchr(d->line, '\n'))) {
		*end++ = '\0';
		command(d, d->line);
		d->len -= (size_t)(end - d->line);
		memmove(d->line, end, d->len + 1);
	}
}

int main(int argc, char **argv)
{
	struct driver d = {.base = event_base_new()};
	struct event *input;

	if (argc != 2 || !d.base)
		return 2;
	log_init("lldp_driver", getenv("DEBUG") ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO, false);
	d.client = lldp_client_lldpd(d.base, argv[1], true, &events, &d);
	input = event_new(d.base, STDIN_FILENO, EV_READ | EV_PERSIST, on_input, &d);
	if (!d.client || !input || event_add(input, NULL) < 0)
		return 1;
	event_base_dispatch(d.base);
	d.client->ops->destroy(d.client);
	event_free(input);
	event_base_free(d.base);
	return 0;
}

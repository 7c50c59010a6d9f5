/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/pcaps.h"

#include <stdio.h>
#include <string.h>

bool pcaps_add(struct pcaps *p, const char *arg)
{
	if (p->n == PCAPS_MAX || !strstr(arg, "->") || !strchr(arg, '=')) {
		/* Message: as "expected a number %u..%u, not "%s"" */
		fprintf(stderr,
			"dcbsim: --pcap: expected \"a->b=file\", up to %d times, not \"%s\"\n",
			PCAPS_MAX, arg);
		return false;
	}
	p->of[p->n++].arg = arg;
	return true;
}

static struct sim_link *find(struct sim *sim, const char *arg, size_t len)
{
	char name[2 * SIM_NAME_OCTETS + 2];

	for (uint32_t i = 0; i < sim->n_links; i++) {
		snprintf(name, sizeof(name), "%s->%s", sim->links[i].from->name,
			 sim->links[i].to->name);
		if (strlen(name) == len && memcmp(name, arg, len) == 0)
			return &sim->links[i];
	}
	return NULL;
}

bool pcaps_open(struct pcaps *p, struct sim *sim, char *err, size_t errlen)
{
	for (unsigned i = 0; i < p->n; i++) {
		const char *path = strchr(p->of[i].arg, '=') + 1;

		p->of[i].link = find(sim, p->of[i].arg, (size_t)(path - 1 - p->of[i].arg));
		if (!p->of[i].link) {
			/*
			 * Message: The scenario has no link in this direction. Use the names of the
			 * two nodes, joined by `->`.
			 */
			snprintf(err, errlen, "--pcap %s: there is no such link", p->of[i].arg);
			return false;
		}
		p->of[i].file = netio_file_open(NULL, path, sim->frame_octets, err, errlen);
		if (!p->of[i].file)
			return false;
		p->of[i].link->pcap = p->of[i].file;
	}
	return true;
}

bool pcaps_close(struct pcaps *p, bool ok, char *err, size_t errlen)
{
	for (unsigned i = 0; i < p->n; i++) {
		char why[256];

		if (!p->of[i].file)
			continue;
		if (!netio_file_finish(p->of[i].file, why, sizeof(why)) && ok) {
			/*
			 * Message: The file cannot be read or written; the text has the cause.
			 * Check the path, the permissions and the disk space.
			 */
			snprintf(err, errlen, "--pcap %s: %s", p->of[i].arg, why);
			ok = false;
		}
		p->of[i].file->ops->close(p->of[i].file);
		p->of[i].file = NULL;
		p->of[i].link->pcap = NULL; /* a port that is detached sends XON */
	}
	return ok;
}

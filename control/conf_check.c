/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf_check.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/host/directory.h"
#include "control/host/limits.h"
#include "control/host/priv.h"
#include "control/managed/memory.h"
#include "control/macsec.h"
#include "dataplane/kernel/kernel_io.h"
#include "dataplane/netio/netio_ingress.h"
#include "control/managed_conf.h"
#include "lib/log.h"

struct check {
	const struct conf *conf;
	const char *file;
	FILE *out;
	struct link_list list;
	struct macsec_modes modes; /* of the key file */
	bool ok;
};

__attribute__((format(printf, 3, 4))) static void say(struct check *c, enum log_level level,
						      const char *fmt, ...)
{
	char text[2 * PATH_MAX + 512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_plain(level, "%s: %s", c->file, text);
	c->ok = c->ok && level != LOG_LEVEL_ERROR;
}
#define error(c, ...) say((c), LOG_LEVEL_ERROR, __VA_ARGS__)
#define warn(c, ...)  say((c), LOG_LEVEL_WARN, __VA_ARGS__)

/* --- user, groups and directories ---------------------------------------------------------- */

static void check_group(struct check *c, const char *name, const char *key)
{
	if (name && !getgrnam(name))
		/* Message: as "%s: expected an existing group, not "%s"" */
		error(c, "%s: expected an existing group, not \"%s\"", key, name);
}

static void check_accounts(struct check *c)
{
	const struct conf *conf = c->conf;

	check_group(c, conf->control_group, "control.group");
	if (conf_view(conf))
		check_group(c, conf->control_view_group, "control.view_group");
	if (conf->control_agent && !getpwnam(conf->control_agent))
		/* Message: as "control.agent_user = "%s": expected an existing user" */
		error(c, "control.agent_user: expected an existing user, not \"%s\"",
		      conf->control_agent);
	if (conf->lldp_enable && conf->lldp_group && !getgrnam(conf->lldp_group))
		/* Messages: Install lldpd(8) and dcb-lldp(8), or set `lldp.enable` to false. */
		warn(c, "lldp.group: there is no group \"%s\": is lldpd installed?",
		     conf->lldp_group);
	if (conf->lldp_enable && conf->lldp_program && access(conf->lldp_program, X_OK) < 0)
		warn(c, "lldp.program: %s: %s", conf->lldp_program, strerror(errno));
}

/* dcbd creates the last directory of a path before it changes its user. */
static void check_directory(struct check *c, const char *path, const char *key)
{
	char file[PATH_MAX], above[PATH_MAX];
	const char *dir, *parent;
	struct stat st;

	snprintf(file, sizeof(file), "%s", path);
	dir = dirname(file);
	if (stat(dir, &st) == 0) {
		if (!S_ISDIR(st.st_mode))
			/* Message: Correct the path. */
			error(c, "%s: expected a directory, not the file %s", key, dir);
		return;
	}
	snprintf(above, sizeof(above), "%s", dir);
	parent = dirname(above);
	if (errno != ENOENT || access(parent, W_OK | X_OK) < 0)
		/* Message: Create the directory, or its parent directory. */
		warn(c, "%s: %s does not exist and cannot be created: %s", key, dir,
		     strerror(errno));
}

static bool try_path(const char *file, const char *key, mode_t type, char *err, size_t errlen)
{
	return directory_is_permitted(file, key, err, errlen) &&
	       directory_has_place(file, key, type, err, errlen);
}

/* Files of packet numbers that were made by another user would end the start. */
static bool try_numbers(const struct conf *conf, char *err, size_t errlen)
{
	char path[PATH_MAX + 32];
	glob_t found = {0};
	bool ok = true;

	snprintf(path, sizeof(path), "%s.macsec-lock", conf->state_file);
	if (access(path, R_OK | W_OK) < 0 && errno != ENOENT) {
		/*
		 * Messages: The files of packet numbers belong to another user: dcbd was started
		 * with another `user` before. Make its present user the owner, and do not remove
		 * them.
		 */
		snprintf(err, errlen, "%s: cannot be locked: %s", path, strerror(errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s.pn-*", conf->state_file);
	(void)glob(path, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && ok; i++) {
		ok = access(found.gl_pathv[i], R_OK) == 0;
		if (!ok)
			snprintf(err, errlen, "%s: cannot be read: %s", found.gl_pathv[i],
				 strerror(errno));
	}
	globfree(&found);
	return ok;
}

unsigned conf_needs(const struct conf *conf)
{
	bool is_station =
	    conf->role == ROLE_STATION || conf_uses_provider(conf, CONF_PROVIDER_STATION);
	unsigned needs = conf->n_include > 0 ? PRIV_PORTS : 0;

	if (!conf_moves_frames(conf))
		return 0;
	return needs | (is_station && needs ? PRIV_TAPS : 0) |
	       (conf->dataplane_priority > 0 ? PRIV_REAL_TIME : 0);
}

static void warn_of_lack(void *ctx, const char *text)
{
	warn((struct check *)ctx, "%s", text);
}

/* At the start, each port that is opened has such a line. */
static void warn_of_ingress(struct check *c)
{
	int error = netio_ingress_check();

	if (error)
		/* Message: as "dcbd does without %s: %s; %s" */
		warn(c,
		     "dcbd does without nf_tables, so that the host, too, receives the frames of "
		     "ports, and a second dcbd would forward them again: %s; it needs Linux 5.12, "
		     "modprobe nf_tables on the host; a container needs --cap-add=NET_ADMIN, or "
		     "--privileged",
		     strerror(error));
}

/* In a child process: checks the paths with the privileges of dcbd. Returns false: err. */
static bool try_as_user(struct check *c, char *err, size_t errlen)
{
	const struct conf *conf = c->conf;
	bool nice = !limits_permit_real_time(conf->dataplane_priority);
	const char *view = conf_view(conf);

	log_level = LOG_LEVEL_ERROR;
	if (!priv_drop(priv_user(conf->user), conf->lldp_enable ? conf->lldp_group : NULL, nice,
		       err, errlen))
		return false;
	priv_lacks(conf_needs(conf), warn_of_lack, c);
	if (conf_needs(conf) & PRIV_PORTS)
		warn_of_ingress(c);
	if (!try_path(conf->state_file, "state_file", S_IFREG, err, errlen) ||
	    !try_path(conf->control_socket, "control.socket", S_IFSOCK, err, errlen) ||
	    (view && !try_path(view, "control.view", S_IFSOCK, err, errlen)) ||
	    (conf->macsec_key_file && !try_numbers(conf, err, errlen)))
		return false;
	if (access(conf->state_file, R_OK) == 0 || errno == ENOENT)
		return true;
	/*
	 * Message: dcbd does not start while the state file exists and is not readable for `user`.
	 */
	snprintf(err, errlen, "state_file = \"%s\": cannot be read: %s", conf->state_file,
		 strerror(errno));
	return false;
}

static void child(struct check *c, int to)
{
	char err[2 * PATH_MAX + 256];
	bool ok = try_as_user(c, err, sizeof(err));

	if (!ok && write(to, err, strlen(err)) < 0)
		_exit(2);
	_exit(!ok);
}

/* Reads the text of the child until it has ended. */
static void read_text(int from, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(from, text + n, size - 1 - n)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	text[n] = '\0';
}

static void check_as_user(struct check *c)
{
	char text[2 * PATH_MAX + 256];
	int ends[2], status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		/* Message: The check is not complete. Raise the limit of processes. */
		error(c, "cannot start a process: %s", strerror(errno));
		return;
	}
	if (pid == 0)
		child(c, ends[1]);
	close(ends[1]);
	read_text(ends[0], text, sizeof(text));
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		error(c, "%s", text[0] ? text : "the check of the directories failed");
}

/* --- patterns and ports ----------------------------------------------------------------------- */

/* Returns whether a pattern matches one of the interfaces, or only of those that are ports. */
static bool matches(const struct check *c, const char *pattern, bool ports)
{
	for (size_t i = 0; i < c->list.n; i++) {
		const char *name = c->list.links[i].link.name;

		if (fnmatch(pattern, name, 0) == 0 && (!ports || conf_manages(c->conf, name)))
			return true;
	}
	return false;
}

static bool is_used(const struct check *c, const struct conf_port *entry)
{
	for (size_t i = 0; i < c->list.n; i++) {
		const char *name = c->list.links[i].link.name;

		if (conf_manages(c->conf, name) && conf_port_entry(c->conf, name) == entry)
			return true;
	}
	return false;
}

static bool matches_memory_port(const struct conf *conf, const char *pattern)
{
	char name[IF_NAMESIZE];

	for (uint32_t i = 0; i < conf->memory_ports; i++) {
		snprintf(name, sizeof(name), "mem%u", i);
		if (fnmatch(pattern, name, 0) == 0)
			return true;
	}
	return false;
}

static void check_patterns(struct check *c)
{
	const struct conf *conf = c->conf;

	for (size_t i = 0; i < conf->n_include; i++)
		if (!matches(c, conf->include[i], false))
			/*
			 * Messages: The pattern has no effect with the interfaces that exist now.
			 * Correct it, or ignore the message if the interface appears later.
			 */
			warn(c, "interfaces.include: no interface matches \"%s\"",
			     conf->include[i]);
	for (size_t i = 0; i < conf->n_exclude; i++)
		if (!matches(c, conf->exclude[i], false))
			warn(c, "interfaces.exclude: no interface matches \"%s\"",
			     conf->exclude[i]);
	for (size_t i = 0; i < conf->n_ports; i++)
		if (!is_used(c, &conf->ports[i]))
			warn(c, "line %u: ports[%zu]: \"%s\" is the first match of no port",
			     conf->ports[i].line, i, conf->ports[i].name);
	for (size_t i = 0; i < conf->n_initial; i++)
		if (conf->initial[i].port && !matches(c, conf->initial[i].port, true) &&
		    !matches_memory_port(conf, conf->initial[i].port))
			warn(c, "line %u: initial: no port matches \"%s\"", conf->initial[i].line,
			     conf->initial[i].port);
}

/* --- MACsec ----------------------------------------------------------------------------------- */

static void print_secure(struct check *c, const struct macsec_port *port)
{
	static const char *const modes[] = {
	    [PFC_MACSEC_NONE] = "none", [PFC_MACSEC_DATA] = "data", [PFC_MACSEC_ALL] = "all"};

	fprintf(c->out, "MACsec of %s: mode %s", port->name, modes[port->mode]);
	if (port->mode != PFC_MACSEC_NONE)
		fprintf(c->out, ", %s, AN %u transmits",
			macsec_suite_info((enum macsec_suite)port->secy.suite)->name,
			port->transmit_an);
	fprintf(c->out, "\n");
	if (!matches(c, port->name, true))
		/* Message: as "%s: no port has this name: its keys are not used" */
		warn(c, "%s: no port has the name \"%s\"", c->conf->macsec_key_file, port->name);
}

/* Before the check with dcbd's privileges: only root may be able to read the file. */
static void check_keys(struct check *c)
{
	char err[PATH_MAX + 256];
	struct macsec_conf *keys;

	if (!c->conf->macsec_key_file)
		return;
	keys = macsec_read_conf(c->conf, err, sizeof(err));
	if (!keys) {
		error(c, "%s", err);
		return;
	}
	for (size_t i = 0; i < keys->n_ports; i++) {
		print_secure(c, &keys->ports[i]);
		macsec_modes_add(&c->modes, keys->ports[i].name, keys->ports[i].mode);
	}
	conf_macsec_free(keys);
}

static void print_ignored(struct check *c)
{
	const char *line = c->conf->ignored, *end;

	for (; line && (end = strchr(line, '\n')); line = end + 1)
		log_plain(LOG_LEVEL_WARN, "%.*s", (int)(end - line), line);
}

static void print_rate(FILE *out, const char *before, struct dcb_rate rate, const char *unknown)
{
	if (dcb_rate_is_unlimited(rate))
		fprintf(out, ", %s %s", before, unknown);
	else
		fprintf(out, ", %s %.6g Mb/s", before, (double)rate.bps / 1e6);
}

/* What a port receives ends at dcbd: netio_ingress. */
static void warn_of_host(struct check *c, const struct listed_link *is)
{
	const char *name = is->link.name;
	char master[IF_NAMESIZE];

	if (is->host.master && if_indextoname(is->host.master, master))
		/* Messages: as "%s: is part of %s, which receives no frames of a port" */
		warn(c, "interfaces: %s is part of %s, which will receive no frames of a port",
		     name, master);
	if (is->host.address[0])
		warn(c,
		     "interfaces: %s has the address %s of the host, which will receive no frames "
		     "of a port",
		     name, is->host.address);
}

static void print_port(struct check *c, const struct listed_link *is)
{
	const struct link_info *link = &is->link;
	const struct conf *conf = c->conf;
	const struct conf_port *entry = conf_port_entry(conf, link->name);
	const struct port_settings *s = conf_port_settings(conf, link->name);

	fprintf(c->out, "port %s: provider %s", link->name,
		s->provider ? s->provider : CONF_PROVIDER_SOFT);
	print_rate(c->out, "rate", s->rate, "not limited");
	if (!dcb_rate_is_unlimited(s->speed))
		print_rate(c->out, "speed", s->speed, "");
	print_rate(c->out, "link", link->speed, "of unknown speed");
	fprintf(c->out, ", %s", link->up ? "up" : "down");
	if (entry)
		fprintf(c->out, ", settings of ports[%d]", (int)(entry - conf->ports));
	else
		fprintf(c->out, ", settings of defaults");
	if (port_mtu_octets(link->mtu) > conf_frame_octets(conf) && conf_forwards(s))
		/* Message: Longer packets are lost. Remove `bridge.frame_octets`, or raise it. */
		warn(c,
		     "bridge.frame_octets: %s has the MTU %u: frames longer than %u octets are "
		     "discarded; expected at least %u, or no such setting",
		     link->name, link->mtu, conf_frame_octets(conf), port_mtu_octets(link->mtu));
	if (conf_forwards(s))
		warn_of_host(c, is);
	if (conf_forwards(s) && kernel_has_pfc(link->name))
		/* Message: as "%s: its driver does PFC itself: provider "kernel" manages that" */
		warn(c,
		     "interfaces: the driver of %s does PFC itself: provider \"%s\" manages that",
		     link->name, CONF_PROVIDER_KERNEL);
	if (s->aggregate[0])
		fprintf(c->out, ", aggregation %s", s->aggregate);
	if (conf_is_station(conf, s))
		fprintf(c->out, ", tap %s", s->tap);
	fprintf(c->out, "\n");
}

static void print_ports(struct check *c)
{
	size_t n = c->conf->memory_ports;

	for (size_t i = 0; i < c->list.n; i++) {
		if (!conf_manages(c->conf, c->list.links[i].link.name))
			continue;
		print_port(c, &c->list.links[i]);
		n++;
	}
	if (c->conf->memory_ports)
		fprintf(c->out, "memory ports: %u\n", c->conf->memory_ports);
	if (n == 0)
		/* Message: as "interfaces.include: no interface matches "%s"" */
		warn(c, "interfaces.include selects no interface: there are no ports");
}

static void print_system(const struct check *c)
{
	const struct conf *conf = c->conf;
	const char *user = priv_user(conf->user);

	fprintf(c->out, "role: %s\n", conf_role_name(conf));
	fprintf(c->out, "user: %s\n", user ? user : "not changed");
	fprintf(c->out, "state file: %s\n", conf->state_file);
	fprintf(c->out, "control socket: %s, group %s\n", conf->control_socket,
		conf->control_group ? conf->control_group : "of dcbd");
	if (conf_view(conf))
		fprintf(c->out, "view socket: %s, %s\n", conf_view(conf),
			conf->control_view_group ? conf->control_view_group : "every user");
	fprintf(c->out, "lldpd: %s\n", conf->lldp_enable ? conf->lldp_socket : "not used");
}

bool conf_check(const struct conf *conf, const char *file, FILE *out)
{
	struct check c = {.conf = conf, .file = file, .out = out, .ok = true};
	char err[MEMORY_TEXT_OCTETS];

	print_system(&c);
	check_accounts(&c);
	check_directory(&c, conf->state_file, "state_file");
	check_directory(&c, conf->control_socket, "control.socket");
	if (conf_view(conf))
		check_directory(&c, conf_view(conf), "control.view");
	check_as_user(&c);
	if (link_list_read(&c.list, err, sizeof(err))) {
		print_ports(&c);
		check_patterns(&c);
		check_keys(&c);
	} else {
		error(&c, "%s", err);
	}
	print_ignored(&c);
	if (!managed_conf_check(conf, &c.modes, err, sizeof(err)))
		error(&c, "%s", err);
	else if (err[0])
		warn(&c, "%s", err);
	link_list_free(&c.list);
	return c.ok;
}

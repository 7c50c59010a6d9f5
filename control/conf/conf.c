/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of rows below have the name, range and field of each setting. A file is
 * read into a new struct conf, which replaces the caller's only if it has no error.
 */
#include "control/conf/conf.h"
#include "control/conf/conf_private.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

/* --- role, interfaces and ports ------------------------------------------------------- */

static bool take_role(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	static const char *const names[] = {"bridge", "station", "rbridge", NULL};
	int role = conf_one_of(r, s, names);

	(void)row;
	(void)base;
	if (role >= 0)
		conf_of(r)->role = (enum dcb_role)(ROLE_BRIDGE + role);
	return role >= 0;
}

/* Reads an fnmatch(3) pattern, not longer than an interface name. */
static bool take_pattern(struct reader *r, const config_setting_t *s, char to[IF_NAMESIZE])
{
	const char *text = config_setting_get_string(s);
	char what[80];

	if (!text || text[0] == '\0' || strlen(text) >= IF_NAMESIZE || strpbrk(text, "/ \t\n")) {
		snprintf(what, sizeof(what), "an interface name or pattern of 1..%d characters",
			 IF_NAMESIZE - 1);
		return conf_expected(r, s, what);
	}
	strcpy(to, text);
	return true;
}

struct patterns {
	char (*pattern)[IF_NAMESIZE];
	size_t *n;
};

static bool add_pattern(struct reader *r, const config_setting_t *e, void *base)
{
	const struct patterns *to = base;
	char *added = to->pattern[*to->n];

	if (*to->n == CONF_PATTERNS_MAX)
		/*
		 * Message: The array or list is too long. Replace several of them by one with a
		 * pattern that matches more names, or remove some.
		 */
		return conf_fail(r, e, "expected at most %d patterns", CONF_PATTERNS_MAX);
	if (!take_pattern(r, e, added))
		return false;
	for (size_t k = 0; k < *to->n; k++) {
		if (strcmp(to->pattern[k], added) == 0)
			/* Message: The array has this pattern twice. Remove one of them. */
			return conf_fail(r, e, "duplicate \"%s\"", added);
	}
	(*to->n)++;
	return true;
}

static bool take_include(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			 void *base)
{
	struct conf *conf = conf_of(r);

	(void)row;
	(void)base;
	return conf_each_of_array(r, s, "an array [ \"name\", ... ]", add_pattern,
				  &(struct patterns){conf->include, &conf->n_include});
}

static bool take_exclude(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			 void *base)
{
	struct conf *conf = conf_of(r);

	(void)row;
	(void)base;
	return conf_each_of_array(r, s, "an array [ \"name\", ... ]", add_pattern,
				  &(struct patterns){conf->exclude, &conf->n_exclude});
}

static bool take_port_name(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			   void *base)
{
	struct conf_port *port = base;

	(void)row;
	return take_pattern(r, s, port->name);
}

/* Reads the name of a tap. The kernel replaces "%d" by the first free number. */
static bool take_tap(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	const char *text = config_setting_get_string(s);
	char *field = (char *)base + row->offset;
	const char *percent = text ? strchr(text, '%') : NULL;

	if (!text || text[0] == '\0' || strlen(text) >= IF_NAMESIZE || strpbrk(text, "/: \t\n") ||
	    strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
	    (percent && (strncmp(percent, "%d", 2) != 0 || strchr(percent + 1, '%'))))
		return conf_expected(r, s, "an interface name such as \"dcb0\" or \"dcb%d\"");
	strcpy(field, text);
	return true;
}

/* Reads the name of an aggregation: ports with the same name are links of one bridge port. */
static bool take_aggregate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			   void *base)
{
	const char *text = config_setting_get_string(s);

	if (!text || text[0] == '\0' || strlen(text) >= IF_NAMESIZE)
		return conf_expected(r, s, "a name of 1..15 characters");
	strcpy((char *)base + row->offset, text);
	return true;
}

static bool may_match_several(const char *pattern)
{
	return strpbrk(pattern, "*?[\\") != NULL;
}

/* Checks that no two ports can have the same tap. */
static bool check_tap(struct reader *r, const config_setting_t *s, const struct conf_port *port)
{
	const config_setting_t *tap = config_setting_get_member(s, "tap");

	if (!tap || strchr(port->settings.tap, '%'))
		return true;
	if (may_match_several(port->name))
		/*
		 * Message: `tap` is a fixed name, but several ports can use the entry. Write `%d`
		 * in `tap`, or use an entry for each port.
		 */
		return conf_fail(r, tap,
				 "expected a name with %%d, because \"%s\" can match "
				 "several ports",
				 port->name);
	for (size_t k = 0; k < conf_of(r)->n_ports; k++) {
		if (strcmp(conf_of(r)->ports[k].settings.tap, port->settings.tap) == 0)
			/* Message: Two entries have the same `tap`. Change one of them. */
			return conf_fail(r, tap, "\"%s\" is the tap of ports[%zu] already",
					 port->settings.tap, k);
	}
	return true;
}

/* Returns whether a setting of an entry has an effect on the port. */
static bool has_effect(const struct port_settings *settings, const char *name)
{
	static const char *const of_kernel[] = {"policy", "take_over", NULL};

	if (strcmp(name, "name") == 0 || strcmp(name, "provider") == 0)
		return true;
	for (unsigned i = 0; of_kernel[i]; i++)
		if (strcmp(name, of_kernel[i]) == 0)
			return conf_is_provider(settings, CONF_PROVIDER_KERNEL);
	return conf_forwards(settings);
}

/* Refuses settings that would have no effect with the provider of the port. */
static bool check_provider(struct reader *r, const config_setting_t *s,
			   const struct conf_port *port)
{
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		const char *provider = port->settings.provider;

		if (has_effect(&port->settings, config_setting_name(e)))
			continue;
		if (conf_forwards(&port->settings))
			/*
			 * Message: `policy` and `take_over` are about the device of a port with
			 * provider `kernel`. Remove the setting, or change `provider`.
			 */
			return conf_fail(r, e, "expected provider \"" CONF_PROVIDER_KERNEL "\"");
		/*
		 * Message: An entry with provider `observe` or `kernel` has a setting that affects
		 * frames. Remove the setting.
		 */
		return conf_fail(r, e, "provider \"%s\" moves no frames: expected %s", provider,
				 conf_is_provider(&port->settings, CONF_PROVIDER_KERNEL)
				     ? "name, provider, policy and take_over only"
				     : "name and provider only");
	}
	return true;
}

/* Adds an entry of ports. base: the row of ports, whose members are those of an entry. */
static bool add_port(struct reader *r, const config_setting_t *e, void *base)
{
	struct conf *conf = conf_of(r);
	struct conf_port *port = &conf->ports[conf->n_ports];

	if (conf->n_ports == CONF_PORTS_MAX)
		/* Message: as "expected at most %d patterns" */
		return conf_fail(r, e, "expected at most %d entries", CONF_PORTS_MAX);
	port->settings = conf->port_default;
	port->vlans = conf->vlans_default;
	port->line = conf_line(r, e);
	if (!conf_take_group(r, e, base, port))
		return false;
	if (port->name[0] == '\0')
		/* Message: The entry has no `name`. Add it. */
		return conf_fail(r, e, "expected a name");
	if (!check_tap(r, e, port) || !check_provider(r, e, port))
		return false;
	for (size_t k = 0; k < conf->n_ports; k++) {
		if (strcmp(conf->ports[k].name, port->name) == 0)
			/* Message: Two entries have the same `name`. Combine them. */
			return conf_fail(r, e, "\"%s\" has an entry already: ports[%zu] in line %u",
					 port->name, k, conf->ports[k].line);
	}
	conf->n_ports++;
	return true;
}

static bool take_ports(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	struct conf_row entry = *row;

	(void)base;
	return conf_each(r, s, "a list ( { name = ...; }, ... )", add_port, &entry);
}

/* A real-time priority, or "off". */
static bool take_priority(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	const char *text = config_setting_get_string(s);
	int *field = (int *)(void *)((char *)base + row->offset);
	int64_t v = 0;

	if (text ? strcmp(text, "off") != 0 : !conf_is_integer(s, row->min, row->max, &v))
		return conf_expected(r, s, "an integer 0..99 or \"off\"");
	*field = (int)v;
	conf_of(r)->priority_is_set = true;
	return true;
}

/* --- rows of all settings --------------------------------------------------------- */

/* clang-format off */
#define FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define NUMBER(name, field, min, max) {name, conf_take_number, FIELD(struct conf, field), min, max, NULL}
#define BOOL(name, field)             {name, conf_take_bool, FIELD(struct conf, field), 0, 1, NULL}
#define STRING(name, field, max)      {name, conf_take_string, FIELD(struct conf, field), 1, max, NULL}
#define GROUP(name, rows)             {name, conf_take_group, 0, 0, 0, 0, rows}
#define LIST(name, take, rows)        {name, take, 0, 0, 0, 0, rows}
#define END                           {NULL, NULL, 0, 0, 0, 0, NULL}

/* Rows of a port's settings; at: the member of type that has them. */
#define PORT_SETTINGS(type, at)                                                           \
	{"provider",         conf_take_provider, FIELD(type, at.provider), 0, 0, NULL},               \
	{"rate",             conf_take_rate,   FIELD(type, at.rate), 1000, INT64_C(10000000000000), NULL}, \
	{"speed",            conf_take_rate,   FIELD(type, at.speed), 1000, INT64_C(10000000000000), NULL}, \
	{"buffer",           conf_take_number, FIELD(type, at.buffer_octets), 2000, 1 << 30, NULL},  \
	{"pvid",             conf_take_number, FIELD(type, at.pvid), 1, 4094, NULL},                 \
	{"default_priority", conf_take_number, FIELD(type, at.default_priority), 0, 7, NULL},        \
	{"pvid_tagged",      conf_take_bool,   FIELD(type, at.pvid_tagged), 0, 1, NULL},             \
	{"nic_timestamps",   conf_take_bool,   FIELD(type, at.nic_times), 0, 1, NULL},               \
	{"flow_buffer",      conf_take_number, FIELD(type, at.flow_buffer_octets), 2000, 1 << 30, NULL}, \
	{"regeneration",     conf_take_regeneration, FIELD(type, at), 0, 7, NULL},                   \
	{"traffic_classes",  conf_take_traffic_classes, FIELD(type, at), 0, 7, NULL},                \
	{"profile",          conf_take_profile, FIELD(type, at), 0, 0, NULL},                        \
	{"policy",           conf_take_policy, FIELD(type, at), 0, 0, NULL},                         \
	{"take_over",        conf_take_bool,   FIELD(type, at.take_over), 0, 1, NULL},               \
	{"cn",               conf_take_cn,     FIELD(type, at), 0, 0, conf_cn_rows},                 \
	{"pfc",              conf_take_pfc,    FIELD(type, at), 0, 0, conf_pfc_rows}

static const struct conf_row interfaces_rows[] = {
	LIST("include", take_include, NULL),
	LIST("exclude", take_exclude, NULL),
	BOOL("keep_absent", keep_absent),
	END
};
static const struct conf_row bridge_rows[] = {
	NUMBER("ageing", fdb_ageing_s, 10, 1000000), /* 802.1Q 8.8.3 */
	NUMBER("transit_delay", transit_delay_ms, 0, 60000), /* 802.1Q 6.5.6 */
	NUMBER("fdb_entries", fdb_entries, 16, 1 << 20),
	NUMBER("frame_buffers", frame_buffers, 64, 1 << 20),
	NUMBER("frame_octets", frame_octets, 1536, CONF_FRAME_OCTETS_MOST),
	NUMBER("receive_memory", receive_mib, 1, 65536),
	BOOL("qdisc_bypass", qdisc_bypass),
	END
};
static const struct conf_row dataplane_rows[] = {
	{"priority", take_priority, FIELD(struct conf, dataplane_priority), 0, 99, NULL},
	NUMBER("cpu", dataplane_cpu, -1, 1023),
	END
};
static const struct conf_row defaults_rows[] = {
	PORT_SETTINGS(struct conf, port_default),
	{"vlans", conf_take_vlans, FIELD(struct conf, vlans_default), 0, 0, NULL},
	END
};
static const struct conf_row port_rows[] = {
	{"name", take_port_name, 0, 0, 0, 0, NULL},
	PORT_SETTINGS(struct conf_port, settings),
	{"vlans", conf_take_vlans, FIELD(struct conf_port, vlans), 0, 0, NULL},
	{"tap", take_tap, FIELD(struct conf_port, settings.tap), 0, 0, NULL},
	{"aggregate", take_aggregate, FIELD(struct conf_port, settings.aggregate), 0, 0, NULL},
	END
};
static const struct conf_row control_rows[] = {
	STRING("socket", control_socket, sizeof(((struct sockaddr_un *)0)->sun_path) - 1),
	STRING("group", control_group, 32),
	{"view", conf_take_string, FIELD(struct conf, control_view), 0,
	 sizeof(((struct sockaddr_un *)0)->sun_path) - 1, NULL},
	STRING("view_group", control_view_group, 32),
	STRING("agent_user", control_agent, 32),
	END
};
static const struct conf_row lldp_rows[] = {
	BOOL("enable", lldp_enable),
	STRING("socket", lldp_socket, sizeof(((struct sockaddr_un *)0)->sun_path) - 1),
	STRING("group", lldp_group, 32),
	STRING("program", lldp_program, 4000),
	NUMBER("destination", lldp_destination, 1, 4096),
	BOOL("hold_new_ports", lldp_hold_new_ports),
	END
};
static const struct conf_row macsec_rows[] = {
	STRING("key_file", macsec_key_file, 4000),
	END
};
static const struct conf_row sonic_rows[] = {
	STRING("config", sonic_config, 4000),
	STRING("password_file", sonic_password_file, 4000),
	{"write", conf_take_sonic_write, FIELD(struct conf, sonic_writes), 0, 0, NULL},
	END
};
static const struct conf_row top_rows[] = {
	{"role", take_role, 0, 0, 0, 0, NULL},
	NUMBER("component", component_id, 1, UINT32_MAX),
	GROUP("interfaces", interfaces_rows),
	GROUP("bridge", bridge_rows),
	GROUP("dataplane", dataplane_rows),
	GROUP("defaults", defaults_rows),
	LIST("ports", take_ports, port_rows),
	LIST("flows", conf_take_flows, conf_flow_rows),
	NUMBER("memory_ports", memory_ports, 0, DCB_SLOTS),
	STRING("state_file", state_file, 4000), /* PATH_MAX less the suffix of a temporary name */
	GROUP("control", control_rows),
	GROUP("lldp", lldp_rows),
	GROUP("macsec", macsec_rows),
	GROUP("sonic", sonic_rows),
	STRING("user", user, 32),
	LIST("initial", conf_take_initial, conf_initial_rows),
	END
};
const struct conf_row conf_top = GROUP("", top_rows);
/* clang-format on */

/* --- public functions --------------------------------------------------------------- */

void conf_init(struct conf *conf)
{
	*conf = (struct conf){
	    .role = ROLE_BRIDGE,
	    .component_id = 1,
	    .fdb_ageing_s = 300,
	    .transit_delay_ms = 1000,
	    .fdb_entries = 8192,
	    .frame_buffers = 16384,
	    .receive_mib = 72,
	    .qdisc_bypass = true,
	    .dataplane_cpu = -1,
	    .dataplane_priority = 5,
	    .lldp_enable = true,
	    .lldp_hold_new_ports = true,
	    .lldp_destination = 1, /* nearest bridge */
	};
	conf_port_init(&conf->port_default);
	conf->state_file = conf_alloc_check(strdup("/var/lib/dcbd/state"));
	conf->control_socket = conf_alloc_check(strdup(CONF_CONTROL));
	conf->lldp_socket = conf_alloc_check(strdup("/run/lldpd.socket"));
	conf->lldp_group = conf_alloc_check(strdup("_lldpd"));
}

void conf_free(struct conf *conf)
{
	free(conf->state_file);
	free(conf->control_socket);
	free(conf->control_group);
	free(conf->control_view);
	free(conf->control_view_group);
	free(conf->control_agent);
	free(conf->lldp_socket);
	free(conf->lldp_group);
	free(conf->lldp_program);
	free(conf->macsec_key_file);
	free(conf->sonic_config);
	free(conf->sonic_password_file);
	free(conf->user);
	free(conf->ignored);
	for (size_t i = 0; i < conf->n_initial; i++) {
		free(conf->initial[i].object);
		free(conf->initial[i].index);
		free(conf->initial[i].port);
		free(conf->initial[i].value);
	}
	memset(conf, 0, sizeof(*conf));
}

static bool check_receive_buffers(struct reader *r)
{
	const config_setting_t *defaults = config_setting_get_member(conf_root(r), "defaults");
	const config_setting_t *ports = config_setting_get_member(conf_root(r), "ports");
	const struct conf *conf = conf_of(r);

	if (defaults && !conf_check_pfc(r, defaults, &conf->port_default, conf_frame_octets(conf)))
		return false;
	for (size_t i = 0; i < conf->n_ports; i++) {
		const config_setting_t *e = config_setting_get_elem(ports, (unsigned)i);

		if (!conf_check_pfc(r, e, &conf->ports[i].settings, conf_frame_octets(conf)))
			return false;
	}
	return true;
}

/*
 * Refuses settings of a group that only a bridge has, and a station beside a station: all ports of
 * that are one already.
 */
static bool check_station(struct reader *r, const config_setting_t *group,
			  const struct port_settings *settings)
{
	static const char *const names[] = {"aggregate", "vlans"};

	if (conf_of(r)->role == ROLE_STATION && conf_is_provider(settings, CONF_PROVIDER_STATION))
		/*
		 * Message: Provider `station` is for a station beside a bridge or RBridge. Remove
		 * `provider`.
		 */
		return conf_fail(r, config_setting_get_member(group, "provider"),
				 "expected \"" CONF_PROVIDER_SOFT "\" or \"" CONF_PROVIDER_OBSERVE
				 "\" in a station, whose ports are stations");
	if (!conf_is_station(conf_of(r), settings))
		return true;
	for (size_t i = 0; group && i < sizeof(names) / sizeof(names[0]); i++) {
		const config_setting_t *s = config_setting_get_member(group, names[i]);

		if (s)
			/*
			 * Message: `role`, or the `provider` of an entry, is `station`, and the
			 * entry or `defaults` has a setting of bridges. Remove one of them.
			 */
			return conf_fail(r, s, "expected no %s in a station", names[i]);
	}
	return true;
}

static bool check_view(struct reader *r)
{
	const config_setting_t *control = config_setting_get_member(conf_root(r), "control");
	const char *view = conf_view(conf_of(r));

	if (!view || strcmp(view, conf_of(r)->control_socket) != 0)
		return true;
	/*
	 * Message: The control socket and the view socket are two. Give one of them another path.
	 */
	return conf_fail(r, config_setting_get_member(control, "view"),
			 "expected another path than that of socket");
}

/* Checks settings that depend on each other, after all of them have been read. */
static bool check_whole(struct reader *r)
{
	const config_setting_t *ports = config_setting_get_member(conf_root(r), "ports");

	if (!check_receive_buffers(r) || !check_view(r))
		return false;
	for (int i = 0; ports && i < config_setting_length(ports); i++) {
		if (!check_station(r, config_setting_get_elem(ports, (unsigned)i),
				   &conf_of(r)->ports[i].settings))
			return false;
	}
	return check_station(r, config_setting_get_member(conf_root(r), "defaults"),
			     &conf_of(r)->port_default);
}

bool conf_read(struct conf *conf, const char *path, char *err, size_t errlen)
{
	struct conf *read = conf_alloc_check(malloc(sizeof(*read)));
	struct reader r = {.path = path, .err = err, .errlen = errlen, .whole = read};
	bool ok;

	conf_init(read);
	ok =
	    conf_open(&r) && conf_take_group(&r, conf_root(&r), &conf_top, read) && check_whole(&r);
	if (ok)
		conf_list_ignored(&r);
	conf_close(&r);
	if (ok) {
		conf_free(conf);
		*conf = *read;
	} else {
		conf_free(read);
		conf_free(conf);
		conf_init(conf);
	}
	free(read);
	return ok;
}

static bool matches_any(const char patterns[][IF_NAMESIZE], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	}
	return false;
}

const char *conf_view(const struct conf *conf)
{
	if (conf->control_view)
		return conf->control_view[0] ? conf->control_view : NULL;
	return strcmp(conf->control_socket, CONF_CONTROL) == 0 ? CONF_VIEW : NULL;
}

bool conf_manages(const struct conf *conf, const char *ifname)
{
	return matches_any(conf->include, conf->n_include, ifname) &&
	       !matches_any(conf->exclude, conf->n_exclude, ifname);
}

const struct conf_port *conf_port_entry(const struct conf *conf, const char *ifname)
{
	for (size_t i = 0; i < conf->n_ports; i++) {
		if (fnmatch(conf->ports[i].name, ifname, 0) == 0)
			return &conf->ports[i];
	}
	return NULL;
}

const struct port_settings *conf_port_settings(const struct conf *conf, const char *ifname)
{
	const struct conf_port *entry = conf_port_entry(conf, ifname);

	return entry ? &entry->settings : &conf->port_default;
}

const struct conf_vlans *conf_port_vlans(const struct conf *conf, const char *ifname)
{
	const struct conf_port *entry = conf_port_entry(conf, ifname);
	const struct conf_vlans *vlans = entry ? &entry->vlans : &conf->vlans_default;

	return vlans->is_set ? vlans : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb.so: module of snmpd that serves the managed objects of dcbd. The same
 * handlers as in dcb-agentx, without AgentX between them and the requests.
 *
 * snmpd calls init_dcb() when it reads the dlmod line of snmpd.conf, or when a
 * manager loads the module by UCD-DLMOD-MIB; deinit_dcb() before it unloads the
 * module: at the end, at SIGHUP, or for a manager. After deinit_dcb() no pointer
 * into the module may be left in snmpd.
 *
 * The tokens of the module are unknown to snmpd in lines before the dlmod line,
 * and all of snmpd.conf has been read when a manager loads the module. Therefore
 * init_dcb() reads the files of snmpd once more, for these tokens alone. Lines
 * that follow, and tokens of the command line, come from snmpd.
 *
 * At SIGHUP snmpd unloads the module and loads it again, so a reload has no code of its own.
 * Before the registrations go, all requests that point to them end, those that wait for a
 * subagent too.
 */
#include "agent/dlmod_serve.h"
#include "lib/log.h"
#include "lib/mo/mo.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <syslog.h>

#define DEFAULT_CONTROL "/run/dcbd/control"
#define DEFAULT_MS      400
#define TOKENS          4
#define DCB_CONFIG      100 /* beside NORMAL_CONFIG: the time at which read_files() reads */

/* Called by snmpd: the only symbols that dcb.so exports. */
__attribute__((visibility("default"))) void init_dcb(void);
__attribute__((visibility("default"))) void deinit_dcb(void);

/* Exported by libnetsnmp, in no installed header of some versions. */
int read_config_files_of_type(int when, struct config_files *files);

static struct {
	struct dlmod_config config;
	char control[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char view[sizeof(((struct sockaddr_un *)0)->sun_path)];
	bool has_view;   /* dcbView was read */
	bool complained; /* the log has an error of the files */
	bool reading;    /* by read_files() */
	bool started;
	unsigned alarm; /* 0: none */
} d;

/* --- log -------------------------------------------------------------------------- */

static void on_log(enum log_level level, const char *line)
{
	static const int priorities[] = {
	    [LOG_LEVEL_ERROR] = LOG_ERR,
	    [LOG_LEVEL_WARN] = LOG_WARNING,
	    [LOG_LEVEL_INFO] = LOG_INFO,
	    [LOG_LEVEL_DEBUG] = LOG_DEBUG,
	};

	snmp_log(priorities[level], "dcb: %s\n", line);
}

/* --- tokens ------------------------------------------------------------------------ */

/* Reports an error in the line that snmpd reads, once for each reason. */
static void complain(const char *token, const char *text, const char *expected)
{
	char line[512];

	if (!d.reading && d.complained)
		return;
	d.complained = true;
	snprintf(line, sizeof(line), "%s %.200s: expected %s", token, text, expected);
	config_perror(line);
}

static bool take_path(const char *token, char *text, char path[], size_t size)
{
	char word[PATH_MAX];
	const char *rest = copy_nword(text, word, sizeof(word));

	if (rest || word[0] != '/' || strlen(word) >= size) {
		/*
		 * Message "Error: %s %s: expected one absolute path of at most 107 octets": The
		 * line has no effect. Correct it, and restart snmpd(8).
		 */
		complain(token, text, "one absolute path of at most 107 octets");
		return false;
	}
	memcpy(path, word, strlen(word) + 1);
	return true;
}

static void take_socket(const char *token, char *text)
{
	take_path(token, text, d.control, sizeof(d.control));
}

static void take_view(const char *token, char *text)
{
	d.has_view |= take_path(token, text, d.view, sizeof(d.view));
}

/* Returns the table's name of the module, which lives as long as dcb.so; NULL: none. */
static const char *optional_module(const char *name)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (table->optional && strcmp(table->module, name) == 0)
			return table->module;
	}
	return NULL;
}

static void add_module(const char *module)
{
	for (unsigned i = 0; i < d.config.n_modules; i++)
		if (d.config.modules[i] == module)
			return;
	if (d.config.n_modules < MIB_ROOTS_MAX)
		d.config.modules[d.config.n_modules++] = module;
}

static void take_modules(const char *token, char *text)
{
	char word[64];

	while (text) {
		const char *module;

		text = copy_nword(text, word, sizeof(word));
		module = optional_module(word);
		if (module)
			add_module(module);
		else
			/*
			 * Message "Error: dcbModules %s: expected CISCO-PFC-EXT-MIB": as "Error: %s
			 * %s: expected one absolute path of at most 107 octets"
			 */
			complain(token, word, "CISCO-PFC-EXT-MIB");
	}
}

static void take_timeout(const char *token, char *text)
{
	char word[16], *end;
	const char *rest = copy_nword(text, word, sizeof(word));
	unsigned long ms = strtoul(word, &end, 10);

	if (rest || !isdigit((unsigned char)word[0]) || *end || ms < 10 || ms > 30000)
		/*
		 * Message "Error: dcbTimeout %s: expected a number from 10 to 30000": as "Error: %s
		 * %s: expected one absolute path of at most 107 octets"
		 */
		complain(token, text, "a number from 10 to 30000");
	else
		d.config.timeout_ms = (unsigned)ms;
}

static const struct {
	const char *name;
	void (*take)(const char *token, char *text);
	const char *help;
} tokens[TOKENS] = {
    {"dcbSocket", take_socket, "PATH"},
    {"dcbView", take_view, "PATH"},
    {"dcbModules", take_modules, "NAME..."},
    {"dcbTimeout", take_timeout, "MS"},
};

/* Reads a file that snmpd was given with -c. */
static void read_options(struct config_line *lines)
{
	const char *files =
	    netsnmp_ds_get_string(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_OPTIONALCONFIG);
	char list[PATH_MAX], *rest = list;
	const char *file;

	if (!files)
		return;
	snprintf(list, sizeof(list), "%s", files + (files[0] == '-'));
	while ((file = strsep(&rest, ",")))
		read_config(file, lines, DCB_CONFIG);
}

static bool is_token(const struct config_line *line)
{
	for (unsigned i = 0; i < TOKENS; i++)
		if (line->parse_line == tokens[i].take)
			return true;
	return false;
}

static void set_time(struct config_line *lines, int when)
{
	for (struct config_line *line = lines; line; line = line->next)
		if (is_token(line))
			line->config_time = (char)when;
}

/*
 * Reads the files of snmpd for the registered tokens of the module alone: all others count as
 * known, or have another time. The lines are those of snmpd because a line "[snmpd]" chooses them.
 */
static void read_files(void)
{
	const int ds = NETSNMP_DS_LIBRARY_ID;
	int quiet = netsnmp_ds_get_boolean(ds, NETSNMP_DS_LIB_NO_TOKEN_WARNINGS);
	char type[] = "snmpd";
	struct config_line *lines = read_config_get_handlers(type);
	struct config_files files = {.fileHeader = type, .start = lines};

	if (!lines)
		return;
	set_time(lines, DCB_CONFIG);
	netsnmp_ds_set_boolean(ds, NETSNMP_DS_LIB_NO_TOKEN_WARNINGS, 1);
	d.reading = true;
	if (!netsnmp_ds_get_boolean(ds, NETSNMP_DS_LIB_DONT_READ_CONFIGS))
		read_config_files_of_type(DCB_CONFIG, &files);
	read_options(lines);
	d.reading = false;
	netsnmp_ds_set_boolean(ds, NETSNMP_DS_LIB_NO_TOKEN_WARNINGS, quiet);
	set_time(lines, NORMAL_CONFIG);
}

/* --- start and stop ------------------------------------------------------------------ */

/* Starts with the view socket beside the control socket unless dcbView names it. */
static void start(void)
{
	const char *name = strrchr(d.control, '/');

	if (d.started)
		return;
	d.started = true;
	if (!d.has_view)
		snprintf(d.view, sizeof(d.view), "%.*s/view", (int)(name - d.control), d.control);
	d.config.control = d.control;
	d.config.view = d.view;
	(void)dlmod_serve_start(&d.config);
}

static int on_configured(int major, int minor, void *server_arg, void *client_arg)
{
	(void)major, (void)minor, (void)server_arg, (void)client_arg;
	start();
	return 0;
}

/* A manager has loaded the module: snmpd reads no configuration. */
static void on_loaded(unsigned alarm, void *arg)
{
	(void)alarm, (void)arg;
	d.alarm = 0;
	start();
}

void init_dcb(void)
{
	log_to(on_log);
	strcpy(d.control, DEFAULT_CONTROL);
	d.config.timeout_ms = DEFAULT_MS;
	for (unsigned i = 0; i < TOKENS; i++)
		snmpd_register_config_handler(tokens[i].name, tokens[i].take, NULL, tokens[i].help);
	read_files();
	snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_POST_READ_CONFIG, on_configured,
			       NULL);
	d.alarm = snmp_alarm_register(0, 0, on_loaded, NULL);
}

void deinit_dcb(void)
{
	if (d.alarm)
		snmp_alarm_unregister(d.alarm);
	snmp_unregister_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_POST_READ_CONFIG,
				 on_configured, NULL, 0);
	for (unsigned i = 0; i < TOKENS; i++)
		snmpd_unregister_config_handler(tokens[i].name);
	dlmod_serve_stop();
	memset(&d, 0, sizeof(d));
}

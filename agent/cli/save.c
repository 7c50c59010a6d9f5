/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl save: the settings that differ from the defaults as a batch file. dcbctl diff: compares
 * such a file with dcbd.
 *
 *   diff, JSON  [{"object", "instance", "file", "dcbd", "port"}]
 */
#include "agent/cli/base/cli.h"

#include <errno.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/settings.h"

/* As diff(1): 1 means different, so trouble is 2. */
#define DIFFERENT 1
#define TROUBLE   2

int cmd_save(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct names names = {.client = NULL};
	struct settings settings;

	(void)argv;
	if (argc > 0)
		return cli_usage(self);
	if (cli->json)
		/* Message: `save` has no JSON output. */
		return cli_fail(
		    "save: prints a batch file; \"dcbctl -j config --changed\" prints "
		    "the same settings as JSON");
	if (!cli_connect(cli))
		return CLI_FAILED;
	if (settings_read(&settings, cli->client) != MO_CLIENT_OK)
		return cli_fail_client(cli);
	names.client = cli->client;
	for (size_t i = 0; i < settings.n; i++) {
		if (settings.of[i].is_default)
			continue;
		fputs("set ", cli->out);
		settings_print(&settings.of[i], &names, cli->out);
		fputc('\n', cli->out);
	}
	names_forget(&names);
	settings_free(&settings);
	return CLI_OK;
}

/* --- diff ----------------------------------------------------------------------------------- */

struct comparison {
	struct cli *cli;
	struct names names;
	struct settings file, dcbd;
	unsigned n;  /* differences */
	json_t *all; /* NULL: text */
};

static void print_side(struct comparison *c, const char *sign, const struct setting *s)
{
	if (!s)
		return;
	fprintf(c->cli->out, "%sset ", sign);
	settings_print(s, &c->names, c->cli->out);
	fputc('\n', c->cli->out);
}

static json_t *json_side(const struct setting *s)
{
	return s ? out_json_value(s->col, &s->value) : json_null();
}

/* Prints a difference. file or dcbd can be NULL: it has no value. */
static void differ(struct comparison *c, const struct setting *file, const struct setting *dcbd)
{
	const struct setting *any = file ? file : dcbd;
	uint32_t ifindex = names_ifindex(any->table, &any->index, any->col, &any->value);
	const char *name = ifindex ? names_of(&c->names, ifindex) : NULL;
	json_t *o;

	c->n++;
	if (!c->all) {
		print_side(c, "-", file);
		print_side(c, "+", dcbd);
		return;
	}
	o = out_alloc_check(json_object());
	out_json_put(o, "object", json_string(any->col->name));
	out_json_put(o, "instance", out_json_instance(&any->index));
	out_json_put(o, "file", json_side(file));
	out_json_put(o, "dcbd", json_side(dcbd));
	if (ifindex)
		out_json_put(o, "port", name ? out_json_text(name) : json_null());
	out_json_append(c->all, o);
}

static void compare(struct comparison *c)
{
	for (size_t i = 0; i < c->file.n; i++) {
		const struct setting *dcbd = settings_find(&c->dcbd, &c->file.of[i]);

		if (!dcbd || !settings_equal(&dcbd->value, &c->file.of[i].value))
			differ(c, &c->file.of[i], dcbd);
	}
	for (size_t i = 0; i < c->dcbd.n; i++)
		if (!c->dcbd.of[i].is_default && !settings_find(&c->file, &c->dcbd.of[i]))
			differ(c, NULL, &c->dcbd.of[i]);
}

/* Reads both sides. false: an error has been printed. */
static bool read_both(struct comparison *c, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "re");
	unsigned errors;

	if (!f) {
		/*
		 * Message: The file cannot be read or written, for this reason. Check its path and
		 * its permissions.
		 */
		(void)cli_fail("%s: %s", path, strerror(errno));
		return false;
	}
	if (settings_read(&c->dcbd, c->cli->client) != MO_CLIENT_OK) {
		(void)cli_fail_client(c->cli);
		errors = 1;
	} else {
		errors =
		    settings_parse(&c->file, f, is_stdin ? "standard input" : path, c->cli->client);
	}
	if (!is_stdin)
		fclose(f);
	return errors == 0;
}

int cmd_diff(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct comparison c = {.cli = cli};
	bool good;

	if (argc != 1)
		return cli_usage(self);
	if (!cli_connect(cli))
		return TROUBLE;
	c.names.client = cli->client;
	good = read_both(&c, argv[0]);
	if (good) {
		c.all = cli->json ? out_alloc_check(json_array()) : NULL;
		compare(&c);
		if (c.all)
			out_json_write(c.all, cli->out);
	}
	settings_free(&c.file);
	settings_free(&c.dcbd);
	names_forget(&c.names);
	return !good ? TROUBLE : c.n ? DIFFERENT : CLI_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_conf.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_OCTETS   (1024 * 1024)
#define DATABASE_MAX      255
#define STRING(of, name)  json_string_value(json_object_get((of), (name)))
#define IS_PLAIN(text, n) (strnlen((text), (n)) < (n))

static const char *const names[SONIC_DBS] = {
    [SONIC_DB_APPL] = "APPL_DB",         [SONIC_DB_ASIC] = "ASIC_DB",
    [SONIC_DB_COUNTERS] = "COUNTERS_DB", [SONIC_DB_CONFIG] = "CONFIG_DB",
    [SONIC_DB_STATE] = "STATE_DB",
};

/* Sets err to the file and the text. Returns NULL. */
__attribute__((format(printf, 4, 5))) static void *fail(char *err, size_t errlen, const char *path,
							const char *fmt, ...)
{
	int n = snprintf(err, errlen, "%s: ", path);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < errlen)
		vsnprintf(err + n, errlen - (size_t)n, fmt, ap);
	va_end(ap);
	return NULL;
}

/* Returns the object of a file, or NULL with err set. */
static json_t *load(const char *path, char *err, size_t errlen)
{
	FILE *file = fopen(path, "re");
	json_error_t why;
	struct stat is;
	json_t *root = NULL;

	if (!file)
		return fail(err, errlen, path, "%s; expected the database_config.json of SONiC",
			    strerror(errno));
	if (fstat(fileno(file), &is) != 0 || !S_ISREG(is.st_mode) || is.st_size > FILE_MAX_OCTETS)
		fail(err, errlen, path, "expected a file of at most %d octets", FILE_MAX_OCTETS);
	else if (!(root = json_loadf(file, JSON_REJECT_DUPLICATES, &why)))
		fail(err, errlen, path, "line %d: %.80s", why.line, why.text);
	fclose(file);
	if (root && !json_is_object(root)) {
		json_decref(root);
		return fail(err, errlen, path, "expected a JSON object");
	}
	return root;
}

/* Reads one of DATABASES, and its instance. */
static bool read_db(const json_t *root, const char *path, const char *name,
		    struct sonic_db_conf *out, char *err, size_t errlen)
{
	const json_t *db = json_object_get(json_object_get(root, "DATABASES"), name);
	const json_t *id = json_object_get(db, "id");
	const char *separator = STRING(db, "separator"), *instance = STRING(db, "instance");
	const char *socket;

	if (!db || !instance)
		return fail(err, errlen, path, "no %s in DATABASES, or it has no \"instance\"",
			    name);
	if (!json_is_integer(id) || json_integer_value(id) < 0 ||
	    json_integer_value(id) > DATABASE_MAX)
		return fail(err, errlen, path, "%s: expected an \"id\" of 0 to %d", name,
			    DATABASE_MAX);
	if (!separator || separator[0] == '\0' || !IS_PLAIN(separator, sizeof(out->separator)))
		return fail(err, errlen, path, "%s: expected a \"separator\" such as \":\"", name);
	socket = STRING(json_object_get(json_object_get(root, "INSTANCES"), instance),
			"unix_socket_path");
	if (!socket || socket[0] != '/' || !IS_PLAIN(socket, sizeof(out->socket)))
		return fail(err, errlen, path,
			    "instance \"%.32s\" of %s: expected a \"unix_socket_path\" from / on",
			    instance, name);
	out->number = (unsigned)json_integer_value(id);
	memcpy(out->separator, separator, strlen(separator) + 1);
	memcpy(out->socket, socket, strlen(socket) + 1);
	return true;
}

static bool read_dbs(const json_t *root, const char *path, struct sonic_instance_conf *out,
		     char *err, size_t errlen)
{
	for (unsigned i = 0; i < SONIC_DBS; i++)
		if (!read_db(root, path, names[i], &out->db[i], err, errlen))
			return false;
	return true;
}

static void read_included(const char *path, struct sonic_instance_conf *out)
{
	json_t *root = load(path, out->error, sizeof(out->error));

	if (!root)
		return;
	(void)read_dbs(root, path, out, out->error, sizeof(out->error));
	json_decref(root);
}

/* Reads an entry of INCLUDES into the next instance. */
static bool include(const json_t *entry, const char *path, struct sonic_conf *out, char *err,
		    size_t errlen)
{
	const char *file = STRING(entry, "include"), *space = STRING(entry, "namespace");
	const char *end = strrchr(path, '/');
	struct sonic_instance_conf *to = &out->instance[out->n];
	char name[PATH_MAX];

	if (json_object_get(entry, "container_name") || json_object_get(entry, "database_type"))
		return true;
	if (!file || (space && !IS_PLAIN(space, sizeof(to->space))) ||
	    snprintf(name, sizeof(name), "%.*s%s", end ? (int)(end + 1 - path) : 0, path, file) >=
		(int)sizeof(name))
		return fail(err, errlen, path,
			    "INCLUDES: expected an \"include\", and a \"namespace\" of at most %d "
			    "characters",
			    SONIC_SPACE_OCTETS - 1);
	if (out->n == SONIC_INSTANCES)
		return fail(err, errlen, path, "INCLUDES: expected at most %d files",
			    SONIC_INSTANCES);
	if (space)
		memcpy(to->space, space, strlen(space) + 1);
	read_included(name, to);
	out->n++;
	return true;
}

static bool read_includes(const json_t *list, const char *path, struct sonic_conf *out, char *err,
			  size_t errlen)
{
	const json_t *entry;
	size_t i;

	if (!json_is_array(list))
		return fail(err, errlen, path, "INCLUDES: expected an array");
	json_array_foreach(list, i,
			   entry) if (!include(entry, path, out, err, errlen)) return false;
	if (out->n == 0)
		return fail(err, errlen, path, "INCLUDES: expected the file of an ASIC");
	return true;
}

bool sonic_conf_read(const char *path, struct sonic_conf *out, char *err, size_t errlen)
{
	static const char global[] = SONIC_CONF_DIRECTORY "database_global.json";
	json_t *root, *includes;
	bool ok;

	*out = (struct sonic_conf){.n = 0};
	if (!path)
		path = access(global, F_OK) == 0 ? global
						 : SONIC_CONF_DIRECTORY "database_config.json";
	root = load(path, err, errlen);
	if (!root)
		return false;
	includes = json_object_get(root, "INCLUDES");
	if (includes) {
		ok = read_includes(includes, path, out, err, errlen);
	} else {
		ok = read_dbs(root, path, &out->instance[0], err, errlen);
		out->n = 1;
	}
	json_decref(root);
	if (!ok)
		*out = (struct sonic_conf){.n = 0};
	return ok;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A redis-server of its own for each test, on a socket in a new directory. */
#ifndef DCB_TESTS_SONIC_REDIS_SERVER_H
#define DCB_TESTS_SONIC_REDIS_SERVER_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/sonic/sonic_conf.h"
#include "lib/clock.h"
#include "tests/unit/unit.h"

#define REDIS_DEADLINE_NS (20 * DCB_NS_PER_S)

struct redis {
	pid_t pid;
	char dir[40];
	char socket[64], config[64];
	const char *password; /* of redis_run(); NULL: none */
};

/* Returns whether the programs are installed. */
static inline bool redis_is_there(void)
{
	return system("command -v redis-server >/dev/null && command -v redis-cli >/dev/null") == 0;
}

static inline void redis_exec(const struct redis *r, const char *requirepass)
{
	char log[64];

	snprintf(log, sizeof(log), "%s/log", r->dir);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", r->socket, "--save",
	       "", "--dir", r->dir, "--logfile", log, "--databases", "32",
	       "--notify-keyspace-events", "AKE", "--requirepass", requirepass, (char *)NULL);
	_exit(127);
}

static inline bool redis_accepts(const struct redis *r)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok;

	memcpy(to.sun_path, r->socket, sizeof(r->socket));
	ok = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
	close(fd);
	return ok;
}

/* Starts the server, empty. requirepass: ""; or its password. */
static inline void redis_up(struct redis *r, const char *requirepass)
{
	const struct dcb_time end = dcb_time_add_ns(clock_now(), REDIS_DEADLINE_NS);

	unlink(r->socket);
	r->pid = fork();
	if (r->pid == 0)
		redis_exec(r, requirepass);
	assert_true(r->pid > 0);
	while (!redis_accepts(r)) {
		assert_true(dcb_time_before(clock_now(), end));
		usleep(10000);
	}
}

/* Ends it by its process number. */
static inline void redis_kill(struct redis *r)
{
	if (r->pid <= 0)
		return;
	kill(r->pid, SIGKILL);
	assert_int_equal(waitpid(r->pid, NULL, 0), r->pid);
	r->pid = 0;
}

/* Writes a file of the directory. */
static inline void redis_write(const struct redis *r, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Writes a database_config.json with this server. */
static inline void redis_write_config(const struct redis *r, const char *name)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"INSTANCES\":{\"redis\":{\"hostname\":\"127.0.0.1\",\"port\":6379,"
		 "\"unix_socket_path\":\"%s\"}},\"DATABASES\":{"
		 "\"APPL_DB\":{\"id\":0,\"separator\":\":\",\"instance\":\"redis\"},"
		 "\"ASIC_DB\":{\"id\":1,\"separator\":\":\",\"instance\":\"redis\"},"
		 "\"COUNTERS_DB\":{\"id\":2,\"separator\":\":\",\"instance\":\"redis\"},"
		 "\"CONFIG_DB\":{\"id\":4,\"separator\":\"|\",\"instance\":\"redis\"},"
		 "\"STATE_DB\":{\"id\":6,\"separator\":\"|\",\"instance\":\"redis\"}},"
		 "\"VERSION\":\"1.0\"}",
		 r->socket);
	redis_write(r, name, text);
}

static inline void redis_start(struct redis *r)
{
	*r = (struct redis){.pid = 0};
	snprintf(r->dir, sizeof(r->dir), "/tmp/dcb-redis-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->socket, sizeof(r->socket), "%s/socket", r->dir);
	snprintf(r->config, sizeof(r->config), "%s/database_config.json", r->dir);
	redis_write_config(r, "database_config.json");
	redis_up(r, "");
}

static inline void redis_stop(struct redis *r)
{
	char command[64];

	redis_kill(r);
	snprintf(command, sizeof(command), "rm -r %s", r->dir);
	assert_int_equal(system(command), 0);
}

/* Runs commands by redis-cli, which has to succeed. */
static inline void redis_run(const struct redis *r, const char *commands)
{
	char command[256];
	FILE *to;

	snprintf(
	    command, sizeof(command),
	    "redis-cli -e -s %s %s%s --no-auth-warning >%s/out 2>&1 || { cat %s/out; exit 1; }",
	    r->socket, r->password ? "-a " : "", r->password ? r->password : "", r->dir, r->dir);
	to = popen(command, "w");
	assert_non_null(to);
	fputs(commands, to);
	assert_int_equal(pclose(to), 0);
}

#endif

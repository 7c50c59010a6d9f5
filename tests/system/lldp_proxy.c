/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lldp_proxy LISTEN LLDPD: forwards octets between clients of the Unix socket LISTEN and
 * lldpd's socket LLDPD. It can insert octets into lldpd's messages, or cut some, to make
 * the structs of another version of lldpd. Each line on standard input sets the change
 * and closes all connections, as a restart of lldpd does:
 *
 *   pass
 *   insert TYPE OFFSET OCTETS    inserts zeros at OFFSET octets after the message header
 *   cut TYPE OFFSET OCTETS       removes octets there
 *
 * TYPE is of lldpd's enum hmsg_type; 0: all types. Messages with fewer octets are not
 * changed. Prints "ready", and "done" for each line.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS     32
#define BUFFER      (1024 * 1024)
#define SLACK       4096 /* maximum of inserted octets */
#define PAIR_FDS(i) (2 + 2 * (i))

/* Header of lldpd's messages, as in its source. */
struct header {
	int type;
	size_t len;
};

struct client {
	int fd, lldpd;
	uint8_t *in; /* received from lldpd; begins with a message header */
	size_t len;
};

struct change {
	bool insert;
	int type;
	size_t offset, octets; /* octets 0: none */
};

static struct client clients[CLIENTS];
static struct change change;
static const char *lldpd_path;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return a;
}

static int listen_at(const char *path)
{
	struct sockaddr_un a = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, CLIENTS) < 0)
		die(path);
	return fd;
}

static void close_client(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->lldpd >= 0)
		close(c->lldpd);
	free(c->in);
	*c = (struct client){.fd = -1, .lldpd = -1};
}

static void take_client(int listening)
{
	struct sockaddr_un a = address(lldpd_path);
	int fd = accept(listening, NULL, NULL);

	for (size_t i = 0; i < CLIENTS && fd >= 0; i++) {
		struct client *c = &clients[i];

		if (c->fd >= 0)
			continue;
		c->fd = fd;
		c->len = 0;
		c->in = malloc(BUFFER);
		c->lldpd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (!c->in || connect(c->lldpd, (struct sockaddr *)&a, sizeof(a)) < 0)
			close_client(c);
		return;
	}
	close(fd);
}

static bool write_all(int fd, const uint8_t *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static bool is_changed(const struct header *h)
{
	size_t least = change.offset + (change.insert ? 0 : change.octets);

	return change.octets && h->len > least && (!change.type || change.type == h->type);
}

/* Returns false if the client has closed the connection. */
static bool pass_message(struct client *c, struct header h)
{
	static uint8_t out[BUFFER + SLACK];
	const uint8_t *body = c->in + sizeof(h);
	size_t to = sizeof(h), from = 0, len = h.len;

	if (is_changed(&h)) {
		memcpy(out + to, body, change.offset);
		to += change.offset;
		from = change.offset;
		if (change.insert) {
			memset(out + to, 0, change.octets);
			to += change.octets;
			h.len += change.octets;
		} else {
			from += change.octets;
			h.len -= change.octets;
		}
	}
	memcpy(out + to, body + from, len - from);
	memcpy(out, &h, sizeof(h));
	return write_all(c->fd, out, sizeof(h) + h.len);
}

static bool from_lldpd(struct client *c)
{
	ssize_t n = recv(c->lldpd, c->in + c->len, BUFFER - c->len, 0);
	struct header h;

	if (n <= 0)
		return false;
	c->len += (size_t)n;
	while (c->len >= sizeof(h)) {
		memcpy(&h, c->in, sizeof(h));
		if (c->len - sizeof(h) < h.len)
			return c->len < BUFFER;
		if (!pass_message(c, h))
			return false;
		c->len -= sizeof(h) + h.len;
		memmove(c->in, c->in + sizeof(h) + h.len, c->len);
	}
	return true;
}

static bool from_client(struct client *c)
{
	uint8_t data[65536];
	ssize_t n = recv(c->fd, data, sizeof(data), 0);

	return n > 0 && write_all(c->lldpd, data, (size_t)n);
}

static void take_line(char *line)
{
	struct change new = {0};
	char what[16] = "";

	if (sscanf(line, "%15s %d %zu %zu", what, &new.type, &new.offset, &new.octets) == 4)
		new.insert = strcmp(what, "insert") == 0;
	if (new.octets > SLACK)
		new.octets = SLACK;
	change = new;
	for (size_t i = 0; i < CLIENTS; i++)
		close_client(&clients[i]);
	puts("done");
	fflush(stdout);
}

static void take_lines(void)
{
	static char text[256];
	static size_t len;
	ssize_t n = read(STDIN_FILENO, text + len, sizeof(text) - 1 - len);
	char *end;

	if (n <= 0)
		exit(0);
	len += (size_t)n;
	text[len] = '\0';
	while ((end = strchr(text, '\n'))) {
		*end++ = '\0';
		take_line(text);
		len -= (size_t)(end - text);
		memmove(text, end, len + 1);
	}
}

static void turn(int listening)
{
	struct pollfd fds[2 + 2 * CLIENTS] = {
	    {.fd = STDIN_FILENO, .events = POLLIN},
	    {.fd = listening, .events = POLLIN},
	};

	for (size_t i = 0; i < CLIENTS; i++) {
		fds[PAIR_FDS(i)] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
		fds[PAIR_FDS(i) + 1] = (struct pollfd){.fd = clients[i].lldpd, .events = POLLIN};
	}
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0 && errno != EINTR)
		die("poll");
	for (size_t i = 0; i < CLIENTS; i++) {
		struct client *c = &clients[i];

		if ((fds[PAIR_FDS(i)].revents && !from_client(c)) ||
		    (fds[PAIR_FDS(i) + 1].revents && !from_lldpd(c)))
			close_client(c);
	}
	if (fds[1].revents)
		take_client(listening);
	if (fds[0].revents)
		take_lines();
}

static void on_term(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	int listening;

	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_term);
	lldpd_path = argv[2];
	for (size_t i = 0; i < CLIENTS; i++)
		clients[i] = (struct client){.fd = -1, .lldpd = -1};
	listening = listen_at(argv[1]);
	puts("ready");
	fflush(stdout);
	for (;;)
		turn(listening);
}

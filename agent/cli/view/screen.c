/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/cli/base/out.h"
#include "agent/cli/view/layout.h"

#define READ_TIMEOUT_MS 1000 /* of dcbd; keys wait for it */
#define KEYS_WAIT_MS    200  /* a signal that comes just before poll() waits this long */
#define HEAD_LINES      2    /* above the ports */
#define FOOT_LINES      1

struct screen {
	struct cli *cli;
	struct mo_client *client;
	struct watch_model model, before;
	struct baseline base;
	const struct watch_port **shown;
	size_t n_shown, room, first; /* first: scrolled to */
	struct watch_view view;
	bool typing;    /* keys go to the filter */
	char lost[256]; /* why dcbd does not answer; "": it does */
	bool ever_read;
};

/* --- signals -------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
	ended_by = number;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* Before curses, which leaves handlers alone that it finds. */
static void catch_signals(struct sigaction before[N_SIGNALS])
{
	struct sigaction action = {.sa_handler = on_signal};

	ended_by = 0;
	for (size_t i = 0; i < N_SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static void restore_signals(const struct sigaction before[N_SIGNALS])
{
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

/* --- drawing -------------------------------------------------------------------------------- */

static unsigned width(void)
{
	return COLS > 0 ? (unsigned)COLS : 1;
}

static size_t port_lines(void)
{
	return LINES > HEAD_LINES + FOOT_LINES ? (size_t)(LINES - HEAD_LINES - FOOT_LINES) : 0;
}

static attr_t attributes(enum layout_kind kind)
{
	static const attr_t without_colors[] = {A_NORMAL, A_DIM, A_BOLD, A_REVERSE};

	if (!has_colors())
		return without_colors[kind];
	switch (kind) {
	case LAYOUT_DIM:
		return A_DIM;
	case LAYOUT_NOTICE:
		return COLOR_PAIR(LAYOUT_NOTICE) | A_BOLD;
	case LAYOUT_ALARM:
		return COLOR_PAIR(LAYOUT_ALARM) | A_BOLD;
	default:
		return A_NORMAL;
	}
}

static void start_colors(void)
{
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(LAYOUT_NOTICE, COLOR_YELLOW, -1);
	init_pair(LAYOUT_ALARM, COLOR_RED, -1);
}

static void draw_line(int y, const struct layout_line *line, attr_t all)
{
	move(y, 0);
	for (unsigned i = 0; i < line->n; i++) {
		attrset((int)(all | attributes(line->parts[i].kind)));
		if (i > 0)
			addch(' ');
		addnstr(line->text + line->parts[i].at, (int)line->parts[i].len);
	}
	attrset(A_NORMAL);
}

/* Writes text cut to the width, and blanks to its end. */
static void draw_text(int y, const char *text, attr_t all)
{
	attrset((int)all);
	mvprintw(y, 0, "%-*.*s", (int)width(), (int)width(), text);
	attrset(A_NORMAL);
}

static void draw_status(const struct screen *s)
{
	char text[512];

	if (s->lost[0]) {
		snprintf(text, sizeof(text), "dcbd does not answer, trying again: %s", s->lost);
		draw_text(0, text, A_REVERSE | attributes(LAYOUT_ALARM));
		return;
	}
	snprintf(text, sizeof(text), "%zu of %zu ports%s%s%s%s", s->n_shown, s->model.n,
		 s->view.all ? "" : ", busy ones", s->view.filter[0] ? ", with " : "",
		 s->view.filter, baseline_time(&s->base) > 0 ? ", counters cleared" : "");
	draw_text(0, text, A_BOLD);
}

static void draw_foot(const struct screen *s)
{
	char text[128];

	if (s->typing)
		snprintf(text, sizeof(text), "filter: %s_", s->view.filter);
	else
		snprintf(text, sizeof(text),
			 "q quit  s sort  / filter  a %s  sort by: n name  u queue  i PFC  p pause "
			 "l losses",
			 s->view.all ? "busy" : "all");
	draw_text(LINES - 1, text, A_REVERSE);
}

static void draw(struct screen *s)
{
	struct layout_line line;
	size_t lines = port_lines();

	if (s->first + lines > s->n_shown)
		s->first = s->n_shown > lines ? s->n_shown - lines : 0;
	erase();
	draw_status(s);
	layout_head(&line, width(), s->view.sort);
	draw_line(1, &line, A_UNDERLINE);
	for (size_t i = 0; i < lines && s->first + i < s->n_shown; i++) {
		layout_port(&line, width(), s->shown[s->first + i]);
		draw_line(HEAD_LINES + (int)i, &line, s->lost[0] ? A_DIM : A_NORMAL);
	}
	if (s->n_shown == 0 && s->ever_read && lines > 0)
		mvprintw(HEAD_LINES, 0, "%.*s", (int)width(),
			 s->view.all ? "no port" : "no busy port; a shows all");
	draw_foot(s);
	refresh();
}

/* --- data ----------------------------------------------------------------------------------- */

static void select_ports(struct screen *s)
{
	if (s->model.n > s->room) {
		s->room = s->model.n;
		s->shown = out_alloc_check(realloc(s->shown, s->room * sizeof(*s->shown)));
	}
	s->n_shown = watch_select(&s->model, &s->view, s->shown);
}

/* Reads dcbd; if it does not answer, the ports stay as they were. */
static void read_ports(struct screen *s)
{
	struct watch_model next = s->before;

	s->before = (struct watch_model){.n = 0};
	if (baseline_begin(&s->base, s->client) != MO_CLIENT_OK ||
	    watch_read(&next, s->client, s->cli->clock.now_s(), &s->base) != MO_CLIENT_OK) {
		snprintf(s->lost, sizeof(s->lost), "%s", mo_client_strerror(s->client));
		s->before = next;
		s->before.n = 0;
		return;
	}
	s->lost[0] = '\0';
	s->ever_read = true;
	watch_compare(&next, &s->model);
	s->before = s->model;
	s->model = next;
	select_ports(s);
}

/* --- keys ----------------------------------------------------------------------------------- */

static void edit_filter(struct screen *s, int key)
{
	size_t n = strlen(s->view.filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == 27) { /* Esc */
		s->typing = false;
		s->view.filter[0] = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n > 0) {
		s->view.filter[n - 1] = '\0';
	} else if (key > ' ' && key < 127 && n + 1 < sizeof(s->view.filter)) {
		s->view.filter[n] = (char)key;
		s->view.filter[n + 1] = '\0';
	}
}

static void scroll_by(struct screen *s, long lines)
{
	if (lines < 0 && (size_t)-lines > s->first)
		s->first = 0;
	else
		s->first += (size_t)lines; /* draw() limits it */
}

/* Handles a key. false: it is q. */
static bool press(struct screen *s, int key)
{
	static const char sort_keys[] = "nuipl"; /* in the order of enum watch_sort */
	const char *sort = key > 0 && key < 127 ? strchr(sort_keys, key) : NULL;

	if (s->typing)
		edit_filter(s, key);
	else if (key == 'q')
		return false;
	else if (key == 's')
		s->view.sort = (s->view.sort + 1) % WATCH_SORTS;
	else if (sort)
		s->view.sort = (enum watch_sort)(sort - sort_keys);
	else if (key == 'a')
		s->view.all = !s->view.all;
	else if (key == '/')
		s->typing = true;
	else if (key == KEY_UP || key == KEY_DOWN)
		scroll_by(s, key == KEY_UP ? -1 : 1);
	else if (key == KEY_PPAGE || key == KEY_NPAGE)
		scroll_by(s, key == KEY_PPAGE ? -(long)port_lines() : (long)port_lines());
	select_ports(s);
	return true;
}

/*
 * Waits for keys until due_s and handles them. false: the key q, a signal, or the terminal is gone.
 */
static bool wait_for_keys(struct screen *s, double due_s)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	double left_ms;
	int key;

	while ((left_ms = 1e3 * (due_s - s->cli->clock.now_s())) > 0) {
		int n = poll(&in, 1, left_ms < KEYS_WAIT_MS ? (int)left_ms + 1 : KEYS_WAIT_MS);

		if (ended_by || (n > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL)) ||
		    (n < 0 && errno != EINTR))
			return false;
		while ((key = getch()) != ERR)
			if (!press(s, key))
				return false;
		draw(s);
	}
	return true;
}

static void show(struct screen *s)
{
	for (unsigned long i = 0; s->cli->count == 0 || i < s->cli->count; i++) {
		read_ports(s);
		draw(s);
		if (ended_by || !wait_for_keys(s, s->cli->clock.now_s() + s->cli->interval_s))
			return;
	}
}

/* --- terminal ------------------------------------------------------------------------------- */

/* Shows the ports between the start and the end of curses. */
static int run_curses(struct screen *s)
{
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	if (!terminal)
		/*
		 * Message: as "watch: without tables it needs a terminal; to a pipe or file, name
		 * tables"
		 */
		return cli_fail(
		    "watch: ncurses does not know the terminal type \"%s\": set TERM, "
		    "or name tables",
		    getenv("TERM") ? getenv("TERM") : "");
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	start_colors();
	show(s);
	endwin();
	delscreen(terminal);
	return CLI_OK;
}

int screen_run(struct cli *cli)
{
	struct screen s = {.cli = cli};
	struct sigaction before[N_SIGNALS];
	int rc;

	s.client = mo_client_new(cli->socket, READ_TIMEOUT_MS);
	if (!s.client)
		/* Message: as "%s: path too long for a socket, or out of memory" */
		return cli_fail("%s: path too long for a socket, or out of memory", cli->socket);
	if (cli->view)
		(void)mo_client_use_view(s.client, cli->view);
	catch_signals(before);
	rc = run_curses(&s);
	restore_signals(before);
	watch_free(&s.model);
	watch_free(&s.before);
	baseline_end(&s.base);
	free(s.shown);
	mo_client_free(s.client);
	if (ended_by)
		raise(ended_by); /* the shell sees by which signal */
	return rc;
}

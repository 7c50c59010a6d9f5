/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/term.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "agent/cli/base/out.h"

#define WIDTH_UNKNOWN 80
#define WIDTH_MIN     20 /* a narrower one is taken for an error */
#define INDENTATION   4

static int limit_fd = -1; /* one standard output for the process */

void term_limit(int fd)
{
	limit_fd = fd >= 0 && isatty(fd) ? fd : -1;
}

unsigned term_width(void)
{
	struct winsize size = {.ws_col = 0};
	const char *columns = getenv("COLUMNS");
	int width;

	if (limit_fd < 0)
		return 0;
	(void)ioctl(limit_fd, TIOCGWINSZ, &size);
	width = size.ws_col ? size.ws_col : columns ? atoi(columns) : 0;
	return width >= WIDTH_MIN ? (unsigned)width : WIDTH_UNKNOWN;
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t term_characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += begins_character(*text);
	return n;
}

/* --- folding -------------------------------------------------------------------------------- */

struct folded {
	FILE *to;
	char *line; /* without newline */
	size_t n, room;
};

/* Returns the octets of text[0..n) that fit width characters; n if all do. */
static size_t fitting(const char *text, size_t n, unsigned width)
{
	size_t i, characters = 0, blank = 0;

	for (i = 0; i < n; i++) {
		if (begins_character(text[i]) && ++characters > width)
			break;
		if (text[i] == ' ' && i > 0)
			blank = i;
	}
	if (i == n)
		return n;
	return text[i] == ' ' || blank == 0 ? i : blank;
}

static void print_folded(const struct folded *f)
{
	unsigned width = term_width(), indentation = 0;
	const char *p = f->line;
	size_t left = f->n;

	while (width && left) {
		size_t n = fitting(p, left, width - indentation);

		fprintf(f->to, "%*s%.*s\n", (int)indentation, "", (int)n, p);
		for (; n < left && p[n] == ' '; n++)
			;
		p += n;
		left -= n;
		if (left == 0)
			return;
		indentation = INDENTATION;
	}
	fprintf(f->to, "%.*s\n", (int)left, left ? p : "");
}

static ssize_t folded_write(void *cookie, const char *buf, size_t size)
{
	struct folded *f = cookie;

	for (size_t i = 0; i < size; i++) {
		if (buf[i] == '\n') {
			print_folded(f);
			f->n = 0;
			continue;
		}
		if (f->n == f->room) {
			f->room = f->room ? 2 * f->room : 256;
			f->line = out_alloc_check(realloc(f->line, f->room));
		}
		f->line[f->n++] = buf[i];
	}
	return fflush(f->to) == 0 && !ferror(f->to) ? (ssize_t)size : 0;
}

static int folded_close(void *cookie)
{
	struct folded *f = cookie;

	if (f->n)
		print_folded(f);
	free(f->line);
	free(f);
	return 0;
}

FILE *term_folded(FILE *to)
{
	static const cookie_io_functions_t io = {.write = folded_write, .close = folded_close};
	struct folded *f = out_alloc_check(calloc(1, sizeof(*f)));

	f->to = to;
	return out_alloc_check(fopencookie(f, "w", io));
}

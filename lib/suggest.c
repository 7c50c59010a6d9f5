/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LETTERS_MAX 64 /* longer names are near to none */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the number of changes from a to b, whose lengths are at most LETTERS_MAX. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned of[LETTERS_MAX + 1][LETTERS_MAX + 1]; /* of the first i letters to the first k */

	for (size_t i = 0; i <= n; i++)
		of[i][0] = (unsigned)i;
	for (size_t k = 0; k <= m; k++)
		of[0][k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++) {
		for (size_t k = 1; k <= m; k++) {
			unsigned d = of[i - 1][k - 1] + !is_same(a[i - 1], b[k - 1]);

			d = least(d, least(of[i - 1][k], of[i][k - 1]) + 1);
			if (i > 1 && k > 1 && is_same(a[i - 1], b[k - 2]) &&
			    is_same(a[i - 2], b[k - 1]))
				d = least(d, of[i - 2][k - 2] + 1);
			of[i][k] = d;
		}
	}
	return of[n][m];
}

void suggest_offer(struct suggest *n, const char *name)
{
	size_t letters = strlen(n->text), others = strlen(name);
	unsigned d;

	if (letters > LETTERS_MAX || others > LETTERS_MAX)
		return;
	d = distance(n->text, letters, name, others);
	if (d > 1 + letters / 4 || d >= letters || (n->best && d >= n->distance))
		return;
	n->best = name;
	n->distance = d;
}

const char *suggest_hint(const struct suggest *n, char *buf, size_t size)
{
	buf[0] = '\0';
	if (n->best)
		snprintf(buf, size, "; did you mean \"%s\"?", n->best);
	return buf;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/port.h"

#include <string.h>

#include "agent/cli/base/term.h"

size_t port_text_width(void)
{
	unsigned width = term_width();

	return width ? width : SIZE_MAX;
}

struct port_text port_text_new(FILE *f, size_t indent)
{
	return (struct port_text){.f = f, .width = port_text_width(), .indent = indent};
}

void port_text_word(struct port_text *t, const char *word)
{
	size_t len = strlen(word);

	if (t->at > t->indent && t->width != SIZE_MAX && t->at + 1 + len > t->width) {
		fputc('\n', t->f);
		t->at = 0;
		t->indent += t->indent == 0 || t->indent == 2 ? 4 : 0; /* continued */
	}
	t->at += (size_t)fprintf(t->f, "%*s%s", t->at ? 1 : (int)t->indent, "", word);
}

void port_text_end(struct port_text *t)
{
	if (t->at)
		fputc('\n', t->f);
	t->at = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A subsection "NAME = ..." has the settings of this group, in a list; a list within an item
 * has those of the item's group. An item has one name or several:
 *   .It Va NAME , NAME Li = No TYPE Pq Em MARK
 */
#include "tests/unit/man_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

struct page {
	struct man_mark *marks;
	size_t n;
	bool has_settings; /* the subsection has */
	char section[40];  /* "bridge.", empty for the top */
	char item[40];     /* the last item of the outer list */
	unsigned depth;    /* of lists */
};

static void add(struct page *p, const char *name, const char *mark)
{
	struct man_mark *m = &p->marks[p->n++];

	assert_true(p->n <= MAN_MARKS_MAX);
	snprintf(m->path, sizeof(m->path), "%s%s%s%s", p->section, p->depth > 1 ? p->item : "",
		 p->depth > 1 ? "." : "", name);
	snprintf(m->mark, sizeof(m->mark), "%s", mark);
}

/* Takes the names up to "Li", "Pq" or the end of the line. */
static void take_item(struct page *p, char *text)
{
	const char *mark = strstr(text, " Pq Em ");

	mark = mark ? mark + strlen(" Pq Em ") : "";
	for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
		if (strcmp(name, "Li") == 0 || strcmp(name, "Pq") == 0)
			break;
		if (strcmp(name, ",") == 0)
			continue;
		add(p, name, mark);
		if (p->depth == 1)
			snprintf(p->item, sizeof(p->item), "%s", name);
	}
}

static void take_subsection(struct page *p, const char *title)
{
	const char *equals = strstr(title, " = ");

	p->has_settings = equals || strcmp(title, "General settings") == 0;
	p->section[0] = '\0';
	if (equals)
		snprintf(p->section, sizeof(p->section), "%.*s.", (int)(equals - title), title);
}

static void take_line(struct page *p, char *line)
{
	if (strncmp(line, ".Ss ", 4) == 0)
		take_subsection(p, line + 4);
	else if (strncmp(line, ".Bl ", 4) == 0)
		p->depth++;
	else if (strncmp(line, ".El", 3) == 0)
		p->depth--;
	else if (p->has_settings && strncmp(line, ".It Va ", 7) == 0)
		take_item(p, line + 7);
}

size_t man_marks_read(struct man_mark marks[MAN_MARKS_MAX])
{
	struct page p = {.marks = marks};
	const char *srcdir = getenv("DCB_SRCDIR");
	char path[4096], line[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/man/dcbd.conf.5", srcdir ? srcdir : ".");
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: cannot open (run it by make check, or set DCB_SRCDIR)", path);
	while (fgets(line, sizeof(line), f) && strncmp(line, ".Sh KEY FILE", 12) != 0) {
		line[strcspn(line, "\n")] = '\0';
		take_line(&p, line);
	}
	fclose(f);
	return p.n;
}

const char *man_mark_of(struct man_mark *marks, size_t n, const char *path)
{
	char of_defaults[90];

	for (size_t i = 0; i < n; i++) {
		if (strcmp(marks[i].path, path) != 0)
			continue;
		marks[i].used = true;
		return marks[i].mark;
	}
	if (strncmp(path, "ports.cn.", 9) != 0 && strncmp(path, "ports.pfc.", 10) != 0)
		return NULL;
	snprintf(of_defaults, sizeof(of_defaults), "defaults%s", path + strlen("ports"));
	return man_mark_of(marks, n, of_defaults);
}

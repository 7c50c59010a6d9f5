/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/page.h"

#include <string.h>

#include "agent/exporter/page_data.h"

static const struct page pages[] = {
    {"/", "text/html; charset=utf-8", page_html, sizeof(page_html)},
    {"/page.css", "text/css; charset=utf-8", page_css, sizeof(page_css)},
    {"/page.js", "text/javascript; charset=utf-8", page_js, sizeof(page_js)},
    {"/page.svg", "image/svg+xml", page_svg, sizeof(page_svg)},
};

const struct page *page_of(const char *path)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (strcmp(pages[i].path, path) == 0)
			return &pages[i];
	}
	return NULL;
}

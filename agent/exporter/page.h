/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of the page that / shows, built into the program.
 *
 * They read JSON every two seconds, compute rates by dcbd's clock, and keep the queues of the
 * last minutes themselves: dcb-exporter has no history. The policy of the page permits no source
 * but dcb-exporter.
 */
#ifndef DCB_AGENT_EXPORTER_PAGE_H
#define DCB_AGENT_EXPORTER_PAGE_H

#include <stddef.h>

struct page {
	const char *path, *type; /* type: Content-Type */
	const unsigned char *octets;
	size_t len;
};

/* Returns the file of a path of a URL, NULL if there is none. */
const struct page *page_of(const char *path);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of counters: the first line is a driver's, each further one that of a counter, of which 31
 * octets count. Each counter that is found is at the position of a name with its priority, and is
 * the first one with that name.
 */
#include <string.h>

#include "dataplane/kernel/kernel_counters.h"
#include "tests/fuzz/fuzz.h"

#define NAMES_MAX 512

static char names[NAMES_MAX][KERNEL_COUNTER_OCTETS];

/* Copies the next line, cut to the size of line. Returns false at the end. */
static bool next_line(const uint8_t **data, size_t *size, char *line, size_t line_size)
{
	const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
	size_t len = end ? (size_t)(end - *data) : *size, kept = len;

	if (*size == 0)
		return false;
	if (kept > line_size - 1)
		kept = line_size - 1;
	memcpy(line, *data, kept);
	memset(line + kept, 0, line_size - kept);
	*data += len + (end != NULL);
	*size -= len + (end != NULL);
	return true;
}

/* Digits of a name that can be a priority. */
static bool has_digit(const char *name, unsigned priority)
{
	return strchr(name, (int)('0' + priority)) != NULL;
}

static size_t bare_length(const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && name[len - 1] == ' ')
		len--;
	return len;
}

static void check_place(uint16_t at, unsigned n)
{
	FUZZ_ASSERT(at < n);
	for (unsigned i = 0; i < at; i++)
		FUZZ_ASSERT(bare_length(names[i]) != bare_length(names[at]) ||
			    memcmp(names[i], names[at], bare_length(names[at])) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_names in = {.of = names};
	char driver[KERNEL_DRIVER_OCTETS] = "";
	struct kernel_map map;
	bool known;

	(void)next_line(&data, &size, driver, sizeof(driver));
	while (in.n < NAMES_MAX && next_line(&data, &size, names[in.n], sizeof(names[0])))
		in.n++;
	known = kernel_driver(driver)->name[0];
	memset(&map, 0x5a, sizeof(map));
	kernel_map_make(driver, &in, &map);
	FUZZ_ASSERT(map.n == in.n);
	FUZZ_ASSERT(known || map.port_has == 0);
	for (unsigned m = 0; m < KERNEL_MEANINGS; m++) {
		if (map.port_has >> m & 1)
			check_place(map.port_at[m], in.n);
		for (unsigned p = 0; p < KERNEL_PRIORITIES; p++) {
			if (!(map.has[p] >> m & 1))
				continue;
			FUZZ_ASSERT(known);
			check_place(map.at[p][m], in.n);
			FUZZ_ASSERT(has_digit(names[map.at[p][m]], p));
		}
	}
	for (unsigned p = 0; p < KERNEL_PRIORITIES; p++)
		FUZZ_ASSERT(map.has[p] < 1u << KERNEL_MEANINGS);
	return 0;
}

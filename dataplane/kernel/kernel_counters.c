/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/kernel/kernel_counters.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct kernel_driver drivers[] = {
#define DRIVER(driver, means, resets, ...) \
	{.name = driver, .delay = KERNEL_DELAY_##means, .resets_link = resets, ##__VA_ARGS__},
#define COUNTER(driver, counter, meaning)
#include "dataplane/kernel/kernel_counters.def"
#undef DRIVER
#undef COUNTER
};

static const struct counter {
	const char *driver, *name;
	enum kernel_meaning meaning;
} counters[] = {
#define DRIVER(driver, ...)
#define COUNTER(driver, counter, meaning) {driver, counter, KERNEL_##meaning},
#include "dataplane/kernel/kernel_counters.def"
#undef DRIVER
#undef COUNTER
};

/* Whether this is the name of a row, or that with the number of a generation after it. */
static bool is_named(const char *name, const char *row)
{
	size_t len = strlen(row);

	return strncmp(name, row, len) == 0 && name[len + strspn(name + len, "0123456789")] == '\0';
}

const struct kernel_driver *kernel_driver(const char *name)
{
	static const struct kernel_driver unknown = {.name = ""};

	for (size_t i = 0; i < COUNT(drivers); i++)
		if (is_named(name, drivers[i].name))
			return &drivers[i];
	return &unknown;
}

unsigned kernel_resets(const struct kernel_driver *driver)
{
	uint32_t resets = driver->resets_link;

	return (resets & DCBNL_PFC ? KERNEL_PFC : 0) | (resets & DCBNL_ETS ? KERNEL_ETS : 0) |
	       (resets & DCBNL_APPS ? KERNEL_APPS : 0);
}

enum provider_owner kernel_owner(const struct dcbnl_port *now)
{
	const uint8_t host = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

	if (!(now->has & DCBNL_DCBX))
		return PROVIDER_OWNER_HOST;
	if (now->dcbx & DCB_CAP_DCBX_LLD_MANAGED)
		return PROVIDER_OWNER_FIRMWARE;
	return (now->dcbx & host) == host ? PROVIDER_OWNER_HOST : PROVIDER_OWNER_UNKNOWN;
}

const char *kernel_counter_name(const struct kernel_driver *driver, unsigned i,
				enum kernel_meaning *meaning)
{
	for (size_t r = 0; r < COUNT(counters); r++) {
		if (strcmp(counters[r].driver, driver->name) != 0 || i-- > 0)
			continue;
		*meaning = counters[r].meaning;
		return counters[r].name;
	}
	return NULL;
}

/* Returns the length of a name without the blanks at its end. */
static size_t length(const char *name)
{
	size_t len = strnlen(name, KERNEL_COUNTER_OCTETS);

	while (len > 0 && name[len - 1] == ' ')
		len--;
	return len;
}

/* Whether a name of len octets is that of a row. *priority: where the row has %u. */
static bool fits(const char *row, const char *name, size_t len, unsigned *priority)
{
	const char *number = strchr(row, '%');
	size_t before = number ? (size_t)(number - row) : 0;

	if (!number)
		return strlen(row) == len && memcmp(row, name, len) == 0;
	/* One digit takes the place of two characters. */
	if (strlen(row) - 1 != len || memcmp(row, name, before) != 0 ||
	    strncmp(number + 2, name + before + 1, len - before - 1) != 0)
		return false;
	*priority = (unsigned)(name[before] - '0');
	return name[before] >= '0' && *priority < KERNEL_PRIORITIES;
}

static void note(uint32_t *has, uint16_t *at, enum kernel_meaning meaning, unsigned position)
{
	if (*has & 1u << meaning)
		return;
	*has |= 1u << meaning;
	at[meaning] = (uint16_t)position;
}

void kernel_map_make(const char *driver, const struct kernel_names *names, struct kernel_map *out)
{
	const struct kernel_driver *known = kernel_driver(driver);

	*out = (struct kernel_map){.n = names->n};
	for (size_t r = 0; r < COUNT(counters); r++) {
		const struct counter *c = &counters[r];

		if (strcmp(c->driver, known->name) != 0)
			continue;
		out->is_named |= strchr(c->name, '%') != NULL;
		for (unsigned i = 0; i < names->n && i <= UINT16_MAX; i++) {
			unsigned priority = KERNEL_PRIORITIES;

			if (!fits(c->name, names->of[i], length(names->of[i]), &priority))
				continue;
			if (priority < KERNEL_PRIORITIES)
				note(&out->has[priority], out->at[priority], c->meaning, i);
			else
				note(&out->port_has, out->port_at, c->meaning, i);
		}
	}
}

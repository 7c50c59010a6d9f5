/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_apply.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define SERVICE "org.SONiC.HostService.gcu"
#define OBJECT  "/org/SONiC/HostService/gcu"
#define METHOD  "apply_patch_db"

struct sonic_apply {
	sd_bus *bus;
	bool has_ended;
	char text[200];
};

/* The bus is the owner of the text. */
static void set_text(struct sonic_apply *a, const char *fmt, const char *text)
{
	/* One line, as it goes to logs and objects. */
	a->has_ended = true;
	snprintf(a->text, sizeof(a->text), fmt, text);
	for (char *c = a->text; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = ' ';
}

static int take_answer(sd_bus_message *m, void *arg, sd_bus_error *ignored)
{
	const sd_bus_error *error = sd_bus_message_get_error(m);
	struct sonic_apply *a = arg;
	const char *text = "";
	int32_t status = 0;

	(void)ignored;
	if (error)
		set_text(a, "SONiC's host services: %s",
			 error->message ? error->message : error->name);
	else if (sd_bus_message_read(m, "is", &status, &text) < 0)
		set_text(a, "%s", "SONiC's host services: expected a status and a text");
	else if (status != 0)
		set_text(a, "config apply-patch: %s", text[0] ? text : "failed");
	else
		a->has_ended = true;
	return 1;
}

struct sonic_apply *sonic_apply_start(const char *patch, char *err, size_t errlen)
{
	struct sonic_apply *a = calloc(1, sizeof(*a));
	int error = a ? sd_bus_open_system(&a->bus) : -ENOMEM;

	if (error >= 0)
		error = sd_bus_set_method_call_timeout(a->bus,
						       (uint64_t)SONIC_APPLY_NS / DCB_NS_PER_US);
	if (error >= 0)
		error = sd_bus_call_method_async(a->bus, NULL, SERVICE, OBJECT, SERVICE, METHOD,
						 take_answer, a, "s", patch);
	if (error >= 0)
		return a;
	snprintf(err, errlen, "D-Bus: %s; expected the host services of SONiC", strerror(-error));
	sonic_apply_free(a);
	return NULL;
}

int sonic_apply_fd(const struct sonic_apply *a)
{
	return sd_bus_get_fd(a->bus);
}

short sonic_apply_events(const struct sonic_apply *a)
{
	int events = sd_bus_get_events(a->bus);

	return (short)(events > 0 ? events : 0);
}

struct dcb_time sonic_apply_next(const struct sonic_apply *a)
{
	uint64_t us = UINT64_MAX;

	if (sd_bus_get_timeout(a->bus, &us) < 0 || us > INT64_MAX / DCB_NS_PER_US)
		return (struct dcb_time){INT64_MAX};
	return (struct dcb_time){(int64_t)us * DCB_NS_PER_US};
}

bool sonic_apply_turn(struct sonic_apply *a, char *text, size_t size)
{
	int more = 1;

	while (!a->has_ended && more > 0)
		more = sd_bus_process(a->bus, NULL);
	if (!a->has_ended && more < 0)
		set_text(a, "D-Bus: %s", strerror(-more));
	if (a->has_ended)
		snprintf(text, size, "%s", a->text);
	return a->has_ended;
}

void sonic_apply_free(struct sonic_apply *a)
{
	if (!a)
		return;
	sd_bus_close_unref(a->bus);
	free(a);
}

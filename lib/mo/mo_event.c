/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_event.h"

#include <stdio.h>

void mo_event_name(const struct mo_event *ev, char *buf, size_t size)
{
	const struct mo_notification *n = mo_notification(ev->id);

	if (n)
		snprintf(buf, size, "%s", n->name);
	else
		snprintf(buf, size, "notification %u", ev->id);
}

static int varbind_format(const struct mo_varbind *vb, char *buf, size_t size)
{
	const struct mo_column *col = mo_column(mo_table(vb->table), vb->subid);
	char index[96], value[MO_VALUE_TEXT];

	if (!col)
		return snprintf(buf, size, "?");
	mo_index_format(&vb->index, index, sizeof(index));
	mo_format(col, &vb->value, value, sizeof(value));
	return snprintf(buf, size, "%s.%s = %s", col->name, index, value);
}

void mo_event_objects(const struct mo_event *ev, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < ev->n && used < size; i++) {
		if (i > 0)
			used += (size_t)snprintf(buf + used, size - used, ", ");
		if (used < size)
			used += (size_t)varbind_format(&ev->vbs[i], buf + used, size - used);
	}
}

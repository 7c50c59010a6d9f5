/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object as a metric of Prometheus: name, unit, type, labels and numbers, all derived from its
 * row in mibs. Pure functions, any thread.
 */
#ifndef DCB_AGENT_EXPORTER_METRIC_H
#define DCB_AGENT_EXPORTER_METRIC_H

#include "lib/mo/mo.h"

#define METRIC_NAME_OCTETS  96
#define METRIC_LABEL_OCTETS 64
#define METRIC_VALUE_OCTETS 48

enum metric_form {
	METRIC_NUMBER, /* a sample with the number */
	METRIC_STATES, /* a sample for each name of an enumeration: 1 for the value, else 0 */
	METRIC_NAMED,  /* one sample, 1, with the name of the value as label state */
	METRIC_BITS,   /* a sample for each named bit: 1 if it is set, else 0 */
	METRIC_TEXT,   /* one sample, 1, with the value as label text; none if it is empty */
};

struct metric {
	char name[METRIC_NAME_OCTETS];
	enum metric_form form;
	bool counter;
	/* A value times factor, with the last "decimals" digits behind the point, is in base units.
	 */
	uint32_t factor;
	unsigned decimals;
};

/*
 * Sets *m to the metric of an object: "dcb_", the object's name in snake case without the prefix of
 * its module, its base unit, "_total" for counters and "_info" for texts and names.
 */
void metric_of(const struct mo_column *col, struct metric *m);

/*
 * Writes the label of an index column: "port" for an ifIndex, else its name in snake case without
 * the prefix of its module. "" if the column is no label.
 */
void metric_label(const struct mo_index_part *part, char label[METRIC_LABEL_OCTETS]);

/* Writes a number in base units, exactly. */
void metric_number(const struct metric *m, const struct mo_value *value,
		   char text[METRIC_VALUE_OCTETS]);

/*
 * Writes octets as the value of a label: '"', '\' and line feeds escaped, other control characters
 * and octets that are not UTF-8 as '?'. Characters that do not fit are left out; all fit into
 * 2 * len + 1. Returns the length.
 */
size_t metric_escape(const void *octets, size_t len, char *text, size_t size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a port, from fields of rows, and messages of the watchdog. Pure. */
#ifndef DCB_SONIC_SONIC_COUNTERS_H
#define DCB_SONIC_SONIC_COUNTERS_H

#include "dataplane/sonic/sonic_port.h"

/* The fields to read, in the order in which the values are given. */
#define SONIC_PORT_FIELDS  (4 * DCB_PRIORITIES + 2)
#define SONIC_QUEUE_FIELDS 5
#define SONIC_PG_FIELDS    1
#define SONIC_PG_PEAKS     2
#define SONIC_QUEUE_PEAKS  1
#define SONIC_ASIC_FIELDS  1
extern const char *const sonic_port_fields[SONIC_PORT_FIELDS];   /* COUNTERS, of a port */
extern const char *const sonic_queue_fields[SONIC_QUEUE_FIELDS]; /* COUNTERS, of a queue */
extern const char *const sonic_pg_fields[SONIC_PG_FIELDS];       /* COUNTERS, of a PG */
extern const char *const sonic_pg_peaks[SONIC_PG_PEAKS];         /* USER_WATERMARKS, of a PG */
extern const char *const sonic_queue_peaks[SONIC_QUEUE_PEAKS];   /* the same, of a queue */
extern const char *const sonic_asic_fields[SONIC_ASIC_FIELDS];   /* ASIC_STATE, of a port */

/*
 * Set the members that come from these fields. A value that is NULL is missing. number: of the
 * queue or PG; the values go to all priorities that have it.
 */
void sonic_take_port(struct sonic_port *port, const char *const values[SONIC_PORT_FIELDS]);
/* orchagent has not set a field that is missing: it is 0. */
void sonic_take_asic(struct sonic_port *port, const char *const values[SONIC_ASIC_FIELDS]);
void sonic_take_queue(struct sonic_port *port, unsigned number,
		      const char *const values[SONIC_QUEUE_FIELDS]);
void sonic_take_pg(struct sonic_port *port, unsigned number,
		   const char *const values[SONIC_PG_FIELDS]);
void sonic_take_pg_peaks(struct sonic_port *port, unsigned number,
			 const char *const values[SONIC_PG_PEAKS]);
void sonic_take_queue_peaks(struct sonic_port *port, unsigned number,
			    const char *const values[SONIC_QUEUE_PEAKS]);

/*
 * Returns whether the counters of now continue those of before: none is less, and none that was
 * unknown is known.
 */
bool sonic_continues(const struct sonic_port *before, const struct sonic_port *now);

/*
 * Reads a message of channel PFC_WD_ACTION: ["oid:0x...","storm"] or "restore", with more strings
 * behind these. Returns false if it is anything else.
 */
bool sonic_read_storm(const char *message, uint64_t *queue_oid, bool *begins);

#endif

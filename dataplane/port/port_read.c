/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a port. */
#include "dataplane/port/port.h"

#include "lib/counter.h"

void port_read_cp(const struct soft_port *port, unsigned priority, struct cp_stats *out)
{
	const struct cp_stats *s = &port->cn.cp_stats[priority];

	*out = (struct cp_stats){
	    .cp_discarded_frames = gauge_get(&s->cp_discarded_frames),
	    .cp_transmitted_frames = gauge_get(&s->cp_transmitted_frames),
	    .cp_transmitted_cnms = gauge_get(&s->cp_transmitted_cnms),
	    .cp_qlen = gauge_get(&s->cp_qlen),
	    .cp_qlen_peak = gauge_get(&s->cp_qlen_peak),
	    .cp_fb = gauge_get(&s->cp_fb),
	    .cp_samples = gauge_get(&s->cp_samples),
	};
}

void port_read_ecn(const struct soft_port *port, unsigned priority, struct ecn_stats *out)
{
	counters_copy(out, &port->marking.stats[priority], sizeof(*out));
}

void port_read_pfc(const struct soft_port *port, unsigned priority, struct pfc_stats *out)
{
	counters_copy(out, &port->pfc.stats[priority], sizeof(*out));
}

void port_take_peaks(struct soft_port *port, struct pfc_peaks out[DCB_PRIORITIES])
{
	struct port_peaks *p = port->peaks;
	uint64_t ended = p->interval;

	gauge_set(&p->interval, ended + 1);
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		const struct port_peak *peak = &p->of[n][ended % 2];

		out[n] = (struct pfc_peaks){0};
		if (counter_get_acquire(&peak->interval) == ended)
			counters_copy(&out[n], &peak->is, sizeof(out[n]));
	}
}

void port_read_buffer(const struct soft_port *port, unsigned priority, struct buffer_stats *out)
{
	frame_memory_read_port(&port->buffers, priority, out);
}

void port_read_pfc_watchdog(const struct soft_port *port, unsigned priority,
			    struct pfc_watchdog_stats *out)
{
	counters_copy(out, &port->pfc.watchdog.stats[priority], sizeof(*out));
}

void port_read_pfc_port(const struct soft_port *port, struct pfc_port_stats *out)
{
	counters_copy(out, &port->pfc.port_stats, sizeof(*out));
}

void port_read_measure(const struct soft_port *port, struct pfc_measure_stats *out)
{
	counters_copy(out, &port->hm.stats, sizeof(*out));
}

void port_read(const struct soft_port *port, struct port_stats *out)
{
	counters_copy(out, &port->stats, sizeof(*out));
	out->up = gauge_get(&port->attached) && gauge_get(&port->up);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots the time series with gnuplot. */
#ifndef DCB_SIM_PLOT_H
#define DCB_SIM_PLOT_H

#include "sim/trace.h"

/* Whether the name ends in .png or .svg. */
bool plot_is_name(const char *path);

/* Plots queues above rates. Returns false with the reason in err, also if gnuplot is missing. */
bool plot_write(const struct trace *trace, const char *path, char *err, size_t errlen);

/* A scenario of a comparison. */
struct plot_series {
	const char *name;
	bool completes; /* its flows do: their times are plotted, otherwise their rates */
	/*
	 * Lines "time queue", in s and kB; two empty lines; lines "value share": the share of the
	 * flows whose completion time in ms or rate in Mb/s is at most the value.
	 */
	FILE *points;
};
/* Plots queues of scenarios above distributions of their flows. Otherwise as plot_write(). */
bool plot_compare(const struct plot_series *series, uint32_t n, const char *path, char *err,
		  size_t errlen);

#endif

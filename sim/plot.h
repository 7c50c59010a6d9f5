/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots the time series with gnuplot. */
#ifndef DCB_SIM_PLOT_H
#define DCB_SIM_PLOT_H

#include "sim/trace.h"

/* Whether the name ends in .png or .svg. */
bool plot_is_name(const char *path);

/* Plots queues above rates. Returns false with the reason in err, also if gnuplot is missing. */
bool plot_write(const struct trace *trace, const char *path, char *err, size_t errlen);

#endif

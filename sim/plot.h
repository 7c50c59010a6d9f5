/* SPDX-License-Identifier: BSD-3-Clause */
/* The time series as a picture, by gnuplot. */
#ifndef DCB_SIM_PLOT_H
#define DCB_SIM_PLOT_H

#include "sim/trace.h"

/* Does the name end in .png or .svg? */
bool plot_is_name(const char *path);

/* Queues above, rates below. false: err says why, be it that there is no gnuplot. */
bool plot_write(const struct trace *trace, const char *path, char *err, size_t errlen);

#endif

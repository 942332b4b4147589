/* The tables of a report. Each begins with an empty line and prints nothing when it has no rows. */
#ifndef RENDER_REPORT_TABLES_H
#define RENDER_REPORT_TABLES_H

#include "render/report.h"
#include "render/text.h"

/* Where a step goes: the time tree. */
void partition_table(const struct screen *screen, const struct report *report);
void kernels_table(const struct screen *screen, const struct report *report);
void nccl_table(const struct screen *screen, const struct report *report);
/* All of a few devices; of many the median and those that differ most from it. Nothing of one. */
void devices_table(const struct screen *screen, const struct report *report);

#endif

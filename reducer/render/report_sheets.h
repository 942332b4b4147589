/* The tables of a report for spreadsheets and documents: `report --csv`, `--markdown`. Times are
 * those of report_json(), in nanoseconds; columns have the names of its keys (docs/REFERENCE.md). */
#ifndef RENDER_REPORT_SHEETS_H
#define RENDER_REPORT_SHEETS_H

#include "render/report.h"
#include "render/sheet.h"

/* Of a report with `by` that table alone, with `gaps` that of the gaps. 0 or -ENOMEM: cells are
 * missing. */
int report_sheets(const struct report *report, enum sheet_format format, FILE *out);

#endif

/* The tables of a comparison: `compare --csv`, `--markdown` (columns: docs/REFERENCE.md). */
#ifndef RENDER_COMPARE_SHEETS_H
#define RENDER_COMPARE_SHEETS_H

#include "render/compare.h"
#include "render/sheet.h"

/* 0 or -ENOMEM: cells are missing. */
int compare_sheets(const struct comparison *comparison, enum sheet_format format, FILE *out);

#endif

/* The options of commands whose tables can be had as CSV and markdown: their rows, once, and what
 * they mean. */
#ifndef TABLE_OPTIONS_H
#define TABLE_OPTIONS_H

#include "cli/command.h"
#include "render/sheet.h"

/* clang-format off */
#define TABLE_CSV_ROW                                                                              \
	{"csv", 0, OPTION_FLAG, NULL, "the tables as CSV, an empty line between two"}
#define TABLE_MARKDOWN_ROW {"markdown", 0, OPTION_FLAG, NULL, "the tables as markdown"}
/* clang-format on */

/* SHEET_TABLE: neither is given. An enum status: STATUS_USAGE where two forms are (said with
 * diag()). */
int table_options_read(const struct invocation *call, enum sheet_format *format);
/* What became of tables that were written: an enum status; says what is wrong. */
int table_options_written(const char *dir, int error);

#endif

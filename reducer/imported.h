/* Operands that are profiles of other tools, or directories of such files: each is imported into
 * NAME.imported beside it, once, and the command reads that run. */
#ifndef IMPORTED_H
#define IMPORTED_H

#include "cli/command.h"

/* The operands are one run: profiles among them are imported together, and their directory stands in
 * the place of the first. An enum status: STATUS_OK, STATUS_PARTIAL when something of a profile could
 * not be used. */
int imported_operands(struct invocation *call);
/* Each operand is a run, of directories and profiles that commas join. */
int imported_runs(struct invocation *call);
/* The runs that the option lists, separated by commas; '+' joins what is of one run. */
int imported_list(struct invocation *call, const char *option);

#endif

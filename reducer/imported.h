/* Operands that are profiles of other tools: each is imported into FILE.imported beside it, once, and
 * the command reads that run. */
#ifndef IMPORTED_H
#define IMPORTED_H

#include "cli/command.h"

/* Puts the run directory in the place of each such operand. An enum status: STATUS_OK,
 * STATUS_PARTIAL when something of a profile could not be used. */
int imported_operands(struct invocation *call);

#endif

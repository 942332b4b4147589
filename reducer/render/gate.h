/* --fail-if of `baton report`: NAME<NUMBER or NAME>NUMBER, with spaces or without. */
#ifndef RENDER_GATE_H
#define RENDER_GATE_H

#include "conclude/figures.h"

/* STATUS_OK when gate_report() will understand the expression, else STATUS_USAGE (said with
 * diag()): to be asked before the work. */
int gate_check(const char *text);

/* NAME: a leaf, a prefix of leaves ("idle", "idle.host") - its share of the step - or step_ms.
 * STATUS_GATE when the expression holds, or when the trace cannot tell whether it does (NCCL that
 * is not split, a leaf that the source does not carry); STATUS_OK when not, STATUS_USAGE when it
 * makes no sense. `reason`: why NCCL is not split.
 */
int gate_report(const char *text, const struct figures *figures, const char *reason);

#endif

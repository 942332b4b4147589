/* Whether the steps that were found are the run's: where they are not, the next way to find some. */
#ifndef ATTRIBUTE_SCAN_DOUBT_H
#define ATTRIBUTE_SCAN_DOUBT_H

#include "attribute/scan_pass.h"

/* After the passes: of the marked steps the last ones may have no op, as the range that a profiler
 * opens when its last step is done. These are none. True: the ops have to be put into their steps
 * anew. Not of a stretch of time while the trace is being written, whose last ops may come yet. */
bool scan_doubt_last(struct scanning *s);

/* After the passes: where the marks of an optimizer stop though its steps go on (inside a graph), or
 * marks cover less than half of the kernels, finds the steps in the next way. *changed: the ops have to
 * be put into their steps anew. 0 or -errno. */
int scan_doubt_marks(struct scanning *s, bool *changed);

/* After the passes: steps of an import that periodicity found, though nobody asked for it, and that
 * are not alike or not nearly of one length, are none. *changed: as above. 0 or -errno. */
int scan_doubt_period(struct scanning *s, bool *changed);

#endif

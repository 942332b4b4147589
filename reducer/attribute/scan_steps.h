/* Finds a device's steps: from markers, from an optimizer's marks, or from periodicity. */
#ifndef ATTRIBUTE_SCAN_STEPS_H
#define ATTRIBUTE_SCAN_STEPS_H

#include "attribute/scan_pass.h"

/* Fills s->scan->steps from the first of the device's processes that ran something and marks steps;
 * if none marks any, from the first one that ran something. 0 or -errno. */
int scan_steps_find(struct scanning *s);

/* Did anything run on the device? Looks no further than it must. 0 or -errno. */
int scan_steps_any_op(struct scanning *s, bool *any);

/* The parts of it: steps by an optimizer's marks; by periodicity; the log of the launches from which
 * periodicity finds them; what is cut from steps that were found. `passed`: a pass has just gone through
 * all calls of the process. 0 or -errno. */
int scan_steps_optimizer(struct scanning *s);
int scan_steps_periodic(struct scanning *s, uint32_t process);
int scan_steps_seek(struct scanning *s, uint32_t feed, struct logged_steps *found);
/* The end of a process that was killed has launches and marks but no ops. */
int scan_steps_cut_undelivered(struct scanning *s, uint32_t feed);
int scan_steps_warmup(struct scanning *s, bool passed);

/* After the passes: says what a step is that periodicity found. */
void scan_steps_say_unit(struct scanning *s);

#endif

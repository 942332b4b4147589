/* Finds a device's steps: from markers, from an optimizer's marks, or from periodicity. */
#ifndef ATTRIBUTE_SCAN_STEPS_H
#define ATTRIBUTE_SCAN_STEPS_H

#include "attribute/scan_pass.h"

/* Fills s->scan->steps from the first of the device's processes that ran something and marks steps;
 * if none marks any, from the first one that ran something. 0 or -errno. */
int scan_steps_find(struct scanning *s);

/* Did anything run on the device? Looks no further than it must. 0 or -errno. */
int scan_steps_any_op(struct scanning *s, bool *any);

/* After the passes: where the marks of an optimizer stop though its steps go on (inside a graph),
 * finds the steps by periodicity instead. *changed: the ops have to be put into their steps anew. 0
 * or -errno. */
int scan_steps_go_on(struct scanning *s, bool *changed);

/* After the passes: steps of an import that periodicity found, though nobody asked for it, and that
 * are not alike or not nearly of one length, are none. *changed: as above. 0 or -errno. */
int scan_steps_doubt(struct scanning *s, bool *changed);

/* After the passes: says what a step is that periodicity found. */
void scan_steps_say_unit(struct scanning *s);

#endif

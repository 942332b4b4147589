/* Finds a device's steps: from markers, from an optimizer's marks, or from periodicity. */
#ifndef ATTRIBUTE_SCAN_STEPS_H
#define ATTRIBUTE_SCAN_STEPS_H

#include "attribute/scan_pass.h"

/* Fills s->scan->steps from the first of the device's processes that ran something and marks steps;
 * if none marks any, from the first one that ran something. 0 or -errno. */
int scan_steps_find(struct scanning *s);

#endif

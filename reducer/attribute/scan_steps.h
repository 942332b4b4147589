/* Where a device's steps come from: markers, an optimizer's marks, or what recurs in its launches.
 */
#ifndef ATTRIBUTE_SCAN_STEPS_H
#define ATTRIBUTE_SCAN_STEPS_H

#include "attribute/scan_pass.h"

/* Fills s->scan->steps, of the device's first process that ran something and marks steps; when none
 * marks any, of the first that ran something. 0 or -errno. */
int scan_steps_find(struct scanning *s);

#endif

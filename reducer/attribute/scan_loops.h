/* Threads of a process that each train by themselves on a device: the steps by periodicity of one. */
#ifndef ATTRIBUTE_SCAN_LOOPS_H
#define ATTRIBUTE_SCAN_LOOPS_H

#include "attribute/scan_pass.h"

/* After the passes: where steps by periodicity are not alike, those of the launches of a single
 * thread, if they are. *changed: the ops have to be put into their steps anew. 0 or -errno. */
int scan_loops_find(struct scanning *s, bool *changed);

#endif

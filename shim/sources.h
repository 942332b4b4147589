/* All sources of the recording, in the order in which they are started, stopped and forgotten. */
#ifndef SHIM_SOURCES_H
#define SHIM_SOURCES_H

#include <stdbool.h>

/* Calls are about to be recorded, or have just begun to be: the recording begins, or its window
 * opens. */
void sources_start(void);
/* Nothing more is wanted. `goes_on`: the window is over, the process is not; else it ends. */
void sources_stop(bool goes_on);
/* In a forked child: what they hold is its parent's. */
void sources_forget(void);

#endif

/* When a process of this host started, which tells it from an earlier one with its number. */
#ifndef BASE_STARTED_H
#define BASE_STARTED_H

#include <stdint.h>

/* Field 22 of /proc/PID/stat. 0: there is no such process, or it has ended and waits for its
 * parent. (A process whose first thread alone has ended looks the same, but has threads.) */
uint64_t started_at(uint64_t pid);

#endif

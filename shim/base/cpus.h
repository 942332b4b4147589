/* The CPUs on which the process may run, as a list of the kernel's form: 0-3,8. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stddef.h>

/* Of the main thread, now. "" where the kernel does not say or `text` has no room. */
void cpus_text(char *text, size_t bytes);

#endif

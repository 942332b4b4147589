/* The kinds of activity that we record with: on and off. */
#ifndef SHIM_CUPTI_KINDS_H
#define SHIM_CUPTI_KINDS_H

#include <stdbool.h>

/* Do we record with this kind of activity (enum cupti_kind) now? */
bool cupti_kinds_need(int kind);
/* 0, or the CUPTI error of the kernels'. */
int cupti_kinds_enable(void);
/* Those that nobody else wants. */
void cupti_kinds_disable(bool (*wanted)(int kind));

#endif

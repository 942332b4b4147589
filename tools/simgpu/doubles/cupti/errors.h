/* Results: their names, and what a call answers while there is no driver. */
#ifndef SIMGPU_DOUBLES_CUPTI_ERRORS_H
#define SIMGPU_DOUBLES_CUPTI_ERRORS_H

#include "doubles/cupti/cupti.h"

/* NULL: no such result. */
const char *errors_name(int result);

/* OK, or what this release says without a driver: first for calls that need one, then for those
 * that some releases answer without. May abort: see release.h. */
enum result errors_gate(void);
enum result errors_gate_open(void);

/* Client callbacks run between these two, with no lock of ours held; errors_inside: on this thread
 * one is running. */
void errors_callback_begin(void);
void errors_callback_end(void);
int errors_inside(void);

#endif

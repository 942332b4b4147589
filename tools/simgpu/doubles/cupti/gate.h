/* What a call answers while there is no driver: every exported call begins with one of these. */
#ifndef SIMGPU_DOUBLES_CUPTI_GATE_H
#define SIMGPU_DOUBLES_CUPTI_GATE_H

#include "doubles/cupti/cupti.h"

/* OK, or what this release says without a driver: first for calls that need one, then for those
 * that some releases answer without. May abort: see release.h. */
enum result gate(void);
enum result gate_open(void);

#endif

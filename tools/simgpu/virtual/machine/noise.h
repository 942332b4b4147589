/* How much longer host work takes at a moment: noise that lasts, where that of the tables is drawn
 * anew for each piece of work. A function of place and time alone: a run without a fault has the
 * same at the same moments. */
#ifndef SIMGPU_VIRTUAL_MACHINE_NOISE_H
#define SIMGPU_VIRTUAL_MACHINE_NOISE_H

#include "virtual/script/script.h"

/* In 1/1024. */
uint32_t noise_factor(const struct script *script, uint32_t process, int64_t now_ns);

#endif

/* A second body of a hot loop, for the x86-64 cores of the last ten years (AVX2 and BMI2: x86-64-v3).
 * Which one runs is asked at run time, once a column or so: no core needs these instructions, and
 * other machines have one body. No ifunc, so that it works in a preloaded library too. */
#ifndef CODEC_CLONE_H
#define CODEC_CLONE_H

#include <stdbool.h>

#if defined(__x86_64__)
#define CLONE_V3 __attribute__((target("avx2,bmi,bmi2")))
static inline bool clone_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		   __builtin_cpu_supports("bmi2");
}
#else
#define CLONE_V3
static inline bool clone_v3(void)
{
	return false;
}
#endif

/* The body of both: inlined into each, so that it gets the instructions of each. */
#define CLONE_BODY __attribute__((always_inline)) static inline

#endif

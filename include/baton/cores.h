/* The hot loops of decoding have a second body, for the x86-64 cores of the last ten years (AVX2 and
 * BMI2). Which one runs is asked for each column: no core needs these instructions, and other
 * machines have one body. CORES_BODY is inlined into both, so that it gets the instructions of
 * each. */
#ifndef BATON_CORES_H
#define BATON_CORES_H

#include <stdbool.h>

#define CORES_BODY __attribute__((always_inline)) static inline
#if defined(__x86_64__)
#define CORES_V3 __attribute__((target("avx2,bmi,bmi2")))
static inline bool cores_have_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		   __builtin_cpu_supports("bmi2");
}
#else
#define CORES_V3
static inline bool cores_have_v3(void)
{
	return false;
}
#endif

#endif

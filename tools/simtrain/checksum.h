/* What a step prints. */
#ifndef SIMTRAIN_CHECKSUM_H
#define SIMTRAIN_CHECKSUM_H

#include <stddef.h>

/* "step N checksum X" on stdout, at once. */
void checksum_print(int step, const float *values, size_t n);

#endif

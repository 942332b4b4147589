/* Decimal numbers as text, read without a double. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* *scaled: "4458676522690.655", "68.0" or "1.5e3" times 10 to the power of `places`, exactly;
 * digits beyond that are rounded, half away from zero. 0; -EINVAL: not a decimal number; -ERANGE:
 * beyond int64_t. */
int decimal_scaled(const char *at, size_t bytes, int places, int64_t *scaled);

#endif

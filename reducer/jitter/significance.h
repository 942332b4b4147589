/* How likely chance alone makes a rank look late (docs/JITTER.md, Late and early ranks). */
#ifndef JITTER_SIGNIFICANCE_H
#define JITTER_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

/* The probability that a standard normal value is at least z. */
double normal_tail(double z);
/* The probability of at least k successes in n trials with probability p. */
double binomial_tail(uint32_t n, double p, uint32_t k);
/* Makes n probabilities those of Holm's step-down procedure, in place. 0 or -ENOMEM. */
int holm_correct(double *p, size_t n);

/* The places of values in ascending order, from 1; equal ones share the mean of theirs. `order` is
 * scratch, n numbers. */
void rank_places(const double *values, size_t n, uint32_t *order, double *places);

#endif

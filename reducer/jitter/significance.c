#include "jitter/significance.h"

#include "base/sort.h"

#include <errno.h>
#include <math.h>

double normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

double binomial_tail(uint32_t n, double p, uint32_t k)
{
	double sum = 0;
	if (k == 0 || p >= 1)
		return 1;
	for (uint32_t i = k; i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
				   (n - i) * log1p(-p));
	return sum < 1 ? sum : 1;
}

static int by_value(const void *a, const void *b, void *values)
{
	const uint32_t *x = a, *y = b;
	const double *of = values, u = of[*x], v = of[*y];
	if (u != v)
		return u < v ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

int holm_correct(double *p, size_t n)
{
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	double most = 0;
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_rows_with(order, n, sizeof(*order), by_value, p);
	for (size_t i = 0; i < n; i++) {
		const double corrected = p[order[i]] * (double)(n - i);
		most = corrected > most ? corrected : most;
		p[order[i]] = most < 1 ? most : 1;
	}
	free(order);
	return 0;
}

void rank_places(const double *values, size_t n, uint32_t *order, double *places)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_rows_with(order, n, sizeof(*order), by_value, (void *)values);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && values[order[end]] == values[order[i]];)
			end++;
		for (size_t k = i; k < end; k++)
			places[order[k]] = ((double)i + (double)end + 1) / 2;
	}
}

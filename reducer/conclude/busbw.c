#include "conclude/busbw.h"

#include <math.h>
#include <string.h>

/* numerator of the factor, in units of (n - 1) / n */
static const struct {
	const char *op;
	double times;
} factors[] = {{"AllReduce", 2}, {"AllGather", 1}, {"ReduceScatter", 1}, {"AllToAll", 1}};

double busbw_gbps(const char *op, const struct nccl_summary *row)
{
	if (row->max_bytes_moved <= 0 || row->members < 2 || row->transfer_ns <= 0 || row->reason)
		return NAN;
	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (strcmp(op, factors[i].op) == 0)
			return (double)row->max_bytes_moved * (double)row->count / (double)row->transfer_ns *
				   factors[i].times * (row->members - 1) / row->members;
	return NAN;
}

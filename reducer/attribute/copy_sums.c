#include "attribute/copy_sums.h"

#include "base/saturate.h"

#include <errno.h>

#define COPY_BYTES_MOST ((int64_t)1 << 56)

void copy_sums_add(struct copy_sums *sums, const struct op *op)
{
	const unsigned direction = op->copy_dir < BATON_S_COPY_DIRECTIONS ? op->copy_dir : 0;
	struct copy_summary *row = &sums->of[direction][(op->flags & OP_IS_PAGEABLE) != 0];
	const int64_t dur_ns = op->end - op->start;
	row->count++;
	row->total_ns = saturate_add(row->total_ns, dur_ns);
	if (op->bytes < 0 || op->bytes > COPY_BYTES_MOST - row->bytes) /* a size that cannot be true */
		return;
	row->bytes += op->bytes;
	row->sized_ns = saturate_add(row->sized_ns, dur_ns);
}

int copy_sums_store(const struct copy_sums *sums, struct summary *summary, const char *device)
{
	for (unsigned direction = 0; direction < BATON_S_COPY_DIRECTIONS; direction++)
		for (unsigned pageable = 0; pageable < 2; pageable++) {
			struct copy_summary row = sums->of[direction][pageable];
			if (row.count == 0)
				continue;
			row.direction = direction;
			row.pageable = pageable;
			if (summary_string(summary, device, &row.device) != 0 ||
				summary_add(summary, ROW_COPY, &row) != 0)
				return -ENOMEM;
		}
	return 0;
}

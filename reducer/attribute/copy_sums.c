#include "attribute/copy_sums.h"

#include "base/saturate.h"
#include "read/run.h"

#include <errno.h>
#include <stdlib.h>

#define COPY_BYTES_MOST ((int64_t)1 << 56)

static bool size_is_true(const struct op *op, int64_t before)
{
	return op->bytes >= 0 && op->bytes <= COPY_BYTES_MOST - before;
}

static int add_ends(struct copy_sums *sums, const struct op *op, int64_t dur_ns)
{
	const struct copy_ends key = {.feed = op->feed, .ends = op->ends};
	struct copy_ends *row = table_row(&sums->table, TABLE_ROWS(sums->ends, sums->n, ends), &key);
	if (!row)
		return -ENOMEM;
	row->sums.count++;
	row->sums.total_ns = saturate_add(row->sums.total_ns, dur_ns);
	if (!size_is_true(op, row->sums.bytes))
		return 0;
	row->sums.bytes += op->bytes;
	row->sums.sized_ns = saturate_add(row->sums.sized_ns, dur_ns);
	return 0;
}

int copy_sums_add(struct copy_sums *sums, const struct op *op)
{
	const unsigned direction = op->copy_dir < BATON_S_COPY_DIRECTIONS ? op->copy_dir : 0;
	struct copy_summary *row = &sums->of[direction][(op->flags & OP_IS_PAGEABLE) != 0];
	const int64_t dur_ns = op->end - op->start;
	row->count++;
	row->total_ns = saturate_add(row->total_ns, dur_ns);
	if (size_is_true(op, row->bytes)) {
		row->bytes += op->bytes;
		row->sized_ns = saturate_add(row->sized_ns, dur_ns);
	}
	return op->ends ? add_ends(sums, op, dur_ns) : 0;
}

static int store_ends(const struct copy_ends *of, const struct feed *feeds, struct summary *summary,
					  const char *device)
{
	struct pair_summary row = of->sums;
	char from[384], to[384];
	run_device_key(&feeds[of->feed].trace, of->ends >> 16, from, sizeof(from));
	run_device_key(&feeds[of->feed].trace, of->ends & UINT16_MAX, to, sizeof(to));
	if (summary_string(summary, from, &row.from) != 0 ||
		summary_string(summary, to, &row.to) != 0 ||
		summary_string(summary, device, &row.device) != 0)
		return -ENOMEM;
	return summary_add(summary, ROW_PAIR, &row);
}

int copy_sums_store(const struct copy_sums *sums, const struct feed *feeds, struct summary *summary,
					const char *device)
{
	int error = 0;
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
	for (size_t i = 0; i < sums->n && !error; i++)
		error = store_ends(&sums->ends[i], feeds, summary, device);
	return error;
}

void copy_sums_close(struct copy_sums *sums)
{
	free(sums->ends);
	table_free(&sums->table);
}

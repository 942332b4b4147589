#include "stats/copies.h"

#include "base/diag.h"
#include "base/memory_kind.h"
#include "base/plain.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "conclude/copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PERCENT = 10 /* above the mean: less is no line */ };

/* ---- sums ---- */

/* *name: of the device with this id of the file, 0: it has none. 0 or -ENOMEM. */
static int end_of(struct stats_file *file, int64_t id, uint32_t *name)
{
	char key[384];
	const uint32_t device = idmap_get(&file->trace.device_ids, (uint64_t)id);
	*name = 0;
	if (!device)
		return 0;
	run_device_key(&file->trace, device, key, sizeof(key));
	*name = stats_text(file, key);
	return *name ? 0 : -ENOMEM;
}

int copies_add(struct copies *copies, struct stats_file *file, const struct rows *op,
			   uint32_t device)
{
	const int64_t direction = rows_optional(op, OP_COPY_DIR, 0), dur_ns = rows_value(op, OP_DUR);
	const int64_t bytes = rows_optional(op, OP_BYTES, -1);
	struct copy_sum key = {
		.device = device,
		.direction = direction >= 0 && direction <= BATON_COPY_PEER ? (uint32_t)direction : 0,
		.memory = (uint32_t)rows_optional(op, OP_MEMORY, 0)};
	int error = end_of(file, rows_optional(op, OP_SOURCE, 0), &key.from);
	error = error ? error : end_of(file, rows_optional(op, OP_TARGET, 0), &key.to);
	struct copy_sum *row =
		error ? NULL : table_row(&copies->table, TABLE_ROWS(copies->rows, copies->n, zero), &key);
	if (!row)
		return -ENOMEM;
	row->n++;
	row->ns = saturate_add(row->ns, dur_ns);
	if (bytes < 0)
		return 0;
	row->bytes = saturate_add(row->bytes, bytes);
	row->sized_ns = saturate_add(row->sized_ns, dur_ns);
	return 0;
}

void copies_free(struct copies *copies)
{
	free(copies->rows);
	table_free(&copies->table);
	*copies = (struct copies){0};
}

static int by_device_and_time(const void *a, const void *b, void *context)
{
	const struct copy_sum *x = a, *y = b;
	const int order = strcmp(stats_name(context, x->device), stats_name(context, y->device));
	if (order || x->ns != y->ns)
		return order ? order : x->ns < y->ns ? 1 : -1;
	if (x->direction != y->direction)
		return x->direction < y->direction ? -1 : 1;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	const int from = strcmp(stats_name(context, x->from), stats_name(context, y->from));
	return from ? from : strcmp(stats_name(context, x->to), stats_name(context, y->to));
}

void copies_sort(struct copies *copies, const struct stats_run *run)
{
	table_free(&copies->table); /* rows move */
	sort_rows_with(copies->rows, copies->n, sizeof(*copies->rows), by_device_and_time,
				   (void *)(uintptr_t)run);
}

/* ---- pairs of GPUs ---- */

struct pair {
	uint32_t from, to;
	int64_t ns, bytes, sized_ns;
};

struct pairs {
	struct pair *at;
	size_t n;
	struct table table;
};

static int find_pairs(const struct copies *copies, struct pairs *pairs)
{
	for (size_t i = 0; i < copies->n; i++) {
		const struct copy_sum *sum = &copies->rows[i];
		const struct pair key = {.from = sum->from, .to = sum->to};
		if (!sum->from || !sum->to || sum->from == sum->to)
			continue;
		struct pair *pair = table_row(&pairs->table, TABLE_ROWS(pairs->at, pairs->n, to), &key);
		if (!pair)
			return -ENOMEM;
		pair->ns = saturate_add(pair->ns, sum->ns);
		pair->bytes = saturate_add(pair->bytes, sum->bytes);
		pair->sized_ns = saturate_add(pair->sized_ns, sum->sized_ns);
	}
	return 0;
}

static double rate(int64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / (double)ns : 0;
}

static void say_pair(const struct pair *pair, const struct stats_run *run, const char *before,
					 FILE *out)
{
	fprintf(out, "%sUneven: copies from ", before);
	plain_put(stats_name(run, pair->from), out);
	fputs(" to ", out);
	plain_put(stats_name(run, pair->to), out);
}

static void say_pairs(const struct pairs *pairs, const struct stats_run *run, const char *before,
					  FILE *out)
{
	const struct pair *longest = &pairs->at[0], *slowest = NULL;
	double ns = 0, bytes = 0, sized_ns = 0;
	for (size_t i = 0; i < pairs->n; i++) {
		const struct pair *pair = &pairs->at[i];
		ns += (double)pair->ns;
		bytes += (double)pair->bytes;
		sized_ns += (double)pair->sized_ns;
		longest = pair->ns > longest->ns ? pair : longest;
		if (pair->bytes > 0 && pair->sized_ns > 0 &&
			(!slowest ||
			 rate(pair->bytes, pair->sized_ns) < rate(slowest->bytes, slowest->sized_ns)))
			slowest = pair;
	}
	const double mean_ns = ns / (double)pairs->n, mean = sized_ns > 0 ? bytes / sized_ns : 0;
	const double more = mean_ns > 0 ? 100 * ((double)longest->ns / mean_ns - 1) : 0;
	if (more >= LEAST_PERCENT) {
		say_pair(longest, run, before, out);
		fprintf(out, " take %.1f ms, %.0f %% more than the mean of %zu pairs of GPUs\n",
				(double)longest->ns / 1e6, more, pairs->n);
	}
	const double least = slowest ? rate(slowest->bytes, slowest->sized_ns) : mean;
	if (least < (100 - LEAST_PERCENT) / 100.0 * mean) {
		say_pair(slowest, run, before, out);
		fprintf(out, " run at %.1f GB/s, all of %zu pairs of GPUs at %.1f GB/s\n", least, pairs->n,
				mean);
	}
}

int copies_say_uneven(const struct copies *copies, const struct stats_run *run, const char *before,
					  FILE *out)
{
	struct pairs pairs = {0};
	const int error = find_pairs(copies, &pairs);
	if (!error && pairs.n > 1)
		say_pairs(&pairs, run, before, out);
	free(pairs.at);
	table_free(&pairs.table);
	return error;
}

/* ---- the table ---- */

static struct cell memory_cell(unsigned kind)
{
	return kind ? cell_text(memory_kind_name(kind)) : cell_none();
}

int copies_print(const struct copies *copies, const struct stats_run *run, enum sheet_format format,
				 FILE *out)
{
	static const char *const words[] = {"device",   "direction", "from memory", "to memory",
										"from GPU", "to GPU",    "count",       "time (ns)",
										"size (B)", "GB/s",      NULL};
	static const char *const names[] = {"device",   "direction", "from_memory", "to_memory",
										"from_gpu", "to_gpu",    "count",       "total_ns",
										"bytes",    "gbps",      NULL};
	const struct sheet_spec spec = {"copies", "Copies of each device, sums",
									format == SHEET_TABLE ? words : names};
	struct sheet sheet;
	int error = 0;
	sheet_open(&sheet, out, format, &spec);
	for (size_t i = 0; i < copies->n && !error; i++) {
		const struct copy_sum *sum = &copies->rows[i];
		const bool sized = sum->sized_ns > 0;
		const struct cell cells[] = {
			cell_text(stats_name(run, sum->device)),
			cell_text(copies_direction(sum->direction)),
			memory_cell(sum->memory & 15),
			memory_cell(sum->memory >> 4 & 15),
			sum->from ? cell_text(stats_name(run, sum->from)) : cell_none(),
			sum->to ? cell_text(stats_name(run, sum->to)) : cell_none(),
			cell_number((int64_t)sum->n),
			cell_ns(sum->ns),
			sized || sum->bytes ? cell_number(sum->bytes) : cell_none(),
			sized ? cell_tenths(rate(sum->bytes, sum->sized_ns)) : cell_none()};
		error = sheet_row(&sheet, cells);
	}
	sheet_close(&sheet);
	return error || format != SHEET_TABLE ? error : copies_say_uneven(copies, run, "", out);
}

/* ---- a run ---- */

static int add_file(struct stats_file *file, void *context)
{
	struct rows ops;
	int error = rows_open(&ops, &file->trace, BATON_OP);
	if (error)
		return error;
	while (!error && stats_next(file, &ops)) {
		char key[384];
		if (rows_value(&ops, OP_KIND) != BATON_MEMCPY)
			continue;
		const uint32_t stream =
			idmap_get(&file->trace.stream_ids, (uint64_t)rows_value(&ops, OP_STREAM));
		run_device_key(&file->trace, file->trace.streams[stream].device, key, sizeof(key));
		const uint32_t device = stats_text(file, key);
		error = device ? copies_add(context, file, &ops, device) : -ENOMEM;
	}
	error = error ? error : ops.error;
	rows_close(&ops);
	return error;
}

int copies_report(struct stats_run *run, enum sheet_format format, FILE *out)
{
	struct copies copies = {0};
	int error = stats_each(run, add_file, &copies);
	if (!error) {
		copies_sort(&copies, run);
		error = copies_print(&copies, run, format, out);
	}
	if (error)
		diag("%s", strerror(-error));
	copies_free(&copies);
	return error ? STATUS_INPUT : run->status;
}

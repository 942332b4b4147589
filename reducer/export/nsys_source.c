#include "export/nsys_source.h"

#include "base/diag.h"
#include "base/saturate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TIDS = 1 << 24 };

/* ---- what rows have in common ---- */

struct nsys_name *nsys_name_of(struct nsys_source *source, const struct rows *rows, unsigned column,
							   struct text *text)
{
	const uint64_t id = (uint64_t)rows_optional(rows, column, 0);
	const uint32_t string = idmap_get(&source->file.trace.string_ids, id);
	*text = strings_get(&source->file.trace.strings, string);
	return &source->names[string < source->file.trace.strings.n ? string : 0];
}

int64_t nsys_time(const struct nsys_source *source, int64_t ns)
{
	return saturate_sub(ns, source->out->plan->zero_ns);
}

void nsys_put_times(struct nsys_source *source, const struct rows *rows)
{
	struct nsys_tables *t = &source->out->tables;
	const int64_t start_ns = rows_value(rows, ROW_START);
	nsys_put(t, 0, nsys_time(source, start_ns));
	nsys_put(t, 1, nsys_time(source, saturate_add(start_ns, rows_value(rows, ROW_DUR))));
}

void nsys_put_correlation(struct nsys_source *source, const struct rows *rows, unsigned from,
						  int column)
{
	int64_t id = rows_optional(rows, from, 0);
	if (id <= 0 || __builtin_add_overflow(id, source->out->correlations_from, &id))
		return;
	if (id > source->correlations_to)
		source->correlations_to = id;
	nsys_put(&source->out->tables, column, id);
}

void nsys_put_thread(struct nsys_source *source, const struct rows *rows, unsigned from, int column)
{
	const uint32_t thread =
		idmap_get(&source->file.trace.thread_ids, (uint64_t)rows_value(rows, from));
	if (source->threads[thread])
		nsys_put(&source->out->tables, column, source->threads[thread]);
}

bool nsys_put_stream(struct nsys_source *source, const struct rows *rows, unsigned from, int first)
{
	struct nsys_tables *t = &source->out->tables;
	const uint32_t index =
		idmap_get(&source->file.trace.stream_ids, (uint64_t)rows_value(rows, from));
	const struct trace_stream *stream = &source->file.trace.streams[index];
	if (!index)
		return false;
	if (stream->device && stream->device < source->member->n_gpus)
		nsys_put(t, first, source->out->plan->gpus[source->member->gpus[stream->device]].number);
	nsys_put(t, first + 1, stream->context);
	nsys_put(t, first + 3, stream->stream);
	return true;
}

void nsys_put_device(struct nsys_source *source, uint32_t device, int first)
{
	struct nsys_tables *t = &source->out->tables;
	if (device == 0 || device >= source->member->n_gpus)
		return;
	nsys_put(t, first, source->out->plan->gpus[source->member->gpus[device]].number);
	for (uint32_t s = 1; s < source->file.trace.n_streams; s++)
		if (source->file.trace.streams[s].device == device) {
			nsys_put(t, first + 1, source->file.trace.streams[s].context);
			return;
		}
}

/* ---- threads ---- */

struct numbered {
	int64_t pid, tid, global;
};

struct numbering {
	struct numbered *rows;
	size_t n;
	struct table table;
	uint8_t *taken;  /* a bit for each number */
	uint32_t unused; /* numbers from here on are taken */
};

static bool is_taken(const struct numbering *numbering, uint32_t number)
{
	return numbering->taken[number / 8] & 1u << number % 8;
}

/* nsys has room for 24 bits: a longer number is cut, and one that is taken then becomes the highest
 * one that is free. 0: none is, or the thread is not known. */
static uint32_t take_number(struct numbering *numbering, int64_t tid)
{
	uint32_t number = (uint32_t)tid & (TIDS - 1);
	if (is_taken(numbering, number)) {
		while (numbering->unused > 0 && is_taken(numbering, numbering->unused))
			numbering->unused--;
		number = numbering->unused;
	}
	numbering->taken[number / 8] |= (uint8_t)(1u << number % 8);
	return number;
}

static int number_thread(struct nsys_source *source, struct numbering *numbering, uint32_t thread)
{
	struct nsys_tables *t = &source->out->tables;
	const struct trace_thread *of = &source->file.trace.threads[thread];
	const struct numbered key = {.pid = of->pid, .tid = of->tid};
	struct numbered *row =
		table_row(&numbering->table, TABLE_ROWS(numbering->rows, numbering->n, tid), &key);
	if (!row)
		return -ENOMEM;
	const bool is_new = row->global == 0;
	if (is_new)
		row->global = source->member->global | take_number(numbering, of->tid);
	source->threads[thread] = row->global;
	const struct text name = strings_get(&source->file.trace.strings, of->name);
	if (!is_new || name.bytes == 0)
		return 0;
	nsys_row(t, NSYS_TABLE_THREAD);
	nsys_put(t, THREAD_nameId, nsys_string(t, name));
	nsys_put(t, THREAD_globalTid, row->global);
	nsys_row_end(t);
	return 0;
}

static int number_threads(struct nsys_source *source)
{
	struct numbering numbering = {.taken = calloc(TIDS / 8, 1), .unused = TIDS - 1};
	int error = 0;
	source->threads = calloc(source->file.trace.n_threads, sizeof(*source->threads));
	if (!source->threads || !numbering.taken)
		error = -ENOMEM;
	else if (!source->out->alone) /* the process has to be said at least: its thread 0 */
		source->threads[0] = source->member->global;
	for (uint32_t i = 1; i < source->file.trace.n_threads && !error; i++)
		error = number_thread(source, &numbering, i);
	free(numbering.taken);
	free(numbering.rows);
	table_free(&numbering.table);
	return error;
}

/* ---- all of it ---- */

static int write_rows(struct nsys_source *source, enum baton_kind kind,
					  void (*write)(struct nsys_source *, const struct rows *))
{
	struct rows rows;
	int error = rows_open(&rows, &source->file.trace, kind);
	if (error)
		return error;
	while (!source->out->tables.error && stats_next(&source->file, &rows))
		write(source, &rows);
	error = source->out->tables.error;
	if (!error && rows.error == -ENOMEM)
		error = rows.error;
	if (!error && rows.error) {
		diag("%s: %s", source->file.trace.path, strerror(-rows.error));
		source->out->partial = true;
	}
	rows_close(&rows);
	return error;
}

/* Those whose priority is known. */
static void write_streams(const struct nsys_source *source)
{
	struct nsys_tables *t = &source->out->tables;
	for (uint32_t s = 1; s < source->file.trace.n_streams; s++) {
		const struct trace_stream *stream = &source->file.trace.streams[s];
		if (!stream->has_priority)
			continue;
		nsys_row(t, NSYS_TABLE_STREAM);
		nsys_put(t, STREAM_streamId, stream->stream);
		nsys_put(t, STREAM_hwId, 0);
		nsys_put(t, STREAM_vmId, source->member->machine >> 48);
		nsys_put(t, STREAM_processId, source->member->process->pid);
		nsys_put(t, STREAM_contextId, stream->context);
		nsys_put(t, STREAM_priority, stream->priority);
		nsys_put(t, STREAM_flag, stream->kind);
		nsys_row_end(t);
	}
}

static int write_all(struct nsys_source *source)
{
	static const struct {
		enum baton_kind kind;
		void (*write)(struct nsys_source *, const struct rows *);
	} kinds[] = {{BATON_OP, nsys_write_op},
				 {BATON_CALL, nsys_write_call},
				 {BATON_RANGE, nsys_write_range},
				 {BATON_SYNC, nsys_write_sync},
				 {BATON_OVERHEAD, nsys_write_overhead}};
	write_streams(source);
	source->names = calloc(source->file.trace.strings.n, sizeof(*source->names));
	source->stacks_used = calloc(source->stacks.n_stacks + 1, sizeof(*source->stacks_used));
	source->inputs = calloc(source->file.trace.n_inputs, sizeof(*source->inputs));
	int error =
		source->names && source->stacks_used && source->inputs ? number_threads(source) : -ENOMEM;
	if (!error)
		error = nsys_payloads_gather(source);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !error; i++)
		error = write_rows(source, kinds[i].kind, kinds[i].write);
	if (!error)
		nsys_payloads_write(source);
	if (!error)
		error = nsys_write_chains(source);
	nsys_payloads_free(source);
	free(source->names);
	free(source->inputs);
	free(source->stacks_used);
	free(source->threads);
	return error;
}

int nsys_source_write(struct nsys_out *out, const struct nsys_member *member,
					  struct stats_run *rows)
{
	struct nsys_source source = {
		.out = out, .member = member, .correlations_to = out->correlations_from};
	const size_t process = (size_t)(member->process - rows->run->processes);
	int error = stats_file_open(rows, process, &source.file);
	if (error == -ENOMEM)
		return error;
	if (error) {
		diag("%s: %s", member->process->path, strerror(error == -EBADMSG ? EIO : -error));
		out->partial = true;
		return 0;
	}
	error = stacks_open(&source.stacks, &source.file.trace, out->symbols);
	error = error ? error : write_all(&source);
	stacks_close(&source.stacks);
	out->partial = out->partial || source.file.trace.damage > 0;
	out->correlations_from = source.correlations_to;
	stats_file_close(&source.file);
	return error;
}

#include "stats/events.h"

#include "base/diag.h"
#include "base/progress.h"
#include "base/rank_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 4096 };

/* ---- names ---- */

uint32_t stats_text(struct stats_file *file, const char *text)
{
	uint32_t name;
	return strings_add(&file->run->pool, text, strlen(text), &name, NULL) == 0 ? name : 0;
}

/* The pool's id of a string of the file; looked up once. An empty one is "(unnamed)": id 0 means no
 * memory. */
static uint32_t pooled(struct stats_file *file, uint32_t string)
{
	uint32_t *id = &file->pooled[string < file->trace.strings.n ? string : 0];
	if (!*id) {
		const struct text text = strings_get(&file->trace.strings, string);
		if (text.bytes == 0)
			*id = stats_text(file, "(unnamed)");
		else if (strings_add(&file->run->pool, text.at, text.bytes, id, NULL) != 0)
			*id = 0;
	}
	return *id;
}

static uint32_t string_of(const struct stats_file *file, const struct rows *rows, unsigned column)
{
	return idmap_get(&file->trace.string_ids, (uint64_t)rows_optional(rows, column, 0));
}

/* Copies by the words of nsys where the source does not say them. */
static const char *copy_words(int64_t direction)
{
	static const char *const words[] = {
		"[CUDA memcpy Unknown]",        "[CUDA memcpy Host-to-Device]",
		"[CUDA memcpy Device-to-Host]", "[CUDA memcpy Device-to-Device]",
		"[CUDA memcpy Host-to-Host]",   "[CUDA memcpy Peer-to-Peer]"};
	return words[direction >= 0 && direction < 6 ? direction : 0];
}

uint32_t stats_op_name(struct stats_file *file, const struct rows *op)
{
	const int64_t kind = rows_value(op, OP_KIND);
	const uint32_t string = string_of(file, op, OP_NAME);
	const bool is_copy = kind == BATON_MEMCPY || kind == BATON_MEMSET;
	if (!is_copy || strncmp(strings_get(&file->trace.strings, string).at, "[CUDA ", 6) == 0)
		return pooled(file, string);
	return stats_text(file, kind == BATON_MEMSET ? "[CUDA memset]"
												 : copy_words(rows_optional(op, OP_COPY_DIR, 0)));
}

/* nsys leaves out a version of four digits: cudaLaunchKernel_v7000. */
uint32_t stats_call_name(struct stats_file *file, const struct rows *call)
{
	char name[NAME_BYTES];
	const uint32_t string = string_of(file, call, CALL_NAME);
	const struct text text = strings_get(&file->trace.strings, string);
	if (text.bytes < 6 || text.bytes >= sizeof(name) ||
		strncmp(text.at + text.bytes - 6, "_v", 2) != 0 ||
		strspn(text.at + text.bytes - 4, "0123456789") != 4)
		return pooled(file, string);
	snprintf(name, sizeof(name), "%.*s", (int)text.bytes - 6, text.at);
	return stats_text(file, name);
}

uint32_t stats_range_name(struct stats_file *file, const struct rows *range)
{
	char name[NAME_BYTES];
	const uint32_t string = string_of(file, range, RANGE_NAME);
	const struct text domain =
		strings_get(&file->trace.strings, string_of(file, range, RANGE_DOMAIN));
	if (domain.bytes == 0)
		return pooled(file, string);
	snprintf(name, sizeof(name), "%s:%s", domain.at, strings_get(&file->trace.strings, string).at);
	return stats_text(file, name);
}

/* ---- files ---- */

int stats_run_open(struct stats_run *run, struct run *of)
{
	*run = (struct stats_run){.run = of, .begin_ns = INT64_MAX};
	return strings_init(&run->pool);
}

void stats_run_close(struct stats_run *run)
{
	strings_free(&run->pool);
}

static void note_begin(struct stats_file *file)
{
	const struct baton_reader *reader = &file->trace.reader;
	for (size_t i = 0; i < reader->n_entries; i++) {
		const struct baton_entry *block = &reader->entries[i];
		if (block->kind >= BATON_OP && block->kind <= BATON_RANGE && block->rows > 0 &&
			block->t_min_ns < file->run->begin_ns)
			file->run->begin_ns = block->t_min_ns;
	}
}

void stats_find_begin(struct stats_run *run)
{
	for (size_t i = 0; i < run->run->n_processes; i++) {
		struct stats_file file = {.run = run, .process = &run->run->processes[i]};
		if (run_process_open(file.process, &file.trace, NULL) != 0)
			continue; /* stats_each() says so */
		note_begin(&file);
		trace_close(&file.trace);
	}
}

bool stats_process_counts(const struct stats_run *run, size_t process)
{
	const struct stats_part *part = &run->part;
	bool counts = rank_list_has(part->ranks, run->run->processes[process].rank);
	if (!counts || !part->devices)
		return counts;
	counts = false;
	for (size_t i = 0; i < run->run->n_devices && !counts; i++) {
		const struct run_device *device = &run->run->devices[i];
		for (uint32_t k = 0; part->devices[i] && k < device->n_processes && !counts; k++)
			counts = device->processes[k] == process;
	}
	return counts;
}

/* Marks the file's devices that are wanted. */
static void mark_devices(struct stats_file *file)
{
	const struct run *run = file->run->run;
	for (size_t i = 0; i < run->n_devices; i++)
		if (file->run->part.devices[i])
			file->devices[run_device_find(&file->trace,
										  strings_get(&run->pool, run->devices[i].key).at)] = true;
	file->devices[0] = false; /* rows without a device */
}

int stats_file_open(struct stats_run *run, size_t process, struct stats_file *file)
{
	*file = (struct stats_file){.run = run, .process = &run->run->processes[process]};
	int error = run_process_open(file->process, &file->trace, run->run->damage);
	if (error)
		return error;
	note_begin(file);
	file->pooled = calloc(file->trace.strings.n, sizeof(*file->pooled));
	if (run->part.devices)
		file->devices = calloc(file->trace.n_devices + 1, sizeof(*file->devices));
	if (!file->pooled || (run->part.devices && !file->devices)) {
		stats_file_close(file);
		return -ENOMEM;
	}
	if (file->devices)
		mark_devices(file);
	return 0;
}

void stats_file_close(struct stats_file *file)
{
	if (file->trace.damage > 0)
		file->run->status = STATUS_PARTIAL;
	free(file->pooled);
	free(file->devices);
	trace_close(&file->trace);
}

bool stats_row_counts(const struct stats_file *file, const struct rows *rows)
{
	const struct stats_part *part = &file->run->part;
	const size_t process = (size_t)(file->process - file->run->run->processes);
	const int64_t start = rows_value(rows, ROW_START);
	const int column = file->devices ? rows_stream_column(rows->table->kind) : -1;
	if (part->from_ns && (start < part->from_ns[process] || start >= part->to_ns[process]))
		return false;
	if (column < 0)
		return true;
	const uint32_t stream =
		idmap_get(&file->trace.stream_ids, (uint64_t)rows_optional(rows, (unsigned)column, 0));
	return file->devices[file->trace.streams[stream].device] ||
		   (!stream && rows->table->kind != BATON_OP);
}

bool stats_next(const struct stats_file *file, struct rows *rows)
{
	while (rows_next(rows))
		if (stats_row_counts(file, rows))
			return true;
	return false;
}

int stats_each(struct stats_run *run, stats_visit *visit, void *context)
{
	int result = 0;
	progress_begin("tables", NULL, run_bytes(run->run));
	for (size_t i = 0; i < run->run->n_processes && result == 0; i++) {
		struct stats_file file;
		if (!stats_process_counts(run, i))
			continue;
		const int error = stats_file_open(run, i, &file);
		if (error == -ENOMEM) {
			result = error;
		} else if (error) {
			diag("%s: %s", run->run->processes[i].path, strerror(error == -EBADMSG ? EIO : -error));
			run->status = STATUS_PARTIAL;
		} else {
			result = visit(&file, context);
			stats_file_close(&file);
		}
	}
	progress_end();
	return result;
}

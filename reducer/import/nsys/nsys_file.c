#include "import/nsys/nsys_file.h"

#include "import/importer.h"

#include <baton/writer.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void nsys_refuse(struct nsys_file *file, enum nsys_refusal why)
{
	file->refused[why]++;
}

void nsys_refuse_rest(struct nsys_file *file, struct nsys_scan *scan, enum nsys_refusal why)
{
	while (nsys_scan_next(scan))
		nsys_refuse(file, why);
}

void nsys_fail(struct nsys_file *file, int error)
{
	if (!file->error)
		file->error = error;
	file->db.stop = file->error != 0;
}

static int64_t process_bits(int64_t global)
{
	return global & ~(int64_t)0xffffff;
}

static int64_t pid_of(int64_t global)
{
	return global >> 24 & 0xffffff;
}

/* Few processes hold as many rows as they like, many share that memory. */
static uint32_t rows_of_each(size_t processes)
{
	enum { ALONE = 4, LEAST_ROWS = 512 };
	const size_t share = ALONE * (size_t)BATON_RUN_ROWS / processes;
	if (processes <= ALONE)
		return BATON_RUN_ROWS;
	return share > LEAST_ROWS ? (uint32_t)share : LEAST_ROWS;
}

static void share_memory(struct nsys_file *file)
{
	const size_t n = file->n_processes;
	const uint32_t rows = rows_of_each(n);
	const bool all = n > 1 && rows != rows_of_each(n - 1);
	for (size_t i = all ? 0 : n - 1; i < n; i++)
		trace_out_limit(file->processes[i].at->out, rows);
}

static bool is_file_limit(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

static struct nsys_process *new_process(struct nsys_file *file, int64_t global)
{
	if (file->n_processes == NSYS_PROCESSES || file->no_more) {
		nsys_refuse(file, file->no_more ? NSYS_TOO_MANY_FILES : NSYS_TOO_MANY);
		return NULL;
	}
	struct nsys_process *process = calloc(1, sizeof(*process));
	int error = process ? trace_out_open(file->run->out_dir, false, &process->out) : -ENOMEM;
	file->no_more = is_file_limit(error) && file->n_processes > 0;
	if (file->no_more) {
		nsys_refuse(file, NSYS_TOO_MANY_FILES);
		free(process);
		return NULL;
	}
	const struct nsys_place key = {.global = global};
	struct nsys_place *place = NULL;
	if (!error)
		place =
			table_row(&file->places, TABLE_ROWS(file->processes, file->n_processes, global), &key);
	if (!place) {
		if (process && process->out)
			trace_out_abort(process->out);
		free(process);
		nsys_fail(file, error ? error : -ENOMEM);
		return NULL;
	}
	place->at = process;
	process->global = global;
	process->pid = pid_of(global);
	process->last_ns = INT64_MIN;
	file->last = file->n_processes - 1;
	share_memory(file);
	/* they have no row in their process before they do something */
	nsys_names_put(&file->names, file->single ? NULL : &process->global, process->out);
	return process;
}

void nsys_processes_free(struct nsys_file *file)
{
	for (size_t i = 0; i < file->n_processes; i++)
		free(file->processes[i].at);
	free(file->processes);
	table_free(&file->places);
	file->processes = NULL;
	file->n_processes = 0;
}

struct nsys_process *nsys_process_of(struct nsys_file *file, const struct nsys_scan *scan,
									 unsigned field)
{
	int64_t global = 0;
	bool said = nsys_int(scan, field, &global);
	bool only = file->single || (!said && !file->open && file->n_processes == 1);
	global = file->single ? 0 : process_bits(global);
	if (file->error)
		return NULL;
	if (only && file->n_processes > 0)
		return file->processes[0].at;
	if (!said && !file->single) {
		nsys_refuse(file, NSYS_NO_PROCESS);
		return NULL;
	}
	if (file->n_processes > 0 && file->processes[file->last].global == global)
		return file->processes[file->last].at;
	const struct nsys_place key = {.global = global};
	const uint32_t row =
		table_find(&file->places, file->processes, TABLE_SHAPE(struct nsys_place, global), &key);
	if (!row)
		return file->open ? new_process(file, global) : NULL;
	file->last = row - 1;
	return file->processes[file->last].at;
}

const struct nsys_process *nsys_process_on(const struct nsys_file *file, int64_t machine,
										   int64_t pid)
{
	const struct nsys_place key = {
		.global = (int64_t)((uint64_t)machine << 48 | ((uint64_t)pid & 0xffffff) << 24)};
	const uint32_t row =
		table_find(&file->places, file->processes, TABLE_SHAPE(struct nsys_place, global), &key);
	return row ? file->processes[row - 1].at : NULL;
}

uint32_t nsys_thread_of(struct nsys_process *process, const struct nsys_scan *scan, unsigned field)
{
	int64_t global;
	if (!nsys_int(scan, field, &global))
		return 0;
	if (process->pid == 0) /* a lone process: only its threads say it */
		process->pid = pid_of(global);
	return trace_out_thread(process->out, pid_of(global), global & 0xffffff, 0);
}

static uint32_t device_id(struct nsys_process *process, int32_t ordinal, const struct nsys_gpu *gpu)
{
	struct baton_r_device record = {.ordinal = ordinal};
	record.name = trace_out_text(process->out, gpu->name);
	record.uuid = trace_out_text(process->out, gpu->uuid);
	record.memory_bytes = gpu->memory_bytes > 0 ? (uint64_t)gpu->memory_bytes : 0;
	if (gpu->sm_count > 0 && gpu->sm_count <= UINT32_MAX)
		record.sm_count = (uint32_t)gpu->sm_count;
	return trace_out_device(process->out, &record);
}

uint32_t nsys_device_id(struct nsys_file *file, struct nsys_process *process, int64_t ordinal)
{
	for (uint32_t i = 0; i < process->n_devices; i++)
		if (process->devices[i].ordinal == ordinal)
			return process->devices[i].id;
	const struct nsys_gpu gpu = nsys_target_gpu(&file->target, process->pid, ordinal);
	return ordinal >= 0 && ordinal <= INT32_MAX ? device_id(process, (int32_t)ordinal, &gpu) : 0;
}

struct nsys_device *nsys_device_of(struct nsys_file *file, struct nsys_process *process,
								   int64_t ordinal)
{
	for (uint32_t i = 0; i < process->n_devices; i++)
		if (process->devices[i].ordinal == ordinal)
			return &process->devices[i];
	if (process->n_devices == NSYS_PROCESS_DEVICES || ordinal < INT32_MIN || ordinal > INT32_MAX) {
		nsys_refuse(file, NSYS_TOO_MANY);
		return NULL;
	}
	struct nsys_gpu gpu = nsys_target_gpu(&file->target, process->pid, ordinal);
	struct nsys_device *device = &process->devices[process->n_devices++];
	*device = (struct nsys_device){.ordinal = ordinal, .gpu = gpu.id, .named = gpu.uuid[0] != '\0'};
	device->id = device_id(process, (int32_t)ordinal, &gpu);
	return device;
}

void nsys_add_row(struct nsys_file *file, struct nsys_process *process, enum baton_kind kind,
				  int64_t start_ns, int64_t end_ns, int64_t row[BATON_MAX_COLUMNS],
				  uint32_t present)
{
	int64_t dur_ns;
	if (__builtin_sub_overflow(end_ns, start_ns, &dur_ns) ||
		__builtin_add_overflow(start_ns, file->target.utc_ns, &row[ROW_START]))
		dur_ns = -1; /* refused and counted there */
	row[ROW_DUR] = dur_ns;
	if (dur_ns >= 0 && end_ns > process->last_ns)
		process->last_ns = end_ns;
	trace_out_row(process->out, kind, row, present);
	nsys_fail(file, trace_out_error(process->out));
}

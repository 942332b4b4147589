/* The importer of nsys SQLite exports: splits one export into a trace file for each process. Tables
 * are stepped through in the order of the file, device work first: it decides which processes there
 * are. Memory is bounded by the writers' buffers of each process. One thread. */
#include "import/importer.h"

#include "base/diag.h"
#include "import/nsys_file.h"
#include "import/nsys_nccl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int recognise(const unsigned char *head, size_t bytes)
{
	static const char magic[16] = "SQLite format 3";
	return bytes >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

/* ---- processes, threads, devices, rows ---- */

void nsys_refuse(struct nsys_file *file, enum nsys_refusal why)
{
	file->refused[why]++;
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

/* Threads have no row in their process before they do something; names come first. */
static void name_threads(struct nsys_file *file, struct nsys_process *process)
{
	static const struct nsys_table table = {
		.name = "ThreadNames",
		.fields = {{.column = "globalTid"}, {"nameId", NSYS_STRING}},
		.tail = "LIMIT 65536",
	};
	struct nsys_scan scan;
	nsys_scan_open(&scan, &file->db, &table);
	while (nsys_scan_next(&scan)) {
		size_t bytes = 0;
		int64_t global;
		const char *name = nsys_text(&scan, 1, &bytes);
		if (name && nsys_int(&scan, 0, &global) &&
			(file->single || process_bits(global) == process->global))
			trace_out_thread(process->out, pid_of(global), global & 0xffffff,
							 trace_out_string(process->out, name, bytes));
	}
}

static struct nsys_process *new_process(struct nsys_file *file, int64_t global)
{
	if (file->n_processes == NSYS_PROCESSES) {
		nsys_refuse(file, NSYS_TOO_MANY);
		return NULL;
	}
	struct nsys_process *process = &file->processes[file->n_processes];
	int error = trace_out_open(file->run->out_dir, &process->out);
	if (error) {
		nsys_fail(file, error);
		return NULL;
	}
	process->global = global;
	process->pid = pid_of(global);
	process->last_ns = INT64_MIN;
	file->n_processes++;
	name_threads(file, process);
	return process;
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
		return &file->processes[0];
	if (!said && !file->single) {
		nsys_refuse(file, NSYS_NO_PROCESS);
		return NULL;
	}
	for (uint32_t i = 0; i < file->n_processes; i++)
		if (file->processes[i].global == global)
			return &file->processes[i];
	return file->open ? new_process(file, global) : NULL;
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
	struct baton_r_device record = {.ordinal = (int32_t)ordinal};
	record.name = trace_out_text(process->out, gpu.name);
	record.uuid = trace_out_text(process->out, gpu.uuid);
	record.memory_bytes = gpu.memory_bytes > 0 ? (uint64_t)gpu.memory_bytes : 0;
	record.sm_count = gpu.sm_count > 0 && gpu.sm_count <= UINT32_MAX ? (uint32_t)gpu.sm_count : 0;
	struct nsys_device *device = &process->devices[process->n_devices++];
	*device = (struct nsys_device){.ordinal = ordinal, .gpu = gpu.id, .named = gpu.uuid[0] != '\0'};
	device->id = trace_out_device(process->out, &record);
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

/* ---- reading ---- */

static bool any_row(struct nsys_file *file, const char *table_name, const char *tail)
{
	struct nsys_table table = {
		.name = table_name, .fields = {{.column = "globalPid"}}, .tail = tail};
	struct nsys_scan scan;
	nsys_scan_open(&scan, &file->db, &table);
	bool found = nsys_scan_next(&scan);
	nsys_scan_close(&scan);
	return found;
}

/* There is device work and none of it says its process (exports before 2021): all is of one. */
static bool is_single(struct nsys_file *file)
{
	static const char *const names[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
										"CUPTI_ACTIVITY_KIND_MEMSET",
										"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};
	bool any = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (any_row(file, names[i], "WHERE f0 IS NOT NULL LIMIT 1"))
			return false;
		any |= any_row(file, names[i], "LIMIT 1");
	}
	return any;
}

static void read_tables(struct nsys_file *file)
{
	nsys_target_load(&file->target, &file->db);
	file->single = is_single(file);
	file->nccl = nsys_nccl_new(file);
	file->open = true;
	nsys_read_ops(file);
	/* Calls of processes without device work are left out, unless none has any. */
	file->open = file->n_processes == 0;
	nsys_read_calls(file);
	file->open = file->n_processes == 0;
	nsys_read_ranges(file);
	file->open = false;
	nsys_read_syncs(file);
	nsys_read_overhead(file);
	nsys_nccl_finish(file->nccl, file);
	nsys_nccl_free(file->nccl);
	file->nccl = NULL;
}

/* ---- the end ---- */

/* Number of the GPU on which the process did most. */
static int64_t main_gpu(const struct nsys_process *process)
{
	const struct nsys_device *best = NULL;
	for (uint32_t i = 0; i < process->n_devices; i++)
		if (!best || process->devices[i].ops > best->ops)
			best = &process->devices[i];
	return best ? best->gpu : INT64_MAX;
}

static int by_gpu(const void *a, const void *b)
{
	const struct nsys_process *x = *(const struct nsys_process *const *)a;
	const struct nsys_process *y = *(const struct nsys_process *const *)b;
	int64_t gpu_x = main_gpu(x), gpu_y = main_gpu(y);
	if (gpu_x != gpu_y)
		return gpu_x < gpu_y ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* nsys does not know ranks. The environment it ran in tells that of a lone process; several are
 * numbered. */
static int32_t rank_of(const struct nsys_file *file, uint32_t place)
{
	if (file->n_processes > 1)
		return (int32_t)place;
	return file->run->force_rank >= 0 ? file->run->force_rank : file->target.rank;
}

static int close_process(struct nsys_file *file, struct nsys_process *process, uint32_t place)
{
	struct import_run *run = file->run;
	bool several = file->n_processes > 1;
	struct trace_identity identity = {
		.pid = process->pid,
		.rank = rank_of(file, place),
		.world_size = several ? (int32_t)file->n_processes : -1,
		.local_rank = several ? (int32_t)place : -1,
		.host = file->target.host,
		.source = "nsys",
		.source_version = file->target.version[0] ? file->target.version : NULL,
		.run_id = run->run_id,
	};
	uint64_t rows = 0;
	for (int kind = BATON_OP; kind < BATON_KINDS_END; kind++)
		rows += trace_out_rows(process->out, (enum baton_kind)kind);
	if (file->target.utc_ns) /* the rows are on this clock already */
		trace_out_clock(process->out, file->target.utc_ns, file->target.utc_ns);
	trace_out_loss(process->out, BATON_LOSS_TRUNCATED, "tables that end early",
				   file->db.damaged_tables);
	struct trace_out *out = process->out;
	process->out = NULL;
	int error = trace_out_close(out, &identity);
	if (!error) {
		run->rows += rows;
		run->files_out++;
	}
	return error;
}

/* Where the export has no uuid, a device is its ordinal on the host: exports of several processes
 * of one host, each with its device 0, must not become one device. Inside an export an ordinal is
 * one. */
static int take_seats(struct nsys_file *file)
{
	int32_t ordinals[NSYS_PROCESSES * 4];
	struct import_claim claim = {.ordinals = ordinals,
								 .rank = file->n_processes == 1 ? rank_of(file, 0) : -1,
								 .world_size =
									 file->n_processes > 1 ? (int32_t)file->n_processes : -1,
								 .t_min_ns = INT64_MAX,
								 .t_max_ns = INT64_MIN};
	for (uint32_t i = 0; i < file->n_processes; i++) {
		const struct nsys_process *process = &file->processes[i];
		int64_t first_ns, last_ns;
		trace_out_hull(process->out, &first_ns, &last_ns);
		claim.t_min_ns = first_ns < claim.t_min_ns ? first_ns : claim.t_min_ns;
		claim.t_max_ns = last_ns > claim.t_max_ns ? last_ns : claim.t_max_ns;
		for (uint32_t k = 0; k < process->n_devices; k++)
			if (!process->devices[k].named && claim.n < sizeof(ordinals) / sizeof(ordinals[0]))
				ordinals[claim.n++] = (int32_t)process->devices[k].ordinal;
	}
	return claim.n > 0 ? import_take_seats(file->run, file->target.host, &claim) : 0;
}

/* Closes the files in order of rank; after an error the rest is given up. */
static enum status close_all(struct nsys_file *file)
{
	struct nsys_process *order[NSYS_PROCESSES];
	for (uint32_t i = 0; i < file->n_processes; i++)
		order[i] = &file->processes[i];
	if (file->n_processes > 1)
		qsort(order, file->n_processes, sizeof(order[0]), by_gpu);
	if (file->n_processes > 1 && file->run->force_rank >= 0)
		diag("%s: holds %u processes: the rank given for it is not used", file->db.path,
			 file->n_processes);
	if (!file->error)
		file->error = take_seats(file);
	for (uint32_t i = 0; i < file->n_processes && !file->error; i++)
		file->error = close_process(file, order[i], i);
	for (uint32_t i = 0; i < file->n_processes; i++)
		if (file->processes[i].out)
			trace_out_abort(file->processes[i].out);
	if (!file->error)
		return STATUS_OK;
	diag("%s: writing to %s: %s", file->db.path, file->run->out_dir, strerror(-file->error));
	return STATUS_OUTPUT;
}

/* Counts and says what could not be used; true when there was any. */
static bool say_refused(struct nsys_file *file)
{
	static const char *const reasons[NSYS_REFUSALS] = {
		[NSYS_NO_PROCESS] = "do not say their process",
		[NSYS_NO_TIME] = "have no start or no end",
		[NSYS_NO_DEVICE] = "do not say their device",
		[NSYS_NO_KIND] = "are of an unknown kind",
		[NSYS_TOO_MANY] = "are of a process or device beyond the 64th",
	};
	uint64_t times = 0, all = 0;
	for (uint32_t i = 0; i < file->n_processes; i++) {
		trace_out_settle(file->processes[i].out);
		times += trace_out_refused(file->processes[i].out);
	}
	for (int why = 0; why < NSYS_REFUSALS; why++) {
		if (file->refused[why])
			diag("%s: %" PRIu64 " rows %s: left out", file->db.path, file->refused[why],
				 reasons[why]);
		all += file->refused[why];
	}
	if (times)
		diag("%s: %" PRIu64 " rows have impossible times: left out", file->db.path, times);
	file->run->refused += all + times;
	return all + times > 0;
}

static uint64_t rows_accepted(const struct nsys_file *file)
{
	uint64_t rows = 0;
	for (uint32_t i = 0; i < file->n_processes; i++)
		for (int kind = BATON_OP; kind < BATON_KINDS_END; kind++)
			rows += trace_out_rows(file->processes[i].out, (enum baton_kind)kind);
	return rows;
}

static enum status finish(struct nsys_file *file)
{
	bool refused = say_refused(file);
	if (!file->error && rows_accepted(file) == 0) {
		for (uint32_t i = 0; i < file->n_processes; i++)
			trace_out_abort(file->processes[i].out);
		file->n_processes = 0;
		diag("%s: no device work, CUDA calls or NVTX ranges in it", file->db.path);
		return STATUS_INPUT;
	}
	enum status status = close_all(file);
	return status == STATUS_OK && (refused || file->db.damaged) ? STATUS_PARTIAL : status;
}

static int import_file(const char *path, struct import_run *run)
{
	struct nsys_file *file = calloc(1, sizeof(*file));
	enum status status = STATUS_INPUT;
	if (!file) {
		diag("%s: %s", path, strerror(ENOMEM));
		return STATUS_OUTPUT;
	}
	file->run = run;
	if (nsys_db_open(&file->db, path) != 0)
		goto close_db;
	run->bytes_in += file->db.bytes;
	const char *refusal = nsys_db_refusal(&file->db);
	if (refusal) {
		diag("%s: %s", path, refusal);
		goto close_db;
	}
	read_tables(file);
	progress_done();
	status = finish(file);
close_db:
	nsys_db_close(&file->db);
	free(file);
	return (int)status;
}

const struct importer importer_nsys = {
	.name = "nsys",
	.recognise = recognise,
	.import_file = import_file,
};

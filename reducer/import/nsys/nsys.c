/* The importer of nsys SQLite exports: splits one export into a trace file for each process. The
 * tables are read in the order of the file, device work first, because that decides which processes
 * there are. Memory is bounded by the writers' buffers of the processes. One thread. */
#include "import/importer.h"

#include "base/diag.h"
#include "base/progress.h"
#include "base/sort.h"
#include "import/nsys/nsys_chains.h"
#include "import/nsys/nsys_cuda.h"
#include "import/nsys/nsys_file.h"
#include "import/nsys/nsys_nccl.h"
#include "import/nsys/nsys_nvtx.h"

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
	nsys_fail(file, nsys_target_load(&file->target, &file->db));
	nsys_fail(file, nsys_names_load(&file->names, &file->db));
	file->single = is_single(file);
	file->nccl = nsys_nccl_new(file);
	file->open = true;
	nsys_read_ops(file);
	/* Calls of processes without device work are left out, unless none has any. */
	file->open = file->n_processes == 0;
	file->chains = nsys_chains_new(file);
	nsys_read_calls(file);
	nsys_chains_free(file->chains);
	file->chains = NULL;
	file->open = file->n_processes == 0;
	nsys_read_ranges(file);
	file->open = false;
	nsys_read_syncs(file);
	nsys_read_overhead(file);
	nsys_read_streams(file);
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
static int take_devices(struct nsys_file *file)
{
	int32_t *ordinals = calloc(file->n_processes, NSYS_PROCESS_DEVICES * sizeof(*ordinals));
	struct import_claim claim = {.ordinals = ordinals,
								 .rank = file->n_processes == 1 ? rank_of(file, 0) : -1,
								 .world_size =
									 file->n_processes > 1 ? (int32_t)file->n_processes : -1,
								 .t_min_ns = INT64_MAX,
								 .t_max_ns = INT64_MIN};
	for (size_t i = 0; i < file->n_processes && ordinals; i++) {
		const struct nsys_process *process = file->processes[i].at;
		int64_t first_ns, last_ns;
		trace_out_hull(process->out, &first_ns, &last_ns);
		claim.t_min_ns = first_ns < claim.t_min_ns ? first_ns : claim.t_min_ns;
		claim.t_max_ns = last_ns > claim.t_max_ns ? last_ns : claim.t_max_ns;
		for (uint32_t k = 0; k < process->n_devices; k++)
			if (!process->devices[k].named)
				ordinals[claim.n++] = (int32_t)process->devices[k].ordinal;
	}
	int error = ordinals ? 0 : -ENOMEM;
	if (claim.n > 0)
		error = import_take_devices(file->run, file->target.host, &claim);
	free(ordinals);
	return error;
}

/* Closes the files in order of rank; after an error the rest is given up. */
static enum status close_all(struct nsys_file *file)
{
	struct nsys_process **order = calloc(file->n_processes + 1, sizeof(*order));
	if (!order)
		nsys_fail(file, -ENOMEM);
	for (size_t i = 0; i < file->n_processes && order; i++)
		order[i] = file->processes[i].at;
	if (order)
		sort_rows(order, file->n_processes, sizeof(order[0]), by_gpu);
	if (file->n_processes > 1 && file->run->force_rank >= 0)
		diag("%s: holds %zu processes: the rank given for it is not used", file->db.path,
			 file->n_processes);
	if (!file->error)
		file->error = take_devices(file);
	for (size_t i = 0; i < file->n_processes && !file->error; i++)
		file->error = close_process(file, order[i], (uint32_t)i);
	free(order);
	for (size_t i = 0; i < file->n_processes; i++)
		if (file->processes[i].at->out)
			trace_out_abort(file->processes[i].at->out);
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
		[NSYS_TOO_MANY] = "are of a process beyond the 4,096th, or a device beyond its 64th",
		[NSYS_TOO_MANY_FILES] = "are of processes for which no file can be opened (ulimit -n)",
		[NSYS_TOO_MANY_GPUS] = "describe GPUs beyond the first 65,536",
		[NSYS_TOO_MANY_FRAMES] = "are frames of call stacks beyond the first 8,388,608",
		[NSYS_TOO_DEEP] = "are frames of call stacks beyond their innermost 256",
		[NSYS_TOO_MANY_NCCL] = "would be arguments of NCCL kernels beyond the first 1,048,576",
		[NSYS_TOO_MANY_DOMAINS] = "name NVTX domains beyond the first 1,024",
		[NSYS_TOO_MANY_USAGES] = "are allocations beyond the first 1,048,576",
	};
	uint64_t times = 0, all = 0;
	for (size_t i = 0; i < file->n_processes; i++) {
		trace_out_settle(file->processes[i].at->out);
		times += trace_out_refused(file->processes[i].at->out);
	}
	file->refused[NSYS_TOO_MANY_GPUS] += file->target.left_out;
	for (int why = 0; why < NSYS_REFUSALS; why++) {
		if (file->refused[why])
			diag("%s: %" PRIu64 " row%s left out: they %s", file->db.path, file->refused[why],
				 file->refused[why] == 1 ? "" : "s", reasons[why]);
		all += file->refused[why];
	}
	if (times)
		diag("%s: %" PRIu64 " row%s left out: their times are impossible", file->db.path, times,
			 times == 1 ? "" : "s");
	file->run->refused += all + times;
	return all + times > 0;
}

static uint64_t rows_accepted(const struct nsys_file *file)
{
	uint64_t rows = 0;
	for (size_t i = 0; i < file->n_processes; i++)
		for (int kind = BATON_OP; kind < BATON_KINDS_END; kind++)
			rows += trace_out_rows(file->processes[i].at->out, (enum baton_kind)kind);
	return rows;
}

static enum status finish(struct nsys_file *file)
{
	bool refused = say_refused(file);
	if (!file->error && rows_accepted(file) == 0) {
		for (size_t i = 0; i < file->n_processes; i++)
			trace_out_abort(file->processes[i].at->out);
		diag("%s: no device work, CUDA calls or NVTX ranges in it", file->db.path);
		return STATUS_INPUT;
	}
	enum status status = close_all(file);
	return status == STATUS_OK && (refused || file->db.damaged) ? STATUS_PARTIAL : status;
}

static void progress_rows(struct nsys_file *file)
{
	char what[96];
	snprintf(what, sizeof(what), "import %s", file->db.path);
	progress_begin(what, "rows", nsys_db_expected_rows(&file->db));
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
	progress_rows(file);
	read_tables(file);
	status = finish(file);
close_db:
	nsys_db_close(&file->db);
	nsys_processes_free(file);
	nsys_names_free(&file->names);
	nsys_target_free(&file->target);
	free(file);
	return (int)status;
}

const struct importer importer_nsys = {
	.name = "nsys",
	.recognise = recognise,
	.import_file = import_file,
};

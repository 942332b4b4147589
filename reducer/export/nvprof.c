#include "export/nvprof.h"

#include "base/diag.h"
#include "base/room.h"
#include "classify/demangle.h"
#include "export/job.h"
#include "render/out_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 32 << 10 };

/* ---- names ---- */

static const char *readable(struct nvprof_out *to, struct stats_file *file, uint32_t name)
{
	if (!name || room_reach((void **)&to->shown, &to->shown_room, name, sizeof(*to->shown)) != 0)
		return NULL;
	if (!to->shown[name]) {
		char *text = malloc(NAME_BYTES);
		if (!text)
			return NULL;
		demangle(stats_name(to->rows, name), text, NAME_BYTES);
		to->shown[name] = stats_text(file, text);
		free(text);
	}
	return to->shown[name] ? stats_name(to->rows, to->shown[name]) : NULL;
}

/* The words of nvprof; the source may have those of another tool, or none. */
static const char *copy_words(const struct stats_file *file, const struct rows *op)
{
	static const char *const words[] = {"[CUDA memcpy Unknown]", "[CUDA memcpy HtoD]",
										"[CUDA memcpy DtoH]",    "[CUDA memcpy DtoD]",
										"[CUDA memcpy HtoH]",    "[CUDA memcpy PtoP]"};
	const int64_t direction = rows_optional(op, OP_COPY_DIR, 0);
	const struct text said =
		strings_get(&file->trace.strings,
					idmap_get(&file->trace.string_ids, (uint64_t)rows_value(op, OP_NAME)));
	const size_t n = strlen("[CUDA memcpy ?to?]");
	if (strncmp(said.at, "[Unified Memory Memcpy ", strlen("[Unified Memory Memcpy ")) == 0 ||
		(said.bytes == n && strncmp(said.at, "[CUDA memcpy ", strlen("[CUDA memcpy ")) == 0))
		return said.at;
	return words[direction >= 0 && direction < 6 ? direction : 0];
}

const char *nvprof_op_name(struct nvprof_out *to, struct stats_file *file, const struct rows *op)
{
	const int64_t kind = rows_value(op, OP_KIND);
	if (kind == BATON_MEMSET)
		return "[CUDA memset]";
	return kind == BATON_MEMCPY ? copy_words(file, op)
								: readable(to, file, stats_op_name(file, op));
}

const char *nvprof_call_name(struct nvprof_out *to, struct stats_file *file,
							 const struct rows *call)
{
	const uint32_t name = stats_call_name(file, call);
	return name ? stats_name(to->rows, name) : NULL;
}

/* ---- lines ---- */

void nvprof_remark(const struct nvprof_out *to, const struct stats_file *file, const char *text)
{
	if (file->process->pid > 0)
		fprintf(to->out, "==%" PRId64 "== %s\n", file->process->pid, text);
	else
		fprintf(to->out, "======== %s\n", text);
}

void nvprof_put_ms(int64_t ns, FILE *out)
{
	fprintf(out, "%" PRId64 ".%06" PRId64, ns / 1000000, ns % 1000000);
}

/* ---- the run ---- */

static int write_process(struct stats_file *file, void *context)
{
	struct nvprof_out *to = context;
	char text[96];
	snprintf(text, sizeof(text), "NVPROF is profiling process %" PRId64 ", command: rank %" PRId32,
			 file->process->pid, file->process->rank);
	nvprof_remark(to, file, text);
	return to->tables & NVPROF_SUMMARY ? nvprof_write_summary(to, file)
									   : nvprof_write_traces(to, file);
}

static bool is_alone(const struct run *run, size_t i)
{
	bool alone = run->processes[i].rank >= 0;
	for (size_t k = 0; k < run->n_processes && alone; k++)
		alone = k == i || run->processes[k].rank != run->processes[i].rank;
	return alone;
}

/* The process in a file of its own. */
static int write_file_of(struct stats_file *file, void *context)
{
	struct nvprof_out *to = context;
	const struct run *run = to->rows->run;
	const size_t i = (size_t)(file->process - run->processes);
	const struct export_member member = {file->process->rank, file->process->pid, i,
										 is_alone(run, i)};
	struct out_file out;
	char *name = export_member_name(&member, "csv");
	int error = name ? out_file_open(&out, to->dir, name) : -ENOMEM;
	if (!error) {
		to->out = out.out;
		error = write_process(file, to);
		error = out_file_close(&out, error);
	}
	free(name);
	return error;
}

/* Times count from the first event of all processes. */
static int write_run(struct nvprof_out *to)
{
	stats_find_begin(to->rows);
	const int error = stats_each(to->rows, to->dir ? write_file_of : write_process, to);
	free(to->shown);
	return error;
}

/* A directory is new or empty, or -f is given: then files of the same names are replaced. 0 or
 * -errno. */
static int make_dir(const struct export_job *job)
{
	int error = out_dir_make(job->output);
	DIR *dir = error || job->replace ? NULL : opendir(job->output);
	for (struct dirent *e; dir && !error && (e = readdir(dir));)
		error = strcmp(e->d_name, ".") && strcmp(e->d_name, "..") ? -ENOTEMPTY : 0;
	if (dir)
		closedir(dir);
	return error;
}

/* One file for all, or a directory. 0 or -errno. */
static int write_output(struct nvprof_out *to, const struct export_job *job)
{
	struct out_file file;
	int error;
	if (job->each_rank) {
		to->dir = job->output;
		error = make_dir(job);
		return error ? error : write_run(to);
	}
	error = out_file_open_path(&file, job->output);
	if (error)
		return error;
	to->out = file.out;
	error = write_run(to);
	return out_file_close(&file, error);
}

/* --print: 0 when it names no table. */
static unsigned tables_of(const char *print)
{
	static const struct {
		const char *name;
		unsigned tables;
	} known[] = {{"gpu-trace", NVPROF_GPU_TRACE},
				 {"api-trace", NVPROF_API_TRACE},
				 {"gpu-trace,api-trace", NVPROF_GPU_TRACE | NVPROF_API_TRACE},
				 {"summary", NVPROF_SUMMARY}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(print, known[i].name) == 0)
			return known[i].tables;
	return 0;
}

int nvprof_export(const struct export_job *job)
{
	struct nvprof_out to = {.tables = tables_of(job->print ? job->print : "gpu-trace"),
							.rows = job->rows};
	if (!to.tables) {
		diag("--print must be gpu-trace, api-trace, 'gpu-trace,api-trace' or summary, not '%s'",
			 job->print);
		return STATUS_USAGE;
	}
	if (!job->output || !*job->output) {
		diag("--format nvprof-csv needs -o: where to write it");
		return STATUS_USAGE;
	}
	if (!job->each_rank && !job->replace && access(job->output, F_OK) == 0) {
		diag("%s: is there already; -f replaces it", job->output);
		return STATUS_USAGE;
	}
	const int error = write_output(&to, job);
	if (error) {
		diag("%s: %s%s", job->output, strerror(-error),
			 error == -ENOTEMPTY ? "; -f replaces files of the same names" : "");
		return error == -ENOTEMPTY ? STATUS_USAGE : STATUS_OUTPUT;
	}
	return to.rows->status;
}

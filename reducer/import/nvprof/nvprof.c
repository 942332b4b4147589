/* The importer of what nvprof prints with --csv --print-gpu-trace and --print-api-trace. A file may
 * hold tables of several processes, lines of nvprof ("==PID== ...") and of the program. It is read
 * line by line; memory is bounded by the writers' buffers of the processes. One thread. */
#include "base/decimal.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/room.h"
#include "base/sort.h"
#include "import/importer.h"
#include "import/inflate.h"
#include "import/nvprof/nvprof_process.h"
#include "import/plausible.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2 << 20, PROCESSES_MOST = 256 };

enum state {
	STATE_NONE,  /* no table has begun */
	STATE_SKIP,  /* in a table that has no events */
	STATE_UNITS, /* after the names of the columns */
	STATE_ROWS
};

struct nvprof {
	const char *path;
	struct import_run *run;
	struct csv_lines lines;
	enum state state;
	struct nvprof_table table;
	int64_t pid;                    /* of the next table; 0: nothing says it */
	struct nvprof_process *process; /* of this table; NULL before its first row */
	struct nvprof_process *processes[PROCESSES_MOST];
	uint32_t n_processes;
	uint64_t refused[NVPROF_REFUSALS], first[NVPROF_REFUSALS]; /* rows, and the line of the first */
	uint64_t unread;
	/* Lines in a table that are no rows, and the first one: the program's, if no row follows. */
	uint64_t strange, first_strange;
	int error; /* -errno of the output */
	bool cut;  /* something of the source was not used */
	bool idle; /* nvprof says that there was no work */
};

__attribute__((format(printf, 3, 4))) static void say(const struct nvprof *n, uint64_t line,
													  const char *format, ...)
{
	char text[512];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	diag("%s: line %" PRIu64 ": %s", n->path, line, text);
}

static void refuse(struct nvprof *n, enum nvprof_refusal why)
{
	if (n->refused[why]++ == 0)
		n->first[why] = n->lines.number;
}

/* ---- processes ---- */

static struct nvprof_process *add_process(struct nvprof *n)
{
	if (n->n_processes == PROCESSES_MOST)
		return NULL;
	struct nvprof_process *process = malloc(sizeof(*process));
	n->error = process ? nvprof_process_open(process, n->pid, n->run->out_dir) : -ENOMEM;
	if (n->error) {
		free(process);
		return NULL;
	}
	return n->processes[n->n_processes++] = process;
}

/* The tables of one process are of two kinds. One that repeats a kind goes on where the other ended,
 * or it is of another process, whose times begin again. */
static struct nvprof_process *process_of(struct nvprof *n, const struct nvprof_row *row)
{
	const enum nvprof_kind kind = nvprof_row_kind(row);
	bool repeated = false;
	for (uint32_t i = n->n_processes; i > 0; i--) {
		struct nvprof_process *process = n->processes[i - 1];
		if (process->pid != n->pid)
			continue;
		if (!process->has[kind] || row->start_ns >= process->last_ns[kind])
			return process;
		repeated = true;
	}
	if (repeated && n->n_processes < PROCESSES_MOST)
		say(n, n->lines.number,
			"the times of this table begin again, so it is taken as that of another process");
	return add_process(n);
}

/* ---- rows ---- */

/* Lines among rows may be what is left of rows into which the program has printed. */
static void refuse_strange(struct nvprof *n)
{
	if (n->strange == 0)
		return;
	if (n->refused[NVPROF_CELLS] == 0)
		n->first[NVPROF_CELLS] = n->first_strange;
	n->refused[NVPROF_CELLS] += n->strange;
	n->strange = 0;
}

/* A line that has another number of cells than its table. */
static void take_strange(struct nvprof *n, const char *line, size_t bytes, size_t cells)
{
	const char *at = line;
	int64_t number;
	const struct csv_cell first = csv_cell_next(&at, line + bytes);
	if (decimal_scaled(first.at, first.bytes, 0, &number) != 0) {
		if (n->strange++ == 0)
			n->first_strange = n->lines.number;
		return;
	}
	if (!n->lines.ended)
		say(n, n->lines.number, "the row is cut off: it has %zu of %zu columns",
			cells < n->table.n_columns ? cells : n->table.n_columns, n->table.n_columns);
	refuse(n, NVPROF_CELLS);
}

static void take_row(struct nvprof *n, const char *line, size_t bytes)
{
	struct nvprof_row row = {.table = &n->table};
	const size_t cells = nvprof_table_row(&n->table, line, bytes, row.cells);
	if (cells != n->table.n_columns) {
		take_strange(n, line, bytes, cells);
		return;
	}
	refuse_strange(n);
	if (nvprof_row_unread(&row)) {
		n->unread++;
		return;
	}
	if (!nvprof_time(&n->table, row.cells, NVPROF_START, &row.start_ns) ||
		!nvprof_time(&n->table, row.cells, NVPROF_DURATION, &row.dur_ns)) {
		refuse(n, NVPROF_NO_TIME);
		return;
	}
	if (!plausible_times(row.start_ns, row.dur_ns)) {
		refuse(n, NVPROF_IMPOSSIBLE);
		return;
	}
	if (!n->process)
		n->process = process_of(n, &row);
	const enum nvprof_refusal taken =
		n->process ? nvprof_take_row(n->process, &row) : NVPROF_TOO_MANY;
	if (taken != NVPROF_TAKEN)
		refuse(n, taken);
}

/* ---- lines ---- */

/* The pid of a line of nvprof, "==12== Profiling result:"; 0: it says none, "======== Profiling
 * result:"; -1: it is no line of nvprof. *words: what it says. */
static int64_t remark_of(const char *text, const char **words)
{
	char *end;
	*words = text + strlen("======== ");
	if (strncmp(text, "======== ", strlen("======== ")) == 0)
		return 0;
	if (strncmp(text, "==", 2) != 0 || text[2] < '0' || text[2] > '9')
		return -1;
	const int64_t pid = strtoll(text + 2, &end, 10);
	*words = end + strlen("== ");
	return strncmp(end, "== ", strlen("== ")) == 0 ? pid : -1;
}

/* "376746 records have invalid timestamps due to insufficient device buffer space ..." */
static void take_warning(struct nvprof *n, const char *words)
{
	if (!strstr(words, "records have invalid timestamps") &&
		!strstr(words, "profiling data are not recorded"))
		return;
	say(n, n->lines.number, "rows are missing, nvprof says: %s", words);
	n->cut = true;
}

/* False: it is no line of nvprof. A warning may stand in the middle of a table. */
static bool take_remark(struct nvprof *n, const char *line, size_t bytes)
{
	char text[4097];
	const char *words;
	if (bytes >= sizeof(text))
		return false;
	memcpy(text, line, bytes);
	text[bytes] = 0;
	const int64_t pid = remark_of(text, &words);
	if (pid < 0)
		return false;
	if (strncmp(words, "Warning: ", strlen("Warning: ")) == 0) {
		take_warning(n, words + strlen("Warning: "));
		return true;
	}
	n->pid = pid;
	n->state = STATE_NONE;
	n->strange = 0;
	return true;
}

/* Names of columns begin a table. */
static bool take_head(struct nvprof *n, const char *line, size_t bytes)
{
	const enum nvprof_line what = nvprof_line_of(line, bytes);
	if (what == NVPROF_OTHER)
		return false;
	const char *wrong =
		what == NVPROF_SUMMARY   ? "a table of sums has no single events, and is not read: print "
								   "--print-gpu-trace --print-api-trace"
		: what == NVPROF_METRICS ? "a table of counters has no times, and is not read"
								 : nvprof_table_head(&n->table, line, bytes);
	n->state = wrong ? STATE_SKIP : STATE_UNITS;
	n->process = NULL;
	n->strange = 0;
	n->cut = n->cut || wrong;
	if (wrong)
		say(n, n->lines.number, "%s", wrong);
	return true;
}

#define IDLE "No kernels were profiled"

static void take_line(struct nvprof *n, const char *line, size_t bytes)
{
	if (n->lines.number == 1 && bytes >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		line += 3, bytes -= 3; /* a mark of UTF-8, written by some editors */
	/* with "==12== " or without */
	n->idle = n->idle || (n->state == STATE_NONE && memmem(line, bytes, IDLE, strlen(IDLE)));
	if (bytes == 0 || take_remark(n, line, bytes) || take_head(n, line, bytes))
		return;
	if (n->state == STATE_ROWS) {
		take_row(n, line, bytes);
	} else if (n->state == STATE_UNITS) {
		const char *wrong = nvprof_table_units(&n->table, line, bytes);
		n->state = wrong ? STATE_SKIP : STATE_ROWS;
		n->cut = n->cut || wrong;
		if (wrong)
			say(n, n->lines.number, "%s", wrong);
	}
}

static ssize_t read_input(void *context, void *buffer, size_t room)
{
	const ssize_t n = inflate_read(context, buffer, room);
	progress_reach(inflate_offset(context));
	return n;
}

static void read_lines(struct nvprof *n)
{
	const char *line;
	size_t bytes;
	int more;
	while (!n->error && (more = csv_lines_next(&n->lines, &line, &bytes)) == 1) {
		take_line(n, line, bytes);
		n->run->bytes_in += bytes + 1;
		if (n->process)
			n->error = trace_out_error(n->process->out);
	}
	if (n->error || (more == 0 && n->lines.error == 0))
		return;
	n->cut = true;
	say(n, n->lines.number, "%s; the part before it is used",
		more == -EMSGSIZE            ? "the line is longer than 2 MiB"
		: n->lines.error == -ENODATA ? "the gz data is cut short"
		: n->lines.error == -EBADMSG ? "the gz data is corrupt"
		: n->lines.error == -EFBIG   ? "the gz data holds more than 64 MiB + 256 times its size"
									 : strerror(-n->lines.error));
}

/* ---- the end ---- */

static uint64_t rows_of(const struct nvprof_process *process)
{
	return trace_out_rows(process->out, BATON_OP) + trace_out_rows(process->out, BATON_CALL);
}

/* The GPU on which the process did most. */
static int32_t main_gpu(const struct nvprof_process *process)
{
	const struct nvprof_device *best = NULL;
	for (uint32_t i = 0; i < process->n_devices; i++)
		if (!best || process->devices[i].ops > best->ops)
			best = &process->devices[i];
	return best ? best->ordinal : INT32_MAX;
}

static int by_gpu(const void *a, const void *b)
{
	const struct nvprof_process *x = *(const struct nvprof_process *const *)a;
	const struct nvprof_process *y = *(const struct nvprof_process *const *)b;
	const int32_t gpu_x = main_gpu(x), gpu_y = main_gpu(y);
	if (gpu_x != gpu_y)
		return gpu_x < gpu_y ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int close_process(struct nvprof *n, struct nvprof_process *process, uint32_t place)
{
	char host[64] = "local";
	int32_t ordinals[NVPROF_DEVICES];
	const bool several = n->n_processes > 1;
	struct trace_identity identity = {.pid = process->pid,
									  .rank = several ? (int32_t)place : n->run->force_rank,
									  .world_size = several ? (int32_t)n->n_processes : -1,
									  .local_rank = several ? (int32_t)place : -1,
									  .host = host,
									  .source = "nvprof",
									  .run_id = n->run->run_id};
	struct import_claim claim = {.ordinals = ordinals,
								 .n = process->n_devices,
								 .rank = identity.rank,
								 .world_size = identity.world_size};
	for (uint32_t i = 0; i < process->n_devices; i++)
		ordinals[i] = process->devices[i].ordinal;
	trace_out_hull(process->out, &claim.t_min_ns, &claim.t_max_ns);
	int error = import_take_devices(n->run, host, &claim);
	if (error)
		return error;
	trace_out_loss(process->out, BATON_LOSS_TRUNCATED, "source file", n->cut);
	const uint64_t rows = rows_of(process);
	struct trace_out *out = process->out;
	process->out = NULL;
	error = trace_out_close(out, &identity);
	n->run->rows += error ? 0 : rows;
	n->run->files_out += !error;
	return error;
}

static void say_refused(struct nvprof *n)
{
	static const char *const reasons[NVPROF_REFUSALS] = {
		[NVPROF_NO_TIME] = "have no usable start or duration",
		[NVPROF_IMPOSSIBLE] = "have impossible times",
		[NVPROF_NO_NAME] = "have no name",
		[NVPROF_NO_DEVICE] = "do not say their device as \"NAME (NUMBER)\"",
		[NVPROF_TOO_MANY] = "are of a process beyond the 256th or a device beyond the 64th",
		[NVPROF_CELLS] = "do not have as many cells as their table has columns",
		[NVPROF_NO_MEMORY] = "do not fit into memory",
	};
	uint64_t all = 0, times = 0;
	for (int why = NVPROF_NO_TIME; why < NVPROF_REFUSALS; why++) {
		if (n->refused[why])
			say(n, n->first[why], "%" PRIu64 " row%s from here on left out: they %s",
				n->refused[why], n->refused[why] == 1 ? "" : "s", reasons[why]);
		all += n->refused[why];
	}
	for (uint32_t i = 0; i < n->n_processes; i++) {
		trace_out_settle(n->processes[i]->out);
		times += trace_out_refused(n->processes[i]->out);
	}
	if (times)
		diag("%s: %" PRIu64 " row%s left out: their times are impossible", n->path, times,
			 times == 1 ? "" : "s");
	if (n->unread)
		diag("%s: %" PRIu64 " row%s of unified memory without a copy left out (page faults and the "
			 "like)",
			 n->path, n->unread, n->unread == 1 ? "" : "s");
	n->run->refused += all + times;
	n->cut = n->cut || all + times > 0;
}

/* What the idle time will lack. */
static void say_absent(const struct nvprof *n)
{
	uint64_t ops = 0, calls = 0;
	for (uint32_t i = 0; i < n->n_processes; i++) {
		ops += trace_out_rows(n->processes[i]->out, BATON_OP);
		calls += trace_out_rows(n->processes[i]->out, BATON_CALL);
	}
	if (ops && !calls)
		diag("%s: no CUDA calls in it, so idle time of the GPU stays unexplained: print "
			 "--print-gpu-trace --print-api-trace together",
			 n->path);
}

static enum status finish(struct nvprof *n)
{
	uint64_t rows = 0;
	say_refused(n);
	for (uint32_t i = 0; i < n->n_processes; i++)
		rows += rows_of(n->processes[i]);
	if (rows == 0 && !n->error) {
		diag("%s: %s", n->path,
			 n->idle ? "nvprof says that no kernels were profiled"
					 : "no row of GPU work or CUDA calls in it: print --csv --print-gpu-trace");
		return STATUS_INPUT;
	}
	say_absent(n);
	if (n->n_processes > 1 && n->run->force_rank >= 0)
		diag("%s: holds %u processes: the rank given for it is not used", n->path, n->n_processes);
	sort_rows(n->processes, n->n_processes, sizeof(n->processes[0]), by_gpu);
	for (uint32_t i = 0; i < n->n_processes && !n->error; i++)
		n->error = close_process(n, n->processes[i], i);
	if (!n->error)
		return n->cut ? STATUS_PARTIAL : STATUS_OK;
	diag("%s: writing to %s: %s", n->path, n->run->out_dir, strerror(-n->error));
	return STATUS_OUTPUT;
}

static int import_file(const char *path, struct import_run *run)
{
	struct inflate *input;
	struct nvprof *n = calloc(1, sizeof(*n));
	int error = n ? inflate_open(path, &input) : -ENOMEM;
	enum status status = STATUS_INPUT;
	if (!error) {
		*n = (struct nvprof){.path = path,
							 .run = run,
							 .lines = {.read = read_input, .context = input, .most = LINE_BYTES}};
		error = csv_lines_open(&n->lines);
		if (!error) {
			read_lines(n);
			status = finish(n);
		}
		csv_lines_close(&n->lines);
		inflate_close(input);
	}
	if (error)
		diag("%s: %s", path, strerror(-error));
	for (uint32_t i = 0; n && i < n->n_processes; i++) {
		nvprof_process_free(n->processes[i]);
		free(n->processes[i]);
	}
	free(n);
	return (int)status;
}

/* Names of columns at the beginning of a line, or nvprof's own first words, in text. */
static int recognise(const unsigned char *head, size_t bytes)
{
	static const char remark[] = "== NVPROF is profiling process";
	const char *at = (const char *)head, *end = at + bytes;
	if (memchr(head, 0, bytes))
		return 0;
	at += bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		size_t n = (size_t)(stop - at);
		n -= n > 0 && at[n - 1] == '\r';
		if (nvprof_line_of(at, n) == NVPROF_TRACE || memmem(at, n, remark, sizeof(remark) - 1))
			return 1;
		at = stop + 1;
	}
	return 0;
}

const struct importer importer_nvprof = {
	.name = "nvprof",
	.recognise = recognise,
	.import_file = import_file,
};

#include "import_files.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/room.h"
#include "base/shell.h"
#include "base/sort.h"
#include "import/foreign.h"
#include "import/importer.h"
#include "import/inflate.h"
#include "import/interrupted.h"
#include "import/made.h"
#include "import/nsys/nsys_report.h"
#include "import/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { HEAD_BYTES = 64 << 10 };

#define STDIN "-"

static const struct importer *const importers[] = {&importer_kineto, &importer_nsys,
												   &importer_nvprof};

struct input {
	char *path;
	bool asked; /* named by the user, not found in a directory */
};

struct inputs {
	struct input *list;
	size_t n;
	size_t room;
};

/* ---- what to import ---- */

static int add_input(struct inputs *inputs, const char *dir, const char *name, bool asked)
{
	if (room_for((void **)&inputs->list, inputs->n, &inputs->room, 16, sizeof(*inputs->list)) != 0)
		return -ENOMEM;
	size_t bytes = strlen(dir), slash = bytes > 0 && dir[bytes - 1] != '/';
	char *path = malloc(bytes + strlen(name) + 2);
	if (!path)
		return -ENOMEM;
	sprintf(path, "%s%s%s", dir, slash ? "/" : "", name);
	inputs->list[inputs->n++] = (struct input){path, asked};
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

/* Regular files only, by name; hidden ones are nobody's traces. */
static int add_directory(struct inputs *inputs, const char *path)
{
	size_t first = inputs->n;
	DIR *dir = opendir(path);
	int error = 0;
	if (!dir)
		return -errno;
	for (struct dirent *e; !error && (e = readdir(dir));) {
		struct stat st;
		if (e->d_name[0] != '.' && fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
			S_ISREG(st.st_mode))
			error = add_input(inputs, path, e->d_name, false);
	}
	closedir(dir);
	if (!error && inputs->n == first)
		diag("%s: no files in it (subdirectories are not searched)", path);
	if (inputs->n > first)
		sort_rows(inputs->list + first, inputs->n - first, sizeof(*inputs->list), by_path);
	return error;
}

static void free_inputs(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++)
		free(inputs->list[i].path);
	free(inputs->list);
}

/* STATUS_OK, or STATUS_INPUT when an operand cannot be read (said). */
static enum status list_inputs(const struct import_request *asked, struct inputs *inputs)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < asked->n_paths; i++) {
		struct stat st;
		const char *path = asked->paths[i];
		const bool is_stdin = strcmp(path, STDIN) == 0;
		int error = !is_stdin && stat(path, &st) != 0 ? -errno : 0;
		if (!error)
			error = !is_stdin && S_ISDIR(st.st_mode) ? add_directory(inputs, path)
													 : add_input(inputs, "", path, true);
		if (error) {
			diag("%s: %s", path, strerror(-error));
			status = STATUS_INPUT;
		}
	}
	return status;
}

/* The same for the same files, so that an import can be repeated byte for byte. */
static void make_run_id(const struct inputs *inputs, char id[17])
{
	XXH64_hash_t hash = 0;
	for (size_t i = 0; i < inputs->n; i++) {
		struct stat st = {0};
		stat(inputs->list[i].path, &st);
		int64_t facts[3] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
		hash = XXH3_64bits_withSeed(facts, sizeof(facts), hash);
	}
	snprintf(id, 17, "%016" PRIx64, (uint64_t)hash);
}

/* ---- where to ---- */

/* The directories above `path`, as mkdir -p makes them; what fails shows when `path` itself is
 * made. */
static void make_parents(const char *path)
{
	char *copy = strdup(path);
	for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(copy, 0777);
		*slash = '/';
	}
	free(copy);
}

/* Refuses a directory that holds traces already, unless they may be replaced. */
static enum status prepare_output(const char *path, bool force, bool *made_it, char **staging)
{
	if (*path)
		make_parents(path);
	*made_it = mkdir(path, 0700) == 0;
	int error = *made_it || errno == EEXIST ? 0 : -errno;
	int found = error ? error : staging_count(path);
	if (found > 0 && !force) {
		diag("%s: holds %d trace file%s already; -f replaces them", path, found,
			 found > 1 ? "s" : "");
		return STATUS_USAGE;
	}
	if (found >= 0)
		found = staging_open(path, staging);
	if (found < 0) {
		diag("%s: %s", path, strerror(-found));
		return STATUS_OUTPUT;
	}
	return STATUS_OK;
}

/* The new traces take the old ones' place only when there are some and all could be written. */
static enum status finish_output(enum status status, char *staging, const char *path)
{
	if (status != STATUS_OK && status != STATUS_PARTIAL) {
		staging_discard(staging);
		return status;
	}
	int error = staging_publish(staging, path);
	if (error)
		diag("%s: %s", path, strerror(-error));
	return error ? STATUS_OUTPUT : status;
}

/* An importer reads its input more than once: what comes from a pipe becomes a file first. */
static enum status take_stdin(struct inputs *inputs, const char *staging)
{
	bool taken = false;
	for (size_t i = 0; i < inputs->n; i++) {
		char *copy = NULL;
		if (strcmp(inputs->list[i].path, STDIN) != 0)
			continue;
		if (taken) {
			diag("standard input can be read once only");
			return STATUS_USAGE;
		}
		taken = true;
		const int error = staging_copy(staging, STDIN_FILENO, &copy);
		if (error) {
			diag("standard input: %s", strerror(-error));
			free(copy);
			return error == -EISDIR || error == -EBADF ? STATUS_INPUT : STATUS_OUTPUT;
		}
		free(inputs->list[i].path);
		inputs->list[i].path = copy;
		diag_alias(copy, "standard input");
	}
	return STATUS_OK;
}

/* ---- importing ---- */

/* Of a file that no importer reads. */
struct not_read {
	int error;
	const char *what; /* tells what it is; NULL: not known */
	bool is_report;   /* nsys can export it */
};

/* NULL: an error, or nobody's. */
static const struct importer *find_importer(const char *path, struct not_read *why)
{
	struct inflate *stream;
	const struct importer *found = NULL;
	unsigned char *head = malloc(HEAD_BYTES);
	*why = (struct not_read){.error = head ? inflate_open(path, &stream) : -ENOMEM};
	if (why->error) {
		free(head);
		return NULL;
	}
	ssize_t n = inflate_read(stream, head, HEAD_BYTES);
	inflate_close(stream);
	for (size_t i = 0; i < sizeof(importers) / sizeof(importers[0]) && n > 0 && !found; i++)
		if (importers[i]->recognise(head, (size_t)n))
			found = importers[i];
	if (!found && n >= 0) {
		why->what = foreign_words(head, (size_t)n);
		why->is_report = nsys_report_is(head, (size_t)n);
	}
	free(head);
	return found;
}

static enum status import_with(const struct importer *importer, const char *path, const char *input,
							   struct import_run *run, struct made *made)
{
	enum status status = (enum status)importer->import_file(path, run);
	if (status == STATUS_OUTPUT)
		return status;
	const int error = made_collect(made, run->out_dir, input);
	if (error) {
		diag("%s: cannot read the trace back: %s", run->out_dir, strerror(-error));
		return STATUS_OUTPUT;
	}
	return status;
}

static enum status say_not_read(const struct input *input, const struct not_read *why)
{
	const char *what = why->error ? strerror(-why->error) : why->what;
	if (!what)
		what = input->asked ? "no trace of Kineto, nsys or nvprof" : "no trace";
	diag("%s: %s%s", input->path, what, input->asked || why->error ? "" : ", skipped");
	return input->asked || why->error ? STATUS_INPUT : STATUS_OK;
}

/* Is the SQLite file of a report beside it, as `nsys profile --stats=true` leaves it? */
static bool has_sqlite(const char *report)
{
	const char *dot = strrchr(report, '.');
	char *beside;
	if (!dot || asprintf(&beside, "%.*s.sqlite", (int)(dot - report), report) < 0)
		return false;
	const bool has = access(beside, F_OK) == 0;
	free(beside);
	return has;
}

/* A report of nsys, by what its own program makes of it. Messages name the report. Of a directory
 * it is one file among others. */
static enum status import_report(const struct input *input, const struct not_read *why,
								 struct import_run *run, struct made *made)
{
	char *sqlite;
	struct not_read again;
	enum status status = input->asked ? STATUS_INPUT : STATUS_OK;
	if (!input->asked && has_sqlite(input->path))
		return STATUS_OK;
	if (asprintf(&sqlite, "%s/.nsys.sqlite", run->out_dir) < 0)
		return STATUS_INPUT;
	const int error = nsys_report_export(input->path, sqlite);
	const struct importer *importer = error ? NULL : find_importer(sqlite, &again);
	if (error == -ENOENT) {
		status = say_not_read(input, why);
	} else if (error) {
		diag("%s: nsys cannot export it: %s%s", input->path, strerror(-error),
			 input->asked ? "" : ", skipped");
	} else if (!importer) {
		diag("%s: what nsys exports is no SQLite file of it", input->path);
	} else {
		diag_alias(sqlite, input->path);
		status = import_with(importer, sqlite, input->path, run, made);
		diag_alias(NULL, NULL);
	}
	unlink(sqlite);
	free(sqlite);
	return status;
}

/* One input; the trace files it gave are added to `made`. */
static enum status import_input(const struct input *input, struct import_run *run,
								struct made *made)
{
	struct not_read why;
	const struct importer *importer = find_importer(input->path, &why);
	if (importer)
		return import_with(importer, input->path, input->path, run, made);
	return why.is_report ? import_report(input, &why, run, made) : say_not_read(input, &why);
}

static void begin_input(const struct inputs *inputs, size_t i)
{
	const char *path = inputs->list[i].path;
	char what[96];
	struct stat st = {0};
	stat(path, &st);
	if (inputs->n > 1)
		snprintf(what, sizeof(what), "import %zu of %zu, %s", i + 1, inputs->n, path);
	else
		snprintf(what, sizeof(what), "import %s", path);
	progress_begin(what, NULL, st.st_size > 0 ? (uint64_t)st.st_size : 0);
}

/* Files that gave nothing beside others that did make the answer partial. */
static enum status import_all(const struct inputs *inputs, struct import_run *run,
							  struct made *made)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < inputs->n && status != STATUS_OUTPUT; i++) {
		begin_input(inputs, i);
		status = status_worse(status, import_input(&inputs->list[i], run, made));
	}
	progress_end();
	if (status == STATUS_INPUT && made->n > 0)
		status = STATUS_PARTIAL;
	return status;
}

static void say_result(const struct made *made, const struct import_run *run,
					   const struct import_request *asked)
{
	uint64_t processes = 0, ops = 0, kernels = 0, calls = 0, bytes = 0;
	char a[32], b[32], c[32], d[32], e[32];
	for (size_t i = 0; i < made->n; i++) {
		const struct made_file *file = &made->files[i];
		if (file->left_out)
			continue;
		processes++;
		ops += file->ops;
		kernels += file->kernels;
		calls += file->calls;
		bytes += file->bytes;
	}
	const bool next = ops > 0 && !asked->on_the_way;
	diag("%s process%s, %s kernel%s, %s call%s, %s refused, %s in %s%s%s",
		 amount_grouped(processes, a), processes == 1 ? "" : "es", amount_grouped(kernels, b),
		 kernels == 1 ? "" : "s", amount_grouped(calls, c), calls == 1 ? "" : "s",
		 amount_grouped(run->refused, d), amount_bytes(bytes, e), asked->out_dir,
		 next ? "        next: baton report " : "", next ? shell_word(asked->out_dir).at : "");
	if (ops == 0)
		diag("no GPU work in it, so there is nothing to report; record the GPU too "
			 "(torch.profiler: ProfilerActivity.CUDA; nsys: -t cuda,nvtx; nvprof: "
			 "--print-gpu-trace)");
}

static enum status import_into(const struct inputs *inputs, struct import_run *run,
							   const struct import_request *asked)
{
	struct made made = {0};
	enum status status = import_all(inputs, run, &made);
	if (status != STATUS_OUTPUT && made_choose(&made, run->out_dir) > 0)
		status = status_worse(status, STATUS_PARTIAL);
	if (status != STATUS_OUTPUT && made.n == 0) {
		diag("nothing was imported");
		status = STATUS_INPUT;
	} else if (status != STATUS_OUTPUT) {
		say_result(&made, run, asked);
	}
	made_free(&made);
	free(run->taken);
	return status;
}

bool import_knows(const char *path)
{
	struct not_read why;
	return find_importer(path, &why) != NULL || why.is_report;
}

bool import_names(const char *path)
{
	struct not_read why;
	return find_importer(path, &why) != NULL || why.what != NULL;
}

/* The only input may be one that nobody reads: then nothing has to be made. */
static enum status look_at_one(const struct inputs *inputs)
{
	struct not_read why;
	const struct input *one = inputs->list;
	if (inputs->n != 1 || !one->asked || strcmp(one->path, STDIN) == 0 ||
		find_importer(one->path, &why) || why.is_report)
		return STATUS_OK;
	say_not_read(one, &why);
	diag("nothing was imported");
	return STATUS_INPUT;
}

enum status import_files(const struct import_request *asked)
{
	struct inputs inputs = {0};
	char *staging = NULL;
	struct import_run run = {.force_rank = asked->rank};
	char run_id[17];
	bool made_directory = false;
	enum status listed = list_inputs(asked, &inputs), status = STATUS_OK;
	if (asked->rank >= 0 && inputs.n > 1) {
		diag("import: --rank is for a single file");
		status = STATUS_USAGE;
	} else if (inputs.n == 0) {
		diag("nothing to import");
		status = STATUS_INPUT;
	}
	if (status == STATUS_OK)
		status = look_at_one(&inputs);
	interrupted_hold();
	if (status == STATUS_OK)
		status = prepare_output(asked->out_dir, asked->force, &made_directory, &staging);
	if (status == STATUS_OK) {
		interrupted_watch(staging, made_directory ? asked->out_dir : NULL);
		status = take_stdin(&inputs, staging);
		make_run_id(&inputs, run_id);
		run.run_id = run_id;
		run.out_dir = staging;
		if (status == STATUS_OK)
			status = import_into(&inputs, &run, asked);
		interrupted_stop();
		status = finish_output(status, staging, asked->out_dir);
		if (listed != STATUS_OK && status == STATUS_OK)
			status = STATUS_PARTIAL;
	}
	if (made_directory)
		rmdir(asked->out_dir); /* when nothing came into it */
	interrupted_end();
	diag_alias(NULL, NULL);
	free_inputs(&inputs);
	return status;
}

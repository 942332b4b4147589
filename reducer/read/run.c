#include "read/run.h"

#include "base/room.h"
#include "base/sort.h"
#include "base/source.h"
#include "base/diag.h"
#include "base/progress.h"
#include "read/paths.h"
#include "read/comm_ranks.h"
#include "read/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	HOST_MOST = 120, /* of a key: with what stands after it, it fits RUN_KEY_BYTES */
	UUID_MOST = 64,
};

/* A name, or the begin of one that is longer than `most` and its hash: keys of two names are not
 * the same for what was cut off. */
static const char *shortened(const char *name, size_t most, char *room)
{
	const size_t n = strlen(name);
	if (n <= most)
		return name;
	snprintf(room, most + 1, "%.*s~%016" PRIx64, (int)(most - 17), name,
			 (uint64_t)XXH3_64bits(name, n));
	return room;
}

void run_device_key(const struct trace *trace, uint32_t index, char *key, size_t bytes)
{
	const struct trace_device *device = &trace->devices[index];
	char host_room[HOST_MOST + 1], uuid_room[UUID_MOST + 1];
	const char *host =
		shortened(strings_get(&trace->strings, trace->process.host).at, HOST_MOST, host_room);
	const char *uuid =
		shortened(strings_get(&trace->strings, device->uuid).at, UUID_MOST, uuid_room);
	if (uuid[0])
		snprintf(key, bytes, "%s/%s", host, uuid);
	else
		snprintf(key, bytes, "%s/%d", host, device->ordinal);
}

uint32_t run_device_find(const struct trace *trace, const char *wanted)
{
	char key[512];
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		run_device_key(trace, d, key, sizeof(key));
		if (strcmp(key, wanted) == 0)
			return d;
	}
	return 0;
}

static struct run_device *find_device(struct run *run, uint32_t key)
{
	for (size_t i = 0; i < run->n_devices; i++)
		if (run->devices[i].key == key)
			return &run->devices[i];
	if (room_next((void **)&run->devices, run->n_devices, sizeof(*run->devices)) != 0)
		return NULL;
	run->devices[run->n_devices] = (struct run_device){.key = key};
	return &run->devices[run->n_devices++];
}

static int add_device(struct run *run, const struct trace *trace, uint32_t index, uint32_t process)
{
	char text[512];
	uint32_t key;
	run_device_key(trace, index, text, sizeof(text));
	int error = strings_add(&run->pool, text, strlen(text), &key, NULL);
	struct run_device *device = error ? NULL : find_device(run, key);
	if (!device)
		return -ENOMEM;
	if (device->n_processes && device->processes[device->n_processes - 1] == process)
		return 0;
	if (room_next((void **)&device->processes, device->n_processes, sizeof(*device->processes)) !=
		0)
		return -ENOMEM;
	device->processes[device->n_processes++] = process;
	struct text name = strings_get(&trace->strings, trace->devices[index].name);
	return device->name ? 0 : strings_add(&run->pool, name.at, name.bytes, &device->name, NULL);
}

static int copy_text(struct run *run, const struct trace *trace, uint32_t index, uint32_t *id)
{
	struct text text = strings_get(&trace->strings, index);
	return text.bytes ? strings_add(&run->pool, text.at, text.bytes, id, NULL) : 0;
}

/* Devices count only when a stream lies on them: a file may list all GPUs of its host. */
static int add_devices(struct run *run, const struct trace *trace, uint32_t process)
{
	bool *used = calloc(trace->n_devices, sizeof(*used));
	int error = used ? 0 : -ENOMEM;
	for (uint32_t s = 1; !error && s < trace->n_streams; s++)
		used[trace->streams[s].device] = true;
	for (uint32_t d = 1; !error && d < trace->n_devices; d++)
		error = used[d] ? add_device(run, trace, d, process) : 0;
	free(used);
	return error;
}

/* A process that still records may put a shorter file in the place of its trace (--keep-last),
 * between one visit of a device and the next. */
static int hold(const struct run *run, const struct trace *trace)
{
	enum { MOST_HELD = 256 }; /* of the descriptors that a process has by default */
	const bool recording = !trace->reader.closed && run->n_processes < MOST_HELD;
	return recording ? fcntl(trace->reader.fd, F_DUPFD_CLOEXEC, 0) : -1;
}

int run_process_open(const struct run_process *process, struct trace *trace, struct damage_log *log)
{
	const int error = process->held >= 0 ? trace_open_held(trace, process->path, process->held, log)
										 : trace_open(trace, process->path, log);
	if (!error && process->since_ns)
		trace_keep_since(trace, process->since_ns);
	return error;
}

uint64_t run_process_bytes(const struct run_process *process)
{
	struct stat st;
	const int failed = process->held >= 0 ? fstat(process->held, &st) : stat(process->path, &st);
	return failed ? 0 : (uint64_t)st.st_size;
}

uint64_t run_bytes(const struct run *run)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		bytes += run_process_bytes(&run->processes[i]);
	return bytes;
}

void run_keep_last(struct run *run, int64_t last_ns)
{
	int64_t newest_ns = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].worked_ns > newest_ns)
			newest_ns = run->processes[i].worked_ns;
	if (newest_ns > last_ns)
		run_keep_since(run, newest_ns - last_ns);
}

void run_keep_since(struct run *run, int64_t since_ns)
{
	for (size_t i = 0; i < run->n_processes; i++)
		run->processes[i].since_ns = since_ns;
}

static void note_work(const struct baton_reader *reader, struct run_process *process)
{
	for (size_t i = 0; i < reader->n_entries; i++) {
		const struct baton_entry *entry = &reader->entries[i];
		if (entry->rows == 0 || entry->kind < BATON_OP || entry->kind > BATON_OVERHEAD)
			continue;
		if (entry->t_min_ns < process->first_ns)
			process->first_ns = entry->t_min_ns;
		if (entry->kind != BATON_OP)
			continue;
		if (!process->began_ns || entry->t_min_ns < process->began_ns)
			process->began_ns = entry->t_min_ns;
		if (entry->t_max_ns > process->worked_ns)
			process->worked_ns = entry->t_max_ns;
	}
}

static int add_process(struct run *run, const struct trace *trace, const char *path)
{
	if (room_next((void **)&run->processes, run->n_processes, sizeof(*run->processes)) != 0)
		return -ENOMEM;
	struct run_process *p = &run->processes[run->n_processes];
	const struct baton_r_process *from = &trace->process;
	*p = (struct run_process){.path = strdup(path),
							  .held = hold(run, trace),
							  .pid = from->pid,
							  .rank = -1,
							  .world_size = -1,
							  .cost_ns = trace->losses.cost_ns,
							  .cost_known = trace->losses.cost_known,
							  .kept = trace->kept,
							  .first_ns = INT64_MAX,
							  .closed = trace->reader.closed,
							  .gpu_shift_ns = trace->losses.gpu_shift_ns};
	if (trace->has_process) {
		p->rank = from->rank;
		p->start_time = from->start_time;
		p->generation = from->generation;
		p->world_size = from->world_size;
	}
	note_work(&trace->reader, p);
	memcpy(p->losses, trace->losses.by_kind, sizeof(p->losses));
	p->limited = trace->limited;
	int error = p->path ? copy_text(run, trace, from->host, &p->host) : -ENOMEM;
	if (!error)
		error = comm_ranks_read(p, trace);
	if (!error)
		error = copy_text(run, trace, from->source, &p->source);
	if (!error)
		error = copy_text(run, trace, from->run_id, &p->run_id);
	if (!error)
		error = copy_text(run, trace, trace_place(trace, BATON_META_CPUS, 0), &p->cpus);
	run->n_processes += p->path != NULL;
	return error;
}

void run_forget_process(struct run_process *process)
{
	if (process->held >= 0)
		close(process->held);
	free(process->path);
	free(process->comm_ranks);
}

static int add_gauges(struct run *run, const struct trace *trace, const char *path)
{
	if (room_next((void **)&run->gauges, run->n_gauges, sizeof(*run->gauges)) != 0)
		return -ENOMEM;
	struct run_gauges *gauges = &run->gauges[run->n_gauges];
	*gauges = (struct run_gauges){.path = strdup(path)};
	if (!gauges->path)
		return -ENOMEM;
	run->n_gauges++;
	return copy_text(run, trace, trace->process.run_id, &gauges->run_id);
}

static bool process_before(const struct run_process *a, const struct run_process *b)
{
	uint32_t x = (uint32_t)a->rank, y = (uint32_t)b->rank; /* -1 sorts last */
	return x != y ? x < y : a->pid < b->pid;
}

static void sort_device_processes(struct run *run, struct run_device *device)
{
	for (uint32_t i = 1; i < device->n_processes; i++)
		for (uint32_t k = i; k > 0; k--) {
			uint32_t *p = &device->processes[k];
			if (!process_before(&run->processes[p[0]], &run->processes[p[-1]]))
				break;
			uint32_t t = p[0];
			p[0] = p[-1];
			p[-1] = t;
		}
}

static int by_key(const void *a, const void *b, void *context)
{
	const struct run *run = context;
	const struct run_device *x = a, *y = b;
	return strcmp(strings_get(&run->pool, x->key).at, strings_get(&run->pool, y->key).at);
}

bool run_is_summary(const char *path)
{
	struct baton_reader reader;
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
		baton_reader_open(&reader, AT_FDCWD, path) != 0)
		return false;
	const bool is = reader.header.content == BATON_SUMMARY;
	baton_reader_close(&reader);
	return is;
}

static int open_one(struct run *run, const char *path)
{
	struct trace trace;
	int error = trace_open(&trace, path, run->damage);
	if (error == -EBADMSG) {
		if (run_is_summary(path))
			diag(
				"%s is a stored summary without events, which this needs: give the run's directory",
				path);
		else
			diag_at(path, 0,
					"not a baton trace (magic, version or header checksum is wrong), nor a profile "
					"that baton imports (of PyTorch, nsys or nvprof)");
		run->unreadable_files++;
		return 0;
	}
	if (error) {
		diag("%s: %s", path, strerror(-error));
		run->unreadable_files++;
		return error == -ENOMEM ? error : 0;
	}
	error =
		trace_is_gauges(&trace) ? add_gauges(run, &trace, path) : add_process(run, &trace, path);
	trace_close(&trace);
	return error;
}

static int take_place(struct run *run, const struct trace *trace, uint32_t id,
					  struct run_device *device)
{
	const struct {
		const char *key;
		uint32_t *text;
	} wanted[] = {{BATON_META_PCI, &device->pci},
				  {BATON_META_NUMA, &device->numa},
				  {BATON_META_CPUS, &device->cpus},
				  {BATON_META_LINKS, &device->links}};
	int error = 0;
	device->place = id;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !error; i++)
		error = copy_text(run, trace, trace_place(trace, wanted[i].key, id), wanted[i].text);
	return error;
}

/* Devices that no process of the run drives are not of it. */
static int join_gauges(struct run *run, const struct trace *trace, uint32_t gauges)
{
	char key[512];
	int error = 0;
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		run_device_key(trace, d, key, sizeof(key));
		for (size_t i = 0; i < run->n_devices && !error; i++) {
			struct run_device *device = &run->devices[i];
			if (device->gauges || strcmp(strings_get(&run->pool, device->key).at, key) != 0)
				continue;
			device->gauges = gauges;
			error = take_place(run, trace, d, device);
		}
	}
	return error;
}

static int index_gauges(struct run *run)
{
	int error = 0;
	for (size_t i = 0; !error && i < run->n_gauges; i++) {
		struct trace trace;
		if (run->gauges[i].run_id != run->processes[0].run_id)
			continue;
		error = trace_open(&trace, run->gauges[i].path, NULL);
		if (error && error != -ENOMEM) { /* gone or changed since: its readings are missing */
			error = 0;
			continue;
		}
		if (error)
			break;
		error = join_gauges(run, &trace, (uint32_t)i + 1);
		trace_close(&trace);
	}
	return error;
}

static int index_devices(struct run *run)
{
	int error = 0;
	for (size_t i = 0; !error && i < run->n_processes; i++) {
		struct trace trace;
		error = run_process_open(&run->processes[i], &trace, NULL);
		if (error)
			break;
		error = add_devices(run, &trace, (uint32_t)i);
		trace_close(&trace);
	}
	for (size_t i = 0; i < run->n_devices; i++)
		sort_device_processes(run, &run->devices[i]);
	sort_rows_with(run->devices, run->n_devices, sizeof(run->devices[0]), by_key, run);
	return error;
}

static int open_files(char *const *dirs, size_t n_dirs, struct run *run)
{
	struct paths paths = {0};
	char what[96];
	int error = 0;
	for (size_t i = 0; !error && i < n_dirs; i++) {
		error = paths_add(&paths, dirs[i], false);
		if (error)
			diag("%s: %s", dirs[i], strerror(-error));
	}
	paths_leave_summaries(&paths);
	snprintf(what, sizeof(what), "open %s", dirs[0]);
	progress_begin(what, "files", paths.n);
	for (size_t i = 0; !error && i < paths.n; i++) {
		progress_reach(i);
		error = open_one(run, paths.at[i]);
	}
	progress_end();
	paths_free(&paths);
	if (!error && run->n_processes == 0 && run->unreadable_files == 0)
		diag("%s: no trace files (*.baton) here; import profiles of other tools with `baton "
			 "import`",
			 dirs[0]);
	return error;
}

/* The processes whose files lie in this directory; *run_id: of one of them. */
static size_t processes_in(const struct run *run, const char *dir, uint32_t *run_id)
{
	size_t bytes = strlen(dir), n = 0;
	while (bytes > 1 && dir[bytes - 1] == '/')
		bytes--;
	for (size_t i = 0; i < run->n_processes; i++) {
		const char *path = run->processes[i].path;
		if (strncmp(path, dir, bytes) != 0 || path[bytes] != '/')
			continue;
		*run_id = run->processes[i].run_id;
		n++;
	}
	return n;
}

/* Directories of one run have a run in common: two runs are asked for by mistake. */
static bool are_two_runs(const struct run *run, char *const *dirs, size_t n_dirs)
{
	uint32_t first = 0, other = 0;
	if (n_dirs != 2 || !processes_in(run, dirs[0], &first) || !processes_in(run, dirs[1], &other))
		return false;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].run_id != first && run->processes[i].run_id != other)
			return false;
	return first != other && run_processes_of(run, first) == processes_in(run, dirs[0], &first);
}

/* What is left once all files are open: which of them are the run, its ranks, its devices. */
static int settle(struct run *run, int *status)
{
	int error = run_choose(run, status);
	if (!error)
		error = comm_ranks_take(run->processes, run->n_processes);
	if (!error)
		error = run_same_ranks(run, status);
	if (!error)
		error = index_devices(run);
	if (error || run->n_processes == 0)
		return error;
	return index_gauges(run);
}

static int open_run(char *const *dirs, size_t n_dirs, struct run *run, int *status)
{
	int error = strings_init(&run->pool);
	if (error)
		return error;
	error = damage_log_open(&run->damage);
	if (error)
		return error;
	error = open_files(dirs, n_dirs, run);
	if (!error && are_two_runs(run, dirs, n_dirs)) {
		diag("%s and %s are two runs, and directories of one run are asked for: compare them with "
			 "`baton compare`",
			 dirs[0], dirs[1]);
		*status = STATUS_USAGE;
		return -EINVAL;
	}
	return error ? error : settle(run, status);
}

int run_open(char *const *dirs, size_t n_dirs, struct run *run)
{
	int status = STATUS_OK;
	memset(run, 0, sizeof(*run));
	if (open_run(dirs, n_dirs, run, &status) != 0 || run->n_processes == 0) {
		run_close(run);
		return status == STATUS_USAGE ? STATUS_USAGE : STATUS_INPUT;
	}
	run->left_out = status == STATUS_PARTIAL;
	return run->unreadable_files || damage_log_files(run->damage) ? STATUS_PARTIAL : status;
}

void run_close(struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		run_forget_process(&run->processes[i]);
	for (size_t i = 0; i < run->n_devices; i++)
		free(run->devices[i].processes);
	for (size_t i = 0; i < run->n_gauges; i++)
		free(run->gauges[i].path);
	free(run->gauges);
	free(run->processes);
	free(run->devices);
	strings_free(&run->pool);
	damage_log_close(run->damage);
	memset(run, 0, sizeof(*run));
}

uint32_t run_ordered_members(const struct run *run)
{
	uint32_t members = 0;
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		if (source_is_recorded(source_kind(strings_get(&run->pool, p->source).at)) ||
			(p->world_size > 0 && (size_t)p->world_size > run->n_processes))
			return 0;
	}
	for (size_t i = 0; i < run->n_devices; i++)
		members += run->devices[i].n_processes;
	return members > 1 ? members : 0;
}

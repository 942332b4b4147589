#include "record/gauges.h"

#include "record/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define PERIOD_NS INT64_C(1000000000)
#define FIRST_LOOK_NS INT64_C(50000000) /* then after twice that time, up to the period */
enum { LOOKS_A_BLOCK = 5, BLOCK_ROWS = 4096, PATIENCE_S = 3 };

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* False: the job has ended. */
static bool sleep_until(struct gauges *g, int64_t when_ns)
{
	struct timespec t = {when_ns / 1000000000, when_ns % 1000000000};
	int error = 0;
	pthread_mutex_lock(&g->lock);
	while (!g->stop && error != ETIMEDOUT)
		error = pthread_cond_timedwait(&g->wake, &g->lock, &t);
	bool go_on = !g->stop;
	pthread_mutex_unlock(&g->lock);
	return go_on;
}

/* ---- does the job use a GPU? ---- */

/* A trace of a process of this node: BOOT8.PID.STARTTIME.GEN.baton. */
static bool has_trace(struct gauges *g)
{
	int fd = openat(g->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *e; !found && (e = readdir(dir)) != NULL;) {
		size_t n = strlen(e->d_name);
		found = strncmp(e->d_name, g->boot, BOOT_ID_SHORT) == 0 &&
				e->d_name[BOOT_ID_SHORT] == '.' && n > 6 &&
				strcmp(e->d_name + n - 6, ".baton") == 0;
	}
	closedir(dir);
	return found;
}

/* Looks through a directory only after it has changed, and once more: two changes may come so close
 * that they have one time. It may be a large one that many nodes see. */
static bool trace_came(struct gauges *g)
{
	struct stat st;
	if (fstat(g->dirfd, &st) != 0)
		return false;
	bool same = st.st_mtim.tv_sec == g->seen.tv_sec && st.st_mtim.tv_nsec == g->seen.tv_nsec;
	if (same && g->settled)
		return false;
	g->seen = st.st_mtim;
	g->settled = same;
	return has_trace(g);
}

static bool await_trace(struct gauges *g)
{
	for (int64_t pause_ns = FIRST_LOOK_NS; !trace_came(g);) {
		if (!sleep_until(g, now_ns(CLOCK_MONOTONIC) + pause_ns))
			return false;
		pause_ns = 2 * pause_ns < PERIOD_NS ? 2 * pause_ns : PERIOD_NS;
	}
	return true;
}

/* ---- the file ---- */

static uint32_t put_string(struct gauges *g, const char *text)
{
	struct baton_r_string row = {.id = g->strings + 1, .bytes = (uint32_t)strlen(text)};
	if (row.bytes == 0)
		return 0;
	baton_writer_record(&g->writer, BATON_R_STRING, &row, sizeof(row), text, row.bytes);
	return ++g->strings;
}

static void put_process(struct gauges *g)
{
	char host[256] = "";
	gethostname(host, sizeof(host) - 1);
	struct baton_r_process row = {.pid = getpid(),
								  .rank = -1,
								  .world_size = -1,
								  .local_rank = -1,
								  .host = put_string(g, host),
								  .source = put_string(g, "nvml"),
								  .source_version = put_string(g, g->nvml.version),
								  .run_id = put_string(g, g->run_id)};
	int digits = 0;
	for (const char *c = g->boot; *c && digits < 32; c++) {
		unsigned v = *c >= 'a' ? (unsigned)(*c - 'a' + 10) : (unsigned)(*c - '0');
		if (*c == '-')
			continue;
		row.boot_id[digits / 2] = (uint8_t)(row.boot_id[digits / 2] << 4 | v);
		digits++;
	}
	baton_writer_record(&g->writer, BATON_R_PROCESS, &row, sizeof(row), NULL, 0);
}

static void put_devices(struct gauges *g)
{
	for (unsigned i = 0; i < g->nvml.n_devices; i++) {
		const struct nvml_device *device = &g->nvml.devices[i];
		struct baton_r_device row = {.id = i + 1,
									 .ordinal = (int32_t)device->index,
									 .name = put_string(g, device->name),
									 .uuid = put_string(g, device->uuid),
									 .memory_bytes = device->memory_bytes};
		baton_writer_record(&g->writer, BATON_R_DEVICE, &row, sizeof(row), NULL, 0);
	}
}

static void put_place(struct gauges *g, const char *key, unsigned device, const char *value)
{
	char name[40];
	struct baton_r_meta row = {.value = put_string(g, value)};
	if (!row.value)
		return;
	snprintf(name, sizeof(name), "%s.%u", key, device + 1);
	row.key = put_string(g, name);
	baton_writer_record(&g->writer, BATON_R_META, &row, sizeof(row), NULL, 0);
}

static void put_places(struct gauges *g)
{
	for (unsigned i = 0; i < g->nvml.n_devices; i++) {
		struct place place;
		place_find(&g->nvml, i, &place);
		put_place(g, BATON_META_PCI, i, place.pci);
		put_place(g, BATON_META_NUMA, i, place.numa);
		put_place(g, BATON_META_CPUS, i, place.cpus);
		put_place(g, BATON_META_LINKS, i, place.links);
	}
}

/* Whoever sees the same GPUs makes the same name: several `baton record` of one node (srun) that
 * see all of its GPUs have one sampler, those that see one each have one each. */
static void make_name(struct gauges *g)
{
	XXH3_state_t *state = XXH3_createState();
	uint64_t hash = 0;
	if (state) {
		XXH3_64bits_reset(state);
		for (unsigned i = 0; i < g->nvml.n_devices; i++) {
			const char *uuid = g->nvml.devices[i].uuid;
			XXH3_64bits_update(state, uuid, strlen(uuid));
			XXH3_64bits_update(state, "\n", 1);
		}
		hash = XXH3_64bits_digest(state);
		XXH3_freeState(state);
	}
	snprintf(g->name, sizeof(g->name), "gpus.%.8s.%08x.baton", g->boot, (unsigned)(hash >> 32));
}

static int write_at(struct gauges *g, const uint8_t *data, size_t bytes)
{
	for (off_t at = g->written; bytes > 0;) {
		ssize_t n = pwrite(g->fd, data, bytes, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data += n;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* What has come since the last time, and an end block, over which the next time writes: whenever we
 * are killed the file is whole. */
static int write_out(struct gauges *g)
{
	struct baton_writer *w = &g->writer;
	struct baton_block_header end = {.kind = BATON_END, .raw_bytes = sizeof(w->sequence)};
	baton_writer_flush_table(w, baton_table(BATON_GAUGE));
	baton_writer_flush_records(w);
	size_t blocks = w->held_bytes;
	if (!w->error) {
		memcpy(w->raw, &w->sequence, sizeof(w->sequence));
		baton_writer_seal(w, &end);
		w->sequence--;
	}
	if (!w->error)
		w->error = write_at(g, w->held, w->held_bytes);
	g->written += (off_t)blocks;
	w->held_bytes = 0;
	return w->error;
}

/* Gives a whole file its name. -EEXIST: another one samples these GPUs. Where the filesystem has no
 * hard links, two that come in the same moment both go on, in one file of the two. */
static int publish(struct gauges *g, const char *hidden)
{
	int error = linkat(g->dirfd, hidden, g->dirfd, g->name, 0) == 0 ? 0 : -errno;
	if (error && error != -EEXIST && faccessat(g->dirfd, g->name, F_OK, 0) != 0)
		return renameat(g->dirfd, hidden, g->dirfd, g->name) == 0 ? 0 : -errno;
	unlinkat(g->dirfd, hidden, 0);
	return error ? -EEXIST : 0;
}

/* Who looks into the directory in the meantime finds no part of it. */
static int open_file(struct gauges *g)
{
	char hidden[32];
	uint64_t id = (uint64_t)now_ns(CLOCK_REALTIME);
	make_name(g);
	snprintf(hidden, sizeof(hidden), ".gpus.%d", (int)getpid());
	int error = baton_writer_open_held(&g->writer, BATON_GAUGES, id, BLOCK_ROWS);
	if (error)
		return error;
	g->fd = openat(g->dirfd, hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	error = g->fd < 0 ? -errno : 0;
	if (!error) {
		put_process(g);
		put_devices(g);
		put_places(g);
		write_out(g);
		error = publish(g, hidden);
	}
	if (!error)
		return 0;
	if (g->fd >= 0)
		close(g->fd);
	baton_writer_free(&g->writer);
	return error;
}

/* Without a trace to belong to, or when not all of it could be written, it goes. */
static void close_file(struct gauges *g)
{
	int error = write_out(g);
	baton_writer_free(&g->writer);
	if (close(g->fd) != 0 || error || !has_trace(g))
		unlinkat(g->dirfd, g->name, 0);
}

static void look_at(struct gauges *g, unsigned device)
{
	struct nvml_look look;
	int64_t row[BATON_MAX_COLUMNS] = {
		[GAUGE_START] = now_ns(CLOCK_REALTIME), [GAUGE_DEVICE] = device + 1};
	nvml_look(&g->nvml.devices[device], &look);
	int64_t dur_ns = now_ns(CLOCK_REALTIME) - row[GAUGE_START];
	row[GAUGE_DUR] = dur_ns > 0 ? dur_ns : 0; /* that clock may be set */
	for (int gauge = 1; gauge < BATON_GAUGE_END; gauge++) {
		if (!(look.known & 1u << gauge))
			continue;
		row[GAUGE_WHICH] = gauge;
		row[GAUGE_VALUE] = (int64_t)look.value[gauge];
		baton_writer_row(&g->writer, BATON_GAUGE, row, (1u << GAUGE_COLUMNS) - 1);
	}
}

/* At once, every second, and when the job has ended. */
static void look_on(struct gauges *g)
{
	int64_t next_ns = now_ns(CLOCK_MONOTONIC);
	unsigned looks = 0;
	for (bool go_on = true; go_on;) {
		for (unsigned i = 0; i < g->nvml.n_devices; i++)
			look_at(g, i);
		if (looks++ % LOOKS_A_BLOCK == 0)
			write_out(g);
		int64_t now = now_ns(CLOCK_MONOTONIC);
		while (next_ns <= now)
			next_ns += PERIOD_NS;
		go_on = sleep_until(g, next_ns);
	}
	for (unsigned i = 0; i < g->nvml.n_devices; i++)
		look_at(g, i);
}

static void *run(void *of)
{
	struct gauges *g = of;
	g->dirfd = open(g->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->dirfd < 0)
		return NULL;
	if (boot_id_read(g->boot) == 0 && await_trace(g) && nvml_open(&g->nvml) == 0) {
		if (open_file(g) == 0) {
			look_on(g);
			close_file(g);
		}
		nvml_close(&g->nvml);
	}
	close(g->dirfd);
	return NULL;
}

void gauges_begin(void *gauges)
{
	struct gauges *g = gauges;
	pthread_condattr_t attributes;
	const char *wanted = getenv("BATON_GAUGES");
	if (wanted && strcmp(wanted, "off") == 0)
		return;
	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&g->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	g->running = pthread_create(&g->thread, NULL, run, g) == 0;
}

bool gauges_end(struct gauges *g)
{
	struct timespec until;
	if (!g->running)
		return true;
	pthread_mutex_lock(&g->lock);
	g->stop = true;
	pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	return pthread_timedjoin_np(g->thread, NULL, &until) == 0;
}

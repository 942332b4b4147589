/* Summaries with a row of most kinds, and the directory that they are stored into. */
#ifndef SUMMARY_MADE_H
#define SUMMARY_MADE_H

#include "check.h"
#include "summary/series.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *dir;
static char path[4096];

static inline void write_file(const char *name, const void *data, size_t bytes)
{
	char file[4200];
	snprintf(file, sizeof(file), "%s/%s", dir, name);
	FILE *out = fopen(file, "wb");
	CHECK(out && fwrite(data, 1, bytes, out) == bytes && fclose(out) == 0, "cannot write %s", file);
}

static inline void make_site(struct summary *s, enum site_by by, const char *what, int64_t ns)
{
	struct site_summary key = {.by = (uint8_t)by, .kind = SITE_PROJECT, .backward = ns % 2};
	summary_string(s, what, &key.what);
	struct site_summary *site = summary_site(s, &key);
	site->rows = 2;
	site->sums = (struct site_sums){
		.gpu_ns = {ns, 0, 3, 0, 5}, .launches = 7, .launch_ns = 11, .cpu_ns = 13, .host_ns = 17};
}

static inline void make_spread(struct summary *s, const char *device, enum leaf leaf)
{
	summary_spread(s, device,
				   &(struct spread){.leaf = (uint8_t)leaf,
									.octave = 6,
									.steps = 2,
									.ns = 190,
									.worst_ns = 127,
									.worst_step = 117});
}

static inline void make_series(struct summary *s, const char *device, int32_t rank, int64_t steps)
{
	int64_t ns[SERIES_CELLS];
	struct series add = {
		.rank = rank, .steps = steps, .width = series_width(steps, SERIES_CELLS), .ns = ns};
	for (size_t i = 0; i < series_cells(steps, add.width); i++)
		ns[i] = i < 9 ? (int64_t)(i * i) : 0; /* the file stays small */
	summary_series(s, device, rank < 0 ? SERIES_STEP : SERIES_CAUSED, &add);
}

static inline void make_device(struct summary *s, const char *key, int32_t rank)
{
	struct device_summary *d = summary_device(s, key);
	summary_string(s, "GPU \xff of a name", &d->name);
	d->ranks = malloc(2 * sizeof(*d->ranks));
	d->pids = malloc(2 * sizeof(*d->pids));
	d->n_processes = 2;
	for (int i = 0; i < 2; i++) {
		d->ranks[i] = i ? -1 : rank;
		d->pids[i] = 1000 + rank + i;
	}
	d->steps = 3;
	d->hull_ns = 7;
	d->busy_ns[4] = 44;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		d->time_ns[leaf] = leaf == LEAF_GPU_DEPENDENCY ? 0 : 1000 * (leaf + 1) + rank;
		d->window_ns += d->time_ns[leaf];
	}
	d->carried = ((UINT64_C(1) << LEAF_COUNT) - 1) & ~LEAF_BIT(LEAF_GPU_DEPENDENCY);
	for (int i = 0; i < 3; i++)
		counts_add(&d->step_ns, 100 + i, 1);
	reading_take(d->readings, BATON_GAUGE_SM_MHZ, 1185);
	reading_take(d->readings, BATON_GAUGE_SM_MHZ, 1755);
	reading_take(d->readings, BATON_GAUGE_EVENT_REASONS, 0x48);
	reading_take(d->readings, BATON_GAUGE_EVENT_REASONS, 0x1);
}

static inline int load(const char *options)
{
	struct summary loaded;
	int error = summary_load(dir, options, &loaded);
	if (!error)
		summary_free(&loaded);
	else
		CHECK(loaded.devices == NULL && loaded.pool.texts == NULL,
			  "something is left in a summary");
	return error;
}

/* Runs `all` with a directory that has one trace file. That must be older than the program that
 * reduces it, so this one starts itself again. */
static inline int in_directory(int argc, char **argv, void (*all)(void))
{
	char name[] = "/tmp/summary_test.XXXXXX", file[64];
	if (argc == 1) {
		dir = mkdtemp(name);
		if (!dir)
			return 1;
		write_file("1.baton", "trace", 5);
		usleep(20000); /* the file system's clock ticks coarsely */
		execl("/proc/self/exe", argv[0], dir, (char *)NULL);
		return 1;
	}
	dir = argv[1];
	snprintf(path, sizeof(path), "%s/summary.baton", dir);
	all();
	unlink(path);
	snprintf(file, sizeof(file), "%.40s/1.baton", dir);
	unlink(file);
	rmdir(dir);
	return finish();
}

#endif

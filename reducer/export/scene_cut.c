/* Slices are counted in bins of time. The bin in which there are too many is divided again, until it
 * is one nanosecond: so many passes as the logarithm of the run's length, most over few blocks. */
#include "export/scene.h"

#include "base/saturate.h"
#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 4096 };

struct bins {
	int64_t from_ns, each_ns; /* since the origin */
	uint64_t n[BINS];
	uint64_t all;
};

static void count(struct bins *bins, int64_t ns)
{
	const int64_t bin = ns < bins->from_ns ? 0 : (ns - bins->from_ns) / bins->each_ns;
	bins->all++;
	if (bin < BINS)
		bins->n[bin]++;
}

/* Host times of bins by process: a row of its own clock, begin and end of the bins. */
static int count_rows(struct bins *bins, const struct scene *scene, size_t process,
					  struct trace *trace)
{
	static const unsigned kinds[] = {BATON_OP, BATON_CALL, BATON_RANGE, BATON_OVERHEAD};
	const int64_t to = bins->from_ns + bins->each_ns * BINS;
	const int64_t from_ns = scene->from_ns[process], to_ns = scene->to_ns[process];
	int error = 0;
	for (size_t k = 0; !error && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct rows rows;
		error = rows_open_within(&rows, trace, kinds[k], from_ns, to_ns);
		while (!error && rows_next(&rows)) {
			const int64_t own = rows_value(&rows, ROW_START);
			const int64_t ns =
				own >= from_ns && own < to_ns ? scene_time(scene, process, own) : INT64_MIN;
			if (ns >= bins->from_ns && ns < to)
				count(bins, ns);
		}
		error = error ? error : rows.error;
		rows_close(&rows);
	}
	return error;
}

static void count_idle(struct bins *bins, const struct scene *scene)
{
	const int64_t to = bins->from_ns + bins->each_ns * BINS;
	for (size_t i = 0; i < scene->n_idle; i++) {
		const struct scene_idle *idle = &scene->idle[i];
		const uint32_t process = scene->run.devices[idle->device].processes[0];
		const int64_t ns = scene_time(scene, process, idle->from_ns);
		if (ns >= bins->from_ns && ns < to)
			count(bins, ns);
	}
}

static int fill(struct bins *bins, const struct scene *scene)
{
	int error = 0;
	memset(bins->n, 0, sizeof(bins->n));
	bins->all = 0;
	for (size_t i = 0; !error && i < scene->run.n_processes; i++) {
		struct trace trace;
		if (scene->from_ns[i] >= scene->to_ns[i])
			continue;
		error = run_process_open(&scene->run.processes[i], &trace, NULL);
		if (error)
			break;
		error = count_rows(bins, scene, i, &trace);
		trace_close(&trace);
	}
	count_idle(bins, scene);
	return error;
}

/* The windows end at `ns`, each on its own clock. */
static void end_windows(struct scene *scene, int64_t ns)
{
	size_t kept = 0;
	scene->cut_ns = ns;
	for (size_t i = 0; i < scene->run.n_processes; i++) {
		int64_t low = scene->from_ns[i], high = scene->to_ns[i];
		while (low < high) { /* the first own time that is not before `ns` */
			const int64_t middle = low + (high - low) / 2;
			if (scene_time(scene, i, middle) < ns)
				low = middle + 1;
			else
				high = middle;
		}
		scene->to_ns[i] = low;
	}
	for (size_t i = 0; i < scene->n_idle; i++) {
		const uint32_t process = scene->run.devices[scene->idle[i].device].processes[0];
		if (scene_time(scene, process, scene->idle[i].from_ns) < ns)
			scene->idle[kept++] = scene->idle[i];
	}
	scene->n_idle = kept;
}

/* The windows of all processes, since the origin. */
static bool whole(const struct scene *scene, struct bins *bins)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	for (size_t i = 0; i < scene->run.n_processes; i++) {
		if (scene->from_ns[i] >= scene->to_ns[i])
			continue;
		const int64_t first = scene_time(scene, i, scene->from_ns[i]);
		const int64_t end = scene_time(scene, i, scene->to_ns[i]);
		from = first < from ? first : from;
		to = end > to ? end : to;
	}
	const int64_t length = from < to ? saturate_sub(to, from) : 0;
	bins->from_ns = from;
	bins->each_ns = (length < BATON_TIME_LIMIT_NS ? length : BATON_TIME_LIMIT_NS) / BINS + 1;
	return from < to;
}

int scene_cut(struct scene *scene, uint64_t most)
{
	struct bins *bins = malloc(sizeof(*bins));
	uint64_t before = 0;
	int error = bins ? 0 : -ENOMEM;
	if (scene->left == 0) { /* of a first cut it stays */
		scene->cut_ns = INT64_MAX;
		scene->slices = 0;
	}
	if (error || !whole(scene, bins))
		goto done;
	error = fill(bins, scene);
	const uint64_t all = bins->all;
	while (!error && most && all > most) {
		int bin = 0;
		while (bin < BINS && before + bins->n[bin] <= most)
			before += bins->n[bin++];
		if (bin == BINS) /* the bins of a later pass hold no more than was counted before */
			break;
		bins->from_ns += bin * bins->each_ns;
		if (bins->each_ns == 1) {
			end_windows(scene, bins->from_ns);
			break;
		}
		bins->each_ns = bins->each_ns / BINS + 1;
		error = fill(bins, scene);
	}
	if (!error) {
		scene->left += most && all > most ? all - before : 0;
		scene->slices = most && all > most ? before : all;
	}
done:
	free(bins);
	return error;
}

#include "base/diag.h"
#include "base/sort.h"
#include "read/run.h"

#include <errno.h>
#include <stdlib.h>

size_t run_processes_of(const struct run *run, uint32_t run_id)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		n += run->processes[i].run_id == run_id;
	return n;
}

/* Of several runs in the directories the one with most files is kept; of equals the later in order
 * of names. *n_best: how many it has. 0 or -ENOMEM. */
static int find_run(const struct run *run, uint32_t *best, size_t *n_best)
{
	size_t *n = calloc(run->pool.n, sizeof(*n));
	*best = 0;
	*n_best = 0;
	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < run->n_processes; i++)
		n[run->processes[i].run_id]++;
	for (size_t i = 0; i < run->n_processes; i++) {
		const uint32_t run_id = run->processes[i].run_id;
		if (n[run_id] >= *n_best) {
			*best = run_id;
			*n_best = n[run_id];
		}
	}
	free(n);
	return 0;
}

static int choose_run(struct run *run, int *status)
{
	uint32_t run_id;
	size_t n_kept, kept = 0;
	const int error = find_run(run, &run_id, &n_kept);
	if (error)
		return error;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].run_id == run_id)
			run->processes[kept++] = run->processes[i];
		else
			run_forget_process(&run->processes[i]);
	const size_t dropped = run->n_processes - kept;
	run->n_processes = kept;
	if (dropped > 0) {
		diag("the directory holds more than one run: answered from the %zu files of run %.63s, "
			 "left out %zu",
			 kept, strings_get(&run->pool, run_id).at, dropped);
		*status = STATUS_PARTIAL;
	}
	return 0;
}

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* What a process is; without a pid, nothing that two of them have in common. */
static int by_process(const struct run_process *a, const struct run_process *b)
{
	int sign = order((uint64_t)a->pid, (uint64_t)b->pid);
	if (sign == 0)
		sign = order(a->host, b->host);
	if (sign == 0)
		sign = order((uint64_t)a->start_time, (uint64_t)b->start_time);
	return sign ? sign : order((uint64_t)a->generation, (uint64_t)b->generation);
}

static int by_rank(const struct run_process *a, const struct run_process *b)
{
	const int sign = order((uint64_t)a->rank, (uint64_t)b->rank);
	return sign ? sign : order((uint64_t)a->generation, (uint64_t)b->generation);
}

struct sorting {
	const struct run *run;
	int (*by)(const struct run_process *a, const struct run_process *b);
};

static int by_place(const void *a, const void *b, void *context)
{
	const struct sorting *sorting = context;
	const size_t *x = a, *y = b;
	const struct run_process *all = sorting->run->processes;
	const int sign = sorting->by(&all[*x], &all[*y]);
	return sign ? sign : order(*x, *y);
}

/* For each process the first one, by its place, that is the same by `by`. NULL: no memory. */
static size_t *first_of_each(const struct run *run,
							 int (*by)(const struct run_process *a, const struct run_process *b))
{
	const size_t n = run->n_processes;
	struct sorting sorting = {run, by};
	size_t *places = calloc(n + 1, sizeof(*places)), *first = calloc(n + 1, sizeof(*first));
	for (size_t i = 0; places && i < n; i++)
		places[i] = i;
	if (places && first)
		sort_rows_with(places, n, sizeof(*places), by_place, &sorting);
	for (size_t i = 0; places && first && i < n; i++) {
		const bool same =
			i > 0 && by(&run->processes[places[i - 1]], &run->processes[places[i]]) == 0;
		first[places[i]] = same ? first[places[i - 1]] : places[i];
	}
	if (!places) {
		free(first);
		first = NULL;
	}
	free(places);
	return first;
}

/* Two files of one process are one file copied: the first by name counts. */
static int drop_copies(struct run *run, int *status)
{
	size_t *first = first_of_each(run, by_process), kept = 0;
	if (!first)
		return -ENOMEM;
	/* the lines before anything moves: they name files that are kept */
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].pid != 0 && first[i] != i)
			diag("%s: left out, it is of the same process as %s", run->processes[i].path,
				 run->processes[first[i]].path);
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].pid == 0 || first[i] == i)
			run->processes[kept++] = run->processes[i];
		else
			run_forget_process(&run->processes[i]);
	if (kept < run->n_processes)
		*status = STATUS_PARTIAL;
	run->n_processes = kept;
	free(first);
	return 0;
}

int run_choose(struct run *run, int *status)
{
	const int error = choose_run(run, status);
	return error ? error : drop_copies(run, status);
}

int run_same_ranks(struct run *run, int *status)
{
	size_t *first = first_of_each(run, by_rank);
	if (!first)
		return -ENOMEM;
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *a = &run->processes[first[i]], *b = &run->processes[i];
		if (b->rank < 0 || a->pid == b->pid) /* of another generation: the job was restarted */
			continue;
		diag("rank %d was written by two processes: %s and %s", a->rank, a->path, b->path);
		*status = STATUS_PARTIAL;
	}
	free(first);
	return 0;
}

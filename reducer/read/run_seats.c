#include "read/run_seats.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct taken {
	struct run_seat seat;
	size_t process;
};

/* Decimal, as the recorder writes it. */
static bool read_rank(const char *text, uint32_t size, int32_t *rank)
{
	char *end;
	long number = strtol(text, &end, 10);
	*rank = (int32_t)number;
	return text[0] >= '0' && text[0] <= '9' && *end == 0 && number < INT32_MAX &&
		   (unsigned long)number < size;
}

int run_seats_read(struct run_process *process, const struct trace *trace)
{
	if (process->rank >= 0 || !trace_is_recorded(trace) || trace->n_comms < 2)
		return 0;
	process->seats = malloc(trace->n_comms * sizeof(*process->seats));
	if (!process->seats)
		return -ENOMEM;
	for (uint32_t i = 1; i < trace->n_comms; i++) {
		const struct trace_comm *comm = &trace->comms[i];
		struct run_seat seat = {.hash = comm->hash, .size = comm->size};
		if (comm->size > 1 &&
			read_rank(strings_get(&trace->strings, comm->ranks).at, comm->size, &seat.rank))
			process->seats[process->n_seats++] = seat;
	}
	return 0;
}

/* The widest communicators first, the places in one together. */
static int by_width(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;
	if (x->seat.size != y->seat.size)
		return x->seat.size > y->seat.size ? -1 : 1;
	if (x->seat.hash != y->seat.hash)
		return x->seat.hash < y->seat.hash ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->seat.rank < y->seat.rank ? -1 : x->seat.rank > y->seat.rank;
}

/* All places of the run, sorted. NULL: no memory. */
static struct taken *all_seats(const struct run *run, size_t *n)
{
	size_t room = 1;
	for (size_t i = 0; i < run->n_processes; i++)
		room += run->processes[i].n_seats;
	struct taken *all = malloc(room * sizeof(*all));
	*n = 0;
	for (size_t i = 0; all && i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_seats; k++)
			all[(*n)++] = (struct taken){run->processes[i].seats[k], i};
	if (all && *n > 1)
		qsort(all, *n, sizeof(*all), by_width);
	return all;
}

static bool same_comm(const struct taken *a, const struct taken *b)
{
	return a->seat.size == b->seat.size && a->seat.hash == b->seat.hash;
}

/* How many processes have a place in the communicator of all[from], in `*end` where it ends; 0: a
 * process has two places in it, one for each of its devices, and no rank. */
static size_t members(const struct taken *all, size_t n, size_t from, size_t *end)
{
	size_t count = 1;
	bool single = true;
	for (*end = from + 1; *end < n && same_comm(&all[*end], &all[from]); (*end)++) {
		const struct taken *before = &all[*end - 1];
		count += before->process != all[*end].process;
		single &= before->process != all[*end].process || before->seat.rank == all[*end].seat.rank;
	}
	return single ? count : 0;
}

int run_seats_take(struct run *run)
{
	size_t n, end, seated = 0, most = 0, best = 0;
	for (size_t i = 0; i < run->n_processes; i++) {
		seated += run->processes[i].n_seats > 0;
		if (run->processes[i].rank >= 0)
			return 0;
	}
	struct taken *all = all_seats(run, &n);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n && all[i].seat.size == all[0].seat.size; i = end) {
		size_t count = members(all, n, i, &end);
		best = count > most ? i : best;
		most = count > most ? count : most;
	}
	/* one that not all are in numbers a part of the job */
	for (size_t i = best; most == seated && i < n && same_comm(&all[i], &all[best]); i++) {
		struct run_process *process = &run->processes[all[i].process];
		process->rank = all[i].seat.rank;
		process->world_size = (int32_t)all[i].seat.size;
	}
	free(all);
	return 0;
}

#include "read/comm_ranks.h"

#include "base/sort.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct member {
	struct comm_rank place;
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

int32_t comm_ranks_own(const struct trace *trace, uint32_t comm)
{
	const struct trace_comm *c = &trace->comms[comm];
	int32_t rank;
	return trace_is_recorded(trace) &&
				   read_rank(strings_get(&trace->strings, c->ranks).at, c->size, &rank)
			   ? rank
			   : -1;
}

int comm_ranks_read(struct run_process *process, const struct trace *trace)
{
	if (process->rank >= 0 || !trace_is_recorded(trace) || trace->n_comms < 2)
		return 0;
	process->comm_ranks = malloc(trace->n_comms * sizeof(*process->comm_ranks));
	if (!process->comm_ranks)
		return -ENOMEM;
	for (uint32_t i = 1; i < trace->n_comms; i++) {
		const struct trace_comm *comm = &trace->comms[i];
		struct comm_rank place = {.hash = comm->hash, .size = comm->size};
		if (comm->size > 1 &&
			read_rank(strings_get(&trace->strings, comm->ranks).at, comm->size, &place.rank))
			process->comm_ranks[process->n_comm_ranks++] = place;
	}
	return 0;
}

/* The widest communicators first, the places in one together. */
static int by_width(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->place.size != y->place.size)
		return x->place.size > y->place.size ? -1 : 1;
	if (x->place.hash != y->place.hash)
		return x->place.hash < y->place.hash ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->place.rank < y->place.rank ? -1 : x->place.rank > y->place.rank;
}

/* All places of the run, sorted. NULL: no memory. */
static struct member *all_comm_ranks(const struct run_process *processes, size_t n_processes,
									 size_t *n)
{
	size_t room = 1;
	for (size_t i = 0; i < n_processes; i++)
		room += processes[i].n_comm_ranks;
	struct member *all = malloc(room * sizeof(*all));
	*n = 0;
	for (size_t i = 0; all && i < n_processes; i++)
		for (size_t k = 0; k < processes[i].n_comm_ranks; k++)
			all[(*n)++] = (struct member){processes[i].comm_ranks[k], i};
	if (all && *n > 1)
		sort_rows(all, *n, sizeof(*all), by_width);
	return all;
}

static bool same_comm(const struct member *a, const struct member *b)
{
	return a->place.size == b->place.size && a->place.hash == b->place.hash;
}

/* How many processes have a place in the communicator of all[from], in `*end` where it ends; 0: a
 * process has two places in it, one for each of its devices, and no rank. */
static size_t count_members(const struct member *all, size_t n, size_t from, size_t *end)
{
	size_t count = 1;
	bool single = true;
	for (*end = from + 1; *end < n && same_comm(&all[*end], &all[from]); (*end)++) {
		const struct member *before = &all[*end - 1];
		count += before->process != all[*end].process;
		single &=
			before->process != all[*end].process || before->place.rank == all[*end].place.rank;
	}
	return single ? count : 0;
}

int comm_ranks_take(struct run_process *processes, size_t n_processes)
{
	size_t n, end, with_ranks = 0, most = 0, best = 0;
	for (size_t i = 0; i < n_processes; i++) {
		with_ranks += processes[i].n_comm_ranks > 0;
		if (processes[i].rank >= 0)
			return 0;
	}
	struct member *all = all_comm_ranks(processes, n_processes, &n);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n && all[i].place.size == all[0].place.size; i = end) {
		size_t count = count_members(all, n, i, &end);
		best = count > most ? i : best;
		most = count > most ? count : most;
	}
	/* one that not all are in numbers a part of the job */
	for (size_t i = best; most == with_ranks && i < n && same_comm(&all[i], &all[best]); i++) {
		struct run_process *process = &processes[all[i].process];
		process->rank = all[i].place.rank;
		process->world_size = (int32_t)all[i].place.size;
	}
	free(all);
	return 0;
}

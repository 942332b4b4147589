#include "export/nsys_plan.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"
#include "read/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_SHIFT = 48, PROCESS_SHIFT = 24, KEY_BYTES = 512 };

#define LOW_24 0xffffff

/* ---- processes ---- */

static int by_rank(const void *a, const void *b)
{
	const struct run_process *x = ((const struct nsys_member *)a)->process;
	const struct run_process *y = ((const struct nsys_member *)b)->process;
	if ((x->rank < 0) != (y->rank < 0))
		return x->rank < 0 ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int add_text(struct nsys_plan *plan, struct text text, uint32_t *id)
{
	*id = 0;
	return text.bytes ? strings_add(&plan->pool, text.at, text.bytes, id, NULL) : 0;
}

/* A host is a machine; of two processes of it with one number the second one gets a machine of its
 * own, because readers take globalPid for one process. */
static void number_members(struct nsys_plan *plan)
{
	int64_t machines = 0;
	for (size_t i = 0; i < plan->n_members; i++) {
		struct nsys_member *m = &plan->members[i];
		const int64_t low = (m->process->pid & LOW_24) << PROCESS_SHIFT;
		for (size_t k = 0; k < i && m->machine == 0; k++)
			if (plan->members[k].host == m->host)
				m->machine = plan->members[k].machine;
		for (size_t k = 0; k < i && m->machine; k++)
			if (plan->members[k].global == (m->machine | low))
				m->machine = 0;
		if (!m->machine)
			m->machine = (++machines & 0x7fff) << MACHINE_SHIFT;
		m->global = m->machine | low;
	}
}

/* ---- GPUs ---- */

static int gpu_of(struct nsys_plan *plan, const struct trace *trace, uint32_t device,
				  uint32_t *index)
{
	char key[KEY_BYTES];
	uint32_t id;
	const struct trace_device *d = &trace->devices[device];
	run_device_key(trace, device, key, sizeof(key));
	int error = strings_add(&plan->pool, key, strlen(key), &id, NULL);
	for (*index = 0; !error && *index < plan->n_gpus; ++*index)
		if (plan->gpus[*index].key == id)
			return 0;
	if (!error)
		error = room_next((void **)&plan->gpus, plan->n_gpus, sizeof(*plan->gpus));
	if (error)
		return error;
	struct nsys_gpu *gpu = &plan->gpus[plan->n_gpus++];
	*gpu = (struct nsys_gpu){
		.key = id, .ordinal = d->ordinal, .memory_bytes = d->memory_bytes, .sm_count = d->sm_count};
	error = add_text(plan, strings_get(&trace->strings, d->name), &gpu->name);
	return error ? error : add_text(plan, strings_get(&trace->strings, d->uuid), &gpu->uuid);
}

static int add_gpus(struct nsys_plan *plan, struct nsys_member *member, const struct trace *trace)
{
	int error = 0;
	member->gpus = calloc(trace->n_devices, sizeof(*member->gpus));
	member->n_gpus = member->gpus ? trace->n_devices : 0;
	for (uint32_t i = 1; i < member->n_gpus && !error; i++)
		error = gpu_of(plan, trace, i, &member->gpus[i]);
	return member->gpus ? error : -ENOMEM;
}

static bool same_ordinals(const struct nsys_plan *plan)
{
	for (size_t i = 0; i < plan->n_gpus; i++)
		for (size_t k = 0; k < i; k++)
			if (plan->gpus[i].used && plan->gpus[k].used &&
				plan->gpus[i].ordinal == plan->gpus[k].ordinal)
				return true;
	return false;
}

void nsys_plan_number(struct nsys_plan *plan, size_t first, size_t n)
{
	for (size_t i = 0; i < plan->n_gpus; i++)
		plan->gpus[i].used = false;
	for (size_t i = first; i < first + n; i++)
		for (uint32_t d = 1; d < plan->members[i].n_gpus; d++) {
			struct nsys_gpu *gpu = &plan->gpus[plan->members[i].gpus[d]];
			gpu->machine = gpu->used ? gpu->machine : plan->members[i].machine;
			gpu->used = true;
		}
	const bool one_by_one = same_ordinals(plan);
	int64_t next = 0;
	for (size_t i = 0; i < plan->n_gpus; i++)
		if (plan->gpus[i].used)
			plan->gpus[i].number = one_by_one ? next++ : plan->gpus[i].ordinal;
}

/* ---- the run ---- */

/* Where traces of `baton stats` begin to count: the first op, call or range. */
static void add_times(struct nsys_plan *plan, const struct trace *trace)
{
	for (size_t i = 0; i < trace->reader.n_entries; i++) {
		const struct baton_entry *block = &trace->reader.entries[i];
		if (block->kind < BATON_OP || block->kind > BATON_RANGE || block->rows == 0)
			continue;
		if (block->t_min_ns < plan->zero_ns)
			plan->zero_ns = block->t_min_ns;
		if (block->t_max_ns > plan->last_ns)
			plan->last_ns = block->t_max_ns;
	}
	plan->utc = plan->utc && (trace->tells_utc || trace_is_recorded(trace));
}

static int add_member(struct nsys_plan *plan, const struct run_process *process, bool counts)
{
	struct trace trace;
	int error = run_process_open(process, &trace, NULL);
	if (error == -ENOMEM)
		return error;
	if (error) {
		diag("%s: %s", process->path, strerror(error == -EBADMSG ? EIO : -error));
		plan->partial = true;
		return 0;
	}
	if (counts) {
		struct nsys_member *member = &plan->members[plan->n_members++];
		*member = (struct nsys_member){.process = process};
		error = add_text(plan, strings_get(&trace.strings, trace.process.host), &member->host);
		if (!error)
			error = add_gpus(plan, member, &trace);
	}
	add_times(plan, &trace);
	trace_close(&trace);
	return error;
}

int nsys_plan_make(struct nsys_plan *plan, const struct stats_run *rows)
{
	const struct run *run = rows->run;
	*plan = (struct nsys_plan){.zero_ns = INT64_MAX, .last_ns = INT64_MIN, .utc = true};
	int error = strings_init(&plan->pool);
	plan->members = calloc(run->n_processes ? run->n_processes : 1, sizeof(*plan->members));
	if (!plan->members)
		error = -ENOMEM;
	for (size_t i = 0; i < run->n_processes && !error; i++)
		error = add_member(plan, &run->processes[i], stats_process_counts(rows, i));
	if (error)
		return error;
	if (plan->zero_ns > plan->last_ns)
		plan->zero_ns = plan->last_ns = 0;
	sort_rows(plan->members, plan->n_members, sizeof(*plan->members), by_rank);
	number_members(plan);
	return 0;
}

void nsys_plan_free(struct nsys_plan *plan)
{
	for (size_t i = 0; i < plan->n_members; i++)
		free(plan->members[i].gpus);
	free(plan->members);
	free(plan->gpus);
	strings_free(&plan->pool);
}

#include "virtual/world.h"

#include "engine/room.h"
#include "virtual/calls/calls.h"
#include "virtual/calls/launch.h"
#include "virtual/calls/nccl.h"
#include "virtual/machine/cpu.h"
#include "virtual/machine/host.h"
#include "virtual/machine/thread.h"
#include "virtual/record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_NS 1000000000 /* nothing happens at 0, so 0 can mean never */
#define FIRST_PLANTED 0x40000000

/* ---- building ---- */

static void open_device(struct world *w, struct process *p, uint32_t i)
{
	struct device *d = &p->devices[i];
	const struct script *script = w->script;
	d->index = p->def->first_device + i;
	d->def = &script->devices[d->index];
	d->process = p;
	gpu_open(&d->gpu, &p->host->agenda, &calls_hooks, d);
	d->gpu.slot_free = call_slot_free;
	d->gpu.slice_ns = d->def->slice_ns;
	thread_list_init(&d->launchers);
	d->sequences = must(calloc(script->n_comms + 1, sizeof(*d->sequences)));
	d->account.n_steps = (int32_t)script->n_steps;
	d->account.step_end_ns = must(calloc(script->n_steps + 2, sizeof(int64_t)));
	d->account.step_begin_ns = must(calloc(script->n_steps + 2, sizeof(int64_t)));
}

/* Random numbers go by the thread's id. What a fault adds counts apart, or the threads of all later
 * processes would draw others than without the fault. */
static uint32_t thread_id(const struct process *p, uint32_t i, uint32_t *next_id)
{
	return p->def->threads[i].planted ? FIRST_PLANTED + (p->index << 8 | i) : (*next_id)++;
}

static void open_threads(struct process *p, uint32_t *next_id)
{
	p->threads = must(calloc(p->def->n_threads, sizeof(*p->threads)));
	for (uint32_t i = 0; i < p->def->n_threads; i++) {
		struct thread *t = &p->threads[i];
		*t = (struct thread){.process = p,
							 .def = &p->def->threads[i],
							 .id = thread_id(p, i, next_id),
							 .index = i,
							 .step = -1};
		p->running += !t->def->daemon;
	}
}

static int open_process(struct world *w, uint32_t i, const char *directory, uint32_t *next_id)
{
	struct process *p = &w->processes[i];
	const struct process_def *def = &w->script->processes[i];
	*p = (struct process){
		.world = w, .def = def, .index = i, .host = &w->hosts[def->host], .step = -1};
	thread_list_init(&p->gil_waiters);
	p->devices = must(calloc(def->n_devices, sizeof(*p->devices)));
	for (uint32_t d = 0; d < def->n_devices; d++)
		open_device(w, p, d);
	p->streams = must(calloc(def->n_streams + 1, sizeof(*p->streams)));
	for (uint32_t s = 0; s < def->n_streams; s++)
		p->streams[s] =
			gpu_stream_new(&p->devices[def->streams[s].device].gpu, def->streams[s].number,
						   def->streams[s].legacy ? STREAM_LEGACY : STREAM_NON_BLOCKING);
	p->events = must(calloc(def->n_events + 1, sizeof(*p->events)));
	p->semaphores = must(calloc(def->n_semaphores + 1, sizeof(*p->semaphores)));
	p->queues = must(calloc(def->n_queues + 1, sizeof(*p->queues)));
	for (uint32_t q = 0; q < def->n_queues; q++) {
		p->queues[q].capacity = def->queues[q];
		thread_list_init(&p->queues[q].getters);
		thread_list_init(&p->queues[q].putters);
	}
	p->loads = must(calloc(w->script->n_steps + 1, 1));
	open_threads(p, next_id);
	if (directory && !(p->recorder = recorder_open(directory, w->script, i)))
		return -errno;
	for (uint32_t t = 0; t < def->n_threads; t++)
		thread_start(&p->threads[t]);
	return 0;
}

static int world_open(struct world *w, const struct script *script,
					  const struct world_options *options)
{
	uint32_t next_id = 0;
	int error = 0;
	*w = (struct world){.script = script, .truth = options->truth, .n_hosts = script->n_hosts};
	w->queue_tail = &w->queue;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	meetings_open(&w->meetings);
	calls_list(w->calls);
	w->hosts = must(calloc(w->n_hosts, sizeof(*w->hosts)));
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		struct host *host = &w->hosts[i];
		*host = (struct host){
			.world = w, .def = &script->hosts[i], .cores_free = script->hosts[i].cores};
		host->agenda.now_ns = BEGIN_NS;
		thread_list_init(&host->core_waiters);
		host_queue(host);
	}
	for (unsigned c = 0; c < BATON_COLL_END; c++) /* script.c has interned them: see script_new() */
		for (uint32_t s = 0; call_nccl_kernel(c) && s < script->n_strings; s++)
			if (strcmp(script->strings[s], call_nccl_kernel(c)) == 0)
				w->nccl_strings[c] = s;
	w->processes = must(calloc(script->n_processes, sizeof(*w->processes)));
	for (uint32_t i = 0; !error && i < script->n_processes; i++)
		error = open_process(w, i, options->directory, &next_id);
	return error;
}

/* ---- running ---- */

/* Runs a host until it has to wait. */
static void host_run(struct host *host)
{
	struct world *w = host->world;
	for (;;) {
		pthread_mutex_lock(&w->lock);
		host_read_inbox(host);
		int64_t next = agenda_next(&host->agenda);
		if (next > host_horizon(host) || next == INT64_MAX) {
			bool over = host->agenda.n == 0 && host->n_pending == 0;
			host->state = over ? HOST_OVER : HOST_WAITING;
			w->n_over += over;
			w->n_running--;
			pthread_cond_broadcast(&w->changed);
			pthread_mutex_unlock(&w->lock);
			return;
		}
		pthread_mutex_unlock(&w->lock);
		while (agenda_next(&host->agenda) <= host_horizon(host) && host->agenda.n)
			agenda_step(&host->agenda);
	}
}

/* Under the lock. Every host waits for another: no message can come before the earliest event of
 * all, so the host that has it may go on. */
static void grant(struct world *w)
{
	struct host *first = NULL;
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		struct host *host = &w->hosts[i];
		if (host->state == HOST_WAITING && host->agenda.n &&
			(!first || agenda_next(&host->agenda) < agenda_next(&first->agenda)))
			first = host;
	}
	if (!first) {
		fprintf(stderr,
				"baton-sim: every rank waits for another, %llu collectives are not complete\n",
				(unsigned long long)w->meetings.open);
		exit(3);
	}
	first->grant_ns = agenda_next(&first->agenda);
	host_queue(first);
}

static void *work(void *who)
{
	struct world *w = who;
	pthread_mutex_lock(&w->lock);
	while (w->n_over < w->n_hosts) {
		struct host *host = w->queue;
		if (!host) {
			if (w->n_running == 0)
				grant(w);
			else
				pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		w->queue = host->next;
		if (!w->queue)
			w->queue_tail = &w->queue;
		host->state = HOST_RUNNING;
		w->n_running++;
		pthread_mutex_unlock(&w->lock);
		host_run(host);
		pthread_mutex_lock(&w->lock);
	}
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int close_recorders(struct world *w)
{
	int error = 0;
	for (uint32_t i = 0; i < w->script->n_processes; i++) {
		struct recorder *recorder = w->processes[i].recorder;
		int result = recorder ? recorder_close(recorder) : 0;
		w->processes[i].recorder = NULL;
		error = error ? error : result;
	}
	return error;
}

int world_run(struct world *w, const struct script *script, const struct world_options *options)
{
	pthread_t threads[64];
	unsigned n = options->threads < 1 ? 1 : options->threads > 64 ? 64 : options->threads;
	int error = world_open(w, script, options);
	if (!error) {
		unsigned started = 0;
		while (started + 1 < n && pthread_create(&threads[started], NULL, work, w) == 0)
			started++;
		work(w);
		while (started)
			pthread_join(threads[--started], NULL);
	}
	int closed = close_recorders(w);
	return error ? error : closed;
}

/* ---- the end ---- */

static void close_device(struct device *d)
{
	gpu_close(&d->gpu);
	for (struct pair *p = d->pairs, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	free(d->sequences);
	free(d->account.idle);
	free(d->account.exposed);
	free(d->account.meetings);
	free(d->account.step_end_ns);
	free(d->account.step_begin_ns);
}

static void close_process(struct process *p)
{
	for (uint32_t e = 0; e < p->def->n_events; e++)
		gpu_op_drop(p->events[e]);
	for (uint32_t d = 0; d < p->def->n_devices; d++)
		close_device(&p->devices[d]);
	for (uint32_t t = 0; t < p->def->n_threads; t++)
		free(p->threads[t].log.at);
	free(p->devices);
	free(p->loads);
	free(p->streams);
	free(p->events);
	free(p->semaphores);
	free(p->queues);
	free(p->threads);
}

void world_close(struct world *w)
{
	for (uint32_t i = 0; i < w->script->n_processes; i++)
		if (w->processes[i].def)
			close_process(&w->processes[i]);
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		agenda_free(&w->hosts[i].agenda);
		free(w->hosts[i].pending);
		free(w->hosts[i].inbox);
	}
	free(w->processes);
	free(w->hosts);
	meetings_close(&w->meetings);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}

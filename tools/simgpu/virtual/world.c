#include "virtual/world.h"

#include "engine/room.h"
#include "virtual/calls/calls.h"
#include "virtual/calls/launch.h"
#include "virtual/calls/nccl.h"
#include "virtual/machine/cpu.h"
#include "virtual/machine/place.h"
#include "virtual/machine/thread.h"
#include "virtual/record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_NS 1000000000 /* nothing happens at 0, so 0 can mean never */

/* ---- building ---- */

static void open_device(struct world *w, struct process *p, uint32_t i)
{
	struct device *d = &p->devices[i];
	const struct script *script = w->script;
	d->index = p->def->first_device + i;
	d->def = &script->devices[d->index];
	d->process = p;
	gpu_open(&d->gpu, &p->place->agenda, &calls_hooks, d);
	d->gpu.slot_free = call_slot_free;
	thread_list_init(&d->launchers);
	d->sequences = must(calloc(script->n_comms + 1, sizeof(*d->sequences)));
	d->account.number = i;
	d->account.n_steps = (int32_t)script->n_steps;
	d->account.step_end_ns = must(calloc(script->n_steps + 2, sizeof(int64_t)));
	d->account.step_begin_ns = must(calloc(script->n_steps + 2, sizeof(int64_t)));
}

static void open_threads(struct process *p, uint32_t *next_id)
{
	p->threads = must(calloc(p->def->n_threads, sizeof(*p->threads)));
	for (uint32_t i = 0; i < p->def->n_threads; i++) {
		struct thread *t = &p->threads[i];
		*t = (struct thread){
			.process = p, .def = &p->def->threads[i], .id = (*next_id)++, .index = i, .step = -1};
		t->lead =
			(struct lead){.lost_ns = must(calloc(p->def->n_devices, sizeof(int64_t[DEBTORS]))),
						  .n_devices = p->def->n_devices};
		t->log.lead = &t->lead;
		p->running += !t->def->daemon;
	}
}

static int open_process(struct world *w, uint32_t i, const char *directory, uint32_t *next_id)
{
	struct process *p = &w->processes[i];
	const struct process_def *def = &w->script->processes[i];
	*p = (struct process){
		.world = w, .def = def, .index = i, .place = &w->places[def->host], .step = -1};
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
	*w = (struct world){.script = script, .truth = options->truth, .n_places = script->n_hosts};
	w->queue_tail = &w->queue;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	meetings_open(&w->meetings);
	calls_list(w->calls);
	w->places = must(calloc(w->n_places, sizeof(*w->places)));
	for (uint32_t i = 0; i < w->n_places; i++) {
		struct place *place = &w->places[i];
		*place = (struct place){
			.world = w, .def = &script->hosts[i], .cores_free = script->hosts[i].cores};
		place->agenda.now_ns = BEGIN_NS;
		thread_list_init(&place->core_waiters);
		place_queue(place);
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

/* Runs a place until it has to wait. */
static void place_run(struct place *place)
{
	struct world *w = place->world;
	for (;;) {
		pthread_mutex_lock(&w->lock);
		place_read_inbox(place);
		int64_t next = agenda_next(&place->agenda);
		if (next > place_horizon(place) || next == INT64_MAX) {
			bool over = place->agenda.n == 0 && place->n_pending == 0;
			place->state = over ? PLACE_OVER : PLACE_WAITING;
			w->n_over += over;
			w->n_running--;
			pthread_cond_broadcast(&w->changed);
			pthread_mutex_unlock(&w->lock);
			return;
		}
		pthread_mutex_unlock(&w->lock);
		while (agenda_next(&place->agenda) <= place_horizon(place) && place->agenda.n)
			agenda_step(&place->agenda);
	}
}

/* Under the lock. Every place waits for another: no message can come before the earliest event of
 * all, so the place that has it may go on. */
static void grant(struct world *w)
{
	struct place *first = NULL;
	for (uint32_t i = 0; i < w->n_places; i++) {
		struct place *place = &w->places[i];
		if (place->state == PLACE_WAITING && place->agenda.n &&
			(!first || agenda_next(&place->agenda) < agenda_next(&first->agenda)))
			first = place;
	}
	if (!first) {
		fprintf(stderr,
				"baton-sim: every rank waits for another, %llu collectives are not complete\n",
				(unsigned long long)w->meetings.open);
		exit(3);
	}
	first->grant_ns = agenda_next(&first->agenda);
	place_queue(first);
}

static void *work(void *who)
{
	struct world *w = who;
	pthread_mutex_lock(&w->lock);
	while (w->n_over < w->n_places) {
		struct place *place = w->queue;
		if (!place) {
			if (w->n_running == 0)
				grant(w);
			else
				pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		w->queue = place->next;
		if (!w->queue)
			w->queue_tail = &w->queue;
		place->state = PLACE_RUNNING;
		w->n_running++;
		pthread_mutex_unlock(&w->lock);
		place_run(place);
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
	free(d->account.step_end_ns);
	free(d->account.step_begin_ns);
}

static void close_process(struct process *p)
{
	for (uint32_t e = 0; e < p->def->n_events; e++)
		gpu_op_drop(p->events[e]);
	for (uint32_t d = 0; d < p->def->n_devices; d++)
		close_device(&p->devices[d]);
	for (uint32_t t = 0; t < p->def->n_threads; t++) {
		free(p->threads[t].log.at);
		free(p->threads[t].lead.lost_ns);
	}
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
	for (uint32_t i = 0; i < w->n_places; i++) {
		agenda_free(&w->places[i].agenda);
		free(w->places[i].pending);
		free(w->places[i].inbox);
	}
	free(w->processes);
	free(w->places);
	meetings_close(&w->meetings);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}

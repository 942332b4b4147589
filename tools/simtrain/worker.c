#include "worker.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	void (*work)(void *);
	void *what;
	bool stop;
};

static void *run(void *argument)
{
	struct worker *worker = argument;

	pthread_mutex_lock(&worker->mutex);
	for (;;) {
		if (worker->work) {
			pthread_mutex_unlock(&worker->mutex);
			worker->work(worker->what);
			pthread_mutex_lock(&worker->mutex);
			worker->work = NULL;
			pthread_cond_broadcast(&worker->changed);
		} else if (worker->stop) {
			break;
		} else {
			pthread_cond_wait(&worker->changed, &worker->mutex);
		}
	}
	pthread_mutex_unlock(&worker->mutex);
	return NULL;
}

struct worker *worker_start(void)
{
	struct worker *worker = calloc(1, sizeof *worker);

	check_system(!worker, "memory");
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_cond_init(&worker->changed, NULL);
	check_system(pthread_create(&worker->thread, NULL, run, worker), "thread");
	return worker;
}

void worker_begin(struct worker *worker, void (*work)(void *), void *what)
{
	pthread_mutex_lock(&worker->mutex);
	worker->work = work;
	worker->what = what;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
}

void worker_await(struct worker *worker)
{
	pthread_mutex_lock(&worker->mutex);
	while (worker->work)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	pthread_mutex_unlock(&worker->mutex);
}

void worker_stop(struct worker *worker)
{
	pthread_mutex_lock(&worker->mutex);
	worker->stop = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	pthread_join(worker->thread, NULL);
	free(worker);
}

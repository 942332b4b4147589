#include "doubles/nccl/comm.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "doubles/nccl/link.h"
#include "doubles/nccl/maker.h"
#include "doubles/observe.h"

enum { LOOK_NS = 50000000 };

static _Thread_local char refusal[COMM_TEXT];

ncclResult_t comm_refuse(ncclResult_t result, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(refusal, sizeof refusal, format, list);
	va_end(list);
	return result;
}

const char *comm_last_refusal(void)
{
	return refusal;
}

ncclResult_t comm_error(struct ncclComm *comm)
{
	return (ncclResult_t)atomic_load(&comm->error);
}

ncclResult_t comm_fail(struct ncclComm *comm, ncclResult_t result, const char *format, ...)
{
	int none = ncclSuccess;
	va_list list;

	if (!atomic_compare_exchange_strong(&comm->error, &none, (int)result))
		return result;
	va_start(list, format);
	pthread_mutex_lock(&comm->mutex);
	vsnprintf(comm->text, sizeof comm->text, format, list);
	pthread_mutex_unlock(&comm->mutex);
	va_end(list);
	atomic_store(&board_rank(&comm->board, comm->rank)->failed, 1);
	board_ring_all(&comm->board);
	return result;
}

static void take_off(struct ncclComm *comm)
{
	struct plan *plan = comm->first;

	comm->first = plan->next;
	if (!comm->first)
		comm->last = NULL;
	pthread_cond_broadcast(&comm->changed);
	plan_free(plan);
}

static void *carry_out_plans(void *argument)
{
	struct ncclComm *comm = argument;

	if (!comm->blocking)
		comm_await(comm);
	pthread_mutex_lock(&comm->mutex);
	for (;;) {
		struct plan *plan = comm->first;

		if (plan && plan->refused) {
			take_off(comm);
		} else if (plan && plan->started && plan->op) {
			pthread_mutex_unlock(&comm->mutex);
			comm->carry_out(plan);
			pthread_mutex_lock(&comm->mutex);
			take_off(comm);
		} else if (!plan && comm->stop) {
			break;
		} else {
			pthread_cond_wait(&comm->changed, &comm->mutex);
		}
	}
	pthread_mutex_unlock(&comm->mutex);
	return NULL;
}

/* Without signals: the job's handlers run on the job's threads. */
static int start_thread(struct ncclComm *comm)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&comm->thread, NULL, carry_out_plans, comm);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}

static void make_locks(struct ncclComm *comm)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&comm->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&comm->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

ncclResult_t comm_open(struct ncclComm **out, const struct comm_place *place,
					   void (*carry_out)(struct plan *plan))
{
	struct ncclComm *comm = calloc(1, sizeof *comm);
	int status = comm ? board_open(&comm->board, place->name, place->ranks, place->rank) : -ENOMEM;

	if (status) {
		free(comm);
		return comm_refuse(status == -EEXIST || status == -EINVAL ? ncclInvalidUsage
																  : ncclSystemError,
						   "cannot join %s as rank %d of %d: %s", place->name, place->rank,
						   place->ranks, strerror(-status));
	}
	comm->ranks = place->ranks;
	comm->rank = place->rank;
	comm->device = place->device;
	comm->blocking = place->blocking;
	comm->carry_out = carry_out;
	snprintf(comm->name, sizeof comm->name, "%s", place->name);
	make_locks(comm);
	status = start_thread(comm);
	if (status) {
		board_close(&comm->board);
		free(comm);
		return comm_refuse(ncclSystemError, "no thread: %s", strerror(-status));
	}
	*out = comm;
	return ncclSuccess;
}

ncclResult_t comm_await(struct ncclComm *comm)
{
	int64_t begin = simgpu_now_ns();

	for (;;) {
		uint32_t heard = board_listen(&comm->board);

		if (board_complete(&comm->board))
			break;
		if (comm_error(comm))
			return comm_error(comm);
		if (maker_is_gone(comm->name) && !board_complete(&comm->board))
			return comm_fail(comm, ncclRemoteError,
							 "rank %d cannot join: the process that made the id has ended",
							 comm->rank);
		if (simgpu_now_ns() - begin > link_timeout_ns())
			return comm_fail(comm, ncclSystemError, "rank %d waited %lld ms for the others to join",
							 comm->rank, (long long)(link_timeout_ns() / 1000000));
		board_wait(&comm->board, heard, 50);
	}
	atomic_store(&comm->joined, 1);
	return ncclSuccess;
}

/* Looks up now and then: a kernel that had not started when the driver went never will. */
bool comm_drain(struct ncclComm *comm, int64_t limit_ns)
{
	int64_t begin = simgpu_now_ns();
	bool empty;

	pthread_mutex_lock(&comm->mutex);
	while (comm->first && simgpu_ready() && (limit_ns < 0 || simgpu_now_ns() - begin < limit_ns)) {
		struct timespec look;

		clock_gettime(CLOCK_MONOTONIC, &look);
		look.tv_nsec += LOOK_NS;
		look.tv_sec += look.tv_nsec / 1000000000;
		look.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&comm->changed, &comm->mutex, &look);
	}
	empty = !comm->first;
	pthread_mutex_unlock(&comm->mutex);
	return empty;
}

void comm_close(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->mutex);
	comm->stop = true;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->mutex);
	pthread_join(comm->thread, NULL);
	board_close(&comm->board);
	pthread_cond_destroy(&comm->changed);
	pthread_mutex_destroy(&comm->mutex);
	free(comm);
}

void comm_child_name(const struct ncclComm *parent, char kind, uint32_t ordinal, int color,
					 char out[BOARD_NAME])
{
	uint64_t hash = 0xcbf29ce484222325u;
	char text[BOARD_NAME + 40];

	snprintf(text, sizeof text, "%s.%c%u.%d", parent->name, kind, ordinal, color);
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	snprintf(out, BOARD_NAME, "simnccl-%016llx", (unsigned long long)hash);
}

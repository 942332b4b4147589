#include "doubles/cupti/flights.h"
#include "doubles/cupti/activity.h"
#include "doubles/cupti/knobs.h"
#include <pthread.h>

enum { FLIGHTS = 1 << 16 };

struct flight {
	uint32_t correlation; /* 0: free */
	bool lost;            /* its record found no room */
	uint32_t arrived;     /* ops that ended */
	uint32_t expected;    /* known once the call has returned */
	struct lane *lane;
	int64_t begin_ns;
	struct slot slot;        /* buffer NULL: nothing waits */
	struct sim_record whole; /* of a graph that is recorded as one piece */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct flight flights[FLIGHTS];
static uint32_t kernels;

static struct flight *flight_find(uint32_t correlation) /* locked */
{
	struct flight *flight = &flights[correlation % FLIGHTS];

	return correlation && flight->correlation == correlation ? flight : NULL;
}

/* When the table is full the oldest call gives way; a record of it that waits is given up. */
void flights_begin(uint32_t correlation, struct lane *lane, int64_t begin_ns)
{
	struct flight *flight = &flights[correlation % FLIGHTS];
	struct slot old;

	pthread_mutex_lock(&lock);
	old = flight->slot;
	*flight = (struct flight){.correlation = correlation, .lane = lane, .begin_ns = begin_ns};
	pthread_mutex_unlock(&lock);
	buffers_cancel(&old);
}

struct lane *flights_lane(uint32_t correlation)
{
	struct flight *flight;
	struct lane *lane;

	pthread_mutex_lock(&lock);
	flight = flight_find(correlation);
	lane = flight ? flight->lane : NULL;
	pthread_mutex_unlock(&lock);
	return lane ? lane : buffers_lane();
}

static void graph_emit(const struct flight *flight)
{
	struct entry entry = {.kind = KIND_GRAPH_TRACE, .done = true};

	entry.op = flight->whole;
	entry.op.correlation = activity_correlation(entry.op.correlation);
	buffers_add(flight->lane, &entry, NULL);
}

void flights_return(uint32_t correlation, uint32_t ops, struct entry *entry)
{
	struct slot slot = {0};
	struct flight *flight, graph = {0};
	bool late = false, kept = true;

	if (ops == 1 && entry)
		kept = buffers_add(flights_lane(correlation), entry, &slot);
	pthread_mutex_lock(&lock);
	flight = flight_find(correlation);
	if (flight) {
		late = flight->arrived; /* its record is there already */
		flight->expected = ops;
		flight->slot = late ? (struct slot){0} : slot;
		flight->lost = !kept;
		if (flight->whole.graph && flight->arrived == ops)
			graph = *flight;
	}
	pthread_mutex_unlock(&lock);
	if (!kept && flight && !late)
		buffers_dropped();
	if (late || !flight)
		buffers_cancel(&slot);
	if (graph.whole.graph)
		graph_emit(&graph);
}

/* Part of a graph that is one record: true, and the record is out with the last part. */
static bool graph_takes(const struct sim_record *op)
{
	struct flight *flight, graph = {0};

	if (!op->graph || !activity_wants(KIND_GRAPH_TRACE, op->context))
		return false;
	pthread_mutex_lock(&lock);
	flight = flight_find(op->correlation);
	if (flight) {
		struct sim_record *whole = &flight->whole;
		if (!flight->arrived++)
			*whole = *op;
		if (op->start_ns < whole->start_ns)
			whole->start_ns = op->start_ns;
		if (op->end_ns > whole->end_ns)
			whole->end_ns = op->end_ns;
		if (flight->arrived == flight->expected)
			graph = *flight;
	}
	pthread_mutex_unlock(&lock);
	if (graph.whole.graph)
		graph_emit(&graph);
	return flight;
}

static enum kind flight_kind(const struct sim_record *op)
{
	switch (op->kind) {
	case SIM_MEMCPY:
		return KIND_MEMCPY;
	case SIM_MEMCPY_PEER:
		return KIND_MEMCPY2;
	case SIM_MEMSET:
		return KIND_MEMSET;
	case SIM_KERNEL:
		break;
	}
	return activity_kernel_kind(op->context);
}

/* Clocks of host and device differ by a little: now and then a kernel starts before its launch. */
static void flight_skew(struct sim_record *op, int64_t begin_ns) /* locked */
{
	const struct knobs *k = knobs();

	if (op->kind == SIM_KERNEL && k->skew_every && ++kernels % k->skew_every == 0)
		op->start_ns = begin_ns - k->skew_ns;
}

void flights_op(const struct sim_record *op)
{
	struct entry entry = {.kind = flight_kind(op), .done = true};
	struct lane *lane = NULL;
	struct slot slot = {0};
	struct flight *flight;
	bool lost = false;

	if (graph_takes(op))
		return;
	entry.op = *op;
	pthread_mutex_lock(&lock);
	flight = flight_find(op->correlation);
	if (flight) {
		flight->arrived++;
		slot = flight->slot;
		lost = flight->lost;
		lane = flight->lane;
		flight->slot = (struct slot){0};
		flight_skew(&entry.op, flight->begin_ns);
	}
	pthread_mutex_unlock(&lock);
	entry.op.correlation = activity_correlation(op->correlation);
	if (slot.buffer && buffers_finish(&slot, &entry))
		return;
	if (!lost && activity_wants(entry.kind, op->context))
		buffers_add(lane ? lane : buffers_lane(), &entry, NULL);
}

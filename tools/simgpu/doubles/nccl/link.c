#include "doubles/nccl/link.h"

#include <pthread.h>
#include <stdlib.h>

#include "doubles/nccl/reduce.h"

static struct {
	double ns_per_byte, latency_ns, timeout_ns;
} knobs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static double number(const char *name, double usual)
{
	const char *text = getenv(name);
	char *end;
	double value = text ? strtod(text, &end) : 0;

	return text && end != text && *end == 0 && value > 0 ? value : usual;
}

static void read_knobs(void)
{
	double slow = number("SIMGPU_NCCL_SLOW", 1);

	knobs.ns_per_byte = slow / number("SIMGPU_NCCL_GBPS", 20);
	knobs.latency_ns = slow * 1e3 * number("SIMGPU_NCCL_LATENCY_US", 10);
	knobs.timeout_ns = 1e6 * number("SIMGPU_NCCL_TIMEOUT_MS", 300e3);
}

int64_t link_transfer_ns(const struct task *task, int ranks)
{
	double bytes = (double)(task->count * reduce_type_bytes(task->type));
	double others = (double)(ranks - 1);

	pthread_once(&once, read_knobs);
	switch (task->kind) {
	case TASK_ALLREDUCE:
		bytes *= 2 * others / ranks;
		break;
	case TASK_ALLGATHER:
	case TASK_REDUCESCATTER: /* counts are per rank */
		bytes *= others;
		break;
	default:
		break;
	}
	return (int64_t)(bytes * knobs.ns_per_byte);
}

int64_t link_latency_ns(void)
{
	pthread_once(&once, read_knobs);
	return (int64_t)knobs.latency_ns;
}

int64_t link_timeout_ns(void)
{
	pthread_once(&once, read_knobs);
	return (int64_t)knobs.timeout_ns;
}

int64_t link_skew_ns(uint64_t plan, int rank)
{
	uint64_t mixed = (plan * 64 + (uint64_t)rank + 1) * 0x9e3779b97f4a7c15u;

	return (int64_t)((mixed >> 32) % 1501);
}

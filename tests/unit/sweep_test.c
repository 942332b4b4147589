/* Working time: overlapping ops, the order in which they win, windows, the turn from wait to transfer. */
#include "attribute/sweep.h"
#include "check.h"

#include <string.h>

static struct sweep begin(int64_t from, int64_t to)
{
	struct sweep sweep;
	memset(&sweep, 0, sizeof(sweep));
	sweep.window_from = from;
	sweep.window_to = to;
	return sweep;
}

static void overlap(void)
{
	struct sweep s = begin(0, 100);
	sweep_op(&s, RANK_CUSTOM, 0, 0, 50);
	sweep_op(&s, RANK_MATMUL, 10, 0, 20);
	sweep_op(&s, RANK_MEMORY, 40, 0, 70);
	sweep_finish(&s);
	CHECK(s.time_ns[LEAF_WORK_MATMUL] == 10, "matmul does not win over custom");
	CHECK(s.time_ns[LEAF_WORK_CUSTOM] == 40, "custom has %lld of 40",
		  (long long)s.time_ns[LEAF_WORK_CUSTOM]);
	CHECK(s.time_ns[LEAF_WORK_MEMORY] == 20, "memory has %lld of 20",
		  (long long)s.time_ns[LEAF_WORK_MEMORY]);
	sweep_free(&s);
}

static void hidden_and_split(void)
{
	struct sweep s = begin(0, 100);
	sweep_op(&s, RANK_WAIT, 0, 30, 60); /* waits until 30 */
	sweep_op(&s, RANK_CUSTOM, 20, 0, 40);
	sweep_finish(&s);
	CHECK(s.time_ns[LEAF_NCCL_WAIT] == 20, "exposed wait");
	CHECK(s.time_ns[LEAF_NCCL_TRANSFER] == 20, "exposed transfer");
	CHECK(s.hidden_ns == 20, "NCCL hidden under compute: %lld of 20", (long long)s.hidden_ns);
	sweep_free(&s);
}

static void exposed_copies(void)
{
	struct sweep s = begin(0, 100);
	sweep_op(&s, RANK_COPY, 0, 0, 50);
	sweep_op(&s, RANK_WAIT, 10, 30, 40); /* a copy hides neither wait nor transfer */
	sweep_op(&s, RANK_MEMORY, 35, 0, 45);
	sweep_finish(&s);
	CHECK(s.time_ns[LEAF_COPY_EXPOSED] == 15, "copies have %lld of 15",
		  (long long)s.time_ns[LEAF_COPY_EXPOSED]);
	CHECK(s.time_ns[LEAF_NCCL_WAIT] == 20 && s.time_ns[LEAF_NCCL_TRANSFER] == 5, "NCCL");
	CHECK(s.hidden_ns == 5, "NCCL hidden under a copy: %lld of 5", (long long)s.hidden_ns);
	sweep_free(&s);
}

static void window_and_zero_length(void)
{
	struct sweep s = begin(10, 20);
	sweep_op(&s, RANK_OTHER, 0, 0, 15);
	sweep_op(&s, RANK_MATMUL, 12, 0, 12);
	sweep_op(&s, RANK_OTHER, 18, 0, 40);
	sweep_finish(&s);
	CHECK(s.time_ns[LEAF_WORK_OTHER] == 7, "time outside the window counts");
	CHECK(s.time_ns[LEAF_WORK_MATMUL] == 0, "an op of length zero has time");
	sweep_free(&s);
}

struct waits {
	int64_t ns, last_to;
	int error;
};

static int take_wait(void *context, int64_t from, int64_t to)
{
	struct waits *waits = context;
	CHECK(from >= waits->last_to && to > from, "[%lld, %lld) comes out of order", (long long)from,
		  (long long)to);
	waits->ns += to - from;
	waits->last_to = to;
	return waits->error;
}

/* Keeps out: a call that owes for the time in which the device waited for other ranks, or does not
 * owe for what ran beside the waiting. */
static void waiting_alone(void)
{
	struct sweep s = begin(0, 100);
	struct waits waits = {.last_to = 0};
	s.on_wait = take_wait;
	s.context = &waits;
	sweep_op(&s, RANK_WAIT, 0, 30, 60);
	sweep_op(&s, RANK_CUSTOM, 20, 0, 40);
	CHECK(sweep_reach(&s, 60) == 0 && waits.ns == 20 && waits.last_to == 20,
		  "[0, 20) waits alone, not %lld ns to %lld", (long long)waits.ns,
		  (long long)waits.last_to);
	sweep_op(&s, RANK_UNSPLIT, 70, 0, 80);
	sweep_op(&s, RANK_WAIT, 75, 90, 95);
	CHECK(sweep_reach(&s, 85) == 0 && waits.ns == 25, "NCCL that is not split counts as work");
	sweep_op(&s, RANK_WAIT, 150, 170, 180);
	sweep_op(&s, RANK_WAIT, 150, 160, 180);
	CHECK(sweep_finish(&s) == 0 && waits.ns == 25 + 5 + 10,
		  "%lld ns of waiting alone, not 40, windows or not", (long long)waits.ns);
	CHECK(s.time_ns[LEAF_NCCL_WAIT] == 20 + 10, "windows cut the leaf");
	sweep_free(&s);
	s = begin(0, 100);
	waits = (struct waits){.last_to = 0};
	s.on_wait = take_wait;
	s.context = &waits;
	sweep_op(&s, RANK_COPY, 0, 0, 30);
	sweep_op(&s, RANK_WAIT, 10, 40, 50);
	CHECK(sweep_finish(&s) == 0 && waits.ns == 10, "a copy that runs beside the wait is work");
	sweep_free(&s);
}

static void an_error_stays(void)
{
	struct sweep s = begin(0, 100);
	struct waits waits = {.error = -12};
	s.on_wait = take_wait;
	s.context = &waits;
	sweep_op(&s, RANK_WAIT, 0, 30, 60);
	CHECK(sweep_op(&s, RANK_WAIT, 40, 50, 60) == -12 && sweep_finish(&s) == -12, "it is passed on");
	CHECK(waits.last_to == 30, "nothing is told after an error");
	sweep_free(&s);
}

int main(void)
{
	overlap();
	hidden_and_split();
	exposed_copies();
	window_and_zero_length();
	waiting_alone();
	an_error_stays();
	return finish();
}

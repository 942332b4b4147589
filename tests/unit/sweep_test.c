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

int main(void)
{
	overlap();
	hidden_and_split();
	exposed_copies();
	window_and_zero_length();
	return finish();
}

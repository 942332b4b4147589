/* What ranks propose as steps, and on what they agree. */
#include "check.h"
#include "steps/period.h"
#include "steps/proposals.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, MOST = 8192, NAMES = 64 };

struct stage {
	struct launch_mark marks[MOST];
	size_t n;
};

static void put(struct stage *stage, uint32_t symbol)
{
	struct launch_mark mark = {.launch_ns = 1000 * (int64_t)stage->n, .symbol = symbol};
	stage->marks[stage->n++] = mark;
}

/* Micro-batches of 8 kernels forward and 8 back; `same`: an optimizer of kernels that the layers have
 * too, otherwise of 4 kernels of its own. */
static void run_stage(struct stage *stage, uint32_t micro, bool same)
{
	stage->n = 0;
	for (uint32_t step = 0; step < STEPS; step++) {
		for (uint32_t batch = 0; batch < micro; batch++)
			for (uint32_t i = 0; i < 16; i++)
				put(stage, i);
		for (uint32_t i = 0; i < (same ? 1 : 4); i++)
			put(stage, same ? 3 : 20 + i);
	}
}

static struct proposals propose(const struct stage *stage)
{
	struct proposals out;
	int64_t *begins;
	size_t n;
	CHECK(period_find(stage->marks, stage->n, &begins, &n) == 0, "memory");
	CHECK(proposals_find(stage->marks, stage->n, NAMES, begins, n, &out) == 0, "memory");
	free(begins);
	return out;
}

/* Keeps out: a stage without a kernel of its own optimizer that outvotes the others. */
static void agreement(void)
{
	static struct stage stage;
	struct proposals ranks[3];
	for (int rank = 0; rank < 3; rank++) {
		run_stage(&stage, 8, rank == 2);
		ranks[rank] = propose(&stage);
	}
	CHECK(proposals_best(&ranks[0], STEPS) && proposals_best(&ranks[0], STEPS)->n == STEPS,
		  "the optimizer's bursts are the steps");
	CHECK(proposals_best(&ranks[0], 8 * STEPS), "micro-batches are proposed too");
	CHECK(!proposals_best(&ranks[0], 5 * STEPS), "nothing is so often");
	uint32_t n = proposals_agree(ranks, 2);
	CHECK(n == STEPS || n == STEPS - 1, "two ranks agree on %u", n);
	for (int rank = 0; rank < 3; rank++)
		proposals_free(&ranks[rank]);
}

/* Keeps out: steps where every rank proposes something else; the larger of two equal numbers. */
static void choice(void)
{
	struct proposal one[] = {{.n = 10, .quality = 900}, {.n = 80, .quality = 905}};
	struct proposal two[] = {{.n = 11, .quality = 900}, {.n = 80, .quality = 905}};
	struct proposal other[] = {{.n = 40, .quality = 1000}};
	struct proposals ranks[] = {{one, 2}, {two, 2}, {other, 1}};
	CHECK(proposals_agree(ranks, 2) == 10, "equally good: the smaller, %u",
		  proposals_agree(ranks, 2));
	one[1].quality = two[1].quality = 950;
	CHECK(proposals_agree(ranks, 2) == 80, "better by more than a hundredth");
	CHECK(proposals_agree(ranks, 3) == 80, "two of three");
	one[1].quality = two[1].quality = 850;
	CHECK(proposals_agree(ranks, 3) == 10, "0.6 in the mean");
	one[0].quality = two[0].quality = one[1].quality = two[1].quality = 700;
	CHECK(proposals_agree(ranks, 3) == 0, "below 0.6");
	CHECK(proposals_agree(ranks, 0) == 0, "nobody");
	CHECK(proposals_near(100, 103) && !proposals_near(100, 104) && proposals_near(5, 6) &&
			  !proposals_near(5, 7),
		  "max(1, 3 %%)");
}

/* Keeps out: an index beyond the launches for what is launched once, or last. */
static void small(void)
{
	static struct stage stage;
	stage.n = 0;
	struct proposals none = propose(&stage);
	CHECK(none.n == 0, "no launches");
	for (uint32_t i = 0; i < 7; i++)
		put(&stage, i % 2);
	none = propose(&stage);
	CHECK(none.n <= 1, "few launches");
	proposals_free(&none);
}

int main(void)
{
	agreement();
	choice();
	small();
	return finish();
}

/* Pipelines (docs/ATTRIBUTION.md section 7): stages, micro-batches and chunks by what each stage sends
 * and receives; the bubble is called one, a slow stage stands before it with what it costs. */
#include "findings_run.h"
#include "conclude/pipeline.h"

enum { MESSAGE = 1000 * US };

/* Stages of one pipeline (or several) with so many messages: stage `slow` works 20 ms longer than the
 * 60 ms of the others, and the others wait for it. */
static void stages_of(struct summary *s, int32_t devices, const int64_t messages[3], int32_t slow)
{
	const int32_t stages = (int32_t)messages[0];
	begin(s);
	for (int32_t rank = 0; rank < devices; rank++) {
		const bool end = rank % stages == 0 || rank % stages == stages - 1;
		int64_t us[LEAF_COUNT] = {0}, sent[STEPS];
		us[LEAF_NCCL_UNSPLIT] = rank == slow ? 20000 : 40000;
		add_device(s, rank, us);
		for (int i = 0; i < STEPS; i++)
			sent[i] = messages[end ? 2 : 1] * MESSAGE / US;
		add_series(s, rank, "sent", sent, STEPS);
	}
	struct nccl_summary key = {
		.members = (uint32_t)stages, .bytes = MESSAGE, .max_bytes_moved = -1};
	summary_string(s, "SendRecv", &key.op);
	summary_string(s, "not full-synchronising", &key.reason);
	summary_nccl(s, &key)->count = 1;
	key.bytes = 2 * MESSAGE; /* one to and one from the neighbour */
	summary_nccl(s, &key)->count = 1;
}

static void schedules(void)
{
	static const struct {
		int32_t devices;
		int64_t messages[3];           /* stages, of an inner one, of an outer one */
		int64_t micro_batches, chunks; /* 0: not known */
	} cases[] = {
		{4, {4, 32, 16}, 8, 1}, /* 1F1B */
		{4, {4, 64, 48}, 8, 2}, /* two chunks of a stage */
		{4, {4, 96, 80}, 8, 3}, /* three */
		{8, {4, 32, 16}, 8, 1}, /* two pipelines */
		{2, {2, 0, 16}, 8, 1},  /* both are ends */
		{4, {4, 32, 32}, 0, 0}, /* a ring */
		{4, {4, 30, 16}, 0, 0}, /* no schedule has that */
		{4, {4, 32, 0}, 0, 0},  /* nothing known of two stages */
		{4, {4, 4, 2}, 0, 0},   /* one micro-batch: the bubble would be longer than all waiting */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct summary s;
		struct figures f;
		struct pipeline p;
		stages_of(&s, cases[i].devices, cases[i].messages, -1);
		summary_sort(&s);
		figures_compute(&s, &f);
		CHECK(pipeline_find(&s, &f, &p) == 0, "no memory");
		CHECK(p.stages == (cases[i].chunks ? cases[i].messages[0] : 0), "case %zu: %lld stages", i,
			  (long long)p.stages);
		CHECK(p.micro_batches == cases[i].micro_batches && p.chunks == cases[i].chunks,
			  "case %zu: %lld micro-batches, %lld chunks", i, (long long)p.micro_batches,
			  (long long)p.chunks);
		summary_free(&s);
	}
}

static void said(void)
{
	static const int64_t pipeline[] = {4, 32, 16}, ring[] = {4, 32, 32};
	struct summary s;
	struct findings all;
	stages_of(&s, 4, pipeline, -1); /* 60 ms of each, 8 micro-batches: 60 x 3 / 8 */
	make(&s, &all);
	is(&all, "bubble", 22500, "high");
	is(&all, "unsplit", 17500, "high");
	CHECK(strcmp(name_of(&all.at[all.n - 1]), "bubble") == 0, "the bubble stands before a loss");
	says(find(&all, "bubble"), "bubble", "Pipeline bubble: with 4 stages and 8 micro-batches",
		 "(p - 1) / (m v + p - 1) = 27.3 %");
	done(&s, &all);
	stages_of(&s, 4, pipeline, 2); /* 20 ms more: the step is as much longer */
	make(&s, &all);
	is(&all, "late_rank", 20000, "high");
	is(&all, "bubble", 20000, "high"); /* 35 that all wait, less 15 for that rank */
	done(&s, &all);
	stages_of(&s, 4, ring, -1); /* not known, not said */
	make(&s, &all);
	CHECK(!find(&all, "bubble"), "a bubble of nothing");
	is(&all, "unsplit", 40000, "high");
	done(&s, &all);
}

/* Two slow stages: healing one of them wins what it is slower than the other, and its own filling. */
static void next_slowest(void)
{
	struct summary s;
	int64_t ns = 0;
	const struct pipeline p = {.stages = 4, .micro_batches = 8, .chunks = 1};
	begin(&s);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_UNSPLIT] = rank == 1 ? 20000 : rank == 3 ? 24000 : 40000;
		add_device(&s, rank, us);
	}
	CHECK(pipeline_cost(&p, &s, 1, &ns) == 0 && ns == (20 * (int64_t)MS + 7 * 4 * (int64_t)MS) / 8,
		  "costs %lld", (long long)ns);
	summary_free(&s);
}

int main(void)
{
	schedules();
	said();
	next_slowest();
	return finish();
}

/* Think time (docs/ATTRIBUTION.md section 7, "A slower host"): the medians by step, and when a host
 * is called slower. */
#include "findings_run.h"
#include "attribute/think.h"

static const struct series *series_of(const struct summary *s, const char *what)
{
	for (size_t i = 0; i < s->n_series; i++)
		if (strcmp(summary_text(s, s->series[i].what), what) == 0)
			return &s->series[i];
	return NULL;
}

/* Calls of 2 us: `gap` after the one before. */
static int64_t call(struct think *t, uint32_t thread, int64_t at, int64_t gap)
{
	CHECK(think_add(t, thread, at + gap, at + gap + 2) == 0, "no memory");
	return at + gap + 2;
}

/* Keeps out: a gap that two threads make, a wait of a millisecond taken for thinking, a call inside
 * another one, calls before the first and after the last step. */
static void medians(void)
{
	const int64_t begins[] = {1000, 100000, 200000};
	struct steps steps;
	struct think t;
	struct summary s;
	int64_t at = 10;
	begin(&s);
	CHECK(steps_from_begins(begins, 3, 3000000, &steps) == 0, "no steps");
	CHECK(think_open(&t, &steps, 2, 4096) == 0, "no memory");
	for (int i = 0; i < 9; i++)
		at = call(&t, 0, at, 3);
	call(&t, 0, 1000, 0);
	at = 1002; /* step 0: gaps of 945, 60, 50 ... 10; the median is 40 */
	for (int i = 6; i > 0; i--) {
		CHECK(think_add(&t, 1, at + 10 * i - 1, at + 10 * i + 500) == 0, "no memory");
		at = call(&t, 0, at, 10 * i);
	}
	CHECK(think_add(&t, 0, 100000, 100500) == 0 && think_add(&t, 0, 100100, 100200) == 0 &&
			  think_add(&t, 0, 100507, 100510) == 0,
		  "no memory"); /* step 1: 98,784 ns since step 0, and 7 ns; one lies inside the first */
	CHECK(think_add(&t, 0, 200000, 200001) == 0 && think_add(&t, 0, 1200001, 1200002) == 0 &&
			  think_add(&t, 0, 1200011, 1200012) == 0 && think_add(&t, 0, 3000000, 3000001) == 0,
		  "no memory"); /* step 2: 99,490, a millisecond, 9; the last is after the steps */
	CHECK(think_store(&t, &s, 3, "host/0") == 0, "no memory");
	const struct series *think = series_of(&s, "think"), *calls = series_of(&s, "calls");
	CHECK(think && calls && think->steps == 3 && think->rank == 3, "no series");
	CHECK(think->ns[0] == 40 && think->ns[1] == 7 && think->ns[2] == 9, "medians %lld %lld %lld",
		  (long long)think->ns[0], (long long)think->ns[1], (long long)think->ns[2]);
	CHECK(calls->ns[0] == 13 && calls->ns[1] == 3 && calls->ns[2] == 3, "calls %lld %lld %lld",
		  (long long)calls->ns[0], (long long)calls->ns[1], (long long)calls->ns[2]);
	think_close(&t);
	steps_free(&steps);
	summary_free(&s);
}

/* Four ranks, of which the last is late in its framework code. It thinks `us` in `slow` of 20 steps,
 * else 10 as the others, and makes `calls` calls where they make 1,000. */
static struct finding late(int64_t us, int slow, int64_t calls)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_CPU_FRAMEWORK, 10000, 1000);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t think[STEPS], n[STEPS], caused[STEPS];
		for (int i = 0; i < STEPS; i++) {
			think[i] = rank == 3 && i < slow ? us : 10;
			n[i] = rank == 3 ? calls : 1000;
			caused[i] = rank == 3 ? 30000 + i % 3 : 0;
		}
		add_series(&s, rank, "think", think, STEPS);
		add_series(&s, rank, "calls", n, STEPS);
		add_series(&s, rank, "caused", caused, STEPS);
	}
	make(&s, &all);
	const struct finding found = *find(&all, "late_rank");
	done(&s, &all);
	return found;
}

static void slower_host(void)
{
	struct finding f = late(30, 15, 1019);
	says(&f, "late_rank", "in framework; its host needs 3.0 times as long between launches",
		 "for the same calls its host needs 3.0 times as long from one to the next (longer in 15 "
		 "of 20 steps)");
	CHECK(strstr(f.remedy, "use CUDA graphs") && strstr(f.remedy, "check that rank's host"),
		  "remedy: %s", f.remedy);
	f = late(30, 14, 1000);
	CHECK(!strstr(f.summary, "host"), "in less than three quarters: %s", f.summary);
	f = late(11, 20, 1000);
	CHECK(!strstr(f.summary, "host"), "by a tenth: %s", f.summary);
	f = late(30, 20, 1021);
	CHECK(!strstr(f.summary, "host") && !strstr(f.remedy, "host"), "other calls: %s", f.summary);
	CHECK(strstr(f.evidence, "it makes 1021000 CUDA calls per step, the others 1000000"),
		  "more calls: %s", f.evidence);
}

int main(void)
{
	medians();
	slower_host();
	return finish();
}

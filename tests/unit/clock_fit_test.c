/* The clock of a host from moments that two hosts have noted. Keeps out: a clock that is set within
 * the run and spreads its error over all of it, jumps that are none, and a residual that is smaller
 * than the error. */
#include "graph/clock_fit.h"
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

#define MS INT64_C(1000000)
#define MOST 4000

struct made { /* own clock = true + offset + drift + jumps */
	int64_t offset_ns, drift_ppb, jump_ns;
	int jump_every;      /* pairs from one jump to the next; 0: none */
	int64_t noise_ns;    /* ends differ by up to this */
	int outlier_every;   /* a pair that is 3 ms off; 0: none */
	bool back_and_forth; /* jumps go forward and back in turns */
};

static uint64_t state;

static int64_t below(int64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (int64_t)((state >> 33) % (uint64_t)n) : 0;
}

static int64_t jumps_until(const struct made *m, int pair)
{
	const int64_t n = m->jump_every ? pair / m->jump_every : 0;
	return m->back_and_forth ? n % 2 * m->jump_ns : n * m->jump_ns;
}

static int64_t own_at(const struct made *m, int64_t true_ns, int pair)
{
	return true_ns + m->offset_ns + true_ns / 1000000000 * m->drift_ppb +
		   true_ns % 1000000000 * m->drift_ppb / 1000000000 + jumps_until(m, pair);
}

/* A pair each 7 ms. */
static void make(const struct made *m, struct clock_pair *pairs, int n)
{
	for (int i = 0; i < n; i++) {
		const int64_t at = 7 * MS * i + below(MS);
		const bool out = m->outlier_every && i % m->outlier_every == m->outlier_every / 2;
		pairs[i].common_ns = at + below(m->noise_ns);
		pairs[i].own_ns = own_at(m, at + below(m->noise_ns), i) + (out ? 3 * MS : 0);
	}
}

/* The error at the pairs' true moments, where no jump is between a pair and its neighbours. */
static int64_t worst_error(const struct made *m, const struct host_offset *o, int n)
{
	int64_t worst = 0;
	for (int i = 0; i < n; i++) {
		const int64_t at = 7 * MS * i + MS / 2;
		const int64_t error = llabs(host_offset_time(o, own_at(m, at, i)) - at);
		const bool near =
			m->jump_every && (i % m->jump_every < 2 || i % m->jump_every > m->jump_every - 3);
		worst = error > worst && !near ? error : worst;
	}
	return worst;
}

static void fits(const char *what, const struct made *m, int n, uint32_t jumps)
{
	static struct clock_pair pairs[MOST];
	struct host_offset o;
	make(m, pairs, n);
	CHECK(clock_fit(pairs, (size_t)n, &o) == 0, "no memory");
	const int64_t worst = worst_error(m, &o, n);
	CHECK(o.n_jumps == jumps, "%s: %u jumps, not %u", what, o.n_jumps, jumps);
	CHECK(llabs(o.jump_ns - (jumps ? m->jump_ns : 0)) <= 2 * m->noise_ns + 100 ||
			  (jumps && llabs(o.jump_ns + m->jump_ns) <= 2 * m->noise_ns + 100),
		  "%s: the largest jump is %lld ns", what, (long long)o.jump_ns);
	CHECK(o.residual_ns <= 2 * m->noise_ns + 10, "%s: residual %lld ns", what,
		  (long long)o.residual_ns);
	CHECK(worst <= o.residual_ns + m->noise_ns / 4 + 20,
		  "%s: an error of %lld ns, residual %lld ns", what, (long long)worst,
		  (long long)o.residual_ns);
}

static void clocks(void)
{
	const struct made same = {.noise_ns = 1500}, drifts = {-5 * MS, 20000, .noise_ns = 1500};
	const struct made once = {5 * MS, -20000, MS, 150, 1500, 0, false};
	const struct made back = {5 * MS, 20000, -MS, 150, 1500, 0, false};
	const struct made there = {0, 0, MS, 100, 1500, 0, true};
	const struct made teeth = {MS, 3000, MS / 2, 20, 1500, 0, false};
	const struct made small = {MS, 3000, 30000, 150, 1500, 0, false};
	const struct made outliers = {MS, 10000, 0, 0, 1500, 25, false};
	const struct made both = {MS, 10000, -MS, 150, 1500, 25, false};
	for (state = 1; state < 20; state++) {
		const uint64_t seed = state;
		fits("one clock", &same, 200, 0);
		fits("an offset and a drift", &drifts, 4000, 0);
		fits("few pairs", &drifts, 5, 0);
		fits("a jump", &once, 300, 1);
		fits("a jump back", &back, 300, 1);
		fits("there and back", &there, 300, 2);
		fits("ten jumps", &teeth, 220, 10);
		fits("a jump of 30 us", &small, 300, 1);
		fits("outliers", &outliers, 300, 0);
		fits("a jump among outliers", &both, 300, 1);
		state = seed;
	}
}

/* More jumps than lines: the residual tells. */
static void too_many(void)
{
	static struct clock_pair pairs[MOST];
	const struct made wild = {.jump_ns = 5 * MS, .jump_every = 3, .back_and_forth = true};
	struct host_offset o;
	make(&wild, pairs, 600);
	CHECK(clock_fit(pairs, 600, &o) == 0, "no memory");
	CHECK(o.residual_ns > MS, "residual %lld ns", (long long)o.residual_ns);
}

/* Times from files may be anything: no sum of two overflows, and the offset stays a number. */
static void far_apart(void)
{
	const int64_t far = INT64_C(1) << 62;
	struct clock_pair pairs[12];
	struct host_offset o;
	for (int i = 0; i < 12; i++)
		pairs[i] = (struct clock_pair){i % 2 ? far : -far, -far + far / 6 * i};
	pairs[11].common_ns = far;
	CHECK(clock_fit(pairs, 12, &o) == 0, "no memory");
	CHECK(o.n_lines > 0 && o.residual_ns > 0 && o.residual_ns <= far, "residual %lld ns",
		  (long long)o.residual_ns);
	CHECK(llabs(o.jump_ns) <= far, "a jump of %lld ns", (long long)o.jump_ns);
	for (int i = 0; i < 12; i++)
		host_offset_time(&o, pairs[i].own_ns);
}

int main(void)
{
	struct host_offset none = {0};
	CHECK(host_offset_time(&none, 12345) == 12345, "a clock that is not aligned");
	clocks();
	too_many();
	far_apart();
	return finish();
}

/* A bridge whose waits are charged: to the leaf that makes a rank late, exactly, and never more than
 * there is. */
#include "conclude/charged.h"
#include "findings_run.h"

struct pair {
	struct summary base, run;
	const struct summary *of_base, *of_run;
	struct side sides[2];
	struct scaling_run runs[2];
	struct charged charged;
};

static void add_culprit(struct summary *s, uint32_t order, const char *cause, int32_t rank,
						int64_t gain_us)
{
	char key[32];
	key_of(rank, key);
	struct culprit_summary row = {
		.order = order, .rank = order ? rank : -1, .gain_ns = gain_us * US};
	summary_string(s, cause, &row.cause);
	if (order && rank >= 0)
		summary_string(s, key, &row.device);
	CHECK(summary_add(s, ROW_CULPRIT, &row) == 0, "no culprit");
}

/* Charges the run against the base, and checks what holds of every pair. */
static const struct charged *charge(struct pair *p)
{
	struct scaling_result result;
	struct change change;
	const struct change_sides sides = {&p->sides[1], &p->sides[0], &p->runs[1], &p->runs[0]};
	p->of_base = &p->base;
	p->of_run = &p->run;
	CHECK(side_open(&p->sides[0], &p->of_base, 1) == 0 &&
			  side_open(&p->sides[1], &p->of_run, 1) == 0,
		  "no memory");
	p->runs[0] = (struct scaling_run){.figures = &p->sides[0].mean};
	p->runs[1] = (struct scaling_run){.figures = &p->sides[1].mean};
	scaling_compute(p->runs, 2, (struct scaling_wanted){SCALING_WEAK, true}, &result);
	CHECK(change_find(&sides, &change) == 0 && charged_open(&p->charged, &sides, &change) == 0,
		  "no memory");
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += p->charged.terms_ns[leaf];
	CHECK(sum == p->runs[1].loss_ns, "charged terms add up to %lld, the loss is %lld",
		  (long long)sum, (long long)p->runs[1].loss_ns);
	for (int from = 0; from < CHARGE_FROM; from++) {
		const int64_t term_ns = p->runs[1].terms_ns[charge_from[from]];
		int64_t moved_ns = 0;
		for (size_t i = 0; i < p->charged.n; i++)
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
				moved_ns += p->charged.at[i].moved_ns[from][leaf];
		CHECK(term_ns >= 0 ? moved_ns >= 0 && moved_ns <= term_ns
						   : moved_ns <= 0 && moved_ns >= term_ns,
			  "%lld moved of a term of %lld", (long long)moved_ns, (long long)term_ns);
	}
	return &p->charged;
}

static void close_pair(struct pair *p)
{
	charged_close(&p->charged);
	side_close(&p->sides[0]);
	side_close(&p->sides[1]);
	summary_free(&p->base);
	summary_free(&p->run);
}

static void term(const struct charged *c, enum leaf leaf, int64_t us)
{
	CHECK(llabs(c->terms_ns[leaf] - us * US) <= 8, "%s is charged %lld ns, not %lld us",
		  leaf_name(leaf), (long long)c->terms_ns[leaf], (long long)us);
}

/* One of four is late by 8 ms: 2 of its own, as a mean, and 6 of the others. */
static void one_rank(bool replayed, int64_t gain_us)
{
	struct pair p;
	straggling(&p.base, 4, LEAF_HOST_INPUT, 0, 0);
	straggling(&p.run, 4, LEAF_HOST_INPUT, 8000, 0);
	if (replayed) {
		summary_string(&p.run, "cupti", &p.run.run.mode);
		add_culprit(&p.run, 0, "", -1, 0);
		add_culprit(&p.run, 1, "input", 3, gain_us);
	}
	const struct charged *c = charge(&p);
	CHECK(c->run.by == (replayed ? CHARGES_BY_REPLAY : CHARGES_BY_RULES), "how it is known");
	CHECK(c->n == 1 && c->at[0].run->rank == 3 && c->at[0].run->leaf == LEAF_HOST_INPUT,
		  "rank 3 and its input");
	CHECK(charge_own(c->at[0].run) == (gain_us < 8000 ? gain_us / 4 : 2000) * US, "its own time");
	term(c, LEAF_HOST_INPUT, 8000);
	term(c, LEAF_NCCL_WAIT, 0);
	close_pair(&p);
}

/* Keeps out: all that is waited for two ranks, put down to one of them. Both are late by 8 ms. */
static void two_ranks(void)
{
	struct pair p;
	straggling(&p.base, 4, LEAF_HOST_INPUT, 0, 0);
	straggling(&p.run, 4, LEAF_HOST_INPUT, 8000, 0);
	p.run.devices[1].time_ns[LEAF_HOST_BLOCKED] = p.run.devices[1].time_ns[LEAF_NCCL_WAIT];
	p.run.devices[1].time_ns[LEAF_NCCL_WAIT] = 0;
	summary_string(&p.run, "cupti", &p.run.run.mode);
	add_culprit(&p.run, 0, "", -1, 0);
	add_culprit(&p.run, 1, "input", 3, 8000);
	struct culprit_summary *row = &p.run.culprits[1];
	summary_string(&p.run, "blocked", &row->with_cause);
	row->with_device = p.run.devices[1].key;
	row->with_rank = 1;
	const struct charged *c = charge(&p);
	CHECK(c->n == 2 && c->run.n == 2 && c->run.at[0].rank == 3 && c->run.at[1].rank == 1, "both");
	term(c, LEAF_HOST_INPUT, 4000);
	term(c, LEAF_HOST_BLOCKED, 4000);
	term(c, LEAF_NCCL_WAIT, 0);
	close_pair(&p);
}

/* What only one of two equal runs shows makes no change. */
static void bound(void)
{
	struct pair p;
	straggling(&p.base, 4, LEAF_HOST_INPUT, 8000, 0);
	straggling(&p.run, 4, LEAF_HOST_INPUT, 8000, 0);
	summary_string(&p.base, "cupti", &p.base.run.mode);
	add_culprit(&p.base, 0, "", -1, 0); /* the replay found nobody there */
	const struct charged *c = charge(&p);
	CHECK(c->n == 1 && c->at[0].run && !c->at[0].base, "a culprit of one run");
	term(c, LEAF_HOST_INPUT, 0);
	term(c, LEAF_NCCL_WAIT, 0);
	close_pair(&p);
}

/* Ranks wait as long as before, for another one and another reason. */
static void another(void)
{
	struct pair p;
	straggling(&p.base, 4, LEAF_HOST_INPUT, 8000, 0);
	straggling(&p.run, 4, LEAF_HOST_ALLOC, 8000, 0);
	const struct charged *c = charge(&p);
	CHECK(c->n == 2, "%zu culprits", c->n);
	term(c, LEAF_HOST_INPUT, -8000);
	term(c, LEAF_HOST_ALLOC, 8000);
	term(c, LEAF_NCCL_WAIT, 0);
	close_pair(&p);
}

/* A rank that the replay names and that does nothing else than the others is charged with nothing,
 * however much they wait for it. */
static void without_own_time(void)
{
	struct pair p;
	straggling(&p.base, 4, LEAF_HOST_INPUT, 0, 0);
	straggling(&p.run, 4, LEAF_HOST_INPUT, 8000, 0);
	summary_string(&p.run, "cupti", &p.run.run.mode);
	add_culprit(&p.run, 0, "", -1, 0);
	add_culprit(&p.run, 1, "alloc", 1, 3000);
	const struct charged *c = charge(&p);
	CHECK(c->n == 0, "%zu culprits", c->n);
	term(c, LEAF_HOST_INPUT, 2000);
	term(c, LEAF_NCCL_WAIT, 6000);
	close_pair(&p);
}

/* A cause of all ranks, who are late by turns: the waits beyond its own time. */
static void everywhere(void)
{
	struct pair p;
	for (int side = 0; side < 2; side++) {
		struct summary *s = side ? &p.run : &p.base;
		begin(s);
		for (int32_t rank = 0; rank < 4; rank++) {
			int64_t us[LEAF_COUNT] = {0};
			us[LEAF_HOST_BLOCKED] = side ? 3000 : 0;
			us[LEAF_NCCL_WAIT] = side ? 5000 : 1000;
			add_device(s, rank, us);
		}
	}
	summary_string(&p.run, "cupti", &p.run.run.mode);
	add_culprit(&p.run, 0, "", -1, 0);
	add_culprit(&p.run, 1, "blocked", -1, 6500);
	const struct charged *c = charge(&p);
	CHECK(c->n == 1 && c->at[0].run->rank == -1 && !c->at[0].run->device[0], "of no single rank");
	term(c, LEAF_HOST_BLOCKED, 6500);
	term(c, LEAF_NCCL_WAIT, 500);
	close_pair(&p);
}

static void random_pairs(void)
{
	static const char *const causes[] = {"input", "kernels",  "host",
										 "alloc", "sync.mid", "even_host"};
	srand(3);
	for (int round = 0; round < 500; round++) {
		struct pair p;
		for (int side = 0; side < 2; side++) {
			struct summary *s = side ? &p.run : &p.base;
			begin(s);
			summary_string(s, rand() % 2 ? "cupti" : "import", &s->run.mode);
			for (int32_t rank = 0; rank < 4; rank++) {
				int64_t us[LEAF_COUNT] = {0};
				for (int leaf = 1; leaf < LEAF_COUNT; leaf++)
					us[leaf] = rand() % 3 ? 0 : rand() % 3000;
				add_device(s, rank, us);
				add_late(s, rank, (uint64_t)(rand() % 200), 400, rand() % 9000);
			}
			add_nccl(s, "AllReduce", "", rand() % 3);
			for (uint32_t order = 0; rand() % 4 && order < 4; order++)
				add_culprit(s, order, order ? causes[rand() % 6] : "", order ? rand() % 5 - 1 : -1,
							rand() % 9000);
		}
		charge(&p);
		close_pair(&p);
	}
}

int main(void)
{
	one_rank(false, 8000);
	one_rank(true, 8000);
	one_rank(true, 3000); /* the least that others wait for it: it causes all of the wait */
	two_ranks();
	bound();
	another();
	without_own_time();
	everywhere();
	random_pairs();
	return finish();
}

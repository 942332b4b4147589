/* Who is late as the replay found it: its gain is the loss, whatever the counts of collectives say;
 * a bubble comes after what can be cured. */
#include "conclude/replay_late.h"
#include "findings_run.h"

static void add_culprit(struct summary *s, const char *cause, int32_t rank, int64_t gain_us)
{
	static uint32_t order;
	char key[32];
	key_of(rank, key);
	order = cause[0] ? order + 1 : 0;
	struct culprit_summary row = {
		.order = order, .rank = cause[0] ? rank : -1, .steps = 7, .gain_ns = gain_us * US};
	row.limit_ns = row.gain_ns;
	summary_string(s, cause, &row.cause);
	if (cause[0] && rank >= 0)
		summary_string(s, key, &row.device);
	CHECK(summary_add(s, ROW_CULPRIT, &row) == 0, "no culprit");
}

/* Two levels of groups: rank 3 is seldom last itself, rank 0 hands its lateness on. */
static void two_levels(struct summary *s)
{
	begin(s);
	summary_string(s, "cupti", &s->run.mode);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_WAIT] = rank == 3 ? 0 : 8000;
		us[LEAF_NCCL_TRANSFER] = rank == 3 ? 1000 : 6000;
		us[LEAF_HOST_BLOCKED] = rank == 3 ? 12000 : 0;
		add_device(s, rank, us);
		add_late(s, rank, rank == 0 ? 300 : 40, 400, rank == 0 ? 20000 : 2000);
	}
	add_nccl(s, "AllReduce", "", 1);
}

static void through_groups(void)
{
	struct summary s;
	struct findings all;
	two_levels(&s);
	add_culprit(&s, "", 0, 500);
	add_culprit(&s, "blocked", 3, 12000);
	make(&s, &all);
	is(&all, "late_rank", 12000, "high");
	says(&all.at[0], "late_rank", "Rank 3 makes each step 12.0 ms longer; it spends 12.0 ms more",
		 "blocked 12.0 ms, the others 0.0 ms");
	CHECK(all.at[0].gain_known && all.at[0].gain_ns == 12000 * US, "its gain");
	const struct finding_whom *whom = &all.at[0].whom;
	CHECK(whom->device_known && whom->device == 3 && whom->rank == 3 && !whom->host.at &&
			  strcmp(whom->cause, "blocked") == 0,
		  "of whom it is: rank %d, %s", whom->rank, whom->cause);
	CHECK(all.at[1].whom.rank == -1 && !all.at[1].whom.device_known && !all.at[1].whom.cause,
		  "a loss of all is nobody's");
	counted(&all, 1, "the wait and the transfers that it exposes are its");
	is(&all, "transfer", 500, "none"); /* what no transfer at all would win */
	done(&s, &all);
}

/* Without the replay the counts would name rank 0. */
static void nobody(void)
{
	struct summary s;
	struct findings all;
	two_levels(&s);
	add_culprit(&s, "", 0, 500);
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "the replay clears all ranks of a recording");
	findings_free(&all);
	s.run.mode = 0;
	summary_string(&s, "import", &s.run.mode);
	make(&s, &all);
	CHECK(find(&all, "late_rank") || find(&all, "wait"), "of an import the counts are asked");
	done(&s, &all);
}

static void bubble(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	summary_string(&s, "cupti", &s.run.mode);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_UNSPLIT] = rank == 2 ? 20000 : 30000;
		add_device(&s, rank, us);
	}
	add_nccl(&s, "SendRecv", "not full-synchronising", 0);
	add_culprit(&s, "", 0, 1300);
	add_culprit(&s, "kernels", 2, 8000);
	make(&s, &all);
	says(&all.at[0], "late_rank", "Rank 2 makes each step 8.0 ms longer", "work");
	says(&all.at[1], "unsplit", "bubble", "without any transfer a step would be 1.3 ms shorter");
	CHECK(all.at[1].share_ns > all.at[0].share_ns, "it is larger and comes after");
	done(&s, &all);
}

/* A cause of all ranks makes them late by turns: what it wins beyond its own time is waiting, then
 * transfers. Findings stand in the order of what they win. */
static void of_all(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	summary_string(&s, "cupti", &s.run.mode);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_HOST_BLOCKED] = 7000;
		us[LEAF_HOST_SYNC] = 3000;
		us[LEAF_NCCL_WAIT] = 5000;
		us[LEAF_NCCL_TRANSFER] = 2000;
		us[LEAF_HOST_ALLOC] = 2500;
		add_device(&s, rank, us);
	}
	add_culprit(&s, "", 0, 1500);
	add_culprit(&s, "alloc", -1, 8000);
	add_culprit(&s, "blocked", -1, 5000);
	add_culprit(&s, "sync.end", -1, 2000);
	add_culprit(&s, "sync.mid", -1, 2600);
	add_culprit(&s, "even_host", -1, 400);
	make(&s, &all);
	says(&all.at[0], "alloc", "allocated", "5.5 ms of it is NCCL time");
	says(&all.at[1], "blocked", "sleeps", "");
	says(&all.at[2], "sync", "drain", "");
	CHECK(all.at[0].gain_ns == 8000 * US && all.at[0].share_ns == 8000 * US, "the waits: %lld",
		  (long long)all.at[0].share_ns);
	CHECK(all.at[1].gain_ns == 5000 * US && all.at[1].share_ns == 7000 * US,
		  "its own, and no more");
	CHECK(all.at[2].gain_ns == 4600 * US && all.at[2].share_ns == 3000 * US, "no waits are left");
	is(&all, "transfer", 1500, "none");
	CHECK(!find(&all, "wait"), "what is left of the waits is nothing");
	done(&s, &all);
}

/* Waiting that nothing even would win is what others cause; what it would win counts. */
static void even(void)
{
	static const struct {
		int64_t gain_us;
		const char *severity;
	} runs[] = {{0, "low"}, {6000, "medium"}, {20000, "high"}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct summary s;
		struct findings all;
		begin(&s);
		summary_string(&s, "cupti", &s.run.mode);
		for (int32_t rank = 0; rank < 4; rank++)
			add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 12000});
		add_culprit(&s, "", 0, 0);
		if (runs[i].gain_us)
			add_culprit(&s, "even_host", -1, runs[i].gain_us);
		make(&s, &all);
		is(&all, "wait", 12000, runs[i].severity);
		CHECK(all.n > 0 && all.at[0].gain_known && all.at[0].gain_ns == runs[i].gain_us * US,
			  "its gain");
		done(&s, &all);
	}
}

/* Keeps out: an unsteady host without its gain, or with the long stretches counted twice. */
static void unsteady(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	summary_string(&s, "cupti", &s.run.mode);
	for (int32_t rank = 0; rank < 4; rank++)
		add_device(
			&s, rank,
			(int64_t[LEAF_COUNT]){
				[LEAF_CPU_FRAMEWORK] = 6000, [LEAF_HOST_CODE] = 4000, [LEAF_NCCL_WAIT] = 5000});
	add_culprit(&s, "", 0, 0);
	add_culprit(&s, "steady_host", -1, 9000);
	add_culprit(&s, "code", -1, 800);
	make(&s, &all);
	says(&all.at[0], "framework", "cannot launch",
		 "the same host work takes longer in some steps than in most; 3.0 ms of it is in stretches "
		 "of 1 ms and more");
	CHECK(all.at[0].gain_ns == 9000 * US && all.at[0].share_ns == 9000 * US &&
			  all.at[0].reference == REFERENCE_STEPS,
		  "%lld", (long long)all.at[0].share_ns);
	CHECK(strstr(all.at[0].remedy, "disturbs the host") &&
			  strstr(all.at[0].remedy, "fewer launches: CUDA graphs"),
		  "%s", all.at[0].remedy);
	is(&all, "host_code", 1000, "none");
	is(&all, "wait", 5000, "low");
	findings_free(&all);
	summary_evidence(&s, "host/0", LEAF_CPU_LAUNCH_CALL, "cudaGraphLaunch", 1, 1);
	make(&s, &all);
	CHECK(strstr(all.at[0].remedy, "disturbs the host") &&
			  strstr(all.at[0].remedy, "remaining single launches"),
		  "graphs are advised to who has them: %s", all.at[0].remedy);
	done(&s, &all);
}

/* Keeps out: a number for what the replay cannot know. */
static void unsized(void)
{
	static const int64_t unexplained_us[] = {4000, 6000};
	for (int i = 0; i < 2; i++) {
		struct summary s;
		struct findings all;
		two_levels(&s);
		add_culprit(&s, "", 0, 500);
		s.culprits[0].step_ns = 100000 * US;
		s.culprits[0].unexplained_ns = unexplained_us[i] * US;
		add_culprit(&s, "blocked", 3, 9000);
		add_culprit(&s, "kernels", 3, 3000);
		for (int k = 1; k < 3; k++) {
			s.culprits[k].low_ns = s.culprits[k].gain_ns - 100 * US;
			s.culprits[k].high_ns = s.culprits[k].gain_ns + 200 * US;
		}
		make(&s, &all);
		const struct finding *f = &all.at[0];
		CHECK(f->gain_low_ns == 11800 * US && f->gain_high_ns == 12400 * US &&
				  f->reference == REFERENCE_PEERS && f->gain_unsized == (i == 1),
			  "both causes of the rank: %lld to %lld", (long long)f->gain_low_ns,
			  (long long)f->gain_high_ns);
		CHECK(!strstr(f->evidence, "does not explain 6.0 % of the critical path") == (i == 0), "%s",
			  f->evidence);
		done(&s, &all);
	}
}

/* Keeps out: another cause's gain for what uneven work makes ranks wait, and that loss gone. */
static void even_first(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	summary_string(&s, "cupti", &s.run.mode);
	for (int32_t rank = 0; rank < 4; rank++)
		add_device(&s, rank,
				   (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 9000, [LEAF_HOST_SYNC] = 3000});
	add_culprit(&s, "", 0, 100);
	add_culprit(&s, "even_kernels", -1, 9000);
	add_culprit(&s, "sync.device", -1, 9500);
	make(&s, &all);
	is(&all, "wait", 9000, "medium");
	is(&all, "sync", 3000, "low");
	CHECK(all.at[0].id == FINDING_WAIT, "the first culprit comes first");
	done(&s, &all);
}

/* Keeps out: a loss of which curing it wins nothing before the one that it comes from. */
static void wins_nothing(void)
{
	for (uint32_t steps = STEPS - 1; steps <= STEPS; steps++) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < 4; rank++)
			add_device(&s, rank,
					   (int64_t[LEAF_COUNT]){[LEAF_HOST_BLOCKED] = 20000,
											 [LEAF_HOST_NO_CORE] = 9000,
											 [LEAF_CPU_FRAMEWORK] = 12000});
		add_culprit(&s, "", 0, 100);
		s.culprits[0].steps = steps;
		s.culprits[0].step_ns = 100000 * US;
		add_culprit(&s, "no_core", -1, 9000);
		make(&s, &all);
		const bool all_steps = steps == STEPS;
		CHECK(all.at[0].id == (all_steps ? FINDING_FRAMEWORK : FINDING_BLOCKED),
			  "what the replay does not ask for stands by its time");
		CHECK(all.at[1].id == (all_steps ? FINDING_NO_CORE : FINDING_FRAMEWORK) &&
				  all.at[2].id == (all_steps ? FINDING_BLOCKED : FINDING_NO_CORE),
			  "of steps that were not replayed nothing is known");
		done(&s, &all);
	}
}

/* Keeps out: the same where the replay has not asked, or not so exactly. */
static void not_asked(void)
{
	static const struct {
		const char *culprits[4];
		int64_t times; /* the launches */
		bool known;
	} runs[] = {{{"no_core"}, 1, true},
				{{"no_core", "input", "alloc"}, 1, true},
				{{"no_core", "input", "alloc", "code"}, 1, false},
				{{"no_core", "blocked"}, 1, false},
				{{"no_core"}, 100, false}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct summary s;
		begin(&s);
		for (int32_t rank = 0; rank < 4; rank++)
			add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_HOST_BLOCKED] = 20000})->launches *=
				runs[i].times;
		add_culprit(&s, "", 0, 100);
		s.culprits[0].steps = STEPS;
		s.culprits[0].step_ns = 100000 * US;
		for (size_t k = 0; k < 4 && runs[i].culprits[k]; k++)
			add_culprit(&s, runs[i].culprits[k], -1, 9000);
		const int64_t ns = replay_rank_of_other(&s, FINDING_BLOCKED, 20000 * US);
		CHECK(ns == (runs[i].known ? 400 : 20000) * US, "run %zu: %lld", i, (long long)ns);
		summary_free(&s);
	}
}

/* Keeps out: another reason than the replay's, where the device has no more of that than others. */
static void why(void)
{
	static const struct {
		int64_t gain_us, own_us, others_us;
		const char *cause, *text, *evidence;
	} runs[] = {
		{30000, 0, 0, "input", "the replay finds input there: without it the step would be 30.0 ms",
		 "blocked 12"},
		{30000, 9, 9, "input", "its time in input is why", "input 0.0 ms, the others 0.0 ms"},
		{30000, 1000, 1400, "input", "without its waits in input the step would be 30.0 ms shorter",
		 "input 1.0 ms, the others 1.4 ms"},
		{30000, 1000, 0, "kernels", "with kernels as fast as the others' the step would be 30.0 ms",
		 "work 86.0 ms, the others 86.0 ms"},
		{24000, 0, 0, "input", "the replay finds input there: without it the step would be 24.0 ms",
		 "blocked 12"}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct summary s;
		struct findings all;
		two_levels(&s);
		for (size_t device = 0; device < s.n_devices; device++) {
			const int64_t us = device == 3 ? runs[i].own_us : runs[i].others_us;
			s.devices[device].time_ns[LEAF_HOST_INPUT] = us * US * STEPS;
			s.devices[device].time_ns[LEAF_WORK_MATMUL] -= us * US * STEPS;
		}
		add_culprit(&s, "", 0, 500);
		add_culprit(&s, strcmp(runs[i].cause, "kernels") == 0 ? "kernels" : "input", 3,
					runs[i].gain_us);
		make(&s, &all);
		says(&all.at[0], "late_rank", runs[i].text, runs[i].evidence);
		CHECK(runs[i].own_us || runs[i].others_us || !strstr(all.at[0].evidence, "input 0.0"),
			  "no evidence at all: %s", all.at[0].evidence);
		const char *cause = strcmp(runs[i].cause, "kernels") == 0 ? "work" : runs[i].cause;
		CHECK(strcmp(all.at[0].whom.cause, cause) == 0, "%s", all.at[0].whom.cause);
		done(&s, &all);
	}
}

/* Keeps out: of several slow ranks each with a lateness that curing it alone does not win. */
static void several(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	summary_string(&s, "cupti", &s.run.mode);
	for (int32_t rank = 0; rank < 6; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_WAIT] = rank == 0 ? 12000 : 2000 * (rank - 1);
		add_device(&s, rank, us);
		add_late(&s, rank, rank == 1 ? 400 : 0, 400, rank == 1 ? 60000 : 0);
	}
	add_nccl(&s, "AllReduce", "", 1);
	add_culprit(&s, "", 0, 0);
	for (int32_t rank = 1; rank < 6; rank++)
		add_culprit(&s, "kernels", rank, 4000 - 500 * rank);
	make(&s, &all);
	CHECK(all.at[0].others.n == 0 && !strstr(all.at[0].summary, "same loss"),
		  "one after the other");
	findings_free(&all);
	for (size_t i = 1; i < s.n_culprits; i++)
		s.culprits[i].group = 1;
	make(&s, &all);
	says(&all.at[0], "late_rank", "Rank 1 makes each step 3.5 ms longer", "work 100.0 ms");
	says(&all.at[0], "late_rank",
		 "rank 2, rank 3, rank 4 and 1 more have the same loss, and curing all wins 12.5 ms", "");
	CHECK(all.at[0].others.n == 4 && all.at[0].gain_ns == 3500 * US, "its part");
	findings_free(&all);
	s.n_culprits = 3;
	make(&s, &all);
	says(&all.at[1], "late_rank", "rank 1 has the same loss, and curing all wins 6.5 ms", "");
	findings_free(&all);
	add_culprit(&s, "blocked", 1, 700); /* what the finding wins is of both causes */
	make(&s, &all);
	says(&all.at[0], "late_rank", "rank 2 has the same loss, and curing all wins 7.2 ms", "");
	findings_free(&all);
	s.n_culprits = 3; /* a part is small, what all win is not */
	s.culprits[1].gain_ns = s.culprits[1].limit_ns = 900 * US;
	s.culprits[2].gain_ns = s.culprits[2].limit_ns = 1300 * US;
	make(&s, &all);
	size_t low = 0;
	for (size_t i = 0; i < all.n; i++)
		low += all.at[i].id == FINDING_LATE_RANK && all.at[i].severity == SEVERITY_LOW;
	CHECK(low == 2, "%zu of two are findings", low);
	done(&s, &all);
}

/* Keeps out: a second rank that is named nowhere, because the first one has another cause too. */
static void partly_together(void)
{
	struct summary s;
	struct findings all;
	two_levels(&s);
	add_culprit(&s, "", 0, 0);
	add_culprit(&s, "kernels", 3, 9000);
	add_culprit(&s, "blocked", 3, 5000);
	struct culprit_summary *pair = &s.culprits[2];
	summary_string(&s, "input", &pair->with_cause);
	pair->with_rank = 1;
	pair->alone_ns = 100 * US;
	make(&s, &all);
	says(&all.at[0], "late_rank", "5.0 ms of it pay only together with rank 1 (input)", "");
	CHECK(all.at[0].joint == pair && all.at[0].gain_ns == 14000 * US, "of both causes and rank 1");
	CHECK(all.at[0].gain_alone_ns == -1, "by itself it was not asked");
	findings_free(&all);
	s.culprits[1].device = s.culprits[1].host = 0;
	s.culprits[1].cause = s.culprits[0].cause;
	make(&s, &all);
	says(&all.at[0], "late_rank", "it pays only together with rank 1 (input)", "");
	done(&s, &all);
}

/* Keeps out: a small gain as all that a loss costs, where one that is cured before it hides it. */
static void by_itself(void)
{
	struct summary s;
	struct findings all;
	two_levels(&s);
	add_culprit(&s, "", 0, 0);
	add_culprit(&s, "kernels", 3, 9000);
	add_culprit(&s, "blocked", 3, 1000);
	s.culprits[1].alone_ns = 9500 * US; /* of both: the first one's row says it */
	make(&s, &all);
	CHECK(all.at[0].gain_ns == 10000 * US && all.at[0].gain_alone_ns == 9500 * US,
		  "of a rank with two causes: %lld", (long long)all.at[0].gain_alone_ns);
	findings_free(&all);
	s.culprits[2].device = s.culprits[2].host = 0;
	s.culprits[2].alone_ns = 7000 * US;
	make(&s, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].id == FINDING_BLOCKED)
			CHECK(all.at[i].gain_ns == 1000 * US && all.at[i].gain_alone_ns == 7000 * US,
				  "of a loss of all: %lld", (long long)all.at[i].gain_alone_ns);
	done(&s, &all);
}

static struct culprit_summary gain_of(uint32_t order, int64_t gain_ns, int64_t alone_ns)
{
	return (struct culprit_summary){.order = order, .gain_ns = gain_ns, .alone_ns = alone_ns};
}

/* What a culprit wins by itself and beside others puts it before those that it wins a fifth more than,
 * and before no other one. */
static void in_order(void)
{
	struct summary s;
	begin(&s);
	struct culprit_summary rows[] = {gain_of(0, 0, 0), gain_of(1, 100000, 100000),
									 gain_of(2, 10000, 10000), gain_of(3, 104000, 104000)};
	s.culprits = rows;
	s.n_culprits = 4;
	CHECK(replay_rank_ns(&s, &rows[1]) == 100000 && replay_rank_ns(&s, &rows[2]) == 10000,
		  "the first");
	CHECK(replay_rank_ns(&s, &rows[3]) == 99999, "a little more: %lld",
		  (long long)replay_rank_ns(&s, &rows[3]));
	rows[3] = gain_of(3, 130000, 125000);
	CHECK(replay_rank_ns(&s, &rows[3]) == 130000, "a fifth more");
	rows[3] = gain_of(3, 130000, 60000);
	CHECK(replay_rank_ns(&s, &rows[3]) == 99999, "more once the others are cured");
	rows[3] = gain_of(3, 15000, 130000);
	CHECK(replay_rank_ns(&s, &rows[3]) == 15000, "more than the second alone");
	s.culprits = NULL;
	s.n_culprits = 0;
	summary_free(&s);
}

int main(void)
{
	in_order();
	by_itself();
	partly_together();
	several();
	even();
	unsteady();
	even_first();
	wins_nothing();
	not_asked();
	why();
	unsized();
	through_groups();
	of_all();
	nobody();
	bubble();
	return finish();
}

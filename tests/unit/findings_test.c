/* Findings (docs/ATTRIBUTION.md section 7): one row per cause, the largest first, the rank named;
 * nothing just under a threshold, nothing in a clean run. */
#include "findings_run.h"
#include "conclude/finding_kinds.h"

#include <baton/format.h>
#include <stdlib.h>
#include <string.h>

static void severities(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	add_device(&s, 0,
			   (int64_t[LEAF_COUNT]){[LEAF_HOST_INPUT] = 11000,
									 [LEAF_CPU_FRAMEWORK] = 6000,
									 [LEAF_CPU_API] = 1000,
									 [LEAF_HOST_SYNC] = 3000,
									 [LEAF_HOST_ALLOC] = 1000,
									 [LEAF_UNKNOWN_UNEXPLAINED] = 20000,
									 [LEAF_UNKNOWN_UNMATCHED] = 5000});
	summary_evidence(&s, "host/0", LEAF_HOST_INPUT, "next(loader)", 6, 110 * MS);
	make(&s, &all);
	is(&all, "input", 11000, "high");
	is(&all, "framework", 6000, "medium");
	is(&all, "sync", 3000, "low");
	is(&all, "alloc", 1000, "none");
	is(&all, "unknown", 25000,
	   "high"); /* what the trace does not explain comes first when it is most */
	counted(&all, 4, "severities");
	CHECK(!find(&all, "wait") && !find(&all, "asymmetry"), "a loss that is not there");
	const struct finding *input = &all.at[1];
	says(input, "input", "data loader", "next(loader) (5.5 ms per step, 6 gaps)");
	says(find(&all, "framework"), "framework", "cannot launch kernels fast enough",
		 "600 of 800 kernels");
	says(&all.at[0], "unknown", "does not explain the idle time: the next work was launched",
		 "5.0 ms before operations without a launch record");
	CHECK(strstr(all.at[0].remedy, "record with baton"), "what to do about it: %s",
		  all.at[0].remedy);
	findings_free(&all);
	s.quality.clock_residual_ns = 4 * MS; /* below it nothing is a finding */
	make(&s, &all);
	is(&all, "sync", 3000, "none");
	is(&all, "framework", 6000, "medium");
	findings_free(&all);
	s.quality.tool_ns = STEPS * 7 * (int64_t)MS; /* our own cost: 7 ms a step */
	make(&s, &all);
	is(&all, "framework", 6000, "none");
	is(&all, "input", 11000, "high");
	done(&s, &all);
}

/* Keeps out: a leaf whose time no finding reports, or two do. */
static void every_leaf(void)
{
	uint64_t found = 0;
	for (int k = 0; k < LOSS_KINDS; k++) {
		CHECK(!(found & finding_kinds[k].leaves), "%s: another finding has its leaves too",
			  finding_kinds[k].name);
		found |= finding_kinds[k].leaves;
	}
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		CHECK((found | LEAVES_WORK) & LEAF_BIT(leaf), "%s: no finding has it",
			  leaf_name((enum leaf)leaf));
}

/* Every kind of loss is a finding at 2 % of the step and none at 1 us less. */
static void every_kind(void)
{
	for (int k = 0; k < LOSS_KINDS; k++) {
		for (int64_t us = 1999; us <= 2000; us++) {
			const struct finding_kind *kind = &finding_kinds[k];
			struct summary s;
			struct findings all;
			int64_t leaves[LEAF_COUNT] = {0};
			int first = 0;
			while (!(kind->leaves & LEAF_BIT(first)))
				first++;
			leaves[first] = us;
			begin(&s);
			add_device(&s, 0, leaves);
			make(&s, &all);
			is(&all, kind->name, us, us == 2000 ? "low" : "none");
			CHECK(all.n == 1 && all.at[0].summary[0] && strcmp(all.at[0].leaf, kind->leaf) == 0 &&
					  strstr(leaf_name((enum leaf)first), kind->leaf),
				  "%s: %zu losses for one leaf, %s", kind->name, all.n, all.at[0].leaf);
			done(&s, &all);
		}
	}
}

enum found { NOT_FOUND, FOUND_SURE, FOUND_FEW, FOUND_START };

/* A run of one device that loses `us` in the steps of a mask; is it a finding? */
static enum found found_in(int64_t us, uint32_t mask)
{
	struct summary s;
	struct findings all;
	int64_t by_step[STEPS] = {0}, sum = 0;
	for (int i = 0; i < STEPS; i++) {
		by_step[i] = mask >> i & 1 ? us : 0;
		sum += by_step[i];
	}
	begin(&s);
	add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_HOST_SYNC] = sum / STEPS});
	add_series(&s, 0, "idle.host.sync", by_step, STEPS);
	make(&s, &all);
	const struct finding *sync = &all.at[0];
	const enum found found = !finding_counts(sync) ? NOT_FOUND
							 : sync->at_start      ? FOUND_START
							 : sync->in_few_steps  ? FOUND_FEW
												   : FOUND_SURE;
	CHECK(found < FOUND_FEW || sync->severity == SEVERITY_LOW, "more than low");
	CHECK(all.n == 1 && strcmp(name_of(&all.at[0]), "sync") == 0, "%zu losses", all.n);
	done(&s, &all);
	return found;
}

/* A loss is sure when it holds whichever steps had been drawn: in every step, in every second and
 * third one, but not when one step has all of it, or a few in a row. How much the steps vary does
 * not matter: a loss in every second step is most of that itself. */
static void limits(void)
{
	CHECK(found_in(2000, 0xFFFFF) == FOUND_SURE, "2 percent in all steps");
	CHECK(found_in(1999, 0xFFFFF) == NOT_FOUND, "less than 2 percent in all steps");
	CHECK(found_in(8000, 0x55555) == FOUND_SURE, "8 percent in every second step");
	CHECK(found_in(12000, 0x49249) == FOUND_SURE, "12 percent in every third step");
	CHECK(found_in(12000, 0x0007F) == FOUND_FEW,
		  "12 percent in seven steps that follow each other");
	CHECK(found_in(100000, 0x00400) == FOUND_FEW, "one step of 20");
	CHECK(found_in(39980, 0x00400) == NOT_FOUND, "less than 2 percent in one step of 20");
	CHECK(found_in(100000, 0x00001) == FOUND_START, "the first step of 20");
	CHECK(found_in(50000, 0x00003) == FOUND_START, "half of it in the first step");
}

/* A GPU-bound run has a little of everything. */
static void clean_runs(void)
{
	for (int ranks = 1; ranks <= 8; ranks *= 2) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < ranks; rank++) {
			int64_t us[LEAF_COUNT];
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
				us[leaf] = leaf > LEAF_WORK_GRAPH ? 500 + (rank * 7 + leaf * 13) % 150 : 0;
			us[LEAF_NCCL_UNSPLIT] = 0;
			us[LEAF_NCCL_WAIT] = ranks > 1 ? 1400 + 100 * (rank % 3) : 0;
			add_device(&s, rank, us);
			if (ranks > 1)
				add_late(&s, rank, (uint64_t)(200 / ranks + rank % 3), 200, us[LEAF_NCCL_WAIT]);
		}
		if (ranks > 1)
			add_nccl(&s, "AllReduce", "", 3);
		make(&s, &all);
		counted(&all, 0, "a clean run");
		CHECK(all.n > 10, "losses are listed whatever they are: %zu", all.n);
		done(&s, &all);
	}
}

/* What a late rank does and what the others wait for it are one cause. */
static void late_rank(void)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_HOST_NO_CORE, 8000, 0);
	summary_evidence(&s, "host/3", LEAF_HOST_NO_CORE, "train.py(91): forward", 40, 100 * MS);
	summary_evidence(&s, "host/1", LEAF_HOST_NO_CORE, "another's row", 1, 900 * MS);
	make(&s, &all);
	counted(&all, 1, "a late rank");
	says(&all.at[0], "late_rank", "", "train.py(91): forward (5.0 ms per step, 40 gaps)");
	CHECK(!strstr(all.at[0].evidence, "another's"), "evidence of another rank");
	is(&all, "late_rank", 8000, "medium"); /* 6 ms of wait and 2 ms of its own: the whole 8 */
	says(&all.at[0], "late_rank",
		 "Rank 3 arrives last at 94 % of the AllReduce calls, 8.0 ms late per step",
		 "no_core 8.0 ms, the others 0.0");
	says(&all.at[0], "late_rank", "it spends 8.0 ms more in no_core", "");
	CHECK(!find(&all, "wait") && !find(&all, "no_core") && !find(&all, "asymmetry") &&
			  strstr(all.at[0].remedy, "cores"),
		  "%zu losses for one cause; %s", all.n, all.at[0].remedy);
	done(&s, &all);
	straggling(&s, 2, LEAF_HOST_INPUT, 8000, 0); /* the median of the others is the other one */
	make(&s, &all);
	counted(&all, 1, "a late rank of two");
	is(&all, "late_rank", 8000, "medium");
	says(&all.at[0], "late_rank", "Rank 1 arrives last", "input 8.0 ms, the others 0.0");
	CHECK(!find(&all, "input"), "input of one rank is said twice");
	done(&s, &all);
	straggling(&s, 4, LEAF_HOST_INPUT, 8000, 3000); /* what all have is a cause of its own */
	make(&s, &all);
	counted(&all, 2, "a late rank, and input on all");
	is(&all, "late_rank", 8000, "medium");
	is(&all, "input", 3000, "low");
	says(find(&all, "input"), "input", "data loader",
		 "another 2.0 ms are counted under late_rank (rank 3)");
	done(&s, &all);
}

static void late_by_work(void)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_WORK_MATMUL, 10000, 0); /* no idle time: the others compute 90 ms */
	make(&s, &all);
	counted(&all, 1, "a slow GPU");
	is(&all, "late_rank", 10000, "high");
	says(&all.at[0], "late_rank", "Rank 3 arrives last at 94 %",
		 "it runs the same number of kernels 11 % slower: check its clock");
	CHECK(strstr(all.at[0].remedy, "clock"), "remedy: %s", all.at[0].remedy);
	findings_free(&all);
	s.devices[3].kernels = STEPS * 900;
	make(&s, &all);
	says(&all.at[0], "late_rank", "its kernels take 10.0 ms longer",
		 "it runs 900 kernels per step, the others 800: unequal work");
	CHECK(strstr(all.at[0].remedy, "equal work"), "remedy: %s", all.at[0].remedy);
	done(&s, &all);
}

/* Twelve ranks on three hosts; those of node1 are last in turns, and cause so much of the wait. */
static void slow_host(struct summary *s, int percent)
{
	begin(s);
	for (int32_t rank = 0; rank < 12; rank++) {
		bool late = rank / per_host == 1;
		add_device(
			s, rank,
			(int64_t[LEAF_COUNT]){
				[LEAF_NCCL_WAIT] = late ? 6000 : 9000, [LEAF_CPU_FRAMEWORK] = late ? 3000 : 0});
		add_late(s, rank, late ? 95 : 2, 400, late ? percent * 20 : (100 - percent) * 10);
	}
	add_nccl(s, "AllReduce", "", 0);
}

static void late_host(void)
{
	struct summary s;
	struct findings all;
	per_host = 4;
	slow_host(&s, 100);
	make(&s, &all);
	counted(&all, 1, "a late host");
	is(&all, "late_host", 9000, "medium"); /* 8 ms of wait, and 4 x 3 / 12 of its own */
	says(&all.at[0], "late_host",
		 "The ranks of host node1 cause 100 % of the wait in AllReduce calls",
		 "framework 3.0 ms, the others 0.0 ms; most of it by rank 4");
	says(&all.at[0], "late_host", "8.7 ms per step; they spend 3.0 ms more in framework", "");
	CHECK(!find(&all, "wait") && !find(&all, "framework") && strstr(all.at[0].remedy, "this host"),
		  "%zu losses for one cause; %s", all.n, all.at[0].remedy);
	done(&s, &all);
	slow_host(&s, 66); /* half-way from its third to all of it are 67 */
	make(&s, &all);
	says(find(&all, "wait"), "wait", "no rank is persistently last", "");
	CHECK(!find(&all, "late_host"), "a host that causes 66 %% is late");
	done(&s, &all);
	per_host = 12; /* the only host has nobody to wait for it */
	begin(&s);
	for (int32_t rank = 0; rank < 12; rank++) {
		add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 8000});
		add_late(&s, rank, rank < 4 ? 95 : 2, 400, rank < 4 ? 2000 : 0);
	}
	add_nccl(&s, "AllReduce", "", 0);
	make(&s, &all);
	CHECK(!find(&all, "late_host"), "the only host is late");
	done(&s, &all);
	per_host = 0;
}

/* Two of its four ranks are slow, and one of them is last more often: up to 62.5 % of what the host
 * causes its part is not clear of a quarter. */
static void late_host_by_two(void)
{
	per_host = 4;
	for (int64_t caused = 1240; caused <= 1260; caused += 20) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < 12; rank++) {
			bool slow = rank == 4 || rank == 5;
			add_device(
				&s, rank,
				(int64_t[LEAF_COUNT]){
					[LEAF_NCCL_WAIT] = slow ? 6000 : 9000, [LEAF_CPU_FRAMEWORK] = slow ? 3000 : 0});
			add_late(&s, rank,
					 rank == 4 ? 240
					 : slow    ? 150
							   : 1,
					 400,
					 rank == 4 ? caused
					 : slow    ? 2000 - caused
							   : 0);
		}
		add_nccl(&s, "AllReduce", "", 0);
		make(&s, &all);
		CHECK(!find(&all, "late_host") == (caused > 1250) &&
				  !find(&all, "late_rank") == (caused < 1250),
			  "%d of 2000: %s", (int)caused, all.n ? name_of(&all.at[0]) : "nothing");
		done(&s, &all);
	}
	per_host = 0;
}

/* Near-misses: too little, or not clearly the same rank. */
static void not_late(void)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_HOST_NO_CORE, 1996, 0);
	make(&s, &all);
	counted(&all, 0, "a rank that is late by less than 2 %");
	done(&s, &all);
	for (int last = 56; last <= 92; last += 36) { /* of 100: of two ranks that is half-way or not */
		begin(&s);
		for (int32_t rank = 0; rank < 2; rank++) {
			add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 5000});
			add_late(&s, rank, (uint64_t)(rank ? last : 100 - last), 100,
					 50 * (rank ? last : 100 - last));
		}
		add_nccl(&s, "AllGather", "", 0);
		make(&s, &all);
		counted(&all, 1, "one of two is last more often");
		if (last == 56)
			says(&all.at[0], "wait", "no rank is persistently last", "");
		else
			says(&all.at[0], "late_rank", "Rank 1 arrives last at 92 % of the AllGather calls", "");
		CHECK(last != 56 || !strstr(all.at[0].summary, "ank 1"), "%s", all.at[0].summary);
		done(&s, &all);
	}
	begin(&s); /* always last, but in three collectives: that may be chance */
	for (int32_t rank = 0; rank < 2; rank++) {
		add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 5000});
		add_late(&s, rank, rank ? 3 : 0, 3, rank ? 10000 : 0);
	}
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "a rank is late for three collectives");
	says(find(&all, "wait"), "wait", "Rank 1 arrives last at 3 of 3 collectives", "");
	done(&s, &all);
	for (uint64_t last = 4; last <= 5; last++) { /* of five, with eight ranks: once may be chance */
		begin(&s);
		for (int32_t rank = 0; rank < 8; rank++) {
			add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 5000});
			add_late(&s, rank,
					 rank == 3   ? last
					 : rank == 4 ? 5 - last
								 : 0,
					 5, rank == 3 ? 36000 : 100);
		}
		make(&s, &all);
		CHECK((find(&all, "late_rank") != NULL) == (last == 5), "last into %d of 5", (int)last);
		done(&s, &all);
	}
}

/* Late into the first of ten collectives of every step: its count is ordinary, its time is not. */
static void late_by_time(void)
{
	for (int rare = 0; rare < 2; rare++) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < 4; rank++) {
			struct device_summary *d =
				add_device(&s, rank,
						   (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = rank == 1 ? 0 : 6000,
												 [LEAF_HOST_INPUT] = rank == 1 ? 6000 : 0});
			add_late(&s, rank, rank == 1 ? 56 : 48, 200, rank == 1 ? 17000 : 300);
			if (!rare)
				continue;
			counts_free(&d->step_ns); /* the same mean, from one long step */
			counts_add(&d->step_ns, 94 * MS, STEPS - 1);
			counts_add(&d->step_ns, 214 * MS, 1);
		}
		add_nccl(&s, "AllReduce", "", 0);
		make(&s, &all);
		counted(&all, 1, "one rank causes the wait");
		if (rare)
			says(&all.at[0], "wait", "no rank is persistently last; rank 1 causes 94 % of the wait",
				 "input");
		else
			says(&all.at[0], "late_rank", "Rank 1 causes 94 % of the wait in AllReduce calls",
				 "input");
		CHECK(find(&all, "input")->share_ns < 100 * US, "input of one rank is said twice");
		done(&s, &all);
	}
}

/* By steps: rank 1 is last into a third of the collectives, but late in each step; and last into
 * nine of ten, when one step has all of the wait. */
static void late_by_step(void)
{
	for (int once = 0; once < 2; once++) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < 4; rank++) {
			int64_t caused[STEPS] = {0};
			for (int i = 0; i < STEPS; i++)
				caused[i] = once ? 0 : 300 + 100 * ((i + rank) % 3) + (rank == 1 ? 17000 : 0);
			if (once)
				caused[9] = rank == 1 ? 17600 * STEPS : 300;
			add_device(&s, rank,
					   (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = rank == 1 ? 0 : 6000,
											 [LEAF_HOST_INPUT] = rank == 1 ? 6000 : 0});
			add_late(&s, rank, rank != 1 ? 22 : once ? 334 : 120, 400, rank == 1 ? 17600 : 300);
			add_series(&s, rank, "caused", caused, STEPS);
		}
		add_nccl(&s, "AllReduce", "", 0);
		make(&s, &all);
		CHECK((find(&all, "late_rank") == NULL) == once, "%s", all.at[0].summary);
		says(&all.at[0], once ? "wait" : "late_rank",
			 once ? "not often enough" : "Rank 1 causes 95 %", "input");
		done(&s, &all);
	}
}

/* A host of which now one rank is late, now the other: none of them is, the host is. */
static void late_host_by_step(void)
{
	struct summary s;
	struct findings all;
	per_host = 2;
	begin(&s);
	for (int32_t rank = 0; rank < 6; rank++) {
		int64_t caused[STEPS];
		for (int i = 0; i < STEPS; i++)
			caused[i] = 200 + 100 * ((i + rank) % 2) +
						(rank / 2 == 1 && (i * i / 3 + rank) % 2 ? 40000 : 0);
		int64_t sum = 0;
		for (int i = 0; i < STEPS; i++)
			sum += caused[i] / STEPS;
		add_device(&s, rank,
				   (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = rank / 2 == 1 ? 4000 : 8000,
										 [LEAF_HOST_INPUT] = rank / 2 == 1 ? 4000 : 0});
		add_late(&s, rank, rank / 2 == 1 ? 100 : 50, 400, sum);
		add_series(&s, rank, "caused", caused, STEPS);
	}
	add_nccl(&s, "AllReduce", "", 0);
	make(&s, &all);
	says(&all.at[0], "late_host", "The ranks of host node1 cause 97 % of the wait", "input");
	done(&s, &all);
	per_host = 0;
}

/* NCCL that is not split: least of it and most of something else. */
static void late_unsplit(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	for (int32_t rank = 0; rank < 4; rank++)
		add_device(&s, rank,
				   (int64_t[LEAF_COUNT]){[LEAF_NCCL_UNSPLIT] = rank == 2 ? 1000 : 7000,
										 [LEAF_HOST_SYNC] = rank == 2 ? 6500 : 500});
	add_nccl(&s, "SendRecv", "no arguments", 0);
	make(&s, &all);
	counted(&all, 1, "a late rank, not split");
	says(&all.at[0], "late_rank", "The others wait 6.0 ms per step in NCCL for rank 2",
		 "sync 6.5 ms");
	is(&all, "late_rank", 6000, "medium");
	is(&all, "unsplit", 1000, "none");
	says(find(&all, "unsplit"), "unsplit", "cannot say how much", "not separated: no arguments");
	findings_free(&all);
	s.run.missing_ranks = malloc(sizeof(*s.run.missing_ranks));
	s.run.missing_ranks[0] = 4;
	s.run.n_missing_ranks = 1; /* perhaps that one is last */
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "a rank is late, but one was not seen");
	done(&s, &all);
}

/* Without collectives nobody waits: the device that has more is told by itself. */
static void asymmetry(void)
{
	for (int64_t more = 1900; more <= 9000; more += 7100) {
		struct summary s;
		struct findings all;
		begin(&s);
		for (int32_t rank = 0; rank < 8; rank++)
			add_device(&s, rank,
					   (int64_t[LEAF_COUNT]){[LEAF_HOST_INPUT] = 100 + (rank == 2 ? more : 0)});
		make(&s, &all);
		counted(&all, more > 2000, "one device has more");
		if (more > 2000) {
			says(&all.at[0], "asymmetry", "Rank 2 has 9.1 ms of input, the others 0.1 ms", "");
			is(&all, "asymmetry", 1125, "medium");
			is(&all, "input", 100, "none");
		}
		add_nccl(&s, "AllReduce", "",
				 0); /* its collectives were on time: it cost nobody anything */
		findings_free(&all);
		make(&s, &all);
		CHECK(!find(&all, "asymmetry"), "a difference that nobody waited for");
		done(&s, &all);
	}
}

/* More devices than kernels in a step: means are rounded once, not per device. */
static void means(void)
{
	struct summary s;
	struct figures figures;
	begin(&s);
	for (int32_t rank = 0; rank < 960; rank++) {
		struct device_summary *d =
			add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = 1000 * (rank % 3)});
		d->kernels = STEPS * 903;
		d->time_ns[LEAF_WORK_MATMUL] += rank;
		d->time_ns[LEAF_NCCL_WAIT] -= rank % 3 ? rank : 0;
		d->window_ns += rank % 3 ? 0 : rank;
	}
	figures_compute(&s, &figures);
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += figures.time_ns[leaf];
	CHECK(figures.kernels == 903, "%lld kernels a step", (long long)figures.kernels);
	CHECK(sum == figures.step_ns, "leaves add up to %lld of %lld", (long long)sum,
		  (long long)figures.step_ns);
	summary_free(&s);
}

/* Numbers of no run, as a damaged summary may have them: no trap, no finding from them. */
static void hostile(void)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_HOST_SYNC, 8000, 0);
	for (size_t i = 0; i < s.n_late; i++) {
		s.late[i].last = UINT64_MAX;
		s.late[i].taken = UINT64_MAX - i;
		s.late[i].caused_ns = INT64_MAX;
	}
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "a rank is last more often than there were collectives");
	done(&s, &all);
}

int main(void)
{
	severities();
	every_leaf();
	every_kind();
	limits();
	clean_runs();
	late_rank();
	late_by_work();
	late_host();
	late_host_by_two();
	not_late();
	late_by_time();
	late_by_step();
	late_host_by_step();
	late_unsplit();
	asymmetry();
	means();
	hostile();
	return finish();
}

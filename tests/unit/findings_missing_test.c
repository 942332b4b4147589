/* What is said of late ranks where others are missing: by the ranks that are here, and of those
 * that are not. */
#include "findings_run.h"

#include <stddef.h>

enum { TAKEN = 400 };

static int32_t here = 4, missing = 2; /* ranks */

static void add_partial(struct summary *s, int32_t rank, uint64_t last, int64_t caused_us)
{
	char key[32] = "";
	if (rank >= 0)
		key_of(rank, key);
	struct late_summary *late = summary_partial(s, key, rank);
	late->last = last;
	late->taken = (uint64_t)(rank < 0 ? TAKEN * missing : TAKEN);
	late->caused_ns = STEPS * caused_us * US;
}

/* In the NCCL time of each rank 2 ms of transfer. The last one here is late by its own time, the
 * missing ones by theirs; `last` collectives each. */
static void partial(struct summary *s, int64_t own_us, uint64_t last, int64_t missing_us,
					uint64_t missing_last)
{
	begin(s);
	for (int32_t rank = 0; rank < here; rank++) {
		bool late = rank == here - 1;
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_UNSPLIT] = 2000 + missing_us + (late ? 0 : own_us);
		us[LEAF_HOST_SYNC] = late ? own_us : 0;
		add_device(s, rank, us);
		add_partial(s, rank, late ? last : (TAKEN - last - missing_last) / (uint64_t)(here - 1),
					late ? (here - 1) * own_us : 0);
	}
	add_partial(s, -1, missing_last, here * missing_us);
	add_nccl(s, "AllReduce", "members missing", 0);
	s->nccl[0].unsplit_ns = STEPS * US * (here * (2000 + missing_us) + (here - 1) * own_us);
	s->run.world_size = here + missing;
	s->run.ranks = malloc((size_t)here * sizeof(*s->run.ranks));
	s->run.missing_ranks = malloc((size_t)missing * sizeof(*s->run.missing_ranks));
	for (int32_t rank = 0; rank < here; rank++)
		s->run.ranks[s->run.n_ranks++] = rank;
	for (int32_t rank = here; rank < here + missing; rank++)
		s->run.missing_ranks[s->run.n_missing_ranks++] = rank;
}

static void last_here(void)
{
	struct summary s;
	struct findings all;
	partial(&s, 8000, 376, 0, 3);
	make(&s, &all);
	is(&all, "late_rank", 8000, "medium"); /* 6 ms of wait and 2 ms of its own */
	says(&all.at[0], "late_rank",
		 "Of the 4 recorded ranks rank 3 arrives last at 94 % of the AllReduce calls, 8.0 ms late "
		 "per step; it spends 8.0 ms more in sync",
		 "a missing rank (4-5) came even later in 3 of 400");
	is(&all, "unsplit", 2000, "low"); /* what is left: the transfers, and perhaps more */
	done(&s, &all);
}

/* Keeps out: one that is last of those here, in collectives that wait for a missing one. */
static void last_missing(void)
{
	struct summary s;
	struct findings all;
	partial(&s, 500, 40, 8000, 300);
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "a rank is named though a missing one is later");
	is(&all, "late_missing", 8000, "medium");
	says(&all.at[0], "late_missing",
		 "Some of the missing ranks (4-5) are late: in 300 of 400 AllReduce calls the last "
		 "recorded rank waits too, for 95 % of all wait, 8.0 ms",
		 "");
	done(&s, &all);
}

/* Neither: one that is last but has no time of its own for it, a draw, and a run that is whole. */
static void nobody(void)
{
	struct summary s;
	struct findings all;
	partial(&s, 8000, 376, 0, 3);
	for (size_t i = 0; i < (size_t)here; i++)
		s.devices[i].time_ns[LEAF_HOST_SYNC] = 0;
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "late without any time for it");
	done(&s, &all);
	partial(&s, 8000, 70, 500, 130);
	make(&s, &all);
	CHECK(!find(&all, "late_missing") && find(&all, "unsplit"),
		  "a third is missing, a third is last");
	done(&s, &all);
	partial(&s, 500, 40, 8000, 300);
	s.run.n_missing_ranks = 0;
	make(&s, &all);
	CHECK(!find(&all, "late_missing"), "records in flight make nobody missing");
	done(&s, &all);
}

/* One of few that are here is last in every second collective, however many are missing. */
static void few_here(void)
{
	struct summary s;
	struct findings all;
	here = 2, missing = 30;
	partial(&s, 8000, 212, 0, 3);
	s.partial[0].caused_ns = s.partial[1].caused_ns;
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "late by a coin: %s", all.at[0].summary);
	done(&s, &all);
	partial(&s, 8000, 240, 0, 3); /* more often, but not mostly: it is the wait that tells */
	make(&s, &all);
	is(&all, "late_rank", 8000, "medium");
	says(&all.at[0], "late_rank", "rank 1 causes 100 % of the wait in AllReduce calls, 8.0 ms", "");
	done(&s, &all);
	partial(&s, 8000, 376, 0, 3);
	make(&s, &all);
	says(find(&all, "late_rank"), "late_rank", "rank 1 arrives last at 94 % of the AllReduce calls",
		 "");
	done(&s, &all);
	/* Most are missing, and one of them is last as often as that makes it. */
	partial(&s, 50, 15, 8000, 370);
	make(&s, &all);
	CHECK(!find(&all, "late_missing"), "30 of 32 are missing, they are last in 370 of 400");
	done(&s, &all);
	here = 4, missing = 2;
}

/* Who is not in a collective may be a rank that is here, whose record of it is lost. */
static void lost_records(void)
{
	static const size_t lost[] = {
		offsetof(struct quality, truncated_files), offsetof(struct quality, unreadable_files),
		offsetof(struct quality, in_flight), offsetof(struct quality, dropped)};
	struct summary s;
	struct findings all;
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		partial(&s, 500, 40, 8000, 300);
		*(uint64_t *)((char *)&s.quality + lost[i]) = 1;
		make(&s, &all);
		CHECK(!find(&all, "late_missing"), "a missing one is named though records are lost (%zu)",
			  i);
		done(&s, &all);
		partial(&s, 8000, 376, 0, 3);
		*(uint64_t *)((char *)&s.quality + lost[i]) = 1;
		make(&s, &all);
		is(&all, "late_rank", 8000, "medium");
		CHECK(!strstr(all.at[0].evidence, "a missing rank"), "one came later (%zu): %s", i,
			  all.at[0].evidence);
		done(&s, &all);
	}
}

/* The others that wait are those of its collectives: a median over all would be no wait. */
static void small_communicator(void)
{
	struct summary s;
	struct findings all;
	const int64_t us[LEAF_COUNT] = {0};
	partial(&s, 8000, 376, 0, 3);
	for (int32_t rank = 10; rank < 14; rank++)
		add_device(&s, rank, us);
	make(&s, &all);
	is(&all, "late_rank", 4000, "low"); /* 3 of 8 wait 8 ms, and its own */
	says(find(&all, "late_rank"), "late_rank",
		 "rank 3 arrives last at 94 % of the AllReduce calls, 8.0 ms late", "");
	done(&s, &all);
}

/* At the limits of what is taken for a run: `of` has all wait. */
static void huge(struct summary *s, size_t of)
{
	const uint64_t taken = ((UINT64_C(1) << 50) - 1) / s->n_partial;
	for (size_t i = 0; i < s->n_partial; i++) {
		s->partial[i].taken = taken;
		s->partial[i].last = i == of ? taken - 1 : 0;
		s->partial[i].caused_ns = i == of ? (INT64_C(1) << 62) - 1 : 1;
	}
	s->nccl[0].unsplit_ns = INT64_MAX;
}

static void hostile(void)
{
	struct summary s;
	struct findings all;
	partial(&s, 8000, 376, 8000, 3);
	huge(&s, 3);
	make(&s, &all);
	says(find(&all, "late_rank"), "late_rank", "rank 3 arrives last at 99 % of the AllReduce calls",
		 "");
	done(&s, &all);
	partial(&s, 8000, 376, 8000, 3);
	huge(&s, 4);
	make(&s, &all);
	says(find(&all, "late_missing"), "late_missing", "of the missing ranks (4-5)", "");
	done(&s, &all);
	partial(&s, 8000, 376, 8000, 3); /* sums that wrap around to nothing */
	for (size_t i = 0; i < s.n_partial; i++) {
		s.partial[i].last = s.partial[i].taken = i < 4 ? UINT64_C(1) << 62 : 0;
		s.partial[i].caused_ns = INT64_MAX;
	}
	make(&s, &all);
	CHECK(!find(&all, "late_rank") && !find(&all, "late_missing"), "in 2^62 collectives");
	done(&s, &all);
	partial(&s, 8000, 376, 8000, 3);
	for (size_t i = 0; i < s.n_partial; i++) {
		s.partial[i].last = UINT64_MAX;
		s.partial[i].taken = UINT64_MAX - i;
		s.partial[i].caused_ns = INT64_MAX;
	}
	make(&s, &all);
	CHECK(!find(&all, "late_rank") && !find(&all, "late_missing"),
		  "more often than there were any");
	done(&s, &all);
}

int main(void)
{
	last_here();
	last_missing();
	nobody();
	few_here();
	lost_records();
	small_communicator();
	hostile();
	return finish();
}

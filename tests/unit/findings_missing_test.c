/* What is said of late ranks where others are missing: by the ranks that are here, and of those
 * that are not. */
#include "findings_run.h"

enum { HERE = 4, MISSING = 2, TAKEN = 400 };

static void add_partial(struct summary *s, int32_t rank, uint64_t last, int64_t caused_us)
{
	char key[32] = "";
	if (rank >= 0)
		key_of(rank, key);
	struct late_summary *late = summary_partial(s, key, rank);
	late->last = last;
	late->taken = rank < 0 ? TAKEN * MISSING : TAKEN;
	late->caused_ns = STEPS * caused_us * US;
}

/* Ranks 0 to 3 of six; in the NCCL time of each, 2 ms of transfer. Rank 3 is late by its own time,
 * the missing ones by theirs; `last` collectives each. */
static void partial(struct summary *s, int64_t own_us, uint64_t last, int64_t missing_us,
					uint64_t missing_last)
{
	begin(s);
	for (int32_t rank = 0; rank < HERE; rank++) {
		bool late = rank == HERE - 1;
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_UNSPLIT] = 2000 + missing_us + (late ? 0 : own_us);
		us[LEAF_HOST_SYNC] = late ? own_us : 0;
		add_device(s, rank, us);
		add_partial(s, rank, late ? last : (TAKEN - last - missing_last) / (HERE - 1),
					late ? (HERE - 1) * own_us : 0);
	}
	add_partial(s, -1, missing_last, HERE * missing_us);
	add_nccl(s, "AllReduce", "members missing", 0);
	s->nccl[0].unsplit_ns = STEPS * US * (HERE * (2000 + missing_us) + (HERE - 1) * own_us);
	s->run.world_size = HERE + MISSING;
	s->run.ranks = malloc(HERE * sizeof(*s->run.ranks));
	s->run.missing_ranks = malloc(MISSING * sizeof(*s->run.missing_ranks));
	for (int32_t rank = 0; rank < HERE; rank++)
		s->run.ranks[s->run.n_ranks++] = rank;
	for (int32_t rank = HERE; rank < HERE + MISSING; rank++)
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
		 "of the 4 ranks that are here rank 3 is last into 94 % of AllReduce, by 8.0 ms; its own "
		 "time: sync +8.0 ms",
		 "a missing rank (4-5) came later still in 3 of 400");
	is(&all, "nccl", 2000, "low"); /* what is left: the transfers, and perhaps more */
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
		 "the late one is among the missing ranks 4-5: in 300 of 400 AllReduce the last one here "
		 "waits too, for 95 % of all wait, 8.0 ms",
		 "");
	done(&s, &all);
}

/* Neither: one that is last but has no time of its own for it, a draw, and a run that is whole. */
static void nobody(void)
{
	struct summary s;
	struct findings all;
	partial(&s, 8000, 376, 0, 3);
	for (size_t i = 0; i < HERE; i++)
		s.devices[i].time_ns[LEAF_HOST_SYNC] = 0;
	make(&s, &all);
	CHECK(!find(&all, "late_rank"), "late without any time for it");
	done(&s, &all);
	partial(&s, 8000, 70, 500, 130);
	make(&s, &all);
	CHECK(!find(&all, "late_missing") && find(&all, "nccl"), "a third is missing, a third is last");
	done(&s, &all);
	partial(&s, 500, 40, 8000, 300);
	s.run.n_missing_ranks = 0;
	make(&s, &all);
	CHECK(!find(&all, "late_missing"), "records in flight make nobody missing");
	done(&s, &all);
}

static void hostile(void)
{
	struct summary s;
	struct findings all;
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
	hostile();
	return finish();
}

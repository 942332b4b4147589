/* Who enters the first counted step late: against the others of its host, whose clock is one. */
#include "findings_run.h"

#include "conclude/late_entry.h"

static void add_entry(struct summary *s, int32_t rank, int64_t us)
{
	char key[32];
	key_of(rank, key);
	struct steps_summary *row = summary_steps(s, key);
	CHECK(row != NULL, "no row");
	if (row)
		row->entered_ns = us < 0 ? -1 : us * US;
}

static int64_t late_of(const struct summary *s, size_t device)
{
	int64_t ns;
	CHECK(late_entry_of(s, device, &ns) == 0, "no memory");
	return ns;
}

static void entries(void)
{
	static const int64_t us[] = {5000, 5100, 12000, 5300, -1};
	struct summary s;
	begin(&s);
	for (int32_t rank = 0; rank < 5; rank++) {
		add_device(&s, rank, (int64_t[LEAF_COUNT]){0});
		add_entry(&s, rank, us[rank]);
	}
	CHECK(late_of(&s, 2) == (12000 - 5100) * US, "the median of the others: %lld",
		  (long long)late_of(&s, 2));
	CHECK(late_of(&s, 0) < 0, "the first one");
	CHECK(late_of(&s, 4) == 0, "not known");
	s.steps[1].entered_after = s.steps[3].entered_after = 1; /* another step is their first */
	CHECK(late_of(&s, 2) == (12000 - 5000) * US, "of those that begin with the same step");
	summary_free(&s);
}

/* Rank 1 makes the other one wait 9 ms in each of 20 steps; how late was it before the first? */
static void said(int64_t entry_us, bool by_entry)
{
	struct summary s;
	struct findings all;
	begin(&s);
	for (int32_t rank = 0; rank < 2; rank++) {
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_WAIT] = rank == 1 ? 0 : 9000;
		us[LEAF_CPU_FRAMEWORK] = rank == 1 ? 3000 : 1000;
		add_device(&s, rank, us);
		add_late(&s, rank, rank == 1 ? 400 : 0, 400, rank == 1 ? 9000 : 0);
		add_entry(&s, rank, rank == 1 ? 1000 + entry_us : 1000);
	}
	add_nccl(&s, "AllReduce", "", 1);
	make(&s, &all);
	const struct finding *late = find(&all, "late_rank");
	const bool told = late && strstr(late->summary, "it enters the first step");
	CHECK(late && told == by_entry, "%lld us: %s", (long long)entry_us,
		  late ? late->summary : "nobody is late");
	CHECK(!told || (strstr(late->remedy, "before these steps") &&
					strcmp(late->whom.cause, "before_step") == 0),
		  "its remedy: %s", late ? late->remedy : "");
	done(&s, &all);
}

int main(void)
{
	entries();
	said(180000, true);
	said(80000, false);
	said(0, false);
	return finish();
}

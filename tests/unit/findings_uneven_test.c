/* The finding `uneven` (docs/ATTRIBUTION.md section 7, "Uneven devices"): work and copies that take
 * longer on one device. Keeps out: one GPU that copies for all, unnoticed; a device that another
 * finding names, told twice; time told twice, because copies of two directions overlap; differences
 * that are hidden under other work, or small; a slow link between two devices, unnoticed. */
#include "findings_run.h"
#include "classify/classes.h"

#include <baton/format.h>

static void add_copies(struct summary *s, int32_t rank, uint32_t direction, int64_t us)
{
	char key[32];
	struct copy_summary row = {.direction = direction, .count = STEPS, .total_ns = STEPS * us * US};
	key_of(rank, key);
	summary_string(s, key, &row.device);
	summary_add(s, ROW_COPY, &row);
}

/* Four ranks, of which the third has `more_us` more of the leaf and of the group's durations. */
static void four(struct summary *s, enum leaf leaf, enum group group, int64_t us, int64_t more_us)
{
	begin(s);
	for (int32_t rank = 0; rank < 4; rank++) {
		const int64_t own_us = us + (rank == 2 ? more_us : 0);
		int64_t leaves_us[LEAF_COUNT] = {0};
		leaves_us[leaf] = own_us;
		struct device_summary *d = add_device(s, rank, leaves_us);
		d->busy_ns[group] = STEPS * own_us * US;
	}
	add_nccl(s, "AllReduce", "", 0);
}

static void of_group(void)
{
	/* the mean is 10 + more / 4 ms: 10 % above it from more = 1.38 ms, 2 % of the step from 2.67 */
	for (int64_t more_us = 2600; more_us <= 2800; more_us += 200) {
		struct summary s;
		struct findings all;
		four(&s, LEAF_WORK_CUSTOM, GROUP_CUSTOM, 10000, more_us);
		make(&s, &all);
		counted(&all, more_us > 2667, "uneven work");
		if (more_us > 2667) {
			says(
				&all.at[0], "uneven",
				"Custom kernels take 12.8 ms on rank 2, 20 % more than the mean of 4 GPUs",
				"2.1 ms of it are more than the mean and overlapped by nothing; no rank is seen to "
				"wait for it, so no gain is known");
			is(&all, "uneven", 525, "low");
			CHECK(!all.at[0].gain_known && all.at[0].whom.rank == 2 &&
					  strcmp(all.at[0].whom.cause, "work") == 0,
				  "whose it is");
		}
		done(&s, &all);
	}
}

/* As large, but 10 % of a long time: it is no more than others have too. */
static void of_long(void)
{
	struct summary s;
	struct findings all;
	four(&s, LEAF_WORK_CUSTOM, GROUP_CUSTOM, 30000, 4800);
	make(&s, &all);
	is(&all, "uneven", 900, "low");
	done(&s, &all);
	four(&s, LEAF_WORK_CUSTOM, GROUP_CUSTOM, 50000, 4800);
	make(&s, &all);
	CHECK(!find(&all, "uneven"), "7 %% above the mean");
	done(&s, &all);
}

static void of_copies(void)
{
	struct summary s;
	struct findings all;
	four(&s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 3000, 9200);
	for (int32_t rank = 0; rank < 4; rank++)
		add_copies(&s, rank, BATON_COPY_HTOD, rank == 2 ? 12200 : 3000);
	make(&s, &all);
	says(find(&all, "uneven"), "uneven",
		 "Copies from host to GPU take 12.2 ms on rank 2, 130 % more than the mean of 4 GPUs",
		 "6.9 ms of it");
	is(&all, "uneven", 1725, "low");
	is(&all, "copies", 5300 - 1725, "medium"); /* what one row has is not in the other */
	says(find(&all, "copies"), "copies", "", "another 1.7 ms are counted under uneven (rank 2)");
	CHECK(all.n == 2, "copies are not told as a group too");
	done(&s, &all);
}

/* Two directions at the same time: what the device has exposed is counted once. */
static void of_both_directions(void)
{
	struct summary s;
	struct findings all;
	four(&s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 3000, 9200);
	for (int32_t rank = 0; rank < 4; rank++) {
		add_copies(&s, rank, BATON_COPY_HTOD, rank == 2 ? 12200 : 3000);
		add_copies(&s, rank, BATON_COPY_DTOH, rank == 2 ? 12000 : 3000);
	}
	make(&s, &all);
	is(&all, "uneven", 1725, "low");
	is(&all, "copies", 5300 - 1725, "medium");
	CHECK(all.n == 2, "the exposed part of one direction is not the other's too");
	done(&s, &all);
}

/* What few steps have is a row of its own: what the device has is taken from one of the two. */
static void of_few_steps_too(void)
{
	struct summary s;
	struct findings all;
	int64_t shares_ns = 0;
	four(&s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 15000, 9200); /* 12 of the 15 ms: 60 in each fifth */
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[STEPS];
		for (int step = 0; step < STEPS; step++)
			us[step] = 3000 + (rank == 2 ? 9200 : 0) + (step % 5 == 0 ? 60000 : 0);
		add_series(&s, rank, "copy.exposed", us, STEPS);
		add_copies(&s, rank, BATON_COPY_HTOD, rank == 2 ? 24200 : 15000);
	}
	make(&s, &all);
	for (size_t i = 0; i < all.n; i++)
		shares_ns += all.at[i].share_ns;
	CHECK(all.n == 3 && find(&all, "uneven") && shares_ns == 17300 * US,
		  "%zu findings have %lld ns of 17.3 ms", all.n, (long long)shares_ns);
	done(&s, &all);
}

enum { MANY_BYTES = 64000000 }; /* of a pair in a step */

/* A copy of the pair in each step, on the stream of the rank that sends. */
static void add_pair(struct summary *s, int32_t from, int32_t to, int64_t bytes, int64_t us)
{
	char key[32];
	struct pair_summary row = {.count = STEPS,
							   .bytes = STEPS * bytes,
							   .total_ns = STEPS * us * US,
							   .sized_ns = STEPS * us * US};
	key_of(from, key);
	summary_string(s, key, &row.from);
	summary_string(s, key, &row.device);
	key_of(to, key);
	summary_string(s, key, &row.to);
	summary_add(s, ROW_PAIR, &row);
}

/* All twelve pairs of four ranks: 64 MB in 1 ms each, `us` from rank 2 to rank 3. */
static void all_pairs(struct summary *s, int64_t bytes, int64_t us, int64_t exposed_us)
{
	four(s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 3000, 0);
	s->devices[2].time_ns[LEAF_COPY_EXPOSED] += STEPS * exposed_us * US;
	for (int32_t from = 0; from < 4; from++)
		for (int32_t to = 0; to < 4; to++)
			if (from == 2 && to == 3)
				add_pair(s, from, to, bytes, us);
			else if (from != to)
				add_pair(s, from, to, MANY_BYTES, 1000);
}

static void of_pairs(void)
{
	struct summary s;
	struct findings all;
	all_pairs(&s, MANY_BYTES, 8000, 7000); /* a slow link */
	make(&s, &all);
	says(
		find(&all, "uneven"), "uneven",
		"Copies from rank 2 to rank 3 run at 8.0 GB/s, the median of 12 pairs of GPUs at 64.0 GB/s",
		"64.0 MB in 8.0 ms per step; 7.0 ms of it are more than at that speed and overlapped by "
		"nothing; no rank is seen to wait for it, so no gain is known");
	is(&all, "uneven", 1750, "low");
	CHECK(find(&all, "uneven")->whom.rank == 2, "whose copies they are");
	CHECK(find(&all, "copies") && find(&all, "copies")->share_ns == 3000 * US,
		  "what the pair has is not in the copies of all");
	done(&s, &all);

	all_pairs(&s, 8 * (int64_t)MANY_BYTES, 8000, 7000); /* as fast, but more of them */
	make(&s, &all);
	says(find(&all, "uneven"), "uneven",
		 "Copies from rank 2 to rank 3 take 8.0 ms, the mean of 12 pairs of GPUs 1.6 ms",
		 "512.0 MB in 8.0 ms per step; 6.4 ms of it are more than the mean");
	done(&s, &all);

	all_pairs(&s, MANY_BYTES, 8000, 0); /* overlapped by kernels, but for 3 ms */
	make(&s, &all);
	is(&all, "uneven", 750, "low");
	done(&s, &all);
}

/* No finding: pairs that are alike, a short extra time, short copies, whose speed says nothing. */
static void of_even_pairs(void)
{
	struct summary s;
	struct findings all;
	for (int64_t us = 1000; us <= 1105; us += 105) {
		all_pairs(&s, MANY_BYTES, us, 0);
		make(&s, &all);
		CHECK(!find(&all, "uneven"), "pairs that take 1000 and %lld us", (long long)us);
		done(&s, &all);
	}
	four(&s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 3000, 0);
	add_pair(&s, 0, 1, 64 << 20, 3000);
	add_pair(&s, 1, 0, 64 << 10, 3000); /* it takes as long as the large one, whatever its speed */
	make(&s, &all);
	CHECK(!find(&all, "uneven"), "short copies");
	done(&s, &all);
}

static void hidden(void)
{
	struct summary s;
	struct findings all;
	four(&s, LEAF_COPY_EXPOSED, GROUP_MEMORY, 0, 0);
	for (int32_t rank = 0; rank < 4; rank++)
		add_copies(&s, rank, BATON_COPY_DTOH, rank == 2 ? 12000 : 3000);
	make(&s, &all);
	CHECK(all.n == 0, "copies that other work overlaps");
	done(&s, &all);
}

/* Another finding names the device: a late rank, or an asymmetry where nobody could wait. */
static void told(void)
{
	struct summary s;
	struct findings all;
	straggling(&s, 4, LEAF_WORK_CUSTOM, 9000, 1000);
	for (size_t i = 0; i < 4; i++)
		s.devices[i].busy_ns[GROUP_CUSTOM] = s.devices[i].time_ns[LEAF_WORK_CUSTOM];
	make(&s, &all);
	says(&all.at[0], "late_rank", "Rank 3", "");
	CHECK(!find(&all, "uneven"), "a late rank is told once");
	done(&s, &all);

	begin(&s);
	for (int32_t rank = 0; rank < 4; rank++) {
		int64_t us[LEAF_COUNT] = {[LEAF_HOST_INPUT] = rank == 1 ? 1000 : 10000};
		struct device_summary *d = add_device(&s, rank, us);
		d->busy_ns[GROUP_MATMUL] = d->time_ns[LEAF_WORK_MATMUL];
	}
	make(&s, &all);
	says(find(&all, "asymmetry"), "asymmetry", "Rank 1 has", "");
	CHECK(!find(&all, "uneven"), "an asymmetry is told once");
	done(&s, &all);
}

int main(void)
{
	of_group();
	of_long();
	of_copies();
	of_both_directions();
	of_few_steps_too();
	of_pairs();
	of_even_pairs();
	hidden();
	told();
	return finish();
}

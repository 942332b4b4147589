/* Collectives whose members are not all in the run: does the last one here wait for one that is
 * not? */
#include "attribute/collectives.h"
#include "check.h"

#include <string.h>

static void add(struct collectives *c, uint64_t sequence, const int64_t *us, uint32_t n,
				int64_t bytes)
{
	for (uint32_t i = 0; i < n; i++) {
		struct coll_op op = {.key = {.comm = 7, .sequence = sequence, .step_number = -1, .coll = 1},
							 .member = i,
							 .dur_ns = us[i] * 1000,
							 .bytes = bytes,
							 .rows = 1,
							 .size = 4};
		CHECK(collectives_add(c, &op, false) == 0, "not added");
	}
}

static const struct coll_seen *find(struct collectives *c, uint64_t sequence)
{
	struct coll_key key = {.comm = 7, .sequence = sequence, .step_number = -1, .coll = 1};
	const struct coll_seen *seen = collectives_find(c, &key);
	CHECK(seen, "collective %llu is not there", (unsigned long long)sequence);
	return seen;
}

/* Twenty of one size: all but the last wait for nobody, member 1 is last by 50. */
static struct collectives *twenty(const int64_t *last, int64_t bytes)
{
	struct collectives *c;
	CHECK(collectives_open(&c) == 0, "not opened");
	for (uint64_t i = 0; i < 19; i++)
		add(c, i, (const int64_t[]){150, 100 + (int64_t)i, 150}, 3, bytes);
	add(c, 19, last, 3, bytes);
	CHECK(collectives_settle(c) == 0, "not settled");
	return c;
}

static bool missed(const int64_t *last)
{
	struct collectives *c = twenty(last, 4096);
	CHECK(find(c, 0)->base_ns == 100000 && find(c, 19)->base_ns == 100000, "base %lld",
		  (long long)find(c, 0)->base_ns);
	CHECK(!collective_missed(find(c, 5)), "one like all the others");
	bool is = collective_missed(find(c, 19));
	collectives_close(c);
	return is;
}

/* Of two members without arguments: begin and end of each, in us; the step has `n`. */
static void add_ordered(struct collectives *c, int64_t step, const int64_t (*us)[4], uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t m = 0; m < 2; m++) {
			const int64_t from = us[i][2 * m], to = us[i][2 * m + 1];
			struct coll_op op = {
				.key = {.comm = 9, .sequence = i, .step_number = step, .ordered = 1},
				.member = m,
				.dur_ns = (to - from) * 1000,
				.end_ns = to * 1000,
				.bytes = -1,
				.rows = 1,
				.size = 2};
			if (to > from)
				CHECK(collectives_add(c, &op, false) == 0, "not added");
		}
}

static bool ordered_holds(struct collectives *c, int64_t step, uint64_t i)
{
	struct coll_key key = {.comm = 9, .sequence = i, .step_number = step, .ordered = 1};
	const struct coll_seen *seen = collectives_find(c, &key);
	return seen && !seen->ambiguous;
}

/* Order is trusted where the numbers agree and the members end together. */
static void ordered(void)
{
	struct collectives *c;
	CHECK(collectives_open(&c) == 0, "not opened");
	int64_t good[10][4];
	for (int64_t i = 0; i < 10; i++)
		memcpy(good[i], (int64_t[]){1000 * i, 1000 * i + 500, 1000 * i + 300, 1000 * i + 510},
			   sizeof(good[i]));
	add_ordered(c, 1, (const int64_t(*)[4])good, 10);
	good[9][3] = 0; /* a member has one less */
	add_ordered(c, 2, (const int64_t(*)[4])good, 10);
	good[9][3] = 9710; /* as many, but one ends late */
	add_ordered(c, 3, (const int64_t(*)[4])good, 10);
	CHECK(collectives_settle(c) == 0, "not settled");
	for (uint64_t i = 0; i < 10; i++) {
		CHECK(ordered_holds(c, 1, i), "step 1, %llu", (unsigned long long)i);
		CHECK(!ordered_holds(c, 2, i), "other numbers, %llu", (unsigned long long)i);
		CHECK(ordered_holds(c, 3, i) == (i < 9), "step 3, %llu", (unsigned long long)i);
	}
	collectives_close(c);
	CHECK(collectives_open(&c) == 0, "not opened");
	for (int i = 7; i < 10; i++)
		good[i][3] = good[i][1] + 210;
	add_ordered(c, 1, (const int64_t(*)[4])good, 10);
	CHECK(collectives_settle(c) == 0, "not settled");
	CHECK(!ordered_holds(c, 1, 0), "three of ten end apart and the order is trusted");
	collectives_close(c);
}

/* Keeps out: what is told of a collective depends on which member's device is scanned first. */
static void any_order(void)
{
	for (uint32_t first = 0; first < 2; first++) {
		struct collectives *c;
		CHECK(collectives_open(&c) == 0, "not opened");
		for (uint32_t i = 0; i < 2; i++) {
			struct coll_op op = {
				.key = {.comm = 7, .step_number = -1, .coll = 1}, .dur_ns = 100, .size = 2};
			op.member = i ^ first;
			op.rows = 1 + (uint32_t)op.member;
			CHECK(collectives_add(c, &op, false) == 0, "not added");
		}
		const struct coll_seen *seen = find(c, 0);
		CHECK(seen->rows == 1 && seen->last == 0 && seen->ambiguous, "member %u comes first",
			  first);
		collectives_close(c);
	}
}

int main(void)
{
	ordered();
	any_order();
	CHECK(missed((const int64_t[]){450, 400, 450}), "all wait for one that is not here");
	CHECK(!missed((const int64_t[]){900, 120, 900}),
		  "member 1 is last, its transfer begins at once");
	CHECK(!missed((const int64_t[]){350, 290, 350}), "a transfer may take so much longer");
	CHECK(!missed((const int64_t[]){900, 400, 900}), "member 1 costs more than who came after it");
	CHECK(missed((const int64_t[]){650, 400, 650}), "and less");
	struct collectives *c = twenty((const int64_t[]){450, 400, 450}, -1);
	CHECK(find(c, 0)->base_ns == -1, "of sizes that are not known");
	collectives_close(c);
	CHECK(collectives_open(&c) == 0, "not opened");
	for (uint64_t i = 0; i < 7; i++)
		add(c, i, (const int64_t[]){150, 100}, 2, 4096);
	CHECK(collectives_settle(c) == 0 && find(c, 0)->base_ns == -1, "of too few");
	collectives_close(c);
	return finish();
}

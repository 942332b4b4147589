/* The median of queued gaps, of made traces whose gaps are known: few and many, short ones and ones
 * that take more than 32 bits. */
#include "made_rows.h"
#include "reduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEGIN = 1000000000, KERNEL_NS = 1000, QUEUED_NS = 2000000 };

struct gaps {
	unsigned n;
	unsigned distinct;  /* so many different lengths */
	unsigned each_long; /* one in so many takes more than 32 bits; 0: none */
};

static int64_t length(const struct gaps *gaps, unsigned i)
{
	const int64_t ns = 1 + i * 7919 % gaps->distinct;
	return gaps->each_long && i % gaps->each_long == 0 ? ns + (INT64_C(1) << 32) : ns;
}

/* The call of a kernel returned long before the kernel before it ended. */
static void make_trace(const struct gaps *gaps)
{
	struct making m;
	int64_t start = BEGIN;
	make_begin(&m, 0);
	for (unsigned i = 0; i <= gaps->n; i++) {
		const int64_t gap_ns = i ? length(gaps, i - 1) : 0;
		start += gap_ns;
		put_call(&m, (struct made_row){start - gap_ns - QUEUED_NS, 10, 10 + i, 0, MADE_LAUNCH});
		put_op(&m, (struct made_row){start, KERNEL_NS, 10 + i, 0, 0}, false);
		start += KERNEL_NS;
	}
	make_end(&m, 0, 1);
}

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* By nearest rank. */
static int64_t median(const struct gaps *gaps)
{
	int64_t *all = malloc(gaps->n * sizeof(*all));
	CHECK(all, "no memory");
	for (unsigned i = 0; i < gaps->n; i++)
		all[i] = length(gaps, i);
	qsort(all, gaps->n, sizeof(*all), by_length);
	const int64_t middle = all[(gaps->n + 1) / 2 - 1];
	free(all);
	return middle;
}

/* Keeps out: a gap that is lost or counted twice, and one that is cut to 32 bits. */
static void check_gaps(const struct gaps *gaps)
{
	struct reduction reduction;
	const struct reduce_options options = {.fresh = true, .no_replay = true, .whole_run = true};
	char command[4200];
	make_trace(gaps);
	CHECK(reduce_run((char *const *)&dir, 1, &options, &reduction) == 0, "it is not reduced");
	CHECK(reduction.summary.n_devices == 1, "%zu devices", (size_t)reduction.summary.n_devices);
	CHECK(reduction.summary.devices[0].queued_gap_ns == median(gaps),
		  "%u gaps, %u different: the median is %lld, not %lld", gaps->n, gaps->distinct,
		  (long long)reduction.summary.devices[0].queued_gap_ns, (long long)median(gaps));
	reduction_free(&reduction);
	snprintf(command, sizeof(command), "rm -f %s/*", dir);
	CHECK(system(command) == 0, "files stay");
}

int main(void)
{
	const struct gaps all[] = {
		{1, 1, 0},         {101, 100, 0},     {1024, 1000, 0},    {1025, 1000, 0},
		{3000, 2999, 0},   {3000, 700, 3},    {3000, 5000, 1},    {1500, 5000, 2},
		{65536, 60000, 0}, {65537, 65000, 0}, {66000, 800, 9000},
	};
	char place[] = "/tmp/queued_gaps_test.XXXXXX";
	dir = mkdtemp(place);
	CHECK(dir, "no directory");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_gaps(&all[i]);
	rmdir(dir);
	return finish();
}

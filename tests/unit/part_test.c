/* Parts of a run that are added up: who is in two of them, and what many devices cost. */
#include "check.h"
#include "part.h"
#include "reduce_options.h"
#include "summary/summary.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { MANY = 60000, MOST_S = 10 };

/* A part with one process, and `n` devices of this node. */
static void make(struct summary *part, const char *node, int n)
{
	struct process_summary process = {.pid = 7, .rank = -1, .world_size = -1};
	CHECK(summary_init(part) == 0, "no memory");
	CHECK(summary_string(part, node, &process.host) == 0, "no memory");
	CHECK(summary_add(part, ROW_PROCESS, &process) == 0, "no memory");
	for (int i = 0; i < n; i++) {
		struct scan_summary scan = {0};
		char device[64];
		snprintf(device, sizeof(device), "%s/%d", node, i);
		CHECK(summary_string(part, device, &scan.device) == 0, "no memory");
		CHECK(summary_add(part, ROW_SCAN, &scan) == 0, "no memory");
	}
}

/* Keeps out: two parts of many devices that take as long as the product of their numbers. */
static void many(void)
{
	struct summary a, b, sum;
	make(&a, "a", MANY);
	make(&b, "b", MANY);
	summary_init(&sum);
	const clock_t before = clock();
	CHECK(part_add(&sum, &a, "a") == 0, "a is refused");
	CHECK(part_add(&sum, &b, "b") == 0, "b is refused");
	const double took_s = (double)(clock() - before) / CLOCKS_PER_SEC;
	CHECK(took_s < MOST_S, "%.1f s for %d devices", took_s, 2 * MANY);
	CHECK(sum.n_scans == 2 * MANY, "%zu devices", sum.n_scans);
	CHECK(part_add(&sum, &a, "a") == 2, "a is added twice");
	summary_free(&a);
	summary_free(&b);
	summary_free(&sum);
}

static struct device_summary *add_device(struct summary *part, const char *key, int64_t ns)
{
	struct device_summary *device = summary_device(part, key);
	CHECK(device != NULL, "no memory");
	device->window_ns = device->time_ns[LEAF_WORK_MATMUL] = ns;
	return device;
}

/* Keeps out: a device that counts twice, since no part lists it. */
static void unlisted(void)
{
	struct summary part, sum;
	make(&part, "a", 1);
	summary_init(&sum);
	add_device(&part, "a/0", 5);
	CHECK(part_add(&sum, &part, "listed") == 0, "refused");
	summary_free(&sum);
	summary_init(&sum);
	add_device(&part, "b/0", 5);
	CHECK(part_add(&sum, &part, "unlisted") == 3, "b/0 is not among its devices");
	CHECK(sum.n_devices == 0, "added");
	summary_free(&part);
	summary_free(&sum);
}

/* Keeps out: sums that no reader takes, written with status 0. */
static void too_much(void)
{
	struct reduce_options options = {0};
	struct summary part, sum;
	summary_init(&sum);
	for (int i = 0; i < 5; i++) {
		char node[2] = {(char)('a' + i)};
		make(&part, node, 1);
		part.quality.records = UINT64_C(1) << 62;
		CHECK(part_add(&sum, &part, node) == 0, "part %s is refused", node);
		summary_free(&part);
		if (i > 0)
			continue;
		CHECK(part_finish(&sum, &options) == 0, "no memory");
		CHECK(part_check(&sum) == 0, "a part alone is refused");
	}
	CHECK(part_finish(&sum, &options) == 0, "no memory");
	CHECK(part_check(&sum) == -EBADMSG, "%llu records", (unsigned long long)sum.quality.records);
	summary_free(&sum);
}

int main(void)
{
	many();
	unlisted();
	too_much();
	return finish();
}

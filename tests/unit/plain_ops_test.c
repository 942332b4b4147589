/* The ops of made traces, taken straight from the columns and with opstream_next(): the same ones
 * in the same order, or the former says that they are odd. And scans that keep the ops, and take
 * most of them the short way (scan_run.h), find what others do. */
#include "attribute/collectives.h"
#include "attribute/device_open.h"
#include "attribute/plain_ops.h"
#include "classify/classify.h"
#include "made_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPS = 400, RUNS = 200, BEGIN = 1000000000, BLOCK = 64 };

enum oddness { ORDINARY, SHARED_LAUNCH, WHOLE_GRAPH, GRAPH_CALL, LATE_ROW, ODDNESSES };

static void put_launch(const struct making *m, int64_t start, int64_t dur, int64_t id, bool graph)
{
	put_call(m, (struct made_row){start, dur, id, id % 2, graph ? MADE_GRAPH : MADE_LAUNCH});
}

static void put_kernel(const struct making *m, int64_t start, int64_t dur, int64_t id, bool graph)
{
	const uint32_t stream = draw(3), name = draw(2);
	put_op(m, (struct made_row){start, dur, id, stream, name}, graph);
}

static void put_collective(const struct making *m, int64_t start, int64_t id)
{
	const int64_t row[BATON_MAX_COLUMNS] = {[COLL_START] = start,
											[COLL_CORRELATION] = id,
											[COLL_COMM] = m->comm,
											[COLL_KIND] = BATON_COLL_ALLREDUCE};
	trace_out_row(m->out, BATON_COLLECTIVE, row, 0);
}

/* Many ops start together, some have no launch record, some launches begin after their op. */
static void put_rows(const struct making *m, enum oddness odd)
{
	int64_t start = BEGIN;
	const unsigned at = draw(OPS);
	for (unsigned i = 0; i < OPS; i++) {
		const bool is_odd = odd != ORDINARY && i == at;
		const int64_t id = 10 + i;
		start += draw(3) * 1000;
		if (draw(20))
			put_launch(m, start - draw(50) * 100 + (draw(30) == 0) * 7000, 1 + draw(900), id,
					   is_odd && odd == GRAPH_CALL);
		else if (is_odd && odd == GRAPH_CALL)
			put_launch(m, start, 10, id, true);
		put_kernel(m, start, 1 + draw(4000), id, is_odd && odd == WHOLE_GRAPH);
		if (is_odd && odd == SHARED_LAUNCH)
			put_kernel(m, start + draw(2) * 500, 10, id, false);
		if (is_odd && odd == LATE_ROW)
			put_collective(m, start + 1, id);
		else if (draw(10) == 0)
			put_collective(m, start - 6000, id);
	}
	put_kernel(m, start + 100000, 10, 5, false); /* what came late is seen by then */
}

static void make_trace(enum oddness odd)
{
	struct making m;
	make_begin(&m, 0);
	trace_out_limit(m.out, BLOCK);
	put_rows(&m, odd);
	make_end(&m, 0, 1);
}

/* What a scan looks at. */
static bool same(const struct op *a, const struct op *b)
{
	const unsigned flags = OP_MATCHED | OP_FIRST_OF_CALL | OP_IS_PAGEABLE | OP_FIRST_KERNEL;
	return a->start == b->start && a->end == b->end && a->ls == b->ls && a->le == b->le &&
		   a->stream == b->stream && a->correlation == b->correlation && a->name == b->name &&
		   a->thread == b->thread && a->slot == b->slot && a->step == b->step &&
		   a->kind == b->kind && a->group == b->group && (a->flags & flags) == (b->flags & flags);
}

static size_t read_ahead(struct device_feeds *ds, struct op *ops)
{
	size_t n = 0;
	CHECK(device_feeds_rewind(ds) == 0, "no rewind");
	for (const struct op *op; (op = opstream_next(&ds->stream)) && n < 2 * OPS;)
		ops[n++] = *op;
	CHECK(ds->stream.error == 0, "error %d", ds->stream.error);
	return n;
}

/* Returns whether they are odd. */
static bool compare(struct device_feeds *ds, unsigned run, enum oddness odd)
{
	static struct op ops[2 * OPS];
	const size_t n = read_ahead(ds, ops);
	const int64_t late_ns = ds->feeds[0].late_seen_ns;
	struct plain_ops plain;
	struct op op;
	size_t at = 0;
	ds->feeds[0].late_seen_ns = 0;
	CHECK(n > OPS && device_feeds_rewind(ds) == 0, "%zu ops", n);
	CHECK(plain_ops_fit(&ds->stream), "one process does not fit");
	plain_ops_open(&plain, &ds->stream);
	while (plain_ops_next(&plain, &op) && at < n && (odd != ORDINARY || same(&op, &ops[at])))
		at++;
	CHECK(plain.error == 0, "run %u: error %d", run, plain.error);
	CHECK(plain.odd || at == n, "run %u, oddness %d: op %zu of %zu differs", run, odd, at, n);
	CHECK(plain.odd || ds->feeds[0].late_seen_ns == late_ns, "run %u: late by %lld, not %lld", run,
		  (long long)ds->feeds[0].late_seen_ns, (long long)late_ns);
	plain_ops_close(&plain);
	return plain.odd;
}

static void scan_with(struct device_context *context, struct kept_ops *kept,
					  struct device_scan *scan)
{
	context->kept = kept;
	CHECK(collectives_open(&context->collectives) == 0, "no memory");
	CHECK(period_memo_open(&context->periods) == 0, "no memory");
	CHECK(device_scan(context, 0, NULL, scan) == 0, "it is not scanned");
	period_memo_close(context->periods);
	collectives_close(context->collectives);
}

static void compare_scans(struct device_context *context, unsigned run)
{
	struct kept_ops kept;
	struct device_scan a, b;
	kept_ops_open(&kept, 1 << 17);
	scan_with(context, NULL, &a);
	scan_with(context, &kept, &b);
	CHECK(a.calibration.floor_ns == b.calibration.floor_ns &&
			  a.calibration.queued_gap_ns == b.calibration.queued_gap_ns &&
			  a.calibration.shared == b.calibration.shared,
		  "run %u: floor %lld and %lld, queued gap %lld and %lld", run,
		  (long long)a.calibration.floor_ns, (long long)b.calibration.floor_ns,
		  (long long)a.calibration.queued_gap_ns, (long long)b.calibration.queued_gap_ns);
	CHECK(a.steps.n_steps == b.steps.n_steps && a.launches == b.launches &&
			  a.clock_early_ns == b.clock_early_ns && a.any_before == b.any_before,
		  "run %u: other steps", run);
	CHECK(a.hull_from == b.hull_from && a.hull_to == b.hull_to && a.window_from == b.window_from &&
			  a.window_to == b.window_to,
		  "run %u: another window", run);
	CHECK(memcmp(a.ends, b.ends, ((size_t)a.steps.n_steps + 1) * sizeof(*a.ends)) == 0,
		  "run %u: the steps end elsewhere", run);
	for (uint32_t i = 0; i < KERNELS + CALLS; i++)
		CHECK(a.first_launch[0][i] == b.first_launch[0][i], "run %u: name %u", run, i);
	device_scan_free(context, &a);
	device_scan_free(context, &b);
	kept_ops_free(&kept);
}

static void check_run(unsigned number, enum oddness odd, struct device_context *context)
{
	struct run run;
	char command[4200];
	seed = number;
	make_trace(odd);
	CHECK(run_open((char *const *)&dir, 1, &run) == 0 && run.n_devices == 1, "run %u does not open",
		  number);
	context->run = &run;
	struct device_scan scan = {.device = 0};
	struct device_feeds ds;
	CHECK(device_feeds_open(context, &scan, &ds) == 0, "no feeds");
	const bool is_odd = compare(&ds, number, odd);
	CHECK(is_odd == (odd != ORDINARY), "run %u: oddness %d is %sodd", number, odd,
		  is_odd ? "" : "not ");
	device_feeds_close(&ds);
	compare_scans(context, number);
	run_close(&run);
	snprintf(command, sizeof(command), "rm -f %s/*.baton", dir);
	CHECK(system(command) == 0, "traces stay");
}

/* So many ops are kept that a few threads with many devices read them once, and no memory is taken that
 * grows with the threads. */
static void check_most(void)
{
	static const size_t all[][3] = {{1, 8, 3 << 18},  {1, 7, 1 << 17},  {2, 15, 1 << 17},
									{2, 16, 3 << 17}, {6, 96, 1 << 17}, {24, 960, 1 << 17},
									{64, 960, 49152}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		CHECK(kept_ops_most(all[i][0], all[i][1]) == all[i][2], "%zu threads, %zu devices: %zu",
			  all[i][0], all[i][1], kept_ops_most(all[i][0], all[i][1]));
}

/* An op whose launch is more calls back than a visit by itself remembers is not kept. */
static void check_far(void)
{
	static struct kept_call calls[KEPT_NEAR];
	struct kept_op op = {.start = KEPT_NEAR, .end = KEPT_NEAR + 1, .flags = OP_MATCHED};
	struct kept_ops kept = {.at = &op, .n = 1, .calls = {.at = calls, .n = KEPT_NEAR}};
	for (uint32_t i = 0; i < KEPT_NEAR; i++)
		calls[i] = (struct kept_call){.start = i, .end = i + 1, .id = i + 1};
	CHECK(kept_ops_reach_far(&kept), "its launch was the first call");
	op.call = KEPT_NEAR - 3;
	CHECK(!kept_ops_reach_far(&kept), "its launch was the last but two");
	op.call = 0;
	op.start = 5;
	CHECK(!kept_ops_reach_far(&kept), "it began when few calls had");
}

int main(void)
{
	char place[] = "/tmp/plain_ops_test.XXXXXX", message[512];
	struct host_names *names;
	struct classifier *classifier;
	const struct reduce_options options = {0};
	struct device_context context = {.options = &options};
	dir = mkdtemp(place);
	CHECK(dir && classifier_open(NULL, NULL, message, sizeof(message), &classifier) == 0,
		  "no classifier");
	CHECK(host_names_open(NULL, &names) == 0 && class_cache_open(classifier, &context.classes) == 0,
		  "no names");
	context.names = names;
	check_most();
	check_far();
	for (unsigned i = 0; i < RUNS && check_failures == 0; i++)
		check_run(i, (enum oddness)(i % 2 ? 0 : i / 2 % ODDNESSES), &context);
	class_cache_close(context.classes);
	host_names_close(names);
	classifier_close(classifier);
	rmdir(dir);
	return finish();
}

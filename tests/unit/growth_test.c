/* What a file of very many overlapping calls, host functions, streams or sleeps costs the graph.
 * Keeps out: twice the rows taking four times the time. Time of this process on a core is compared
 * with itself: the least of three turns, of n rows and of 2n. Not with a sanitizer, whose tables of
 * the memory in use grow too. */
#include "check.h"
#include "graph/arrivals.h"
#include "graph/held_rows.h"
#include "graph/threads.h"
#include "graph/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ROWS = 15000, TURNS = 1, TIMES_COUNT = 0, BUSY_TURNS = 1 };
#else
/* BUSY_TURNS: where something else takes the caches meanwhile. */
enum { ROWS = 15000, TURNS = 3, TIMES_COUNT = 1, BUSY_TURNS = 15 };
#endif

struct made {
	struct process process;
	struct model model;
	struct trace_thread *threads;
};

static double core_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const struct sample sample = {.n_steps = 1};
static const struct calibration calibration = {.queued_gap_ns = 1200, .floor_ns = 2000};

/* n calls of one thread, each of which begins and ends after the one before it: all are open at
 * once. Of an op each, on `streams` streams in turn, and a host function beside each. */
static void make(struct made *m, uint32_t n, uint32_t streams)
{
	struct process *p = &m->process;
	memset(m, 0, sizeof(*m));
	m->threads = calloc(2, sizeof(*m->threads));
	p->trace.threads = m->threads;
	p->calls = calloc(n, sizeof(*p->calls));
	p->ops = calloc(n, sizeof(*p->ops));
	p->helds = calloc(n, sizeof(*p->helds));
	p->streams = calloc(streams + 1, sizeof(*p->streams));
	p->n_calls = p->n_ops = p->n_helds = n;
	p->n_streams = streams + 1;
	p->sample = &sample;
	p->begins = calloc(2, sizeof(*p->begins));
	p->begins[1] = INT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		const int64_t ns = 1000000 + 1000 * (int64_t)i, ends = ns + 1000 * (int64_t)n;
		p->calls[i] = (struct host_call){.begin = ns,
										 .end = ends,
										 .thread = 1,
										 .first_op = i,
										 .own_op = i % 2 ? i : NO_INDEX,
										 .class = i % 2 ? CALL_WAITS : CALL_PLAIN,
										 .chain = 0};
		p->ops[i] = (struct device_op){.begin = ns + 100000,
									   .end = ns + 100500,
									   .call = i,
									   .last_call = NO_INDEX,
									   .stream = 1 + i % streams,
									   .unit = (uint16_t)(i % streams % 2)};
		p->helds[i] = (struct held_row){ns, ns + 50, 1 + i % streams, BATON_SYNC_HOST_FUNC};
	}
	for (uint32_t s = 0; s <= streams; s++)
		p->streams[s] =
			(struct process_stream){.calibration = &calibration, .unit = (uint16_t)((s + 1) % 2)};
}

enum { SLEEPS = 20 };

/* Threads of a call each, which sleep for the lock of the first one while the profiler works on one
 * of them after the other. */
static void make_sleepers(struct made *m, uint32_t n)
{
	struct process *p = &m->process;
	memset(m, 0, sizeof(*m));
	m->threads = calloc(n + 1, sizeof(*m->threads));
	p->trace.threads = m->threads;
	p->calls = calloc(n, sizeof(*p->calls));
	p->streams = calloc(1, sizeof(*p->streams));
	p->spans = calloc(n, sizeof(*p->spans));
	p->scheds = calloc(SLEEPS * (size_t)n, sizeof(*p->scheds));
	p->sched_threads = calloc(SLEEPS * (size_t)n, sizeof(*p->sched_threads));
	p->n_calls = p->n_spans = n;
	p->n_streams = 1;
	for (uint32_t i = 0; i < n; i++) {
		const int64_t ns = 1000000 + 1000 * (int64_t)i;
		p->calls[i] = (struct host_call){
			.begin = ns, .end = ns + 100, .thread = 1 + i, .first_op = NO_INDEX, .chain = 0};
		p->spans[i] = (struct span){ns + 200, ns + 900, 1 + i, LABEL_PROFILER};
		for (int64_t k = 0; k < SLEEPS; k++) {
			const int64_t at = ns + 500 + 2000 * k;
			p->sched_threads[p->n_scheds] = 1 + i;
			p->scheds[p->n_scheds++] =
				(struct sched_row){.begin = at, at + 1000, at + 1000, at + 1000, .holder = 1};
		}
	}
}

static void unmake(struct made *m)
{
	const struct trace_thread *threads = m->threads;
	model_free(&m->model);
	m->process.trace.threads = NULL;
	process_close(&m->process);
	free((void *)threads);
}

static double link_all(uint32_t n, uint32_t streams)
{
	struct made m;
	struct arrivals arrivals = {0};
	uint32_t node;
	make(&m, n, streams);
	int64_t *ns = calloc(2 * (size_t)n, sizeof(*ns));
	int error = process_fill_streams(&m.process);
	CHECK(error == 0, "no memory");
	const double began = core_seconds();
	error = graph_add_nodes(&m.model.graph, ns, 2 * n, &node);
	for (uint32_t i = 0; i < n; i++)
		m.process.ops[i].begin_node = 2 * i;
	error = error ? error : threads_open(&m.process, &m.model);
	error = error ? error : threads_link(&m.process, &m.model);
	error = error ? error : waits_link(&m.process, &m.model, 0);
	error = error ? error : arrivals_of_streams(&arrivals, &m.model, &m.process);
	error = error ? error : arrivals_link(&arrivals, &m.process, &m.model);
	const double took = core_seconds() - began;
	CHECK(error == 0, "%d", error);
	free(ns);
	free(arrivals.at);
	unmake(&m);
	return took;
}

static double sleep_all(uint32_t n, uint32_t unused)
{
	struct made m;
	(void)unused;
	make_sleepers(&m, n);
	const double began = core_seconds();
	const int error = threads_open(&m.process, &m.model);
	const double took = core_seconds() - began;
	CHECK(error == 0, "%d", error);
	unmake(&m);
	return took;
}

/* Rows of the profiler's work that no thread has are every thread's. Keeps out: a small file that
 * costs gigabytes. */
static void too_much_for_all(void)
{
	enum { THREADS = 4000, SPANS = 1200 };
	struct made m;
	make_sleepers(&m, THREADS);
	for (uint32_t i = 0; i < SPANS; i++)
		m.process.spans[i].thread = 0;
	CHECK(threads_open(&m.process, &m.model) == -E2BIG, "it was taken");
	unmake(&m);
}

/* Two rows of a thread as long as times may be. */
static void waits_for_ever(void)
{
	struct made m;
	make_sleepers(&m, 4);
	for (size_t i = 0; i < m.process.n_scheds; i++)
		m.process.scheds[i].waited = m.process.scheds[i].end = INT64_MAX / 2;
	CHECK(threads_open(&m.process, &m.model) == 0, "no memory");
	CHECK(m.process.starving == 1, "%g", m.process.starving);
	unmake(&m);
}

/* Threads that no record of the trace names are no loaders. Keeps out: a damaged trace whose rows are
 * taken for those of child processes. */
static void strangers(void)
{
	for (uint32_t child = 0; child < 2; child++) {
		struct made m;
		make_sleepers(&m, 4);
		m.process.trace.has_process = true;
		m.process.trace.process.pid = 7;
		m.process.trace.n_threads = 5;
		for (uint32_t i = 1; i < 5; i++)
			m.threads[i].pid = i == 4 && child ? 8 : 7;
		for (size_t i = 0; i < m.process.n_scheds; i++) {
			m.process.scheds[i].end += 1000;
			m.process.sched_threads[i] = child ? 4 : 0;
		}
		CHECK(threads_open(&m.process, &m.model) == 0, "no memory");
		CHECK(m.process.children_known == (child == 1), "child %u", child);
		unmake(&m);
	}
}

/* A call that loads modules has many within, so that they end where it does, and each thread waits
 * for the lock just then. Keeps out: each of them looking at each of those. */
static double wait_for_nested(uint32_t n, uint32_t unused)
{
	struct made m;
	(void)unused;
	make_sleepers(&m, n);
	const int64_t end = m.process.calls[n - 1].begin + 1000000;
	free(m.process.spans);
	m.process.spans = calloc(128 * (size_t)n, sizeof(*m.process.spans));
	m.process.n_spans = 128 * (size_t)n;
	for (size_t i = 0; i < m.process.n_spans; i++)
		m.process.spans[i] = (struct span){(int64_t)i, end, 1, LABEL_MODULE_LOAD};
	for (size_t i = 0; i < m.process.n_scheds; i++)
		m.process.scheds[i] =
			(struct sched_row){.begin = end - 100, end + 100, end + 100, end + 100, .holder = 1};
	const double began = core_seconds();
	CHECK(threads_open(&m.process, &m.model) == 0, "no memory");
	const double took = core_seconds() - began;
	unmake(&m);
	return took;
}

struct growing {
	const char *what;
	double (*take)(uint32_t n, uint32_t streams);
	uint32_t n, streams, more_streams;
};

static void grows(const struct growing *g)
{
	double once = 1e9, twice = 1e9;
	for (int i = 0; i < TURNS || (i < BUSY_TURNS && twice >= 3 * once + 0.02); i++) {
		const double a = g->take(g->n, g->streams), b = g->take(2 * g->n, g->more_streams);
		once = a < once ? a : once;
		twice = b < twice ? b : twice;
	}
	printf("%s: %.0f ms, of twice as many %.0f ms\n", g->what, 1e3 * once, 1e3 * twice);
	CHECK(!TIMES_COUNT || twice < 3 * once + 0.02, "%s: %.1f times as long", g->what, twice / once);
}

/* ---- the same answers as rows one by one give ---- */

static int64_t ran(const struct process *p, int64_t from, int64_t to)
{
	int64_t ns = 0;
	for (size_t i = 0; i < p->n_helds; i++) {
		const struct held_row *row = &p->helds[i];
		const int64_t begin = row->begin > from ? row->begin : from;
		const int64_t end = row->end < to ? row->end : to;
		ns += row->kind == BATON_SYNC_HOST_FUNC && end > begin ? end - begin : 0;
	}
	return ns;
}

static const struct held_row *ended(const struct process *p, int64_t from, int64_t to)
{
	for (size_t i = p->n_helds; i-- > 0;)
		if (p->helds[i].end >= from && p->helds[i].end <= to)
			return &p->helds[i];
	return NULL;
}

static void same_answers(void)
{
	static struct held_row rows[50];
	struct process p = {.helds = rows};
	struct held_rows held;
	srand(7);
	for (p.n_helds = 0; p.n_helds <= 50; p.n_helds += 5) {
		for (size_t i = 0; i < p.n_helds; i++) {
			const int64_t begin = rand() % 1000;
			rows[i] = (struct held_row){begin, begin + rand() % 100, 0,
										rand() % 3 ? BATON_SYNC_HOST_FUNC : BATON_SYNC_PEER};
		}
		CHECK(held_rows_open(&held, &p) == 0, "no memory");
		for (int i = 0; i < 200; i++) {
			const int64_t from = rand() % 1100, to = from + rand() % 60;
			CHECK(held_rows_ran(&held, from, to) == ran(&p, from, to), "%zu rows", p.n_helds);
			CHECK(held_rows_ended(&held, from, to) == ended(&p, from, to), "%zu rows", p.n_helds);
		}
		held_rows_close(&held);
	}
}

int main(void)
{
	same_answers();
	too_much_for_all();
	waits_for_ever();
	strangers();
	grows(&(struct growing){"calls that overlap, host functions", link_all, ROWS, 4, 4});
	grows(&(struct growing){"streams", link_all, ROWS, 2000, 4000});
	grows(&(struct growing){"threads that sleep for a lock", sleep_all, 2000, 0, 0});
	grows(&(struct growing){"threads that wait for nested loads", wait_for_nested, 500, 0, 0});
	return finish();
}

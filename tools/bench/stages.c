/* Where the CPU time of baton goes, by stage (`stages reduce RUN`, `report`, `jitter`). It is baton
 * itself, with the same arguments: the linker puts the functions below between its stages (ld's
 * --wrap; STAGES in the Makefile names them), so the product needs no clocks. A thread's CPU time
 * belongs to the stage that it entered last. What is in no stage is `other`. At the end a line for
 * each stage goes to stderr: its name and its seconds, of all threads. */
#include "attribute/consensus.h"
#include "attribute/device.h"
#include "attribute/foreseen.h"
#include "conclude/figures.h"
#include "conclude/findings.h"
#include "describe.h"
#include "graph/verdict.h"
#include "jitter/reference.h"
#include "jitter/step_ops.h"
#include "read/run.h"
#include "read/trace.h"
#include "render/report.h"
#include "summary/summary_io.h"

#include <baton/columns.h>
#include <baton/reader.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum timed { OTHER, READ, DECODE, JOIN, ATTRIBUTE, MERGE, JITTER, REPORT, STAGES };

static const char *const names[STAGES] = {
	[OTHER] = "other",         [READ] = "read",   [DECODE] = "decode", [JOIN] = "join",
	[ATTRIBUTE] = "attribute", [MERGE] = "merge", [JITTER] = "jitter", [REPORT] = "report"};

static atomic_llong spent_ns[STAGES]; /* of all threads */
static _Thread_local enum timed now = OTHER;
static _Thread_local long long since_ns; /* the thread's CPU clock when its stage last changed */

static long long clock_ns(clockid_t clock)
{
	struct timespec at;
	clock_gettime(clock, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

/* Returns the stage that is left. */
static enum timed enter(enum timed next)
{
	const enum timed left = now;
	const long long at_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_fetch_add_explicit(&spent_ns[left], at_ns - since_ns, memory_order_relaxed);
	since_ns = at_ns;
	now = next;
	return left;
}

/* The names are the linker's. typeof: a function that changes its form does not compile here. */
#define STAGE(stage, type, function, parameters, arguments)    \
	__typeof__(function) __real_##function, __wrap_##function; \
	type __wrap_##function parameters                          \
	{                                                          \
		const enum timed left = enter(stage);                  \
		const type result = __real_##function arguments;       \
		enter(left);                                           \
		return result;                                         \
	}

#define STAGE_VOID(stage, function, parameters, arguments)     \
	__typeof__(function) __real_##function, __wrap_##function; \
	void __wrap_##function parameters                          \
	{                                                          \
		const enum timed left = enter(stage);                  \
		__real_##function arguments;                           \
		enter(left);                                           \
	}

STAGE(READ, int, run_open, (char *const *dirs, size_t n, struct run *run), (dirs, n, run))
STAGE(READ, int, trace_open, (struct trace * t, const char *path, struct damage_log *log),
	  (t, path, log))
STAGE(READ, int, baton_reader_load,
	  (struct baton_reader * r, uint64_t offset, struct baton_block_header *header,
	   enum baton_damage *damage),
	  (r, offset, header, damage))
STAGE(DECODE, int, baton_columns_decode,
	  (const struct baton_table *table, const struct baton_block_header *header,
	   const uint8_t *payload, int64_t *const *columns, uint32_t *present),
	  (table, header, payload, columns, present))

STAGE(JOIN, int, foreseen_tell,
	  (const struct device_context *c, uint32_t device, struct foreseen *foreseen, bool *fits),
	  (c, device, foreseen, fits))
STAGE(JOIN, int, device_scan,
	  (const struct device_context *c, uint32_t device, const struct proposal *given,
	   struct device_scan *scan),
	  (c, device, given, scan))
STAGE(JOIN, int, device_scan_keep,
	  (const struct device_context *c, const struct device_once *once, struct device_scan *scan,
	   struct device_feeds *feeds),
	  (c, once, scan, feeds))
STAGE(JOIN, int, consensus_propose,
	  (const struct device_context *c, const struct device_scan *scan, struct proposals *proposals),
	  (c, scan, proposals))

STAGE(ATTRIBUTE, int, device_visit,
	  (const struct device_context *c, const struct device_once *once, struct device_scan *scan,
	   struct reduction *out),
	  (c, once, scan, out))
STAGE(ATTRIBUTE, int, device_attribute,
	  (const struct device_context *c, const struct device_scan *scan, struct reduction *out),
	  (c, scan, out))
STAGE(ATTRIBUTE, int, verdict_add,
	  (const struct device_context *c, const struct device_scan *scans, struct summary *summary),
	  (c, scans, summary))

STAGE(MERGE, int, summary_merge, (struct summary * into, const struct summary *from), (into, from))
STAGE_VOID(MERGE, summary_sort, (struct summary * summary), (summary))

STAGE(REPORT, int, describe_run,
	  (const struct run *run, const struct reduce_options *options, struct reduction *out),
	  (run, options, out))
STAGE(REPORT, int, summary_store, (const char *dir, const struct summary *s, const char *options),
	  (dir, s, options))
STAGE_VOID(REPORT, figures_compute, (const struct summary *summary, struct figures *figures),
		   (summary, figures))
STAGE(REPORT, int, findings_make,
	  (const struct summary *summary, const struct figures *figures, struct findings *findings),
	  (summary, figures, findings))
STAGE_VOID(REPORT, report_json, (const struct report *report, FILE *out), (report, out))

/* Their headers and those of reports both have a `step_source`. */
struct jitter_printed;
struct jitter_verdict;
struct jitter_study;
int jitter_json(const struct jitter_printed *printed, FILE *out);
int jitter_verdict_make(struct jitter_verdict *verdict, const struct jitter_study *study);

STAGE(REPORT, int, jitter_json, (const struct jitter_printed *printed, FILE *out), (printed, out))
STAGE(JITTER, int, reference_find,
	  (struct reference * reference, const struct device_context *c, const struct device_scan *scan,
	   const struct step_filter *filter),
	  (reference, c, scan, filter))
STAGE(JITTER, int, jitter_verdict_make,
	  (struct jitter_verdict * verdict, const struct jitter_study *study), (verdict, study))

/* What the study does with a step is the jitter; the steps that it is given come from a join. */
struct step_taken {
	const struct step_visit *visit;
};

static int take_step(void *of, const struct device_feeds *feeds, const struct step_ops *ops)
{
	const struct step_visit *visit = ((struct step_taken *)of)->visit;
	const enum timed left = enter(JITTER);
	const int error = visit->step(visit->of, feeds, ops);
	enter(left);
	return error;
}

static void take_again(void *of)
{
	const struct step_visit *visit = ((struct step_taken *)of)->visit;
	visit->again(visit->of);
}

__typeof__(step_ops_read) __real_step_ops_read, __wrap_step_ops_read;
int __wrap_step_ops_read(const struct device_context *context, const struct device_scan *scan,
						 const struct step_visit *visit, uint64_t *late)
{
	struct step_taken taken = {visit};
	const struct step_visit mine = {&taken, take_step, take_again, visit->at_once};
	const enum timed left = enter(JOIN);
	const int error = __real_step_ops_read(context, scan, &mine, late);
	enter(left);
	return error;
}

__typeof__(step_ops_read_kept) __real_step_ops_read_kept, __wrap_step_ops_read_kept;
int __wrap_step_ops_read_kept(struct device_feeds *feeds, const struct step_visit *visit,
							  uint64_t *late)
{
	struct step_taken taken = {visit};
	const struct step_visit mine = {&taken, take_step, take_again, visit->at_once};
	const enum timed left = enter(JOIN);
	const int error = __real_step_ops_read_kept(feeds, &mine, late);
	enter(left);
	return error;
}

/* Threads end between the stages, so what they spent there was not added: it is what is left. */
__attribute__((destructor)) static void print_stages(void)
{
	const long long all_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	long long rest_ns = all_ns;
	for (int i = OTHER + 1; i < STAGES; i++) {
		const long long ns = atomic_load(&spent_ns[i]);
		rest_ns -= ns;
		fprintf(stderr, "%s %.6f\n", names[i], (double)ns / 1e9);
	}
	fprintf(stderr, "%s %.6f\n", names[OTHER], (double)rest_ns / 1e9);
}

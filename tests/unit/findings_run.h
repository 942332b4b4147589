/* Runs as a summary has them, and what is asked of their findings. */
#ifndef FINDINGS_RUN_H
#define FINDINGS_RUN_H

#include "check.h"
#include "conclude/findings.h"
#include "summary/series.h"

#include <stdlib.h>
#include <string.h>

enum { US = 1000, MS = 1000000, STEPS = 20 };
#define STEP (INT64_C(100) * MS)

static int per_host; /* devices of a host; 0: all are of one */

static inline void key_of(int32_t rank, char key[32])
{
	if (per_host)
		snprintf(key, 32, "node%d/%d", rank / per_host, rank % per_host);
	else
		snprintf(key, 32, "host/%d", rank);
}

/* One device of 20 steps of 100 ms: `us` in leaves per step, the rest is matmul. */
static inline struct device_summary *add_device(struct summary *s, int32_t rank,
												const int64_t us[LEAF_COUNT])
{
	char key[32];
	key_of(rank, key);
	struct device_summary *d = summary_device(s, key);
	d->ranks = malloc(sizeof(*d->ranks));
	d->pids = malloc(sizeof(*d->pids));
	d->ranks[0] = rank;
	d->pids[0] = 10 + rank;
	d->n_processes = 1;
	d->steps = STEPS;
	d->window_ns = STEPS * STEP;
	d->carried = (UINT64_C(1) << LEAF_COUNT) - 1;
	d->kernels = STEPS * 800;
	d->launches = STEPS * 800;
	d->short_kernels = STEPS * 600;
	d->time_ns[LEAF_WORK_MATMUL] = d->window_ns;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		d->time_ns[leaf] += STEPS * us[leaf] * US;
		d->time_ns[LEAF_WORK_MATMUL] -= STEPS * us[leaf] * US;
	}
	counts_add(&d->step_ns, STEP, STEPS);
	return d;
}

/* A series of a rank's device: us[i] in step i; of `what` "caused" it is the rank's. */
static inline void add_series(struct summary *s, int32_t rank, const char *what, const int64_t *us,
							  int64_t steps)
{
	int64_t ns[400];
	char key[32];
	struct series series = {.rank = strcmp(what, "caused") == 0 ? rank : -1,
							.steps = steps,
							.width = 1,
							.ns = ns};
	key_of(rank, key);
	for (int64_t i = 0; i < steps; i++)
		ns[i] = us[i] * US;
	summary_series(s, key, what, &series);
}

static inline void add_late(struct summary *s, int32_t rank, uint64_t last, uint64_t taken,
							int64_t caused_us)
{
	char key[32];
	key_of(rank, key);
	struct late_summary *late = summary_late(s, key, rank);
	late->last = last;
	late->taken = taken;
	late->caused_ns = STEPS * caused_us * US;
}

static inline void add_nccl(struct summary *s, const char *op, const char *reason,
							int64_t transfer_ms)
{
	struct nccl_summary key = {.members = 4, .bytes = 100 << 20, .max_bytes_moved = 100 << 20};
	summary_string(s, op, &key.op);
	summary_string(s, reason, &key.reason);
	struct nccl_summary *row = summary_nccl(s, &key);
	row->count = STEPS * 4;
	row->transfer_ns = STEPS * 4 * transfer_ms * MS;
	row->unsplit_ns = reason[0] ? STEPS * 4 * MS : 0;
	row->max_bytes_moved = key.max_bytes_moved;
}

static inline void begin(struct summary *s)
{
	summary_init(s);
	summary_string(s, "marker", &s->run.step_source);
}

/* `ranks` of which the last one has `own_us` more of `leaf`, and the others wait for it. */
static inline void straggling(struct summary *s, int ranks, enum leaf leaf, int64_t own_us,
							  int64_t all_us)
{
	begin(s);
	for (int32_t rank = 0; rank < ranks; rank++) {
		bool late = rank == ranks - 1;
		int64_t us[LEAF_COUNT] = {0};
		us[LEAF_NCCL_WAIT] = late ? 0 : own_us;
		us[leaf] += all_us + (late ? own_us : 0);
		add_device(s, rank, us);
		add_late(s, rank, late ? 376 : (uint64_t)(24 / (ranks - 1)), 400,
				 late ? (ranks - 1) * own_us : 0);
	}
	add_nccl(s, "AllReduce", "", 0);
}

static inline const char *name_of(const struct finding *finding)
{
	return finding_kinds[finding->id].name;
}

static inline void make(struct summary *s, struct findings *all)
{
	struct figures figures;
	summary_sort(s);
	figures_compute(s, &figures);
	CHECK(findings_make(s, &figures, all) == 0, "no findings were made");
	for (size_t i = 1; i < all->n; i++) {
		const struct finding *a = &all->at[i - 1], *b = &all->at[i];
		CHECK(finding_counts(a) || !finding_counts(b), "%s stands before the finding %s",
			  name_of(a), name_of(b));
		CHECK(a->rank_ns >= b->rank_ns || finding_counts(a) != finding_counts(b) ||
				  b->structural || b->at_start,
			  "%s wins less than %s behind it", name_of(a), name_of(b));
		CHECK(strncmp(b->remedy, "Try", 3) != 0, "a remedy with its heading: %s", b->remedy);
	}
}

static inline void done(struct summary *s, struct findings *all)
{
	findings_free(all);
	summary_free(s);
}

static inline const struct finding *find(const struct findings *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(name_of(&all->at[i]), id) == 0)
			return &all->at[i];
	return NULL;
}

static inline void is(const struct findings *all, const char *id, int64_t us, const char *severity)
{
	const struct finding *f = find(all, id);
	CHECK(f && f->share_ns == us * US && strcmp(severity_name(f->severity), severity) == 0,
		  "%s: %.3f ms, %s", id, f ? (double)f->share_ns / MS : -1.0,
		  f ? severity_name(f->severity) : "not listed");
}

static inline void counted(const struct findings *all, size_t wanted, const char *what)
{
	size_t n = 0;
	while (n < all->n && finding_counts(&all->at[n]))
		n++;
	CHECK(n == wanted, "%s: %zu findings, not %zu; the last is %s: %s", what, n, wanted,
		  n ? name_of(&all->at[n - 1]) : "", n ? all->at[n - 1].summary : "");
}

static inline void says(const struct finding *f, const char *id, const char *summary,
						const char *evidence)
{
	CHECK(f && strcmp(name_of(f), id) == 0 && strstr(f->summary, summary) &&
			  strstr(f->evidence, evidence),
		  "%s: '%s' | '%s' lacks '%s' or '%s'", id, f ? f->summary : "", f ? f->evidence : "",
		  summary, evidence);
}

#endif

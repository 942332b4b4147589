/* Losses and findings: what is listed, what is large enough to act on, who differs. */
#include "check.h"
#include "summarise/findings.h"

#include <stdlib.h>
#include <string.h>

enum { MS = 1000000 };

/* One device whose steps take 100 ms each: `leaf_ms` in leaves, the rest is matmul. */
static void add_device(struct summary *s, int32_t rank, const int64_t leaf_ms[LEAF_COUNT])
{
	char key[32];
	snprintf(key, sizeof(key), "host/%d", rank);
	struct device_summary *d = summary_device(s, key);
	d->ranks = malloc(sizeof(*d->ranks));
	d->pids = malloc(sizeof(*d->pids));
	d->ranks[0] = rank;
	d->pids[0] = 10 + rank;
	d->n_processes = 1;
	d->steps = 10;
	d->window_ns = 10 * INT64_C(100) * MS;
	d->carried = (UINT64_C(1) << LEAF_COUNT) - 1;
	d->kernels = 8000;
	d->short_kernels = 6000;
	d->time_ns[LEAF_WORK_MATMUL] = d->window_ns;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		d->time_ns[leaf] += 10 * leaf_ms[leaf] * MS;
		d->time_ns[LEAF_WORK_MATMUL] -= 10 * leaf_ms[leaf] * MS;
	}
	counts_add(&d->step_ns, INT64_C(100) * MS, 10);
}

static void begin(struct summary *s)
{
	summary_init(s);
	summary_string(s, "marker", &s->run.step_source);
}

static const struct finding *find(const struct findings *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->at[i].id, id) == 0)
			return &all->at[i];
	return NULL;
}

static void make(const struct summary *s, struct findings *all)
{
	struct figures figures;
	figures_compute(s, &figures);
	CHECK(findings_make(s, &figures, all) == 0, "no findings were made");
	for (size_t i = 1; i < all->n; i++)
		CHECK(all->at[i - 1].share_ns >= all->at[i].share_ns, "not the largest first");
}

static void is(const struct findings *all, const char *id, int64_t ms, const char *severity)
{
	const struct finding *f = find(all, id);
	CHECK(f && f->share_ns == ms * MS && strcmp(f->severity, severity) == 0, "%s: %.3f ms, %s", id,
		  f ? (double)f->share_ns / MS : -1.0, f ? f->severity : "not listed");
}

static void severities(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	add_device(&s, 0,
			   (int64_t[LEAF_COUNT]){[LEAF_HOST_INPUT] = 11,
									 [LEAF_CPU_FRAMEWORK] = 4,
									 [LEAF_CPU_API] = 2,
									 [LEAF_HOST_SYNC] = 3,
									 [LEAF_HOST_ALLOC] = 1,
									 [LEAF_UNKNOWN_UNEXPLAINED] = 20,
									 [LEAF_UNKNOWN_UNMATCHED] = 5});
	summary_evidence(&s, "host/0", LEAF_HOST_INPUT, "next(loader)", 6, 110 * MS);
	summary_sort(&s);
	make(&s, &all);
	is(&all, "input", 11, "high");
	is(&all, "framework", 6, "medium");
	is(&all, "sync", 3, "low");
	is(&all, "alloc", 1, "none");
	is(&all, "unexplained", 25, "none"); /* never something to win back, however large */
	CHECK(!find(&all, "wait") && !find(&all, "asymmetry"), "a loss that is not there");
	const struct finding *input = find(&all, "input");
	CHECK(input && strcmp(input->leaf, "idle.host.input") == 0 &&
			  strstr(input->evidence, "next(loader)") && strstr(input->evidence, "6 gaps") &&
			  strncmp(input->remedy, "Try: ", 5) == 0,
		  "evidence is: %s", input ? input->evidence : "");
	const struct finding *unexplained = find(&all, "unexplained");
	CHECK(unexplained && unexplained->remedy[0] == 0, "a remedy for what nobody can explain");
	findings_free(&all);
	s.quality.clock_residual_ns = 4 * MS; /* below it nothing is a finding */
	make(&s, &all);
	is(&all, "sync", 3, "none");
	is(&all, "framework", 6, "medium");
	findings_free(&all);
	s.quality.tool_ns = 10 * 7 * (int64_t)MS; /* our own cost: 7 ms a step */
	make(&s, &all);
	is(&all, "framework", 6, "none");
	is(&all, "input", 11, "high");
	findings_free(&all);
	summary_free(&s);
}

static void noise(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_HOST_SYNC] = 8});
	counts_add(&s.devices[0].step_ns, INT64_C(104) * MS, 20); /* |x - median| is 4 ms for a third */
	counts_add(&s.devices[0].step_ns, INT64_C(108) * MS, 20);
	make(&s, &all);
	is(&all, "sync", 8, "none");
	findings_free(&all);
	summary_free(&s);
}

static void asymmetry(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	for (int32_t rank = 0; rank < 4; rank++)
		add_device(
			&s, rank,
			(int64_t[LEAF_COUNT]){
				[LEAF_HOST_INPUT] = rank == 2 ? 9 : 3, [LEAF_NCCL_WAIT] = rank == 2 ? 1 : 7});
	struct late_summary *late = summary_late(&s, "host/2", 2);
	late->last = 94;
	late->taken = 100;
	late->caused_ns = 10 * 3 * INT64_C(6) * MS; /* three ranks wait 6 ms in each of ten steps */
	struct late_summary *other = summary_late(&s, "host/1", 1);
	other->last = 6;
	other->taken = 100;
	other->caused_ns = 10 * INT64_C(100) * MS;
	summary_sort(&s);
	make(&s, &all);
	unsigned input = 0, wait = 0;
	for (size_t i = 0; i < all.n; i++) {
		const struct finding *f = &all.at[i];
		if (strcmp(f->id, "asymmetry") != 0)
			continue;
		CHECK(f->share_ns == 6 * MS / 4 && strstr(f->summary, "rank 2"), "%s", f->summary);
		input += strcmp(f->leaf, "idle.host.input") == 0;
		wait += strcmp(f->leaf, "nccl.wait") == 0; /* said once, as a late rank */
	}
	CHECK(input == 1 && wait == 0, "%u and %u asymmetries", input, wait);
	const struct finding *f = find(&all, "late_rank");
	CHECK(f && strstr(f->summary, "rank 2 is last into 94 %") && f->share_ns == 45 * MS / 10 &&
			  strstr(f->evidence, "input"),
		  "late rank: %s", f ? f->summary : "none");
	findings_free(&all);
	summary_free(&s);
}

/* More devices than kernels in a step: means are rounded once, not per device. */
static void means(void)
{
	struct summary s;
	struct figures figures;
	begin(&s);
	for (int32_t rank = 0; rank < 960; rank++) {
		add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_NCCL_WAIT] = rank % 3});
		s.devices[rank].kernels = 9030;
		s.devices[rank].time_ns[LEAF_WORK_MATMUL] += rank;
		s.devices[rank].time_ns[LEAF_NCCL_WAIT] -= rank % 3 ? rank : 0;
		s.devices[rank].window_ns += rank % 3 ? 0 : rank;
	}
	figures_compute(&s, &figures);
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += figures.time_ns[leaf];
	CHECK(figures.kernels == 903, "%lld kernels a step", (long long)figures.kernels);
	CHECK(sum == figures.step_ns, "leaves add up to %lld of %lld", (long long)sum,
		  (long long)figures.step_ns);
	summary_free(&s);
}

int main(void)
{
	severities();
	noise();
	asymmetry();
	means();
	return finish();
}

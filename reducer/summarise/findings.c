#include "summarise/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of loss: the leaves they gather, what they mean, what to try. */
static const struct loss_kind {
	const char *id, *leaf;
	uint64_t leaves;
	const char *meaning, *remedy; /* remedy "": nothing that the user could try */
} kinds[] = {
	{"input", "idle.host.input", LEAF_BIT(LEAF_HOST_INPUT), "the GPU waits for the data loader",
	 "Try: more DataLoader workers, prefetching, cheaper transforms"},
	{"sync", "idle.host.sync", LEAF_BIT(LEAF_HOST_SYNC),
	 "synchronising calls in the loop drain the GPU",
	 "Try: take .item(), .cpu(), synchronize and pageable copies out of the loop; pin host memory"},
	{"framework", "idle.cpu.framework", LEAF_BIT(LEAF_CPU_FRAMEWORK) | LEAF_BIT(LEAF_CPU_API),
	 "framework code between launches outlasts the kernels",
	 "Try: CUDA graphs, torch.compile, fused optimizers, larger batches"},
	{"launch", "idle.cpu.launch_call",
	 LEAF_BIT(LEAF_CPU_LAUNCH_CALL) | LEAF_BIT(LEAF_CPU_LAUNCH_LATENCY),
	 "the launch calls themselves keep the GPU waiting",
	 "Try: fewer, larger kernels: CUDA graphs or fusion"},
	{"host_code", "idle.host.code", LEAF_BIT(LEAF_HOST_CODE),
	 "host code drives no GPU for >= 1 ms at a stretch",
	 "Try: look at the rows behind it; move it to another thread or out of the loop"},
	{"alloc", "idle.host.alloc", LEAF_BIT(LEAF_HOST_ALLOC),
	 "memory is allocated, freed or pinned in the loop",
	 "Try: reuse buffers; keep the caching allocator from running out"},
	{"module_load", "idle.host.module_load", LEAF_BIT(LEAF_HOST_MODULE_LOAD),
	 "kernels are loaded, compiled or instantiated in the loop",
	 "Try: warm up before the measured steps"},
	{"nccl_host", "idle.host.nccl_host", LEAF_BIT(LEAF_HOST_NCCL_HOST),
	 "the host sits in NCCL calls", "Try: larger buckets; fewer, coalesced collectives"},
	{"no_core", "idle.host.no_core", LEAF_BIT(LEAF_HOST_NO_CORE),
	 "the launching thread waits for a CPU core", "Try: give each rank its own cores"},
	{"blocked", "idle.host.blocked", LEAF_BIT(LEAF_HOST_BLOCKED),
	 "the launching thread sleeps on a lock or I/O", "Try: look at the rows behind it"},
	{"host_func", "idle.host.host_func", LEAF_BIT(LEAF_HOST_HOST_FUNC),
	 "the stream waits for a host function", "Try: shorten it"},
	{"profiler", "idle.tool.profiler", LEAF_BIT(LEAF_TOOL_PROFILER),
	 "the profiler's own overhead: not the program's", "Try: record less"},
	{"queue_full", "idle.gpu.queue_full", LEAF_BIT(LEAF_GPU_QUEUE_FULL),
	 "the launch queue is full: the GPU is behind, nothing to win on the host", ""},
	{"dependency", "idle.gpu.dependency", LEAF_BIT(LEAF_GPU_DEPENDENCY),
	 "the GPU waits for another device", "Try: overlap or rebalance"},
	{"turn_around", "idle.gpu.dispatch", LEAF_BIT(LEAF_GPU_DISPATCH),
	 "the GPU's turn-around between many short kernels",
	 "Try: fuse kernels or capture a CUDA graph"},
	{"wait", "nccl.wait", LEAF_BIT(LEAF_NCCL_WAIT), "ranks wait in collectives for the last one",
	 "Try: see which rank is late and what it was doing"},
	{"transfer", "nccl.transfer", LEAF_BIT(LEAF_NCCL_TRANSFER),
	 "communication that no compute hides",
	 "Try: overlap it with the backward pass, larger buckets, faster links"},
	{"nccl", "nccl.unsplit", LEAF_BIT(LEAF_NCCL_UNSPLIT),
	 "exposed NCCL; wait and transfer cannot be told apart",
	 "Try: import all ranks of the run, with NCCL arguments recorded"},
	{"unexplained", "idle.unknown",
	 LEAF_BIT(LEAF_UNKNOWN_UNRECORDED) | LEAF_BIT(LEAF_UNKNOWN_UNEXPLAINED) |
		 LEAF_BIT(LEAF_UNKNOWN_UNMATCHED),
	 "nobody can explain this time from the trace", ""},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const char *severity(const struct summary *summary, const struct figures *f, const char *id,
							int64_t share_ns)
{
	bool counts = share_ns * 50 >= f->step_ns && share_ns > 2 * f->noise_ns &&
				  share_ns > f->tool_ns && share_ns > summary->quality.clock_residual_ns;
	if (!counts || strcmp(id, "unexplained") == 0)
		return "none";
	return share_ns * 10 >= f->step_ns ? "high" : share_ns * 20 >= f->step_ns ? "medium" : "low";
}

static int add(struct findings *findings, const struct finding *finding)
{
	struct finding *larger = realloc(findings->at, (findings->n + 1) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	findings->at = larger;
	findings->at[findings->n++] = *finding;
	return 0;
}

/* The two names with most time behind the leaves of a kind, over all devices. */
static void gather_evidence(const struct summary *summary, const struct figures *f,
							const struct loss_kind *kind, char *out, size_t bytes)
{
	uint32_t shown = 0, last = 0;
	size_t used = 0;
	out[0] = 0;
	for (size_t i = 0; i < summary->n_evidence && shown < 2; i++) { /* sorted by time */
		const struct evidence *e = &summary->evidence[i];
		if (!(kind->leaves & LEAF_BIT(e->leaf)) || e->what == last)
			continue;
		int64_t ns = 0;
		uint64_t gaps = 0;
		for (size_t k = 0; k < summary->n_evidence; k++)
			if (summary->evidence[k].what == e->what &&
				kind->leaves & LEAF_BIT(summary->evidence[k].leaf)) {
				ns += summary->evidence[k].ns;
				gaps += summary->evidence[k].count;
			}
		int64_t steps = f->steps * f->devices;
		int n =
			snprintf(out + used, bytes - used, "%s%.90s (%.3f ms/%s, %llu gaps)", shown ? "; " : "",
					 summary_text(summary, e->what), (double)ns / 1e6 / (double)(steps ? steps : 1),
					 f->has_steps ? "step" : "run", (unsigned long long)gaps);
		used += n > 0 && (size_t)n < bytes - used ? (size_t)n : 0;
		last = e->what;
		shown++;
	}
}

static int add_loss(const struct summary *summary, const struct figures *f,
					const struct loss_kind *kind, struct findings *out)
{
	struct finding finding = {.id = kind->id, .leaf = kind->leaf};
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		finding.share_ns += kind->leaves & LEAF_BIT(leaf) ? f->time_ns[leaf] : 0;
	if (finding.share_ns <= 0)
		return 0;
	finding.severity = severity(summary, f, kind->id, finding.share_ns);
	snprintf(finding.summary, sizeof(finding.summary), "%s", kind->meaning);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", kind->remedy);
	gather_evidence(summary, f, kind, finding.evidence, sizeof(finding.evidence));
	if (strcmp(kind->id, "framework") == 0 && f->kernels > 0 && !finding.evidence[0])
		snprintf(finding.evidence, sizeof(finding.evidence),
				 "%lld of %lld kernels a step are shorter than 5 us", (long long)f->short_kernels,
				 (long long)f->kernels);
	return add(out, &finding);
}

static int64_t kind_per_step(const struct device_summary *device, const struct loss_kind *kind)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += kind->leaves & LEAF_BIT(leaf) ? figures_device_leaf(device, (enum leaf)leaf) : 0;
	return sum;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void device_label(const struct summary *summary, const struct device_summary *device,
						 char *out, size_t bytes)
{
	if (device->n_processes && device->ranks[0] >= 0)
		snprintf(out, bytes, "rank %d", device->ranks[0]);
	else
		snprintf(out, bytes, "device %.80s", summary_text(summary, device->key));
}

/* One device has much more of a loss than the median one. Of the time in collectives it is the one
 * that has much less: the others wait for it. */
static int add_asymmetry(const struct summary *summary, const struct figures *f,
						 const struct loss_kind *kind, struct findings *out)
{
	int64_t *values = malloc(summary->n_devices * sizeof(*values));
	if (!values)
		return -ENOMEM;
	bool unsplit = kind->leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT);
	bool waits = unsplit || kind->leaves & LEAF_BIT(LEAF_NCCL_WAIT);
	int64_t sign = waits ? -1 : 1, worst_ns = INT64_MIN;
	size_t worst = 0;
	for (size_t i = 0; i < summary->n_devices; i++) {
		values[i] = sign * kind_per_step(&summary->devices[i], kind);
		worst = values[i] > worst_ns ? i : worst;
		worst_ns = values[worst];
	}
	qsort(values, summary->n_devices, sizeof(*values), by_number);
	int64_t median = values[(summary->n_devices - 1) / 2];
	free(values);
	struct finding finding = {.id = "asymmetry", .leaf = kind->leaf};
	finding.severity = severity(summary, f, kind->id, worst_ns - median);
	finding.share_ns = (worst_ns - median) / f->devices; /* of the mean step, like every share */
	if (!finding_counts(&finding))
		return 0;
	char label[128];
	device_label(summary, &summary->devices[worst], label, sizeof(label));
	snprintf(finding.summary, sizeof(finding.summary),
			 "%.100s: %s%.1f ms of %.12s, median device %.1f", label, waits ? "only " : "",
			 (double)(sign * worst_ns) / 1e6, kind->id, (double)(sign * median) / 1e6);
	if (waits)
		snprintf(finding.evidence, sizeof(finding.evidence), "the others %s for it",
				 unsplit ? "may wait" : "wait");
	return add(out, &finding);
}

static int64_t median_of_kind(const struct summary *summary, const struct loss_kind *kind,
							  int64_t *scratch)
{
	for (size_t i = 0; i < summary->n_devices; i++)
		scratch[i] = kind_per_step(&summary->devices[i], kind);
	qsort(scratch, summary->n_devices, sizeof(*scratch), by_number);
	return scratch[(summary->n_devices - 1) / 2];
}

/* Of what a late device has more than the median one does: the idle loss with the largest
 * difference. */
static void explain_late(const struct summary *summary, uint32_t device, char *out, size_t bytes)
{
	int64_t *scratch = malloc(summary->n_devices * sizeof(*scratch)), most = 0;
	for (size_t i = 0; scratch && i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		for (int k = 0; d->key == device && k < KINDS; k++) {
			int64_t own = kind_per_step(d, &kinds[k]),
					median = median_of_kind(summary, &kinds[k], scratch);
			if (strncmp(kinds[k].leaf, "idle", 4) != 0 || own - median <= most)
				continue;
			most = own - median;
			snprintf(out, bytes, "its own time: %.3f ms/step of %s, the median device %.3f",
					 (double)own / 1e6, kinds[k].id, (double)median / 1e6);
		}
	}
	free(scratch);
}

/* A rank that is last into most of the collectives whose members were all seen. */
static int add_late_ranks(const struct summary *summary, const struct figures *f,
						  struct findings *out)
{
	int error = 0;
	for (size_t i = 0; !error && i < summary->n_late; i++) {
		const struct late_summary *l = &summary->late[i];
		if (l->taken == 0 || 2 * l->last < l->taken || f->devices < 2 || f->steps == 0)
			continue;
		struct finding finding = {.id = "late_rank",
								  .leaf = "nccl.wait",
								  .share_ns = l->caused_ns / f->steps / f->devices};
		finding.severity = severity(summary, f, finding.id, finding.share_ns);
		if (!finding_counts(&finding))
			continue;
		snprintf(finding.summary, sizeof(finding.summary),
				 "rank %d is last into %.0f %% of collectives", l->rank,
				 100.0 * (double)l->last / (double)l->taken);
		explain_late(summary, l->device, finding.evidence, sizeof(finding.evidence));
		error = add(out, &finding);
	}
	return error;
}

static int by_share(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->share_ns != y->share_ns)
		return x->share_ns > y->share_ns ? -1 : 1;
	int ids = strcmp(x->id, y->id);
	return ids ? ids : strcmp(x->leaf, y->leaf);
}

int findings_make(const struct summary *summary, const struct figures *figures,
				  struct findings *out)
{
	int error = 0;
	memset(out, 0, sizeof(*out));
	for (int i = 0; !error && i < KINDS; i++)
		error = add_loss(summary, figures, &kinds[i], out);
	for (int i = 0; !error && figures->devices > 1 && i < KINDS; i++)
		if (summary->n_late == 0 ||
			!(kinds[i].leaves & LEAF_BIT(LEAF_NCCL_WAIT))) /* late ranks tell more */
			error = add_asymmetry(summary, figures, &kinds[i], out);
	if (!error)
		error = add_late_ranks(summary, figures, out);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_share);
	if (error)
		findings_free(out);
	return error;
}

void findings_free(struct findings *findings)
{
	free(findings->at);
	memset(findings, 0, sizeof(*findings));
}

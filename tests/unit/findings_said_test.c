/* What findings say: the evidence under them, whose few steps they are, what a trace without calls
 * cannot tell. */
#include "findings_run.h"
#include "classify/classes.h"

static void evidence(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	add_device(
		&s, 0,
		(int64_t[LEAF_COUNT]){
			[LEAF_HOST_CODE] = 6000, [LEAF_CPU_LAUNCH_CALL] = 5000, [LEAF_NCCL_TRANSFER] = 4000});
	for (int step = 0; step < 12; step++) {
		char name[32];
		snprintf(name, sizeof(name), "ProfilerStep#%d", step);
		summary_evidence(&s, "host/0", LEAF_HOST_CODE, name, 2, 4 * MS);
	}
	summary_evidence(&s, "host/0", LEAF_HOST_CODE, "aten::conv2", 1, 30 * MS);
	summary_evidence(&s, "host/0", LEAF_HOST_CODE, "aten::conv3", 1, 20 * MS);
	add_nccl(&s, "AllReduce", "", 1);
	make(&s, &all);
	says(find(&all, "host_code"), "host_code", "feeds no GPU",
		 "ProfilerStep#* (2.4 ms per step, 24 gaps); aten::conv2 (1.5");
	says(find(&all, "transfer"), "transfer", "no compute overlaps",
		 "AllReduce of 104,857,600 bytes on 4 ranks: 4.0 ms per step, overlapped part included; "
		 "bus bandwidth 157.3");
	CHECK(strstr(find(&all, "launch")->remedy, "CUDA graphs or fusion"), "launch: %s",
		  find(&all, "launch")->remedy);
	findings_free(&all);
	summary_evidence(&s, "host/0", LEAF_CPU_LAUNCH_CALL, "cudaGraphLaunch", 1, 1 * MS);
	make(&s, &all);
	CHECK(strstr(find(&all, "launch")->remedy, "in CUDA graphs"),
		  "graphs are advised to who has them: %s", find(&all, "launch")->remedy);
	done(&s, &all);
}

static void add_copies(struct summary *s, const char *device, uint32_t direction, int64_t ms,
					   int64_t bytes)
{
	struct copy_summary row = {.direction = direction,
							   .count = STEPS,
							   .total_ns = STEPS * ms * MS,
							   .bytes = STEPS * bytes,
							   .sized_ns = bytes ? STEPS * ms * MS : 0};
	summary_string(s, device, &row.device);
	summary_add(s, ROW_COPY, &row);
}

/* Exposed copies are the answer, with bytes and GB/s; where one rank copies more, that is why it is
 * late. */
static void copies(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_COPY_EXPOSED] = 60000});
	add_copies(&s, "host/0", BATON_COPY_HTOD, 40, 1000000000);
	add_copies(&s, "host/0", BATON_COPY_DTOH, 25, 500000000);
	make(&s, &all);
	says(&all.at[0], "copies", "no kernel runs",
		 "host to GPU: 40.0 ms per step, 1.00 GB at 25.0 GB/s; GPU to host: 25.0 ms per step, "
		 "500.0 MB at 20.0 GB/s; overlapped part included");
	done(&s, &all);
	straggling(&s, 4, LEAF_COPY_EXPOSED, 10000, 0);
	add_copies(&s, "host/3", BATON_COPY_PEER, 12, 0);
	make(&s, &all);
	says(find(&all, "late_rank"), "late_rank", "it spends 10.0 ms more in copies",
		 "GPU to GPU: 12.0 ms per step; overlapped");
	done(&s, &all);
}

/* What to do about communication that is not split: never what is there, or what cannot be. */
static void split_advice(void)
{
	static const struct {
		const char *reason, *kernel, *source;
		bool missing;
		const char *remedy;
	} cases[] = {
		{"no arguments", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kineto", false,
		 "this profile has no NCCL arguments"},
		{"no arguments", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kineto", true,
		 "import all ranks"},
		{"no arguments", "deep_ep::intranode::dispatch<8>", "kineto", true, "no NCCL calls"},
		{"members missing", "ncclDevKernel_AllReduce", "baton", true,
		 "the directories of all nodes"},
		{"members missing", "ncclDevKernel_AllReduce", "baton", false, "records of some ranks"},
		{"sequence unknown", "ncclDevKernel_AllReduce", "kineto", false, "mark the steps"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct summary s;
		struct findings all;
		begin(&s);
		summary_string(&s, cases[i].source, &s.run.source);
		add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_NCCL_UNSPLIT] = 30000});
		add_nccl(&s, "AllReduce", cases[i].reason, 0);
		struct kernel_summary *kernel = summary_kernel(&s, cases[i].kernel, "nccl.other");
		kernel->group = GROUP_NCCL;
		kernel->total_ns = 30 * MS;
		s.run.n_missing_ranks = cases[i].missing;
		int32_t missing = 1;
		s.run.missing_ranks = cases[i].missing ? &missing : NULL;
		make(&s, &all);
		CHECK(strstr(find(&all, "unsplit")->remedy, cases[i].remedy), "%s, %s: %s", cases[i].reason,
			  cases[i].kernel, find(&all, "unsplit")->remedy);
		s.run.n_missing_ranks = 0;
		s.run.missing_ranks = NULL;
		done(&s, &all);
	}
}

/* A run without steps may be one pass of a program that starts: nothing is known of a loop. */
static void start_up(void)
{
	struct summary s;
	struct findings all;
	summary_init(&s);
	summary_string(&s, "none", &s.run.step_source);
	add_device(&s, 0,
			   (int64_t[LEAF_COUNT]){[LEAF_HOST_ALLOC] = 9000, [LEAF_HOST_MODULE_LOAD] = 7000});
	make(&s, &all);
	says(&all.at[0], "alloc", "perhaps once at the start", "");
	says(&all.at[1], "module_load", "loaded, compiled or tuned, perhaps once", "");
	for (int i = 0; i < 2; i++)
		CHECK(!strstr(all.at[i].summary, "in the loop") && strstr(all.at[i].remedy, "warm-up"),
			  "%s: %s", all.at[i].summary, all.at[i].remedy);
	summary_string(&s, "marker", &s.run.step_source);
	findings_free(&all);
	make(&s, &all);
	says(&all.at[0], "alloc", "in the loop", "");
	CHECK(strstr(all.at[0].remedy, "reuse buffers"), "in steps: %s", all.at[0].remedy);
	done(&s, &all);
}

static void kernels_only(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	struct device_summary *d =
		add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_UNKNOWN_UNMATCHED] = 40000});
	d->launches = 0;
	s.quality.ops = s.quality.unmatched_ops = STEPS * 800;
	make(&s, &all);
	counted(&all, 1, "a trace without calls");
	says(&all.at[0], "unknown", "no launch records", "");
	CHECK(all.at[0].remedy[0], "nothing says how to record them");
	s.quality.unmatched_ops--;
	findings_free(&all);
	make(&s, &all);
	says(&all.at[0], "unknown", "the launch records are missing", "");
	CHECK(strstr(all.at[0].remedy, "all threads"), "of an import: %s", all.at[0].remedy);
	summary_string(&s, "baton", &s.run.source);
	findings_free(&all);
	make(&s, &all);
	CHECK(strstr(all.at[0].remedy, "--duration"), "of a recording: %s", all.at[0].remedy);
	s.quality.unmatched_ops = 0;
	s.quality.invalid_timestamps = 10;
	findings_free(&all);
	make(&s, &all);
	says(&all.at[0], "unknown", "begin before their own launch", "");
	done(&s, &all);
}

/* Many kernels of few launches are those of graphs, also where a window's edge lost some launches. */
static void graphs_by_kernels(void)
{
	struct summary s;
	struct findings all;
	begin(&s);
	struct device_summary *d =
		add_device(&s, 0, (int64_t[LEAF_COUNT]){[LEAF_GPU_DISPATCH] = 40000});
	d->launches = STEPS;
	s.quality.ops = STEPS * 800;
	s.quality.unmatched_ops = s.quality.ops / 10;
	make(&s, &all);
	CHECK(strstr(find(&all, "dispatch")->remedy, "in CUDA graphs already"), "remedy: %s",
		  find(&all, "dispatch")->remedy);
	s.quality.unmatched_ops++;
	findings_free(&all);
	make(&s, &all);
	CHECK(strstr(find(&all, "dispatch")->remedy, "capture a CUDA graph"),
		  "launches are missing, no graphs: %s", find(&all, "dispatch")->remedy);
	done(&s, &all);
}

/* Of the blocked time of a device: `in` steps have `us` each, the last one more, the others
 * `rest_us`. */
static void spread(struct summary *s, int32_t rank, uint64_t in, int64_t us, int64_t rest_us)
{
	char key[32];
	const struct {
		uint64_t steps;
		int64_t us;
	} parts[] = {{in, us}, {STEPS - in, rest_us}};
	snprintf(key, sizeof(key), "host/%d", rank);
	for (int i = 0; i < 2; i++) {
		const int64_t ns = parts[i].us * US;
		if (parts[i].steps && ns)
			summary_spread(s, key,
						   &(struct spread){.leaf = LEAF_HOST_BLOCKED,
											.octave = (uint8_t)(63 - __builtin_clzll((uint64_t)ns)),
											.steps = parts[i].steps,
											.ns = (int64_t)parts[i].steps * ns,
											.worst_ns = ns,
											.worst_step = 40 + rank + i});
	}
}

/* A run of `ranks` devices of which the first `with` have such steps; the finding blocked. */
static struct finding blocked_in(int ranks, int with, uint64_t in, int64_t us, int64_t rest_us)
{
	struct summary s;
	struct findings all;
	begin(&s);
	for (int32_t rank = 0; rank < ranks; rank++) {
		int64_t sum = rank < with ? (int64_t)in * us + (int64_t)(STEPS - in) * rest_us : 0;
		add_device(&s, rank, (int64_t[LEAF_COUNT]){[LEAF_HOST_BLOCKED] = sum / STEPS});
		if (rank < with)
			spread(&s, rank, in, us, rest_us);
	}
	add_nccl(&s, "AllReduce", "no arguments", 0);
	make(&s, &all);
	const struct finding *found = find(&all, "blocked");
	struct finding copy = {0};
	CHECK(found, "no blocked time");
	if (found)
		copy = *found;
	done(&s, &all);
	return copy;
}

/* A few steps have most of it, and much more than the others: that is said, else nothing is. */
static void rare(void)
{
	struct finding f = blocked_in(1, 1, 1, 200000, 0);
	f.id = FINDING_BLOCKED;
	says(&f, "blocked", "rare: only 1 of 20 steps has it, 200.0 ms in step 40", "");
	f = blocked_in(1, 1, 5, 200000, 20000);
	says(&f, "blocked",
		 "rare: only 5 of 20 steps have it, 200.0 ms each, at most 200.0 ms in step 40", "");
	CHECK(f.rare.of == 20 && f.rare.in == 5 && f.rare.ns == 1000 * (int64_t)MS &&
			  f.rare.worst_ns == 200 * (int64_t)MS && f.rare.devices == 1,
		  "%d in %d", (int)f.rare.in, (int)f.rare.of);
	CHECK(blocked_in(1, 1, 6, 200000, 20000).rare.in == 6, "less than a third is not called rare");
	CHECK(blocked_in(1, 1, 7, 200000, 20000).rare.in == 0, "more than a third is called rare");
	CHECK(blocked_in(1, 1, 1, 180000, 10000).rare.in == 0, "less than half is called rare");
	CHECK(blocked_in(1, 1, 5, 79000, 10000).rare.in == 0, "less than eight times as much is rare");
	CHECK(blocked_in(1, 1, 20, 50000, 0).rare.in == 0, "all steps are called rare");
	f = blocked_in(4, 2, 2, 200000, 0);
	says(&f, "blocked",
		 "rare: only 2 of 20 steps of rank 0 (and of 1 other GPU) have it, 200.0 ms each", "");
	CHECK(f.rare.device == 0 && f.rare.devices == 2, "device %zu", f.rare.device);
	CHECK(blocked_in(8, 1, 20, 50000, 0).rare.in == 0, "all steps of one device are called rare");
}

int main(void)
{
	evidence();
	copies();
	rare();
	split_advice();
	start_up();
	kernels_only();
	graphs_by_kernels();
	return finish();
}

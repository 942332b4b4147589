/* job NAME [--steps N] [--each N] [--spin-us N] [--sleep-ms N] [--ranks N --rank R --meet FILE]
 * Prints what it did in one line, "key value" pairs. Status 77: a library it needs is not here, or
 * refuses. Kernels are PTX that the driver compiles; libcuda, cuBLAS and NCCL are found at run
 * time. */
#include "job.h"

#include "driver.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t job_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

void job_check(const char *what, int result)
{
	if (!result)
		return;
	fprintf(stderr, "job: %s: error %d\n", what, result);
	exit(1);
}

static void launch(struct job *job, void *kernel, unsigned blocks, unsigned threads, void **params)
{
	job_check("cuLaunchKernel",
			  cuda.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, job->stream, params, NULL));
}

void job_spin(struct job *job, int64_t ns)
{
	uint64_t turn = (uint64_t)ns;
	void *params[] = {&turn};
	launch(job, job->spin, 1, 1, params);
}

/* Ends a step: a kernel of another name, so that steps can be told apart. */
static void mark_step(struct job *job)
{
	uint32_t n = 1 << 16;
	void *params[] = {&job->memory, &n};
	launch(job, job->write, n / 256, 256, params);
	launch(job, job->empty, 1, 1, NULL);
}

void job_synchronize(struct job *job)
{
	job_check("cuStreamSynchronize", cuda.stream_synchronize(job->stream));
}

static void begin(struct job *job, int device)
{
	void *context, *module = NULL;
	const char *ptx;
	char why[256];
	int n = 0, rc = -1;

	if (driver_open(NULL, why, sizeof(why))) {
		fprintf(stderr, "job: %s\n", why);
		exit(JOB_CANNOT);
	}
	job_check("cuDevicePrimaryCtxRetain", cuda.primary_retain(&context, device));
	job_check("cuCtxSetCurrent", cuda.set_current(context));
	while (rc && (ptx = kernels_ptx(n++)))
		rc = cuda.module_load(&module, ptx);
	job_check("cuModuleLoadData", rc);
	job_check("probe_empty", cuda.module_function(&job->empty, module, "probe_empty"));
	job_check("probe_spin", cuda.module_function(&job->spin, module, "probe_spin"));
	job_check("probe_write", cuda.module_function(&job->write, module, "probe_write"));
	job_check("cuStreamCreate", cuda.stream_create(&job->stream, CUDA_STREAM_NON_BLOCKING));
	job_check("cuMemAlloc", cuda.mem_alloc(&job->memory, JOB_BYTES));
	job_spin(job, 1000); /* modules load lazily: the first launch is nobody's to measure */
	mark_step(job);
	job_synchronize(job);
}

/* Many small kernels: the CPU cannot launch as fast as the GPU is done. */
static int job_small(struct job *job)
{
	for (int step = 0; step < job->steps; step++) {
		for (int i = 0; i < job->each; i++)
			launch(job, job->empty, 1, 1, NULL);
		mark_step(job);
	}
	job_synchronize(job);
	printf("launches %d\n", job->steps * (job->each + 2));
	return 0;
}

/* What the launches cost the CPU: in bursts that fit into the GPU's queue, the waits left out. */
static int job_cost(struct job *job)
{
	int64_t launching = 0;
	for (int step = 0; step < job->steps; step++) {
		int64_t from = job_now_ns();
		for (int i = 0; i < job->each; i++)
			launch(job, job->empty, 1, 1, NULL);
		launching += job_now_ns() - from;
		job_synchronize(job);
	}
	printf("launches %d launch_ns %lld\n", job->steps * job->each, (long long)launching);
	return 0;
}

/* The CPU waits for each kernel before it launches the next. */
static int job_sync(struct job *job)
{
	for (int step = 0; step < job->steps; step++) {
		for (int i = 0; i < job->each; i++) {
			job_spin(job, job->spin_ns);
			job_synchronize(job);
		}
		mark_step(job);
	}
	job_synchronize(job);
	printf("launches %d syncs %d\n", job->steps * (job->each + 2), job->steps * job->each);
	return 0;
}

/* Memory is taken and given back around each kernel. */
static int job_alloc(struct job *job)
{
	int (*mem_free)(uint64_t) = NULL;
	driver_symbol("cuMemFree_v2", &mem_free, sizeof(mem_free));
	if (!mem_free)
		return JOB_CANNOT;
	for (int step = 0; step < job->steps; step++) {
		for (int i = 0; i < job->each; i++) {
			uint64_t taken;
			job_check("cuMemAlloc", cuda.mem_alloc(&taken, JOB_BYTES));
			job_spin(job, job->spin_ns);
			job_check("cuMemFree", mem_free(taken));
		}
		mark_step(job);
	}
	job_synchronize(job);
	printf("launches %d allocations %d\n", job->steps * (job->each + 2), job->steps * job->each);
	return 0;
}

/* The CPU sleeps between two steps, when the GPU has nothing left: idle time of known length. */
static int job_sleep(struct job *job)
{
	int64_t slept = 0;
	for (int step = 0; step < job->steps; step++) {
		for (int i = 0; i < job->each; i++)
			job_spin(job, job->spin_ns);
		mark_step(job);
		job_synchronize(job);
		int64_t from = job_now_ns();
		struct timespec nap = {job->sleep_ns / 1000000000, job->sleep_ns % 1000000000};
		nanosleep(&nap, NULL);
		slept += job_now_ns() - from;
	}
	job_spin(job, job->spin_ns);
	job_synchronize(job);
	printf("launches %d sleeps %d slept_ns %lld\n", job->steps * (job->each + 2) + 1, job->steps,
		   (long long)slept);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct job *job);
} jobs[] = {
	{"small", job_small}, {"cost", job_cost}, {"sync", job_sync}, {"alloc", job_alloc},
	{"sleep", job_sleep}, {"gemm", job_gemm}, {"nccl", job_nccl},
};

static void read_option(struct job *job, const char *name, const char *value)
{
	if (!strcmp(name, "--steps"))
		job->steps = atoi(value);
	else if (!strcmp(name, "--each"))
		job->each = atoi(value);
	else if (!strcmp(name, "--spin-us"))
		job->spin_ns = atoll(value) * 1000;
	else if (!strcmp(name, "--sleep-ms"))
		job->sleep_ns = atoll(value) * 1000000;
	else if (!strcmp(name, "--ranks"))
		job->ranks = atoi(value);
	else if (!strcmp(name, "--rank"))
		job->rank = atoi(value);
	else if (!strcmp(name, "--meet"))
		job->meet = value;
	else {
		fprintf(stderr, "job: no option %s\n", name);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct job job = {.steps = 20, .each = 20, .spin_ns = 50000, .sleep_ns = 20000000, .ranks = 1};

	for (int i = 2; i + 1 < argc; i += 2)
		read_option(&job, argv[i], argv[i + 1]);
	for (size_t i = 0; argc > 1 && i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		if (!strcmp(jobs[i].name, argv[1])) {
			begin(&job, 0);
			return jobs[i].run(&job);
		}
	}
	fprintf(stderr, "usage: job small|cost|sync|alloc|sleep|gemm|nccl [--steps N] ...\n");
	return 2;
}

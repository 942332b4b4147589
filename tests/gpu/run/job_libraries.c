/* The jobs that need cuBLAS or NCCL: opened by name, called by what their documentation says. */
#include "job.h"

#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void *open_first(const char *const *names)
{
	void *library = NULL;
	for (; !library && *names; names++)
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	return library;
}

static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);
	memcpy(function, &found, sizeof(found));
	return found;
}

/* Matrix products, one after the other: the GPU is busy with matmul and nothing else. */
int job_gemm(struct job *job)
{
	static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", NULL};
	void *library = open_first(names), *handle;
	int (*create)(void **), (*set_stream)(void *, void *);
	int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *,
				 int, const float *, float *, int);
	const float one = 1, zero = 0;
	const int n = 2048; /* three matrices of 16 MiB */

	if (!library || !find(library, "cublasCreate_v2", &create) ||
		!find(library, "cublasSetStream_v2", &set_stream) ||
		!find(library, "cublasSgemm_v2", &sgemm)) {
		fprintf(stderr, "job: no cuBLAS: %s\n", dlerror());
		return JOB_CANNOT;
	}
	job_check("cublasCreate", create(&handle));
	job_check("cublasSetStream", set_stream(handle, job->stream));
	float *a = (float *)(uintptr_t)job->memory, *b = a + n * n, *c = b + n * n;
	for (int i = 0; i < job->steps * job->each; i++)
		job_check("cublasSgemm", sgemm(handle, 0, 0, n, n, n, &one, a, n, b, n, &zero, c, n));
	job_synchronize(job);
	printf("products %d\n", job->steps * job->each);
	return 0;
}

struct unique_id {
	char bytes[128];
};

/* Rank 0 writes the id beside its place and renames; the others wait for it. */
static bool meet(struct job *job, struct unique_id *id)
{
	char fresh[4096];
	FILE *file;
	struct timespec nap = {0, 10000000};

	if (job->rank == 0) {
		snprintf(fresh, sizeof(fresh), "%s.new", job->meet);
		file = fopen(fresh, "wb");
		return file && fwrite(id, sizeof(*id), 1, file) == 1 && !fclose(file) &&
			   !rename(fresh, job->meet);
	}
	for (int tries = 0; tries < 3000; tries++) {
		file = fopen(job->meet, "rb");
		if (file) {
			bool whole = fread(id, sizeof(*id), 1, file) == 1;
			fclose(file);
			return whole;
		}
		nanosleep(&nap, NULL);
	}
	return false;
}

/* AllReduces between kernels; the last rank is later than the others by sleep_ns each step. */
int job_nccl(struct job *job)
{
	static const char *const names[] = {"libnccl.so.2", NULL};
	void *library = open_first(names), *comm;
	int (*unique)(struct unique_id *), (*init)(void **, int, struct unique_id, int);
	int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
	struct unique_id id = {{0}};
	enum { FLOAT32 = 7, SUM = 0, COUNT = 1 << 20 };

	if (!library || !find(library, "ncclGetUniqueId", &unique) ||
		!find(library, "ncclCommInitRank", &init) || !find(library, "ncclAllReduce", &all_reduce)) {
		fprintf(stderr, "job: no NCCL: %s\n", dlerror());
		return JOB_CANNOT;
	}
	if (job->rank == 0)
		job_check("ncclGetUniqueId", unique(&id));
	if (job->ranks > 1 && (!job->meet || !meet(job, &id)))
		return 1;
	int refused = init(&comm, job->ranks, id, job->rank);
	if (refused) {
		fprintf(stderr, "job: NCCL refuses %d ranks here: error %d\n", job->ranks, refused);
		return JOB_CANNOT;
	}
	char *in = (char *)(uintptr_t)job->memory, *out = in + COUNT * sizeof(float);
	for (int step = 0; step < job->steps; step++) {
		struct timespec nap = {job->sleep_ns / 1000000000, job->sleep_ns % 1000000000};
		if (job->ranks > 1 && job->rank == job->ranks - 1)
			nanosleep(&nap, NULL);
		for (int i = 0; i < job->each; i++)
			job_spin(job, job->spin_ns);
		job_check("ncclAllReduce", all_reduce(in, out, COUNT, FLOAT32, SUM, comm, job->stream));
		job_synchronize(job);
	}
	printf("rank %d reductions %d\n", job->rank, job->steps);
	return 0;
}

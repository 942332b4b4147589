/* The cases of nccl_test.c, each run in every rank, and what they share. */
#ifndef NCCL_CASES_H
#define NCCL_CASES_H

#include "doubles/nccl/nccl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int cudaSetDevice(int device);
int cudaMalloc(void **ptr, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaStreamCreate(ncclStream_t *stream);
int cudaStreamSynchronize(ncclStream_t stream);

enum { TO_DEVICE = 1, TO_HOST = 2, MOST_RANKS = 4, MOST_KERNELS = 64, BIG = 700001 };

#define CHECK(condition)                                                                        \
	do {                                                                                        \
		if (!(condition)) {                                                                     \
			fprintf(stderr, "%s:%d: rank %d of %d: %s (%s)\n", __FILE__, __LINE__, rank, ranks, \
					#condition, ncclGetLastError(comm));                                        \
			_exit(1);                                                                           \
		}                                                                                       \
	} while (0)

extern int rank, ranks;
extern ncclComm_t comm;
extern ncclStream_t stream;

/* What the parent and all ranks see. */
struct shared {
	ncclUniqueId id;
	int64_t start_ns[MOST_RANKS][MOST_KERNELS], end_ns[MOST_RANKS][MOST_KERNELS];
	_Atomic int arrived;
};
extern struct shared *shared;

struct kernel {
	char name[128];
	int64_t start_ns, end_ns;
	uint32_t stream;
};
extern struct kernel kernels[MOST_KERNELS];

void watch(void);
unsigned watched(void);
void *to_device(const void *data, size_t bytes);
void *zeros(size_t bytes);
void *to_host(const void *at, size_t bytes);
float *floats(size_t n, float base);
void expect(const void *at, size_t n, float base, float slope);
void init(void);
float rank_sum(void);
void sum_over(ncclComm_t which, int n, float wanted);

void case_types(void);
void case_collectives(void);
void case_pieces(void);
void case_messages(void);
void case_groups(void);
void case_ends(void);
void case_split(void);
void case_operators(void);
void case_refusals(void);
void case_dead(void);
void case_mismatch(void);
void case_abort(void);
void case_nonblocking(void);
void case_absent(void);
void case_all(void);
void case_exit(void);
void case_orphan(void);

#endif

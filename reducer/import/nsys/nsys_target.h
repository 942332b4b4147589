/* The machine of an nsys export: host, GPUs, clock, version. Of the stored environment only the
 * rank variables are read, and nothing of it is kept. */
#ifndef IMPORT_NSYS_TARGET_H
#define IMPORT_NSYS_TARGET_H

#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nsys_db;

enum { NSYS_GPUS = 65536 /* and as many ordinals of processes */, NSYS_NAME_BYTES = 96 };

struct nsys_gpu {
	int64_t id;
	int64_t memory_bytes; /* 0 unknown */
	int64_t sm_count;     /* 0 unknown */
	char name[NSYS_NAME_BYTES];
	char uuid[NSYS_NAME_BYTES];
};

/* One CUDA ordinal of one process (exports of 2024 and later). */
struct nsys_cuda_device {
	int64_t pid; /* its lower 24 bits, as rows of work have it */
	int64_t ordinal;
	int64_t gpu;
	int64_t sm_count;
	char uuid[NSYS_NAME_BYTES];
};

struct nsys_target {
	int64_t utc_ns; /* UTC of the session's time 0; 0 when it is unknown or already in the times */
	int32_t rank;   /* from the environment in which nsys ran; -1: unknown */
	char host[64];
	char version[64]; /* empty: unknown */
	size_t n_gpus, n_devices;
	struct nsys_gpu *gpus;
	struct nsys_cuda_device *devices;
	struct table gpu_ids;    /* of gpus, by id */
	struct table device_ids; /* of devices, by pid and ordinal */
	uint64_t left_out;       /* rows of both beyond the first NSYS_GPUS */
};

/* 0 or -ENOMEM. Call nsys_target_free() either way. */
int nsys_target_load(struct nsys_target *target, struct nsys_db *db);
void nsys_target_free(struct nsys_target *target);

/* The GPU of a process's ordinal. `gpu.id` is the physical number; name and uuid may be empty.
 * Without TARGET_INFO_CUDA_DEVICE the ordinal is the GPU's number, as in NVIDIA's own reports of
 * those versions. */
struct nsys_gpu nsys_target_gpu(const struct nsys_target *target, int64_t pid, int64_t ordinal);

#endif

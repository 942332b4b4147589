/* The machine of an nsys export: host, GPUs, clock, version. Of the stored environment only the
 * rank variables are read, and nothing of it is kept. */
#ifndef IMPORT_NSYS_TARGET_H
#define IMPORT_NSYS_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct nsys_db;

enum { NSYS_GPUS = 256, NSYS_DEVICES = 2048, NSYS_NAME_BYTES = 96 };

struct nsys_gpu {
	int64_t id;
	int64_t memory_bytes; /* 0 unknown */
	int64_t sm_count;     /* 0 unknown */
	char name[NSYS_NAME_BYTES];
	char uuid[NSYS_NAME_BYTES];
};

/* One CUDA ordinal of one process (exports of 2024 and later). */
struct nsys_cuda_device {
	int64_t pid;
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
	uint32_t n_gpus;
	uint32_t n_devices;
	struct nsys_gpu gpus[NSYS_GPUS];
	struct nsys_cuda_device devices[NSYS_DEVICES];
};

void nsys_target_load(struct nsys_target *target, struct nsys_db *db);

/* The GPU of a process's ordinal. `gpu.id` is the physical number; name and uuid may be empty.
 * Without TARGET_INFO_CUDA_DEVICE the ordinal is the GPU's number, as in NVIDIA's own reports of
 * those versions. */
struct nsys_gpu nsys_target_gpu(const struct nsys_target *target, int64_t pid, int64_t ordinal);

#endif

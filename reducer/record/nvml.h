/* NVML, which the driver brings: the one place that speaks to it. Loaded when it is wanted, never
 * linked. What it cannot say is left out. One thread. */
#ifndef RECORD_NVML_H
#define RECORD_NVML_H

#include <baton/format.h>
#include <stdint.h>

enum { NVML_DEVICES = 64, NVML_TEXT_BYTES = 96 };

struct nvml_device {
	void *handle;
	unsigned index;             /* NVML's; those that it has no handle for are left out */
	char uuid[NVML_TEXT_BYTES]; /* GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx */
	char name[NVML_TEXT_BYTES];
	uint64_t memory_bytes; /* 0 unknown */
};

struct nvml {
	void *library;
	char version[NVML_TEXT_BYTES]; /* of the driver, "" unknown */
	struct nvml_device devices[NVML_DEVICES];
	unsigned n_devices;
};

struct nvml_look { /* by enum baton_gauge */
	uint64_t value[BATON_GAUGE_END];
	uint32_t known; /* bit of each gauge that has a value */
};

/* 0; -ENOENT: there is no NVML, or it has no GPU to show. */
int nvml_open(struct nvml *nvml);
void nvml_close(struct nvml *nvml);
void nvml_look(const struct nvml_device *device, struct nvml_look *look);

#endif

/* NVML, which comes with the driver. No other module calls it. It is loaded at run time, never
 * linked. Values that it does not provide are left out. One thread. */
#ifndef RECORD_NVML_H
#define RECORD_NVML_H

#include <baton/format.h>
#include <stdint.h>

enum { NVML_DEVICES = 64, NVML_TEXT_BYTES = 96, NVML_PCI_BYTES = 32, NVML_LINK_BYTES = 16 };

struct nvml_device {
	void *handle;
	unsigned index;             /* NVML's index; devices without a handle are left out */
	char uuid[NVML_TEXT_BYTES]; /* GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx */
	char name[NVML_TEXT_BYTES];
	uint64_t memory_bytes; /* 0 unknown */
};

struct nvml {
	void *library;
	char version[NVML_TEXT_BYTES]; /* version of the driver; "": unknown */
	struct nvml_device devices[NVML_DEVICES];
	unsigned n_devices;
};

struct nvml_look { /* one sample, by enum baton_gauge */
	uint64_t value[BATON_GAUGE_END];
	uint32_t known; /* a bit for each gauge that has a value */
};

/* Loads NVML and lists the devices. 0, or -ENOENT when there is no NVML or it has no GPU.
 * nvml_look() samples one device. */
int nvml_open(struct nvml *nvml);
void nvml_close(struct nvml *nvml);
/* Its address on the PCI bus, "0000:1b:00.0"; "" where NVML does not say. */
void nvml_pci(const struct nvml_device *device, char pci[NVML_PCI_BYTES]);
/* What connects two GPUs, as nvidia-smi topo -m has it: NV4 (so many NVLinks), PIX, PXB, PHB, NODE,
 * SYS; "" where NVML does not say. */
void nvml_link(const struct nvml_device *a, const struct nvml_device *b,
			   char link[NVML_LINK_BYTES]);
void nvml_look(const struct nvml_device *device, struct nvml_look *look);

#endif

/* Devices and their primary contexts. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_CONTEXT_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_CONTEXT_H

#include "doubles/driver/core/core.h"
#include "doubles/driver/core/settings.h"

struct stream;

struct context { /* a CUcontext is a pointer to it */
	uint32_t magic;
	int device;
	uint32_t id; /* never the same twice, 1 the first */
	unsigned retained;
	bool live;
	struct gpu gpu;
	struct stream *legacy;
};

/* Inside cuInit: the devices as the environment says, and what their GPUs call. */
void context_open(const struct gpu_hooks *hooks);
/* NULL when the device does not exist. */
struct context *context_of(int device);
/* Makes the device's primary context live; the observer hears of it. */
struct context *context_use(int device);
/* The calling thread's: what it set, else its device's when live. NULL none. */
struct context *context_current(void);
/* The same or CUDA_INVALID_CONTEXT. */
int context_need(struct context **context);
/* To the observer, if there is one. No lock held. */
void context_tell(enum sim_resource_kind kind, struct context *context);
bool context_valid(const struct context *context);
void context_reset(struct context *context);
/* "GPU-..." as 16 bytes; the first four hold the device's number on the machine. */
void context_uuid(int device, uint8_t uuid[16]);
int context_attribute(int device, int attribute);
/* Lock held: waits for every stream of the device. */
bool context_wait(struct context *context, int64_t until_ns);

#endif

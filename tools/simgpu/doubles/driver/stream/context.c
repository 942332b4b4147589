#include "doubles/driver/stream/context.h"

#include "doubles/driver/core/delivery.h"
#include "doubles/driver/core/host_thread.h"
#include "doubles/driver/memory/memory.h"

#include <stdatomic.h>
#include <string.h>

#define CONTEXT_MAGIC 0x43544b31u
#define EXIT_PATIENCE_NS 2000000000

static struct context contexts[MAX_DEVICES];
static uint32_t context_ids;

void context_open(const struct gpu_hooks *hooks)
{
	for (int i = 0; i < settings()->devices; i++) {
		struct context *context = &contexts[i];
		*context = (struct context){.magic = CONTEXT_MAGIC, .device = i};
		gpu_open(&context->gpu, &core.agenda, hooks, context);
	}
}

void context_tell(enum sim_resource_kind kind, struct context *context)
{
	const struct sim_observer *observer = delivery_observer();
	if (context && observer && observer->resource)
		observer->resource(kind, context, context->id);
}

struct context *context_of(int device)
{
	return device >= 0 && device < settings()->devices ? &contexts[device] : NULL;
}

bool context_valid(const struct context *context)
{
	return context >= contexts && context < contexts + MAX_DEVICES &&
		   context->magic == CONTEXT_MAGIC && context == &contexts[context->device];
}

struct context *context_use(int device)
{
	struct context *context = context_of(device);
	if (!context || __atomic_load_n(&context->live, __ATOMIC_ACQUIRE))
		return context;
	core_lock();
	bool created = !context->live;
	if (created) {
		context->id = ++context_ids;
		__atomic_store_n(&context->live, true, __ATOMIC_RELEASE);
	}
	core_unlock();
	if (created)
		context_tell(SIM_CONTEXT_CREATED, context);
	return context;
}

struct context *context_current(void)
{
	struct host_thread *thread = host_thread();
	if (thread->n_contexts)
		return thread->contexts[thread->n_contexts - 1];
	struct context *context = context_of(thread->device);
	return context && __atomic_load_n(&context->live, __ATOMIC_ACQUIRE) ? context : NULL;
}

int context_need(struct context **context)
{
	*context = context_current();
	return *context ? CUDA_OK : CUDA_INVALID_CONTEXT;
}

bool context_wait(struct context *context, int64_t until_ns)
{
	bool over = true;
	for (uint32_t i = 0; over && i < context->gpu.n_streams; i++)
		over = core_wait_op(context->gpu.streams[i]->tail, until_ns);
	return over;
}

void context_reset(struct context *context)
{
	if (!context->live)
		return;
	core_lock();
	context_wait(context, INT64_MAX);
	core_unlock();
	context_tell(SIM_CONTEXT_DESTROY_STARTING, context);
	core_lock();
	__atomic_store_n(&context->live, false, __ATOMIC_RELEASE);
	context->retained = 0;
	core_unlock();
	memory_reset(context->device);
}

bool simgpu_context_id(void *handle, uint32_t *id, uint32_t *device)
{
	const struct context *context = handle ? handle : context_current();
	if (!context || !context_valid(context))
		return false;
	*id = context->id;
	*device = (uint32_t)context->device;
	return true;
}

void simgpu_end_contexts(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (core_state() || atomic_flag_test_and_set(&told))
		return;
	for (int i = 0; i < settings()->devices; i++)
		if (contexts[i].live)
			context_tell(SIM_CONTEXT_DESTROY_STARTING, &contexts[i]);
}

void context_uuid(int device, uint8_t uuid[16])
{
	int number = settings()->physical[device];
	memset(uuid, 0x5a, 16);
	for (int i = 0; i < 4; i++)
		uuid[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* The A100's numbers, 80 GiB. */
static const struct {
	int attribute, value;
} attributes[] = {
	{1, 1024}, /* threads per block */
	{2, 1024},     {3, 1024}, {4, 64},          {5, 2147483647}, {6, 65535},  {7, 65535},
	{8, 49152},                                              /* shared memory per block */
	{9, 65536},    {10, 32},  {11, 2147483647}, {12, 65536}, /* registers per block */
	{13, 1410000}, {14, 512}, {15, 1},                       /* copies overlap kernels */
	{16, 108},                                               /* multiprocessors */
	{19, 1},       {31, 1},   {32, 1},          {36, 1593000},   {37, 5120},  {38, 41943040},
	{39, 2048}, /* threads per multiprocessor */
	{40, 3},       {41, 1},   {78, 1},          {81, 167936},    {82, 65536}, {83, 1},
	{89, 1},       {95, 1},   {97, 166912},     {106, 32},       {111, 1024}, {115, 1},
};

int context_attribute(int device, int attribute)
{
	int capability = settings()->capability;
	switch (attribute) {
	case 33: /* PCI bus */
		return settings()->physical[device] + 1;
	case 75:
		return capability / 10;
	case 76:
		return capability % 10;
	}
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].attribute == attribute)
			return attributes[i].value;
	return 0;
}

/* Copies and memsets. The bytes move during the call (kernels compute nothing, so nobody can tell)
 * unless a collective or a host function is ahead: then when the op ends. The op takes its time on
 * a copy engine.
 * Copies from and to pageable memory keep their caller: up to 64 KiB towards the device until the
 * driver has its own copy (at once), everything else until the op has ended. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/memory/memory.h"
#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/submit.h"
#include "values/known.h"

#define STAGED ((size_t)64 << 10)
/* What copies and memsets take beside their bytes: to the device, from it, within it. */
#define COPY_IN_NS 830
#define COPY_OUT_NS 1480
#define COPY_LOCAL_NS 1370

enum copy_kind { COPY_HTOD = 1, COPY_DTOH = 2, COPY_DTOD = 8, COPY_HTOH = 9, COPY_PEER = 10 };
enum memory_kind { KIND_PAGEABLE = 1, KIND_PINNED = 2, KIND_DEVICE = 3, KIND_MANAGED = 5 };

struct copy_call {
	uint32_t cbid;
	const char *name;
	const void *params;
	void *stream;
	bool per_thread, blocking;
};

static uint32_t memory_kind(const void *address, int device)
{
	if (device >= 0)
		return simgpu_pointer(address).type == MEMORY_MANAGED ? KIND_MANAGED : KIND_DEVICE;
	return memory_pinned(address) ? KIND_PINNED : KIND_PAGEABLE;
}

static uint32_t copy_kind(int source, int target)
{
	if (source < 0 || target < 0)
		return source >= 0 ? COPY_DTOH : target >= 0 ? COPY_HTOD : COPY_HTOH;
	return source == target ? COPY_DTOD : COPY_PEER;
}

static int64_t bytes_ns(uint64_t bytes, int64_t mb_s)
{
	return (int64_t)(bytes * 1000 / (uint64_t)(mb_s ? mb_s : 1));
}

static void plan_copy(const struct move *move, struct plan *plan)
{
	int source = memory_device(move->source), target = memory_device(move->target);
	struct sim_record *r = &plan->record;
	*plan = (struct plan){.kind = GPU_COPY, .move = *move};
	r->copy_kind = copy_kind(source, target);
	r->kind = r->copy_kind == COPY_PEER ? SIM_MEMCPY_PEER : SIM_MEMCPY;
	r->name = NULL;
	r->bytes = move->width * move->height;
	r->source_kind = memory_kind(move->source, source);
	r->target_kind = memory_kind(move->target, target);
	r->source_device = source < 0 ? 0 : (uint32_t)source;
	r->target_device = target < 0 ? 0 : (uint32_t)target;
	bool pageable = r->source_kind == KIND_PAGEABLE || r->target_kind == KIND_PAGEABLE;
	bool local = r->copy_kind == COPY_DTOD;
	plan->engine = local                       ? ENGINE_COPY_LOCAL
				   : r->copy_kind == COPY_DTOH ? ENGINE_COPY_OUT
											   : ENGINE_COPY_IN;
	plan->dur_ns = local ? COPY_LOCAL_NS : r->copy_kind == COPY_DTOH ? COPY_OUT_NS : COPY_IN_NS;
	plan->dur_ns += bytes_ns(r->bytes, local      ? settings()->local_mb_s
									   : pageable ? settings()->pageable_mb_s
												  : settings()->copy_mb_s);
}

static void plan_set(const struct move *move, struct plan *plan)
{
	uint64_t bytes = move->width * move->height;
	*plan = (struct plan){.kind = GPU_MEMSET,
						  .engine = ENGINE_COMPUTE,
						  .share = 128,
						  .dur_ns = COPY_LOCAL_NS + bytes_ns(bytes, settings()->local_mb_s),
						  .move = *move};
	plan->record.kind = SIM_MEMSET;
	plan->record.bytes = bytes;
	plan->record.value = move->value;
	plan->record.target_kind = memory_kind(move->target, memory_device(move->target));
}

/* Does the call return only when the op has ended? */
static bool waits(const struct plan *plan, bool blocking)
{
	const struct sim_record *r = &plan->record;
	if (r->target_kind == KIND_PAGEABLE)
		return true;
	if (r->source_kind == KIND_PAGEABLE)
		return r->bytes > STAGED;
	return blocking && plan->kind == GPU_COPY && r->copy_kind != COPY_DTOD;
}

/* Lock held, the copy is about to happen: what a kernel may have written reads as zero. */
static void note_contents(struct move *move)
{
	bool line = move->height == 1 ||
				(move->source_pitch == move->width && move->target_pitch == move->width);
	size_t rows = move->height - 1; /* the first to the last byte, with what is between the rows */
	size_t from = rows * move->source_pitch + move->width;
	size_t to = rows * move->target_pitch + move->width;
	if (memory_device(move->target) < 0) {
		move->source = known_source(move->source, from);
		return;
	}
	size_t known = move->source ? known_length(move->source, from) : from;
	if (known < from)
		known_write(move->target, to, false);
	if (known == from || (known && line))
		known_write(move->target, known == from ? to : known, true);
}

static int submit_plan(const struct copy_call *what, struct plan *plan)
{
	bool wait = waits(plan, what->blocking);
	struct gpu_op *op = NULL;
	core_lock();
	struct stream *stream = stream_of(what->stream, what->per_thread);
	int result = stream ? CUDA_OK : CUDA_INVALID_HANDLE;
	bool captured = stream && stream->capture;
	if (captured && what->blocking)
		result = capture_break(stream);
	bool later = !captured && !wait && op_moves_later();
	if (!result && !captured)
		note_contents(&plan->move);
	if (!result && !captured && !wait &&
		!later) { /* the time that takes is the call's, not the op's */
		core_unlock();
		op_move(&plan->move);
		core_lock();
	}
	if (!result)
		result = submit(stream, plan, captured ? NULL : &op);
	if (op && later)
		op_move_later(op, &plan->move, plan->record.source_kind == KIND_PAGEABLE);
	if (op && wait)
		core_wait_op(op, INT64_MAX);
	core_unlock();
	if (op && wait) /* host functions before it have run */
		op_move(&plan->move);
	return result;
}

/* Host to host with a plain address on both sides counts as a copy too; nothing to do: no op. */
static int perform(const struct copy_call *what, const struct move *move)
{
	struct sim_observed call;
	struct context *context;
	struct plan plan;
	int result = entry_enter(&call, what->cbid, what->name, what->params, &context);
	if (!result && move->width && move->height) {
		if (!move->target || (!move->source && !move->element))
			result = CUDA_INVALID_VALUE;
		else if (move->source)
			plan_copy(move, &plan);
		else
			plan_set(move, &plan);
		if (!result)
			result = submit_plan(what, &plan);
	}
	return observe_leave(&call, result);
}

static struct move line(uint64_t target, const void *source, size_t bytes)
{
	return (struct move){(void *)target, source, bytes, 1, bytes, bytes, 0, 0};
}

/* ---- copies: one shape of entry per kind of address ---- */

#define COPY_ENTRY(name_, cbid_, target_type_, source_type_)                    \
	ENTRY(name_, target_type_ target, source_type_ source, size_t bytes)        \
	{                                                                           \
		const struct {                                                          \
			target_type_ target;                                                \
			source_type_ source;                                                \
			size_t bytes;                                                       \
		} params = {target, source, bytes};                                     \
		struct copy_call what = {cbid_, #name_, &params, NULL, false, true};    \
		struct move move = line((uint64_t)target, (const void *)source, bytes); \
		return perform(&what, &move);                                           \
	}

#define COPY_ASYNC_ENTRY(name_, cbid_, target_type_, source_type_, per_thread_)        \
	ENTRY(name_, target_type_ target, source_type_ source, size_t bytes, void *stream) \
	{                                                                                  \
		const struct {                                                                 \
			target_type_ target;                                                       \
			source_type_ source;                                                       \
			size_t bytes;                                                              \
			void *stream;                                                              \
		} params = {target, source, bytes, stream};                                    \
		struct copy_call what = {cbid_, #name_, &params, stream, per_thread_, false};  \
		struct move move = line((uint64_t)target, (const void *)source, bytes);        \
		return perform(&what, &move);                                                  \
	}

COPY_ENTRY(cuMemcpyHtoD_v2, 276, uint64_t, const void *)
COPY_ENTRY(cuMemcpyDtoH_v2, 278, void *, uint64_t)
COPY_ENTRY(cuMemcpyDtoD_v2, 280, uint64_t, uint64_t)
COPY_ENTRY(cuMemcpy, 305, uint64_t, uint64_t)
COPY_ASYNC_ENTRY(cuMemcpyHtoDAsync_v2, 277, uint64_t, const void *, false)
COPY_ASYNC_ENTRY(cuMemcpyHtoDAsync_v2_ptsz, 421, uint64_t, const void *, true)
COPY_ASYNC_ENTRY(cuMemcpyDtoHAsync_v2, 279, void *, uint64_t, false)
COPY_ASYNC_ENTRY(cuMemcpyDtoHAsync_v2_ptsz, 422, void *, uint64_t, true)
COPY_ASYNC_ENTRY(cuMemcpyDtoDAsync_v2, 281, uint64_t, uint64_t, false)
COPY_ASYNC_ENTRY(cuMemcpyDtoDAsync_v2_ptsz, 423, uint64_t, uint64_t, true)
COPY_ASYNC_ENTRY(cuMemcpyAsync, 306, uint64_t, uint64_t, false)
COPY_ASYNC_ENTRY(cuMemcpyAsync_ptsz, 418, uint64_t, uint64_t, true)

ENTRY(cuMemcpyPeerAsync, uint64_t target, void *target_context, uint64_t source,
	  void *source_context, size_t bytes, void *stream)
{
	const struct {
		uint64_t target;
		void *target_context;
		uint64_t source;
		void *source_context;
		size_t bytes;
		void *stream;
	} params = {target, target_context, source, source_context, bytes, stream};
	struct copy_call what = {319, "cuMemcpyPeerAsync", &params, stream, false, false};
	struct move move = line(target, (const void *)source, bytes);
	return perform(&what, &move);
}

static struct move rectangle(const struct cu_copy_2d *copy)
{
	const char *source =
		copy->source_type == 1 ? copy->source_host : (const void *)copy->source_device;
	char *target = copy->target_type == 1 ? copy->target_host : (void *)copy->target_device;
	size_t source_pitch = copy->source_pitch ? copy->source_pitch : copy->width;
	size_t target_pitch = copy->target_pitch ? copy->target_pitch : copy->width;
	return (struct move){target + copy->target_y * target_pitch + copy->target_x,
						 source + copy->source_y * source_pitch + copy->source_x,
						 copy->width,
						 copy->height,
						 target_pitch,
						 source_pitch,
						 0,
						 0};
}

ENTRY(cuMemcpy2D_v2, const struct cu_copy_2d *copy)
{
	struct copy_call what = {287, "cuMemcpy2D_v2", &copy, NULL, false, true};
	struct move move = rectangle(copy);
	return perform(&what, &move);
}

ENTRY(cuMemcpy2DAsync_v2, const struct cu_copy_2d *copy, void *stream)
{
	const struct {
		const struct cu_copy_2d *copy;
		void *stream;
	} params = {copy, stream};
	struct copy_call what = {289, "cuMemcpy2DAsync_v2", &params, stream, false, false};
	struct move move = rectangle(copy);
	return perform(&what, &move);
}

/* ---- memset ---- */

#define SET_ENTRY(name_, cbid_, type_)                                                       \
	ENTRY(name_, uint64_t target, type_ value, size_t n)                                     \
	{                                                                                        \
		const struct {                                                                       \
			uint64_t target;                                                                 \
			type_ value;                                                                     \
			size_t n;                                                                        \
		} params = {target, value, n};                                                       \
		struct copy_call what = {cbid_, #name_, &params, NULL, false, false};                \
		size_t bytes = n * sizeof(value);                                                    \
		struct move move = {(void *)target, NULL, bytes, 1, bytes, 0, value, sizeof(value)}; \
		return perform(&what, &move);                                                        \
	}

#define SET_ASYNC_ENTRY(name_, cbid_, type_, per_thread_)                                    \
	ENTRY(name_, uint64_t target, type_ value, size_t n, void *stream)                       \
	{                                                                                        \
		const struct {                                                                       \
			uint64_t target;                                                                 \
			type_ value;                                                                     \
			size_t n;                                                                        \
			void *stream;                                                                    \
		} params = {target, value, n, stream};                                               \
		struct copy_call what = {cbid_, #name_, &params, stream, per_thread_, false};        \
		size_t bytes = n * sizeof(value);                                                    \
		struct move move = {(void *)target, NULL, bytes, 1, bytes, 0, value, sizeof(value)}; \
		return perform(&what, &move);                                                        \
	}

SET_ENTRY(cuMemsetD8_v2, 249, unsigned char)
SET_ENTRY(cuMemsetD16_v2, 250, unsigned short)
SET_ENTRY(cuMemsetD32_v2, 251, unsigned)
SET_ASYNC_ENTRY(cuMemsetD8Async, 216, unsigned char, false)
SET_ASYNC_ENTRY(cuMemsetD8Async_ptsz, 428, unsigned char, true)
SET_ASYNC_ENTRY(cuMemsetD16Async, 218, unsigned short, false)
SET_ASYNC_ENTRY(cuMemsetD32Async, 220, unsigned, false)
SET_ASYNC_ENTRY(cuMemsetD32Async_ptsz, 430, unsigned, true)

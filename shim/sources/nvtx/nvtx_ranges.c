#include "sources/nvtx/nvtx_ranges.h"

#include "base/clock.h"
#include "base/perthread.h"
#include "ring/lane.h"

#include <stdbool.h>

#define DEEP 128u      /* pushes of one thread that are kept */
#define INDEX_BITS 11u /* started ranges that are kept */
#define STARTED ((1u << INDEX_BITS) - 1)

/* The writer thread reads them while their owner goes on: whoever sees a new value of any field
 * also sees the change of `pushes` or `id` that came before it. */
struct range {
	_Atomic uint64_t begin;
	_Atomic(const struct nvtx_text *) text, domain;
	_Atomic uint32_t name, generation, thread;
	int level; /* the owner's */
};

struct stack {
	struct perthread_block block;
	_Atomic uint64_t pushes;
	_Atomic uint32_t depth;
	_Atomic uint32_t thread; /* 0: its thread has not recorded yet */
	uint32_t over;           /* pushes that found no room */
	struct range range[DEEP];
};

static SHIM_TLS struct stack *mine;

static void forget(void)
{
	mine = NULL;
}

static struct perthread stacks = {.bytes = sizeof(struct stack), .gone = forget};

static struct stack *stack_of_mine(struct baton_lane *lane)
{
	if (SHIM_UNLIKELY(!mine)) {
		mine = perthread_open(&stacks);
		if (!mine)
			return NULL;
		atomic_store_explicit(&mine->depth, 0, memory_order_relaxed);
		atomic_store_explicit(&mine->thread, 0, memory_order_relaxed);
		mine->over = 0;
	}
	if (lane)
		atomic_store_explicit(&mine->thread, lane_own(lane)->thread, memory_order_relaxed);
	return mine;
}

static void keep(struct range *range, const struct nvtx_text *domain, struct nvtx_name name,
				 uint32_t thread)
{
	atomic_store_explicit(&range->text, name.text, memory_order_release);
	atomic_store_explicit(&range->domain, domain, memory_order_release);
	atomic_store_explicit(&range->name, name.id, memory_order_release);
	atomic_store_explicit(&range->generation, recording_generation, memory_order_release);
	atomic_store_explicit(&range->thread, thread, memory_order_release);
	atomic_store_explicit(&range->begin, clock_ticks(), memory_order_release);
}

/* Its slot but for the end. False: it belongs to the process that this one was forked from. */
static bool slot_of(struct range *range, enum baton_range_category category,
					struct baton_slot *slot)
{
	const struct nvtx_text *text = atomic_load_explicit(&range->text, memory_order_acquire);
	const struct nvtx_text *domain = atomic_load_explicit(&range->domain, memory_order_acquire);
	uint32_t name = atomic_load_explicit(&range->name, memory_order_acquire);

	if (atomic_load_explicit(&range->generation, memory_order_acquire) != recording_generation)
		return false;
	*slot = (struct baton_slot){.begin = atomic_load_explicit(&range->begin, memory_order_acquire),
								.name = text ? nvtx_text_id(text) : name,
								.aux = (uint16_t)category,
								.type = BATON_SLOT_RANGE,
								.correlation = nvtx_text_id(domain)};
	return true;
}

/* A range that began in the recording's window and ends after it is written as one that did not
 * end. The same when the window's time is over and no thread has ended it yet. */
static void put_range(struct baton_lane *lane, struct baton_slot *slot, uint64_t end)
{
	struct baton_lane *cut = lane ? NULL : lane_for_cut(slot->begin);
	uint64_t until = atomic_load_explicit(&recording_window.until_ticks, memory_order_relaxed);
	bool late = lane && end > until;
	if (late && slot->begin > until)
		return;
	slot->end = cut ? atomic_load(&recording_window.end_ticks) : late ? until : end;
	slot->stack = cut || late;
	if (lane || cut)
		lane_put(lane ? lane : cut, *slot);
}

static void write_range(struct baton_lane *lane, struct range *range,
						enum baton_range_category category, uint64_t end)
{
	struct baton_slot slot;
	if (slot_of(range, category, &slot))
		put_range(lane, &slot, end);
}

static void count_lost(struct baton_lane *lane)
{
	if (lane)
		baton_lane_lose(&lane->dropped_others, 1);
}

/* ---- push and pop ---- */

/* The place of the innermost range of the domain, -1 none. */
static int innermost(const struct stack *stack, uint32_t depth, const struct nvtx_text *domain)
{
	int i = (int)depth - 1;
	while (i >= 0 && atomic_load_explicit(&stack->range[i].domain, memory_order_relaxed) != domain)
		i--;
	return i;
}

static void changing(struct stack *stack)
{
	uint64_t pushes = atomic_load_explicit(&stack->pushes, memory_order_relaxed);
	atomic_store_explicit(&stack->pushes, pushes + 1, memory_order_release);
}

int nvtx_push(struct baton_lane *lane, const struct nvtx_text *domain, struct nvtx_name name)
{
	struct stack *stack = stack_of_mine(lane);
	if (!stack)
		return -1;
	uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
	if (depth == DEEP)
		return (int)(depth + stack->over++);
	int outer = innermost(stack, depth, domain);
	struct range *range = &stack->range[depth];

	changing(stack);
	range->level = outer < 0 ? 0 : stack->range[outer].level + 1;
	keep(range, domain, name, 0);
	atomic_store_explicit(&stack->depth, depth + 1, memory_order_release);
	return range->level;
}

/* Domains nest each for itself: a range may end before one that was pushed later. */
static void close_up(struct stack *stack, uint32_t at, uint32_t depth)
{
	changing(stack);
	for (; at + 1 < depth; at++) {
		struct range *to = &stack->range[at], *from = &stack->range[at + 1];
		atomic_store_explicit(&to->text, from->text, memory_order_release);
		atomic_store_explicit(&to->domain, from->domain, memory_order_release);
		atomic_store_explicit(&to->name, from->name, memory_order_release);
		atomic_store_explicit(&to->generation, from->generation, memory_order_release);
		atomic_store_explicit(&to->begin, from->begin, memory_order_release);
		to->level = from->level;
	}
}

int nvtx_pop(struct baton_lane *lane, const struct nvtx_text *domain, uint64_t end)
{
	struct stack *stack = stack_of_mine(lane);
	if (!stack)
		return -1;
	uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
	if (stack->over) {
		count_lost(lane);
		return (int)(depth + --stack->over);
	}
	int at = innermost(stack, depth, domain);
	if (at < 0)
		return -1;
	int level = stack->range[at].level;
	write_range(lane, &stack->range[at], BATON_RANGE_NVTX, end);
	if ((uint32_t)at + 1 < depth)
		close_up(stack, (uint32_t)at, depth);
	atomic_store_explicit(&stack->depth, depth - 1, memory_order_release);
	return level;
}

/* ---- start and end ---- */

static struct {
	_Atomic uint64_t id; /* 0: free, or being filled */
	_Atomic uint32_t next;
	struct range range;
} started[STARTED];
static _Atomic uint64_t free_list; /* changes << 32 | place + 1; 0 in the low half: empty */
static _Atomic uint32_t ever_used;
static _Atomic uint64_t serial;

/* A place nobody has, STARTED when there is none. */
static uint32_t take(void)
{
	uint64_t head = atomic_load_explicit(&free_list, memory_order_acquire);
	while ((uint32_t)head) {
		uint32_t at = (uint32_t)head - 1;
		uint64_t after = atomic_load_explicit(&started[at].next, memory_order_relaxed) |
						 ((head >> 32) + 1) << 32;
		if (atomic_compare_exchange_weak_explicit(&free_list, &head, after, memory_order_acquire,
												  memory_order_acquire))
			return at;
	}
	uint32_t fresh = atomic_load_explicit(&ever_used, memory_order_relaxed);
	while (fresh < STARTED && !atomic_compare_exchange_weak(&ever_used, &fresh, fresh + 1))
		;
	return fresh;
}

static void give_back(uint32_t at)
{
	uint64_t head = atomic_load_explicit(&free_list, memory_order_relaxed), after;
	do {
		atomic_store_explicit(&started[at].next, (uint32_t)head, memory_order_relaxed);
		after = (at + 1) | ((head >> 32) + 1) << 32;
	} while (!atomic_compare_exchange_weak_explicit(&free_list, &head, after, memory_order_release,
													memory_order_relaxed));
}

uint64_t nvtx_start(struct baton_lane *lane, const struct nvtx_text *domain, struct nvtx_name name)
{
	uint32_t at = take();
	uint64_t id = (atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1) << INDEX_BITS;

	if (at == STARTED) { /* an id that no place has */
		count_lost(lane);
		return id | STARTED;
	}
	keep(&started[at].range, domain, name, lane ? lane_own(lane)->thread : 0);
	atomic_store_explicit(&started[at].id, id | at, memory_order_release);
	return id | at;
}

void nvtx_end(struct baton_lane *lane, uint64_t id, uint64_t end)
{
	uint32_t at = (uint32_t)id & STARTED;
	uint64_t here = id;
	if (at == STARTED || !id || atomic_load(&started[at].id) != id)
		return;
	struct baton_slot slot;
	bool ours = slot_of(&started[at].range, BATON_RANGE_NVTX_SPAN, &slot);
	if (!atomic_compare_exchange_strong(&started[at].id, &here, 0))
		return; /* ended twice at once */
	give_back(at);
	if (ours)
		put_range(lane, &slot, end);
}

/* ---- what never ended ---- */

struct closing {
	uint64_t ticks;
	nvtx_unclosed unclosed;
	void *who;
};

static void tell(const struct closing *to, uint32_t thread, struct baton_slot *slot)
{
	slot->end = to->ticks;
	slot->stack = 1;
	to->unclosed(to->who, thread, slot);
}

/* Once more when its owner pushed meanwhile; a thread that never stops keeps its ranges. */
static void close_stack(struct stack *stack, const struct closing *to)
{
	struct baton_slot slots[DEEP];
	for (unsigned tries = 0; tries < 16; tries++) {
		uint64_t before = atomic_load_explicit(&stack->pushes, memory_order_acquire);
		uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_acquire), n = 0;
		for (uint32_t i = 0; i < depth; i++)
			n += slot_of(&stack->range[i], BATON_RANGE_NVTX, &slots[n]);
		if (atomic_load_explicit(&stack->pushes, memory_order_acquire) != before)
			continue;
		uint32_t thread = atomic_load_explicit(&stack->thread, memory_order_relaxed);
		for (uint32_t i = 0; i < n; i++)
			tell(to, thread, &slots[i]);
		return;
	}
}

static void close_started(const struct closing *to)
{
	uint32_t used = atomic_load(&ever_used);
	for (uint32_t i = 0; i < used; i++) {
		struct range *range = &started[i].range;
		struct baton_slot slot;
		uint64_t id = atomic_load_explicit(&started[i].id, memory_order_acquire);
		bool ours = id && slot_of(range, BATON_RANGE_NVTX_SPAN, &slot);
		uint32_t thread = atomic_load_explicit(&range->thread, memory_order_acquire);
		if (ours && atomic_load_explicit(&started[i].id, memory_order_acquire) == id)
			tell(to, thread, &slot);
	}
}

void nvtx_close(uint64_t ticks, nvtx_unclosed unclosed, void *who)
{
	struct closing to = {ticks, unclosed, who};
	struct perthread_block *block = atomic_load_explicit(&stacks.all, memory_order_acquire);
	for (; block; block = block->next)
		if (atomic_load_explicit(&block->holder, memory_order_acquire))
			close_stack((struct stack *)block, &to);
	close_started(&to);
}

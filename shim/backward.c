#include "backward.h"

#include "caller.h"
#include "config.h"
#include "guard.h"
#include "lane.h"
#include "message.h"
#include "stacks.h"

#include <stdatomic.h>
#include <string.h>

#define COLD __attribute__((noinline, cold))

/* ---- what is forwarded to ---- */

static struct {
	_Atomic(void *) number, evaluate, thread;
} torch;

static void *find(_Atomic(void *) *slot, struct caller_target *target, const char *name,
				  const void *caller)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire);
	if (!found && (found = caller_find(target, name, NULL, caller)) != NULL)
		atomic_store_explicit(slot, found, memory_order_release);
	return found;
}

static COLD void find_all(const void *caller)
{
	static struct caller_target number, evaluate, thread;
	static atomic_flag said = ATOMIC_FLAG_INIT;
	int saved_errno = errno;
	void *there =
		find(&torch.number, &number, "_ZN2at15sequence_number17get_and_incrementEv", caller);
	void *evaluated =
		find(&torch.evaluate, &evaluate,
			 "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEE"
			 "PNS0_4NodeERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE",
			 caller);
	void *threads =
		find(&torch.thread, &thread, "_ZN2at14RecordFunction15currentThreadIdEv", caller);
	if (there && (!evaluated || !threads) && !atomic_flag_test_and_set(&said))
		message_detail("this PyTorch's autograd is not known: what backward launches has no line "
					   "of the forward code");
	errno = saved_errno;
}

/* ---- numbers and the stacks they were given out with ---- */

/* A number's entry is its check (32 bits) and the place of its stack; a later number takes it. */
enum { NUMBERS = 1 << 16 };
static _Atomic uint64_t numbers[NUMBERS];

static SHIM_TLS uint64_t torch_thread; /* as nodes have it; 0: not asked for yet */

static inline uint64_t number_hash(uint64_t thread, uint64_t number)
{
	uint64_t hash =
		(number + 1) * 0x9e3779b97f4a7c15u ^ (thread + lane_generation) * 0xd6e8feb86659fd93u;
	return (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
}

/* Neighbours stand side by side: a backward reads them in turn. */
static inline _Atomic uint64_t *number_entry(uint64_t thread, uint64_t number)
{
	return &numbers[(number + thread * 40503) % NUMBERS];
}

static void number_put(uint64_t thread, uint64_t number, uint32_t place)
{
	uint64_t check = number_hash(thread, number) >> 32 << 32;
	atomic_store_explicit(number_entry(thread, number), place ? check | place : 0,
						  memory_order_release);
}

static inline uint32_t number_get(uint64_t thread, uint64_t number)
{
	uint64_t entry = atomic_load_explicit(number_entry(thread, number), memory_order_acquire);
	return entry >> 32 == number_hash(thread, number) >> 32 ? (uint32_t)entry : 0;
}

static void remember(uint64_t number)
{
	int saved_errno;
	if (!guard_enter(&saved_errno))
		return;
	if (SHIM_UNLIKELY(!torch_thread)) {
		uint64_t (*thread)(void) = (uint64_t(*)(void))atomic_load(&torch.thread);
		torch_thread = thread ? thread() : 0;
	}
	if (torch_thread)
		number_put(torch_thread, number, stack_remember());
	guard_leave(saved_errno);
}

static inline bool wanted(void)
{
	return config.backward && lane_running();
}

SHIM_EXPORT uint64_t backward_number(void)
{
	if (SHIM_UNLIKELY(!atomic_load_explicit(&torch.number, memory_order_acquire)))
		find_all(__builtin_return_address(0));
	uint64_t (*real)(void) =
		(uint64_t(*)(void))atomic_load_explicit(&torch.number, memory_order_acquire);
	uint64_t number = real ? real() : 0;
	if (wanted())
		remember(number);
	return number;
}

/* ---- where a node keeps its number and the thread that it is of ---- */

/* The number, then 8 bytes each of topology and a flag, then the thread: so in 2.0 to 2.15, at an
 * offset that the base class decides. A word that is a number given out to the thread three words
 * on cannot be that by chance; two such offsets would be no proof. */
enum { FIRST = 8, LAST = 48, WORD = 8, THREAD_AFTER = 24, PROOF = 4, AMBIGUOUS = -1 };
static _Atomic int learnt; /* the offset; 0: not yet */
static _Atomic uint32_t hits[LAST / WORD + 1];

static inline uint64_t word_at(const uint8_t *node, int offset)
{
	uint64_t word;
	memcpy(&word, node + offset, sizeof(word));
	return word;
}

static COLD void learn(const uint8_t *node)
{
	int proven = 0, touched = 0;
	for (int offset = FIRST; offset <= LAST; offset += WORD) {
		_Atomic uint32_t *hit = &hits[offset / WORD];
		if (number_get(word_at(node, offset + THREAD_AFTER), word_at(node, offset)))
			atomic_fetch_add(hit, 1);
		touched += atomic_load(hit) > 0;
		if (atomic_load(hit) >= PROOF)
			proven = offset;
	}
	if (touched > 1)
		message_detail("two places in PyTorch's nodes look like their number: what backward "
					   "launches has no line of the forward code");
	if (proven || touched > 1)
		atomic_store(&learnt, touched > 1 ? AMBIGUOUS : proven);
}

/* ---- evaluation ---- */

static SHIM_TLS struct evaluation {
	struct evaluation *outer;
	uint32_t forward;    /* of the node that runs */
	uint32_t generation; /* of the process that began it */
} * evaluation;

static SHIM_TLS uint32_t last_forward; /* of this thread's last node that had a number */

/* A node that only sums up a gradient has none: it belongs to the one before. */
static uint32_t forward_of(const uint8_t *node)
{
	int offset = atomic_load_explicit(&learnt, memory_order_relaxed);
	if (SHIM_UNLIKELY(offset <= 0)) {
		if (offset == 0)
			learn(node);
		return 0;
	}
	uint64_t number = word_at(node, offset);
	if (number != UINT64_MAX)
		last_forward = number_get(word_at(node, offset + THREAD_AFTER), number);
	return last_forward;
}

static _Atomic bool ran, seen; /* since backward_ran(); at all */

bool backward_ran(void)
{
	return atomic_exchange(&ran, false) || !atomic_load(&seen);
}

static void enter(struct evaluation *new, const uint8_t *node)
{
	*new = (struct evaluation){.outer = evaluation, .generation = lane_generation};
	int saved_errno;
	if (SHIM_UNLIKELY(!atomic_load_explicit(&ran, memory_order_relaxed))) {
		atomic_store(&seen, true);
		atomic_store(&ran, true);
	}
	if (wanted() && guard_enter(&saved_errno)) {
		new->forward = forward_of(node);
		guard_leave(saved_errno);
	}
	stacks_forward = new->forward;
	evaluation = new;
}

void backward_forget(void)
{
	last_forward = 0;
}

static void leave(void)
{
	evaluation = evaluation->outer;
	bool same = evaluation && evaluation->generation == lane_generation;
	stacks_forward = same ? evaluation->forward : 0;
}

/* The personality of the function below: an exception on its way through leaves the evaluation. No
 * landing pad, so nothing of a C++ or unwinding library is needed here. */
enum { UNWIND_CLEANUP_PHASE = 2, UNWIND_CONTINUE = 8 };
__attribute__((used)) static int unwound(int version, int actions, uint64_t class, void *exception,
										 void *context) __asm__("backward_unwound");
static int unwound(int version, int actions, uint64_t class, void *exception, void *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & UNWIND_CLEANUP_PHASE)
		leave();
	return UNWIND_CONTINUE;
}

SHIM_EXPORT void backward_evaluate(void *engine, struct backward_task *task, const uint8_t *node,
								   struct backward_input *input, const struct backward_queue *queue)
{
	struct evaluation here;
	__asm__ volatile(".cfi_personality 0x1b, backward_unwound"); /* PC-relative, 4 bytes, signed */
	if (SHIM_UNLIKELY(!atomic_load_explicit(&torch.evaluate, memory_order_acquire)))
		find_all(__builtin_return_address(0));
	__typeof__(&backward_evaluate) real =
		(__typeof__(real))atomic_load_explicit(&torch.evaluate, memory_order_acquire);
	if (!real)
		return;
	enter(&here, node);
	real(engine, task, node, input, queue);
	leave();
}

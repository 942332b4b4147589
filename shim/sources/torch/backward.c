#include "sources/torch/backward.h"

#include "base/caller.h"
#include "base/config.h"
#include "base/guard.h"
#include "base/message.h"
#include "base/symbols.h"
#include "ring/lane.h"
#include "ring/stack.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* ---- what is forwarded to ---- */

/* Per calling object, as everywhere; and the first one found, of the PyTorch whose nodes are
 * followed: numbers and threads of a second copy are counted anew and would be taken for its. */
struct function {
	const char *name;
	struct caller_target target;
	_Atomic(void *) first;
};

static struct function number = {.name = "_ZN2at15sequence_number17get_and_incrementEv"};
static struct function evaluate = {
	.name = "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEE"
			"PNS0_4NodeERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE"};
static struct function thread_number = {.name = "_ZN2at14RecordFunction15currentThreadIdEv"};

/* For more callers than the table holds, and for one whose scope has nothing: the first found. */
static SHIM_COLD void *find(struct function *f, const void *caller)
{
	int saved_errno = errno;
	void *first = atomic_load_explicit(&f->first, memory_order_acquire);
	bool full = atomic_load_explicit(&f->target.used, memory_order_relaxed) >= CALLERS;
	void *found = first && full ? first : caller_find(&f->target, f->name, NULL, caller);
	if (!found)
		found = first;
	if (!found)
		found = symbols_in("libtorch_cpu.so", f->name);
	if (!found)
		found = symbols_next(f->name);
	dlerror(); /* what was looked for in vain is nobody's error */
	if (!first)
		atomic_compare_exchange_strong(&f->first, &first, found);
	errno = saved_errno;
	return found;
}

static inline void *real_of(struct function *f, const void *caller)
{
	void *known = caller_known(&f->target, caller);
	return SHIM_LIKELY(known != NULL) ? known : find(f, caller);
}

static inline bool followed(struct function *f, const void *real)
{
	return real == atomic_load_explicit(&f->first, memory_order_relaxed);
}

/* With the first number: all of the same PyTorch. */
static SHIM_COLD void find_all(const void *caller)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	void *evaluated = find(&evaluate, caller), *threads = find(&thread_number, caller);
	void *there = find(&number, caller);
	if (there && (!evaluated || !threads) && !atomic_flag_test_and_set(&said))
		message_detail("this PyTorch's autograd is not known: what backward launches has no line "
					   "of the forward code");
}

static SHIM_COLD void say_missing(const char *what)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	int saved_errno = errno;
	if (!atomic_flag_test_and_set(&said))
		message("PyTorch's %s is called here and found nowhere: this job needs to run without "
				"baton",
				what);
	errno = saved_errno;
}

/* ---- numbers and the stacks they were given out with ---- */

/* A number's entry is its check (32 bits) and the place of its stack; a later number takes it. */
enum { NUMBERS = 1 << 16 };
static _Atomic uint64_t numbers[NUMBERS];

static SHIM_TLS uint64_t torch_thread; /* as nodes have it; 0: not asked for yet */

static inline uint64_t number_hash(uint64_t thread, uint64_t given)
{
	uint64_t hash =
		(given + 1) * 0x9e3779b97f4a7c15u ^ (thread + recording_generation) * 0xd6e8feb86659fd93u;
	return (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
}

/* Neighbours stand side by side: a backward reads them in turn. */
static inline _Atomic uint64_t *number_entry(uint64_t thread, uint64_t given)
{
	return &numbers[(given + thread * 40503) % NUMBERS];
}

static void number_put(uint64_t thread, uint64_t given, uint32_t place)
{
	uint64_t check = number_hash(thread, given) >> 32 << 32;
	atomic_store_explicit(number_entry(thread, given), place ? check | place : 0,
						  memory_order_release);
}

static inline uint32_t number_get(uint64_t thread, uint64_t given)
{
	uint64_t entry = atomic_load_explicit(number_entry(thread, given), memory_order_acquire);
	return entry >> 32 == number_hash(thread, given) >> 32 ? (uint32_t)entry : 0;
}

static void remember(uint64_t given)
{
	int saved_errno;
	if (!guard_enter(&saved_errno))
		return;
	if (SHIM_UNLIKELY(!torch_thread)) {
		uint64_t (*thread)(void) = (uint64_t(*)(void))atomic_load(&thread_number.first);
		torch_thread = thread ? thread() : 0;
	}
	if (torch_thread)
		number_put(torch_thread, given, stack_remember());
	guard_leave(saved_errno);
}

static inline bool wanted(void)
{
	return config.backward && recording_is_open();
}

SHIM_EXPORT uint64_t backward_number(void)
{
	const void *caller = __builtin_return_address(0);
	if (SHIM_UNLIKELY(!atomic_load_explicit(&number.first, memory_order_acquire)))
		find_all(caller);
	uint64_t (*real)(void) = (uint64_t(*)(void))real_of(&number, caller);
	if (SHIM_UNLIKELY(!real))
		say_missing("numbering of nodes");
	uint64_t given = real ? real() : 0;
	if (wanted() && followed(&number, (void *)real))
		remember(given);
	return given;
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

static SHIM_COLD void learn(const uint8_t *node)
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
	uint64_t given = word_at(node, offset);
	if (given != UINT64_MAX)
		last_forward = number_get(word_at(node, offset + THREAD_AFTER), given);
	return last_forward;
}

static _Atomic bool ran, seen; /* since backward_ran(); at all */

bool backward_ran(void)
{
	return atomic_exchange(&ran, false) || !atomic_load(&seen);
}

/* node: NULL when it is not one of those that are followed. */
static void enter(struct evaluation *new, const uint8_t *node)
{
	*new = (struct evaluation){.outer = evaluation, .generation = recording_generation};
	int saved_errno;
	if (SHIM_UNLIKELY(!atomic_load_explicit(&ran, memory_order_relaxed))) {
		atomic_store(&seen, true);
		atomic_store(&ran, true);
	}
	if (node && wanted() && guard_enter(&saved_errno)) {
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
	bool same = evaluation && evaluation->generation == recording_generation;
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
	__typeof__(&backward_evaluate) real =
		(__typeof__(real))real_of(&evaluate, __builtin_return_address(0));
	if (SHIM_UNLIKELY(!real)) {
		say_missing("evaluation of nodes");
		return;
	}
	enter(&here, followed(&evaluate, (void *)real) ? node : NULL);
	real(engine, task, node, input, queue);
	leave();
}

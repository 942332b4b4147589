#include "sources/stacks/stacks.h"

#include "base/idcache.h"
#include "base/memory.h"
#include "base/message.h"
#include "ring/dict.h"
#include "ring/stack.h"
#include "sources/stacks/interpreter.h"
#include "sources/stacks/native.h"
#include "sources/stacks/python.h"
#include "sources/stacks/python_hash.h"
#include "sources/stacks/python_outside.h"

#include <baton/format.h>

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { FRAMES = 2 * PYTHON_FRAMES + NATIVE_FRAMES + 1, SCRATCHES = 32 };

/* Room to put a new stack together in: too much for the stack of a thread of the job. */
struct scratch {
	struct baton_frame python[PYTHON_FRAMES], native[NATIVE_FRAMES], out[FRAMES];
	struct module_place places[NATIVE_FRAMES];
	void *addresses[NATIVE_FRAMES];
	uint8_t roles[NATIVE_FRAMES];
	bool last_of_loop[PYTHON_FRAMES];
	char text[PYTHON_TEXT_BYTES];
	unsigned n_python, n_native, n_out;
};

static struct scratch scratches[SCRATCHES];
static _Atomic uint32_t scratches_used; /* a bit each */

static _Atomic int mode;
static struct idcache seen;   /* what a launch is known by -> stack id */
static struct idcache stacks; /* content -> stack id */
static struct idcache places; /* content, and what a remembered stack is known by -> its place */

static unsigned sampled; /* new ones: a thread that computes stands somewhere else each time */

SHIM_TLS uint32_t stacks_forward;

static struct scratch *scratch_take(void)
{
	uint32_t used = atomic_load_explicit(&scratches_used, memory_order_relaxed);
	while (~used) {
		unsigned i = (unsigned)__builtin_ctz(~used);
		if (atomic_compare_exchange_weak_explicit(&scratches_used, &used, used | 1u << i,
												  memory_order_acquire, memory_order_relaxed))
			return &scratches[i];
	}
	return NULL; /* as many threads as that see something new at once: next time */
}

static void scratch_give(const struct scratch *scratch)
{
	atomic_fetch_and_explicit(&scratches_used, ~(1u << (scratch - scratches)),
							  memory_order_release);
}

/* ---- merging: native frames with Python's in the place of the interpreter's ---- */

static void out_put(struct scratch *s, struct baton_frame frame)
{
	if (s->n_out < FRAMES)
		s->out[s->n_out++] = frame;
}

/* The Python frames that one call of the interpreter's loop runs, from *at on. */
static void out_loop(struct scratch *s, unsigned *at)
{
	while (*at < s->n_python) {
		out_put(s, s->python[*at]);
		if (s->last_of_loop[(*at)++])
			return;
	}
}

/* Does every call of the loop among the native frames have its Python frames? Not when a walk was
 * cut short, or a compiler has moved part of the loop elsewhere. */
static bool loops_match(const struct scratch *s)
{
	unsigned native = 0, python = 0;
	for (unsigned i = 0; i < s->n_native; i++)
		native += s->roles[i] == NATIVE_LOOP;
	for (unsigned i = 0; i < s->n_python; i++)
		python += s->last_of_loop[i];
	return native == python && s->n_python < PYTHON_FRAMES && s->n_native < NATIVE_FRAMES;
}

/* Innermost first; the shim's own frames and the interpreter's machinery are left out. When the
 * two walks do not fit, Python's frames stand where the interpreter is first met. */
static void merge(struct scratch *s)
{
	unsigned python = 0;
	bool match = loops_match(s);
	for (unsigned i = 0; i < s->n_native; i++) {
		uint8_t role = s->roles[i];
		if (role == NATIVE_SHIM)
			continue;
		if (!s->n_python || role == NATIVE_OTHER)
			out_put(s, s->native[i]);
		else if (match && role == NATIVE_LOOP)
			out_loop(s, &python);
		while (!match && role != NATIVE_OTHER && python < s->n_python)
			out_put(s, s->python[python++]);
	}
	while (python < s->n_python)
		out_put(s, s->python[python++]);
}

/* The frames of the forward code, after those of the thread that runs its backward. */
static void append_forward(struct scratch *s)
{
	const struct baton_r_stack *forward = dict_at(stacks_forward);
	if (!forward || forward->head.type != BATON_R_STACK)
		return;
	const struct baton_frame *frames = (const struct baton_frame *)(forward + 1);
	out_put(s, (struct baton_frame){.kind = BATON_FRAME_BACKWARD});
	for (uint32_t i = 0; i < forward->frames && i < FRAMES; i++)
		out_put(s, frames[i]);
}

static _Atomic int said_native, said_python;

static void say_once(_Atomic int *said, const char *why)
{
	static const char before[] = "baton: ", after[] = "; this kind of stack is not recorded\n";
	char line[256];
	if (!why || atomic_load_explicit(said, memory_order_relaxed))
		return;
	size_t bytes = strlen(why);
	if (bytes > sizeof(line) - sizeof(before) - sizeof(after) || atomic_exchange(said, 1))
		return;
	memcpy(line, before, sizeof(before) - 1);
	memcpy(line + sizeof(before) - 1, why, bytes);
	memcpy(line + sizeof(before) - 1 + bytes, after, sizeof(after) - 1);
	message_write(line, sizeof(before) + bytes + sizeof(after) - 2);
}

/* ---- first sight ---- */

/* A stack record: its id, and where it lies. */
struct written {
	uint32_t id, place;
};

static struct written stack_write(const struct baton_frame *frames, unsigned n)
{
	size_t bytes = sizeof(struct baton_r_stack) + n * sizeof(*frames);
	struct baton_r_stack *record = dict_reserve_stack(bytes);
	if (!record)
		return (struct written){0};
	struct written written = {dict_id(), dict_place(record)};
	record->id = written.id;
	record->frames = n;
	memcpy(record + 1, frames, n * sizeof(*frames));
	dict_publish(record, BATON_R_STACK, bytes);
	return written;
}

static struct written stack_intern(struct scratch *s, bool with_python, unsigned n_native)
{
	size_t loop_bytes = 0;
	s->n_out = 0;
	s->n_native = n_native;
	s->n_python = with_python ? python_frames(s->python, s->last_of_loop, s->text) : 0;
	if (n_native) {
		const void *loop = python_loop(&loop_bytes);
		native_frames(s->addresses, n_native, loop, loop_bytes, s->places, s->native, s->roles);
	}
	merge(s);
	if (stacks_forward)
		append_forward(s);
	if (!s->n_out)
		return (struct written){0};
	uint64_t hash = XXH3_64bits(s->out, s->n_out * sizeof(s->out[0]));
	struct written known = {idcache_get(&stacks, hash), idcache_get(&places, hash)};
	if (known.id && known.place)
		return known;
	known = stack_write(s->out, s->n_out);
	if (known.id) {
		idcache_put(&stacks, hash, known.id);
		idcache_put(&places, hash, known.place);
	}
	return known;
}

/* A stack known by `hash` is seen for the first time (or was forgotten). addresses: its native
 * frames when they were walked already. */
static __attribute__((noinline)) uint32_t stack_first(uint64_t hash, enum stacks_mode how,
													  void *const *addresses, unsigned n)
{
	struct scratch *s = dict_stacks_full() ? NULL : scratch_take();
	if (!s)
		return 0;
	if (addresses)
		memcpy(s->addresses, addresses, n * sizeof(*addresses));
	else if (how != STACKS_PYTHON)
		n = native_walk(s->addresses);
	uint32_t id = stack_intern(s, how != STACKS_NATIVE, n).id;
	scratch_give(s);
	if (id)
		idcache_put(&seen, hash, id);
	return id;
}

/* ---- the launch path ---- */

static __attribute__((noinline)) uint32_t stack_native(enum stacks_mode how)
{
	void *addresses[NATIVE_FRAMES];
	if (SHIM_UNLIKELY(!memory_size->stacks) && dict_stacks_full()) /* nothing is walked */
		return 0;
	unsigned n = native_walk(addresses);
	if (!n && !stacks_forward)
		return 0;
	uint64_t hash = XXH3_64bits_withSeed(addresses, n * sizeof(*addresses),
										 (uint64_t)stacks_forward << 8 | STACKS_NATIVE);
	uint32_t id = idcache_get(&seen, hash);
	return id ? id : stack_first(hash, how, addresses, n);
}

/* With both kinds native frames are walked when the Python frames, the site and the depth of the
 * native stack are new together; a thread without Python frames has nothing cheaper to go by than
 * its native frames. */
uint32_t stack_at(const void *site)
{
	uint64_t hash = 0;
	enum stacks_mode how = (enum stacks_mode)atomic_load_explicit(&mode, memory_order_relaxed);
	if (how == STACKS_OFF)
		return 0;
	if (how == STACKS_NATIVE)
		return stack_native(how);
	if (!python_hash(&hash)) {
		say_once(&said_python, python_why_off());
		if (how == STACKS_BOTH || !stacks_forward)
			return how == STACKS_BOTH ? stack_native(how) : 0;
	}
	if (how == STACKS_BOTH) {
		hash = python_fold(hash, (uintptr_t)site);
		hash = python_fold(hash, (uintptr_t)__builtin_frame_address(0));
	}
	if (SHIM_UNLIKELY(stacks_forward))
		hash = python_fold(hash, ~(uint64_t)stacks_forward);
	uint32_t id = idcache_get(&seen, hash);
	return id ? id : stack_first(hash, how, NULL, 0);
}

__attribute__((noinline)) uint32_t stack_here(void)
{
	return stack_at(__builtin_return_address(0));
}

/* ---- a stack to be used later ---- */

/* Known by its hash like a launch's, but by a place instead of an id. */
static __attribute__((noinline)) uint32_t place_first(uint64_t hash)
{
	struct scratch *s = dict_stacks_full() ? NULL : scratch_take();
	if (!s)
		return 0;
	uint32_t place = stack_intern(s, true, 0).place;
	scratch_give(s);
	if (place)
		idcache_put(&places, hash, place);
	return place;
}

uint32_t stack_remember(void)
{
	enum { SEED = 'r' };
	uint64_t hash;
	int how = atomic_load_explicit(&mode, memory_order_relaxed);
	if (how != STACKS_PYTHON && how != STACKS_BOTH)
		return 0;
	if (!python_hash(&hash))
		return stacks_forward;
	hash = python_fold(hash, (uint64_t)stacks_forward << 8 | SEED);
	uint32_t place = idcache_get(&places, hash);
	return place ? place : place_first(hash);
}

/* ---- from outside ---- */

const void *stack_thread(void)
{
	int how = atomic_load_explicit(&mode, memory_order_relaxed);
	return how == STACKS_PYTHON || how == STACKS_BOTH ? python_this_thread() : NULL;
}

uint32_t stack_of(const void *thread, uint64_t owner)
{
	struct scratch *s = thread ? scratch_take() : NULL;
	if (!s)
		return 0;
	unsigned n = python_frames_outside(thread, owner, s->python, s->text);
	uint64_t hash = XXH3_64bits(s->python, n * sizeof(s->python[0]));
	uint32_t id = n ? idcache_get(&stacks, hash) : 0;
	if (n && !id && sampled < STACKS_SAMPLED) {
		id = stack_write(s->python, n).id;
		if (id)
			idcache_put(&stacks, hash, id);
		sampled++;
	}
	scratch_give(s);
	return id;
}

/* ---- opening ---- */

const char *stacks_why_off(void)
{
	const char *native_why = native_why_off();
	return native_why ? native_why : python_why_off();
}

/* The child has one thread; what others were in the middle of is over. */
void stacks_forget(void)
{
	idcache_epoch += 0x9e3779b97f4a7c15u;
	atomic_store(&scratches_used, 0);
	stacks_forward = 0;
	sampled = 0;
	modules_forget();
}

void stacks_open(enum stacks_mode asked)
{
	bool python = asked == STACKS_PYTHON || asked == STACKS_BOTH;
	bool native = asked == STACKS_NATIVE || asked == STACKS_BOTH;
	if (python) {
		python_open();
		say_once(&said_python, python_why_off());
	}
	if (native && memory_size->stacks) {
		native_open();
		say_once(&said_native, native_why_off());
		native = native_ready();
	}
	atomic_store(&mode, python && native ? STACKS_BOTH
						: python         ? STACKS_PYTHON
						: native         ? STACKS_NATIVE
										 : STACKS_OFF);
}

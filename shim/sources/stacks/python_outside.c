#include "sources/stacks/python_outside.h"

#include "sources/stacks/interpreter.h"
#include "sources/stacks/python_layout.h"

#include <pthread.h>
#include <xxhash.h>

enum { STATE_BYTES = 256, STR_BYTES = 96 + 4 * PYTHON_TEXT_BYTES };
/* A thread that runs takes down what is walked: looks where all its frames stay, and else. */
enum { LOOKS = 4, RUNNING_LOOKS = 16 };

/* A frame as it was met. */
struct met {
	const uint8_t *frame, *code;
	int64_t offset;
};

/* Copies of what a code object refers to. */
static struct copies {
	uint8_t code[CODE_BYTES], again[CODE_BYTES];
	uint8_t file[STR_BYTES], function[STR_BYTES];
	uint8_t table[PYTHON_TABLE_BYTES];
} copies;

/* thread_id of a PyThreadState stands elsewhere in each release: where this thread's number is. */
static void find_owner(const uint8_t *thread)
{
	uint8_t state[STATE_BYTES];
	if (atomic_load(&python.owner_at) || !python_read_safely(thread, state, sizeof(state)))
		return;
	for (uint32_t at = 8; at < STATE_BYTES; at += 8)
		if (load64(state + at) == (uint64_t)pthread_self()) {
			atomic_store(&python.owner_at, at);
			return;
		}
}

const void *python_this_thread(void)
{
	int state = atomic_load_explicit(&python.state, memory_order_acquire);
	bool usable = state == PYTHON_UNPROVEN || state == PYTHON_PROVEN;
	const void *thread = usable && !python.is_finalizing() ? python.thread_state() : NULL;
	if (thread)
		find_owner(thread);
	return thread;
}

static bool read_pointer(const uint8_t *from, const uint8_t **value)
{
	return python_read_safely(from, value, sizeof(*value));
}

static bool is_of(const uint8_t *thread, uint64_t owner)
{
	uint64_t found;
	uint32_t at = atomic_load(&python.owner_at);
	return at && python_read_safely(thread + at, &found, sizeof(found)) && found == owner;
}

static bool is_a(const uint8_t *object, const void *type)
{
	const uint8_t *found;
	return plausible(object) && read_pointer(object + OBJECT_TYPE, &found) && found == type;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t frame_bytes(const struct layout *l)
{
	size_t bytes = most(most(l->back, l->code), l->at) + 8;
	return most(bytes, (size_t)l->owner + 1);
}

static size_t code_bytes(const struct layout *l)
{
	size_t bytes = most(most(l->file, l->name), most(l->qualname, l->line_table)) + 8;
	return most(bytes, (size_t)l->first_line + 4);
}

/* The whole chain down to the outermost frame, or nothing. */
static unsigned walk(const uint8_t *thread, struct met met[PYTHON_FRAMES])
{
	const struct layout *l = &python.layout;
	uint8_t frame[FRAME_BYTES];
	unsigned n = 0;
	const uint8_t *at;
	bool good = read_pointer(thread + l->tstate_frame, &at);
	if (good && l->cframe_frame >= 0)
		good = plausible(at) && read_pointer(at + l->cframe_frame, &at);
	for (unsigned steps = 0; good && at; steps++) {
		if (steps == STEPS || !plausible(at) || !python_read_safely(at, frame, frame_bytes(l)))
			return 0;
		struct met now = {.frame = at, .code = load_pointer(frame + l->code)};
		at = load_pointer(frame + l->back);
		if (begins_loop(l, frame) || !plausible(now.code))
			continue;
		if (l->lasti_bytes)
			now.offset = (int64_t)(int32_t)load32(frame + l->at) * l->lasti_bytes;
		else
			now.offset = load_pointer(frame + l->at) - now.code - l->instructions;
		if (now.offset < 0) /* it has not begun to run */
			continue;
		if (n == PYTHON_FRAMES || !is_a(now.code, python.code_type))
			return 0;
		met[n++] = now;
	}
	return good ? n : 0;
}

/* In the same call; where it stands in its code may change, in a loop that calls nothing. */
static bool same(const struct met *a, const struct met *b)
{
	return a->frame == b->frame && a->code == b->code;
}

/* How many frames, from the outermost in, are the same. */
static unsigned standing(const struct met *a, unsigned n_a, const struct met *b, unsigned n_b)
{
	unsigned n = 0;
	while (n < n_a && n < n_b && same(&a[n_a - 1 - n], &b[n_b - 1 - n]))
		n++;
	return n;
}

/* How many frames, from the outermost in, all looks have in common; *n of `first`, the look that the
 * others are compared with. A look at a thread that runs may find half of a change: a generator that
 * stops has no caller any more. Such a short one says nothing. */
static unsigned look_often(const uint8_t *thread, struct met first[PYTHON_FRAMES], unsigned *n)
{
	static struct met other[PYTHON_FRAMES];
	unsigned common = 0, agreed = 0;
	*n = 0;
	for (int look = 0, looks = LOOKS; look < looks && (*n || look < LOOKS); look++) {
		unsigned n_other = walk(thread, other), same = standing(first, *n, other, n_other);
		if (!same && n_other > *n) {
			looks = *n ? RUNNING_LOOKS : looks;
			memcpy(first, other, n_other * sizeof(other[0]));
			*n = common = n_other;
			agreed = 0;
			continue;
		}
		if (same < *n || same < n_other)
			looks = RUNNING_LOOKS;
		if (!same)
			continue;
		common = same < common ? same : common;
		agreed++;
	}
	return agreed >= LOOKS - 1 ? common : 0;
}

/* A str, whole, into room; false: none that is compact and short enough. */
static bool copy_str(const uint8_t *object, uint8_t room[STR_BYTES])
{
	const struct layout *l = &python.layout;
	uint8_t head[STR_STATE + 4];
	if (!is_a(object, python.str_type) || !python_read_safely(object, head, sizeof(head)))
		return false;
	uint32_t state = load32(head + STR_STATE);
	unsigned kind = state >> 2 & 7;
	uint64_t length = load64(head + OBJECT_SIZE);
	bool compact = state & 1u << 5, ascii = state & 1u << 6;
	if (!compact || (kind != 1 && kind != 2 && kind != 4) || length > PYTHON_TEXT_BYTES)
		return false;
	size_t bytes = (ascii ? l->ascii : l->wide) + (size_t)length * kind;
	if (bytes < sizeof(head) || bytes > STR_BYTES || !python_read_safely(object, room, bytes))
		return false;
	/* it may have become another one meanwhile, whose text lies elsewhere or is longer */
	return memcmp(room + OBJECT_SIZE, head + OBJECT_SIZE, 8) == 0 &&
		   memcmp(room + STR_STATE, head + STR_STATE, 4) == 0;
}

static bool copy_table(const uint8_t *object, uint32_t *bytes)
{
	uint64_t size;
	if (!is_a(object, python.bytes_type) ||
		!python_read_safely(object + OBJECT_SIZE, &size, sizeof(size)) || size > 1u << 30)
		return false;
	*bytes = size <= sizeof(copies.table) ? (uint32_t)size : 0;
	return !*bytes || python_read_safely(object + BYTES_DATA, copies.table, *bytes);
}

/* Is the frame still that of the code object, and the object what was copied? */
static bool still(const struct met *met)
{
	const struct layout *l = &python.layout;
	const uint8_t *code;
	return read_pointer(met->frame + l->code, &code) && code == met->code &&
		   python_read_safely(met->code, copies.again, code_bytes(l)) &&
		   memcmp(copies.code + OBJECT_TYPE, copies.again + OBJECT_TYPE,
				  code_bytes(l) - OBJECT_TYPE) == 0;
}

static uint32_t intern(const struct met *met, char text[PYTHON_TEXT_BYTES])
{
	const struct layout *l = &python.layout;
	struct baton_r_code head = {.first_line = (int32_t)load32(copies.code + l->first_line),
								.python = python.version};
	const uint8_t *function = load_pointer(copies.code + (l->qualname ? l->qualname : l->name));
	if (!copy_str(load_pointer(copies.code + l->file), copies.file) ||
		!copy_str(function, copies.function) ||
		!copy_table(load_pointer(copies.code + l->line_table), &head.bytes) || !still(met))
		return 0;
	head.file = python_str_id(copies.file, text);
	head.function = python_str_id(copies.function, text);
	return python_code_intern(&head, copies.table);
}

static uint32_t code_of(const struct met *met, char text[PYTHON_TEXT_BYTES])
{
	enum { SEED = 'o' };
	const struct layout *l = &python.layout;
	uint64_t words[6] = {(uintptr_t)met->code};
	if (!python_read_safely(met->code, copies.code, code_bytes(l)))
		return 0;
	words[1] = load32(copies.code + l->first_line);
	words[2] = load64(copies.code + l->file);
	words[3] = load64(copies.code + l->name);
	words[4] = load64(copies.code + l->qualname);
	words[5] = load64(copies.code + l->line_table);
	uint64_t hash = XXH3_64bits_withSeed(words, sizeof(words), SEED);
	uint32_t id = python_code_known(hash);
	if (id)
		return id;
	id = intern(met, text);
	python_code_know(hash, id);
	return id;
}

unsigned python_frames_outside(const void *thread, uint64_t owner,
							   struct baton_frame frames[PYTHON_FRAMES],
							   char text[PYTHON_TEXT_BYTES])
{
	static struct met first[PYTHON_FRAMES];
	unsigned n_first;
	if (!thread || atomic_load_explicit(&python.state, memory_order_acquire) != PYTHON_PROVEN ||
		python.is_finalizing())
		return 0;
	unsigned n = look_often(thread, first, &n_first);
	if (!is_of(thread, owner))
		return 0;
	const struct met *inner = &first[n_first - n];
	for (unsigned i = 0; i < n; i++) {
		uint32_t code = code_of(&inner[i], text);
		if (!code)
			return 0;
		frames[i] = (struct baton_frame){BATON_FRAME_PYTHON, code, (uint64_t)inner[i].offset};
	}
	return n;
}

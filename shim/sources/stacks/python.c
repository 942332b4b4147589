#include "sources/stacks/python.h"

#include "base/guard.h"
#include "sources/stacks/interpreter.h"
#include "sources/stacks/python_layout.h"

#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

/* ---- the walk ---- */

struct walk {
	const uint8_t *frame; /* the next one to look at; NULL: none */
	const uint8_t *code;
	int64_t offset;
	bool last_of_loop;
	unsigned steps;
};

/* The newest frame of this thread. */
static inline bool walk_begin(struct walk *w)
{
	const struct layout *l = &python.layout;
	if (python.is_finalizing())
		return false;
	const uint8_t *at = python.thread_state();
	if (!plausible(at))
		return false;
	at = load_pointer(at + l->tstate_frame);
	if (l->cframe_frame >= 0)
		at = plausible(at) ? load_pointer(at + l->cframe_frame) : NULL;
	*w = (struct walk){.frame = at};
	return plausible(at);
}

/* Steps to the next frame that has begun to run. */
static inline bool walk_next(struct walk *w)
{
	const struct layout *l = &python.layout;
	for (; plausible(w->frame) && w->steps < STEPS; w->steps++) {
		const uint8_t *frame = w->frame;
		w->frame = load_pointer(frame + l->back);
		if (begins_loop(l, frame))
			continue;
		w->code = load_pointer(frame + l->code);
		if (!plausible(w->code))
			continue;
		if (l->lasti_bytes)
			w->offset = (int64_t)(int32_t)load32(frame + l->at) * l->lasti_bytes;
		else
			w->offset = load_pointer(frame + l->at) - w->code - l->instructions;
		if (w->offset < 0)
			continue;
		if (l->lasti_bytes)
			w->last_of_loop = true;
		else if (l->entry)
			w->last_of_loop = frame[l->entry] != 0;
		else
			w->last_of_loop = !plausible(w->frame) || begins_loop(l, w->frame);
		w->steps++;
		return true;
	}
	return false;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t turn(uint64_t value)
{
	return value << 29 | value >> 35;
}

static const uint64_t salt[2] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull};

/* Code that the program made ("<string>", "<eval_with_key>.3"): its addresses are used again at
 * once, by code of the same name and size. All of its line table counts then, and its file's name.
 */
static __attribute__((noinline)) uint64_t made_word(const uint8_t *file, const uint8_t *table)
{
	enum { END = 512, NAME = 64 };
	uint64_t size = load64(table + OBJECT_SIZE), length = load64(file + OBJECT_SIZE);
	bool plain = (load32(file + STR_STATE) & 3u << 5) == 3u << 5; /* compact, ascii */
	const uint8_t *name = file + python.layout.ascii, *lines = table + BYTES_DATA;
	uint64_t word = plain ? XXH3_64bits(name, length < NAME ? length : NAME) : 0;
	if (size <= 2 * END)
		return word ^ turn(XXH3_64bits(lines, size));
	return word ^ turn(XXH3_64bits(lines, END) ^ turn(XXH3_64bits(lines + size - END, END)));
}

/* A file's name that stands for no file, except for code that is part of the interpreter, which
 * lives as long ("<frozen runpy>": two frames of each `python -m`). */
static inline bool is_made(const uint8_t *file)
{
	const char *name = (const char *)file + python.layout.ascii;
	return SHIM_UNLIKELY(name[0] == '<') && strncmp(name, "<frozen ", 8) != 0;
}

/* What stands for a code object. Its address does not: objects die and others are made in the same
 * place. 3.12 and 3.13 number them. Elsewhere it takes a look at what the object refers to; code of
 * a file is hardly ever dropped, and hardly for other code of that name, line and size. */
static inline uint64_t code_word(const uint8_t *code, uint64_t offset)
{
	const struct layout *l = &python.layout;
	uint64_t where = offset << 32 | load32(code + l->first_line);
	uint64_t object = (uint64_t)(uintptr_t)code;
	uint64_t number = l->version ? load32(code + l->version) : 0;
	if (SHIM_LIKELY(number))
		return mix(object ^ salt[0] ^ number << 40, where ^ salt[1] ^ turn(number));
	const uint8_t *name = load_pointer(code + l->name), *table = load_pointer(code + l->line_table),
				  *file = load_pointer(code + l->file);
	uint64_t size = load64(table + OBJECT_SIZE);
	uint64_t ends = load64(table + BYTES_DATA - 8 + size) ^ size << 40;
	object ^= turn((uint64_t)(uintptr_t)table ^ turn((uint64_t)(uintptr_t)file));
	where ^= load64(name + STR_HASH) ^ turn(ends);
	if (is_made(file))
		where ^= made_word(file, table);
	return mix(object ^ salt[0], where ^ salt[1]);
}

static bool python_prove(void);

unsigned python_words(uint64_t words[PYTHON_FRAMES])
{
	struct walk w;
	unsigned n = 0;
	int state = atomic_load_explicit(&python.state, memory_order_acquire);
	if (state != PYTHON_PROVEN && (state != PYTHON_UNPROVEN || !python_prove()))
		return 0;
	if (!walk_begin(&w))
		return 0;
	while (n < PYTHON_FRAMES && walk_next(&w))
		words[n++] = code_word(w.code, (uint64_t)w.offset);
	return n;
}

/* ---- the proof: the first stack, read by the kernel, which does not fault ---- */

static bool pointer_at(const uint8_t *object, unsigned offset, const uint8_t **value)
{
	return plausible(object) && python_read_safely(object + offset, value, sizeof(*value));
}

static bool has_type(const uint8_t *object, const void *type)
{
	const uint8_t *found;
	return pointer_at(object, OBJECT_TYPE, &found) && found == type;
}

static bool code_proven(const uint8_t *code, int64_t offset)
{
	const struct layout *l = &python.layout;
	const uint8_t *file, *name, *table, *bytes = code;
	int32_t line;
	uint64_t size;
	if (!has_type(code, python.code_type) || !pointer_at(code, l->file, &file) ||
		!pointer_at(code, l->name, &name) || !pointer_at(code, l->line_table, &table))
		return false;
	if (!has_type(name, python.str_type) || !has_type(table, python.bytes_type) ||
		!plausible(file) || !python_read_safely(code + l->first_line, &line, sizeof(line)))
		return false;
	/* the instructions' size: of a bytes object up to 3.10, then in the code object itself */
	if (l->lasti_bytes && !pointer_at(code, 48, &bytes))
		return false;
	if (!plausible(bytes) || !python_read_safely(bytes + OBJECT_SIZE, &size, sizeof(size)))
		return false;
	size *= l->lasti_bytes ? 1 : 2;
	return line >= 0 && line < 1 << 28 && offset < (int64_t)size && size < 1ull << 32;
}

/* One frame through python_read_safely(); false: this is not what the layout says. */
static bool frame_proven(const uint8_t **frame, unsigned *proven)
{
	const struct layout *l = &python.layout;
	const uint8_t *back, *code, *at;
	uint8_t owner = 0;
	if (!pointer_at(*frame, l->back, &back) || !pointer_at(*frame, l->code, &code) ||
		!python_read_safely(*frame + l->at, &at, sizeof(at)) ||
		(l->owner && !python_read_safely(*frame + l->owner, &owner, 1)))
		return false;
	*frame = back;
	if (owner == OWNED_BY_C_STACK)
		return true;
	int64_t offset = l->lasti_bytes ? (int64_t)(int32_t)(uintptr_t)at * l->lasti_bytes
									: at - code - l->instructions;
	(*proven)++;
	return code_proven(code, offset);
}

/* True: believed from now on. False and still PYTHON_UNPROVEN: this thread runs no Python. */
static bool python_prove(void)
{
	const struct layout *l = &python.layout;
	const uint8_t *at = python.is_finalizing() ? NULL : python.thread_state();
	if (!at)
		return false;
	unsigned proven = 0;
	bool good = pointer_at(at, l->tstate_frame, &at);
	if (good && l->cframe_frame >= 0)
		good = pointer_at(at, (unsigned)l->cframe_frame, &at);
	for (unsigned steps = 0; good && at && steps < STEPS; steps++)
		good = frame_proven(&at, &proven);
	if (!good)
		python_off("this CPython's frames are not laid out as its version's are");
	else if (proven)
		atomic_store(&python.state, PYTHON_PROVEN);
	return good && proven;
}

/* ---- code objects, interned on first sight ---- */

static uint32_t code_intern(const uint8_t *code, char text[PYTHON_TEXT_BYTES])
{
	const struct layout *l = &python.layout;
	if (load_pointer(code + OBJECT_TYPE) != python.code_type)
		return 0;
	const uint8_t *table = load_pointer(code + l->line_table);
	uint64_t bytes = load64(table + OBJECT_SIZE);
	struct baton_r_code head = {
		.file = python_str_id(load_pointer(code + l->file), text),
		.function = python_str_id(load_pointer(code + (l->qualname ? l->qualname : l->name)), text),
		.first_line = (int32_t)load32(code + l->first_line),
		.python = python.version,
		.bytes = bytes <= PYTHON_TABLE_BYTES ? (uint32_t)bytes : 0,
	};
	return python_code_intern(&head, table + BYTES_DATA);
}

static uint32_t code_id(const uint8_t *code, char text[PYTHON_TEXT_BYTES])
{
	uint64_t hash = code_word(code, 0);
	uint32_t id = python_code_known(hash);
	if (id)
		return id;
	id = code_intern(code, text);
	python_code_know(hash, id);
	return id;
}

unsigned python_frames(struct baton_frame frames[PYTHON_FRAMES], bool last_of_loop[PYTHON_FRAMES],
					   char text[PYTHON_TEXT_BYTES])
{
	struct walk w;
	unsigned n = 0;
	if (atomic_load_explicit(&python.state, memory_order_acquire) != PYTHON_PROVEN ||
		!walk_begin(&w))
		return 0;
	for (; n < PYTHON_FRAMES && walk_next(&w); n++) {
		frames[n] =
			(struct baton_frame){BATON_FRAME_PYTHON, code_id(w.code, text), (uint64_t)w.offset};
		last_of_loop[n] = w.last_of_loop;
	}
	return n;
}

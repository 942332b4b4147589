#include "sources/stacks/python.h"

#include "sources/stacks/interpreter.h"
#include "sources/stacks/python_hash.h"
#include "sources/stacks/python_walk.h"

#include <stdatomic.h>

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

bool python_prove(void)
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
	uint64_t hash = python_code_word(code, 0);
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

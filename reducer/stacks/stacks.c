#include "stacks/stacks.h"

#include "base/room.h"
#include "read/records.h"
#include "stacks/pyline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t text_index(const struct stacks *s, uint32_t id)
{
	return id ? idmap_get(&s->trace->string_ids, id) : 0;
}

/* Copies what comes after a record; *at: where it is. */
static int keep_bytes(struct stacks *s, const void *from, size_t n, size_t *at)
{
	if (room_reach((void **)&s->bytes, &s->room, s->n_bytes + n, 1) != 0)
		return -ENOMEM;
	*at = s->n_bytes;
	memcpy(s->bytes + s->n_bytes, from, n);
	s->n_bytes += n;
	return 0;
}

static int add_module(struct stacks *s, const struct baton_r_module *r)
{
	int error = room_next((void **)&s->modules, s->n_modules, sizeof(*s->modules));
	if (!error)
		error = idmap_add(&s->module_ids, r->id, s->n_modules);
	if (error)
		return error;
	s->modules[s->n_modules++] =
		(struct stacks_module){text_index(s, r->path), text_index(s, r->build_id)};
	return 0;
}

static int add_code(struct stacks *s, const struct baton_r_code *r)
{
	struct stacks_code code = {.file = text_index(s, r->file),
							   .function = text_index(s, r->function),
							   .first_line = r->first_line,
							   .python = r->python,
							   .bytes = r->bytes};
	int error = room_next((void **)&s->codes, s->n_codes, sizeof(*s->codes));
	if (!error)
		error = keep_bytes(s, r + 1, r->bytes, &code.table);
	if (!error)
		error = idmap_add(&s->code_ids, r->id, s->n_codes);
	if (!error)
		s->codes[s->n_codes++] = code;
	return error;
}

static int add_stack(struct stacks *s, const struct baton_r_stack *r)
{
	struct stacks_stack stack = {.n = r->frames};
	int error = room_next((void **)&s->stacks, s->n_stacks, sizeof(*s->stacks));
	if (!error)
		error = keep_bytes(s, r + 1, r->frames * sizeof(struct baton_frame), &stack.frames);
	if (!error)
		error = idmap_add(&s->stack_ids, r->id, s->n_stacks);
	if (!error)
		s->stacks[s->n_stacks++] = stack;
	return error;
}

static int add_record(struct stacks *s, const struct baton_record *record)
{
	switch (record->type) {
	case BATON_R_MODULE:
		return add_module(s, (const void *)record);
	case BATON_R_CODE:
		return add_code(s, (const void *)record);
	case BATON_R_STACK:
		return add_stack(s, (const void *)record);
	default:
		return 0;
	}
}

/* Blocks that were damaged when the trace was opened are marked as such: they are not read. */
static int read_block(struct stacks *s, struct trace *trace, size_t entry)
{
	struct baton_block_header header;
	enum baton_damage damage;
	uint32_t at = 0;
	const struct baton_record *record;
	int error =
		baton_reader_load(&trace->reader, trace->reader.entries[entry].offset, &header, &damage);
	if (error || damage != BATON_INTACT ||
		!records_ok(trace->reader.raw, header.raw_bytes, header.rows))
		return error;
	while (!error && (record = records_next(trace->reader.raw, header.raw_bytes, &at)))
		error = add_record(s, record);
	return error;
}

int stacks_open(struct stacks *s, struct trace *trace, struct symbols *symbols)
{
	*s = (struct stacks){
		.trace = trace, .symbols = symbols, .n_modules = 1, .n_codes = 1, .n_stacks = 1};
	int error = 0;
	for (size_t i = 0; !error && i < trace->reader.n_entries; i++)
		if (trace->reader.entries[i].kind == BATON_RECORDS)
			error = read_block(s, trace, i);
	if (error)
		stacks_close(s);
	return error;
}

void stacks_close(struct stacks *s)
{
	idmap_free(&s->module_ids);
	idmap_free(&s->code_ids);
	idmap_free(&s->stack_ids);
	free(s->modules);
	free(s->codes);
	free(s->stacks);
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

static const char *text(const struct stacks *s, uint32_t index, const char *otherwise)
{
	return index ? strings_get(&s->trace->strings, index).at : otherwise;
}

static void python_text(const struct stacks *s, const struct baton_frame *frame, char *out,
						size_t room)
{
	uint32_t index = frame->of ? idmap_get(&s->code_ids, frame->of) : 0;
	if (!index) {
		snprintf(out, room, "?");
		return;
	}
	const struct stacks_code *code = &s->codes[index];
	const struct pyline_table table = {code->python, code->first_line, code->bytes,
									   s->bytes + code->table};
	int32_t line = pyline(&table, frame->offset);
	snprintf(out, room, "%s:%" PRId32 " %s", text(s, code->file, "?"),
			 line ? line : code->first_line, text(s, code->function, "?"));
}

static const struct stacks_module *module_of(const struct stacks *s,
											 const struct baton_frame *frame)
{
	uint32_t index = frame->of ? idmap_get(&s->module_ids, frame->of) : 0;
	return index ? &s->modules[index] : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void native_text(const struct stacks *s, const struct baton_frame *frame, char *out,
						size_t room)
{
	const struct stacks_module *module = module_of(s, frame);
	const char *path = text(s, module ? module->path : 0, ""), *name = base_name(path);
	/* the call is before the return address */
	if (module && s->symbols &&
		symbol_text(s->symbols, path, text(s, module->build_id, ""), frame->offset - 1, out, room))
		return;
	snprintf(out, room, "%s%s0x%" PRIx64, name, *name ? "+" : "", frame->offset);
}

/* A frame of kind 0 where there is none. */
static struct baton_frame frame_at(const struct stacks *s, uint32_t index, uint32_t i)
{
	struct baton_frame frame = {0};
	if (i < stacks_frames(s, index))
		memcpy(&frame, s->bytes + s->stacks[index].frames + i * sizeof(frame), sizeof(frame));
	return frame;
}

uint32_t stacks_frame_kind(const struct stacks *s, uint32_t index, uint32_t i)
{
	return frame_at(s, index, i).kind;
}

static const struct stacks_code *code_at(const struct stacks *s, uint32_t index, uint32_t i)
{
	struct baton_frame frame = frame_at(s, index, i);
	bool python = frame.kind == BATON_FRAME_PYTHON && frame.of;
	uint32_t code = python ? idmap_get(&s->code_ids, frame.of) : 0;
	return code ? &s->codes[code] : NULL;
}

const char *stacks_python_file(const struct stacks *s, uint32_t index, uint32_t i)
{
	const struct stacks_code *code = code_at(s, index, i);
	return code && code->file ? text(s, code->file, NULL) : NULL;
}

const char *stacks_python_function(const struct stacks *s, uint32_t index, uint32_t i)
{
	const struct stacks_code *code = code_at(s, index, i);
	return text(s, code ? code->function : 0, "");
}

const char *stacks_native_library(const struct stacks *s, uint32_t index, uint32_t i)
{
	struct baton_frame frame = frame_at(s, index, i);
	const struct stacks_module *module =
		frame.kind == BATON_FRAME_NATIVE ? module_of(s, &frame) : NULL;
	return base_name(text(s, module ? module->path : 0, ""));
}

void stacks_frame_text(const struct stacks *s, uint32_t index, uint32_t i, char *out, size_t room)
{
	struct baton_frame frame = frame_at(s, index, i);
	if (frame.kind == BATON_FRAME_PYTHON)
		python_text(s, &frame, out, room);
	else if (frame.kind == BATON_FRAME_NATIVE)
		native_text(s, &frame, out, room);
	else if (frame.kind == BATON_FRAME_BACKWARD)
		snprintf(out, room, "[backward]");
	else
		snprintf(out, room, "?");
}

#include "stacks/place.h"

#include "stacks/packages.h"

#include <stdio.h>
#include <string.h>

struct part { /* frames [from, to) */
	uint32_t from, to;
};

static enum origin frame_origin(const struct stacks *s, uint32_t index, uint32_t i, char *module)
{
	return packages_origin(s, index, i, module, PLACE_BYTES);
}

/* The innermost Python frame of a part, `project`: of the project's code; `to` when there is none.
 */
static uint32_t find_python(const struct stacks *s, uint32_t index, struct part part, bool project)
{
	char module[PLACE_BYTES];
	for (uint32_t i = part.from; i < part.to; i++) {
		if (stacks_python_file(s, index, i) &&
			(!project || frame_origin(s, index, i, module) == ORIGIN_PROJECT))
			return i;
	}
	return part.to;
}

/* The innermost native frame outside of what every launch goes through; else the innermost. */
static uint32_t find_native(const struct stacks *s, uint32_t index, struct part part)
{
	static const char *const passed[] = {"libcuda.so", "libcudart.so", "libcupti.so",
										 "libbaton.so"};
	uint32_t first = part.to;
	for (uint32_t i = part.from; i < part.to; i++) {
		bool in_between = false;
		if (stacks_frame_kind(s, index, i) != BATON_FRAME_NATIVE)
			continue;
		const char *library = stacks_native_library(s, index, i);
		for (size_t k = 0; k < sizeof(passed) / sizeof(passed[0]); k++)
			in_between |= strncmp(library, passed[k], strlen(passed[k])) == 0;
		if (!in_between)
			return i;
		first = first == part.to ? i : first;
	}
	return first;
}

static uint32_t find_kind(const struct stacks *s, uint32_t index, struct part part,
						  enum baton_frame_kind kind)
{
	uint32_t i = part.from;
	while (i < part.to && stacks_frame_kind(s, index, i) != kind)
		i++;
	return i;
}

/* What is passed over on the way from a project's line into a framework. */
static bool is_torch_or_python(const char *module)
{
	static const char *const names[] = {"torch", "python", "torchinductor", "triton"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(module, names[i]) == 0)
			return true;
	return false;
}

/* A trainer's loop is one line of the project: where in the library that the line called, PyTorch
 * and Python apart, is the innermost frame of that library or the next. */
static void find_inside(const struct stacks *s, uint32_t index, struct part below, char *out)
{
	char module[PLACE_BYTES], text[PLACE_BYTES];
	for (uint32_t i = below.from; i < below.to; i++) {
		if (!stacks_python_file(s, index, i) ||
			frame_origin(s, index, i, module) != ORIGIN_LIBRARY || is_torch_or_python(module))
			continue;
		stacks_frame_text(s, index, i, text, sizeof(text));
		snprintf(out, PLACE_BYTES, "%s", packages_cut(s, text));
		return;
	}
}

/* The frame of the line: of the project, else of Python, in the parts in this order; `below`: what
 * it called. */
static bool find_line(const struct stacks *s, uint32_t index, const struct part parts[2],
					  uint32_t *frame, struct part *below)
{
	for (int k = 0; k < 4; k++) { /* outer project, outer, inner project, inner */
		struct part part = parts[k / 2];
		*frame = find_python(s, index, part, k % 2 == 0);
		*below = (struct part){part.from, *frame};
		if (*frame < part.to)
			return true;
	}
	return false;
}

static void native_place(const struct stacks *s, uint32_t index, uint32_t frame, struct place *out)
{
	char text[PLACE_BYTES];
	const char *name = stacks_native_library(s, index, frame);
	stacks_frame_text(s, index, frame, text, sizeof(text));
	bool named = strncmp(text, name, strlen(name)) == 0; /* "LIBRARY+0xOFFSET" */
	int room = PLACE_BYTES / 2 - 1;
	snprintf(out->line, sizeof(out->line), "%.*s%s%.*s", room, named ? "" : name, named ? "" : " ",
			 room, text);
	snprintf(out->module, sizeof(out->module), "%s", *name ? name : "?");
	out->origin = out->module_origin = ORIGIN_LIBRARY;
}

void place_of(const struct stacks *s, uint32_t index, struct place *out)
{
	struct part all = {0, stacks_frames(s, index)};
	uint32_t marker = find_kind(s, index, all, BATON_FRAME_BACKWARD), frame;
	/* of a backward pass the forward's line counts before the launching thread's own */
	struct part inner = {0, marker}, outer = {marker < all.to ? marker + 1 : all.to, all.to};
	struct part parts[2] = {outer, inner}, below;
	*out = (struct place){.backward = marker < all.to};
	if (find_line(s, index, parts, &frame, &below)) {
		char unused[PLACE_BYTES];
		stacks_frame_text(s, index, frame, out->line, sizeof(out->line));
		out->origin = frame_origin(s, index, frame, unused);
		if (out->origin == ORIGIN_PROJECT)
			find_inside(s, index, below, out->inside);
		frame = find_python(s, index, inner, false);
		if (frame == inner.to)
			frame = find_python(s, index, outer, false);
		out->module_origin = frame_origin(s, index, frame, out->module);
		return;
	}
	frame = find_native(s, index, all);
	if (frame < all.to)
		native_place(s, index, frame, out);
}

#include "import/kineto/kineto_detail.h"

#include "base/memory_kind.h"
#include <stdlib.h>
#include <string.h>

/* "[512, 1, 1]". False: not three whole numbers. */
static bool read_three(struct json_text text, uint32_t out[3])
{
	if (text.kind != JSON_NESTED || text.bytes < 2 || *text.at != '[')
		return false;
	const char *at = text.at, *end = text.at + text.bytes;
	for (int i = 0; i < 3; i++) {
		uint64_t number = 0;
		at++; /* past [ or , */
		while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
			at++;
		const char *first = at;
		for (; at < end && *at >= '0' && *at <= '9' && number < BATON_SHAPE_UNKNOWN; at++)
			number = 10 * number + (uint64_t)(*at - '0');
		while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
			at++;
		if (at == first || at == end || *at != (i < 2 ? ',' : ']') || number >= BATON_SHAPE_UNKNOWN)
			return false;
		out[i] = (uint32_t)number;
	}
	return true;
}

static uint32_t known_or_not(struct json_text text)
{
	int64_t number;
	return json_integer(text, &number) && number >= 0 && number < BATON_SHAPE_UNKNOWN
			   ? (uint32_t)number
			   : BATON_SHAPE_UNKNOWN;
}

/* Kineto has one number for static and dynamic shared memory. */
uint32_t kineto_shape(struct trace_out *out, const struct kineto_launch *launch)
{
	struct baton_r_shape shape = {.registers = known_or_not(launch->registers),
								  .static_shared = BATON_SHAPE_UNKNOWN,
								  .dynamic_shared = known_or_not(launch->shared)};
	if (!read_three(launch->grid, shape.grid) || !read_three(launch->block, shape.block))
		return 0;
	return trace_out_shape(out, &shape);
}

bool kineto_memories(struct json_text name, struct kineto_memories *out)
{
	if (name.kind != JSON_STRING)
		return false;
	const char *end = name.at + name.bytes;
	const char *open = memchr(name.at, '(', name.bytes);
	const char *arrow = open ? memmem(open, (size_t)(end - open), " -> ", 4) : NULL;
	const char *close = arrow ? memchr(arrow, ')', (size_t)(end - arrow)) : NULL;
	if (!close)
		return false;
	out->from = memory_kind_find(open + 1, (size_t)(arrow - open - 1));
	out->to = memory_kind_find(arrow + 4, (size_t)(close - arrow - 4));
	return true;
}

#include "attribute/standing.h"

#include "stacks/stacks.h"

struct stands {
	struct stacks stacks;
	struct known {
		bool looked;
		struct standing standing;
	} * known; /* by index of the stack */
};

static int open_stands(struct stands **out, struct source *source)
{
	struct stands *stands = calloc(1, sizeof(*stands));
	if (!stands)
		return -ENOMEM;
	int error = stacks_open(&stands->stacks, &source->trace, NULL);
	if (!error) {
		stands->known = calloc(stands->stacks.n_stacks, sizeof(*stands->known));
		error = stands->known ? 0 : -ENOMEM;
		if (error)
			stacks_close(&stands->stacks);
	}
	if (error) {
		free(stands);
		return error;
	}
	*out = stands;
	return 0;
}

void standing_close(struct stands *stands)
{
	if (!stands)
		return;
	stacks_close(&stands->stacks);
	free(stands->known);
	free(stands);
}

/* Only what the thread itself runs: not the forward code of a backward. */
static struct standing look(const struct stacks *stacks, const struct source *source,
							uint32_t index)
{
	const struct stacks_stack *stack = &stacks->stacks[index];
	struct standing standing = {0};
	for (uint32_t i = 0; i < stack->n && !standing.mask; i++) {
		struct baton_frame frame;
		memcpy(&frame, stacks->bytes + stack->frames + i * sizeof(frame), sizeof(frame));
		if (frame.kind == BATON_FRAME_BACKWARD)
			break;
		uint32_t code =
			frame.kind == BATON_FRAME_PYTHON ? idmap_get(&stacks->code_ids, frame.of) : 0;
		if (!code)
			continue;
		standing.function = stacks->codes[code].function;
		standing.mask =
			host_names_frame(source->host_names, source_text(source, stacks->codes[code].file),
							 source_text(source, standing.function));
	}
	return standing;
}

int standing_find(struct stands **stands, struct source *source, uint64_t stack,
				  struct standing *out)
{
	*out = (struct standing){0};
	int error = *stands ? 0 : open_stands(stands, source);
	if (error)
		return error;
	uint32_t index = stacks_find(&(*stands)->stacks, stack);
	if (!index)
		return 0;
	struct known *known = &(*stands)->known[index];
	if (!known->looked)
		*known = (struct known){true, look(&(*stands)->stacks, source, index)};
	*out = known->standing;
	return 0;
}

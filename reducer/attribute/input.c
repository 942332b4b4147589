#include "attribute/input.h"

#include "stacks/stacks.h"

struct input {
	struct stacks stacks;
	struct known {
		bool looked;
		uint32_t function; /* 0: it loads nothing */
	} * known;             /* by index of the stack */
};

static int open_input(struct input **out, struct source *source)
{
	struct input *input = calloc(1, sizeof(*input));
	if (!input)
		return -ENOMEM;
	int error = stacks_open(&input->stacks, &source->trace, NULL);
	if (!error) {
		input->known = calloc(input->stacks.n_stacks, sizeof(*input->known));
		error = input->known ? 0 : -ENOMEM;
		if (error)
			stacks_close(&input->stacks);
	}
	if (error) {
		free(input);
		return error;
	}
	*out = input;
	return 0;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	stacks_close(&input->stacks);
	free(input->known);
	free(input);
}

/* Only what the thread itself runs: not the forward code of a backward. */
static uint32_t find(const struct input *input, const struct source *source, uint32_t index)
{
	const struct stacks *stacks = &input->stacks;
	const struct stacks_stack *stack = &stacks->stacks[index];
	for (uint32_t i = 0; i < stack->n; i++) {
		struct baton_frame frame;
		memcpy(&frame, stacks->bytes + stack->frames + i * sizeof(frame), sizeof(frame));
		if (frame.kind == BATON_FRAME_BACKWARD)
			return 0;
		uint32_t code =
			frame.kind == BATON_FRAME_PYTHON ? idmap_get(&stacks->code_ids, frame.of) : 0;
		if (code &&
			host_names_input(source->host_names, source_text(source, stacks->codes[code].file),
							 source_text(source, stacks->codes[code].function)))
			return stacks->codes[code].function;
	}
	return 0;
}

int input_function(struct input **input, struct source *source, uint64_t stack, uint32_t *function)
{
	*function = 0;
	int error = *input ? 0 : open_input(input, source);
	if (error)
		return error;
	uint32_t index = stacks_find(&(*input)->stacks, stack);
	if (!index)
		return 0;
	struct known *known = &(*input)->known[index];
	if (!known->looked) {
		known->function = find(*input, source, index);
		known->looked = true;
	}
	*function = known->function;
	return 0;
}

#include "attribute/frame_class.h"

#include "stacks/place.h"
#include "stacks/stacks.h"

#include <errno.h>
#include <stdlib.h>

struct frame_classes {
	struct stacks stacks;
	struct known {
		bool looked;
		struct frame_class class;
	} * known; /* by index of the stack */
};

static int open_classes(struct frame_classes **out, struct feed *feed)
{
	struct frame_classes *classes = calloc(1, sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	int error = stacks_open(&classes->stacks, &feed->trace, NULL);
	if (!error) {
		classes->known = calloc(classes->stacks.n_stacks, sizeof(*classes->known));
		error = classes->known ? 0 : -ENOMEM;
		if (error)
			stacks_close(&classes->stacks);
	}
	if (error) {
		free(classes);
		return error;
	}
	*out = classes;
	return 0;
}

void frame_classes_close(struct frame_classes *classes)
{
	if (!classes)
		return;
	stacks_close(&classes->stacks);
	free(classes->known);
	free(classes);
}

static struct baton_frame frame_at(const struct stacks *stacks, const struct stacks_stack *stack,
								   uint32_t i)
{
	struct baton_frame frame;
	memcpy(&frame, stacks->bytes + stack->frames + i * sizeof(frame), sizeof(frame));
	return frame;
}

static bool hands_over(const struct stacks *stacks, const struct feed *feed,
					   const struct stacks_stack *stack)
{
	for (uint32_t i = 0; i < stack->n; i++) {
		struct baton_frame frame = frame_at(stacks, stack, i);
		if (frame.kind != BATON_FRAME_PYTHON)
			continue;
		uint32_t code = idmap_get(&stacks->code_ids, frame.of);
		return code &&
			   host_names_hands_over(feed->host_names, feed_text(feed, stacks->codes[code].file),
									 feed_text(feed, stacks->codes[code].function));
	}
	return false;
}

/* The mask is of what the thread itself runs, not of the forward code of a backward. */
static struct frame_class look(const struct stacks *stacks, const struct feed *feed, uint32_t index)
{
	const struct stacks_stack *stack = &stacks->stacks[index];
	struct frame_class class = {.hands_over = hands_over(stacks, feed, stack)};
	for (uint32_t i = 0; i < stack->n && !class.mask; i++) {
		struct baton_frame frame = frame_at(stacks, stack, i);
		if (frame.kind == BATON_FRAME_BACKWARD)
			break;
		uint32_t code =
			frame.kind == BATON_FRAME_PYTHON ? idmap_get(&stacks->code_ids, frame.of) : 0;
		if (!code)
			continue;
		class.function = stacks->codes[code].function;
		class.mask = host_names_frame(feed->host_names, feed_text(feed, stacks->codes[code].file),
									  feed_text(feed, class.function));
	}
	return class;
}

int frame_class_find(struct frame_classes **classes, struct feed *feed, uint64_t stack,
					 struct frame_class *out)
{
	*out = (struct frame_class){0};
	int error = *classes ? 0 : open_classes(classes, feed);
	if (error)
		return error;
	uint32_t index = stacks_find(&(*classes)->stacks, stack);
	if (!index)
		return 0;
	struct known *known = &(*classes)->known[index];
	if (!known->looked)
		*known = (struct known){true, look(&(*classes)->stacks, feed, index)};
	*out = known->class;
	return 0;
}

int frame_class_place(struct frame_classes **classes, struct feed *feed, uint64_t stack,
					  struct place *out)
{
	out->line[0] = 0;
	int error = *classes ? 0 : open_classes(classes, feed);
	if (error)
		return error;
	uint32_t index = stacks_find(&(*classes)->stacks, stack);
	if (index)
		place_of(&(*classes)->stacks, index, out);
	return 0;
}

#include "values/joining.h"

#include <string.h>

#define MOST_RUNS 2048 /* that are copied while the launching thread waits */

struct shape { /* TensorSizeStride: the dimension that runs fastest comes last; in elements */
	uint32_t sizes[4], strides[4];
};

/* CatArrInputTensorMetadata<T, unsigned, N, SHAPES>; contiguous arrays need no shapes. */
#define JOINED(n_, shapes_)                            \
	struct joined_##n_ {                               \
		uint8_t *arrays[n_];                           \
		uint32_t offsets[n_], sizes[n_], elements[n_]; \
		bool contiguous[n_];                           \
		struct shape shapes[shapes_];                  \
	}
JOINED(128, 1);
JOINED(64, 64);

struct joint {
	unsigned most;
	uint8_t *const *arrays;
	const uint32_t *offsets, *sizes, *elements;
	const bool *contiguous;     /* NULL: all are */
	const struct shape *shapes; /* of those that are not */
	struct shape shape;         /* of the result */
	int along;
	uint32_t stride; /* of that dimension */
	uint8_t *out;
};

#define JOINT(joined_, n_)                                                        \
	(struct joint)                                                                \
	{                                                                             \
		.most = (n_), .arrays = (joined_)->arrays, .offsets = (joined_)->offsets, \
		.sizes = (joined_)->sizes, .elements = (joined_)->elements                \
	}

static struct joint joint_of(const struct formula *formula, void **arguments)
{
	const struct joined_64 *any = arguments[1];
	struct joint joint = formula->family == FAMILY_JOIN
							 ? JOINT(any, 64)
							 : JOINT((const struct joined_128 *)arguments[1], 128);
	if (formula->family == FAMILY_JOIN) {
		joint.contiguous = any->contiguous;
		joint.shapes = any->shapes;
	}
	memcpy(&joint.out, arguments[0], sizeof(joint.out));
	memcpy(&joint.shape, arguments[2], sizeof(joint.shape));
	memcpy(&joint.along, arguments[3], sizeof(joint.along));
	memcpy(&joint.stride, arguments[4], sizeof(joint.stride));
	return joint;
}

/* One dimension: one after the other. */
static bool read_row(struct computed *c, const struct joint *joint, unsigned i)
{
	size_t bytes = c->formula.bytes;
	view_row(&c->sources[i], joint->arrays[i], bytes, joint->elements[i]);
	view_row(&c->results[i], joint->out + joint->offsets[i] * bytes, bytes, joint->elements[i]);
	return !i || joint->offsets[i] == joint->offsets[i - 1] + joint->elements[i - 1];
}

/* False: more bytes apart than a view can say. */
static bool add_dimension(struct view *view, uint32_t size, uint32_t elements)
{
	size_t stride = elements * view->bytes;
	view_dimension(view, size, (uint32_t)stride);
	return stride <= UINT32_MAX;
}

static bool read_array(struct computed *c, const struct joint *joint, unsigned i)
{
	size_t bytes = c->formula.bytes;
	struct view *from = &c->sources[i], *to = &c->results[i];
	bool row = !joint->contiguous || joint->contiguous[i], near = true;
	view_row(from, joint->arrays[i], bytes, joint->elements[i]);
	from->dims = row;
	to->at = joint->out + (size_t)joint->offsets[i] * joint->stride * bytes;
	to->bytes = bytes;
	to->n = joint->elements[i];
	for (int d = (int)c->formula.operands - 1; d >= 0; d--) {
		uint32_t size = d == joint->along ? joint->sizes[i] : joint->shape.sizes[d];
		near &= add_dimension(to, size, joint->shape.strides[d]);
		if (!row)
			near &= add_dimension(from, size, joint->shapes[i].strides[d]);
	}
	return near && joint->along >= 0 && joint->along < (int)c->formula.operands;
}

struct computed *joining_read(const struct formula *formula, void **arguments, unsigned arrays)
{
	struct joint joint = joint_of(formula, arguments);
	if (!arrays || arrays > joint.most)
		return NULL;
	struct computed *c = computed_new(formula, arrays, arrays);
	bool read = true;
	for (unsigned i = 0; read && i < arrays; i++)
		read =
			formula->family == FAMILY_JOIN_ROWS ? read_row(c, &joint, i) : read_array(c, &joint, i);
	if (!read) {
		computed_free(c);
		return NULL;
	}
	return c;
}

/* Elements that are copied at once: both sides have the same sizes, or are rows. */
static size_t run_of(const struct computed *c, unsigned i)
{
	size_t from = view_run(&c->sources[i]), to = view_run(&c->results[i]);
	return from < to ? from : to;
}

/* A run takes about as long as a number does. */
bool joining_is_quick(const struct computed *c)
{
	size_t runs = 0;
	for (unsigned i = 0; i < c->n_sources; i++)
		runs += c->sources[i].n / run_of(c, i);
	return runs <= MOST_RUNS;
}

void joining_run(const struct computed *c)
{
	for (unsigned i = 0; i < c->n_sources; i++) {
		const struct view *from = &c->sources[i], *to = &c->results[i];
		size_t run = run_of(c, i);
		for (size_t k = 0; k < from->n; k += run)
			memcpy(view_element(to, k), view_element(from, k), run * from->bytes);
	}
}

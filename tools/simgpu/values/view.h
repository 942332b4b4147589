/* An operand of a kernel: numbers of one type in device memory, a stride per dimension, as a
 * TensorIterator of PyTorch's lays them out: the dimension that runs fastest first, strides in
 * bytes. All with the engine's lock held. */
#ifndef SIMGPU_VALUES_VIEW_H
#define SIMGPU_VALUES_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_DIMS 50 /* a reduction's input: those of the result and those that are reduced */

struct view {
	uint8_t *at;
	char type; /* number.h; 0: only the size is known */
	size_t bytes, n;
	unsigned dims;
	uint32_t sizes[VIEW_DIMS], strides[VIEW_DIMS];
};

/* One number after another. */
void view_row(struct view *view, void *at, size_t bytes, size_t n);
void view_dimension(struct view *view, uint32_t size, uint32_t stride);
/* Do its dimensions make n elements, in device memory? */
bool view_is_sound(const struct view *view);
/* How many elements run on one after another from each so many-th on. */
size_t view_run(const struct view *view);
bool view_is_row(const struct view *view);
uint8_t *view_element(const struct view *view, size_t i);
/* known.h, of the elements. */
bool view_known(const struct view *view);
void view_write(const struct view *view, bool known);

#endif

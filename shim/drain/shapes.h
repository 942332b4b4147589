/* How kernels were launched: a dictionary record for each shape, made when a kernel shows it first. Writer
 * thread only. */
#ifndef SHIM_SHAPES_H
#define SHIM_SHAPES_H

#include <baton/format.h>

/* The id of a shape record that says the same as `shape`, whose head and id are not read; 0 when
 * there is no room for one more (counted). */
uint32_t shapes_id(const struct baton_r_shape *shape);
/* How many kernels have no shape because there were too many different ones. */
uint64_t shapes_lost(void);
void shapes_forget(void);

#endif

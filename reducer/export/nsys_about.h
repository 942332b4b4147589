/* What an export says of itself and of the machines: versions, hosts, GPUs, processes, the words of
 * its numbers. */
#ifndef EXPORT_NSYS_ABOUT_H
#define EXPORT_NSYS_ABOUT_H

#include <stddef.h>

struct nsys_plan;
struct nsys_tables;

/* Of a file with `n` members of the plan from `first`. */
void nsys_about_write(struct nsys_tables *tables, const struct nsys_plan *plan, size_t first,
					  size_t n);

#endif

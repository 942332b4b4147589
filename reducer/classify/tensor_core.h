/* Did a kernel use tensor cores (NVIDIA) or matrix cores (AMD)? From its name. */
#ifndef CLASSIFY_TENSOR_CORE_H
#define CLASSIFY_TENSOR_CORE_H

#include "classify/classes.h"
#include "classify/identifier.h"

/* 1 yes, 0 no, -1 unknown. `class` has its group and class set. */
int tensor_core_of(const struct identifier *name, const struct kernel_class *class);

#endif

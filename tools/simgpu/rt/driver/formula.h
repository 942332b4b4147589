/* What a kernel of PyTorch's computes, as far as its name says it: kernels compute nothing here,
 * but a size, a counter or a flag passes through a few simple ones on its way back to the host, and
 * the program goes on by its value (docs/SIMGPU.md, "Under PyTorch"). */
#ifndef SIMGPU_RT_FORMULA_H
#define SIMGPU_RT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

enum formula_kind {
	/* elementwise: kernel(int n, functor, char *arrays[]), arrays[0] is the result */
	FORMULA_FILL,
	FORMULA_ABSOLUTE,
	FORMULA_ADD, /* the second operand times alpha */
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_EQUAL, /* to a bool, by a number in the functor: which comparison */
	FORMULA_ORDER,
	/* kernel(struct ReduceOp): all elements to one */
	FORMULA_SUM,
	FORMULA_MAX,
	FORMULA_MIN,
	FORMULA_ALL,
	FORMULA_ANY,
	/* kernel(out, struct CatArrInputTensorMetadata, sizes, dimension, stride): one dimension */
	FORMULA_JOIN
};

/* Which operand is a number in the functor instead of an array. */
enum formula_number { NUMBER_NONE, NUMBER_FIRST, NUMBER_SECOND };

struct formula {
	enum formula_kind kind;
	char type; /* of the elements, as it is mangled: l i f d h b; 0 when only their size matters */
	size_t bytes;
	enum formula_number number;
};

/* False: no formula. */
bool formula_of(const char *name, struct formula *formula);

#endif

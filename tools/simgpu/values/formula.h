/* What a PyTorch kernel computes, as far as its name says it. Simulated kernels compute nothing, but
 * sizes, counters and flags pass through a few simple ones on their way back to the host, and the
 * program branches on them (docs/SIMGPU.md, "Under PyTorch"). */
#ifndef SIMGPU_VALUES_FORMULA_H
#define SIMGPU_VALUES_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

/* How the kernel is called. */
enum formula_family {
	FAMILY_ROW,          /* kernel(int n, functor, char *arrays[]), arrays[0] is the result */
	FAMILY_ROW_CAST,     /* the same, then where elements stand and what types they have */
	FAMILY_STRIDED,      /* kernel(int n, {OffsetCalculator, arrays, functor}) */
	FAMILY_STRIDED_CAST, /* the same, then types */
	FAMILY_RANGE,        /* kernel(int n, {first, step}, result) */
	FAMILY_REDUCTION,    /* kernel(struct ReduceOp) */
	/* kernel(out, CatArrInputTensorMetadata, sizes, dimension, stride) */
	FAMILY_JOIN_ROWS,       /* of one dimension */
	FAMILY_JOIN_CONTIGUOUS, /* of several, each array's elements one after another */
	FAMILY_JOIN             /* with strides */
};

enum formula_kind {
	FORMULA_FILL,
	FORMULA_COPY,
	FORMULA_ABSOLUTE,
	FORMULA_NEGATE,
	FORMULA_INVERT,
	FORMULA_ADD, /* the second operand times alpha */
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_FLOOR_DIVIDE,
	FORMULA_REMAINDER,
	FORMULA_LARGER,
	FORMULA_SMALLER,
	FORMULA_BITS_AND,
	FORMULA_BITS_OR,
	FORMULA_BITS_XOR,
	FORMULA_WHERE,  /* a flag, then what is taken where it is set, and where it is not */
	FORMULA_MASKED, /* a flag comes second: the number where it is set */
	/* to a bool */
	FORMULA_NOT,
	FORMULA_AND,
	FORMULA_OR,
	FORMULA_XOR,
	FORMULA_EQUAL, /* by a number in the functor: which comparison */
	FORMULA_ORDER,
	FORMULA_ARITHMETIC_PROGRESSION,
	FORMULA_SUM,
	FORMULA_MEAN, /* times a factor in the functor */
	FORMULA_MAX,
	FORMULA_MIN,
	FORMULA_ALL,
	FORMULA_ANY,
	FORMULA_WHICH_MAX, /* the first one's place */
	FORMULA_WHICH_MIN,
	FORMULA_MAX_AND_PLACE, /* to two arrays */
	FORMULA_MIN_AND_PLACE,
	FORMULA_JOIN
};

/* Which operand is a number in the functor instead of an array. */
enum formula_number { NUMBER_NONE, NUMBER_FIRST, NUMBER_SECOND };

struct formula {
	enum formula_family family;
	enum formula_kind kind;
	char type, result; /* of what is read and written, number.h; 0: only their size matters */
	char gathered;     /* reductions: of what is made of the first elements */
	size_t bytes;      /* of what is read */
	unsigned operands; /* arrays that are read; of what is joined: its dimensions */
	enum formula_number number;
	bool wrapped; /* the functor is one within AUnaryFunctor and the like */
};

/* False: no formula. */
bool formula_of(const char *name, struct formula *formula);
/* The type of the i-th array that is read. */
char formula_operand(const struct formula *formula, unsigned i);

#endif

/* The layouts of PyTorch's kernel arguments are those of its Loops.cuh, Reduce.cuh and Shape.cu,
 * the same in 2.8 and 2.15. An address that is no device memory means that they are others. */
#include "computed.h"

#include "core.h"
#include "known.h"
#include "memory.h"
#include "room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are worth working out while the launching thread waits: numbers one by one; what is
 * joined, and flags, which are quick. */
#define MOST_NUMBERS ((size_t)16 << 10)
#define MOST_BYTES ((size_t)4 << 20)
#define ARRAYS 128

union number {
	int64_t integer;
	double real;
};

struct source { /* bytes that the result depends on */
	const uint8_t *from;
	size_t bytes;
};

struct computed {
	struct formula formula;
	size_t n;
	uint8_t *out;
	size_t out_bytes;
	union number number, alpha;
	int comparison;
	bool assumed; /* nobody knows the operand, the answer is that of any finite number */
	unsigned n_sources;
	struct source sources[]; /* FORMULA_JOIN: one after the other in `out` */
};

static bool is_real(const struct formula *formula)
{
	return formula->type == 'f' || formula->type == 'd';
}

static union number load(char type, const void *from)
{
	union number number = {0};
	float real;
	int32_t word;
	switch (type) {
	case 'f':
		memcpy(&real, from, sizeof(real));
		number.real = (double)real;
		break;
	case 'i':
		memcpy(&word, from, sizeof(word));
		number.integer = word;
		break;
	case 'h':
	case 'b':
		number.integer = *(const uint8_t *)from;
		break;
	default:
		memcpy(&number, from, sizeof(number));
	}
	return number;
}

static void store(char type, void *to, union number number)
{
	float real;
	switch (type) {
	case 'f':
		real = (float)number.real;
		memcpy(to, &real, sizeof(real));
		break;
	case 'i':
		memcpy(to, &number.integer, sizeof(int32_t));
		break;
	case 'h':
		*(uint8_t *)to = (uint8_t)number.integer;
		break;
	case 'b':
		*(uint8_t *)to = number.integer != 0;
		break;
	default:
		memcpy(to, &number, sizeof(number));
	}
}

/* ---- arguments ---- */

static struct computed *new_computed(const struct formula *formula, unsigned n_sources)
{
	struct computed *c = must(calloc(1, sizeof(*c) + n_sources * sizeof(struct source)));
	c->formula = *formula;
	c->n_sources = n_sources;
	return c;
}

static size_t aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

/* The functor's members: a comparison, then a number; or a number, then alpha. A functor without
 * members takes a byte of its wrapper. */
static void read_functor(struct computed *c, const uint8_t *functor)
{
	const struct formula *f = &c->formula;
	bool compares = f->kind == FORMULA_EQUAL || f->kind == FORMULA_ORDER;
	bool scales = f->kind == FORMULA_MULTIPLY || f->kind == FORMULA_DIVIDE;
	size_t at = compares ? aligned(sizeof(int), f->bytes) : scales ? f->bytes : 0;
	if (compares)
		memcpy(&c->comparison, functor, sizeof(int));
	if (f->number) {
		c->number = load(f->type, functor + at);
		at += f->bytes;
	}
	if (f->kind == FORMULA_ADD)
		c->alpha = load(f->type, functor + at);
}

static struct computed *read_elementwise(const struct formula *formula, void **arguments)
{
	bool compares = formula->kind == FORMULA_EQUAL || formula->kind == FORMULA_ORDER;
	unsigned n_sources = formula->kind == FORMULA_FILL                          ? 0
						 : formula->kind == FORMULA_ABSOLUTE || formula->number ? 1
																				: 2;
	struct computed *c = new_computed(formula, n_sources);
	uint8_t *const *arrays = arguments[2];
	int n;
	memcpy(&n, arguments[0], sizeof(n));
	c->n = n > 0 ? (size_t)n : 0;
	c->out = arrays[0];
	c->out_bytes = c->n * (compares ? 1 : formula->bytes);
	for (unsigned i = 0; i < n_sources; i++)
		c->sources[i] = (struct source){arrays[1 + i], c->n * formula->bytes};
	read_functor(c, arguments[1]);
	return c;
}

struct reduce_config { /* at::native::ReduceConfig */
	int element_bytes, n_inputs, n_outputs, steps[3], input_factors[3], output_factors[2];
	int block[2], threads;
	bool vectorized;
	int output_vector;
};

struct strides_of_one { /* OffsetCalculator<1, uint32_t> */
	int dims;
	struct {
		uint32_t divisor, magic, shift;
	} sizes[25];
	uint32_t strides[25];
};

struct reduce_rest { /* of ReduceOp, from `src` on */
	const uint8_t *source;
	uint8_t *targets[2];
	void *buffers[3];
	int64_t base;
	bool accumulate, final;
	int n_outputs;
};

#define STRIDES_OF_TWO (4 + 25 * 12 + 25 * 8) /* OffsetCalculator<2, uint32_t> */

/* ReduceOp: a functor without members, the identity, then the three above. */
static struct computed *read_reduction(const struct formula *formula, void **arguments)
{
	const uint8_t *reduce = arguments[0];
	struct reduce_config config;
	struct strides_of_one input;
	struct reduce_rest rest;
	size_t at = aligned(2 * formula->bytes, 4);
	memcpy(&config, reduce + at, sizeof(config));
	memcpy(&input, reduce + at + sizeof(config), sizeof(input));
	at = aligned(at + sizeof(config) + sizeof(input) + STRIDES_OF_TWO, 8);
	memcpy(&rest, reduce + at, sizeof(rest));
	if (config.n_outputs != 1 || config.n_inputs < 1 || rest.n_outputs != 1 || rest.accumulate ||
		!rest.final || input.dims > 1 || (input.dims == 1 && input.strides[0] != formula->bytes))
		return NULL;
	struct computed *c = new_computed(formula, 1);
	c->n = (size_t)config.n_inputs;
	c->out = rest.targets[0];
	c->out_bytes = formula->bytes;
	c->sources[0] = (struct source){rest.source, c->n * formula->bytes};
	return c;
}

struct joined { /* CatArrInputTensorMetadata<T, unsigned, 128, 1>, as far as it is needed */
	const uint8_t *arrays[ARRAYS];
	uint32_t offsets[ARRAYS], sizes[ARRAYS], n[ARRAYS];
};

static struct computed *read_join(const struct formula *formula, void **arguments, unsigned arrays)
{
	const struct joined *joined = arguments[1];
	uint8_t *out;
	size_t end = joined->offsets[0];
	if (!arrays || arrays > ARRAYS)
		return NULL;
	for (unsigned i = 0; i < arrays; end += joined->n[i++])
		if (joined->offsets[i] != end)
			return NULL;
	struct computed *c = new_computed(formula, arrays);
	memcpy(&out, arguments[0], sizeof(out));
	c->out = out + joined->offsets[0] * formula->bytes;
	c->out_bytes = (end - joined->offsets[0]) * formula->bytes;
	for (unsigned i = 0; i < arrays; i++)
		c->sources[i] = (struct source){joined->arrays[i], joined->n[i] * formula->bytes};
	return c;
}

static bool is_device_memory(const void *from, size_t bytes)
{
	void *start;
	size_t room;
	return memory_range(from, &start, &room) &&
		   (size_t)((const uint8_t *)from - (uint8_t *)start) + bytes <= room;
}

static bool sound(const struct computed *c)
{
	bool sound = c->out_bytes && is_device_memory(c->out, c->out_bytes);
	for (unsigned i = 0; sound && i < c->n_sources; i++)
		sound = is_device_memory(c->sources[i].from, c->sources[i].bytes);
	return sound;
}

struct computed *computed_read(const struct formula *formula, void **arguments, unsigned arrays)
{
	struct computed *c = !arguments                     ? NULL
						 : formula->kind < FORMULA_SUM  ? read_elementwise(formula, arguments)
						 : formula->kind < FORMULA_JOIN ? read_reduction(formula, arguments)
														: read_join(formula, arguments, arrays);
	if (c && !sound(c)) {
		free(c);
		return NULL;
	}
	return c;
}

/* Is it how isfinite(), isnan() and isinf() ask: x == x, |x| == inf? */
static bool asks_for_a_number(const struct computed *c)
{
	const struct formula *f = &c->formula;
	if (f->kind != FORMULA_EQUAL || !is_real(f))
		return false;
	return f->number ? !isfinite(c->number.real) : c->sources[0].from == c->sources[1].from;
}

static bool is_of_flags(const struct formula *f)
{
	return f->type == 'b' && (f->kind == FORMULA_ALL || f->kind == FORMULA_ANY ||
							  (f->kind == FORMULA_MULTIPLY && !f->number));
}

/* Is it done in the time that a launch may take? */
static bool is_quick(const struct computed *c)
{
	const struct formula *f = &c->formula;
	bool reduces = f->kind >= FORMULA_SUM && f->kind < FORMULA_JOIN;
	bool bytes = f->kind == FORMULA_JOIN || is_of_flags(f) || c->assumed;
	return (reduces ? c->sources[0].bytes : c->out_bytes) <= (bytes ? MOST_BYTES : MOST_NUMBERS);
}

bool computed_note(struct computed *c)
{
	bool known = true;
	for (unsigned i = 0; known && i < c->n_sources; i++)
		known = known_bytes(c->sources[i].from, c->sources[i].bytes);
	c->assumed = !known && asks_for_a_number(c);
	known = (known || c->assumed) && is_quick(c);
	known_write(c->out, c->out_bytes, known);
	return known;
}

/* ---- values ---- */

enum { ORDER_GE, ORDER_GT, ORDER_LE, ORDER_LT }; /* at::native's OpType */
enum { EQUAL_YES, EQUAL_NO };

/* -1, 0, 1; 2: one of them is no number. */
static int order(bool real, union number a, union number b)
{
	if (!real)
		return (a.integer > b.integer) - (a.integer < b.integer);
	return a.real > b.real ? 1 : a.real < b.real ? -1 : a.real == b.real ? 0 : 2;
}

static bool compare(const struct computed *c, union number a, union number b)
{
	int how = order(is_real(&c->formula), a, b);
	if (c->formula.kind == FORMULA_EQUAL)
		return (how == 0) == (c->comparison == EQUAL_YES);
	switch (c->comparison) {
	case ORDER_GE:
		return how == 0 || how == 1;
	case ORDER_GT:
		return how == 1;
	case ORDER_LE:
		return how == 0 || how == -1;
	default:
		return how == -1;
	}
}

static union number real_of(const struct computed *c, double a, double b)
{
	union number result = {0};
	result.real = c->formula.kind == FORMULA_ABSOLUTE   ? fabs(a)
				  : c->formula.kind == FORMULA_ADD      ? a + c->alpha.real * b
				  : c->formula.kind == FORMULA_MULTIPLY ? a * b
				  : c->formula.kind == FORMULA_DIVIDE   ? a / b
														: a;
	return result;
}

/* As unsigned numbers, which may overflow. Integers are not divided by DivFunctor's kernel. */
static union number integer_of(const struct computed *c, uint64_t a, uint64_t b)
{
	uint64_t result = c->formula.kind == FORMULA_ABSOLUTE   ? (int64_t)a < 0 ? 0 - a : a
					  : c->formula.kind == FORMULA_ADD      ? a + (uint64_t)c->alpha.integer * b
					  : c->formula.kind == FORMULA_MULTIPLY ? a * b
															: a;
	return (union number){.integer = (int64_t)result};
}

static void run_elementwise(const struct computed *c)
{
	const struct formula *f = &c->formula;
	bool compares = f->kind == FORMULA_EQUAL || f->kind == FORMULA_ORDER;
	for (size_t i = 0; i < c->n; i++) {
		union number operands[2] = {c->number, c->number};
		for (unsigned s = 0; s < c->n_sources; s++)
			operands[f->number == NUMBER_FIRST ? 1 : s] =
				load(f->type, c->sources[s].from + i * f->bytes);
		if (compares)
			c->out[i] = compare(c, operands[0], operands[1]);
		else
			store(f->type, c->out + i * f->bytes,
				  is_real(f) ? real_of(c, operands[0].real, operands[1].real)
							 : integer_of(c, (uint64_t)operands[0].integer,
										  (uint64_t)operands[1].integer));
	}
}

/* Flags of 0 and 1, many of them. */
static void run_flags(const struct computed *c)
{
	const uint8_t *a = c->sources[0].from, *b = c->sources[c->n_sources - 1].from;
	uint8_t any = 0;
	switch (c->formula.kind) {
	case FORMULA_MULTIPLY:
		for (size_t i = 0; i < c->n; i++)
			c->out[i] = a[i] & b[i];
		break;
	case FORMULA_ALL:
		*c->out = !memchr(a, 0, c->n);
		break;
	default: /* FORMULA_ANY */
		for (size_t i = 0; i < c->n; i++)
			any |= a[i];
		*c->out = any;
	}
}

static union number combine(const struct formula *f, union number a, union number b)
{
	int how = order(is_real(f), a, b);
	switch (f->kind) {
	case FORMULA_SUM:
		if (is_real(f))
			a.real += b.real;
		else
			a.integer = (int64_t)((uint64_t)a.integer + (uint64_t)b.integer);
		return a;
	default: /* what is no number stays */
		if (how == 2)
			return a.real == a.real ? b : a;
		return (f->kind == FORMULA_MAX) == (how >= 0) ? a : b;
	}
}

static void run_reduction(const struct computed *c)
{
	const struct formula *f = &c->formula;
	union number all = load(f->type, c->sources[0].from);
	for (size_t i = 1; i < c->n; i++)
		all = combine(f, all, load(f->type, c->sources[0].from + i * f->bytes));
	store(f->type, c->out, all);
}

void computed_run(const struct computed *c)
{
	uint8_t *out = c->out;
	if (c->assumed) /* compared with itself, or with what no finite number is */
		memset(out, (c->n_sources == 2) == (c->comparison == EQUAL_YES), c->n);
	else if (is_of_flags(&c->formula))
		run_flags(c);
	else if (c->formula.kind < FORMULA_SUM)
		run_elementwise(c);
	else if (c->formula.kind < FORMULA_JOIN)
		run_reduction(c);
	else
		for (unsigned i = 0; i < c->n_sources; out += c->sources[i++].bytes)
			memcpy(out, c->sources[i].from, c->sources[i].bytes);
}

void computed_free(struct computed *computed)
{
	free(computed);
}

#include "values/reduction.h"

#include <string.h>

/* ---- the argument ---- */

struct reduce_config { /* at::native::ReduceConfig */
	int element_bytes, n_inputs, n_outputs, steps[3], input_factors[3], output_factors[2];
	int block[2], threads;
	bool vectorized;
	int output_vector;
};

struct strides_of_one { /* OffsetCalculator<1, uint32_t>: what is reduced */
	int dims;
	struct {
		uint32_t divisor, magic, shift;
	} sizes[25];
	uint32_t strides[25];
};

struct strides_of_two { /* OffsetCalculator<2, uint32_t>: the results, and where their input is */
	int dims;
	struct {
		uint32_t divisor, magic, shift;
	} sizes[25];
	uint32_t strides[25][2];
};

struct reduce_rest { /* of ReduceOp, from `src` on */
	uint8_t *source;
	uint8_t *targets[2];
	void *buffers[3];
	int64_t base;
	bool accumulate, final;
	int n_outputs;
};

struct reduce_op {
	struct reduce_config config;
	struct strides_of_one input;
	struct strides_of_two output;
	struct reduce_rest rest;
};

static size_t aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

static bool finds_places(const struct formula *f)
{
	return f->kind >= FORMULA_WHICH_MAX && f->kind <= FORMULA_MIN_AND_PLACE;
}

static unsigned results_of(const struct formula *f)
{
	return f->kind == FORMULA_MAX_AND_PLACE || f->kind == FORMULA_MIN_AND_PLACE ? 2 : 1;
}

/* The operation, what is begun with (of the type that is gathered, or an element and its place),
 * then the rest. The bytes before that are the result: MeanOps has its factor there. */
static void read_op(const struct formula *f, const uint8_t *reduce, struct reduce_op *op)
{
	size_t at = finds_places(f) ? 3 * sizeof(int64_t) : 2 * number_bytes(f->gathered);
	at = aligned(at, sizeof(int));
	memcpy(&op->config, reduce + at, sizeof(op->config));
	at += sizeof(op->config);
	memcpy(&op->input, reduce + at, sizeof(op->input));
	at += sizeof(op->input);
	memcpy(&op->output, reduce + at, sizeof(op->output));
	at = aligned(at + sizeof(op->output), 8);
	memcpy(&op->rest, reduce + at, sizeof(op->rest));
}

static bool is_plain(const struct formula *f, const struct reduce_op *op)
{
	return op->config.n_outputs >= 1 && op->config.n_inputs >= 1 && !op->rest.accumulate &&
		   op->rest.final && !op->rest.base && op->rest.n_outputs == (int)results_of(f) &&
		   op->input.dims >= 0 && op->input.dims <= 25 && op->output.dims >= 0 &&
		   op->output.dims <= 25;
}

/* The elements that are reduced run fastest. */
static void read_source(struct view *source, const struct formula *f, const struct reduce_op *op)
{
	source->at = op->rest.source;
	source->type = f->type;
	source->bytes = f->bytes;
	source->n = (size_t)op->config.n_inputs * (size_t)op->config.n_outputs;
	for (int d = 0; d < op->input.dims; d++)
		view_dimension(source, op->input.sizes[d].divisor, op->input.strides[d]);
	for (int d = 0; d < op->output.dims; d++)
		view_dimension(source, op->output.sizes[d].divisor, op->output.strides[d][1]);
}

/* The second array's strides are those of the first, as if its elements were as long. */
static void read_result(struct view *result, char type, const struct formula *f,
						const struct reduce_op *op)
{
	size_t first = number_bytes(f->result);
	result->type = type;
	result->bytes = number_bytes(type);
	result->n = (size_t)op->config.n_outputs;
	for (int d = 0; d < op->output.dims; d++)
		view_dimension(result, op->output.sizes[d].divisor,
					   (uint32_t)(op->output.strides[d][0] / first * result->bytes));
}

struct computed *reduction_read(const struct formula *formula, void **arguments)
{
	struct reduce_op op;
	read_op(formula, arguments[0], &op);
	if (!is_plain(formula, &op))
		return NULL;
	struct computed *c = computed_new(formula, results_of(formula), 1);
	if (formula->kind == FORMULA_MEAN)
		c->number = number_load(formula->type, arguments[0]);
	read_source(c->sources, formula, &op);
	for (unsigned i = 0; i < c->n_results; i++) {
		c->results[i].at = op.rest.targets[i];
		read_result(&c->results[i], i ? 'l' : formula->result, formula, &op);
	}
	return c;
}

/* ---- values ---- */

static union number element(const struct computed *c, size_t i)
{
	return number_load(c->formula.type, view_element(c->sources, i));
}

/* Is b to take a's place? What is no number stays. */
static bool is_beyond(const struct computed *c, union number a, union number b)
{
	enum formula_kind kind = c->formula.kind;
	int how = number_order(c->formula.type, a, b);
	bool most = kind == FORMULA_MAX || kind == FORMULA_WHICH_MAX || kind == FORMULA_MAX_AND_PLACE;
	if (how == 2)
		return a.real == a.real;
	return how == (most ? -1 : 1);
}

static void run_place(const struct computed *c, size_t first, size_t n, size_t result)
{
	const struct view *places = &c->results[c->n_results - 1];
	union number found = element(c, first), place = {0};
	for (size_t i = 1; i < n; i++) {
		union number other = element(c, first + i);
		if (!is_beyond(c, found, other))
			continue;
		found = other;
		place.integer = (int64_t)i;
	}
	if (c->formula.kind != FORMULA_WHICH_MAX && c->formula.kind != FORMULA_WHICH_MIN)
		number_store(c->results->type, view_element(c->results, result), found);
	if (finds_places(&c->formula))
		number_store(places->type, view_element(places, result), place);
}

static void run_flags(const struct computed *c, size_t first, size_t n, size_t result)
{
	bool all = c->formula.kind == FORMULA_ALL, flag = all;
	if (view_is_row(c->sources) && c->formula.type == 'b') {
		flag = !memchr(c->sources->at + first, !all, n) == all;
	} else {
		for (size_t i = 0; i < n && flag == all; i++)
			flag = number_cast(c->formula.type, 'b', element(c, first + i)).integer;
	}
	*view_element(c->results, result) = flag;
}

static void run_sum(const struct computed *c, size_t first, size_t n, size_t result)
{
	const struct formula *f = &c->formula;
	union number sum = {0};
	for (size_t i = 0; i < n; i++) {
		union number number = element(c, first + i);
		if (number_is_real(f->type))
			sum.real += number.real;
		else
			sum.integer = (int64_t)((uint64_t)sum.integer + (uint64_t)number.integer);
	}
	if (f->kind == FORMULA_MEAN)
		sum.real *= c->number.real;
	number_store(f->result, view_element(c->results, result), sum);
}

/* Flags in a row, of 0 and 1, many of them, looked through for one. */
bool reduction_is_quick(const struct computed *c)
{
	enum formula_kind kind = c->formula.kind;
	return (kind == FORMULA_ALL || kind == FORMULA_ANY) && c->formula.type == 'b' &&
		   view_is_row(c->sources) && c->results->n == 1;
}

void reduction_run(const struct computed *c)
{
	enum formula_kind kind = c->formula.kind;
	size_t results = c->results->n, n = c->sources->n / results;
	for (size_t i = 0; i < results; i++)
		if (kind == FORMULA_ALL || kind == FORMULA_ANY)
			run_flags(c, i * n, n, i);
		else if (kind == FORMULA_SUM || kind == FORMULA_MEAN)
			run_sum(c, i * n, n, i);
		else
			run_place(c, i * n, n, i);
}

#include "values/elementwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPERANDS 4               /* a result and three arrays that are read */
#define MOST_READ ((size_t)4096) /* elements that are looked at for the one that decides */

static bool compares(const struct formula *f)
{
	return f->kind == FORMULA_EQUAL || f->kind == FORMULA_ORDER;
}

static size_t aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

/* ---- arguments ---- */

/* The functor's members: a comparison, then a number; or a number, then alpha. A functor without
 * members takes a byte of its wrapper; after a lambda's members nvcc keeps an address. How long it
 * is. */
static size_t read_functor(struct computed *c, const uint8_t *functor)
{
	const struct formula *f = &c->formula;
	bool lambda =
		!f->wrapped && f->number && (f->kind == FORMULA_ORDER || f->kind == FORMULA_MASKED);
	size_t at = f->wrapped ? 1 : 0, most = 1;
	if (compares(f)) {
		memcpy(&c->comparison, functor, sizeof(int));
		at = most = sizeof(int);
	}
	if (f->number) {
		at = aligned(at, f->bytes);
		c->number = number_load(f->type, functor + at);
		at += f->bytes;
	}
	if (f->kind == FORMULA_ADD) {
		c->alpha = number_load(f->type, functor + at);
		at += f->bytes;
	}
	if (f->number || f->kind == FORMULA_ADD)
		most = most < f->bytes ? f->bytes : most;
	at = aligned(at ? at : 1, most);
	return lambda ? aligned(at, sizeof(void *)) + sizeof(void *) : at;
}

static char type_at(const struct formula *f, unsigned array)
{
	return array ? formula_operand(f, array - 1) : f->result;
}

static struct view *view_at(struct computed *c, unsigned array)
{
	return array ? &c->sources[array - 1] : c->results;
}

static void take_type(struct view *view, char type)
{
	view->type = type;
	view->bytes = number_bytes(type);
}

/* A type as c10::ScalarType numbers it; 0: none of the six. */
static char type_of(int8_t scalar)
{
	static const char types[] = {[0] = 'h', [3] = 'i', [4] = 'l', [6] = 'f', [7] = 'd', [11] = 'b'};
	return scalar >= 0 && (size_t)scalar < sizeof(types) ? types[scalar] : 0;
}

static bool read_rows(struct computed *c, void **arguments, size_t n)
{
	const struct formula *f = &c->formula;
	uint8_t *const *arrays = arguments[2];
	bool cast = f->family == FAMILY_ROW_CAST;
	read_functor(c, arguments[1]);
	for (unsigned i = 0; i <= f->operands; i++) {
		const int8_t *types = !cast ? NULL : i ? arguments[5] : arguments[6];
		char type = cast ? type_of(types[i ? i - 1 : 0]) : type_at(f, i);
		take_type(view_at(c, i), type);
		view_row(view_at(c, i), arrays[i], number_bytes(type), n);
	}
	return true;
}

struct offset_calculator { /* OffsetCalculator<N, uint32_t>, then its strides: [dimension][N] */
	int dims;
	struct {
		uint32_t divisor, magic, shift;
	} sizes[25];
	uint32_t strides[];
};

/* A closure: the calculator, the arrays, the functor, types. */
static bool read_strided(struct computed *c, const uint8_t *closure, size_t n)
{
	const struct formula *f = &c->formula;
	const struct offset_calculator *offsets = (const void *)closure;
	unsigned arrays = f->operands + 1;
	size_t at = aligned(sizeof(*offsets) + 25 * arrays * sizeof(uint32_t), 8);
	uint8_t *addresses[OPERANDS];
	memcpy(addresses, closure + at, arrays * sizeof(*addresses));
	at += arrays * sizeof(*addresses);
	at += read_functor(c, closure + at);
	if (offsets->dims < 0 || offsets->dims > 25)
		return false;
	for (unsigned i = 0; i < arrays; i++) {
		struct view *view = view_at(c, i);
		bool cast = f->family == FAMILY_STRIDED_CAST;
		take_type(view, cast ? type_of((int8_t)closure[at + i]) : type_at(f, i));
		view->at = addresses[i];
		view->n = n;
		for (unsigned d = 0; d < (unsigned)offsets->dims; d++)
			view_dimension(view, offsets->sizes[d].divisor, offsets->strides[d * arrays + i]);
	}
	return true;
}

/* {first, step}: of an integer type, int64 both. */
static bool read_range(struct computed *c, void **arguments, size_t n)
{
	const struct formula *f = &c->formula;
	char type = number_is_real(f->type) ? f->type : 'l';
	const uint8_t *lambda = arguments[1];
	uint8_t *out;
	c->number = number_load(type, lambda);
	c->alpha = number_load(type, lambda + number_bytes(type));
	memcpy(&out, arguments[2], sizeof(out));
	c->results->type = f->type;
	view_row(c->results, out, f->bytes, n);
	return true;
}

struct computed *elementwise_read(const struct formula *formula, void **arguments)
{
	struct computed *c = computed_new(formula, 1, formula->operands);
	bool strided = formula->family == FAMILY_STRIDED || formula->family == FAMILY_STRIDED_CAST;
	int n;
	memcpy(&n, arguments[0], sizeof(n));
	bool read = n > 0 && (formula->family == FAMILY_RANGE ? read_range(c, arguments, (size_t)n)
						  : strided                       ? read_strided(c, arguments[1], (size_t)n)
														  : read_rows(c, arguments, (size_t)n));
	if (!read) {
		computed_free(c);
		return NULL;
	}
	return c;
}

/* ---- answers of operands that are not known ---- */

/* Is it how isfinite(), isnan() and isinf() ask: x == x, |x| == inf? */
static bool asks_for_a_number(const struct computed *c)
{
	const struct formula *f = &c->formula;
	if (f->kind != FORMULA_EQUAL || !number_is_real(f->type) || f->family != FAMILY_ROW)
		return false;
	return f->number ? !isfinite(c->number.real) : c->sources[0].at == c->sources[1].at;
}

/* What an operand is, each of its elements, so that the other does not matter. */
static bool deciding(const struct formula *f, union number *what)
{
	switch (f->kind) {
	case FORMULA_MULTIPLY:
	case FORMULA_BITS_AND:
	case FORMULA_AND:
		what->integer = 0;
		return !number_is_real(f->type);
	case FORMULA_BITS_OR:
		what->integer = f->type == 'b' ? 1 : -1;
		return f->type != 'h';
	case FORMULA_OR:
		what->integer = 1;
		return f->type == 'b';
	default:
		return false;
	}
}

static bool is_all(const struct view *view, char type, union number what)
{
	if (!view->type || view->n > MOST_READ)
		return false;
	for (size_t i = 0; i < view->n; i++) {
		union number number = number_load(view->type, view_element(view, i));
		if (number_cast(view->type, type, number).integer != what.integer)
			return false;
	}
	return true;
}

bool elementwise_answer(struct computed *c, bool now)
{
	union number what = {0};
	c->assumed = asks_for_a_number(c);
	if (c->assumed || !now || c->formula.number || !deciding(&c->formula, &what))
		return c->assumed;
	for (unsigned i = 0; i < c->n_sources; i++)
		if (view_known(&c->sources[i]) && is_all(&c->sources[i], c->formula.type, what))
			c->decided = true;
	c->answer = what;
	return c->decided;
}

/* ---- values ---- */

enum { ORDER_GE, ORDER_GT, ORDER_LE, ORDER_LT }; /* at::native's OpType */
enum { EQUAL_YES, EQUAL_NO };

static bool compare(const struct computed *c, union number a, union number b)
{
	int how = number_order(c->formula.type, a, b);
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

/* The rest has the divisor's sign. */
static double remainder_of(double a, double b)
{
	double rest = fmod(a, b);
	return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

static double larger(double a, double b)
{
	return isnan(a) || a > b ? a : b;
}

static double real_of(const struct computed *c, double a, double b)
{
	switch (c->formula.kind) {
	case FORMULA_ABSOLUTE:
		return fabs(a);
	case FORMULA_NEGATE:
		return -a;
	case FORMULA_ADD:
		return a + c->alpha.real * b;
	case FORMULA_MULTIPLY:
		return a * b;
	case FORMULA_DIVIDE:
		return a / b;
	case FORMULA_FLOOR_DIVIDE: /* as Python's: not the floor of a quotient that was rounded up */
		return b == 0 ? a / b : floor((a - remainder_of(a, b)) / b + 0.5);
	case FORMULA_REMAINDER:
		return remainder_of(a, b);
	case FORMULA_LARGER:
		return larger(a, b);
	case FORMULA_SMALLER:
		return -larger(-a, -b);
	default:
		return a;
	}
}

/* Towards minus infinity. Nothing is said of divisions by zero. */
static uint64_t floor_divide(int64_t a, int64_t b, uint64_t *rest)
{
	if (b == 0 || b == -1) { /* -1: the least integer has no opposite */
		*rest = 0;
		return b ? 0 - (uint64_t)a : 0;
	}
	int64_t quotient = a / b, over = a % b;
	bool down = over != 0 && (over < 0) != (b < 0);
	*rest = (uint64_t)(down ? over + b : over);
	return (uint64_t)(down ? quotient - 1 : quotient);
}

/* As unsigned numbers, which may overflow. Integers are not divided by DivFunctor's kernel. */
static uint64_t integer_of(const struct computed *c, uint64_t a, uint64_t b)
{
	uint64_t rest = 0;
	switch (c->formula.kind) {
	case FORMULA_ABSOLUTE:
		return (int64_t)a < 0 ? 0 - a : a;
	case FORMULA_NEGATE:
		return 0 - a;
	case FORMULA_INVERT:
		return c->formula.type == 'b' ? !a : ~a;
	case FORMULA_ADD:
		return a + (uint64_t)c->alpha.integer * b;
	case FORMULA_MULTIPLY:
		return a * b;
	case FORMULA_FLOOR_DIVIDE:
		return floor_divide((int64_t)a, (int64_t)b, &rest);
	case FORMULA_REMAINDER:
		floor_divide((int64_t)a, (int64_t)b, &rest);
		return rest;
	case FORMULA_LARGER:
		return (int64_t)a > (int64_t)b ? a : b;
	case FORMULA_SMALLER:
		return (int64_t)a < (int64_t)b ? a : b;
	case FORMULA_BITS_AND:
		return a & b;
	case FORMULA_BITS_OR:
		return a | b;
	case FORMULA_BITS_XOR:
		return a ^ b;
	default:
		return a;
	}
}

static bool is_set(const struct formula *f, union number number)
{
	return number_is_real(f->type) ? number.real != 0 : number.integer != 0;
}

static bool flag_of(const struct computed *c, union number a, union number b)
{
	const struct formula *f = &c->formula;
	switch (f->kind) {
	case FORMULA_NOT:
		return !is_set(f, a);
	case FORMULA_AND:
		return is_set(f, a) && is_set(f, b);
	case FORMULA_OR:
		return is_set(f, a) || is_set(f, b);
	case FORMULA_XOR:
		return is_set(f, a) != is_set(f, b);
	default:
		return compare(c, a, b);
	}
}

/* Of the result's type. */
static union number value_of(const struct computed *c, const union number *operands)
{
	const struct formula *f = &c->formula;
	union number value = {0};
	if (f->kind == FORMULA_WHERE)
		return operands[0].integer ? operands[1] : operands[2];
	if (f->kind == FORMULA_MASKED)
		return operands[1].integer ? c->number : operands[0];
	if (f->kind == FORMULA_COPY)
		return number_cast(f->type, f->result, operands[0]);
	if (f->kind >= FORMULA_NOT && f->kind <= FORMULA_ORDER)
		value.integer = flag_of(c, operands[0], operands[1]);
	else if (number_is_real(f->type))
		value.real = real_of(c, operands[0].real, operands[1].real);
	else
		value.integer =
			(int64_t)integer_of(c, (uint64_t)operands[0].integer, (uint64_t)operands[1].integer);
	return number_cast(f->result, f->result, value);
}

static void store(const struct view *view, size_t i, char type, union number number)
{
	number_store(view->type, view_element(view, i), number_cast(type, view->type, number));
}

static void run_each(const struct computed *c)
{
	const struct formula *f = &c->formula;
	for (size_t i = 0; i < c->results->n; i++) {
		union number operands[OPERANDS] = {c->number, c->number};
		for (unsigned s = 0; s < c->n_sources; s++) {
			const struct view *view = &c->sources[s];
			bool second = f->number == NUMBER_FIRST && f->kind != FORMULA_MASKED;
			operands[second ? 1 : s] = number_cast(view->type, formula_operand(f, s),
												   number_load(view->type, view_element(view, i)));
		}
		store(c->results, i, f->result, value_of(c, operands));
	}
}

static void run_range(const struct computed *c)
{
	for (size_t i = 0; i < c->results->n; i++) {
		union number number;
		if (number_is_real(c->formula.type))
			number.real = c->number.real + c->alpha.real * (double)i;
		else
			number.integer =
				(int64_t)((uint64_t)c->number.integer + (uint64_t)c->alpha.integer * i);
		store(c->results, i, c->formula.type, number);
	}
}

/* Rows of flags of 0 and 1, many of them, multiplied. */
bool elementwise_is_quick(const struct computed *c)
{
	return c->formula.kind == FORMULA_MULTIPLY && c->formula.type == 'b' &&
		   c->formula.family == FAMILY_ROW && !c->formula.number;
}

static void run_flags(const struct computed *c)
{
	const uint8_t *a = c->sources[0].at, *b = c->sources[1].at;
	for (size_t i = 0; i < c->results->n; i++)
		c->results->at[i] = a[i] & b[i];
}

void elementwise_run(const struct computed *c)
{
	if (c->assumed) /* compared with itself, or with what no finite number is */
		memset(c->results->at, (c->n_sources == 2) == (c->comparison == EQUAL_YES), c->results->n);
	else if (c->decided)
		for (size_t i = 0; i < c->results->n; i++)
			store(c->results, i, c->formula.result, c->answer);
	else if (elementwise_is_quick(c))
		run_flags(c);
	else if (c->formula.family == FAMILY_RANGE)
		run_range(c);
	else
		run_each(c);
}

#include "values/formula.h"

#include "values/number.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTOR 400

/* What comes after `text` in `name`. */
static const char *after(const char *name, const char *text)
{
	const char *at = strstr(name, text);
	return at ? at + strlen(text) : NULL;
}

/* The last time it comes, before `end`. */
static const char *after_last(const char *name, const char *text, const char *end)
{
	const char *last = NULL;
	for (const char *at = name; (at = after(at, text)) && at <= end;)
		last = at;
	return last;
}

static bool begins(const char *name, const char *text)
{
	return !strncmp(name, text, strlen(text));
}

static bool take_type(struct formula *formula, char type)
{
	formula->type = formula->result = type;
	formula->bytes = number_bytes(type);
	return formula->bytes != 0;
}

/* ---- elementwise ---- */

enum form { NAMED, LAMBDA }; /* functor<TYPE>; a lambda, its parameters' types stand at its end */

static const struct functor {
	const char *text; /* NAMED: the type comes next */
	enum form form;
	enum formula_kind kind;
	unsigned operands;
	enum formula_number number;
	bool wrapped; /* only ever in one of wrappers[], which says what its operands are */
} functors[] = {
	{"11FillFunctorI", NAMED, FORMULA_FILL, 0, NUMBER_FIRST, false},
	{"10AbsFunctorI", NAMED, FORMULA_ABSOLUTE, 1, NUMBER_NONE, false},
	{"15CUDAFunctor_addI", NAMED, FORMULA_ADD, 2, NUMBER_NONE, false},
	{"21CUDAFunctorOnSelf_addI", NAMED, FORMULA_ADD, 1, NUMBER_SECOND, false},
	{"22CUDAFunctorOnOther_addI", NAMED, FORMULA_ADD, 1, NUMBER_FIRST, false},
	{"14CompareFunctorI", NAMED, FORMULA_ORDER, 2, NUMBER_NONE, false},
	{"21compare_scalar_kernelI", NAMED, FORMULA_ORDER, 1, NUMBER_SECOND, false},
	{"23direct_copy_kernel_cuda", LAMBDA, FORMULA_COPY, 1, NUMBER_NONE, false},
	{"27converting_copy_kernel_cudaI", NAMED, FORMULA_COPY, 1, NUMBER_NONE, false},
	{"15neg_kernel_cuda", LAMBDA, FORMULA_NEGATE, 1, NUMBER_NONE, false},
	{"23bitwise_not_kernel_cuda", LAMBDA, FORMULA_INVERT, 1, NUMBER_NONE, false},
	{"23logical_not_kernel_cuda", LAMBDA, FORMULA_NOT, 1, NUMBER_NONE, false},
	{"17where_kernel_impl", LAMBDA, FORMULA_WHERE, 3, NUMBER_NONE, false},
	{"18masked_fill_kernel", LAMBDA, FORMULA_MASKED, 2, NUMBER_FIRST, false},
	{"10MulFunctorI", NAMED, FORMULA_MULTIPLY, 2, NUMBER_NONE, true},
	{"10DivFunctorI", NAMED, FORMULA_DIVIDE, 2, NUMBER_NONE, true},
	{"16CompareEqFunctorI", NAMED, FORMULA_EQUAL, 2, NUMBER_NONE, true},
	{"17BitwiseAndFunctorI", NAMED, FORMULA_BITS_AND, 2, NUMBER_NONE, true},
	{"16BitwiseOrFunctorI", NAMED, FORMULA_BITS_OR, 2, NUMBER_NONE, true},
	{"17BitwiseXorFunctorI", NAMED, FORMULA_BITS_XOR, 2, NUMBER_NONE, true},
	{"23logical_and_kernel_cuda", LAMBDA, FORMULA_AND, 2, NUMBER_NONE, true},
	{"22logical_or_kernel_cuda", LAMBDA, FORMULA_OR, 2, NUMBER_NONE, true},
	{"23logical_xor_kernel_cuda", LAMBDA, FORMULA_XOR, 2, NUMBER_NONE, true},
	{"19maximum_kernel_cuda", LAMBDA, FORMULA_LARGER, 2, NUMBER_NONE, true},
	{"19minimum_kernel_cuda", LAMBDA, FORMULA_SMALLER, 2, NUMBER_NONE, true},
	{"21remainder_kernel_cuda", LAMBDA, FORMULA_REMAINDER, 2, NUMBER_NONE, true},
	{"21div_floor_kernel_cuda", LAMBDA, FORMULA_FLOOR_DIVIDE, 2, NUMBER_NONE, true},
};

static bool gives_bool(enum formula_kind kind)
{
	return kind >= FORMULA_NOT && kind <= FORMULA_ORDER;
}

/* Where the kernel's name says what is done to each element: from `*from` to what is returned. */
static const char *functor_of(const char *name, const char **from, struct formula *formula)
{
	const char *end;
	if ((*from = after(name, "29vectorized_elementwise_kernelILi"))) {
		*from = after(*from, "E");
		formula->family = FAMILY_ROW;
		return *from ? strstr(*from, "St5arrayIPcLm") : NULL;
	}
	if ((*from = after(name, "27unrolled_elementwise_kernelI"))) {
		if (!(end = strstr(*from, "St5arrayIPcLm")) || !strstr(end, "23TrivialOffsetCalculatorILi"))
			return NULL;
		bool cast = strstr(end, "12LoadWithCastI") && strstr(end, "13StoreWithCastI");
		formula->family = cast ? FAMILY_ROW_CAST : FAMILY_ROW;
		return cast || (strstr(end, "LoadWithoutCast") && strstr(end, "StoreWithoutCast")) ? end
																						   : NULL;
	}
	if (!(*from = after(name, "18elementwise_kernelILi128ELi")))
		return NULL;
	const char *cast = after(*from, "EZNS0_15gpu_kernel_implI");
	formula->family = cast ? FAMILY_STRIDED_CAST : FAMILY_STRIDED;
	*from = cast ? cast : after(*from, "EZNS0_22gpu_kernel_impl_nocastI");
	/* gpu_kernel_impl<functor>(TensorIteratorBase &, functor const &)::lambda */
	const char *lambda = *from ? strstr(*from, "_EUliE_EEviT1_") : NULL;
	end = lambda ? after_last(*from, "EEv", lambda) : NULL;
	return end ? end - 2 : NULL;
}

/* The wrappers of functors say where their number stands, and of which types they are: all alike
 * but for a bool that comes out. */
static bool unwrap(const char *functor, struct formula *formula)
{
	static const struct {
		const char *text;
		enum formula_number number;
	} wrappers[] = {{"NS0_13BinaryFunctorI", NUMBER_NONE},
					{"NS0_13AUnaryFunctorI", NUMBER_FIRST},
					{"NS0_13BUnaryFunctorI", NUMBER_SECOND}};
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		const char *types = functor + strlen(wrappers[i].text);
		if (!begins(functor, wrappers[i].text))
			continue;
		formula->wrapped = true;
		formula->number = wrappers[i].number;
		formula->operands = formula->number ? 1 : 2;
		return types[0] == formula->type && types[1] == formula->type &&
			   types[2] == formula->result;
	}
	return false;
}

/* Elements that are only passed on are of any type of their size. */
static char passed_on(char type)
{
	return type == 'm' ? 'l' : type == 'j' ? 'i' : type;
}

/* bool, T, T and T, bool */
static bool take_flagged(const char *types, struct formula *formula)
{
	if (formula->kind == FORMULA_WHERE)
		return types[0] == 'b' && types[1] == types[2] && types[3] == 'E' &&
			   take_type(formula, passed_on(types[1]));
	return types[1] == 'b' && types[2] == 'E' && take_type(formula, types[0]);
}

static bool take_functor(const struct functor *functor, const char *text, const char *type,
						 struct formula *formula)
{
	formula->kind = functor->kind;
	formula->operands = functor->operands;
	formula->number = functor->number;
	if (functor->form == LAMBDA && !(type = after_last(text, "EUl", text + strlen(text))))
		return false;
	if (formula->kind == FORMULA_WHERE || formula->kind == FORMULA_MASKED)
		return take_flagged(type, formula);
	if (!take_type(formula, *type))
		return false;
	if (gives_bool(formula->kind))
		formula->result = 'b';
	if (strstr(functor->text, "converting_copy"))
		formula->result = type[1];
	if (functor->wrapped)
		return unwrap(text, formula);
	return !begins(text, "NS0_13BinaryFunctorI") && number_bytes(formula->result) != 0;
}

static bool elementwise(const char *name, struct formula *formula)
{
	const char *from, *end = functor_of(name, &from, formula);
	char text[FUNCTOR];
	if (!end || end - from >= FUNCTOR)
		return false;
	memcpy(text, from, (size_t)(end - from));
	text[end - from] = 0;
	for (size_t i = 0; i < sizeof(functors) / sizeof(functors[0]); i++) {
		const char *type = after(text, functors[i].text);
		if (type)
			return take_functor(&functors[i], text, type, formula);
	}
	return false;
}

/* ---- numbers in a row ---- */

/* The lambda's place among those of its function says its type: AT_DISPATCH_ALL_TYPES's order. */
static bool range(const char *name, struct formula *formula)
{
	static const struct {
		const char *text;
		char type;
	} places[] = {{"_", 'h'}, {"1_", 'i'}, {"2_", 'l'}, {"4_", 'd'}, {"5_", 'f'}};
	const char *place = after(name, "15arange_cuda_outERKN3c106ScalarES6_S6_RNS1_6TensorEENKUlvE_"
									"clEvENKUlvE");
	formula->family = FAMILY_RANGE;
	formula->kind = FORMULA_ARITHMETIC_PROGRESSION;
	for (size_t i = 0; place && i < sizeof(places) / sizeof(places[0]); i++)
		if (begins(place, places[i].text))
			return begins(place + strlen(places[i].text), "clEvEUllE_") &&
				   take_type(formula, places[i].type);
	return false;
}

/* ---- reductions ---- */

static const struct reduction {
	const char *text;
	enum formula_kind kind;
} reductions[] = {
	{"NS0_14func_wrapper_tI?ZNS0_11sum_functorI", FORMULA_SUM},
	{"NS0_7MeanOpsI", FORMULA_MEAN},
	{"NS0_14func_wrapper_tI?NS0_13MaxNanFunctorI", FORMULA_MAX},
	{"NS0_14func_wrapper_tI?NS0_13MinNanFunctorI", FORMULA_MIN},
	{"NS0_14func_wrapper_tI?ZZZNS0_15and_kernel_cuda", FORMULA_ALL},
	{"NS0_14func_wrapper_tI?ZZZNS0_14or_kernel_cuda", FORMULA_ANY},
	{"NS0_9ArgMaxOpsI", FORMULA_WHICH_MAX},
	{"NS0_9ArgMinOpsI", FORMULA_WHICH_MIN},
	{"NS0_6MaxOpsI", FORMULA_MAX_AND_PLACE},
	{"NS0_6MinOpsI", FORMULA_MIN_AND_PLACE},
};

/* Is it `text`, but for what stands at a "?": that is `type`? */
static bool begins_with_type(const char *name, const char *text, char type)
{
	for (; *text; name++, text++)
		if (*name != (*text == '?' ? type : *text))
			return false;
	return true;
}

/* The types after the operation's name: nothing but the result's type may differ. */
static bool reduced_types(const char *types, const struct reduction *reduction, char result)
{
	char type = types[0];
	size_t at = 1 + strlen(reduction->text);
	switch (reduction->kind) {
	case FORMULA_SUM:
	case FORMULA_MEAN:
		return result == type && types[at] == type && types[at + 1] == type &&
			   types[at + 2] == type;
	case FORMULA_ALL:
	case FORMULA_ANY:
		return result == 'b';
	case FORMULA_WHICH_MAX:
	case FORMULA_WHICH_MIN:
		return result == 'l' && types[at] == type;
	default:
		return result == type && types[at] == type;
	}
}

static bool reduction(const char *name, struct formula *formula)
{
	const char *types = after(name, "ENS0_8ReduceOpI"),
			   *end = after_last(name, "EEj", name + strlen(name));
	formula->family = FAMILY_REDUCTION;
	/* the result's type, and how the structure is laid out */
	if (!types || !take_type(formula, types[0]) || !end ||
		strcmp(end + (*end != 0), "Li4ELi4EEEEEvT1_") != 0)
		return false;
	for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
		formula->kind = reductions[i].kind;
		bool logical = formula->kind == FORMULA_ALL || formula->kind == FORMULA_ANY;
		if (!begins_with_type(types + 1, reductions[i].text, logical ? 'b' : formula->type))
			continue;
		const char *lambda = after_last(types, "EUl", end);
		formula->result = formula->gathered = *end;
		if (logical)
			formula->gathered = lambda ? *lambda : 0;
		return number_bytes(formula->gathered) && reduced_types(types, &reductions[i], *end);
	}
	return false;
}

/* ---- joined arrays ---- */

/* ..., of 32-bit sizes: 128 arrays a launch that need no strides, or 64 with strides of their own.
 * The one that moves vectors counts in vectors along all dimensions but the first. */
static bool joining(const char *name, struct formula *formula)
{
	const char *kernel = after(name, "CatArrayBatchedCopy");
	const char *size = kernel ? after(kernel, "OpaqueTypeILj") : NULL;
	char *rest;
	if (!size)
		return false;
	formula->kind = FORMULA_JOIN;
	formula->bytes = strtoul(size, &rest, 10);
	if (!begins(rest, "EEEjLi") || rest[6] < '1' || rest[6] > '4')
		return false;
	formula->operands = (unsigned)(rest[6] - '0');
	bool contiguous = begins(kernel, "_contigI") || begins(kernel, "_alignedK_contigI") ||
					  begins(kernel, "_aligned16_contigI");
	formula->family = begins(kernel, "I")      ? FAMILY_JOIN
					  : formula->operands == 1 ? FAMILY_JOIN_ROWS
											   : FAMILY_JOIN_CONTIGUOUS;
	if (formula->family == FAMILY_JOIN)
		return begins(rest + 7, "ELi64ELi64E");
	return begins(rest + 7, "ELi128ELi1E") &&
		   (contiguous || (begins(kernel, "_vectorizedI") && formula->operands == 1));
}

bool formula_of(const char *name, struct formula *formula)
{
	*formula = (struct formula){0};
	if (begins(name, "_ZN2at6native13reduce_kernelILi"))
		return reduction(name, formula);
	if (strstr(name, "_RangeFactories_cu_") && strstr(name, "29elementwise_kernel_with_indexIi"))
		return range(name, formula);
	if (begins(name, "_ZN2at6native") && strstr(name, "CatArrayBatchedCopy"))
		return joining(name, formula);
	return begins(name, "_ZN2at6native") && elementwise(name, formula);
}

char formula_operand(const struct formula *formula, unsigned i)
{
	unsigned flag = formula->kind == FORMULA_WHERE ? 0 : formula->kind == FORMULA_MASKED ? 1 : 9;
	return i == flag ? 'b' : formula->type;
}

#include "formula.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTOR 256

static size_t type_bytes(char type)
{
	static const char types[] = "lifdhb";
	static const size_t bytes[] = {8, 4, 4, 8, 1, 1};
	const char *at = type ? strchr(types, type) : NULL;
	return at ? bytes[at - types] : 0;
}

/* What comes after `text` in `name`. */
static const char *after(const char *name, const char *text)
{
	const char *at = strstr(name, text);
	return at ? at + strlen(text) : NULL;
}

static bool begins(const char *name, const char *text)
{
	return !strncmp(name, text, strlen(text));
}

static bool take_type(struct formula *formula, char type)
{
	formula->type = type;
	formula->bytes = type_bytes(type);
	return formula->bytes != 0;
}

/* ---- elementwise ---- */

static const struct functor {
	const char *text; /* the type comes next */
	enum formula_kind kind;
	enum formula_number number;
} functors[] = {
	{"11FillFunctorI", FORMULA_FILL, NUMBER_FIRST},
	{"10AbsFunctorI", FORMULA_ABSOLUTE, NUMBER_NONE},
	{"15CUDAFunctor_addI", FORMULA_ADD, NUMBER_NONE},
	{"21CUDAFunctorOnSelf_addI", FORMULA_ADD, NUMBER_SECOND},
	{"22CUDAFunctorOnOther_addI", FORMULA_ADD, NUMBER_FIRST},
	{"10MulFunctorI", FORMULA_MULTIPLY, NUMBER_NONE},
	{"10DivFunctorI", FORMULA_DIVIDE, NUMBER_NONE},
	{"16CompareEqFunctorI", FORMULA_EQUAL, NUMBER_NONE},
	{"14CompareFunctorI", FORMULA_ORDER, NUMBER_NONE},
	{"21compare_scalar_kernelI", FORMULA_ORDER, NUMBER_SECOND},
};

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
		formula->number = wrappers[i].number;
		char result =
			formula->kind == FORMULA_EQUAL || formula->kind == FORMULA_ORDER ? 'b' : formula->type;
		return types[0] == formula->type && types[1] == formula->type && types[2] == result;
	}
	/* in no wrapper: these operands are its own */
	return formula->kind != FORMULA_MULTIPLY && formula->kind != FORMULA_DIVIDE &&
		   formula->kind != FORMULA_EQUAL;
}

static bool elementwise(const char *name, struct formula *formula)
{
	const char *from = after(name, "vectorized_elementwise_kernelILi"), *arrays;
	char functor[FUNCTOR];
	if (from)
		from = after(from, "E");
	else if (strstr(name, "LoadWithoutCast") && strstr(name, "StoreWithoutCast"))
		from = after(name, "unrolled_elementwise_kernelI");
	if (!from || !(arrays = strstr(from, "St5arrayIPcLm")) || arrays - from >= FUNCTOR)
		return false;
	memcpy(functor, from, (size_t)(arrays - from));
	functor[arrays - from] = 0;
	for (size_t i = 0; i < sizeof(functors) / sizeof(functors[0]); i++) {
		const char *type = after(functor, functors[i].text);
		if (!type)
			continue;
		formula->kind = functors[i].kind;
		formula->number = functors[i].number;
		return take_type(formula, *type) && unwrap(functor, formula);
	}
	return false;
}

/* ---- reductions ---- */

static bool reduction(const char *name, struct formula *formula)
{
	static const struct {
		const char *text;
		enum formula_kind kind;
	} kinds[] = {{"ZNS0_11sum_functorI", FORMULA_SUM},
				 {"NS0_13MaxNanFunctorI", FORMULA_MAX},
				 {"NS0_13MinNanFunctorI", FORMULA_MIN},
				 {"ZZZNS0_15and_kernel_cuda", FORMULA_ALL},
				 {"ZZZNS0_14or_kernel_cuda", FORMULA_ANY}};
	const char *types = after(name, "13reduce_kernelILi512ELi1ENS0_8ReduceOpI");
	if (!types || !take_type(formula, types[0]) || !begins(types + 1, "NS0_14func_wrapper_tI"))
		return false;
	const char *combine = after(types, "func_wrapper_tI") + 1, *result = strstr(types, "EEj");
	char ending[] =
		"EEj?Li4ELi4EEEEEvT1_"; /* the result's type, and how the structure is laid out */
	ending[3] = formula->type;
	if (combine[-1] != formula->type || !result || strcmp(result, ending) != 0)
		return false;
	bool logical = formula->type == 'b';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(combine, kinds[i].text)) {
			formula->kind = kinds[i].kind;
			return logical == (formula->kind == FORMULA_ALL || formula->kind == FORMULA_ANY);
		}
	return false;
}

/* ---- joined arrays ---- */

/* ..., of 32-bit sizes, of one dimension, 128 arrays a launch, one stride for all of them. */
static bool joining(const char *name, struct formula *formula)
{
	const char *kernel = after(name, "CatArrayBatchedCopy_");
	const char *size = kernel ? after(kernel, "OpaqueTypeILj") : NULL;
	if (!size || (!begins(kernel, "contigI") && !begins(kernel, "alignedK_contigI") &&
				  !begins(kernel, "aligned16_contigI") && !begins(kernel, "vectorizedI")))
		return false;
	char *rest;
	formula->kind = FORMULA_JOIN;
	formula->bytes = strtoul(size, &rest, 10);
	return begins(rest, "EEEjLi1ELi128ELi1E");
}

bool formula_of(const char *name, struct formula *formula)
{
	*formula = (struct formula){0};
	if (begins(name, "_ZN2at6native13reduce_kernel"))
		return reduction(name, formula);
	if (begins(name, "_ZN2at6native") && strstr(name, "CatArrayBatchedCopy_"))
		return joining(name, formula);
	return begins(name, "_ZN2at6native") && elementwise(name, formula);
}

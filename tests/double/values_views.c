/* Operands that are no rows of one type: with strides, of other types than the functor's, reduced
 * along one dimension, joined along another than the first; and operands of which one that is known
 * decides. */
#include "values_launch.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define STRIDED(impl_, functor_)                                           \
	"_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_" impl_ "I" functor_ \
	"EEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_"
#define NOCAST "22gpu_kernel_impl_nocast"
#define CAST "15gpu_kernel_impl"
#define AND "NS0_13BinaryFunctorIlllNS0_17BitwiseAndFunctorIlEEEE"
#define BOOL_OR "NS0_13BinaryFunctorIbbbNS0_16BitwiseOrFunctorIbEEEE"
#define ADD_NUMBER "NS0_21CUDAFunctorOnSelf_addIlEE"
#define TO(place_, type_)                                                                   \
	"ZZZNS0_23direct_copy_kernel_cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE" place_ \
	"clEvEUl" type_ "E_"
#define TO_INT64 TO("2_", "l")
#define TO_INT32 TO("1_", "i")
#define TO_UINT8 TO("_", "h")

enum {
	UINT8 = 0,
	INT32 = 3,
	INT64 = 4,
	HALF = 5,
	FLOAT = 6,
	DOUBLE = 7,
	BOOL = 11
}; /* c10::ScalarType */

/* A closure over 2 or 3 arrays: at most three dimensions. */
struct strided {
	unsigned arrays;
	int n, dims;
	uint32_t sizes[3], strides[3][3]; /* [dimension][array] */
	void *addresses[3];
	const void *functor;
	size_t functor_bytes;
	int8_t types[3];
};

static void strided(const char *name, const struct strided *s)
{
	_Alignas(8) uint8_t closure[1024] = {0}, *at = closure + 4;
	void *arguments[2] = {(void *)&s->n, closure};
	memcpy(closure, &s->dims, sizeof(int));
	for (int d = 0; d < 3; d++) {
		memcpy(at + 12 * d, &s->sizes[d], sizeof(uint32_t));
		memcpy(at + 300 + 4 * s->arrays * (unsigned)d, s->strides[d], 4 * s->arrays);
	}
	at = closure + (304 + 100 * s->arrays + 7) / 8 * 8;
	memcpy(at, s->addresses, s->arrays * sizeof(void *));
	at += s->arrays * sizeof(void *);
	if (s->functor)
		memcpy(at, s->functor, s->functor_bytes);
	memcpy(at + s->functor_bytes, s->types, s->arrays);
	launch(name, arguments, 1, NULL);
}

static const struct {
	int64_t number, alpha;
} add = {10, 1};

/* The second column of a table of four rows of two, into a row. */
static struct strided column(void)
{
	return (struct strided){.arrays = 2,
							.n = 4,
							.dims = 1,
							.sizes = {4},
							.strides = {{8, 16}},
							.addresses = {array(3), (int64_t *)array(0) + 1},
							.functor = &add,
							.functor_bytes = sizeof(add)};
}

static void case_strided(void)
{
	struct strided view = column();
	int64_t out[4];
	put(0, first, sizeof(first));
	strided(STRIDED(NOCAST, ADD_NUMBER), &view);
	get(3, out, sizeof(out));
	for (int i = 0; i < 4; i++)
		CHECK(out[i] == first[2 * i + 1] + 10);
	view.addresses[0] = array(0); /* into the first column: the second is what it was */
	view.strides[0][0] = 16;
	strided(STRIDED(NOCAST, ADD_NUMBER), &view);
	get(0, out, sizeof(out));
	CHECK(out[0] == first[1] + 10 && out[1] == first[1] && out[2] == first[3] + 10);
}

/* Keeps out: values of arguments that are laid out otherwise. */
static void case_not_strided(void)
{
	int64_t out;
	for (int wrong = 0; wrong < 4; wrong++) {
		struct strided view = column();
		view.dims = wrong == 0 ? 26 : wrong == 1 ? -1 : 1;
		view.sizes[0] = wrong == 2 ? 3 : 4;
		view.strides[0][1] = wrong == 3 ? 1u << 30 : 16;
		put(0, first, sizeof(first));
		put(3, first, sizeof(first));
		strided(STRIDED(NOCAST, ADD_NUMBER), &view);
		get(3, &out, sizeof(out));
		CHECK(out == 0);
	}
}

/* `n` floats of the first array, as numbers of a type and size, into the last. */
static struct strided cast(int n, int8_t type, uint32_t bytes)
{
	return (struct strided){.arrays = 2,
							.n = n,
							.dims = 1,
							.sizes = {(uint32_t)n},
							.strides = {{bytes, sizeof(float)}},
							.addresses = {array(3), array(0)},
							.functor_bytes = 1,
							.types = {type, FLOAT}};
}

/* What fits no integer: the nearest, as a GPU gives it; a uint8 is what an int64 ends with. */
static void case_too_big(void)
{
	static const float reals[8] = {3e9f, -3e9f, NAN, INFINITY, -INFINITY, 300, -1, 2.75f};
	struct strided view = cast(8, INT32, sizeof(int32_t));
	double same[8];
	int32_t words[8];
	uint8_t bytes[8];
	put(0, reals, sizeof(reals));
	strided(STRIDED(CAST, TO_INT32), &view);
	get(3, words, sizeof(words));
	CHECK(words[0] == INT32_MAX && words[1] == INT32_MIN && words[2] == 0);
	CHECK(words[3] == INT32_MAX && words[4] == INT32_MIN && words[5] == 300);
	CHECK(words[6] == -1 && words[7] == 2);
	view.types[0] = UINT8;
	view.strides[0][0] = 1;
	strided(STRIDED(CAST, TO_UINT8), &view);
	get(3, bytes, sizeof(bytes));
	CHECK(bytes[5] == 44 && bytes[6] == 255 && bytes[7] == 2);
	for (int i = 0; i < 8; i++)
		same[i] = (double)reals[i];
	put(0, same, sizeof(same));
	view.types[0] = INT32;
	view.types[1] = DOUBLE;
	view.strides[0][0] = 4;
	view.strides[0][1] = 8;
	strided(STRIDED(CAST, TO_INT32), &view);
	get(3, words, sizeof(words));
	CHECK(words[0] == INT32_MAX && words[1] == INT32_MIN && words[2] == INT32_MIN);
}

static void case_types(void)
{
	static const float reals[4] = {1.75f, -2.75f, 3e30f, 0};
	static const uint8_t flags[N] = {1, 0, 1, 0, 1, 0, 1, 1};
	struct strided view = cast(4, INT64, sizeof(int64_t));
	struct {
		int8_t types[2];
		uint32_t bytes[2];
	} load = {{INT64, BOOL}, {8, 1}}, store = {{INT64}, {8}};
	int n = N;
	uint8_t nothing = 0;
	void *arrays[3] = {array(3), array(0), array(1)};
	void *arguments[7] = {&n, &nothing, arrays, &nothing, &nothing, &load, &store};
	int64_t out[N];
	put(0, reals, sizeof(reals));
	strided(STRIDED(CAST, TO_INT64), &view);
	get(3, out, sizeof(out));
	CHECK(out[0] == 1 && out[1] == -2 && out[2] == INT64_MAX && out[3] == 0);
	put(0, first, sizeof(first));
	put(1, flags, sizeof(flags));
	for (int known = 1; known >= 0; known--) {
		load.types[1] = known ? BOOL : HALF; /* a type that is not worked out */
		launch("_ZN2at6native27unrolled_elementwise_kernelI" AND
			   "St5arrayIPcLm3EELi4E23TrivialOffsetCalculatorILi2EjES9_ILi1EjENS0_6memory12LoadWith"
			   "CastILi2EEENSC_13StoreWithCastILi1EEEEEviT_T0_T2_T3_T4_T5_",
			   arguments, 1, NULL);
		get(3, out, sizeof(out));
		for (int i = 0; i < N; i++)
			CHECK(out[i] == (known ? first[i] & flags[i] : 0));
	}
}

/* Keeps out: a loop without end, where one criterion is known to be met and another is not. */
static void case_decided(void)
{
	static const uint8_t set[N] = {1, 1, 1, 1, 1, 1, 1, 1}, some[N] = {1, 1, 1, 0};
	const int64_t none[N] = {0};
	uint8_t flags[N], nothing = 0;
	int64_t out[N];
	forget();
	put(0, set, sizeof(set));
	elementwise(ELEMENTWISE BOOL_OR ARRAYS(3), &nothing);
	get(3, flags, sizeof(flags));
	CHECK(!memcmp(flags, set, sizeof(set)));
	put(0, some, sizeof(some)); /* for the fourth the other one matters */
	elementwise(ELEMENTWISE BOOL_OR ARRAYS(3), &nothing);
	get(3, flags, sizeof(flags));
	CHECK(!flags[0] && !flags[3]);
	put(3, first, sizeof(first));
	put(0, none, sizeof(none));
	elementwise(ELEMENTWISE AND ARRAYS(3), &nothing);
	get(3, out, sizeof(out));
	CHECK(!memcmp(out, none, sizeof(none)));
}

/* A table of two rows of four: along the rows, and along the columns. */
static void case_places(void)
{
	static const int64_t table[N] = {5, 9, 9, 1, 0, -3, 2, 2};
	struct reduce rows = {.config = {8, 4, 2},
						  .dims = 1,
						  .sizes = {{4}},
						  .strides = {8},
						  .output_dims = 1,
						  .output_sizes = {{2}},
						  .output_strides = {{8, 32}}};
	struct reduce columns = {.config = {8, 2, 4},
							 .dims = 1,
							 .sizes = {{2}},
							 .strides = {32},
							 .output_dims = 1,
							 .output_sizes = {{4}},
							 .output_strides = {{8, 8}}};
	int64_t out[4], places[4];
	put(0, table, sizeof(table));
	reduce_launch(REDUCE "lNS0_9ArgMaxOpsIlEEjlLi4ELi4EEEEEvT1_", &rows, 24, 1);
	get(3, out, sizeof(out));
	CHECK(out[0] == 1 && out[1] == 2);
	reduce_launch(REDUCE "lNS0_6MinOpsIlEEjlLi4ELi4EEEEEvT1_", &columns, 24, 2);
	get(3, out, sizeof(out));
	get(4, places, sizeof(places));
	CHECK(out[0] == 0 && out[1] == -3 && out[2] == 2 && out[3] == 1);
	CHECK(places[0] == 1 && places[1] == 1 && places[2] == 1 && places[3] == 0);
	rows.output_sizes[0][0] = 3; /* other results than there are: not worked out */
	reduce_launch(REDUCE "lNS0_9ArgMaxOpsIlEEjlLi4ELi4EEEEEvT1_", &rows, 24, 1);
	get(3, out, sizeof(out));
	CHECK(out[0] == 0 && out[1] == 0);
}

static void case_range(void)
{
	const int64_t from[2] = {3, -2};
	int n = 3;
	void *to = array(3), *arguments[3] = {&n, (void *)from, &to};
	int64_t out[3];
	launch("_ZN50_GLOBAL__N__fa15d16e_17_RangeFactories_cu_38772b0829elementwise_kernel_with_index"
		   "IiZZZN2at6native15arange_cuda_outERKN3c106ScalarES6_S6_RNS1_6TensorEENKUlvE_clEvENKUlvE"
		   "2_clEvEUllE_EEvT_T0_PN15function_traitsISD_E11result_typeE",
		   arguments, 1, NULL);
	get(3, out, sizeof(out));
	CHECK(out[0] == 3 && out[1] == 1 && out[2] == -1);
}

static struct {
	void *arrays[64];
	uint32_t offsets[64], sizes[64], n[64];
	bool contiguous[64];
	uint32_t shapes[64][8];
} joined;

/* Two tables side by side, as wide as `shape` says both are. */
static void join_beside(void *out, const uint32_t shape[8])
{
	int along = 1;
	uint32_t stride = 1;
	void *arguments[5] = {&out, &joined, (void *)shape, &along, &stride};
	launch("_ZN2at6native40_GLOBAL__N__f1f992fe_8_Shape_cu_49f7391c19CatArrayBatchedCopyINS1_10"
		   "OpaqueTypeILj8EEEjLi2ELi64ELi64EEEvPT_NS1_25CatArrInputTensorMetadataIS5_T0_XT2_EXT3_"
		   "EEENS1_16TensorSizeStrideIS8_Lj4EEEiS8_",
		   arguments, 2, NULL);
}

/* Two rows of two, beside them a column of a table of two rows of four. */
static void case_beside(void)
{
	static const uint32_t shape[8] = {2, 3, 0, 0, 3, 1};
	int64_t got[6];
	joined.arrays[0] = array(0);
	joined.arrays[1] = array(1);
	joined.offsets[1] = 2;
	joined.sizes[0] = 2;
	joined.sizes[1] = 1;
	joined.n[0] = 4;
	joined.n[1] = 2;
	joined.contiguous[0] = true;
	memcpy(joined.shapes[1], (const uint32_t[8]){2, 1, 0, 0, 4, 1}, sizeof(joined.shapes[1]));
	put(0, first, sizeof(first));
	put(1, second, sizeof(second));
	join_beside(array(3), shape);
	get(3, got, sizeof(got));
	CHECK(got[0] == first[0] && got[1] == first[1] && got[2] == second[0]);
	CHECK(got[3] == first[2] && got[4] == first[3] && got[5] == second[4]);
	joined.shapes[1][4] = 1u << 29; /* rows that are 4 GiB apart: not worked out */
	put(0, first, sizeof(first));
	put(1, second, sizeof(second));
	join_beside(array(3), shape);
	get(3, got, sizeof(got));
	CHECK(got[0] == 0 && got[2] == 0);
}

/* Two tables of so many rows, side by side: more than are worked out when all is in many pieces. */
static void join_tables(uint32_t rows, uint32_t width, bool worked)
{
	enum { MOST = 16384 };
	static int64_t in[2][MOST], out[2 * MOST];
	const uint32_t n = rows * width, shape[8] = {rows, 2 * width, 0, 0, 2 * width, 1};
	memset(out, 0, sizeof(out));
	put(2048, out, sizeof(out));
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < n; k++)
			in[i][k] = 1 + i * MOST + k;
		joined.arrays[i] = array(i ? 1024 : 0);
		joined.offsets[i] = i * width;
		joined.sizes[i] = width;
		joined.n[i] = n;
		joined.contiguous[i] = true;
		put(i ? 1024 : 0, in[i], n * sizeof(int64_t));
	}
	join_beside(array(2048), shape);
	get(2048, out, 2 * n * sizeof(int64_t)); /* so big that it is the memory as it is */
	unsigned wrong = 0;
	for (uint32_t k = 0; k < 2 * n; k++) {
		uint32_t row = k / (2 * width), column = k % (2 * width), i = column >= width;
		int64_t wanted = in[i][row * width + column - i * width];
		wrong += out[k] != (worked ? wanted : 0);
	}
	CHECK(wrong == 0);
}

static void case_pieces(void)
{
	join_tables(1024, 16, true);
	join_tables(8192, 1, false);
}

/* Keeps out: a launch that waits for many flags to be looked at one by one. */
static void case_many_flags(void)
{
	static uint8_t flags[32768];
	struct reduce many = {
		.config = {1, sizeof(flags), 1}, .dims = 1, .sizes = {{sizeof(flags)}}, .strides = {1}};
	uint8_t flag;
	memset(flags, 1, sizeof(flags));
	for (int any = 0; any < 2; any++) {
		put(0, flags, sizeof(flags));
		reduce_launch(any ? REDUCE "bNS0_14func_wrapper_tIbZZZNS0_14or_kernel_cudaERNS_14Tensor"
								   "IteratorEENKUlvE_clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EEEEEvT1_"
						  : REDUCE "bNS0_14func_wrapper_tIbNS0_13MaxNanFunctorIbEEEEjbLi4ELi4EEEEE"
								   "vT1_",
					  &many, 2, 1);
		get(3, &flag, 1);
		CHECK(flag == any);
	}
}

static void (*const cases[])(void) = {case_strided,    case_not_strided, case_types,  case_decided,
									  case_places,     case_range,       case_beside, case_pieces,
									  case_many_flags, case_too_big};
const unsigned n_views_cases = sizeof(cases) / sizeof(cases[0]);

void views_cases(void)
{
	for (unsigned i = 0; i < n_views_cases; i++)
		cases[i]();
}

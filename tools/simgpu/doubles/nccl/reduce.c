#include "doubles/nccl/reduce.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 1024 }; /* elements that are summed in registers and cache before they are stored */

static float from_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint32_t to_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float half_load(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t exponent = (half >> 10) & 31, fraction = half & 1023;

	if (exponent == 31)
		return from_bits(sign | 0x7f800000 | fraction << 13);
	if (exponent == 0) /* a subnormal: fraction * 2^-24 */
		return from_bits(sign | to_bits((float)fraction * 0x1p-24f));
	return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static uint16_t half_store(float value)
{
	uint32_t bits = to_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;

	if (rest > 0x7f800000)
		return (uint16_t)(sign | 0x7e00);
	if (rest >= 0x477ff000) /* rounds to 65536 and more */
		return (uint16_t)(sign | 0x7c00);
	if (rest < 0x38800000) /* subnormal: the adder rounds to even at 2^-24 */
		return (uint16_t)(sign | (to_bits(from_bits(rest) + 0.5f) - to_bits(0.5f)));
	rest += 0xfff + (rest >> 13 & 1);
	return (uint16_t)(sign | (rest - 0x38000000) >> 13);
}

static float bfloat_load(uint16_t bits)
{
	return from_bits((uint32_t)bits << 16);
}

static uint16_t bfloat_store(float value)
{
	uint32_t bits = to_bits(value);

	if ((bits & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define SAME(x) (x)

/* One element type: stored as `stored`, computed as `number`. */
#define ELEMENT(name, stored, number, load, store)                                                \
	static void add_##name(number *sum, const stored *in, ncclRedOp_t op, size_t n)               \
	{                                                                                             \
		switch (op) {                                                                             \
		case ncclProd:                                                                            \
			for (size_t i = 0; i < n; i++)                                                        \
				sum[i] = (number)(sum[i] * load(in[i]));                                          \
			break;                                                                                \
		case ncclMax:                                                                             \
			for (size_t i = 0; i < n; i++)                                                        \
				sum[i] = load(in[i]) > sum[i] ? load(in[i]) : sum[i];                             \
			break;                                                                                \
		case ncclMin:                                                                             \
			for (size_t i = 0; i < n; i++)                                                        \
				sum[i] = load(in[i]) < sum[i] ? load(in[i]) : sum[i];                             \
			break;                                                                                \
		default:                                                                                  \
			for (size_t i = 0; i < n; i++)                                                        \
				sum[i] = (number)(sum[i] + load(in[i]));                                          \
		}                                                                                         \
	}                                                                                             \
	static void reduce_##name(ncclRedOp_t op, void *out, const void *const *in, int ranks,        \
							  size_t count)                                                       \
	{                                                                                             \
		number sum[BLOCK];                                                                        \
                                                                                                  \
		for (size_t at = 0; at < count; at += BLOCK) {                                            \
			size_t n = count - at < BLOCK ? count - at : BLOCK;                                   \
                                                                                                  \
			for (size_t i = 0; i < n; i++)                                                        \
				sum[i] = load(((const stored *)in[0] + at)[i]);                                   \
			for (int rank = 1; rank < ranks; rank++)                                              \
				add_##name(sum, (const stored *)in[rank] + at, op, n);                            \
			for (size_t i = 0; i < n; i++)                                                        \
				((stored *)out + at)[i] =                                                         \
					(stored)store((number)(op == ncclAvg ? sum[i] / (number)ranks : sum[i]));     \
		}                                                                                         \
	}                                                                                             \
	static void scale_##name(void *out, const void *in, const void *scalar, size_t count)         \
	{                                                                                             \
		number factor = load(*(const stored *)scalar);                                            \
                                                                                                  \
		for (size_t i = 0; i < count; i++)                                                        \
			((stored *)out)[i] = (stored)store((number)(load(((const stored *)in)[i]) * factor)); \
	}

ELEMENT(i8, int8_t, int8_t, SAME, SAME)
ELEMENT(u8, uint8_t, uint8_t, SAME, SAME)
ELEMENT(i32, int32_t, int32_t, SAME, SAME)
ELEMENT(u32, uint32_t, uint32_t, SAME, SAME)
ELEMENT(i64, int64_t, int64_t, SAME, SAME)
ELEMENT(u64, uint64_t, uint64_t, SAME, SAME)
ELEMENT(f16, uint16_t, float, half_load, half_store)
ELEMENT(f32, float, float, SAME, SAME)
ELEMENT(f64, double, double, SAME, SAME)
ELEMENT(bf16, uint16_t, float, bfloat_load, bfloat_store)

static const struct element {
	const char *name;
	size_t bytes;
	void (*reduce)(ncclRedOp_t, void *, const void *const *, int, size_t);
	void (*scale)(void *, const void *, const void *, size_t);
} elements[ncclNumTypes] = {
	[ncclInt8] = {"i8", 1, reduce_i8, scale_i8},
	[ncclUint8] = {"u8", 1, reduce_u8, scale_u8},
	[ncclInt32] = {"i32", 4, reduce_i32, scale_i32},
	[ncclUint32] = {"u32", 4, reduce_u32, scale_u32},
	[ncclInt64] = {"i64", 8, reduce_i64, scale_i64},
	[ncclUint64] = {"u64", 8, reduce_u64, scale_u64},
	[ncclFloat16] = {"f16", 2, reduce_f16, scale_f16},
	[ncclFloat32] = {"f32", 4, reduce_f32, scale_f32},
	[ncclFloat64] = {"f64", 8, reduce_f64, scale_f64},
	[ncclBfloat16] = {"bf16", 2, reduce_bf16, scale_bf16},
	[ncclFloat8e4m3] = {"f8e4m3", 1, NULL, NULL},
	[ncclFloat8e5m2] = {"f8e5m2", 1, NULL, NULL},
};

size_t reduce_type_bytes(ncclDataType_t type)
{
	return (unsigned)type < ncclNumTypes ? elements[type].bytes : 0;
}

const char *reduce_type_name(ncclDataType_t type)
{
	return elements[type].name;
}

bool reduce_can(ncclDataType_t type)
{
	return elements[type].reduce != NULL;
}

void reduce_ranks(ncclDataType_t type, ncclRedOp_t op, void *out, const void *const *in, int ranks,
				  size_t count)
{
	elements[type].reduce(op, out, in, ranks, count);
}

void reduce_scale(ncclDataType_t type, void *out, const void *in, const void *scalar, size_t count)
{
	elements[type].scale(out, in, scalar, count);
}

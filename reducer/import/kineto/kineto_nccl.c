#include "import/kineto/kineto_nccl.h"

#include <string.h>

enum { LETTERS = 40 };

struct spelling {
	const char *begin; /* of the name without prefix and in lower-case letters */
	uint8_t coll;
};

/* The first that fits, so longer ones come first. What follows (_base, _coalesced, _tensor,
 * _into_tensor, ...) says how the buffers lie, not what is done. */
static const struct spelling spellings[] = {
	{"allreduce", BATON_COLL_ALLREDUCE},
	{"allgather", BATON_COLL_ALLGATHER},
	{"reducescatter", BATON_COLL_REDUCESCATTER},
	{"alltoall", BATON_COLL_ALLTOALL},
	{"allbarrier", BATON_COLL_BARRIER},
	{"barrier", BATON_COLL_BARRIER},
	{"monitoredbarrier", BATON_COLL_BARRIER},
	{"broadcast", BATON_COLL_BROADCAST},
	{"reduce", BATON_COLL_REDUCE},
	{"gather", BATON_COLL_GATHER},
	{"scatter", BATON_COLL_SCATTER},
	{"sendrecv", BATON_COLL_SENDRECV},
	{"batchisendirecv", BATON_COLL_SENDRECV},
	{"send", BATON_COLL_SEND},
	{"isend", BATON_COLL_SEND},
	{"recv", BATON_COLL_RECV},
	{"irecv", BATON_COLL_RECV},
};

static const char *const prefixes[] = {"nccl", "cd", "dist"}; /* nccl:, c10d::, dist. */

static const char *skip_prefixes(const char *letters)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);
		if (strncmp(letters, prefixes[i], n) == 0)
			letters += n;
	}
	return letters;
}

enum baton_coll kineto_coll(const char *name, size_t bytes)
{
	char letters[LETTERS + 1];
	size_t n = 0;
	for (size_t i = 0; i < bytes && n < LETTERS; i++) {
		char c = name[i] | 0x20;
		if (c >= 'a' && c <= 'z')
			letters[n++] = c;
	}
	letters[n] = 0;
	const char *core = skip_prefixes(letters);
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (strncmp(core, spellings[i].begin, strlen(spellings[i].begin)) == 0)
			return spellings[i].coll;
	return BATON_COLL_UNKNOWN;
}

struct dtype {
	const char *name;
	uint32_t bytes;
};

/* The names of c10::ScalarType, and those of NumPy that some versions print. */
static const struct dtype dtypes[] = {
	{"Float", 4},
	{"BFloat16", 2},
	{"Half", 2},
	{"Double", 8},
	{"Byte", 1},
	{"Char", 1},
	{"Short", 2},
	{"Int", 4},
	{"Long", 8},
	{"Bool", 1},
	{"ComplexHalf", 4},
	{"ComplexFloat", 8},
	{"ComplexDouble", 16},
	{"UInt16", 2},
	{"UInt32", 4},
	{"UInt64", 8},
	{"Float8_e4m3fn", 1},
	{"Float8_e5m2", 1},
	{"Float8_e4m3fnuz", 1},
	{"Float8_e5m2fnuz", 1},
	{"QInt8", 1},
	{"QUInt8", 1},
	{"QInt32", 4},
	{"Int8", 1},
	{"UInt8", 1},
	{"Int16", 2},
	{"Int32", 4},
	{"Int64", 8},
	{"Float16", 2},
	{"Float32", 4},
	{"Float64", 8},
};

static int same_name(const char *name, const char *at, size_t bytes)
{
	if (strlen(name) != bytes)
		return 0;
	for (size_t i = 0; i < bytes; i++)
		if ((name[i] | 0x20) != (at[i] | 0x20))
			return 0;
	return 1;
}

uint32_t kineto_dtype_bytes(const char *name, size_t bytes)
{
	const char *colon = memrchr(name, ':', bytes); /* c10::BFloat16 */
	if (colon) {
		bytes -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (same_name(dtypes[i].name, name, bytes))
			return dtypes[i].bytes;
	return 0;
}

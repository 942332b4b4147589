#include "sources/stacks/python_hash.h"

#include "base/perthread.h"
#include "sources/stacks/python_code.h"
#include "sources/stacks/python_walk.h"

#include <xxhash.h>

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t turn(uint64_t value)
{
	return value << 29 | value >> 35;
}

static const uint64_t salt[2] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull};

/* Code that the program made ("<string>", "<eval_with_key>.3"): its addresses are used again at
 * once, by code of the same name and size. All of its line table counts then, and its file's name.
 */
static __attribute__((noinline)) uint64_t made_word(const uint8_t *file, const uint8_t *table)
{
	enum { END = 512, NAME = 64 };
	uint64_t size = load64(table + OBJECT_SIZE), length = load64(file + OBJECT_SIZE);
	bool plain = (load32(file + STR_STATE) & 3u << 5) == 3u << 5; /* compact, ascii */
	const uint8_t *name = file + python.layout.ascii, *lines = table + BYTES_DATA;
	uint64_t word = plain ? XXH3_64bits(name, length < NAME ? length : NAME) : 0;
	if (size <= 2 * END)
		return word ^ turn(XXH3_64bits(lines, size));
	return word ^ turn(XXH3_64bits(lines, END) ^ turn(XXH3_64bits(lines + size - END, END)));
}

/* A file's name that stands for no file, except for code that is part of the interpreter, which
 * lives as long ("<frozen runpy>": two frames of each `python -m`). */
static inline bool is_made(const uint8_t *file)
{
	const char *name = (const char *)file + python.layout.ascii;
	return SHIM_UNLIKELY(name[0] == '<') && strncmp(name, "<frozen ", 8) != 0;
}

/* 3.12 and 3.13 number code objects; 0: no number. */
static inline uint32_t code_number(const uint8_t *code)
{
	const struct layout *l = &python.layout;
	return l->version ? load32(code + l->version) : 0;
}

/* What stands for a code object. Its address does not: objects die and others are made in the same
 * place. 3.12 and 3.13 number them. Elsewhere it takes a look at what the object refers to; code of
 * a file is hardly ever dropped, and hardly for other code of that name, line and size. */
static inline uint64_t code_word(const uint8_t *code, uint64_t offset)
{
	const struct layout *l = &python.layout;
	uint64_t where = offset << 32 | load32(code + l->first_line);
	uint64_t object = (uint64_t)(uintptr_t)code;
	uint64_t number = code_number(code);
	if (SHIM_LIKELY(number))
		return mix(object ^ salt[0] ^ number << 40, where ^ salt[1] ^ turn(number));
	const uint8_t *name = load_pointer(code + l->name), *table = load_pointer(code + l->line_table),
				  *file = load_pointer(code + l->file);
	uint64_t size = load64(table + OBJECT_SIZE);
	uint64_t ends = load64(table + BYTES_DATA - 8 + size) ^ size << 40;
	object ^= turn((uint64_t)(uintptr_t)table ^ turn((uint64_t)(uintptr_t)file));
	where ^= load64(name + STR_HASH) ^ turn(ends);
	if (is_made(file))
		where ^= made_word(file, table);
	return mix(object ^ salt[0], where ^ salt[1]);
}

uint64_t python_code_word(const uint8_t *code, uint64_t offset)
{
	return code_word(code, offset);
}

static inline uint64_t fold(uint64_t hash, uint64_t word)
{
	return mix(hash ^ word ^ salt[0], turn(word) + salt[1]);
}

uint64_t python_fold(uint64_t hash, uint64_t word)
{
	return fold(hash, word);
}

/* ---- what the thread showed last ---- */

/* What code_word() looks at, and what came of it. */
struct look {
	const uint8_t *code, *name, *file, *table;
	int64_t offset;
	uint64_t name_hash;
	uint32_t first_line, number;
	uint64_t hash; /* of this frame and all outside it */
};

struct memo {
	struct perthread_block block;
	bool in_use; /* a signal's handler came in between */
	unsigned n;
	struct look at[PYTHON_FRAMES]; /* the outermost first */
};

static void forget_mine(void);
static struct perthread memos = {.bytes = sizeof(struct memo), .gone = forget_mine};
static SHIM_TLS struct memo *mine;

static void forget_mine(void)
{
	mine = NULL;
}

static SHIM_COLD void open_mine(void)
{
	int saved_errno = errno;
	bool outermost = guard_raise(GUARD_SHIM);
	mine = perthread_open(&memos);
	if (mine)
		mine->in_use = false;
	if (outermost)
		guard_lower(GUARD_SHIM);
	errno = saved_errno;
}

static inline bool is_same(const struct look *look, const uint8_t *code, int64_t offset)
{
	const struct layout *l = &python.layout;
	if (look->code != code || look->offset != offset ||
		load32(code + l->first_line) != look->first_line || code_number(code) != look->number)
		return false;
	return look->number || (load_pointer(code + l->name) == look->name &&
							load_pointer(code + l->file) == look->file &&
							load_pointer(code + l->line_table) == look->table &&
							load64(look->name + STR_HASH) == look->name_hash);
}

static inline void look_at(struct look *look, const uint8_t *code, int64_t offset)
{
	const struct layout *l = &python.layout;
	*look = (struct look){.code = code,
						  .name = load_pointer(code + l->name),
						  .file = load_pointer(code + l->file),
						  .table = load_pointer(code + l->line_table),
						  .offset = offset,
						  .first_line = load32(code + l->first_line),
						  .number = code_number(code)};
	look->name_hash = load64(look->name + STR_HASH);
	if (!look->number && is_made(look->file))
		look->code = NULL; /* is looked at anew each time */
}

struct place { /* of a frame */
	const uint8_t *code;
	int64_t offset;
};

/* places: of n frames, the innermost first. */
static inline uint64_t hash_known(struct memo *memo, const struct place *places, unsigned n)
{
	unsigned same = 0, most = n < memo->n ? n : memo->n;
	while (same < most &&
		   is_same(&memo->at[same], places[n - 1 - same].code, places[n - 1 - same].offset))
		same++;
	uint64_t hash = same ? memo->at[same - 1].hash : 0;
	for (; same < n; same++) {
		const struct place *place = &places[n - 1 - same];
		hash = fold(hash, code_word(place->code, (uint64_t)place->offset));
		look_at(&memo->at[same], place->code, place->offset);
		memo->at[same].hash = hash;
	}
	memo->n = n;
	return hash;
}

static __attribute__((noinline)) uint64_t hash_anew(const struct place *places, unsigned n)
{
	uint64_t hash = 0;
	while (n--)
		hash = fold(hash, code_word(places[n].code, (uint64_t)places[n].offset));
	return hash;
}

bool python_hash(uint64_t *hash)
{
	struct place places[PYTHON_FRAMES];
	struct walk w;
	unsigned n = 0;
	if (!python_is_proven() || !walk_begin(&w))
		return false;
	for (; n < PYTHON_FRAMES && walk_next(&w); n++)
		places[n] = (struct place){w.code, w.offset};
	if (SHIM_UNLIKELY(!mine))
		open_mine();
	struct memo *memo = mine;
	if (SHIM_UNLIKELY(!memo || memo->in_use)) {
		*hash = hash_anew(places, n);
		return n > 0;
	}
	memo->in_use = true;
	__asm__ volatile("" ::: "memory");
	*hash = hash_known(memo, places, n);
	__asm__ volatile("" ::: "memory");
	memo->in_use = false;
	return n > 0;
}

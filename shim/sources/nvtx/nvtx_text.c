#include "sources/nvtx/nvtx_text.h"

#include "base/memory.h"
#include "ring/dict.h"
#include "ring/lane.h"

#include <string.h>
#include <sys/mman.h>

#include <xxhash.h>

#define ROOM ((size_t)MEMORY_NVTX_TEXT_BYTES) /* pages come when they are written */
#define BUCKETS 16384u

static char *arena;
static _Atomic size_t taken;
static _Atomic(struct nvtx_text *) buckets[BUCKETS];
static struct {
	struct nvtx_text text;
	char end;
} nameless;

void nvtx_text_open(void)
{
	void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room != MAP_FAILED)
		arena = room;
}

static struct nvtx_text *take(size_t bytes)
{
	size_t need = (sizeof(struct nvtx_text) + bytes + 1 + 7) & ~(size_t)7;
	if (!arena || atomic_load_explicit(&taken, memory_order_relaxed) + need > ROOM)
		return NULL;
	size_t at = atomic_fetch_add_explicit(&taken, need, memory_order_relaxed);
	return at + need <= ROOM ? (struct nvtx_text *)(arena + at) : NULL;
}

/* Two threads may add one text twice: two handles of one text, which nobody minds. */
const struct nvtx_text *nvtx_text(const char *text, size_t bytes)
{
	if (bytes > NVTX_TEXT_LIMIT)
		bytes = NVTX_TEXT_LIMIT;
	uint64_t hash = XXH3_64bits(text, bytes);
	_Atomic(struct nvtx_text *) *bucket = &buckets[hash & (BUCKETS - 1)];
	struct nvtx_text *first = atomic_load_explicit(bucket, memory_order_acquire);

	for (struct nvtx_text *t = first; t; t = t->next)
		if (t->hash == hash && t->bytes == bytes && memcmp(t->text, text, bytes) == 0)
			return t;
	struct nvtx_text *fresh = take(bytes);
	if (!fresh)
		return &nameless.text;
	fresh->hash = hash;
	fresh->bytes = (uint32_t)bytes;
	memcpy(fresh->text, text, bytes);
	fresh->next = first;
	while (!atomic_compare_exchange_weak_explicit(bucket, &fresh->next, fresh, memory_order_release,
												  memory_order_relaxed))
		;
	return fresh;
}

uint32_t nvtx_text_id(const struct nvtx_text *text)
{
	if (!text || !text->bytes)
		return 0;
	_Atomic uint64_t *known = &((struct nvtx_text *)(uintptr_t)text)->dictionary;
	uint64_t id = atomic_load_explicit(known, memory_order_relaxed);
	if (SHIM_LIKELY((uint32_t)id && id >> 32 == recording_generation))
		return (uint32_t)id;
	if (!recording_is(RECORDING_BEGUN)) /* the dictionary is not everybody's yet */
		return 0;
	uint32_t fresh = dict_string(text->text, text->bytes);
	atomic_store_explicit(known, (uint64_t)recording_generation << 32 | fresh,
						  memory_order_relaxed);
	return fresh;
}

static size_t encode(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		c = 0xFFFD;
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)(lead[n] | c);
	return n;
}

size_t nvtx_text_narrow(const wchar_t *wide, char *out, size_t room)
{
	size_t bytes = 0;
	for (char one[4]; *wide; wide++) {
		size_t n = encode((uint32_t)*wide, one);
		if (bytes + n > room)
			break;
		memcpy(out + bytes, one, n);
		bytes += n;
	}
	return bytes;
}

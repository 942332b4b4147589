/* Preloaded before libbaton.so: how much memory the recorder holds, to the byte. Its calls of
 * malloc, calloc, realloc, mmap and mremap are known by where they come from (the library has no
 * others, and its copy of zstd is inside it), and what it allocates lies in a range of its own, so
 * that a free() by anybody is counted too. What libc takes for itself is not counted.
 *   recorder_holds()      the bytes now that it has allocated
 *   recorder_maps()       and mapped
 *   recorder_leak(BYTES)  loses so many, as a recorder that leaks would */
#include "libs/recorder_code.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PAGE 4096u
#define RANGE (4ull << 30)

enum { LEAST_ORDER = 5, ORDERS = 32 };

/* Blocks have a power of two for a size, header included; of each size, those that are free. */
struct block {
	size_t bytes, order; /* bytes: that were asked for */
	struct block *next;  /* where the memory begins, while it is free */
};
enum { HEAD = offsetof(struct block, next) };

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t each);
void *__libc_realloc(void *at, size_t n);
void __libc_free(void *at);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *free_of[ORDERS];
static char *range, *fresh;
static atomic_llong held, mapped;

/* The library is in memory before any constructor runs, and this one may run first or last. */
static int is_recorder(const void *caller)
{
	static __thread int looking;
	if (!recorder_code.end && !looking) {
		looking = 1;
		dl_iterate_phdr(find_recorder, NULL);
		looking = 0;
	}
	return (uintptr_t)caller >= recorder_code.begin && (uintptr_t)caller < recorder_code.end;
}
#define BY_RECORDER is_recorder(__builtin_return_address(0))

static int is_ours(const void *at)
{
	return range && (const char *)at >= range && (const char *)at < range + RANGE;
}

static struct block *head_of(void *at)
{
	return (struct block *)((char *)at - HEAD);
}

static void *take(size_t n)
{
	size_t order = LEAST_ORDER;
	while (order < ORDERS && ((size_t)1 << order) < n + HEAD)
		order++;
	if (order == ORDERS)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!range) {
		range = mmap(NULL, RANGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		fresh = range == MAP_FAILED ? (range = NULL) : range;
	}
	struct block *block = free_of[order];
	if (block) {
		free_of[order] = block->next;
	} else if (range && fresh + ((size_t)1 << order) <= range + RANGE) {
		block = (struct block *)fresh;
		fresh += (size_t)1 << order;
	}
	pthread_mutex_unlock(&lock);
	if (!block)
		return NULL;
	block->bytes = n;
	block->order = order;
	held += (long long)n;
	return (char *)block + HEAD;
}

static void give(void *at)
{
	struct block *block = head_of(at);
	held -= (long long)block->bytes;
	pthread_mutex_lock(&lock);
	block->next = free_of[block->order];
	free_of[block->order] = block;
	pthread_mutex_unlock(&lock);
}

EXPORT long long recorder_holds(void)
{
	return held;
}

EXPORT long long recorder_maps(void)
{
	return mapped;
}

EXPORT void recorder_leak(size_t bytes)
{
	take(bytes);
}

EXPORT void *malloc(size_t n)
{
	return BY_RECORDER ? take(n) : __libc_malloc(n);
}

EXPORT void *calloc(size_t n, size_t each)
{
	size_t bytes;
	if (!BY_RECORDER || __builtin_mul_overflow(n, each, &bytes))
		return __libc_calloc(n, each);
	void *at = take(bytes);
	return at ? memset(at, 0, bytes) : NULL;
}

EXPORT void free(void *at)
{
	if (is_ours(at))
		give(at);
	else
		__libc_free(at);
}

EXPORT void *realloc(void *at, size_t n)
{
	if (!is_ours(at) && (at || !BY_RECORDER))
		return __libc_realloc(at, n);
	void *larger = take(n);
	if (larger && at) {
		const size_t old = head_of(at)->bytes;
		memcpy(larger, at, old < n ? old : n);
		give(at);
	}
	return larger;
}

static long long pages(size_t n)
{
	return (long long)((n + PAGE - 1) / PAGE * PAGE);
}

EXPORT void *mmap(void *where, size_t n, int allowed, int flags, int fd, off_t offset)
{
	void *at = (void *)syscall(SYS_mmap, where, n, allowed, flags, fd, offset);
	if (at != MAP_FAILED && !(flags & MAP_FIXED) && BY_RECORDER)
		mapped += pages(n);
	return at;
}

EXPORT int munmap(void *at, size_t n)
{
	const int status = (int)syscall(SYS_munmap, at, n);
	if (status == 0 && BY_RECORDER)
		mapped -= pages(n);
	return status;
}

EXPORT void *mremap(void *at, size_t n, size_t larger, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	void *where = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	void *made = (void *)syscall(SYS_mremap, at, n, larger, flags, where);
	if (made != MAP_FAILED && BY_RECORDER)
		mapped += pages(larger) - pages(n);
	return made;
}

#include "values/known.h"

#include <stdint.h>

#define ROOM 1024               /* writes between two kernels that are remembered: the last ones */
#define SMALL ((size_t)1 << 20) /* SIMGPU_ZERO_BYTES, at most */

struct range {
	const uint8_t *from, *to;
};

struct writes {
	struct range at[ROOM];
	size_t next, n;
};

static struct writes writes[KNOWN_DEVICES];
static const uint8_t zeros[SMALL];

static int nowhere(const void *address)
{
	(void)address;
	return -1;
}

static bool no_block(const void *address, void **start, size_t *bytes)
{
	(void)address, (void)start, (void)bytes;
	return false;
}

static struct known_memory memory = {nowhere, no_block, 0};

void known_open(const struct known_memory *driver)
{
	memory = *driver;
}

bool known_block(const void *address, void **start, size_t *bytes)
{
	return memory.block(address, start, bytes);
}

void known_forget(int device)
{
	writes[device].n = 0;
}

static void add(struct writes *w, struct range range)
{
	w->at[w->next] = range;
	w->next = (w->next + 1) % ROOM;
	w->n += w->n < ROOM;
}

/* The i-th last one. */
static struct range *range_at(struct writes *w, size_t i)
{
	return &w->at[(w->next + ROOM - 1 - i) % ROOM];
}

void known_write(const void *target, size_t bytes, bool known)
{
	int device = memory.device(target);
	struct range range = {target, (const uint8_t *)target + bytes};
	if (device < 0 || !memory.zero_bytes)
		return;
	struct writes *w = &writes[device];
	for (size_t i = 0; !known && i < w->n; i++) {
		struct range *other = range_at(w, i);
		if (other->from < range.to && range.from < other->to)
			other->to = other->from;
	}
	if (known)
		add(w, range);
}

/* The end of what is known from `at` on, as far as one write says. */
static const uint8_t *known_end(struct writes *w, const uint8_t *at)
{
	const uint8_t *end = at;
	for (size_t i = 0; i < w->n; i++) {
		const struct range *range = range_at(w, i);
		if (range->from <= at && end < range->to)
			end = range->to;
	}
	return end;
}

size_t known_length(const void *address, size_t bytes)
{
	int device = memory.device(address);
	const uint8_t *from = address, *at = from, *end;
	if (device < 0 || !memory.zero_bytes)
		return bytes;
	while ((size_t)(at - from) < bytes && (end = known_end(&writes[device], at)) != at)
		at = end; /* one write after another */
	return (size_t)(at - from) < bytes ? (size_t)(at - from) : bytes;
}

bool known_bytes(const void *address, size_t bytes)
{
	return known_length(address, bytes) == bytes;
}

const void *known_source(const void *source, size_t bytes)
{
	size_t most = memory.zero_bytes < SMALL ? memory.zero_bytes : SMALL;
	return bytes > most || known_length(source, bytes) ? source : zeros;
}

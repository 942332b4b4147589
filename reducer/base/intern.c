#include "base/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void intern_free(struct intern *intern)
{
	free(intern->tuples);
	free(intern->slots);
	*intern = intern_of(intern->words, intern->most);
}

static uint32_t *slot_of(const struct intern *intern, const uint32_t *tuple)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < intern->words; i++) {
		h = (h ^ tuple[i]) * intern->secret;
		h ^= h >> 32;
	}
	for (uint32_t i = (uint32_t)(h >> 16);; i++) {
		uint32_t *slot = &intern->slots[i & (intern->n_slots - 1)];
		if (*slot == 0 ||
			memcmp(intern_tuple(intern, *slot - 1), tuple, intern->words * sizeof(*tuple)) == 0)
			return slot;
	}
}

int array_reach(void **array, uint32_t *room, uint32_t n, size_t element_bytes)
{
	if (n < *room)
		return 0;
	uint32_t wanted = *room ? 2 * *room : 64;
	while (wanted <= n)
		wanted *= 2;
	char *larger = realloc(*array, wanted * element_bytes);
	if (!larger)
		return -ENOMEM;
	memset(larger + *room * element_bytes, 0, (wanted - *room) * element_bytes);
	*array = larger;
	*room = wanted;
	return 0;
}

static int grow_slots(struct intern *intern)
{
	uint32_t n_slots = intern->n_slots ? 2 * intern->n_slots : 128;
	uint32_t *slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	if (!intern->secret && getrandom(&intern->secret, sizeof(intern->secret), GRND_NONBLOCK) <
							   (ssize_t)sizeof(uint64_t))
		intern->secret = UINT64_C(0x9E3779B97F4A7C15);
	intern->secret |= 1;
	free(intern->slots);
	intern->slots = slots;
	intern->n_slots = n_slots;
	for (uint32_t i = 0; i < intern->n; i++)
		*slot_of(intern, intern_tuple(intern, i)) = i + 1;
	return 0;
}

int intern_get(struct intern *intern, const uint32_t *tuple, uint32_t *number)
{
	size_t bytes = intern->words * sizeof(*tuple);
	if (2 * intern->n >= intern->n_slots && grow_slots(intern) != 0)
		return -ENOMEM;
	uint32_t *slot = slot_of(intern, tuple);
	*number = *slot ? *slot - 1 : INTERN_FULL;
	if (*slot || intern->n >= intern->most)
		return 0;
	if (array_reach((void **)&intern->tuples, &intern->room, intern->n, bytes) != 0)
		return -ENOMEM;
	*number = intern->n++;
	memcpy(intern->tuples + (size_t)*number * intern->words, tuple, bytes);
	*slot = *number + 1;
	return 0;
}

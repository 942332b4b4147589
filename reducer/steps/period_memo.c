#include "steps/period_memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

enum { KEPT = 32, MOST_SYMBOLS = 1 << 20 };

struct known {
	XXH128_hash_t hash;
	size_t n_marks; /* 0: nothing here */
	uint32_t *places;
	size_t n;
};

struct period_memo {
	pthread_mutex_t lock;
	uint64_t secret; /* random: whoever makes a file cannot work out its hash beforehand */
	struct known known[KEPT];
	size_t next; /* the one to be replaced */
};

int period_memo_open(struct period_memo **out)
{
	struct period_memo *memo = *out = calloc(1, sizeof(*memo));
	if (!memo)
		return -ENOMEM;
	if (getrandom(&memo->secret, sizeof(memo->secret), GRND_NONBLOCK) != sizeof(memo->secret))
		memo->secret = UINT64_C(0x9E3779B97F4A7C15);
	pthread_mutex_init(&memo->lock, NULL);
	return 0;
}

void period_memo_close(struct period_memo *memo)
{
	for (size_t i = 0; memo && i < KEPT; i++)
		free(memo->known[i].places);
	if (memo)
		pthread_mutex_destroy(&memo->lock);
	free(memo);
}

/* The hash of the symbols, numbered by first appearance. False: not enough memory, or too many
 * symbols. */
static bool hash_marks(const struct period_memo *memo, const struct launch_mark *marks,
					   size_t n_marks, XXH128_hash_t *hash)
{
	uint32_t most = 0, n_symbols = 0;
	for (size_t i = 0; i < n_marks; i++)
		most = marks[i].symbol > most ? marks[i].symbol : most;
	if (most >= MOST_SYMBOLS)
		return false;
	uint32_t *number = calloc((size_t)most + 1, sizeof(*number));
	uint32_t *symbols = malloc((n_marks + 1) * sizeof(*symbols));
	bool good = number && symbols;
	for (size_t i = 0; good && i < n_marks; i++) {
		uint32_t *of = &number[marks[i].symbol];
		*of = *of ? *of : ++n_symbols;
		symbols[i] = *of;
	}
	if (good)
		*hash = XXH3_128bits_withSeed(symbols, n_marks * sizeof(*symbols), memo->secret);
	free(number);
	free(symbols);
	return good;
}

static uint32_t *copy(const uint32_t *places, size_t n)
{
	uint32_t *own = malloc((n + 1) * sizeof(*own));
	if (own)
		memcpy(own, places, (n + 1) * sizeof(*own));
	return own;
}

/* NULL: not known. To be asked under the lock. */
static const struct known *find(const struct period_memo *memo, size_t n_marks, XXH128_hash_t hash)
{
	for (size_t i = 0; i < KEPT; i++)
		if (memo->known[i].n_marks == n_marks && XXH128_isEqual(memo->known[i].hash, hash))
			return &memo->known[i];
	return NULL;
}

/* False: not known, or no memory for a copy. */
static bool recall(struct period_memo *memo, size_t n_marks, XXH128_hash_t hash, uint32_t **places,
				   size_t *n)
{
	pthread_mutex_lock(&memo->lock);
	const struct known *known = find(memo, n_marks, hash);
	*places = known ? copy(known->places, known->n) : NULL;
	*n = known ? known->n : 0;
	pthread_mutex_unlock(&memo->lock);
	return *places != NULL;
}

/* Threads that searched at the same time bring the same places: the first one's are kept. */
static void remember(struct period_memo *memo, size_t n_marks, XXH128_hash_t hash,
					 const uint32_t *places, size_t n)
{
	uint32_t *own = copy(places, n);
	if (!own)
		return;
	pthread_mutex_lock(&memo->lock);
	if (!find(memo, n_marks, hash)) {
		struct known *known = &memo->known[memo->next++ % KEPT];
		uint32_t *old = known->places;
		*known = (struct known){hash, n_marks, own, n};
		own = old;
	}
	pthread_mutex_unlock(&memo->lock);
	free(own);
}

int period_memo_find(struct period_memo *memo, const struct launch_mark *marks, size_t n_marks,
					 int64_t **begins, size_t *n)
{
	XXH128_hash_t hash;
	uint32_t *places = NULL;
	size_t n_places = 0;
	int error = 0;
	*begins = NULL;
	*n = 0;
	if (n_marks == 0 || !hash_marks(memo, marks, n_marks, &hash))
		return period_find(marks, n_marks, begins, n);
	if (!recall(memo, n_marks, hash, &places, &n_places)) {
		error = period_places(marks, n_marks, &places, &n_places);
		if (!error)
			remember(memo, n_marks, hash, places, n_places);
	}
	if (!error)
		error = period_begins(marks, places, n_places, begins, n);
	free(places);
	return error;
}

#include "steps/period_memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

enum { KEPT = 32, SOUGHT = 64, MOST_SYMBOLS = 1 << 20 };

struct known {
	XXH128_hash_t hash;
	size_t n_marks; /* 0: nothing here */
	uint32_t *places;
	size_t n;
};

struct sought { /* a thread seeks it now */
	XXH128_hash_t hash;
	size_t n_marks; /* 0: none does */
};

struct period_memo {
	pthread_mutex_t lock;
	pthread_cond_t told; /* a search is over */
	uint64_t secret;     /* random: whoever makes a file cannot work out its hash beforehand */
	struct known known[KEPT];
	size_t next; /* the one to be replaced */
	struct sought sought[SOUGHT];
};

int period_memo_open(struct period_memo **out)
{
	struct period_memo *memo = *out = calloc(1, sizeof(*memo));
	if (!memo)
		return -ENOMEM;
	if (getrandom(&memo->secret, sizeof(memo->secret), GRND_NONBLOCK) != sizeof(memo->secret))
		memo->secret = UINT64_C(0x9E3779B97F4A7C15);
	pthread_mutex_init(&memo->lock, NULL);
	pthread_cond_init(&memo->told, NULL);
	return 0;
}

void period_memo_close(struct period_memo *memo)
{
	for (size_t i = 0; memo && i < KEPT; i++)
		free(memo->known[i].places);
	if (memo) {
		pthread_cond_destroy(&memo->told);
		pthread_mutex_destroy(&memo->lock);
	}
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

/* Who seeks it; with 0 marks, a place for another search. NULL: there is none. Under the lock. */
static struct sought *find_sought(struct period_memo *memo, size_t n_marks, XXH128_hash_t hash)
{
	for (size_t i = 0; i < SOUGHT; i++)
		if (memo->sought[i].n_marks == n_marks &&
			(!n_marks || XXH128_isEqual(memo->sought[i].hash, hash)))
			return &memo->sought[i];
	return NULL;
}

struct question {
	XXH128_hash_t hash;
	size_t n_marks;
	uint32_t *places; /* the answer; NULL: none */
	size_t n;
	struct sought *mine; /* others wait until this one is answered */
};

/* False: not known, or no memory for a copy; then the answer has to be told. What another thread
 * seeks at this time is awaited: a search takes some 100 bytes for each launch. */
static bool recall(struct period_memo *memo, struct question *q)
{
	const struct known *known;
	pthread_mutex_lock(&memo->lock);
	while (!(known = find(memo, q->n_marks, q->hash)) && find_sought(memo, q->n_marks, q->hash))
		pthread_cond_wait(&memo->told, &memo->lock);
	q->places = known ? copy(known->places, known->n) : NULL;
	q->n = known ? known->n : 0;
	q->mine = known ? NULL : find_sought(memo, 0, q->hash);
	if (q->mine)
		*q->mine = (struct sought){q->hash, q->n_marks};
	pthread_mutex_unlock(&memo->lock);
	return q->places != NULL;
}

/* Tells what a search has found, if it has. */
static void tell(struct period_memo *memo, const struct question *q)
{
	uint32_t *own = q->places ? copy(q->places, q->n) : NULL;
	pthread_mutex_lock(&memo->lock);
	if (own && !find(memo, q->n_marks, q->hash)) {
		struct known *known = &memo->known[memo->next++ % KEPT];
		uint32_t *old = known->places;
		*known = (struct known){q->hash, q->n_marks, own, q->n};
		own = old;
	}
	if (q->mine)
		q->mine->n_marks = 0;
	pthread_cond_broadcast(&memo->told);
	pthread_mutex_unlock(&memo->lock);
	free(own);
}

int period_memo_find(struct period_memo *memo, const struct launch_mark *marks, size_t n_marks,
					 int64_t **begins, size_t *n)
{
	struct question q = {.n_marks = n_marks};
	int error = 0;
	*begins = NULL;
	*n = 0;
	if (n_marks == 0 || !hash_marks(memo, marks, n_marks, &q.hash))
		return period_find(marks, n_marks, begins, n);
	if (!recall(memo, &q)) {
		error = period_places(marks, n_marks, &q.places, &q.n);
		tell(memo, &q);
	}
	if (!error)
		error = period_begins(marks, q.places, q.n, begins, n);
	free(q.places);
	return error;
}

/* Predicts column values from the rows before them (docs/FORMAT.md section 4.3). All arithmetic is
 * modulo 2^64, so hostile values wrap and are refused later, by the range of their type. */
#include <baton/predict.h>

#include <string.h>

void baton_chains_clear(struct baton_chains *chains)
{
	chains->n = 0;
	memset(chains->at, 0, sizeof(chains->at));
}

/* The chain with this key, made where there is none; BATON_CHAINS when there is no room. */
static uint32_t chains_find(struct baton_chains *chains, uint32_t key)
{
	enum { SLOTS = 2 * BATON_CHAINS };
	uint32_t at = key * 0x9E3779B1u >> 23;
	_Static_assert(SLOTS == 1 << (32 - 23), "the hash has as many values as there are slots");
	while (chains->at[at] && chains->key[chains->at[at] - 1] != key)
		at = (at + 1) % SLOTS;
	if (chains->at[at])
		return chains->at[at] - 1u;
	if (chains->n == BATON_CHAINS)
		return BATON_CHAINS;
	chains->key[chains->n] = key;
	chains->names[chains->n][0] = chains->names[chains->n][1] = 0;
	chains->at[at] = (uint16_t)(chains->n + 1);
	return chains->n++;
}

bool baton_chains_place(struct baton_chains *chains, const int64_t *chain, const int64_t *name,
						size_t rows, struct baton_place *places)
{
	uint32_t found = BATON_CHAINS;
	for (size_t i = 0; i < rows; i++) {
		const uint32_t key = (uint32_t)chain[i], named = (uint32_t)name[i];
		if (found == BATON_CHAINS || chains->key[found] != key)
			found = chains_find(chains, key);
		if (found == BATON_CHAINS)
			return false;
		uint32_t *names = chains->names[found];
		const uint32_t mixed =
			named * 0x9E3779B1u + names[0] * 0x85EBCA6Bu + names[1] * 0xC2B2AE35u;
		places[i] = (struct baton_place){(uint16_t)found, (uint16_t)(mixed >> 21)};
		_Static_assert(BATON_MEANS == 1 << (32 - 21), "a context for each value of the hash");
		names[1] = names[0];
		names[0] = named;
	}
	return true;
}

void baton_predictor_clear(struct baton_predictor *p, uint8_t encoding, uint64_t unit,
						   int64_t first)
{
	p->encoding = encoding;
	p->unit = unit;
	p->first = p->before = first;
}

void baton_predictor_use(struct baton_predictor *p, struct baton_means *means)
{
	memset(means, 0, sizeof(*means));
	p->means = means->at;
	p->seen = means->seen;
}

void baton_predictor_chains(struct baton_predictor *p, uint32_t from, uint32_t to)
{
	for (uint32_t c = from; c < to; c++)
		p->last[c] = p->first;
}

static inline int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

#define SIZE_MOST ((uint64_t)1 << 61) /* of an error, so that nothing below overflows */

/* The mean of a context moves towards each value by 1/2^s of the error, s = floor(log2(rows)) and
 * at most 4; from the third row on, by no more than an error of about twice the usual size would
 * move it, because durations have long tails. */
static inline void mean_learn(struct baton_predictor *p, unsigned context, int64_t error)
{
	struct baton_mean *m = &p->means[context];
	const unsigned rows = p->seen[context] < 31 ? ++p->seen[context] : 31;
	const int shift = 31 - __builtin_clz(rows);
	const uint64_t magnitude = error < 0 ? 0 - (uint64_t)error : (uint64_t)error;
	const int64_t size = (int64_t)(magnitude < SIZE_MOST ? magnitude : SIZE_MOST);
	if (rows >= 3) {
		const int64_t most = 2 * m->spread + 1;
		error = error > most ? most : error < -most ? -most : error;
		m->spread += (size - m->spread) >> (shift < 3 ? shift : 3);
	} else if (rows == 2) {
		m->spread = size;
	}
	m->mean = sum(m->mean, error >> shift);
}

void baton_predictor_take_basis(struct baton_predictor *p, int64_t *v, const int64_t *dur,
								const struct baton_place *places, size_t rows)
{
	const enum baton_basis basis = baton_composed_basis(p->encoding);
	for (size_t i = 0; i < rows && basis != BATON_BASIS_NONE; i++) {
		int64_t *last = basis == BATON_BASIS_ROW ? &p->before : &p->last[places[i].chain];
		const int64_t value = v[i];
		v[i] = difference(value, *last);
		*last = basis == BATON_BASIS_END ? sum(value, dur[i]) : value;
	}
}

void baton_predictor_take_mean(struct baton_predictor *p, int64_t *v,
							   const struct baton_place *places, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		v[i] = difference(v[i], p->means[places[i].context].mean);
		mean_learn(p, places[i].context, v[i]);
	}
}

/* One body for each kind of prediction: reading a trace spends much of its time here. */
__attribute__((always_inline)) static inline void restore(struct baton_predictor *p, int64_t *v,
														  const int64_t *dur,
														  const struct baton_place *places,
														  size_t rows, enum baton_basis basis,
														  bool mean)
{
	for (size_t i = 0; i < rows; i++) {
		int64_t w = v[i];
		if (mean) {
			const int64_t error = w;
			w = sum(w, p->means[places[i].context].mean);
			mean_learn(p, places[i].context, error);
		}
		int64_t value = (int64_t)((uint64_t)w * p->unit);
		if (basis != BATON_BASIS_NONE) {
			int64_t *last = basis == BATON_BASIS_ROW ? &p->before : &p->last[places[i].chain];
			value = sum(value, *last);
			*last = basis == BATON_BASIS_END ? sum(value, dur[i]) : value;
		}
		v[i] = value;
	}
}

void baton_predictor_restore(struct baton_predictor *p, int64_t *v, const int64_t *dur,
							 const struct baton_place *places, size_t rows)
{
	switch (p->encoding & (BATON_ENC_MEAN | 3)) {
	case BATON_BASIS_NONE:
		restore(p, v, NULL, NULL, rows, BATON_BASIS_NONE, false);
		break;
	case BATON_BASIS_ROW:
		restore(p, v, NULL, NULL, rows, BATON_BASIS_ROW, false);
		break;
	case BATON_BASIS_END:
		restore(p, v, dur, places, rows, BATON_BASIS_END, false);
		break;
	case BATON_BASIS_CHAIN:
		restore(p, v, NULL, places, rows, BATON_BASIS_CHAIN, false);
		break;
	case BATON_ENC_MEAN | BATON_BASIS_NONE:
		restore(p, v, NULL, places, rows, BATON_BASIS_NONE, true);
		break;
	case BATON_ENC_MEAN | BATON_BASIS_ROW:
		restore(p, v, NULL, places, rows, BATON_BASIS_ROW, true);
		break;
	case BATON_ENC_MEAN | BATON_BASIS_END:
		restore(p, v, dur, places, rows, BATON_BASIS_END, true);
		break;
	default:
		restore(p, v, NULL, places, rows, BATON_BASIS_CHAIN, true);
		break;
	}
}

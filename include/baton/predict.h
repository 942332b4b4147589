/* Predictions of column values (docs/FORMAT.md section 4.3): what a composed encoding takes off a
 * value before it is stored. Encoder and decoder keep the same state, row by row. The caller
 * provides all memory. The code is in codec/predict.c. */
#ifndef BATON_PREDICT_H
#define BATON_PREDICT_H

#include <baton/format.h>
#include <stdbool.h>

/* The parts of a composed encoding's byte. */
#define BATON_ENC_COMPOSED 0x80u
enum baton_basis {
	BATON_BASIS_NONE = 0,
	BATON_BASIS_ROW = 1,  /* the value of the row before */
	BATON_BASIS_END = 2,  /* start_ns only: the end of the row before of the chain */
	BATON_BASIS_CHAIN = 3 /* the value of the row before of the chain */
};
#define BATON_ENC_MEAN 0x04u
enum baton_storage { BATON_STORE_VARINT = 0, BATON_STORE_BITS = 1, BATON_STORE_GRID = 2 };

static inline uint8_t baton_composed(enum baton_basis basis, bool mean, enum baton_storage storage)
{
	return (uint8_t)(BATON_ENC_COMPOSED | (unsigned)basis | (mean ? BATON_ENC_MEAN : 0) |
					 (unsigned)storage << 3);
}
static inline enum baton_basis baton_composed_basis(uint8_t encoding)
{
	return (enum baton_basis)(encoding & 3);
}
static inline unsigned baton_composed_storage(uint8_t encoding)
{
	return encoding >> 3 & 3;
}
/* Whether the rows' chains and names have to be known for it. */
static inline bool baton_composed_chained(uint8_t encoding)
{
	return (encoding & BATON_ENC_COMPOSED) &&
		   ((encoding & BATON_ENC_MEAN) || baton_composed_basis(encoding) >= BATON_BASIS_END);
}

enum { BATON_CHAINS = 256, BATON_MEANS = 2048 };

/* The chains of a block: the rows of one stream, thread, communicator or device each. */
struct baton_chains {
	uint32_t n;
	uint16_t at[2 * BATON_CHAINS]; /* open addressing: 1 + the chain, 0 where none is */
	uint32_t key[BATON_CHAINS];
	uint32_t names[BATON_CHAINS][2]; /* of the chain's last row and the one before; 0: none */
};

/* Where a row stands: its chain, and the context of its mean. */
struct baton_place {
	uint16_t chain;
	uint16_t context;
};

void baton_chains_clear(struct baton_chains *chains);
/* Places `rows` rows that follow those placed before. False when the block has more than
 * BATON_CHAINS chains. */
bool baton_chains_place(struct baton_chains *chains, const int64_t *chain, const int64_t *name,
						size_t rows, struct baton_place *places);

/* What rows of one context have been so far. */
struct baton_mean {
	int64_t mean;
	int64_t spread; /* a mean of the errors' sizes */
};

/* The state of one column's prediction. */
struct baton_predictor {
	uint8_t encoding;
	uint64_t unit;  /* >= 1 */
	int64_t first;  /* the basis of the first row, and of the first one of each chain */
	int64_t before; /* the row before */
	int64_t last[BATON_CHAINS];
	struct baton_mean *means; /* BATON_MEANS of them, where the encoding uses them */
	uint8_t *seen;            /* as many: rows of the context, 31 at most */
};

/* Means of one column. */
struct baton_means {
	struct baton_mean at[BATON_MEANS];
	uint8_t seen[BATON_MEANS];
};

void baton_predictor_clear(struct baton_predictor *p, uint8_t encoding, uint64_t unit,
						   int64_t first);
/* Before the first row of an encoding with BATON_ENC_MEAN. */
void baton_predictor_use(struct baton_predictor *p, struct baton_means *means);
/* Chains [from, to) are new. */
void baton_predictor_chains(struct baton_predictor *p, uint32_t from, uint32_t to);
/* v[i] -= its basis, for rows that follow those before. dur: for BATON_BASIS_END only; places: for
 * chained encodings only. */
void baton_predictor_take_basis(struct baton_predictor *p, int64_t *v, const int64_t *dur,
								const struct baton_place *places, size_t rows);
/* v[i] -= its mean; v is what the basis left, in units. */
void baton_predictor_take_mean(struct baton_predictor *p, int64_t *v,
							   const struct baton_place *places, size_t rows);
/* Gives back what both took: v[i] becomes the value. */
void baton_predictor_restore(struct baton_predictor *p, int64_t *v, const int64_t *dur,
							 const struct baton_place *places, size_t rows);

#endif

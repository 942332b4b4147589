/* Makes the payloads of column blocks (docs/FORMAT.md section 4): of each column it tries the
 * encodings on a sample, keeps the smallest for the blocks that follow, and tries again later. One
 * thread. The code is in codec/encoder.c; compile it and the files that it includes into your
 * program, and link zstd. */
#ifndef BATON_ENCODER_H
#define BATON_ENCODER_H

#include <baton/predict.h>

struct ZSTD_CCtx_s;

/* The parts of a payload that are compressed each by itself (compression 2). */
struct baton_parts {
	uint32_t n;
	struct baton_part {
		uint32_t end;                /* offset in the payload */
		uint32_t packed;             /* 0: noise, not worth compressing */
	} at[2 * BATON_MAX_COLUMNS + 1]; /* the directory, and two of each column */
};

struct baton_encoder {
	struct ZSTD_CCtx_s *zstd; /* the caller's */
	int64_t *numbers;         /* of the column in work, after its prediction */
	struct baton_place *places;
	uint8_t *trial, *packed; /* a sample, as it would be stored */
	bool placed;             /* the rows of the block in work have places */
	struct baton_chains chains;
	struct baton_predictor predictor;
	struct baton_means means;
	struct {
		uint8_t encoding[BATON_MAX_COLUMNS];
		uint32_t rows; /* of the block that it was tried on; 0: never */
		uint32_t since;
	} choices[BATON_TABLES];
};

/* Room for blocks of `rows` rows. 0 or -ENOMEM; after an error call baton_encoder_close(). */
int baton_encoder_open(struct baton_encoder *e, struct ZSTD_CCtx_s *zstd, uint32_t rows);
void baton_encoder_close(struct baton_encoder *e);

/* What baton_encoder_open() allocates for blocks of `rows` rows, in bytes. */
#define BATON_ENCODER_SAMPLE 2048u
#define BATON_ENCODER_BYTES(rows)                              \
	((rows) * (sizeof(int64_t) + sizeof(struct baton_place)) + \
	 2 * (BATON_ENCODER_SAMPLE * 11 + 1024))

/* Encodes `rows` rows (1 at least) that are sorted by start. columns[i] is column i of the table,
 * or NULL when the source lacks it. `out` has room for baton_columns_bound() bytes. Returns the
 * payload's size; *parts: how to compress it. */
size_t baton_encoder_payload(struct baton_encoder *e, const struct baton_table *table,
							 int64_t *const columns[BATON_MAX_COLUMNS], size_t rows, uint8_t *out,
							 struct baton_parts *parts);

#endif

/* The operations of a timeline as its files have them, in any order. */
#ifndef TIMELINE_OP_ROWS_H
#define TIMELINE_OP_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
	STAGES_MOST = 256, /* a larger number in a file is a mistake */
	CHUNKS_MOST = 256,
	DP_RANKS_MOST = 1 << 24,
	OP_CLOCKS_NS = 10000000, /* more between two clocks is an error of the trace */
	OP_TROUBLE_BYTES = 256   /* of a text that says what is wrong */
};

#define DP_BY_RANK UINT32_MAX

struct op_row {
	int64_t start_ns, end_ns;
	int64_t step;
	uint32_t dp;        /* data-parallel rank, or DP_BY_RANK until the ranks are numbered */
	int32_t rank;       /* of the job; -1: not said */
	int32_t microbatch; /* -1: not said */
	uint16_t stage;
	uint8_t chunk; /* of the stage's layers, where it has several (VPP) */
	uint8_t kind;  /* enum op_kind */
};

struct op_rows {
	struct op_row *at;
	size_t n, room;
};

int op_rows_add(struct op_rows *rows, const struct op_row *row); /* 0 or -ENOMEM */
void op_rows_free(struct op_rows *rows);

#endif

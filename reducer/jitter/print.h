/* The forms in which the study of a run is printed and written. */
#ifndef JITTER_PRINT_H
#define JITTER_PRINT_H

#include "jitter/verdict.h"
#include "render/sheet.h"

#include <stdio.h>

struct jitter_printed {
	const char *dir;
	const struct jitter_study *study;
	const struct jitter_verdict *verdict;
	uint32_t rank; /* of --rank, an index; n_ranks: not asked for */
	uint32_t rows; /* of tables */
};

/* 0 or -ENOMEM: tables are missing (text.c), or nothing was printed (json.c). */
int jitter_text(const struct jitter_printed *printed, FILE *out);
int jitter_json(const struct jitter_printed *printed, FILE *out);

/* The tables of jitter_text(): `--csv -` and `--markdown`. 0 or -ENOMEM: cells are missing.
 * sheets.c */
int jitter_sheets(const struct jitter_printed *printed, enum sheet_format format, FILE *out);
/* Each of them, for a file of its own; `rows`: all of them (NULL) or these n. sheets.c */
struct jitter_shown {
	const uint32_t *rows;
	uint32_t n;
};
void jitter_ranks_sheet(const struct jitter_printed *printed, const struct jitter_shown *shown,
						struct sheets *sheets);
void jitter_steps_sheet(const struct jitter_printed *printed, const struct jitter_shown *shown,
						struct sheets *sheets);
void jitter_kernels_sheet(const struct jitter_printed *printed, uint32_t most,
						  struct sheets *sheets);
/* Of --rank. 0 or -ENOMEM. */
int jitter_varying_sheet(const struct jitter_printed *printed, uint32_t most,
						 struct sheets *sheets);

/* The *n ranks that differ most from the others, or the *n steps whose ranks differ most, in their
 * own order; *n becomes how many there are. The caller frees it. NULL: no memory. choice.c */
uint32_t *jitter_choose_ranks(const struct jitter_printed *printed, uint32_t *n);
uint32_t *jitter_choose_steps(const struct jitter_printed *printed, uint32_t *n);

/* One file for each matrix and for each table. 0 or -errno. matrices_csv.c */
int jitter_csv(const struct jitter_printed *printed, const char *dir);
/* The plots. 0 or -errno. svg.c */
int jitter_svg(const struct jitter_printed *printed, const char *dir);
/* The study's file of one GPU and step; write_step of a study. steps_csv.c */
int jitter_write_step(const struct jitter_study *study, const struct step_source *source,
					  const struct step_ops *ops);

/* "17", "0/2" where a rank has several GPUs, or the device's key where the rank is not known. */
const char *jitter_rank_label(const struct jitter_study *study, uint32_t rank);
/* A measure's name as of files and keys: "duration", "gap", "time_to_end", "launch_to_start". */
const char *jitter_measure_name(enum jitter_measure measure);
const char *jitter_class_name(enum stream_class class); /* "main", "nccl", "side" */

/* The kernels that vary most over the steps of one rank: positions, in an array of the caller with
 * room for all. vary.c */
struct vary_row {
	uint32_t position;
	double duration_ns, duration_sd_ns, gap_ns, gap_sd_ns;
};
void jitter_vary(const struct jitter_study *study, uint32_t rank, struct vary_row *rows);

#endif

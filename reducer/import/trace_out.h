/* The importers' side of the format: one trace file of one process being made. Interns strings,
 * threads, devices, streams and communicators into dictionary records, refuses impossible times
 * (and counts them), and gives the file its name only when it is complete. One thread per
 * trace_out. */
#ifndef IMPORT_TRACE_OUT_H
#define IMPORT_TRACE_OUT_H

#include <baton/format.h>

struct trace_out;

/* Who wrote the rows; may be completed until trace_out_close(). Strings are copied at close. */
struct trace_identity {
	int64_t pid;
	int32_t rank;       /* -1 unknown */
	int32_t world_size; /* -1 unknown */
	int32_t local_rank; /* -1 unknown */
	uint32_t generation;
	uint64_t start_time;        /* 0 unknown; only tells two processes with one pid apart */
	const char *host;           /* never NULL */
	const char *source;         /* "kineto", "nsys" */
	const char *source_version; /* or NULL */
	const char *run_id;         /* or NULL */
};

/* Begins a file in directory `dir` (which exists). 0 or -errno. */
int trace_out_open(const char *dir, struct trace_out **out);

/* Dictionary ids; 0 for absent input or after an error (which trace_out_close() returns). The same
 * arguments give the same id. Strings above 32 KiB are cut. */
uint32_t trace_out_string(struct trace_out *out, const char *at, size_t bytes);
uint32_t trace_out_text(struct trace_out *out, const char *text); /* NUL-terminated or NULL */
uint32_t trace_out_thread(struct trace_out *out, int64_t pid, int64_t tid, uint32_t name);
/* The key of a device is its ordinal and uuid. */
uint32_t trace_out_device(struct trace_out *out, const struct baton_r_device *device);
uint32_t trace_out_stream(struct trace_out *out, uint32_t device, int64_t context, int64_t stream);
/* hash = XXH3 of the size, name and rank list: the same in every member's file. */
uint32_t trace_out_comm(struct trace_out *out, uint32_t size, const char *name, const char *ranks);
void trace_out_clock(struct trace_out *out, int64_t local_ns, int64_t reference_ns);
void trace_out_loss(struct trace_out *out, enum baton_loss_kind kind, const char *what,
					uint64_t count);

/* Adds a row. Bit c of `present` is set for each optional column the source carries; the required
 * ones are implied. A negative duration, one above 7 days, or a start more than 12 hours from the
 * median of the file's first rows is refused and counted as a loss of kind BATON_LOSS_INVALID. */
void trace_out_row(struct trace_out *out, enum baton_kind kind,
				   const int64_t row[BATON_MAX_COLUMNS], uint32_t present);

/* Rows accepted and refused so far, per kind index (kind - BATON_OP) and in all. */
uint64_t trace_out_rows(const struct trace_out *out, enum baton_kind kind);
uint64_t trace_out_refused(const struct trace_out *out);
/* How often a name, thread or stream beyond the limits of a file (1 Mi names, 64 MiB of them) was
 * replaced by a common one. Counted as losses too. */
uint64_t trace_out_unnamed(const struct trace_out *out);
int trace_out_error(const struct trace_out *out); /* the first -errno, 0 so far */

/* The first start and the last end of the accepted rows (with the shift); 0, 0 without rows.
 * Complete only after trace_out_settle(). */
void trace_out_hull(const struct trace_out *out, int64_t *t_min_ns, int64_t *t_max_ns);

/* No more rows: decides about those still held, so that the counts and the hull are final. */
void trace_out_settle(struct trace_out *out);

/* Adds `delta_ns` to every time of the file when it is closed: some sources say their time base
 * last. 0, or -ERANGE (nothing changes) when a time would leave the format's range. Call it after
 * trace_out_settle(). */
int trace_out_shift(struct trace_out *out, int64_t delta_ns);

/* Writes the identity, ends the file and renames it to BOOT8.PID.STARTTIME.GEN.baton. Always frees
 * `out`. 0 or -errno; on error no file is left. */
int trace_out_close(struct trace_out *out, const struct trace_identity *identity);

/* Gives up: removes the file, frees. */
void trace_out_abort(struct trace_out *out);

#endif

/* Writes one trace file of one process for an importer. It interns strings, threads, devices,
 * streams, communicators and shapes of launches as dictionary records, refuses impossible times
 * (and counts them), and gives the file its name only when it is complete. A GPU's clock that runs
 * early (gpu_clock.h) is put right. One thread per trace_out. */
#ifndef IMPORT_TRACE_OUT_H
#define IMPORT_TRACE_OUT_H

#include <baton/format.h>
#include <stdbool.h>

struct trace_out;

/* The process of the rows. It may change until trace_out_close(), which copies the strings. */
struct trace_identity {
	int64_t pid;
	int32_t rank;       /* -1 unknown */
	int32_t world_size; /* -1 unknown */
	int32_t local_rank; /* -1 unknown */
	uint32_t generation;
	uint64_t start_time;        /* 0: unknown; only distinguishes two processes with one pid */
	const char *host;           /* never NULL */
	const char *source;         /* "kineto", "nsys" */
	const char *source_version; /* or NULL */
	const char *run_id;         /* or NULL */
};

/* Begins a file in directory `dir` (which exists). `alone`: no other one is written at the same time, so
 * it may have long blocks. 0 or -errno. */
int trace_out_open(const char *dir, bool alone, struct trace_out **out);
/* From now on it holds at most `rows` rows of each kind in memory: for many files at once. */
void trace_out_limit(struct trace_out *out, uint32_t rows);

/* These return dictionary ids: the same id for the same arguments, 0 for absent input or after an
 * error (which trace_out_close() returns). Strings above 32 KiB are cut. */
uint32_t trace_out_string(struct trace_out *out, const char *at, size_t bytes);
uint32_t trace_out_text(struct trace_out *out, const char *text); /* NUL-terminated or NULL */
uint32_t trace_out_thread(struct trace_out *out, int64_t pid, int64_t tid, uint32_t name);
/* The key of a device is its ordinal and uuid. */
uint32_t trace_out_device(struct trace_out *out, const struct baton_r_device *device);
uint32_t trace_out_stream(struct trace_out *out, uint32_t device, int64_t context, int64_t stream);
/* Of a stream that rows have named; of another one nothing is written. */
void trace_out_priority(struct trace_out *out, const struct baton_r_stream *of,
						const struct baton_r_priority *priority);
/* The communicator's hash is XXH3 of its size, name and rank list, so it is the same in every
 * member's file. */
uint32_t trace_out_comm(struct trace_out *out, uint32_t size, const char *name, const char *ranks);
/* `shape` without head and id: all of it is the key. */
uint32_t trace_out_shape(struct trace_out *out, const struct baton_r_shape *shape);
/* Of an operator: strings of its shapes and types. */
uint32_t trace_out_inputs(struct trace_out *out, uint32_t shapes, uint32_t types);
/* A line of Python, a library, and a call stack of frames of both (`of`: their ids). */
uint32_t trace_out_code(struct trace_out *out, uint32_t file, uint32_t function, int32_t line);
uint32_t trace_out_module(struct trace_out *out, uint32_t path);
uint32_t trace_out_stack(struct trace_out *out, const struct baton_frame *frames, uint32_t n);
void trace_out_clock(struct trace_out *out, int64_t local_ns, int64_t reference_ns);
void trace_out_meta(struct trace_out *out, const char *key, const char *value);
void trace_out_loss(struct trace_out *out, enum baton_loss_kind kind, const char *what,
					uint64_t count);

/* Adds a row. `present` has bit c set for each optional column c that the source has; the required
 * columns are implied. A row with a negative duration, a duration above 7 days, or a start more
 * than 12 hours from the median of the file's first rows is refused and counted as a loss of kind
 * BATON_LOSS_INVALID. */
void trace_out_row(struct trace_out *out, enum baton_kind kind,
				   const int64_t row[BATON_MAX_COLUMNS], uint32_t present);

/* Rows accepted so far of one kind; rows refused so far of all kinds. */
uint64_t trace_out_rows(const struct trace_out *out, enum baton_kind kind);
uint64_t trace_out_refused(const struct trace_out *out);
/* How often a name, thread or stream beyond the limits of a file (1 Mi names, 64 MiB of them) was
 * replaced by a common one. These are counted as losses too. */
uint64_t trace_out_unnamed(const struct trace_out *out);
int trace_out_error(const struct trace_out *out); /* the first error as -errno; 0: none */

/* The first start and the last end of the accepted rows (with the shift); 0, 0 without rows.
 * Complete only after trace_out_settle(). */
void trace_out_hull(const struct trace_out *out, int64_t *t_min_ns, int64_t *t_max_ns);

/* Call after the last row: decides about the rows still held, so that the counts and the hull are
 * final. */
void trace_out_settle(struct trace_out *out);

/* Adds `delta_ns` to every time of the file when it is closed, for sources that give their time
 * base at the end. Call it after trace_out_settle(). 0, or -ERANGE when a time would leave the
 * format's range; then nothing changes. */
int trace_out_shift(struct trace_out *out, int64_t delta_ns);

/* Writes the identity, ends the file and renames it to BOOT8.PID.STARTTIME.GEN.baton. Always frees
 * `out`. 0 or -errno; on error no file is left. */
int trace_out_close(struct trace_out *out, const struct trace_identity *identity);

/* Removes the unfinished file and frees `out`. */
void trace_out_abort(struct trace_out *out);

#endif

/* One process on its way into an export: its trace, and the numbers that its texts, threads and
 * domains have in the file. One thread. */
#ifndef EXPORT_NSYS_SOURCE_H
#define EXPORT_NSYS_SOURCE_H

#include "export/nsys_plan.h"
#include "export/nsys_tables.h"
#include "read/rows.h"
#include "stacks/stacks.h"

struct nsys_out { /* one file */
	struct nsys_tables tables;
	struct nsys_plan *plan;
	/* Added to the next process's correlation ids. Many queries join by the id alone, though it is
	 * a process's own: with this no two processes have the same. */
	int64_t correlations_from;
	/* Added to the numbers of the next process's call stacks. */
	int64_t chains_from;
	struct symbols *symbols;  /* of native frames */
	uint64_t payload_domains; /* whose schemas are written: a bit for each number below 64 */
	bool alone;               /* one process is in it */
	bool partial;             /* a trace is damaged, or cannot be read */
};

struct nsys_name { /* numbers in StringIds of a text of the trace; 0: not there yet */
	uint32_t whole, brief;
	int32_t domain; /* number of the NVTX domain of this name; 0: not made yet */
};

struct nsys_collective { /* a row of NCCL, and the call that launched its kernel */
	int64_t correlation;
	int64_t message, sequence; /* in bytes; its number in the communicator; -1: not known */
	uint32_t comm;             /* index in the trace */
	uint8_t coll;
	uint32_t peer;            /* 1 + rank; 0: none */
	int64_t thread;           /* globalTid; 0: no call was written */
	int64_t launch_ns;        /* begin of the launch */
	int64_t begin_ns, end_ns; /* of the range: the NCCL call around the launch, or the launch */
};

struct nsys_payloads {
	struct nsys_collective *rows; /* by correlation; by thread and launch when calls are written */
	size_t n, room;
	bool by_thread, own; /* own: the process has ranges of NCCL */
	bool unnumbered;     /* some row has no sequence number, so none is written */
	int32_t domain;      /* of the last payload; 0: none yet */
};

struct nsys_source {
	struct nsys_out *out;
	const struct nsys_member *member;
	struct stats_file file;
	struct stacks stacks;
	bool *stacks_used;       /* of each stack of the trace: a call that is written has it */
	struct nsys_name *names; /* of each text of the trace */
	uint32_t *inputs;        /* numbers in StringIds of inputs of the trace; 0: not there yet */
	int64_t *threads;        /* globalTid of each thread of the trace; 0: not put */
	int64_t correlations_to; /* the largest id so far, as it was written */
	int32_t domains;         /* made so far */
	struct nsys_payloads payloads;
	int32_t optimizers[2]; /* domains of marks of optimizers; 0: not made yet */
};

/* Writes all rows of a process that count into the file. What cannot be read is said, and
 * out->partial tells it. 0 or -errno. */
int nsys_source_write(struct nsys_out *out, const struct nsys_member *member,
					  struct stats_run *rows);

/* For the writers of rows: the current row's text in this column, with its numbers. */
struct nsys_name *nsys_name_of(struct nsys_source *source, const struct rows *rows, unsigned column,
							   struct text *text);
int64_t nsys_time(const struct nsys_source *source, int64_t ns);
/* Puts start and end of the current row in the first two columns. */
void nsys_put_times(struct nsys_source *source, const struct rows *rows);
/* Puts the id that the current row has in `from`, unless it has none. */
void nsys_put_correlation(struct nsys_source *source, const struct rows *rows, unsigned from,
						  int column);
void nsys_put_thread(struct nsys_source *source, const struct rows *rows, unsigned from,
					 int column);
/* Puts device, context and stream of the current row; `first`: the column of the device, the next
 * ones are context, green context and stream. False: the row does not say its stream. */
bool nsys_put_stream(struct nsys_source *source, const struct rows *rows, unsigned from, int first);

/* Puts the number of a device of the trace (its index there) and of its first context, in the columns
 * `first` and the next one. Nothing where the device is 0. */
void nsys_put_device(struct nsys_source *source, uint32_t device, int first);

/* nsys's number of a kind of memory. */
int64_t nsys_memory_number(int64_t kind);

void nsys_write_op(struct nsys_source *source, const struct rows *rows);
void nsys_write_call(struct nsys_source *source, const struct rows *rows);
/* The call stacks of the calls that were written, by the numbers that these have. 0 or -errno. */
int nsys_write_chains(struct nsys_source *source);
void nsys_write_range(struct nsys_source *source, const struct rows *rows);
/* Puts the inputs of an operator into the range that is written, if it has some. */
void nsys_put_inputs(struct nsys_source *source, const struct rows *range);
void nsys_write_sync(struct nsys_source *source, const struct rows *rows);
void nsys_write_overhead(struct nsys_source *source, const struct rows *rows);

/* The arguments of NCCL calls (nsys_payloads.c): ranges of the domain NCCL with payloads, as NCCL's own
 * instrumentation makes them. A process that has such ranges keeps them, and those that launched one
 * collective get its payload. */

/* Before the calls: reads the rows of NCCL. 0 or -errno. */
int nsys_payloads_gather(struct nsys_source *source);
/* For each call that is written. */
void nsys_payloads_call(struct nsys_source *source, const struct rows *call, struct text name);
/* Before each range that is written: the row whose payload it gets, or NULL. */
const struct nsys_collective *nsys_payloads_of(struct nsys_source *source, const struct rows *range,
											   struct text name, int32_t domain);
/* Puts the payload into the range that is written. */
void nsys_payloads_put(struct nsys_source *source, const struct nsys_collective *row);
/* After the ranges. */
void nsys_payloads_write(struct nsys_source *source);
void nsys_payloads_free(struct nsys_source *source);

#endif

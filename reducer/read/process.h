/* One process of a run: its identity, and its trace file. */
#ifndef READ_PROCESS_H
#define READ_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm_rank { /* a process's place in a communicator */
	uint64_t hash;
	uint32_t size;
	int32_t rank;
};

/* Of a recording that kept its last part only (docs/FORMAT.md, kept); all 0: nothing is left out. */
struct kept_part {
	int64_t before_ns,
		kept_ns; /* how long the part that is left out was, and the one that is here */
	uint64_t launches, kernels; /* left out */
	int64_t from_ns;            /* when the part that is here begins */
};

struct run_process {
	char *path;
	int held; /* the file as it was when the run was opened, if its process still records; else -1 */
	int64_t pid;
	int32_t rank;
	int32_t world_size;
	uint32_t host; /* text in the run's pool, like source and run_id */
	uint32_t source;
	uint32_t run_id;
	uint64_t losses[5]; /* by enum baton_loss_kind */
	uint64_t cost_ns;
	bool limited; /* its recorder did without something */
	bool cost_known;
	struct kept_part kept;
	int64_t first_ns;     /* when its first event began; INT64_MAX: it has none */
	int64_t began_ns;     /* when its first op began; 0: it has none */
	int64_t worked_ns;    /* when its last one ended */
	int64_t since_ns;     /* rows that end before are left out (run_keep_last); 0: none are */
	bool closed;          /* nothing will be added to the file */
	int64_t gpu_shift_ns; /* what the import added to the GPU's times */
	uint32_t cpus;        /* on which it might run when its trace began: text like `host`, or "" */
	uint64_t start_time;
	uint32_t generation;
	struct comm_rank *comm_ranks; /* filled for a recorded process without a rank */
	size_t n_comm_ranks;
};

#endif

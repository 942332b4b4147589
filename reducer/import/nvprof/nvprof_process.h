/* A process of a CSV of nvprof: its trace file, and what its rows share. One thread. */
#ifndef IMPORT_NVPROF_PROCESS_H
#define IMPORT_NVPROF_PROCESS_H

#include "import/nvprof/nvprof_table.h"
#include "import/trace_out.h"

enum { NVPROF_DEVICES = 64, NVPROF_THREADS = 64 };

enum nvprof_kind { NVPROF_OPS, NVPROF_CALLS, NVPROF_KINDS };

struct nvprof_device {
	int32_t ordinal;
	uint32_t id; /* dictionary id */
	uint64_t ops;
};

/* A thread of the host; until when its last calls ran. */
struct nvprof_thread {
	int64_t runtime_ns, driver_ns;
};

struct nvprof_process {
	int64_t pid; /* 0: the file does not say it */
	struct trace_out *out;
	bool has[NVPROF_KINDS];
	int64_t last_ns[NVPROF_KINDS]; /* the latest end so far */
	uint32_t n_devices;
	struct nvprof_device devices[NVPROF_DEVICES];
	uint32_t n_threads;
	struct nvprof_thread threads[NVPROF_THREADS];
	int64_t *stream_ns; /* by dictionary id: the end of its last op */
	size_t stream_room;
	char *text; /* of a name with doubled quotes */
	size_t text_room;
};

enum nvprof_refusal { /* why a row was not used */
					  NVPROF_TAKEN,
					  NVPROF_NO_TIME,
					  NVPROF_IMPOSSIBLE, /* times that no job has */
					  NVPROF_NO_NAME,
					  NVPROF_NO_DEVICE,
					  NVPROF_TOO_MANY,
					  NVPROF_CELLS, /* not as many as the table has columns */
					  NVPROF_NO_MEMORY,
					  NVPROF_REFUSALS
};

struct nvprof_row {
	const struct nvprof_table *table;
	struct csv_cell cells[NVPROF_FIELDS];
	int64_t start_ns, dur_ns;
};

/* 0 or -errno. */
int nvprof_process_open(struct nvprof_process *process, int64_t pid, const char *dir);
void nvprof_process_free(struct nvprof_process *process); /* an open trace file is thrown away */

/* A row is a CUDA call when nothing says where on a GPU it ran. */
enum nvprof_kind nvprof_row_kind(const struct nvprof_row *row);
/* The row is of no work on a GPU nor a call: page faults of unified memory, thrashing and the like. */
bool nvprof_row_unread(const struct nvprof_row *row);
enum nvprof_refusal nvprof_take_row(struct nvprof_process *process, struct nvprof_row *row);

#endif

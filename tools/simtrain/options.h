/* What the program was asked to do. */
#ifndef SIMTRAIN_OPTIONS_H
#define SIMTRAIN_OPTIONS_H

#include <stdbool.h>

struct options {
	int rank, local_rank, ranks; /* of the environment */
	bool dataparallel, nvtx, graph, sync_in_loop, alloc_in_loop;
	int devices; /* of dataparallel */
	int steps, layers, buckets, bucket_kib, tiny, threads;
	long launches;
	long host_ns;
	int slow_rank, slow_percent;
	int late_rank;
	double late_ms;
	int kill_rank, kill_step;
	int profile_from, profile_to;
	double stall_ms;
	int stall_every;
	bool stall_range;
	const char *batch_file; /* of --batch-after; NULL: none */
	int batch_step;
};

/* Prints what is wrong and exits with 2; --help prints the options and exits with 0. */
void options_read(struct options *options, int argc, char **argv);

#endif

/* The work of one process on its devices, each op beside the call that launched it. */
#ifndef STATS_LAUNCHED_H
#define STATS_LAUNCHED_H

#include "stats/events.h"

struct launched {
	int64_t begin, end;           /* of the op */
	int64_t call_begin, call_end; /* of the call; only where call_name is not 0 */
	uint64_t correlation;
	int64_t bytes;      /* -1: none or not known */
	uint32_t name;      /* in the run's pool, like call_name */
	uint32_t call_name; /* 0: the call is not in the file */
	uint32_t thread;    /* index in the file; that of the call */
	uint32_t stream;    /* index in the file */
	uint32_t shape;     /* index in the file; 0: not known */
	int16_t memory;     /* as in the op's row; -1: not known */
	uint8_t kind;       /* enum baton_op_kind */
};

struct launched_list {
	struct launched *at; /* in order of their start */
	size_t n, room;
};

/* Reads a file's ops; `list` is freed by the caller, also after an error. 0 or -errno. */
int launched_read(struct stats_file *file, struct launched_list *list);

#endif

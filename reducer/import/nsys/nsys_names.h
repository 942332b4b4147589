/* The names of threads of an nsys export, read once for all its processes. */
#ifndef IMPORT_NSYS_NAMES_H
#define IMPORT_NSYS_NAMES_H

#include "base/strings.h"

struct nsys_db;
struct trace_out;

struct nsys_thread_name {
	int64_t global; /* globalTid */
	uint32_t text;
	uint32_t row; /* the first name of a thread counts */
};

struct nsys_names {
	struct nsys_thread_name *at; /* by process, then in the order of the file */
	size_t n, room;
	struct strings texts;
};

/* 0 or -ENOMEM. Call nsys_names_free() either way. */
int nsys_names_load(struct nsys_names *names, struct nsys_db *db);
void nsys_names_free(struct nsys_names *names);
/* Puts those of the threads of a process (globalPid; NULL: of all) into its trace. */
void nsys_names_put(const struct nsys_names *names, const int64_t *process, struct trace_out *out);

#endif

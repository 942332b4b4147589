/* The interface of an importer to cmd_import. An importer recognises files by content, never by
 * name. */
#ifndef IMPORT_IMPORTER_H
#define IMPORT_IMPORTER_H

#include <stddef.h>
#include <stdint.h>

/* The state of one `baton import`, shared by all its files. */
struct import_run {
	const char *out_dir; /* exists, writable */
	const char *run_id;  /* one for all files of this import */
	int32_t force_rank;  /* --rank N for a single file; -1: the rank in the source */
	uint64_t rows;       /* rows accepted so far, in all files */
	uint64_t refused;    /* rows and events of the sources that could not be used */
	uint64_t files_out;  /* trace files made */
	uint64_t bytes_in;   /* bytes of source text read (after inflating), for MB/s */
	/* devices already taken, because two Kineto files never share a device */
	struct import_device *taken;
	size_t n_taken;
};

struct import_device {
	char host[64];
	int32_t ordinal;
	int32_t world_size;
	int64_t t_min_ns;
	int64_t t_max_ns;
};

/* Files whose times are further apart, or whose known world sizes differ, belong to different
 * runs. */
#define IMPORT_REACH_NS ((int64_t)12 * 3600 * 1000000000)

/* The devices that one file claims. */
struct import_claim {
	const int32_t *ordinals;
	size_t n;
	int32_t rank;       /* -1 unknown */
	int32_t world_size; /* -1 unknown */
	int64_t t_min_ns;
	int64_t t_max_ns;
};

/* Takes the devices of `claim` on `host`. If an earlier file of the same run has one of them on
 * that host, first makes `host` unique by appending "-rankN" or "-fileN". 0 or -ENOMEM. */
int import_take_devices(struct import_run *run, char host[64], const struct import_claim *claim);

struct importer {
	const char *name; /* "kineto", "nsys", "nvprof" */
	/* Does this importer read the file with these first `bytes` bytes (inflated when it is gz)? */
	int (*recognise)(const unsigned char *head, size_t bytes);
	/* Imports one file, and prints what is wrong. Returns an enum status: STATUS_OK;
	 * STATUS_PARTIAL: something was lost or refused, counted and reported with diag_at();
	 * STATUS_INPUT: nothing was usable; STATUS_OUTPUT: writing failed. */
	int (*import_file)(const char *path, struct import_run *run);
};

extern const struct importer importer_kineto;
extern const struct importer importer_nsys;
extern const struct importer importer_nvprof;

#endif

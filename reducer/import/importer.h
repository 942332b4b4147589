/* What cmd_import asks of a source format. An importer recognises files by content, never by name.
 * */
#ifndef IMPORT_IMPORTER_H
#define IMPORT_IMPORTER_H

#include <stddef.h>
#include <stdint.h>

/* State of one `baton import`: shared by all its files. */
struct import_run {
	const char *out_dir;         /* exists, writable */
	const char *run_id;          /* one for all files of this import */
	int32_t force_rank;          /* --rank N for a single file, -1: take it from the source */
	uint64_t rows;               /* accepted so far, all files */
	uint64_t refused;            /* rows and events of the sources that could not be used */
	uint64_t files_out;          /* trace files made */
	uint64_t bytes_in;           /* bytes of source text read (after inflating), for MB/s */
	struct import_device *taken; /* already taken: two Kineto files never share a device */
	size_t n_taken;
};

struct import_device {
	char host[64];
	int32_t ordinal;
	int32_t world_size;
	int64_t t_min_ns;
	int64_t t_max_ns;
};

/* Files whose times lie further apart, or whose known world sizes differ, are of different runs. */
#define IMPORT_REACH_NS ((int64_t)12 * 3600 * 1000000000)

/* The devices one file wants. */
struct import_claim {
	const int32_t *ordinals;
	size_t n;
	int32_t rank;       /* -1 unknown */
	int32_t world_size; /* -1 unknown */
	int64_t t_min_ns;
	int64_t t_max_ns;
};

/* Makes `host` (64 bytes) one on which no earlier file of the same run has one of these devices, by
 * appending "-rankN" or "-fileN", and takes them. 0 or -ENOMEM. */
int import_take_devices(struct import_run *run, char host[64], const struct import_claim *claim);

struct importer {
	const char *name; /* "kineto", "nsys" */
	/* Does this file (its first `bytes` bytes, inflated when it is gz) look like ours? */
	int (*recognise)(const unsigned char *head, size_t bytes);
	/* Imports one file. Returns an enum status: OK, PARTIAL (something was lost or refused, counted
	 * and said with diag_at), INPUT (nothing usable), OUTPUT (writing failed). Says what is wrong
	 * itself. */
	int (*import_file)(const char *path, struct import_run *run);
};

extern const struct importer importer_kineto;
extern const struct importer importer_nsys;

#endif

/* What cmd_import asks of a source format. An importer recognises files by content, never by name. */
#ifndef IMPORT_IMPORTER_H
#define IMPORT_IMPORTER_H

#include <stddef.h>
#include <stdint.h>

/* State of one `baton import`: shared by all its files. */
struct import_run {
	const char *out_dir;  /* exists, writable */
	const char *run_id;   /* one for all files of this import */
	int32_t force_rank;   /* --rank N for a single file, -1: take it from the source */
	uint64_t rows;        /* accepted so far, all files */
	uint64_t refused;     /* rows and events of the sources that could not be used */
	uint64_t files_out;   /* trace files made */
	uint64_t bytes_in;    /* bytes of source text read (after inflating), for MB/s */
	struct import_seat *seats; /* (host, ordinal) already taken: two Kineto files never share a device */
	size_t n_seats;
};

struct import_seat {
	char host[64];
	int32_t ordinal;
};

/* Makes `host` (64 bytes) one on which none of these device ordinals is taken by an earlier file of this import, by
 * appending "-rankN" or "-fileN", and takes them. 0 or -ENOMEM. */
int import_take_seats(struct import_run *run, char host[64], const int32_t *ordinals, size_t n,
                      int32_t rank);

struct importer {
	const char *name; /* "kineto", "nsys" */
	/* Does this file (its first `bytes` bytes, inflated when it is gz) look like ours? */
	int (*recognise)(const unsigned char *head, size_t bytes);
	/* Imports one file. Returns an enum status: OK, PARTIAL (something was lost or refused, counted and said with diag_at),
	 * INPUT (nothing usable), OUTPUT (writing failed). Says what is wrong itself. */
	int (*import_file)(const char *path, struct import_run *run);
};

extern const struct importer importer_kineto;
extern const struct importer importer_nsys;

#endif

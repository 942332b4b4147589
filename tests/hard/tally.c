/* What the traces of a directory hold, as one line of JSON: sums that a test compares with what it
 * knows of the job. tally DIR. Reads with the codec alone, so it counts millions of rows in a
 * second. Damage is counted, not told. */
#include <baton/columns.h>
#include <baton/reader.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS = 1 << 20, NAME_BYTES = 64 };

static struct {
	uint64_t files, unreadable, open, damaged, calls, launches, kernels, ops;
	uint64_t left_launches, left_kernels; /* that --keep-last left out */
	uint64_t dropped, others, gpu, unheard, in_flight, threads, least, most;
} sum;

/* Of one file, by id modulo IDS: those of the salvage are counted down from 2^32. */
static char (*names)[NAME_BYTES];
static uint64_t *of_thread;       /* launches recorded and dropped, by id of the thread */

static void note_string(const uint8_t *at)
{
	struct baton_r_string row;
	memcpy(&row, at, sizeof(row));
	snprintf(names[row.id % IDS], NAME_BYTES, "%.*s", (int)row.bytes, (const char *)at + sizeof(row));
}

static void note_loss(const uint8_t *at)
{
	struct baton_r_loss row;
	unsigned thread;
	memcpy(&row, at, sizeof(row));
	const char *what = names[row.what % IDS];
	if (row.kind == BATON_LOSS_IN_FLIGHT) {
		sum.in_flight += row.count;
	} else if (sscanf(what, "launches of thread %u", &thread) == 1 && thread < IDS) {
		sum.dropped += row.count;
		of_thread[thread] += row.count;
	} else if (strstr(what, "without a ring")) {
		sum.unheard += row.count;
	} else if (strncmp(what, "launches ", 9) == 0) { /* for which the disk had no room */
		sum.dropped += row.count;
	} else if (strcmp(what, "GPU records") == 0) {
		sum.gpu += row.count;
	} else {
		sum.others += row.count;
	}
}

static void note_kept(const uint8_t *at)
{
	struct baton_r_kept row;
	memcpy(&row, at, sizeof(row));
	sum.left_launches += row.launches;
	sum.left_kernels += row.kernels;
}

static void note_records(const uint8_t *raw, size_t bytes)
{
	struct baton_record head;
	for (size_t at = 0; at + sizeof(head) <= bytes; at += head.size) {
		memcpy(&head, raw + at, sizeof(head));
		if (head.size < sizeof(head))
			return;
		if (head.type == BATON_R_STRING)
			note_string(raw + at);
		else if (head.type == BATON_R_LOSS)
			note_loss(raw + at);
		else if (head.type == BATON_R_KEPT)
			note_kept(raw + at);
	}
}

static void note_row(int64_t **columns, bool call, uint32_t i)
{
	if (!call) {
		sum.kernels += columns[OP_KIND][i] == BATON_KERNEL;
		return;
	}
	const char *name = names[columns[CALL_NAME][i] % IDS];
	if (strstr(name, "Launch") && !strstr(name, "HostFunc")) {
		sum.launches++;
		of_thread[columns[CALL_THREAD][i] % IDS]++;
	}
}

static void note_rows(const struct baton_reader *reader, const struct baton_block_header *header)
{
	int64_t *columns[BATON_MAX_COLUMNS], *room = calloc(BATON_MAX_COLUMNS, header->rows * 8ull + 8);
	uint32_t present;
	bool call = header->kind == BATON_CALL;
	for (int c = 0; room && c < BATON_MAX_COLUMNS; c++)
		columns[c] = room + (size_t)c * header->rows;
	if (room && baton_columns_decode(baton_table(header->kind), header, reader->raw, columns,
									 &present) == 0)
		for (uint32_t i = 0; i < header->rows; i++)
			note_row(columns, call, i);
	else
		sum.damaged++;
	free(room);
}

static void note_block(struct baton_reader *reader, const struct baton_entry *entry)
{
	struct baton_block_header header;
	enum baton_damage damage = entry->damage;
	if (entry->kind && damage == BATON_INTACT)
		baton_reader_load(reader, entry->offset, &header, &damage);
	sum.damaged += damage != BATON_INTACT && damage != BATON_UNCLOSED;
	if (!entry->kind || damage != BATON_INTACT)
		return;
	sum.calls += entry->kind == BATON_CALL ? entry->rows : 0;
	sum.ops += entry->kind == BATON_OP ? entry->rows : 0;
	if (entry->kind == BATON_RECORDS)
		note_records(reader->raw, header.raw_bytes);
	else if (entry->kind == BATON_CALL || entry->kind == BATON_OP)
		note_rows(reader, &header);
}

/* A string may come after the rows that use it only where a writer was interrupted, so one pass
 * is enough here. */
static void note_file(int dirfd, const char *name)
{
	struct baton_reader reader;
	sum.files++;
	if (baton_reader_open(&reader, dirfd, name) != 0) {
		sum.unreadable++;
		return;
	}
	names = calloc(IDS, NAME_BYTES); /* pages that nothing touches cost nothing */
	of_thread = calloc(IDS, sizeof(*of_thread));
	if (!names || !of_thread)
		exit(2);
	sum.open += !reader.closed;
	for (size_t i = 0; i < reader.n_entries; i++)
		note_block(&reader, &reader.entries[i]);
	for (int i = 0; i < IDS; i++) {
		uint64_t n = of_thread[i];
		sum.threads += n > 0;
		sum.most = n > sum.most ? n : sum.most;
		if (n && (n < sum.least || !sum.least))
			sum.least = n;
	}
	free(names);
	free(of_thread);
	baton_reader_close(&reader);
}

static bool is_trace(const char *name)
{
	size_t n = strlen(name);
	return name[0] != '.' && n > 6 && strcmp(name + n - 6, ".baton") == 0 &&
		   strcmp(name, "summary.baton") != 0 && strncmp(name, "gpus.", 5) != 0;
}

#define SHOWN(field) printf("%s\"" #field "\": %" PRIu64, comma++ ? ", " : "{", sum.field)

int main(int argc, char **argv)
{
	DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr, "tally: %s: cannot be read\n", argc > 1 ? argv[1] : "no directory");
		return 2;
	}
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		if (is_trace(e->d_name))
			note_file(dirfd(dir), e->d_name);
	closedir(dir);
	int comma = 0;
	SHOWN(files), SHOWN(unreadable), SHOWN(open), SHOWN(damaged), SHOWN(calls), SHOWN(launches);
	SHOWN(kernels), SHOWN(ops), SHOWN(dropped), SHOWN(others), SHOWN(gpu), SHOWN(unheard);
	SHOWN(in_flight), SHOWN(threads), SHOWN(least), SHOWN(most);
	SHOWN(left_launches), SHOWN(left_kernels);
	printf("}\n");
	return fflush(stdout) != 0;
}

#include "import/made.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"
#include "import/importer.h"

#include <baton/columns.h>
#include <baton/reader.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- reading back ---- */

static void take_process(struct made_file *file, const uint8_t *at, size_t bytes)
{
	struct baton_r_process process;
	struct baton_record head;
	for (; bytes >= sizeof(head); at += head.size, bytes -= head.size) {
		memcpy(&head, at, sizeof(head));
		if (head.size < sizeof(head) || head.size > bytes)
			return;
		if (head.type != BATON_R_PROCESS || head.size < sizeof(process))
			continue;
		memcpy(&process, at, sizeof(process));
		file->pid = process.pid;
		file->rank = process.rank;
		file->world_size = process.world_size;
	}
}

static int count_kernels(struct made_file *file, const struct baton_reader *reader,
						 const struct baton_block_header *header, int64_t *room)
{
	int64_t *columns[BATON_MAX_COLUMNS];
	uint32_t present;
	for (unsigned c = 0; c < BATON_MAX_COLUMNS; c++)
		columns[c] = room + (size_t)c * header->rows;
	int error = baton_columns_decode(baton_table(BATON_OP), header, reader->raw, columns, &present);
	for (uint32_t i = 0; i < header->rows && !error; i++)
		file->kernels += columns[OP_KIND][i] == BATON_KERNEL;
	return error;
}

static int take_block(struct made_file *file, struct baton_reader *reader,
					  const struct baton_entry *entry)
{
	struct baton_block_header header;
	enum baton_damage damage;
	if (baton_table(entry->kind) && entry->rows > 0) {
		bool first = file->t_min_ns > file->t_max_ns;
		file->t_min_ns =
			first || entry->t_min_ns < file->t_min_ns ? entry->t_min_ns : file->t_min_ns;
		file->t_max_ns =
			first || entry->t_max_ns > file->t_max_ns ? entry->t_max_ns : file->t_max_ns;
	}
	file->calls += entry->kind == BATON_CALL ? entry->rows : 0;
	file->ops += entry->kind == BATON_OP ? entry->rows : 0;
	if (entry->kind != BATON_RECORDS && entry->kind != BATON_OP)
		return 0;
	int error = baton_reader_load(reader, entry->offset, &header, &damage);
	if (error || damage != BATON_INTACT)
		return error ? error : -EBADMSG;
	if (entry->kind == BATON_RECORDS) {
		take_process(file, reader->raw, header.raw_bytes);
		return 0;
	}
	int64_t *room = calloc((size_t)header.rows + 1, BATON_MAX_COLUMNS * sizeof(*room));
	if (!room)
		return -ENOMEM;
	error = count_kernels(file, reader, &header, room);
	free(room);
	return error;
}

static int read_back(struct made_file *file, int dirfd)
{
	struct baton_reader reader;
	int error = baton_reader_open(&reader, dirfd, file->name);
	if (error)
		return error;
	file->rank = file->world_size = -1;
	file->t_min_ns = 1; /* above t_max_ns: no rows yet */
	file->bytes = reader.file_bytes;
	for (size_t i = 0; i < reader.n_entries && !error; i++)
		error = take_block(file, &reader, &reader.entries[i]);
	baton_reader_close(&reader);
	if (file->t_min_ns > file->t_max_ns)
		file->t_min_ns = file->t_max_ns;
	return error;
}

static int add(struct made *made, int dirfd, const char *name, const char *from)
{
	if (room_for((void **)&made->files, made->n, &made->room, 16, sizeof(*made->files)) != 0)
		return -ENOMEM;
	struct made_file *file = &made->files[made->n++];
	*file = (struct made_file){.from = from};
	snprintf(file->name, sizeof(file->name), "%s", name);
	return read_back(file, dirfd);
}

int made_collect(struct made *made, const char *dir, const char *from)
{
	uint32_t id;
	int is_new, error = made->names.n ? 0 : strings_init(&made->names);
	DIR *entries = error ? NULL : opendir(dir);
	if (!entries)
		return error ? error : -errno;
	for (struct dirent *e; !error && (e = readdir(entries));) {
		size_t bytes = strlen(e->d_name);
		if (bytes <= 6 || e->d_name[0] == '.' || strcmp(e->d_name + bytes - 6, ".baton") != 0)
			continue;
		error = strings_add(&made->names, e->d_name, bytes, &id, &is_new);
		if (!error && is_new)
			error = add(made, dirfd(entries), e->d_name, from);
	}
	closedir(entries);
	return error;
}

void made_free(struct made *made)
{
	free(made->files);
	strings_free(&made->names);
	*made = (struct made){0};
}

/* ---- choosing one run ---- */

static int by_time(const void *a, const void *b)
{
	const struct made_file *x = a, *y = b;
	if (x->t_min_ns != y->t_min_ns)
		return x->t_min_ns < y->t_min_ns ? -1 : 1;
	return strcmp(x->from, y->from);
}

static int by_source(const void *a, const void *b)
{
	const struct made_file *x = a, *y = b;
	int order = strcmp(x->from, y->from);
	return order ? order : strcmp(x->name, y->name);
}

/* The world size of a group, -1 while no file of it told one. */
static int32_t group_world(const struct made *made, size_t n, uint32_t group)
{
	for (size_t i = 0; i < n; i++)
		if (made->files[i].group == group && made->files[i].world_size >= 0)
			return made->files[i].world_size;
	return -1;
}

/* The group among files [first, i) that file i belongs to: of the same world size; an unknown one
 * fits any. */
static uint32_t group_of(const struct made *made, size_t first, size_t i, uint32_t otherwise)
{
	int32_t world = made->files[i].world_size;
	for (size_t k = first; k < i; k++)
		if (world < 0 || made->files[k].world_size == world)
			return made->files[k].group;
	for (size_t k = first; k < i; k++)
		if (group_world(made, i, made->files[k].group) < 0)
			return made->files[k].group;
	return otherwise;
}

/* Files are of one run when their times are less than 12 h apart and their world sizes agree. */
static uint32_t make_groups(struct made *made)
{
	uint32_t groups = 0;
	size_t first = 0;
	int64_t end = INT64_MIN;
	sort_rows(made->files, made->n, sizeof(*made->files), by_time);
	for (size_t i = 0; i < made->n; i++) {
		struct made_file *file = &made->files[i];
		if (end != INT64_MIN && file->t_min_ns - IMPORT_REACH_NS > end)
			first = i;
		file->group = group_of(made, first, i, groups);
		groups += file->group == groups;
		end = file->t_max_ns > end ? file->t_max_ns : end;
	}
	return groups;
}

/* The group with the most files; of equals the later one. */
static uint32_t best_group(const struct made *made, uint32_t groups)
{
	uint32_t best = 0;
	size_t best_n = 0;
	for (uint32_t g = 0; g < groups; g++) {
		size_t n = 0;
		for (size_t i = 0; i < made->n; i++)
			n += made->files[i].group == g;
		if (n >= best_n) {
			best = g;
			best_n = n;
		}
	}
	return best;
}

static void leave_out(struct made_file *file, const char *dir)
{
	char path[4096];
	file->left_out = true;
	if (snprintf(path, sizeof(path), "%s/%s", dir, file->name) < (int)sizeof(path))
		unlink(path);
}

static size_t leave_out_other_runs(struct made *made, const char *dir)
{
	size_t n = 0;
	uint32_t groups = made->n ? make_groups(made) : 0, best = best_group(made, groups);
	const struct made_file *kept = NULL;
	sort_rows(made->files, made->n, sizeof(*made->files), by_source);
	for (size_t i = 0; i < made->n && !kept; i++)
		if (made->files[i].group == best)
			kept = &made->files[i];
	for (size_t i = 0; i < made->n; i++) {
		struct made_file *file = &made->files[i];
		if (file->group == best)
			continue;
		if (file->world_size >= 0 && kept->world_size >= 0 && file->world_size != kept->world_size)
			diag("%s: left out, it is of another run than %s (world size %d, not %d)", file->from,
				 kept->from, file->world_size, kept->world_size);
		else
			diag("%s: left out, it is of another run than %s (more than 12 h apart)", file->from,
				 kept->from);
		leave_out(file, dir);
		n++;
	}
	return n;
}

static bool apart(const struct made_file *a, const struct made_file *b)
{
	return a->t_max_ns < b->t_min_ns || b->t_max_ns < a->t_min_ns;
}

/* A profiler that records several windows writes a file for each, and a file may lie beside its own
 * gz: without ranks they are told from the files of other processes by their pid, and by times that
 * lie apart or are the same to the nanosecond. */
static bool same_process(const struct made_file *a, const struct made_file *b)
{
	if (a->rank >= 0 || b->rank >= 0)
		return a->rank == b->rank;
	bool same = a->t_min_ns == b->t_min_ns && a->t_max_ns == b->t_max_ns;
	return a->pid > 0 && a->pid == b->pid && (apart(a, b) || same);
}

/* The ranks of one job run at one time. A file that tells no rank and lies apart in time from all
 * earlier ones that tell none is of another job. */
static const struct made_file *another_job(const struct made *made, size_t i)
{
	const struct made_file *file = &made->files[i], *other = NULL;
	for (size_t k = 0; k < i && file->rank < 0; k++) {
		const struct made_file *earlier = &made->files[k];
		if (earlier->left_out || earlier->rank >= 0)
			continue;
		if (earlier->from == file->from || !apart(earlier, file))
			return NULL;
		other = other ? other : earlier;
	}
	return other;
}

static const struct made_file *held_already(const struct made *made, size_t i)
{
	const struct made_file *file = &made->files[i];
	for (size_t k = 0; k < i; k++) {
		const struct made_file *earlier = &made->files[k];
		if (!earlier->left_out && earlier->from != file->from && same_process(earlier, file))
			return earlier;
	}
	return NULL;
}

static size_t leave_out_second_ranks(struct made *made, const char *dir)
{
	size_t n = 0;
	for (size_t i = 0; i < made->n; i++) {
		struct made_file *file = &made->files[i];
		const struct made_file *earlier = held_already(made, i);
		const struct made_file *other = earlier ? NULL : another_job(made, i);
		bool ranked = file->rank >= 0;
		if (earlier)
			diag("%s: left out, %s %lld is already in %s", file->from, ranked ? "rank" : "process",
				 ranked ? (long long)file->rank : (long long)file->pid, earlier->from);
		else if (other)
			diag("%s: left out, it is of another run than %s (at another time, and neither names a "
				 "rank)",
				 file->from, other->from);
		else
			continue;
		leave_out(file, dir);
		n++;
	}
	return n;
}

/* ---- missing ranks ---- */

/* Appends "4-7" or "4"; what does not fit ends as "...". */
static void append_span(char *text, size_t room, int64_t first, int64_t last)
{
	size_t used = strlen(text);
	const char *comma = used ? ", " : "";
	if (used + 32 > room)
		snprintf(text + used, room - used, used + 8 > room || text[used - 1] == '.' ? "" : ", ...");
	else if (first == last)
		snprintf(text + used, room - used, "%s%lld", comma, (long long)first);
	else
		snprintf(text + used, room - used, "%s%lld-%lld", comma, (long long)first, (long long)last);
}

static int by_rank(const void *a, const void *b)
{
	const struct made_file *x = a, *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void note_missing_ranks(struct made *made)
{
	char spans[128] = "";
	int64_t world = -1, next = 0, missing = 0;
	sort_rows(made->files, made->n, sizeof(*made->files), by_rank);
	for (size_t i = 0; i < made->n; i++)
		if (!made->files[i].left_out && made->files[i].world_size > world)
			world = made->files[i].world_size;
	for (size_t i = 0; i <= made->n && world > 0; i++) {
		int64_t rank = i < made->n ? made->files[i].rank : world;
		if ((i < made->n && made->files[i].left_out) || rank < next || rank > world)
			continue;
		if (rank > next)
			append_span(spans, sizeof(spans), next, rank - 1);
		missing += rank - next;
		next = rank + 1;
	}
	if (missing > 0)
		diag("rank%s %s of %lld ha%s no file", missing > 1 ? "s" : "", spans, (long long)world,
			 missing > 1 ? "ve" : "s");
}

size_t made_choose(struct made *made, const char *dir)
{
	if (made->n == 0)
		return 0;
	size_t n = leave_out_other_runs(made, dir);
	n += leave_out_second_ranks(made, dir);
	note_missing_ranks(made);
	return n;
}

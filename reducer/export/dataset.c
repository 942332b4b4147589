#include "export/dataset.h"

#include "render/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static unsigned levels_of(const struct dataset *set, const struct dataset_table *table)
{
	return set->levels > 1 && !table->by_step ? 1 : set->levels;
}

/* Makes the directories of a part and writes the path of a new file in them. 0 or -errno. */
static int make_path(const struct dataset *set, enum dataset_kind kind,
					 const struct dataset_part *part, char path[PATH_MAX])
{
	const struct dataset_table *table = &dataset_tables[kind];
	const unsigned levels = levels_of(set, table);
	int n = snprintf(path, PATH_MAX, "%s/%s", set->dir, table->name);
	int error = n < PATH_MAX ? out_dir_make(path) : -ENAMETOOLONG;
	for (unsigned i = 0; !error && i < levels; i++) {
		n += snprintf(path + n, (size_t)(PATH_MAX - n), "/%s=%" PRId64, table->columns[i].name,
					  i ? part->step : part->rank);
		error = n < PATH_MAX ? out_dir_make(path) : -ENAMETOOLONG;
	}
	if (error)
		return error;
	n += snprintf(path + n, (size_t)(PATH_MAX - n), "/part-%05" PRIu64 ".%s",
				  set->tables[kind].files, set->form->suffix);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int write_batch(const struct dataset_form *form, const struct batch *batch, FILE *out)
{
	int error = form->write(batch, out);
	errno = 0;
	if (!error && (fflush(out) != 0 || ferror(out)))
		error = errno ? -errno : -EIO;
	return error;
}

/* Writes the file of a part, which is empty then. */
static int write_part(struct dataset *set, enum dataset_kind kind, struct dataset_part *part)
{
	char path[PATH_MAX];
	int error = make_path(set, kind, part, path);
	FILE *out = error ? NULL : fopen(path, "wxe");
	if (!error && !out)
		error = -errno;
	if (!error) {
		error = write_batch(set->form, &part->batch, out);
		if (fclose(out) != 0 && !error)
			error = errno ? -errno : -EIO;
	}
	set->tables[kind].files++;
	batch_close(&part->batch);
	return error;
}

static int open_part(struct dataset *set, enum dataset_kind kind, struct dataset_part *part)
{
	const struct dataset_table *table = &dataset_tables[kind];
	return batch_open(&part->batch, table, levels_of(set, table));
}

/* The one that was used longest ago makes room when all are in use. */
static int place_part(struct dataset *set, enum dataset_kind kind, struct dataset_part **out)
{
	struct dataset_open_table *table = &set->tables[kind];
	struct dataset_part *oldest = &table->parts[0];
	if (table->n_parts < DATASET_OPEN_MOST) {
		*out = &table->parts[table->n_parts++];
		memset(*out, 0, sizeof(**out));
		return 0;
	}
	for (unsigned i = 1; i < table->n_parts; i++)
		oldest = table->parts[i].used < oldest->used ? &table->parts[i] : oldest;
	*out = oldest;
	return write_part(set, kind, oldest);
}

static int find_part(struct dataset *set, enum dataset_kind kind, const struct cell *row,
					 struct dataset_part **out)
{
	struct dataset_open_table *table = &set->tables[kind];
	const unsigned levels = levels_of(set, &dataset_tables[kind]);
	const int32_t rank = levels > 0 ? (int32_t)row[0].value : 0;
	const int64_t step = levels > 1 ? row[1].value : 0;
	for (unsigned i = 0; i < table->n_parts; i++)
		if (table->parts[i].rank == rank && table->parts[i].step == step) {
			*out = &table->parts[i];
			return 0;
		}
	int error = place_part(set, kind, out);
	if (error)
		return error;
	(*out)->rank = rank;
	(*out)->step = step;
	return open_part(set, kind, *out);
}

int dataset_add(struct dataset *set, enum dataset_kind kind, const struct cell *row)
{
	struct dataset_part *part;
	int error = find_part(set, kind, row, &part);
	if (!error)
		error = batch_add(&part->batch, row);
	if (error)
		return error;
	part->used = ++set->now;
	set->tables[kind].rows++;
	if (part->batch.rows < BATCH_ROWS_MOST && part->batch.text_bytes < BATCH_TEXT_MOST)
		return 0;
	error = write_part(set, kind, part);
	return error ? error : open_part(set, kind, part);
}

/* Readers take no directory without a file. */
static int write_empty(struct dataset *set, enum dataset_kind kind)
{
	struct dataset_part *part = &set->tables[kind].parts[0];
	*part = (struct dataset_part){.rank = -1, .step = -1};
	set->tables[kind].n_parts = 1;
	const int error = open_part(set, kind, part);
	return error ? error : write_part(set, kind, part);
}

int dataset_finish(struct dataset *set)
{
	int error = 0;
	for (enum dataset_kind kind = 0; !error && kind < DATASET_TABLES; kind++) {
		struct dataset_open_table *table = &set->tables[kind];
		for (unsigned i = 0; !error && i < table->n_parts; i++)
			if (table->parts[i].batch.rows > 0)
				error = write_part(set, kind, &table->parts[i]);
		if (!error && table->files == 0)
			error = write_empty(set, kind);
	}
	return error;
}

void dataset_close(struct dataset *set)
{
	for (unsigned kind = 0; kind < DATASET_TABLES; kind++)
		for (unsigned i = 0; i < set->tables[kind].n_parts; i++)
			batch_close(&set->tables[kind].parts[i].batch);
}

#include "export/dataset_files.h"

#include "base/diag.h"
#include "export/dataset_old.h"
#include "export/dataset_walk.h"
#include "export/timeline_files.h"
#include "read/run.h"
#include "render/json.h"
#include "render/out_file.h"

#include <baton/version.h>
#include <errno.h>
#include <stdlib.h>

/* ---- what the data set is: _baton.json, which readers of directories pass over ---- */

static void put_table(struct json *json, const struct dataset *set, enum dataset_kind kind)
{
	static const char *const types[] = {"int32", "int64", "text"};
	const struct dataset_table *table = &dataset_tables[kind];
	json_object(json, table->name);
	json_number(json, "rows", (int64_t)set->tables[kind].rows);
	json_number(json, "files", (int64_t)set->tables[kind].files);
	json_object(json, "columns");
	for (unsigned c = 0; c < table->n_columns; c++)
		json_text(json, table->columns[c].name, types[table->columns[c].type]);
	json_end_object(json);
	json_end_object(json);
}

static void put_about(const struct dataset_walk *w, FILE *out)
{
	static const char *const levels[] = {"rank", "step"};
	struct json json = {.out = out};
	char words[CLOCK_WORDS];
	json_object(&json, NULL);
	json_text(&json, "schema", "baton.tables/0");
	json_text(&json, "baton", BATON_VERSION);
	json_text(&json, "format", w->set.form->name);
	json_array(&json, "partition");
	for (unsigned i = 0; i < w->set.levels; i++)
		json_text(&json, NULL, levels[i]);
	json_end_array(&json);
	json_number(&json, "origin_ns", w->scene->origin_ns);
	json_text(&json, "clock", scene_clock_words(w->scene, words));
	json_object(&json, "tables");
	for (enum dataset_kind kind = 0; kind < DATASET_TABLES; kind++)
		put_table(&json, &w->set, kind);
	json_end_object(&json);
	json_end_object(&json);
	fputc('\n', out);
}

static int write_about(const struct dataset_walk *w, const char *dir)
{
	struct out_file file;
	const int error = out_file_open(&file, dir, "_baton.json");
	if (error)
		return error;
	put_about(w, file.out);
	return out_file_close(&file, 0);
}

/* ---- all of it ---- */

/* Did the reduction tell a step that --step asks for? Without steps the run is one, 0. */
static bool has_step(const struct dataset_walk *w)
{
	const struct export_filter *filter = &w->scene->job->filter;
	for (size_t i = 0; i < w->n_steps; i++)
		if (w->steps[i].number >= filter->from_step && w->steps[i].number <= filter->to_step)
			return true;
	return w->n_steps == 0 && filter->from_step == 0;
}

static int reduce(struct dataset_walk *w)
{
	const struct export_job *job = w->scene->job;
	const struct reduce_options callbacks = {.step = dataset_take_step,
											 .step_context = w,
											 .idle = dataset_take_idle,
											 .idle_context = w,
											 .op = dataset_take_op,
											 .op_context = w};
	const int status = job->reduce(job, &callbacks);
	details_close(&w->details);
	if (w->error)
		return w->error;
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return -ECANCELED;
	if (!job->filter.by_step || has_step(w))
		return 0;
	scene_say_no_step(job);
	return -ECANCELED;
}

static int write_set(const struct scene *scene, const char *dir, const struct dataset_form *form)
{
	struct dataset_walk w = {
		.scene = scene,
		.device = UINT32_MAX,
		.set = {.form = form, .dir = dir, .levels = scene->job->levels},
		.by_device = calloc(scene->run.n_devices + 1, sizeof(*w.by_device)),
	};
	int error = w.by_device ? reduce(&w) : -ENOMEM;
	if (!error)
		error = dataset_walk_host(&w);
	if (!error)
		error = dataset_walk_gauges(&w);
	if (!error)
		error = dataset_finish(&w.set);
	if (!error)
		error = write_about(&w, dir);
	dataset_close(&w.set);
	free(w.by_device);
	free(w.steps);
	return error;
}

static int write_csv(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	(void)out;
	*crowded = 0;
	return write_set(scene, dir, &dataset_csv);
}

static int write_parquet(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	(void)out;
	*crowded = 0;
	return write_set(scene, dir, &dataset_parquet);
}

static int write_arrow(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	(void)out;
	*crowded = 0;
	return write_set(scene, dir, &dataset_arrow);
}

#define FORM(writer)                                                                 \
	{                                                                                \
		.directory = true, .bare = true, .is_old = dataset_is_old, .write = (writer) \
	}

int dataset_write_csv(const struct export_job *job)
{
	static const struct timeline_form form = FORM(write_csv);
	return timeline_write(job, &form);
}

int dataset_write_parquet(const struct export_job *job)
{
	static const struct timeline_form form = FORM(write_parquet);
	return timeline_write(job, &form);
}

int dataset_write_arrow(const struct export_job *job)
{
	static const struct timeline_form form = FORM(write_arrow);
	return timeline_write(job, &form);
}

#include "page/compare_page.h"

#include "page/page.h"
#include "page/page_words.h"
#include "render/json.h"

static int write_compare(const void *of, FILE *out)
{
	compare_json(of, out);
	return 0;
}

static void print_text(const void *of, size_t i, FILE *out)
{
	(void)i;
	compare_text(of, out);
}

static void print_all(const void *of, size_t i, FILE *out)
{
	(void)i;
	compare_sentences(of, out);
}

static void print_run(const void *of, size_t i, FILE *out)
{
	compare_run_sentences(of, i, out);
}

/* The sentences of the text; those of runs in the order of the bridge, which has not the base. */
static int write_words(const void *of, FILE *out)
{
	const struct comparison *c = of;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.words/0");
	json_number(j, "base", (int64_t)c->result->base); /* which of the runs */
	int error = page_words_put(j, "answer", &(struct page_lines){print_all, of, 0});
	json_array(j, "bridge");
	for (size_t i = 0; i < c->n && !error; i++)
		if (i != c->result->base)
			error = page_words_put(j, NULL, &(struct page_lines){print_run, of, i});
	json_end_array(j);
	if (!error)
		error = page_words_put(j, "text", &(struct page_lines){print_text, of, 0});
	json_end_object(j);
	return error;
}

static void put_device(struct json *j, const struct summary *s, const struct device_summary *d)
{
	json_object(j, NULL);
	json_text(j, "device", summary_text(s, d->key));
	json_known(j, "rank", d->n_processes > 0 ? d->ranks[0] : -1);
	json_number(j, "steps", d->steps);
	json_number(j, "window_ns", d->window_ns);
	json_object(j, "time_ns");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (d->time_ns[leaf])
			json_number(j, leaf_name((enum leaf)leaf), d->time_ns[leaf]);
	json_end_object(j);
	json_end_object(j);
}

/* Where the steps of each device went, run by run; of several runs of one side the middle one's. */
static int write_runs(const void *of, FILE *out)
{
	const struct comparison *c = of;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.runs/0");
	json_array(j, "runs");
	for (size_t i = 0; i < c->n; i++) {
		json_object(j, NULL);
		json_array(j, "devices");
		for (size_t k = 0; k < c->summaries[i]->n_devices; k++)
			put_device(j, c->summaries[i], &c->summaries[i]->devices[k]);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	return 0;
}

enum status compare_page(const struct comparison *comparison, const char *path)
{
	const struct page_document documents[] = {
		{"compare", write_compare, comparison, NULL},
		{"words", write_words, comparison, NULL},
		{"tree", page_words_tree, NULL, NULL},
		{"runs", write_runs, comparison, NULL},
	};
	return page_write(path, documents, sizeof(documents) / sizeof(documents[0]));
}

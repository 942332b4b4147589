#include "page/jitter_page.h"

#include "page/kernels_page.h"
#include "page/page.h"
#include "page/page_words.h"
#include "render/json.h"

/* More are means of neighbouring steps: 120,000 numbers are about 1 MB of the page, and a canvas is
 * 16,384 wide at most in some browsers. */
enum { CELLS_MOST = 120000, COLUMNS_MOST = 4000 };

static int write_jitter(const void *of, FILE *out)
{
	return jitter_json(of, out);
}

static void print_text(const void *of, size_t i, FILE *out)
{
	(void)i;
	jitter_text(of, out);
}

static int write_words(const void *of, FILE *out)
{
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.words/0");
	const int error = page_words_put(j, "text", &(struct page_lines){print_text, of, 0});
	json_end_object(j);
	return error;
}

/* The mean of the steps of a cell that count on this rank; null: none does. */
static void put_cell(struct json *j, const struct jitter_study *s, uint32_t rank, uint32_t from,
					 uint32_t width)
{
	__int128 sum = 0;
	int64_t n = 0;
	for (uint32_t k = from; k < s->axis.n && k < from + width; k++)
		if (jitter_rank_step(s, rank, k)->counted) {
			sum += jitter_to_end(s, rank, k);
			n++;
		}
	if (n > 0)
		json_number(j, NULL, (int64_t)(sum / n));
	else
		json_null(j, NULL);
}

/* The time to the last kernel of each rank and step, of which `series` has the least and most. */
static int write_grid(const void *of, FILE *out)
{
	const struct jitter_study *s = ((const struct jitter_printed *)of)->study;
	struct json json = {.out = out}, *j = &json;
	const uint64_t cells = (uint64_t)s->axis.n * s->n_ranks;
	uint32_t width = (uint32_t)((cells + CELLS_MOST - 1) / CELLS_MOST);
	const uint32_t narrow = (s->axis.n + COLUMNS_MOST - 1) / COLUMNS_MOST;
	width = width > narrow ? width : narrow;
	width = width > 0 ? width : 1;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.grid/0");
	json_number(j, "width", width);
	json_array(j, "steps");
	for (uint32_t k = 0; k < s->axis.n; k += width)
		json_number(j, NULL, s->axis.number[k]);
	json_end_array(j);
	json_array(j, "ranks");
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		json_object(j, NULL);
		json_text(j, "label", jitter_rank_label(s, r));
		json_array(j, "to_end_ns");
		for (uint32_t k = 0; k < s->axis.n; k += width)
			put_cell(j, s, r, k, width);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	return 0;
}

enum status jitter_page(const struct jitter_printed *printed, const char *path)
{
	const struct page_document documents[] = {
		{"jitter", write_jitter, printed, NULL},
		{"words", write_words, printed, NULL},
		{"grid", write_grid, printed, NULL},
		{"kernels", kernels_page_write, printed, NULL},
	};
	return page_write(path, documents, sizeof(documents) / sizeof(documents[0]));
}

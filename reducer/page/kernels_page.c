#include "page/kernels_page.h"

#include "render/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBERS_MOST = 120000, /* of all ranks: about 600 kB of the page */
	CLOSE_MOST = 60000,    /* of the ranks that have more columns, and of all ranks together */
	CLOSE_RANKS = 8,
	NAME_BYTES = 160 /* longer names are cut */
};

struct kernels {
	const struct jitter_study *study;
	double *mean;             /* over the ranks: by measure and position */
	uint32_t width, close;    /* positions of a column: of all ranks, of some */
	uint32_t at[CLOSE_RANKS]; /* those ranks */
	uint32_t n;
};

static double mean_of(const struct kernels *k, int measure, uint32_t position)
{
	return k->mean[(size_t)measure * k->study->reference.n + position];
}

static int find_means(struct kernels *k)
{
	const struct jitter_study *s = k->study;
	k->mean = malloc((JITTER_MEASURES * (size_t)s->reference.n + 1) * sizeof(*k->mean));
	for (int m = 0; k->mean && m < JITTER_MEASURES; m++)
		for (uint32_t p = 0; p < s->reference.n; p++)
			k->mean[(size_t)m * s->reference.n + p] =
				jitter_mean_of_ranks(s, (enum jitter_measure)m, p);
	return k->mean ? 0 : -ENOMEM;
}

static void add_close(struct kernels *k, uint32_t rank)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->at[i] == rank)
			return;
	if (k->n < CLOSE_RANKS)
		k->at[k->n++] = rank;
}

/* The earliest and the latest rank by the mean of their steps, then those of the verdict. */
static void choose_ranks(struct kernels *k, const struct jitter_printed *printed)
{
	const struct jitter_verdict *verdict = printed->verdict;
	uint32_t first = 0, last = 0;
	for (uint32_t r = 1; r < k->study->n_ranks; r++) {
		first = verdict->ranks[r].behind_ns < verdict->ranks[first].behind_ns ? r : first;
		last = verdict->ranks[r].behind_ns > verdict->ranks[last].behind_ns ? r : last;
	}
	if (k->study->n_ranks > 0) {
		add_close(k, first);
		add_close(k, last);
	}
	if (printed->rank < k->study->n_ranks)
		add_close(k, printed->rank);
	for (size_t i = 0; i < verdict->n_odd; i++)
		add_close(k, verdict->odd[i].rank);
}

static uint32_t width_of(uint64_t positions, uint64_t ranks, uint64_t most)
{
	const uint64_t all = positions * ranks * JITTER_MEASURES;
	return all > most ? (uint32_t)((all + most - 1) / most) : 1;
}

/* The mean of the positions of a column that have a value; null: none has. */
static void put_mean(struct json *j, double sum, uint32_t n)
{
	if (n > 0)
		json_number(j, NULL, llround(sum / n));
	else
		json_null(j, NULL);
}

static void put_rank(struct json *j, const struct kernels *k, uint32_t rank, uint32_t width)
{
	const struct jitter_study *s = k->study;
	json_object(j, NULL);
	json_number(j, "place", rank);
	json_text(j, "label", jitter_rank_label(s, rank));
	for (int m = 0; m < JITTER_MEASURES; m++) {
		json_array(j, jitter_measure_name((enum jitter_measure)m));
		for (uint32_t from = 0; from < s->reference.n; from += width) {
			double sum = 0;
			uint32_t n = 0;
			for (uint32_t p = from; p < s->reference.n && p < from + width; p++) {
				const double ns =
					jitter_mean(s, (enum jitter_measure)m, p, rank) - mean_of(k, m, p);
				sum += isnan(ns) ? 0 : ns;
				n += !isnan(ns);
			}
			put_mean(j, sum, n);
		}
		json_end_array(j);
	}
	json_end_object(j);
}

struct spread_ns { /* of a position, against the mean */
	double least, most;
};

static struct spread_ns spread_at(const struct kernels *k, int measure, uint32_t position)
{
	struct spread_ns found = {NAN, NAN};
	for (uint32_t r = 0; r < k->study->n_ranks; r++) {
		const double ns = jitter_mean(k->study, (enum jitter_measure)measure, position, r) -
						  mean_of(k, measure, position);
		found.least = fmin(found.least, ns);
		found.most = fmax(found.most, ns);
	}
	return found;
}

/* Between the least and the most of all ranks, as the band of jitter --svg; and the mean. */
static int put_all(struct json *j, const struct kernels *k, int m)
{
	static const char *const keys[] = {"mean", "least", "most"};
	const uint32_t n = k->study->reference.n;
	struct spread_ns *spreads = malloc(((size_t)n + 1) * sizeof(*spreads));
	if (!spreads)
		return -ENOMEM;
	for (uint32_t p = 0; p < n; p++)
		spreads[p] = spread_at(k, m, p);
	json_object(j, jitter_measure_name((enum jitter_measure)m));
	for (int key = 0; key < 3; key++) {
		json_array(j, keys[key]);
		for (uint32_t from = 0; from < n; from += k->close) {
			double sum = 0;
			uint32_t count = 0;
			for (uint32_t p = from; p < n && p < from + k->close; p++) {
				const double values[] = {mean_of(k, m, p), spreads[p].least, spreads[p].most};
				sum += isnan(values[key]) ? 0 : values[key];
				count += !isnan(values[key]);
			}
			put_mean(j, sum, count);
		}
		json_end_array(j);
	}
	json_end_object(j);
	free(spreads);
	return 0;
}

static void put_names(struct json *j, const struct jitter_study *s)
{
	json_array(j, "names");
	for (uint32_t i = 0; i < s->reference.names.n; i++) {
		char cut[NAME_BYTES + 4];
		const char *name = strings_get(&s->reference.names, i).at;
		snprintf(cut, sizeof(cut), "%.*s%s", NAME_BYTES, name,
				 strlen(name) > NAME_BYTES ? "..." : "");
		json_text(j, NULL, cut);
	}
	json_end_array(j);
	json_array(j, "name");
	for (uint32_t p = 0; p < s->reference.n; p++)
		json_number(j, NULL, s->reference.at[p].name);
	json_end_array(j);
	json_array(j, "collectives"); /* their positions */
	for (uint32_t p = 0; p < s->reference.n; p++)
		if (s->reference.at[p].class == STREAM_NCCL)
			json_number(j, NULL, p);
	json_end_array(j);
}

int kernels_page_write(const void *of, FILE *out)
{
	const struct jitter_printed *printed = of;
	const struct jitter_study *s = printed->study;
	struct kernels k = {.study = s};
	struct json json = {.out = out}, *j = &json;
	int error = find_means(&k);
	if (error)
		return error;
	choose_ranks(&k, printed);
	k.width = width_of(s->reference.n, s->n_ranks, NUMBERS_MOST);
	k.close = width_of(s->reference.n, k.n + 3, CLOSE_MOST);
	k.close = k.close < k.width ? k.close : k.width;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.kernels/0");
	put_names(j, s);
	json_number(j, "width", k.width);
	json_number(j, "close_width", k.close);
	json_object(j, "all");
	for (int m = 0; m < JITTER_MEASURES && !error; m++)
		error = put_all(j, &k, m);
	json_end_object(j);
	json_array(j, "ranks");
	for (uint32_t r = 0; r < s->n_ranks; r++)
		put_rank(j, &k, r, k.width);
	json_end_array(j);
	json_array(j, "close");
	for (uint32_t i = 0; i < k.n; i++)
		put_rank(j, &k, k.at[i], k.close);
	json_end_array(j);
	json_end_object(j);
	free(k.mean);
	return error;
}

#include "base/progress.h"
#include "render/out_file.h"
#include "jitter/print.h"
#include "render/csv.h"

#include <math.h>
#include <string.h>

static void put_value(FILE *out, double ns)
{
	if (!isnan(ns))
		fprintf(out, ",%.3f", ns);
	else
		fputc(',', out);
}

static void put_heads(FILE *out, const struct jitter_study *s)
{
	fputs("position,stream,kernel", out);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		fputc(',', out);
		csv_text(jitter_rank_label(s, r), out);
	}
	fputs(",mean\n", out);
}

static void put_matrix(FILE *out, const struct jitter_study *s, enum jitter_measure measure,
					   bool minus_mean)
{
	put_heads(out, s);
	for (uint32_t k = 0; k < s->reference.n; k++) {
		const double mean = jitter_mean_of_ranks(s, measure, k);
		fprintf(out, "%u,%s,", k, jitter_class_name(s->reference.at[k].class));
		csv_text(strings_get(&s->reference.names, s->reference.at[k].name).at, out);
		for (uint32_t r = 0; r < s->n_ranks; r++)
			put_value(out, jitter_mean(s, measure, k, r) - (minus_mean ? mean : 0));
		put_value(out, mean);
		fputc('\n', out);
		progress_add(1);
	}
}

static int write_matrix(const struct jitter_study *s, enum jitter_measure measure, bool minus_mean,
						const char *dir)
{
	struct out_file file;
	char name[64];
	snprintf(name, sizeof(name), "%s%s.csv", jitter_measure_name(measure),
			 minus_mean ? "_minus_mean" : "");
	int error = out_file_open(&file, dir, name);
	if (error)
		return error;
	put_matrix(file.out, s, measure, minus_mean);
	return out_file_close(&file, 0);
}

/* A table in a file of its own. */
static int write_table(const struct jitter_printed *p, const char *dir, const char *name)
{
	const bool ranks = strcmp(name, "ranks.csv") == 0;
	const struct jitter_shown all = {NULL, ranks ? p->study->n_ranks : p->study->axis.n};
	struct out_file file;
	struct sheets sheets;
	int error = out_file_open(&file, dir, name);
	if (error)
		return error;
	sheets_open(&sheets, file.out, SHEET_CSV);
	if (ranks)
		jitter_ranks_sheet(p, &all, &sheets);
	else if (strcmp(name, "steps.csv") == 0)
		jitter_steps_sheet(p, &all, &sheets);
	else if (strcmp(name, "kernels.csv") == 0)
		jitter_kernels_sheet(p, UINT32_MAX, &sheets);
	else
		error = jitter_varying_sheet(p, UINT32_MAX, &sheets);
	return out_file_close(&file, error ? error : sheets.error);
}

int jitter_csv(const struct jitter_printed *p, const char *dir)
{
	int error = 0;
	progress_begin("jitter, CSV", "rows", 2 * JITTER_MEASURES * (uint64_t)p->study->reference.n);
	for (int m = 0; !error && m < JITTER_MEASURES; m++) {
		error = write_matrix(p->study, (enum jitter_measure)m, false, dir);
		if (!error)
			error = write_matrix(p->study, (enum jitter_measure)m, true, dir);
	}
	static const char *const tables[] = {"steps.csv", "ranks.csv", "kernels.csv", "varying.csv"};
	const size_t n = p->rank < p->study->n_ranks ? 4 : 3;
	for (size_t i = 0; !error && i < n; i++)
		error = write_table(p, dir, tables[i]);
	progress_end();
	return error;
}

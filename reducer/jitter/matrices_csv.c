#include "render/out_file.h"
#include "jitter/print.h"
#include "render/csv.h"

#include <math.h>

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

static int write_series(const struct jitter_printed *p, const char *dir)
{
	const struct jitter_study *s = p->study;
	struct out_file file;
	int error = out_file_open(&file, dir, "steps.csv");
	if (error)
		return error;
	fputs("step,ranks,min_rank,min_ns,max_rank,max_ns,mean_ns,max_minus_mean_ns,max_minus_min_ns\n",
		  file.out);
	for (uint32_t k = 0; k < s->axis.n; k++) {
		const struct step_row *row = &p->verdict->steps[k];
		if (row->ranks == 0)
			continue;
		fprintf(file.out, "%lld,%u,", (long long)row->number, row->ranks);
		csv_text(jitter_rank_label(s, row->least), file.out);
		fprintf(file.out, ",%lld,", (long long)row->least_ns);
		csv_text(jitter_rank_label(s, row->most), file.out);
		fprintf(file.out, ",%lld,%.3f,%.3f,%lld\n", (long long)row->most_ns, row->mean_ns,
				(double)row->most_ns - row->mean_ns, (long long)(row->most_ns - row->least_ns));
	}
	return out_file_close(&file, 0);
}

static int write_ranks(const struct jitter_printed *p, const char *dir)
{
	const struct jitter_study *s = p->study;
	struct out_file file;
	int error = out_file_open(&file, dir, "ranks.csv");
	if (error)
		return error;
	fputs("rank,device,host,steps,last,behind_ns", file.out);
	for (int c = 0; c < JITTER_CAUSES; c++)
		fprintf(file.out, ",%s_ns", jitter_cause_name((enum jitter_cause)c));
	fputs(",places,p_late,p_early,p_last\n", file.out);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const struct rank_row *row = &p->verdict->ranks[r];
		csv_text(jitter_rank_label(s, r), file.out);
		fputc(',', file.out);
		csv_text(s->ranks[r].key, file.out);
		fputc(',', file.out);
		csv_text(s->ranks[r].host, file.out);
		fprintf(file.out, ",%u,%u,%.3f", row->steps, row->last, row->behind_ns);
		for (int c = 0; c < JITTER_CAUSES; c++)
			fprintf(file.out, ",%.3f", row->part_ns[c]);
		fprintf(file.out, ",%.3f,%.6g,%.6g,%.6g\n", row->places, row->p_late, row->p_early,
				row->p_last);
	}
	return out_file_close(&file, 0);
}

int jitter_csv(const struct jitter_printed *p, const char *dir)
{
	int error = 0;
	for (int m = 0; !error && m < JITTER_MEASURES; m++) {
		error = write_matrix(p->study, (enum jitter_measure)m, false, dir);
		if (!error)
			error = write_matrix(p->study, (enum jitter_measure)m, true, dir);
	}
	if (!error)
		error = write_series(p, dir);
	return error ? error : write_ranks(p, dir);
}

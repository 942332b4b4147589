#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 5 };

static struct report_row *row_find(struct report_section *section, char type, const char *name)
{
	size_t i;

	for (i = 0; i < section->row_count; i++)
		if (section->rows[i].type == type && !strcmp(section->rows[i].name, name))
			return &section->rows[i];
	return NULL;
}

static struct report_row *row_add(struct report_section *section, char type, const char *name)
{
	struct report_row *rows = realloc(section->rows, (section->row_count + 1) * sizeof(*rows));
	struct report_row *row;

	if (!rows)
		return NULL;
	section->rows = rows;
	row = &rows[section->row_count++];
	memset(row, 0, sizeof(*row));
	row->type = type;
	snprintf(row->name, sizeof(row->name), "%s", name);
	return row;
}

static void message_add(struct report_section *section, const char *text)
{
	char **messages;
	size_t i;

	for (i = 0; i < section->message_count; i++) /* each run of a section says it again */
		if (!strcmp(section->messages[i], text))
			return;
	messages = realloc(section->messages, (section->message_count + 1) * sizeof(*messages));
	if (!messages)
		return;
	section->messages = messages;
	messages[section->message_count++] = strdup(text);
}

static void samples_add(struct report_row *row, int round, char *text)
{
	char *end;
	int64_t value;

	for (;; text = end) {
		value = strtoll(text, &end, 10);
		if (end == text)
			return;
		series_add(&row->samples, value);
		if (round >= 0 && round < REPORT_ROUNDS)
			series_add(&row->rounds[round], value);
	}
}

/* Each round of a section says the same. */
static bool text_known(const struct report_section *section, const char *name, const char *text)
{
	size_t i;

	for (i = 0; i < section->row_count; i++)
		if (section->rows[i].type == 'T' && !strcmp(section->rows[i].name, name) &&
			!strcmp(section->rows[i].text, text))
			return true;
	return false;
}

static void line_read(struct report_section *section, char **field, int fields, const char *variant)
{
	char type = field[0][0];
	struct report_row *row = NULL;
	const char *name = fields >= 2 ? field[1] : "";
	char longer[101];

	if (type == 'E' && fields >= 2) {
		message_add(section, name);
		return;
	}
	if (variant && fields >= 3 && (type == 'V' || type == 'T')) {
		snprintf(longer, sizeof(longer), "%.70s [%.25s]", name, variant);
		name = longer;
	}
	if ((type == 'S' && fields == 5) || (type == 'V' && fields == 4))
		row = row_find(section, type, name);
	if (type == 'T' && fields == 3 && text_known(section, name, field[2]))
		return;
	if (type == 'D' && fields == 4 && row_find(section, type, name))
		return;
	if (!row && ((type == 'S' && fields == 5) || (type == 'V' && fields == 4) ||
				 (type == 'T' && fields == 3) || (type == 'D' && fields == 4)))
		row = row_add(section, type, name);
	if (!row) {
		message_add(section, "a line of this section was cut");
		return;
	}
	if (type == 'S' || type == 'V')
		snprintf(row->unit, sizeof(row->unit), "%s", field[2]);
	if (type == 'S')
		samples_add(row, atoi(field[3]), field[4]);
	if (type == 'V')
		series_add(&row->samples, strtoll(field[3], NULL, 10));
	if (type == 'T' || type == 'D')
		row->text = strdup(field[2]);
	if (type == 'D')
		row->other = strdup(field[3]);
}

void report_read(struct report_section *section, FILE *in, const char *variant)
{
	char *line = NULL, *at, *field[FIELDS_MOST];
	size_t capacity = 0;
	int fields;

	while (getline(&line, &capacity, in) > 0) {
		line[strcspn(line, "\n")] = 0;
		at = line;
		for (fields = 0; at && fields < FIELDS_MOST; fields++)
			field[fields] = fields == FIELDS_MOST - 1 ? at : strsep(&at, "\t");
		line_read(section, field, fields, variant);
	}
	free(line);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void series_sort(struct series *series)
{
	if (series->count)
		qsort(series->values, series->count, sizeof(*series->values), by_value);
}

void report_finish(struct report_section *section)
{
	size_t i, r;

	for (i = 0; i < section->row_count; i++) {
		if (section->rows[i].type == 'S')
			series_sort(&section->rows[i].samples);
		for (r = 0; r < REPORT_ROUNDS; r++)
			series_sort(&section->rows[i].rounds[r]);
	}
}

int64_t report_percentile(const struct series *sorted, unsigned thousandths)
{
	size_t rank = (sorted->count * thousandths + 999) / 1000;

	return sorted->values[rank ? rank - 1 : 0];
}

static int64_t round_median(const struct report_row *row, size_t round)
{
	return report_percentile(&row->rounds[round], 500);
}

/* The differences of the medians, round by round; how many there are. */
static size_t differences(const struct report_section *section, const struct report_row *row,
						  int64_t *out)
{
	struct report_row *a = row_find((struct report_section *)section, 'S', row->text);
	struct report_row *b = row_find((struct report_section *)section, 'S', row->other);
	size_t r, count = 0;

	for (r = 0; a && b && r < REPORT_ROUNDS; r++)
		if (a->rounds[r].count && b->rounds[r].count)
			out[count++] = round_median(a, r) - round_median(b, r);
	return count;
}

/* ---- the table ---- */

static void table_samples(FILE *out, const struct report_row *row)
{
	const struct series *s = &row->samples;

	fprintf(out,
			"  %-62s %-7s %7zu %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64
			" %12" PRId64 "\n",
			row->name, row->unit, s->count, s->values[0], report_percentile(s, 50),
			report_percentile(s, 500), report_percentile(s, 990), report_percentile(s, 999),
			s->values[s->count - 1]);
}

static void table_values(FILE *out, const struct report_row *row)
{
	size_t i;

	fprintf(out, "  %-62s %-7s", row->name, row->unit);
	for (i = 0; i < row->samples.count; i++)
		fprintf(out, " %" PRId64, row->samples.values[i]);
	fprintf(out, "\n");
}

static void table_difference(FILE *out, const struct report_section *section,
							 const struct report_row *row)
{
	int64_t values[REPORT_ROUNDS];
	size_t i, count = differences(section, row, values);

	fprintf(out, "  %-62s ns      medians by round:", row->name);
	for (i = 0; i < count; i++)
		fprintf(out, " %" PRId64, values[i]);
	fprintf(out, count ? "\n" : " none\n");
}

static void table_row(FILE *out, const struct report_section *section, const struct report_row *row)
{
	if (row->type == 'S')
		table_samples(out, row);
	else if (row->type == 'V')
		table_values(out, row);
	else if (row->type == 'T')
		fprintf(out, "  %-62s %s\n", row->name, row->text);
	else
		table_difference(out, section, row);
}

void report_table(FILE *out, const struct report_section *sections, size_t count)
{
	bool headed;
	size_t i, j;

	for (i = 0; i < count; i++) {
		const struct report_section *section = &sections[i];

		fprintf(out, "%s (%s, %.1f s)\n", section->name, section->status, section->seconds);
		for (j = 0; j < section->message_count; j++)
			fprintf(out, "  ! %s\n", section->messages[j]);
		headed = false;
		for (j = 0; j < section->row_count; j++) {
			if (section->rows[j].type == 'S' && !headed)
				fprintf(out, "  %-62s %-7s %7s %12s %12s %12s %12s %12s %12s\n", "", "unit", "n",
						"min", "p5", "median", "p99", "p99.9", "max");
			headed |= section->rows[j].type == 'S';
			table_row(out, section, &section->rows[j]);
		}
		fprintf(out, "\n");
	}
}

/* ---- JSON ---- */

static void json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 32 || c > 126)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void json_samples(FILE *out, const struct report_row *row)
{
	const struct series *s = &row->samples;
	const char *comma = "";
	size_t r;

	fprintf(out,
			",\"n\":%zu,\"min\":%" PRId64 ",\"p05\":%" PRId64 ",\"median\":%" PRId64
			",\"p99\":%" PRId64 ",\"p999\":%" PRId64 ",\"max\":%" PRId64 ",\"round_medians\":[",
			s->count, s->values[0], report_percentile(s, 50), report_percentile(s, 500),
			report_percentile(s, 990), report_percentile(s, 999), s->values[s->count - 1]);
	for (r = 0; r < REPORT_ROUNDS; r++) {
		if (row->rounds[r].count == 0)
			continue;
		fprintf(out, "%s%" PRId64, comma, round_median(row, r));
		comma = ",";
	}
	fprintf(out, "]");
}

static void json_values(FILE *out, const struct report_row *row)
{
	size_t i;

	fprintf(out, ",\"values\":[");
	for (i = 0; i < row->samples.count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", row->samples.values[i]);
	fprintf(out, "]");
}

static void json_difference(FILE *out, const struct report_section *section,
							const struct report_row *row)
{
	int64_t values[REPORT_ROUNDS];
	size_t i, count = differences(section, row, values);

	fprintf(out, ",\"unit\":\"ns\",\"of\":[");
	json_text(out, row->text);
	fputc(',', out);
	json_text(out, row->other);
	fprintf(out, "],\"round_differences\":[");
	for (i = 0; i < count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", values[i]);
	fprintf(out, "]");
}

static void json_row(FILE *out, const struct report_section *section, const struct report_row *row)
{
	fprintf(out, "{\"name\":");
	json_text(out, row->name);
	if (row->type == 'S' || row->type == 'V') {
		fprintf(out, ",\"unit\":");
		json_text(out, row->unit);
	}
	if (row->type == 'S')
		json_samples(out, row);
	if (row->type == 'V')
		json_values(out, row);
	if (row->type == 'T') {
		fprintf(out, ",\"text\":");
		json_text(out, row->text);
	}
	if (row->type == 'D')
		json_difference(out, section, row);
	fputc('}', out);
}

static void json_section(FILE *out, const struct report_section *section)
{
	size_t j;

	fprintf(out, "{\"name\":\"%s\",\"status\":\"%s\",\"seconds\":%.3f,\n \"messages\":[",
			section->name, section->status, section->seconds);
	for (j = 0; j < section->message_count; j++) {
		fputs(j ? "," : "", out);
		json_text(out, section->messages[j]);
	}
	fprintf(out, "],\n \"rows\":[");
	for (j = 0; j < section->row_count; j++) {
		fputs(j ? ",\n  " : "\n  ", out);
		json_row(out, section, &section->rows[j]);
	}
	fprintf(out, "]}");
}

void report_json(FILE *out, const struct report_section *sections, size_t count)
{
	size_t i;

	fprintf(out, "{\"schema\":\"baton.gpu-probe/0\",\n\"sections\":[");
	for (i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_section(out, &sections[i]);
	}
	fprintf(out, "]}\n");
}

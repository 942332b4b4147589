#include "conclude/late_steps.h"

#include "conclude/by_step.h"
#include "summary/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERMUTATIONS = 499, BLOCKS_MOST = 1024 };
static const double chance = 0.0035; /* of being called late without being it */
static const double pi = 3.14159265358979323846;

void late_steps_close(struct late_steps *steps)
{
	free(steps->ns);
	free(steps->out);
	*steps = (struct late_steps){0};
}

/* ---- the table ---- */

/* What a rank caused by step; NULL: nothing, ever. */
static const struct series *series_of(const struct summary *s, const struct late_summary *late)
{
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *row = &s->series[i];
		if (row->device == late->device && row->rank == late->rank &&
			strcmp(summary_text(s, row->what), SERIES_CAUSED) == 0)
			return row;
	}
	return NULL;
}

struct shape {
	int64_t steps, width;
};

/* Of all steps: a rank that never caused anything has no series. */
static struct shape shape_of(const struct summary *s)
{
	struct shape shape = {0, 1};
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *row = &s->series[i];
		shape.steps = row->steps > shape.steps ? row->steps : shape.steps;
		shape.width = row->width > shape.width ? row->width : shape.width;
	}
	return shape;
}

static void add_row(struct late_steps *steps, const struct series *row, size_t column,
					int64_t width)
{
	for (size_t i = 0; i < series_cells(row->steps, row->width); i++) {
		const size_t step = (size_t)((int64_t)i * row->width / width);
		steps->ns[step * steps->n_columns + column] += row->ns[i];
	}
}

static int divide(struct late_steps *steps, const struct summary *s, const size_t *groups)
{
	int64_t *rows = calloc(steps->n_columns + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_late; i++)
		rows[groups[i]]++;
	for (size_t i = 0; i < steps->n_steps * steps->n_columns; i++)
		if (rows[i % steps->n_columns])
			steps->ns[i] /= rows[i % steps->n_columns];
	free(rows);
	return 0;
}

int late_steps_open(struct late_steps *steps, const struct summary *s, const size_t *groups,
					size_t n_groups)
{
	const struct shape shape = shape_of(s);
	*steps = (struct late_steps){.n_steps = series_cells(shape.steps, shape.width),
								 .n_columns = groups ? n_groups : s->n_late};
	steps->ns = calloc(steps->n_steps * steps->n_columns + 1, sizeof(*steps->ns));
	steps->out = calloc(steps->n_columns + 1, sizeof(*steps->out));
	if (!steps->ns || !steps->out)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_late; i++) {
		const struct series *row = series_of(s, &s->late[i]);
		if (row)
			add_row(steps, row, groups ? groups[i] : i, shape.width);
	}
	return groups ? divide(steps, s, groups) : 0;
}

static int64_t at(const struct late_steps *steps, size_t step, size_t column)
{
	return steps->ns[step * steps->n_columns + column];
}

static size_t columns_left(const struct late_steps *steps)
{
	size_t n = 0;
	for (size_t column = 0; column < steps->n_columns; column++)
		n += !steps->out[column];
	return n;
}

static __int128 sum_of(const struct late_steps *steps, size_t column)
{
	__int128 sum = 0;
	for (size_t step = 0; step < steps->n_steps; step++)
		sum += at(steps, step, column);
	return sum;
}

size_t late_steps_largest(const struct late_steps *steps)
{
	size_t largest = steps->n_columns;
	__int128 most = 0;
	for (size_t column = 0; column < steps->n_columns; column++) {
		const __int128 sum = steps->out[column] ? 0 : sum_of(steps, column);
		if (sum > most) {
			most = sum;
			largest = column;
		}
	}
	return largest;
}

/* ---- steps that are like their neighbours ---- */

static double mean_of_step(const struct late_steps *steps, size_t step, size_t n)
{
	double sum = 0;
	for (size_t column = 0; column < steps->n_columns; column++)
		sum += steps->out[column] ? 0 : (double)at(steps, step, column);
	return sum / (double)n;
}

/* The correlation of a step with the next, when what all ranks have in a step and what a rank has in
 * all steps is taken off. 0 or -ENOMEM. */
static int correlation(const struct late_steps *steps, double *rho)
{
	const size_t n = columns_left(steps), S = steps->n_steps;
	double *means = calloc(S + 1, sizeof(*means)), all = 0, both = 0, own = 0;
	if (!means)
		return -ENOMEM;
	for (size_t step = 0; step < S; step++)
		all += means[step] = mean_of_step(steps, step, n);
	for (size_t column = 0; column < steps->n_columns; column++) {
		const double mean = ((double)sum_of(steps, column) - all) / (double)S;
		double before = 0;
		for (size_t step = 0; step < S && !steps->out[column]; step++) {
			const double now = (double)at(steps, step, column) - means[step] - mean;
			both += before * now;
			own += now * now;
			before = now;
		}
	}
	free(means);
	*rho = own > 0 ? both / own : 0;
	return 0;
}

/* How many neighbours are taken as one, so that those are as good as independent. 0 or -ENOMEM. */
static int block_length(const struct late_steps *steps, size_t *length)
{
	const size_t most = steps->n_steps / 8 ? steps->n_steps / 8 : 1;
	double rho;
	int error = correlation(steps, &rho);
	if (error)
		return error;
	rho = rho < 0 ? 0 : rho > 0.9 ? 0.9 : rho;
	*length = (size_t)((1 + rho) / (1 - rho) + 0.5);
	*length = *length < 2 ? 2 : *length;
	*length = *length > most ? most : *length;
	while (steps->n_steps / *length > BLOCKS_MOST)
		++*length;
	return 0;
}

/* ---- a loss that is as large in all steps ---- */

/* By the finite series for whole degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
double late_steps_student(double t, size_t freedom)
{
	const double angle = atan(t / sqrt((double)freedom)), cosine = cos(angle), sine = sin(angle);
	const bool odd = freedom % 2;
	double term = odd ? cosine : 1, sum = freedom > 1 ? term : 0;
	for (size_t k = odd ? 3 : 2; k + 1 < freedom + (odd ? 0 : 1); k += 2) {
		term *= cosine * cosine * (double)(k - 1) / (double)k;
		sum += term;
	}
	const double within = odd ? 2 / pi * (angle + sine * sum) : sine * sum;
	return (1 - within) / 2;
}

/* What a column has more than the mean of the others, over a block. */
static double more_in_block(const struct late_steps *steps, size_t column, size_t from, size_t to)
{
	const double n = (double)columns_left(steps);
	double sum = 0;
	for (size_t step = from; step < to; step++) {
		const double own = (double)at(steps, step, column);
		sum += own - (mean_of_step(steps, step, columns_left(steps)) * n - own) / (n - 1);
	}
	return sum / (double)(to - from);
}

/* The probability that one of all columns has so much more than the others in all blocks. */
static double by_t_test(const struct late_steps *steps, size_t column, size_t length)
{
	const size_t n = steps->n_steps / length;
	double sum = 0, squares = 0;
	if (n < 2)
		return 1;
	for (size_t i = 0; i < n; i++)
		sum += more_in_block(steps, column, i * length, (i + 1) * length);
	const double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		const double off = more_in_block(steps, column, i * length, (i + 1) * length) - mean;
		squares += off * off;
	}
	const double deviation = sqrt(squares / (double)(n - 1) / (double)n); /* of the mean */
	if (mean <= 0)
		return 1;
	if (deviation <= 0)
		return 0;
	return (double)columns_left(steps) * late_steps_student(mean / deviation, n - 1);
}

/* ---- a loss that comes every second or third step ---- */

struct blocks { /* the sums of blocks, of the columns that are left */
	int64_t *ns;
	__int128 *sums;
	size_t n, columns;
};

static int blocks_open(struct blocks *blocks, const struct late_steps *steps, size_t length)
{
	*blocks = (struct blocks){.n = (steps->n_steps + length - 1) / length,
							  .columns = columns_left(steps)};
	blocks->ns = calloc(blocks->n * blocks->columns + 1, sizeof(*blocks->ns));
	blocks->sums = calloc(blocks->columns + 1, sizeof(*blocks->sums));
	for (size_t step = 0; blocks->ns && step < steps->n_steps; step++) {
		int64_t *to = blocks->ns + step / length * blocks->columns;
		for (size_t column = 0; column < steps->n_columns; column++)
			if (!steps->out[column])
				*to++ += at(steps, step, column);
	}
	return blocks->ns && blocks->sums ? 0 : -ENOMEM;
}

static void blocks_close(struct blocks *blocks)
{
	free(blocks->ns);
	free(blocks->sums);
}

/* Gives the numbers of each block to the columns at random; the largest sum of a column. */
static __int128 shuffled_most(struct blocks *blocks, uint64_t *state)
{
	__int128 most = 0;
	memset(blocks->sums, 0, blocks->columns * sizeof(*blocks->sums));
	for (size_t block = 0; block < blocks->n; block++) {
		int64_t *row = blocks->ns + block * blocks->columns;
		for (size_t i = blocks->columns; i-- > 0;) {
			const size_t other = (size_t)(by_step_random(state) % (i + 1));
			const int64_t ns = row[other];
			row[other] = row[i];
			row[i] = ns;
			blocks->sums[i] += ns;
		}
	}
	for (size_t i = 0; i < blocks->columns; i++)
		most = blocks->sums[i] > most ? blocks->sums[i] : most;
	return most;
}

/* With 499 permutations and this chance not one of them may have as large a sum. */
_Static_assert(2 * 10000 > (PERMUTATIONS + 1) * 35, "one permutation is too many");

static int by_permutations(const struct late_steps *steps, size_t column, size_t length, bool *late)
{
	struct blocks blocks;
	uint64_t state = 1;
	int error = blocks_open(&blocks, steps, length);
	const __int128 own = sum_of(steps, column);
	*late = !error;
	for (int i = 0; *late && i < PERMUTATIONS; i++)
		*late = shuffled_most(&blocks, &state) < own;
	blocks_close(&blocks);
	return error;
}

int late_steps_test(const struct late_steps *steps, size_t column, bool *late)
{
	size_t length;
	*late = false;
	if (columns_left(steps) < 2 || steps->n_steps < LATE_STEPS_LEAST)
		return 0;
	int error = block_length(steps, &length);
	if (error)
		return error;
	*late = by_t_test(steps, column, length) <= chance;
	return *late ? 0 : by_permutations(steps, column, length, late);
}

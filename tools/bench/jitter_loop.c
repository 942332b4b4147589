/* The floor under `baton jitter`: the jitter study (docs/JITTER.md) as a plain loop on one core. It
 * has no format to decode and no launches to find.
 *
 *   jitter_loop CLASSES RANK...
 *
 * CLASSES has a byte for each kernel of a step, in order of launches: m of the main stream, n of
 * NCCL, s of another stream. RANK has for each kernel of each step three little-endian int64: begin
 * of the launch, start, end. Prints the sums that `make bench-scale` compares, as one line of
 * JSON. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURES = 4, NONE = -1 };

struct kernel {
	int64_t launch, start, end;
};

struct cell { /* a kernel of one rank, over its steps: D, G, T, L */
	int64_t sum[MEASURES];
	double squares[2]; /* of D and G */
};

struct study {
	char *classes;
	long kernels; /* of a step */
	long steps, ranks;
	long first, last, closing; /* positions on the main stream, and of the last collective */
	struct cell *cells;        /* by rank and position */
	int64_t *to_end, *x;       /* by step and rank */
};

static void fail(const char *path)
{
	fprintf(stderr, "jitter_loop: %s: %s\n", path, errno ? strerror(errno) : "not as it should be");
	exit(1);
}

static void *room_for(size_t n, size_t bytes)
{
	void *room = calloc(n + 1, bytes);
	if (!room)
		fail("memory");
	return room;
}

static void *read_all(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail(path);
	const long size = ftell(file);
	rewind(file);
	*bytes = size > 0 ? (size_t)size : 0;
	void *room = room_for(*bytes, 1);
	if (fread(room, 1, *bytes, file) != *bytes)
		fail(path);
	fclose(file);
	return room;
}

/* The closing collective is the last one after a kernel of the main stream. */
static void find_places(struct study *s)
{
	s->first = s->last = s->closing = NONE;
	for (long k = 0; k < s->kernels; k++) {
		if (s->classes[k] == 'm' && s->first == NONE)
			s->first = k;
		if (s->classes[k] == 'n' && s->first != NONE)
			s->closing = k;
	}
	for (long k = 0; k < s->closing; k++)
		if (s->classes[k] == 'm')
			s->last = k;
	if (s->last == NONE)
		fail("no closing collective");
}

static void add_step(struct study *s, const struct kernel *step, struct cell *cells, size_t at)
{
	int64_t to_end = 0, end = step[s->first].start;
	for (long k = 0; k < s->kernels; k++) {
		const int64_t duration = step[k].end - step[k].start;
		int64_t gap = 0;
		if (s->classes[k] == 'm') {
			gap = step[k].start - end;
			end = step[k].end;
			to_end += gap + duration;
		}
		cells[k].sum[0] += duration;
		cells[k].sum[1] += gap;
		cells[k].sum[2] += to_end;
		cells[k].sum[3] += step[k].start - step[k].launch;
		cells[k].squares[0] += (double)duration * (double)duration;
		cells[k].squares[1] += (double)gap * (double)gap;
		if (k == s->last)
			s->to_end[at] = to_end;
	}
	s->x[at] = step[s->closing].end - step[s->first].start;
}

static void add_rank(struct study *s, long rank, const char *path)
{
	size_t bytes;
	struct kernel *kernels = read_all(path, &bytes);
	const size_t step = (size_t)s->kernels * sizeof(*kernels);
	if (rank == 0) {
		s->steps = (long)(bytes / step);
		s->to_end = room_for((size_t)(s->steps * s->ranks), sizeof(*s->to_end));
		s->x = room_for((size_t)(s->steps * s->ranks), sizeof(*s->x));
	}
	if (bytes != (size_t)s->steps * step)
		fail(path);
	for (long i = 0; i < s->steps; i++)
		add_step(s, kernels + i * s->kernels, s->cells + rank * s->kernels,
				 (size_t)(i * s->ranks + rank));
	free(kernels);
}

/* The gap before the step is known when all ranks are. It is in each T of the step. */
static void add_gap_before(struct study *s, long step)
{
	const int64_t *x = s->x + step * s->ranks;
	int64_t most = x[0];
	for (long r = 0; r < s->ranks; r++)
		most = x[r] > most ? x[r] : most;
	for (long r = 0; r < s->ranks; r++) {
		struct cell *cells = s->cells + r * s->kernels;
		const int64_t gap = most - x[r];
		cells[s->first].sum[1] += gap;
		cells[s->first].squares[1] += (double)gap * (double)gap;
		for (long k = s->first; k < s->kernels; k++)
			cells[k].sum[2] += gap;
		s->to_end[step * s->ranks + r] += gap;
	}
}

/* Means and standard deviations over the steps: what a study would print. */
static double spread(const struct study *s)
{
	double all = 0;
	for (long i = 0; i < s->ranks * s->kernels; i++)
		for (int m = 0; m < 2; m++) {
			const double mean = (double)s->cells[i].sum[m] / (double)s->steps;
			all += sqrt(fabs(s->cells[i].squares[m] / (double)s->steps - mean * mean));
		}
	return all / (double)(s->ranks * s->kernels);
}

static void print_sums(const struct study *s)
{
	long long sum[MEASURES] = {0}, to_end = 0;
	long first = 0, last = 0;
	for (long i = 0; i < s->ranks * s->kernels; i++)
		for (int m = 0; m < MEASURES; m++)
			sum[m] += s->cells[i].sum[m];
	for (long i = 0; i < s->steps; i++) {
		const int64_t *t = s->to_end + i * s->ranks;
		long least = 0, most = 0;
		for (long r = 0; r < s->ranks; r++) {
			least = t[r] < t[least] ? r : least;
			most = t[r] > t[most] ? r : most;
			to_end += t[r];
		}
		first += least;
		last += most;
	}
	printf("{\"kernels\": %ld, \"sums\": {\"D\": %lld, \"G\": %lld, \"T\": %lld, \"L\": %lld, "
		   "\"first ranks\": %ld, \"last ranks\": %ld}, \"spread_ns\": %.0f}\n",
		   s->ranks * s->steps * s->kernels, sum[0], sum[1], to_end, sum[3], first, last,
		   spread(s));
}

int main(int argc, char **argv)
{
	struct study s = {.ranks = argc - 2};
	size_t bytes;
	if (argc < 3) {
		fprintf(stderr, "usage: jitter_loop CLASSES RANK...\n");
		return 2;
	}
	s.classes = read_all(argv[1], &bytes);
	s.kernels = (long)bytes;
	find_places(&s);
	s.cells = room_for((size_t)(s.ranks * s.kernels), sizeof(*s.cells));
	for (long r = 0; r < s.ranks; r++)
		add_rank(&s, r, argv[2 + r]);
	for (long i = 0; i < s.steps; i++)
		add_gap_before(&s, i);
	print_sums(&s);
	free(s.classes);
	free(s.cells);
	free(s.to_end);
	free(s.x);
	return 0;
}

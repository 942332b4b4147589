#include "graph/replayed.h"

#include "graph/build.h"

#include <stdlib.h>
#include <string.h>

static int64_t measure_error(const struct replayed *r)
{
	int64_t most_ns = 0;
	for (size_t i = 0; i < r->model.graph.n_nodes; i++) {
		const int64_t ns = llabs(r->causes.at_ns[i] - r->model.graph.measured_ns[i]);
		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

int replayed_open(struct replayed *r, const struct device_context *context,
				  const struct device_scan *scans, const struct sample_size *size)
{
	memset(r, 0, sizeof(*r));
	int error = sample_open(&r->sample, context, scans, size);
	if (error)
		return error;
	error = model_build(&r->model, &r->sample);
	if (!error)
		error = causes_open(&r->causes, &r->model);
	if (!error)
		r->error_ns = measure_error(r);
	if (!error && r->causes.step_ns <= 0)
		error = 1;
	if (error)
		replayed_close(r);
	return error;
}

void replayed_close(struct replayed *r)
{
	causes_close(&r->causes);
	model_free(&r->model);
	sample_close(&r->sample);
}

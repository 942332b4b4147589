#include "doubles/cupti/knobs.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct knobs values;

static uint32_t knob_number(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? (uint32_t)strtoul(text, NULL, 0) : otherwise;
}

static void knobs_read(void)
{
	const char *skew = getenv("SIMGPU_CUPTI_SKEW");
	const char *incomplete = getenv("SIMGPU_CUPTI_INCOMPLETE");
	long long ns = 0;

	values.shuffle = knob_number("SIMGPU_CUPTI_SHUFFLE", 0) != 0;
	values.first_correlation = knob_number("SIMGPU_CUPTI_FIRST_CORRELATION", 1);
	values.drop_every = knob_number("SIMGPU_CUPTI_DROP", 0);
	if (skew && sscanf(skew, "%u:%lld", &values.skew_every, &ns) == 2)
		values.skew_ns = ns;
	else
		values.skew_every = 0;
	values.deadlock_s = knob_number("SIMGPU_CUPTI_DEADLOCK_S", 20);
	values.invalid_incomplete = incomplete && !strcmp(incomplete, "invalid");
	values.holder = getenv("SIMGPU_CUPTI_BUSY");
	values.busy = values.holder && *values.holder;
}

const struct knobs *knobs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, knobs_read);
	return &values;
}

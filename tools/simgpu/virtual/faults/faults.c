#include "virtual/faults/faults.h"

#include <string.h>

static const struct fault *const FAMILIES[] = {faults_host, faults_calls, faults_device,
											   faults_record};

const struct fault *fault_at(size_t i)
{
	for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++)
		for (const struct fault *fault = FAMILIES[f]; fault->name; fault++)
			if (i-- == 0)
				return fault;
	return NULL;
}

static const struct fault *fault_named(const char *name, size_t length)
{
	const struct fault *fault;
	for (size_t i = 0; (fault = fault_at(i)); i++)
		if (strlen(fault->name) == length && !memcmp(fault->name, name, length))
			return fault;
	return NULL;
}

/* Digits up to `most`, and where they end; NULL when there are none. */
static const char *digits(const char *text, int64_t most, int64_t *out)
{
	*out = 0;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		*out = *out * 10 + (*text - '0');
		if (*out > most)
			return NULL;
	}
	return text;
}

static int parse_rank(const char *text, uint32_t ranks, int32_t *rank)
{
	int64_t number;
	if (!strcmp(text, "all")) {
		*rank = FAULT_EVERYWHERE;
		return 0;
	}
	const char *end = digits(text, INT32_MAX, &number);
	if (!end || *end)
		return fault_refuse("after @ comes a rank or 'all'");
	if (number >= ranks)
		return fault_refuse("there is no such rank");
	*rank = (int32_t)number;
	return 0;
}

int fault_parse(const char *text, uint32_t ranks, struct planted *out)
{
	size_t length = strcspn(text, "=@");
	const struct fault *fault = fault_named(text, length);
	if (!fault)
		return fault_refuse("there is no fault of this name");
	*out = (struct planted){fault, fault->usual, FAULT_EVERYWHERE};
	if (fault->one_rank)
		out->rank = (int32_t)ranks - 1;
	text += length;
	if (*text == '=') {
		text = digits(text + 1, 1000000000, &out->strength);
		if (!text || out->strength == 0)
			return fault_refuse("after = comes a strength from 1 to 1,000,000,000");
	}
	if (*text == '@')
		return parse_rank(text + 1, ranks, &out->rank);
	return *text ? fault_refuse("expected NAME[=STRENGTH][@RANK]") : 0;
}

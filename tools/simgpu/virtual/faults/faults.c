/* The list of faults, their arguments, and how they get into a script. */
#include "virtual/faults/plant.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static char why[160];

const char *fault_why(void)
{
	return why;
}

int fault_refuse(const char *text)
{
	snprintf(why, sizeof why, "%s", text);
	return -EINVAL;
}

static const struct {
	const struct fault *at;
	size_t n;
} FAMILIES[] = {
	{faults_host, FAULTS_HOST},
	{faults_calls, FAULTS_CALLS},
	{faults_device, FAULTS_DEVICE},
	{faults_record, FAULTS_RECORD},
};

const struct fault *fault_at(size_t i)
{
	for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++) {
		if (i < FAMILIES[f].n)
			return &FAMILIES[f].at[i];
		i -= FAMILIES[f].n;
	}
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

/* ---- how a fault gets in ---- */

struct process_def *fault_process(struct script *s, int32_t rank, uint32_t *next)
{
	for (; *next < s->n_processes; ++*next) {
		struct process_def *p = &s->processes[*next];
		uint32_t device = (uint32_t)rank;
		if (rank == FAULT_EVERYWHERE ||
			(device >= p->first_device && device - p->first_device < p->n_devices)) {
			++*next;
			return p;
		}
	}
	return NULL;
}

void fault_inject(struct process_def *p, enum point point, uint32_t every, struct insn insn)
{
	program_add(&p->injected[point], insn);
	if (p->inject_every[point] == 0 || p->inject_every[point] > every)
		p->inject_every[point] = every;
}

int fault_inject_all(struct script *s, int32_t rank, enum point point, uint32_t every,
					 struct insn insn)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		fault_inject(p, point, every, insn);
	return 0;
}

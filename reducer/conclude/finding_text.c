#include "conclude/finding_text.h"

#include "base/amount.h"
#include "conclude/clocks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MISSING_RUNS = 6 /* of numbers that follow each other, by name */ };

void finding_say(char *out, size_t bytes, const char *format, ...)
{
	size_t used = strlen(out);
	va_list args;
	if (used > 0 && used + 2 < bytes)
		used += (size_t)snprintf(out + used, bytes - used, "; ");
	va_start(args, format);
	vsnprintf(out + used, bytes - used, format, args);
	va_end(args);
}

struct finding_words finding_ms(const struct figures *f, int64_t ns)
{
	struct finding_words words;
	const int decimals = figures_ms_decimals(f->step_ns);
	snprintf(words.at, sizeof(words.at), "%.*f", decimals, (double)ns / 1e6);
	return words;
}

const char *finding_per(const struct figures *f)
{
	return f->has_steps ? "step" : "run";
}

/* Does its rank, which it has, drive other devices too? */
static bool is_one_of_several(const struct summary *summary, size_t device)
{
	const int32_t rank = summary->devices[device].ranks[0];
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		if (i != device && d->n_processes && d->ranks[0] == rank)
			return true;
	}
	return false;
}

struct finding_words finding_device(const struct summary *summary, size_t device)
{
	const struct device_summary *d = &summary->devices[device];
	const char *key = summary_text(summary, d->key), *slash = strrchr(key, '/');
	const bool is_uuid =
		slash && (strncmp(slash, "/GPU-", 5) == 0 || strncmp(slash, "/MIG-", 5) == 0);
	struct finding_words words;
	if (d->n_processes && d->ranks[0] >= 0 && slash && is_one_of_several(summary, device))
		snprintf(words.at, sizeof(words.at), "%s%.16s of rank %d", is_uuid ? "" : "GPU ", slash + 1,
				 d->ranks[0]);
	else if (d->n_processes && d->ranks[0] >= 0)
		snprintf(words.at, sizeof(words.at), "rank %d", d->ranks[0]);
	else
		snprintf(words.at, sizeof(words.at), "device %.80s", summary_text(summary, d->key));
	return words;
}

struct finding_words finding_straggler(const struct summary *summary, const struct straggler *s)
{
	struct finding_words words;
	if (!s->host.at)
		return finding_device(summary, s->device);
	snprintf(words.at, sizeof(words.at), "host %.*s",
			 (int)(s->host.chars < 80 ? s->host.chars : 80), s->host.at);
	return words;
}

void finding_ranks(const int32_t *ranks, uint32_t n, char text[MISSING_RANKS_BYTES])
{
	uint32_t i = 0;
	size_t used = 0;
	text[0] = 0;
	for (int runs = 0; i < n && runs < MISSING_RUNS; runs++) {
		const int32_t *from = &ranks[i];
		while (++i < n && ranks[i] == ranks[i - 1] + 1)
			;
		int32_t to = ranks[i - 1];
		used += (size_t)snprintf(text + used, MISSING_RANKS_BYTES - used, "%s%d", runs ? ", " : "",
								 *from);
		if (to > *from)
			used += (size_t)snprintf(text + used, MISSING_RANKS_BYTES - used, "-%d", to);
	}
	if (i < n)
		snprintf(text + used, MISSING_RANKS_BYTES - used, " and %u more", n - i);
}

void finding_missing_ranks(const struct run_summary *run, char text[MISSING_RANKS_BYTES])
{
	finding_ranks(run->missing_ranks, run->n_missing_ranks, text);
}

struct finding_words finding_collectives(const struct summary *summary, const char *reason)
{
	struct finding_words words = {"collectives"};
	const struct nccl_summary *only = NULL;
	for (size_t i = 0; i < summary->n_nccl; i++) {
		const struct nccl_summary *row = &summary->nccl[i];
		if (row->members == 1 || strcmp(summary_text(summary, row->reason), reason) != 0)
			continue;
		if (only && only->op != row->op)
			return words;
		only = row;
	}
	if (only)
		snprintf(words.at, sizeof(words.at), "%.100s calls", summary_text(summary, only->op));
	return words;
}

static const struct nccl_summary *most_unsplit(const struct summary *summary)
{
	const struct nccl_summary *most = NULL;
	for (size_t i = 0; i < summary->n_nccl; i++) {
		const struct nccl_summary *row = &summary->nccl[i];
		if (row->reason && (!most || row->unsplit_ns > most->unsplit_ns))
			most = row;
	}
	return most;
}

const char *finding_unsplit_reason(const struct summary *summary)
{
	const struct nccl_summary *most = most_unsplit(summary);
	return most ? summary_text(summary, most->reason) : "";
}

bool finding_unsplit_has_root(const struct summary *summary)
{
	static const char *const names[] = {"Broadcast", "Reduce", "Gather", "Scatter"};
	const struct nccl_summary *most = most_unsplit(summary);
	bool found = false;
	for (size_t i = 0; most && i < sizeof(names) / sizeof(names[0]); i++)
		found |= strcmp(summary_text(summary, most->op), names[i]) == 0;
	return found;
}

void finding_say_transfer(const struct summary *summary, const struct figures *f, char *out,
						  size_t bytes)
{
	const struct nccl_summary *most = NULL;
	const int64_t steps = f->steps * f->devices;
	for (size_t i = 0; i < summary->n_nccl; i++)
		if (!most || summary->nccl[i].transfer_ns > most->transfer_ns)
			most = &summary->nccl[i];
	if (!most || most->transfer_ns == 0)
		return;
	double busbw = figures_busbw_gbps(summary, most);
	char size[64] = "", grouped[32];
	if (most->bytes >= 0)
		snprintf(size, sizeof(size), " of %s bytes",
				 amount_grouped((uint64_t)most->bytes, grouped));
	finding_say(out, bytes, "%s%s on %u ranks: %s ms per %s, overlapped part included",
				summary_text(summary, most->op), size, most->members,
				finding_ms(f, most->transfer_ns / (steps > 0 ? steps : 1)).at, finding_per(f));
	if (!isnan(busbw))
		finding_say(out, bytes, "bus bandwidth %.1f GB/s", busbw);
}

static int64_t kernels_of(const struct device_summary *d)
{
	return d->steps > 0 ? d->kernels / d->steps : d->kernels;
}

/* Kernels per step of the median device but for this one. */
static int64_t kernels_of_others(const struct summary *summary, size_t device)
{
	int64_t *values = malloc(summary->n_devices * sizeof(*values)), median;
	size_t n = 0;
	for (size_t i = 0; values && i < summary->n_devices; i++)
		if (i != device)
			values[n++] = kernels_of(&summary->devices[i]);
	median = figures_median(values, n);
	free(values);
	return median;
}

static bool same_kernels(int64_t own, int64_t others)
{
	return llabs(own - others) <= others / 100;
}

/* Is its clock lower, and is that why its work takes longer? */
static bool clock_is_why(const struct summary *summary, size_t device, const struct excess *excess,
						 struct clocks *clocks)
{
	return clocks_compare(summary, device, clocks) && clocks_lower(clocks, CLOCKS_TELL) &&
		   clocks_explain(clocks, excess->own_ns, excess->others_ns);
}

void finding_say_clock(const struct summary *summary, size_t device, const struct excess *excess,
					   char *out, size_t bytes)
{
	struct clocks clocks;
	char own[32], others[32];
	if (clock_is_why(summary, device, excess, &clocks))
		finding_say(out, bytes, "its SM clock was %s MHz, the others' %s MHz",
					amount_grouped((uint64_t)clocks.own, own),
					amount_grouped((uint64_t)clocks.others, others));
}

void finding_say_slowed(const struct summary *summary, size_t device, char *out, size_t bytes)
{
	const struct reading *readings = summary->devices[device].readings;
	struct clocks_reason reason = {.kind = READING_SLOWED};
	struct clocks_all all;
	struct clocks clocks;
	char looks[32], others[40] = "";
	if (clocks_open(&all, summary) == 0 && clocks_among(&all, &summary->devices[device], &clocks) &&
		clocks_lower(&clocks, CLOCKS_TELL))
		reason = clocks_reason(&all, readings);
	clocks_close(&all);
	if (reason.kind == READING_SLOWED)
		return;
	if (reason.others_ppm >= 0)
		snprintf(others, sizeof(others), " (the others: %.0f %%)", (double)reason.others_ppm / 1e4);
	finding_say(out, bytes, "%s in %.0f %% of its %s samples%s", reading_reason(reason.kind),
				(double)reason.own_ppm / 1e4, amount_grouped(readings[reason.kind].looks, looks),
				others);
}

/* How much lower a clock is that does not explain why its kernels are so much slower. */
static void say_other_clock(const struct clocks *clocks, double slower, char *out, size_t bytes)
{
	char own[32], others[32];
	amount_grouped((uint64_t)clocks->own, own);
	amount_grouped((uint64_t)clocks->others, others);
	if (clocks_lower(clocks, CLOCKS_TELL))
		finding_say(out, bytes,
					"it runs the same number of kernels %.0f %% slower; its SM clock (%s MHz, the "
					"others' %s "
					"MHz) explains %.0f %%",
					slower, own, others, clocks_slower_percent(clocks));
	else if (clocks->own < clocks->others)
		finding_say(
			out, bytes,
			"it runs the same number of kernels %.0f %% slower, although its SM clock was hardly "
			"lower than the others' (%s MHz, theirs %s MHz)",
			slower, own, others);
	else
		finding_say(
			out, bytes,
			"it runs the same number of kernels %.0f %% slower, although its SM clock was no lower "
			"than the others' (%s MHz)",
			slower, own);
}

/* The same kernels take longer: how much, and is it the clock? */
static void say_slower(const struct summary *summary, size_t device, const struct excess *excess,
					   char *out, size_t bytes)
{
	double slower =
		100.0 * (double)(excess->own_ns - excess->others_ns) / (double)excess->others_ns;
	struct clocks clocks;
	if (slower < 0.5) /* it is the rank for other reasons */
		return;
	if (!clocks_compare(summary, device, &clocks))
		finding_say(out, bytes,
					"it runs the same number of kernels %.0f %% slower: check its clock", slower);
	else if (clock_is_why(summary, device, excess, &clocks))
		finding_say(out, bytes, "it runs the same number of kernels %.0f %% slower", slower);
	else
		say_other_clock(&clocks, slower, out, bytes);
}

void finding_say_work(const struct summary *summary, size_t device, const struct excess *excess,
					  char *out, size_t bytes)
{
	int64_t own = kernels_of(&summary->devices[device]);
	int64_t others = kernels_of_others(summary, device);
	const char *source = summary_text(summary, summary->run.step_source);
	if (!same_kernels(own, others))
		finding_say(out, bytes, "it runs %lld kernels per %s, the others %lld: unequal work",
					(long long)own, step_source(source) == STEPS_NONE ? "run" : "step",
					(long long)others);
	else if (excess->others_ns > 0)
		say_slower(summary, device, excess, out, bytes);
}

const char *finding_work_remedy(const struct summary *summary, size_t device,
								const struct excess *excess)
{
	struct clocks clocks;
	if (!same_kernels(kernels_of(&summary->devices[device]), kernels_of_others(summary, device)))
		return "give all ranks equal work: samples, tokens, padding";
	if (!clocks_compare(summary, device, &clocks) || excess->own_ns <= excess->others_ns)
		return "compare its clocks, power and temperature with the others' (nvidia-smi -q -d "
			   "CLOCK,PERFORMANCE); if they are equal, its inputs may be larger";
	if (clock_is_why(summary, device, excess, &clocks))
		return "something slows that GPU down: check its cooling, power limit and clock settings "
			   "(nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK)";
	return clocks_lower(&clocks, CLOCKS_TELL)
			   ? "its clock explains less than half: check whether its inputs are larger or "
				 "another "
				 "process uses that GPU"
			   : "its clock is not the reason: check whether its inputs are larger or another "
				 "process uses that GPU";
}

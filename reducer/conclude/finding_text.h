/* The words of findings: numbers as people read them, who and what. */
#ifndef CONCLUDE_FINDING_TEXT_H
#define CONCLUDE_FINDING_TEXT_H

#include "conclude/stragglers.h"

struct finding_words {
	char at[128];
};

/* Appends to a text, after "; " when it is not empty. What does not fit is cut. */
void finding_say(char *out, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Milliseconds in the precision of the run's report. */
struct finding_words finding_ms(const struct figures *figures, int64_t ns);
/* "step" or, without steps, "run": what the figures are per. */
const char *finding_per(const struct figures *figures);
/* "rank 2", or the device when its rank is not known. */
struct finding_words finding_device(const struct summary *summary, size_t device);
/* "host node8", or the rank that is late by itself. */
struct finding_words finding_straggler(const struct summary *summary,
									   const struct straggler *straggler);
enum { MISSING_RANKS_BYTES = 200 };
/* "64-71, 900": a few runs of numbers, and how many more there are. */
void finding_ranks(const int32_t *ranks, uint32_t n, char text[MISSING_RANKS_BYTES]);
void finding_missing_ranks(const struct run_summary *run, char text[MISSING_RANKS_BYTES]);
/* "AllReduce calls", or "collectives" when there are several; of those that are not split for this reason
 * ("": that are). */
struct finding_words finding_collectives(const struct summary *summary, const char *reason);
/* Why most of the NCCL time is not split; "" when all is. */
const char *finding_unsplit_reason(const struct summary *summary);
/* Is most of it in calls that one rank sends to all or gets from all? */
bool finding_unsplit_has_root(const struct summary *summary);
/* The collective with most transfer, and its bus bandwidth. */
void finding_say_transfer(const struct summary *summary, const struct figures *figures, char *out,
						  size_t bytes);
/* Of a device whose SM clock is lower than the others': both clocks, where they explain most of
 * what it has more; what slowed it, and how often. */
void finding_say_clock(const struct summary *summary, size_t device, const struct excess *excess,
					   char *out, size_t bytes);
void finding_say_slowed(const struct summary *summary, size_t device, char *out, size_t bytes);
/* More time in kernels: more kernels than the others run, or the same ones slower. */
void finding_say_work(const struct summary *summary, size_t device, const struct excess *excess,
					  char *out, size_t bytes);
const char *finding_work_remedy(const struct summary *summary, size_t device,
								const struct excess *excess);

#endif

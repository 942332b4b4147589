/* The cases of cupti_test.c, and what they do with the driver that is told what to do. */
#ifndef CUPTI_CASES_H
#define CUPTI_CASES_H

#include "doubles/observe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                           \
	do {                                                           \
		if (!(condition)) {                                        \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                               \
		}                                                          \
	} while (0)
#define CHECK_IS(value, expected)                                                              \
	do {                                                                                       \
		long long is_ = (long long)(value), should_ = (long long)(expected);                   \
		if (is_ != should_) {                                                                  \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, is_, should_); \
			exit(1);                                                                           \
		}                                                                                      \
	} while (0)

extern const char *release;
extern int version; /* 1208 for 12.8 */

struct sim_call launch_call(void);
uint32_t launch(int result, uint32_t ops);
struct sim_record kernel_of(uint32_t correlation);
void end_kernel(uint32_t correlation);
void start(int kind);
/* Waits for what another thread delivers. */
bool wait_records(unsigned count);
/* Bytes of a record; from the vendor's headers (layouts_test.py), said here a third time. */
unsigned record_bytes(uint32_t kind);

void case_driverless(void);
void case_fork(void);
void case_subscribe(void);
void case_holder(void);
void case_busy(void);
void case_callbacks(void);
void case_names(void);
void case_records(void);
void case_graph_trace(void);
void case_flush(void);
void case_invalid_incomplete(void);
void case_no_op(void);
void case_full(void);
void case_threads(void);
void case_period(void);
void case_dropped(void);
void case_drop_knob(void);
void case_flush_in_callback(void);
void case_deadlock(void);
void case_behind(void);
void case_conservation(void);
void case_finalize(void);
void case_clock(void);
void case_correlation(void);
void case_order(void);
void case_ids(void);

#endif

/* What the tests of the libraries' doubles share: calling by name, and what was launched. */
#ifndef DOUBLE_LIBRARIES_H
#define DOUBLE_LIBRARIES_H

#include "doubles/observe.h"

#include <stdio.h>
#include <string.h>

extern int failures;

#define CHECK(condition_)                                                   \
	do {                                                                    \
		if (!(condition_)) {                                                \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition_); \
			failures++;                                                     \
		}                                                                   \
	} while (0)

/* Kernels that ended and launches that were called since libraries_forget(). */
enum { ROOM = 256 };
extern struct sim_record records[ROOM];
extern char calls[ROOM][32];
extern uint32_t call_ids[ROOM];
extern unsigned n_records, n_calls;
void libraries_forget(void);
/* How many kernels ended since then, all of whose names contain the text. */
unsigned libraries_launched(const char *text);

/* Arguments are integers and pointers. */
typedef long any_call(long, long, long, long, long, long, long, long, long, long, long, long, long,
					  long, long, long, long, long, long, long, long, long, long, long, long, long,
					  long, long, long, long, long, long);
any_call *libraries_find(const char *name);
int libraries_call(const char *name, const long *arguments);
#define P(pointer_) ((long)(pointer_))
#define CALL(name_, ...) libraries_call(#name_, (const long[32]){__VA_ARGS__})

extern char device[1 << 20]; /* an aligned address that nobody reads */
extern int capability;       /* 80 or 90 */

void test_blas(void);
void test_dnn(void);
void test_fft(void);

#endif

/* The whole test framework: CHECK prints the failure it found, finish() turns the count into a status. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int check_failures, check_done;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                           \
		check_done++;                                                                              \
		if (!(condition)) {                                                                        \
			check_failures++;                                                                      \
			printf("%s:%d: ", __FILE__, __LINE__);                                                 \
			printf(__VA_ARGS__);                                                                   \
			printf("\n");                                                                          \
		}                                                                                          \
	} while (0)

static inline int finish(void)
{
	printf("%d checks, %d failed\n", check_done, check_failures);
	return check_failures > 0 || check_done == 0;
}

#endif

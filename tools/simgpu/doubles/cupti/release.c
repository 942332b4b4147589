#include "doubles/cupti/release.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CUPTI_MAJOR /* which library this is built as */
#define CUPTI_MAJOR "13"
#endif

/* What is the same everywhere, then the families in which releases differ. */
#define SAME [LAYOUT_MEMCPY2] = {4, 96}, [LAYOUT_API] = {0, 40}, [LAYOUT_EXTERNAL] = {0, 24}
#define KERNEL(number, bytes) [LAYOUT_KERNEL] = {number, bytes}
#define MEMCPY(number, bytes) [LAYOUT_MEMCPY] = {number, bytes}
#define MEMSET(number, bytes) [LAYOUT_MEMSET] = {number, bytes}
#define SYNC(number, bytes) [LAYOUT_SYNC] = {number, bytes}
#define OVERHEAD(number, bytes) [LAYOUT_OVERHEAD] = {number, bytes}
#define GRAPH(number, bytes) [LAYOUT_GRAPH] = {number, bytes}
#define CONTEXT(number, bytes) [LAYOUT_CONTEXT] = {number, bytes}
#define DEVICE(number, bytes) [LAYOUT_DEVICE] = {number, bytes}
#define EVENT(number, bytes) [LAYOUT_EVENT] = {number, bytes}

const struct release releases[] = {
	{"11.8",
	 18,
	 DRIVERLESS_NOT_INITIALIZED,
	 434,
	 677,
	 {SAME, KERNEL(8, 200), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(0, 40),
	  GRAPH(0, 48), CONTEXT(0, 16), DEVICE(4, 176), EVENT(0, 24)}},
	{"12.0",
	 18,
	 DRIVERLESS_NOT_INITIALIZED,
	 445,
	 701,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(0, 40),
	  GRAPH(0, 48), CONTEXT(0, 16), DEVICE(4, 176), EVENT(0, 24)}},
	{"12.1",
	 18,
	 DRIVERLESS_NOT_INITIALIZED,
	 445,
	 712,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(0, 40),
	  GRAPH(0, 48), CONTEXT(0, 16), DEVICE(4, 176), EVENT(0, 24)}},
	{"12.2",
	 20,
	 DRIVERLESS_NOT_INITIALIZED,
	 451,
	 718,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(0, 40),
	  GRAPH(0, 48), CONTEXT(0, 16), DEVICE(5, 184), EVENT(0, 24)}},
	{"12.3",
	 21,
	 DRIVERLESS_NOT_INITIALIZED,
	 465,
	 733,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(2, 48),
	  GRAPH(2, 56), CONTEXT(0, 16), DEVICE(5, 184), EVENT(0, 24)}},
	{"12.4",
	 22,
	 DRIVERLESS_NOT_INITIALIZED,
	 468,
	 754,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(2, 24), DEVICE(5, 184), EVENT(0, 24)}},
	{"12.5",
	 23,
	 DRIVERLESS_NOT_INITIALIZED,
	 470,
	 761,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(3, 32), DEVICE(5, 184), EVENT(0, 24)}},
	{"12.6",
	 24,
	 DRIVERLESS_NOT_INITIALIZED,
	 480,
	 763,
	 {SAME, KERNEL(9, 208), MEMCPY(5, 88), MEMSET(4, 88), SYNC(0, 40), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(3, 32), DEVICE(5, 184), EVENT(0, 24)}},
	{"12.8",
	 26,
	 DRIVERLESS_NOT_INITIALIZED,
	 487,
	 782,
	 {SAME, KERNEL(9, 208), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(3, 32), DEVICE(5, 184), EVENT(2, 56)}},
	{"12.9",
	 28,
	 DRIVERLESS_NOT_INITIALIZED,
	 487,
	 784,
	 {SAME, KERNEL(9, 208), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(3, 32), DEVICE(5, 184), EVENT(2, 56)}},
	{"13.0",
	 130001,
	 DRIVERLESS_UNKNOWN,
	 523,
	 807,
	 {SAME, KERNEL(10, 216), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(3, 32), DEVICE(5, 184), EVENT(2, 56)}},
	{"13.1",
	 130101,
	 DRIVERLESS_UNKNOWN,
	 550,
	 846,
	 {SAME, KERNEL(11, 224), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(4, 40), DEVICE(5, 184), EVENT(2, 56)}},
	{"13.2",
	 130202,
	 DRIVERLESS_CRASHES,
	 559,
	 846,
	 {SAME, KERNEL(11, 224), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(4, 40), DEVICE(6, 192), EVENT(2, 56)}},
	{"13.3",
	 130301,
	 DRIVERLESS_ALL_UNKNOWN,
	 559,
	 860,
	 {SAME, KERNEL(12, 232), MEMCPY(6, 96), MEMSET(4, 88), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(4, 40), DEVICE(6, 192), EVENT(2, 56)}},
	{"13.4",
	 130401,
	 DRIVERLESS_ALL_UNKNOWN,
	 566,
	 868,
	 {SAME, KERNEL(13, 248), MEMCPY(7, 112), MEMSET(5, 104), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(4, 40), DEVICE(6, 192), EVENT(2, 56)}},
	{"13.5",
	 130500,
	 DRIVERLESS_ALL_UNKNOWN,
	 567,
	 877,
	 {SAME, KERNEL(13, 248), MEMCPY(7, 112), MEMSET(5, 104), SYNC(2, 56), OVERHEAD(3, 56),
	  GRAPH(2, 56), CONTEXT(4, 40), DEVICE(6, 192), EVENT(3, 80)}},
	{0}};

static const struct release *chosen;

const struct release *release_find(const char *name, size_t length)
{
	for (const struct release *r = releases; r->name; r++)
		if (strlen(r->name) == length && !strncmp(r->name, name, length))
			return r;
	return NULL;
}

static const char *release_default(void)
{
	return !strcmp(CUPTI_MAJOR, "11") ? "11.8" : !strcmp(CUPTI_MAJOR, "12") ? "12.8" : "13.0";
}

static void release_choose(void)
{
	const char *list = getenv("SIMGPU_CUPTI");
	size_t length;

	for (; list && *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (strncmp(list, CUPTI_MAJOR ".", sizeof(CUPTI_MAJOR)))
			continue;
		chosen = release_find(list, length);
		if (chosen)
			return;
		fprintf(stderr, "simgpu cupti: SIMGPU_CUPTI=%.*s is no release that is modelled\n",
				(int)length, list);
		abort();
	}
	chosen = release_find(release_default(), strlen(release_default()));
}

const struct release *release_here(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, release_choose);
	return chosen;
}

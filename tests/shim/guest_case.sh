#!/usr/bin/env bash
# Another user of CUPTI in a process where this library is loaded but does not record, or records without CUPTI: every call that the
# library answers for a guest goes on to CUPTI's own. And where it records: the guest's records are in the guest's own clock, though the thread
# that reads the two clocks loses its core between the readings. Keeps out: a forwarded function that is looked up by no name; records that
# are milliseconds early.
. tests/cli/lib.sh
preloads simgpu/libcupti.so.13
double=$PWD/$BUILD/simgpu
cat >"$work/tool.c" <<'END'
#include <stdint.h>
#include <stdio.h>
int cuInit(unsigned), cuptiSubscribe(void **, void *, void *), cuptiUnsubscribe(void *);
int cuptiEnableCallback(uint32_t, void *, int, uint32_t), cuptiEnableDomain(uint32_t, void *, int);
int cuptiActivityRegisterCallbacks(void *, void *), cuptiActivityEnable(int), cuptiActivityDisable(int), cuptiActivityFlushAll(uint32_t);
static void heard(void *user, int domain, uint32_t id, const void *data) { (void)user, (void)domain, (void)id, (void)data; }
static void request(uint8_t **bytes, size_t *size, size_t *most) { *bytes = 0, *size = *most = 0; }
static void complete(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid) { (void)context, (void)stream, (void)bytes, (void)size, (void)valid; }
int main(void)
{
	void *handle = 0;
	printf("%d", cuInit(0));
	printf(" %d", cuptiSubscribe(&handle, (void *)heard, 0));
	printf(" %d", cuptiEnableCallback(1, handle, 2, 211));
	printf(" %d", cuptiEnableDomain(1, handle, 1));
	printf(" %d", cuptiActivityRegisterCallbacks((void *)request, (void *)complete));
	printf(" %d %d %d", cuptiActivityEnable(10), cuptiActivityFlushAll(1), cuptiActivityDisable(10));
	printf(" %d\n", cuptiUnsubscribe(handle));
	return 0;
}
END
${CC:-gcc} -o "$work/tool" "$work/tool.c" -L"$double" -l:libcupti.so.13 -l:libcuda.so.1 2>"$work/why" || fail "tool.c does not compile: $(cat "$work/why")"
export LD_LIBRARY_PATH=$double
expect_status 0 "$work/tool"
plain=$(cat "$work/out")
[ "$plain" = "0 0 0 0 0 0 0 0 0" ] || fail "without the library: $plain"
for way in "" "BATON_OUT=$work/run BATON_CUPTI=none"; do
	mkdir -p -m 700 "$work/run"
	# shellcheck disable=SC2086
	expect_status 0 env $way LD_PRELOAD="$PWD/$BUILD/libbaton.so" "$work/tool"
	expect_prints "$plain"
done

cat >"$work/clock.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { MEMSET = 2, START = 16, PAUSE_US = 3000 };
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemsetD8_v2(uint64_t, unsigned char, size_t);
int cuptiActivityRegisterCallbacks(void *, void *), cuptiActivityRegisterTimestampCallback(uint64_t (*)(void));
int cuptiActivityEnable(int), cuptiActivityDisable(int), cuptiActivityFlushAll(uint32_t);
int cuptiActivityGetNextRecord(uint8_t *, size_t, void **);
static uint64_t start, end;
static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static uint64_t paused(void) /* each third reading is old when it is returned */
{
	static int readings;
	uint64_t ns = now_ns();
	if (readings++ % 3 == 0)
		nanosleep(&(struct timespec){0, PAUSE_US * 1000}, NULL);
	return ns;
}
static void request(uint8_t **bytes, size_t *size, size_t *most) { *bytes = aligned_alloc(8, *size = 1 << 20), *most = 0; }
static void complete(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	void *record = NULL;
	uint32_t kind;
	(void)context, (void)stream, (void)size;
	while (cuptiActivityGetNextRecord(bytes, valid, &record) == 0)
		if (memcpy(&kind, record, 4), kind == MEMSET)
			memcpy(&start, (char *)record + START, 8), memcpy(&end, (char *)record + START + 8, 8);
	free(bytes);
}
int main(void)
{
	void *context;
	uint64_t memory, before, after;
	int failed = cuInit(0) + cuDevicePrimaryCtxRetain(&context, 0) + cuCtxSetCurrent(context) + cuMemAlloc_v2(&memory, 4096);
	failed += cuptiActivityRegisterTimestampCallback(paused) + cuptiActivityRegisterCallbacks((void *)request, (void *)complete);
	failed += cuptiActivityEnable(MEMSET);
	before = now_ns();
	failed += cuMemsetD8_v2(memory, 0, 4096) + cuCtxSynchronize();
	after = now_ns();
	failed += cuptiActivityFlushAll(1) + cuptiActivityDisable(MEMSET) + cuptiActivityFlushAll(1);
	if (failed || start < before || end < start || end > after)
		return printf("failed %d; the record begins %lld ns after the call began, and ends %lld ns before it ended\n", failed,
		              (long long)(start - before), (long long)(after - end)), 1;
	return 0;
}
END
${CC:-gcc} -o "$work/clock" "$work/clock.c" -L"$double" -l:libcupti.so.13 -l:libcuda.so.1 2>"$work/why" || fail "clock.c does not compile: $(cat "$work/why")"
rm -rf "$work/run"
expect_status 0 "$BATON" record -o "$work/run" -- "$work/clock"
finish

#!/usr/bin/env bash
# Another user of CUPTI in a process where this library is loaded but does not record, or records without CUPTI: every call that the
# library answers for a guest goes on to CUPTI's own. Keeps out: a forwarded function that is looked up by no name.
. tests/cli/lib.sh
case ${BUILD:=build/release} in *san-*) skip "a preloaded library cannot bring a sanitizer's runtime" ;; esac
double=$PWD/$BUILD/simgpu
[ -e "$double/libcupti.so.13" ] || skip "not built: libcupti.so.13 (make cupti)"
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
"${CC:-gcc}" -o "$work/tool" "$work/tool.c" -L"$double" -l:libcupti.so.13 -l:libcuda.so.1 2>"$work/why" || fail "tool.c does not compile: $(cat "$work/why")"
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
finish

# The real-time doubles: order, latencies, back-pressure, counts, the observer (double*.c); what the environment says
# (states.c); the injected library; versioned symbols. Throughput is printed, not judged.
set -u
lib=$PWD/$BUILD/simgpu
[ -e "$lib/libcuda.so.1" ] || { echo "no doubles built" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc() { ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Itools/simgpu "$@" -pthread || exit 1; }
link="-L$lib -l:libcuda.so.1 -Wl,-rpath,$lib"
cc -o "$work/double" tests/double/double.c tests/double/double_*.c -L"$lib" -l:libcudart.so.13 $link ${DOUBLE_SAN:+-fsanitize=$DOUBLE_SAN}
cc -o "$work/states13" tests/double/states.c -L"$lib" -l:libcudart.so.13 $link
cc -DRUNTIME_12 -o "$work/states12" tests/double/states.c -L"$lib" -l:libcudart.so.12 $link
cc -o "$work/exit_waits" tests/double/exit_waits.c $link
cc -shared -fPIC -o "$work/injected.so" tests/double/injected.c

bad=0
expect() { # expect WANTED COMMAND...
	local wanted=$1 got
	shift
	got=$(timeout 60 "$@" 2>&1)
	[ "$got" = "$wanted" ] || { echo "$*"; echo "  wanted: $wanted"; echo "  got:    $got"; bad=1; }
}
ok=" runtime 13000 driver 13000 sm 80 processors 108 uuid"
expect "result 0 count 1$ok 0 took 5000" "$work/states13"
expect "result 0 count 1 runtime 12080 driver 12080 sm 80 processors 108 uuid 0 took 5000" "$work/states12"
expect "result 0 count 1 runtime 12080 driver 13000 sm 90 processors 108 uuid 0 took 5000" \
	env SIMGPU_CUDA=13.0 SIMGPU_CAPABILITY=90 "$work/states12"
expect "result 0 count 3$ok 0 took 700 1400 700" \
	env SIMGPU_DEVICES=3 SIMGPU_KERNEL_NS=700 "SIMGPU_SLOW=1=2;9=3" "$work/states13"
expect "result 0 count 2$ok 2 took 7000 5000" \
	env SIMGPU_DEVICES=4 CUDA_VISIBLE_DEVICES=2,0,9,1 SIMGPU_SLOW=2=1.4 "$work/states13"
expect "result 0 count 2$ok 0 took 5000 10000" \
	env SIMGPU_DEVICES=2 SIMGPU_LOCAL_OFFSET=8 SIMGPU_SLOW=9=2 "$work/states13"
expect "result 0 count 1$ok 3 took 5000" \
	env SIMGPU_DEVICES=4 CUDA_VISIBLE_DEVICES=GPU-00000003-5a5a "$work/states13"
expect "result 100 count 0 runtime 13000 driver 13000" env CUDA_VISIBLE_DEVICES= "$work/states13"
expect "result 999 count 0 runtime 13000 driver 13000" env SIMGPU_FAIL_INIT=999 "$work/states13"
expect "injected 0 1
result 0 count 1$ok 0 took 5000" env LD_LIBRARY_PATH="$lib" CUDA_INJECTION64_PATH="$work/injected.so" "$work/states13"
expect "result 0 count 1$ok 0 took 5000" env CUDA_INJECTION64_PATH=/nowhere.so "$work/states13"

for n in 12 13; do
	nm -D --defined-only "$lib/libcudart.so.$n" >"$work/symbols"
	grep -q "cudaLaunchKernel@@libcudart.so.$n" "$work/symbols" || { echo "libcudart.so.$n: no version node"; bad=1; }
	grep -v "@@libcudart.so.$n" "$work/symbols" | grep -v " A " && { echo "libcudart.so.$n: stray symbols"; bad=1; }
done
nm -D --defined-only "$lib/libcuda.so.1" | awk '$3 !~ /^(cu[A-Z]|simgpu_)/ {print "libcuda.so.1 exports " $3; found = 1} END {exit !found}' && bad=1

export SIMGPU_KERNEL_NS=20000 SIMGPU_LATENCY_NS=4000 SIMGPU_GAP_NS=1000 SIMGPU_GRAPH_GAP_NS=500 SIMGPU_DEVICES=2
export SIMGPU_DURATIONS="slow=3000000;blocks=1000+10"
timeout 120 "$work/double" || bad=1
expect "context 1 ends" "$work/double" leave
expect "waited to the end: no" "$work/exit_waits"
case $BUILD in *san-*) san=-fsanitize=$(echo "${BUILD##*san-}" | tr - ,) ;; *) san= ;; esac # as the libcupti double is
for n in 12 13; do
	cc $san -o "$work/exit_order$n" tests/double/exit_order.c $link "$lib/libcupti.so.$n"
	expect "context ends, state alive" "$work/exit_order$n"
done
SIMGPU_KERNEL_NS=0 SIMGPU_LATENCY_NS=0 SIMGPU_GAP_NS=0 SIMGPU_DURATIONS= timeout 120 "$work/double" throughput || bad=1
exit $bad

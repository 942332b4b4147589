#!/usr/bin/env bash
# The recorder with sanitizers inside jobs that have none: output and status are the job's own, the traces are whole, and no
# sanitizer speaks. (Leaks are not looked for: what the recorder maps is the job's for good.)
. tests/cli/lib.sh
case ${BUILD:=build/release} in
*san-*address*) runtime=libasan.so stacks=both ;;
*san-thread) runtime=libtsan.so stacks=python ;; # libunwind's end of a thread comes after ThreadSanitizer's, which dies of it
*) skip "the recorder has no sanitizer: make test SAN=address,undefined PARTS=shim/sanitized" ;;
esac
root=$PWD jobs=$PWD/build/release
is_built "$jobs" simtrain simlaunch simgpu/libcudart.so.13 simgpu/libnccl.so.2 simgpu/libcupti.so.13
runtime=$(readlink -f "$(${CC:-gcc} -print-file-name=$runtime)")
[ -e "$runtime" ] || skip "the compiler has no sanitizer to preload"
export LD_LIBRARY_PATH=$jobs/simgpu SIMGPU_MEMORY_MB=256 SIMGPU_DEVICES=2
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$work/said
address=detect_leaks=0:handle_segv=0:handle_abort=0:verify_asan_link_order=0:log_path=$work/said
thread="die_after_fork=0 history_size=5 suppressions=$PWD/tests/shim/tsan.supp log_path=$work/said"

status_of() { # status_of FILE COMMAND...: its output in FILE, its status on stdout
	local out=$1 status=0
	shift
	(cd "$work" && exec timeout 120 "$@") >"$out" 2>/dev/null </dev/null || status=$?
	echo $status
}

reported() { # reported NAME
	"$BATON" report "$work/$1" >/dev/null 2>"$work/why"
}

alike() { # alike NAME COMMAND...
	local name=$1 plain recorded
	shift
	mkdir "$work/$name"
	plain=$(status_of "$work/plain" "$@")
	recorded=$(ASAN_OPTIONS=$address TSAN_OPTIONS=$thread LD_PRELOAD=$runtime:$root/$BUILD/libbaton.so BATON_OUT=$work/$name BATON_STACKS=$stacks BATON_RING_SLOTS=256 \
		status_of "$work/out" "$@")
	checks=$((checks + 1))
	[ "$plain" = "$recorded" ] || fail "$name: status $recorded, without the recorder $plain"
	cmp -s "$work/plain" "$work/out" || fail "$name: another output: $(diff "$work/plain" "$work/out" | head -3)"
	cat "$work"/said.* 2>/dev/null >"$work/all" && fail "$name: $(head -20 "$work/all")"
	rm -f "$work"/said.*
	ls "$work/$name"/*.baton >/dev/null 2>&1 || fail "$name: no trace"
	local status=0
	reported "$name" || status=$? # which first adds what is left in live files of an _exit
	! grep -q "Tracer caught signal" "$work/why" || { status=0 && reported "$name" || status=$?; } # LeakSanitizer itself fell: seen once
	case $status in 0 | 4) ;; 3) grep -q "in flight when the job ended): nothing to report" "$work/why" || fail "$name: $(head -3 "$work/why")" ;; *) fail "$name: report ends with $status: $(head -3 "$work/why")" ;; esac
}

steps=(--steps 3 --layers 2)
alike c "$jobs/simtrain" "${steps[@]}"
alike threads "$jobs/simtrain" "${steps[@]}" --threads 4
alike graph "$jobs/simtrain" "${steps[@]}" --graph
alike devices "$jobs/simtrain" "${steps[@]}" --mode dataparallel --devices 2
alike ranks "$jobs/simlaunch" -n 2 -- "$jobs/simtrain" "${steps[@]}"
for job in leave fails spawn fork fork_after children signals close_all; do
	alike $job "$PYTHON" "$root/tests/shim/jobs.py" $job
done
finish

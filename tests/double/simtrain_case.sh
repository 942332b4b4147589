#!/usr/bin/env bash
# The training job on the doubles: the same sums whatever the number of ranks and whatever is
# planted, launches neither lost nor made up, odd callers, a rank that dies.
set -u
export SIMGPU_DEVICES=4
export ASAN_OPTIONS=detect_leaks=0 # like any job it ends without giving back its streams and events
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*" && cat "$dir/out" "$dir/err" 2>/dev/null | head -20 && exit 1; }
train() { # train RANKS PROGRAM OPTION...
	local ranks=$1 program=$2
	shift 2
	timeout 120 "$BUILD/simlaunch" -n "$ranks" -- "$BUILD/$program" "$@" >"$dir/out" 2>"$dir/err"
}

train 1 simtrain --steps 4 --layers 4 || fail "one rank: status $?"
[ "$(sort -u -k 4 "$dir/out" | wc -l)" = 4 ] || fail "not four different sums"
cp "$dir/out" "$dir/sums"
for ranks in 2 4; do
	train $ranks simtrain --steps 4 --layers 4 || fail "$ranks ranks: status $?"
	cmp -s "$dir/out" "$dir/sums" || fail "$ranks ranks: other sums"
done
while read -r options; do
	# shellcheck disable=SC2086
	train 2 simtrain --steps 4 --layers 4 $options || fail "$options: status $?"
	cmp -s "$dir/out" "$dir/sums" || fail "$options: other sums"
done <<-END
	--no-nvtx
	--graph
	--threads 4
	--slow-rank 1=50 --late-host 0=5
	--input-stall 5@2 --stall-range
	--sync-in-loop --alloc-in-loop
	--slow-nccl 20 --tiny 3
END
train 2 simtrain13 --steps 4 --layers 4 || fail "CUDA 13: status $?"
cmp -s "$dir/out" "$dir/sums" || fail "CUDA 13: other sums"

train 1 simtrain --mode dataparallel --devices 1 --steps 3 --layers 2 || fail "one replica: status $?"
cp "$dir/out" "$dir/sums"
train 1 simtrain --mode dataparallel --devices 3 --steps 3 --layers 2 || fail "replicas: status $?"
cmp -s "$dir/out" "$dir/sums" || fail "three replicas: other sums"

# 3 threads x 700: what the program says, what the driver counted when asked, what it executed
count() { # count WHAT: the sum of the last column
	awk -v what="$1" '$2 == what { n += $NF } END { print n + 0 }' "$dir/counts"
}
for program in "simtrain --host-ns 500 --launches 700 --threads 3" \
	"simtrain13 --host-ns 500 --launches 700 --threads 3" \
	"simcaller $BUILD/simgpu/static_cudart.so 700 3" \
	"simcaller $BUILD/simgpu/triton_like.so 700 3" "simcaller $BUILD/simgpu/getproc.so 700 3"; do
	rm -f "$dir/counts"
	# shellcheck disable=SC2086
	LD_LIBRARY_PATH=$BUILD/simgpu SIMGPU_COUNTS=$dir/counts LD_PRELOAD=$BUILD/simgpu/libcount.so \
		timeout 60 "$BUILD"/$program >"$dir/out" 2>"$dir/err" || fail "$program: status $?"
	grep -qx 'launches 2100 threads 3' "$dir/out" || fail "$program said otherwise"
	[ "$(count launches)" = 2100 ] || fail "$program: the driver accepted $(count launches) launches"
	[ "$(count ops)" = 2100 ] || fail "$program: the driver executed $(count ops) ops"
done

# ranges: one a step, three phases in it; every push has its pop
for option in "" --no-nvtx; do
	wanted=
	[ -n "$option" ] || wanted="pushes 4 pops 4 phases 12 ends 12 domains simtrain"
	# shellcheck disable=SC2086
	rm -f "$dir/heard"
	NVTX_INJECTION64_PATH=$PWD/$BUILD/simgpu/nvtx_listener.so NVTX_HEARD=$dir/heard \
		timeout 60 "$BUILD/simtrain" --steps 4 --layers 2 $option >"$dir/out" 2>"$dir/err" || fail "ranges: status $?"
	heard=$(cat "$dir/heard" 2>/dev/null)
	[ "$heard" = "$wanted" ] || fail "heard '$heard', not '$wanted'"
done

# a rank that is killed: its status is the job's, and the job ends
train 3 simtrain --steps 100000 --layers 2 --kill-rank 1=3
status=$?
[ $status = 137 ] || fail "a killed rank gave status $status"

# a job that is restarted finds the id of its last life, whose maker is gone: it is refused, and the next try comes through. Keeps out:
# a rank that waits for ranks that never come, until NCCL's limit of five minutes
member() { # member RANK OPTION...
	SIMTRAIN_ID=$dir/id WORLD_SIZE=2 RANK=$1 LOCAL_RANK=$1 SIMGPU_DEVICES=2 LD_LIBRARY_PATH=$BUILD/simgpu \
		timeout 30 "$BUILD/simtrain" --steps 3 --layers 2 "${@:2}" >/dev/null 2>"$dir/err.$1"
}
rm -f "$dir/id"
member 1 &
member 0 --kill-rank 0=1
wait $!
member 1 & # before there is a new id
wait $!
status=$?
[ $status = 1 ] || fail "with the id of a process that is gone: status $status"
grep -q "remote process exited" "$dir/err.1" || fail "it said: $(cat "$dir/err.1")"
cp "$dir/id" "$dir/old" 2>/dev/null || : >"$dir/old"
member 0 &
zero=$!
for ((n = 0; n < 1000; n++)); do # it has left the new one
	[ ! -s "$dir/id" ] || cmp -s "$dir/id" "$dir/old" || break
	sleep 0.02
done
member 1 || fail "after a restart: rank 1's status $?"
wait $zero || fail "after a restart: rank 0's status $?"
echo "sums, launches and statuses as they must be"

#!/usr/bin/env bash
# baton-sim: the same bytes from the same seed, whatever the number of threads; traces that the rest of baton reads.
. "$(dirname "$0")/lib.sh"
sim=$(dirname "$BATON")/baton-sim

# Keeps out: a result that depends on which thread was faster, or on the machine.
for threads in 1 2 7; do
	expect_status 0 "$sim" -o "$work/t$threads" --ranks 12 --per-host 3 --steps 4 --threads $threads --truth "$work/t$threads.json" \
		--fault slow_gpu@5 --fault input
done
for threads in 2 7; do
	checks=$((checks + 1))
	diff -r "$work/t1" "$work/t$threads" && cmp "$work/t1.json" "$work/t$threads.json" || fail "1 and $threads threads differ"
done
expect_status 0 "$sim" -o "$work/other" --ranks 12 --per-host 3 --steps 4 --seed 2
checks=$((checks + 1))
! diff -rq "$work/t1" "$work/other" >/dev/null || fail "two seeds give one trace"

# Keeps out: noise that cannot be had apart from the model, and a noise seed that does nothing.
for options in "" "--noise-seed 1" "--noise-seed 2" "--noise-seed 2 --seed 2"; do
	# shellcheck disable=SC2086
	expect_status 0 "$sim" -o "$work/noise" --ranks 2 --steps 6 --nvtx off $options --truth "$work/noise.json"
	expect_status 0 "$BATON" report --json "$work/noise"
	rm -r "$work/noise"
	python3 -c 'import json, sys
names = sorted(k["name"] for k in json.load(open(sys.argv[1]))["kernels"])
print(names, json.load(open(sys.argv[2]))["step_ns"])' "$work/out" "$work/noise.json" >>"$work/noises"
done
checks=$((checks + 1))
python3 - "$work/noises" <<-'END' || fail "seeds of the noise: $(cut -c1-200 "$work/noises")"
	import re, sys
	same, one, two, model = (re.fullmatch(r"(\[.*\]) (\d+)\n", line).groups() for line in open(sys.argv[1]))
	assert same == one and one[0] == two[0] and one[1] != two[1] and model[0] != two[0]
END

# Keeps out: a thread that a fault adds on one rank and that gives all later ranks other random numbers.
for fault in "" "--fault gil_hog@0"; do
	# shellcheck disable=SC2086
	expect_status 0 "$sim" --workload inference --ranks 2 --steps 6 $fault --truth "$work/alone$fault.json"
done
checks=$((checks + 1))
python3 - "$work/alone.json" "$work/alone--fault gil_hog@0.json" <<-'END' || fail "a hog on rank 0 changes rank 1"
	import json, sys
	a, b = (json.load(open(f))["devices"] for f in sys.argv[1:])
	assert a[1]["idle"] == b[1]["idle"] and a[0]["idle"] != b[0]["idle"]
END

# Keeps out: a deadlock where ranks outnumber cores: threads that spin in a launch kept theirs from the rank that was waited for.
for ranks in 3 8; do
	expect_status 0 "$sim" --workload tiny --ranks $ranks --steps 2 --cores 2 --truth "$work/few.json"
done
# Keeps out: a lock that changes hands each time its owner comes back to a core, so that the owner never runs.
expect_status 0 timeout 60 "$sim" --workload ddp --ranks 2 --steps 6 --seed 30686 --fault prefetch=1530 --fault no_core=10 \
	--truth "$work/lock.json" --without-calls

# Keeps out: a kernel that waits behind a collective for the device that waits for it.
expect_status 0 "$sim" --workload jax --ranks 16 --steps 6 --seed 972124 --noise-seed 352327 --per-host 2 --fault dependency=176 \
	--fault alloc=231@2 --truth "$work/few.json"

# Keeps out: a step range that the trace does not have.
expect_status 0 "$sim" -o "$work/stepless" --workload inference --ranks 1 --steps 3 --truth "$work/stepless.json"
checks=$((checks + 1))
grep -q '"step_range":null' "$work/stepless.json" || fail "inference has no steps, and yet a name for them"

# Keeps out: kernels or launches that go missing between the engine and the file, and files that baton refuses.
expect_status 0 "$sim" -o "$work/new/parents/too/" --ranks 1 --steps 2
expect_status 0 "$BATON" report "$work/new/parents/too"
expect_status 0 "$sim" -o "$work/k903" --ranks 2 --steps 3 --kernels 903
expect_status 0 "$BATON" check "$work/k903"
expect_status 0 "$BATON" dump --json "$work/k903"
checks=$((checks + 1))
grep -c '"record":"op".*"op_kind":1,' "$work/out" | grep -qx "$((2 * 3 * 903 + 2))" || # and the first broadcast of each rank
	fail "$(grep -c '"record":"op".*"op_kind":1,' "$work/out") kernels"

# Keeps out: what the recorder tells and the simulator does not: events and their streams, peers of sends, devices of calls.
rows() { # WHAT PATTERN OPTIONS: a trace has such rows
	rm -rf "$work/rows"
	# shellcheck disable=SC2086
	expect_status 0 "$sim" -o "$work/rows" --steps 3 $3
	expect_status 0 "$BATON" dump --json "$work/rows"
	checks=$((checks + 1))
	grep -q "$2" "$work/out" || fail "no $1 in $3"
}
rows "event record" '"sync_kind":1,"stream":1,"correlation":[1-9][0-9]*,"event":[1-9]' "--workload ddp --ranks 2"
rows "stream wait" '"sync_kind":2,"stream":2,"correlation":[1-9][0-9]*,"event":[1-9]' "--workload ddp --ranks 2"
rows "send to rank 1" '"coll":10,.*"peer":2}' "--workload pipeline --ranks 2"
rows "receipt from rank 0" '"coll":11,.*"peer":1}' "--workload pipeline --ranks 2"
rows "call on the second device" '"name":"cudaLaunchKernel",.*"device":2}' "--workload jax --ranks 2"
checks=$((checks + 1))
"$BATON" dump --json "$work/k903" | grep '"record":"call"' | grep -q '"device"' && fail "one device, and calls say which"

# Keeps out: GPU times that no real clock tells, and host noise that is the same in any shape.
expect_status 0 "$sim" -o "$work/tick" --ranks 2 --steps 3 --gpu-tick 32
expect_status 0 "$BATON" dump --json "$work/tick"
checks=$((checks + 1))
python3 - "$work/out" <<-'END' || fail "GPU times are not on the grid"
	import json, sys
	ops = [r for r in map(json.loads, open(sys.argv[1])) if r.get("record") in ("op", "collective")]
	assert len(ops) > 1000 and all(r["start_ns"] % 32 == 0 and r["dur_ns"] % 32 == 0 for r in ops)
END
for shape in even drift bursts; do
	expect_status 0 "$sim" --workload tiny --ranks 1 --steps 3 --host-noise $shape --truth "$work/shape.json"
	grep -o '"step_ns":[0-9]*' "$work/shape.json" >>"$work/shapes"
done
checks=$((checks + 1))
[ "$(sort -u "$work/shapes" | wc -l)" = 3 ] || fail "shapes of noise: $(cat "$work/shapes")"
expect_status 2 "$sim" --ranks 1 --host-noise loud
for way in --recompute "--accumulate 3"; do
	# shellcheck disable=SC2086
	expect_status 2 "$sim" --workload graph --ranks 2 $way
	# shellcheck disable=SC2086
	expect_status 0 "$sim" --workload fsdp --ranks 2 --steps 2 $way --truth "$work/way.json"
done

# Keeps out: a checkpoint that is not written aside: a small one costs next to nothing, one that the disk is too slow for a lot.
for size in 20 4000; do
	expect_status 0 "$sim" --ranks 1 --steps 13 --fault checkpoint=$size --truth "$work/saved.json"
	grep -o '"step_ns_without":[0-9]*,"loss_ns":[-0-9]*' "$work/saved.json" | tr -dc '0-9,-' >>"$work/saved"
	echo >>"$work/saved"
done
checks=$((checks + 1))
python3 - "$work/saved" <<-'END' || fail "checkpoints: $(cat "$work/saved")"
	import sys
	(step, small), (_, large) = (map(int, line.split(",")) for line in open(sys.argv[1]))
	assert abs(small) < 0.02 * step and large > step
END
expect_status 2 "$sim" --workload inference --ranks 1 --fault checkpoint

# Keeps out: the answer in the trace.
expect_status 0 "$sim" -o "$work/hidden" --ranks 2 --steps 3 --fault gil_hog@1 --fault host_func
checks=$((checks + 1))
! "$BATON" dump --json "$work/hidden" | grep -Eiq 'gil_hog|host_func"|"ddp"' || fail "the trace names its scenario"

expect_status 2 "$sim" -o "$work/x" --workload nothing
expect_says nothing
expect_status 2 "$sim" -o "$work/x" --fault nothing
expect_status 2 "$sim" -o "$work/x" --ranks 0
expect_status 2 "$sim" -o "$work/x" --workload tensor --ranks 13
expect_says 'so many ranks'
expect_status 2 "$sim" -o "$work/x" --kernels 1
expect_status 5 "$sim" -o "$work/k903" --steps 3
expect_says 'File exists'

# run: the environment of a simulated machine, and the program's own status. Libraries that have no sanitizer are made once.
case $sim in *san-*)
	[ -e build/release/simgpu/libcuda.so.1 ] || finish "run was not tried: make doubles"
	mkdir "$work/san-run"
	cp "$sim" "$work/san-run" && ln -s "$PWD/build/release/simgpu" "$work/san-run/simgpu" && sim=$work/san-run/baton-sim
	;;
esac
expect_status 7 "$sim" run --gpus 3 --cc 9.0 --memory 512 --cuda 12.8 -- sh -c \
	'echo "$SIMGPU_DEVICES $SIMGPU_CAPABILITY $SIMGPU_MEMORY_MB $SIMGPU_CUDA ${LD_LIBRARY_PATH%%:*} $1"; exit 7' sh --gpus
expect_prints "3 90 512 12.8 $(dirname "$sim")/simgpu --gpus"
expect_says "baton-sim run: simulated GPUs: kernels take their time and compute nothing"
expect_status 0 env LD_LIBRARY_PATH=/before "$sim" run sh -c 'echo "$LD_LIBRARY_PATH"'
expect_prints "/simgpu:/before"
# What is preloaded already, a recorder, stays first; the other release's libraries stay out.
# (not with a sanitizer, whose library must stand first)
case $sim in *san-*) ;; *)
	expect_status 0 env LD_PRELOAD=libdl.so.2 "$sim" run --preload 12 -- sh -c 'echo "$LD_PRELOAD"; cat /proc/self/maps'
	expect_prints "libdl.so.2:/" /simgpu/libcuda.so.1 /simgpu/libcudart.so.12 /simgpu/libnvshmem_host.so.3
	checks=$((checks + 1))
	! grep -q 'cudart.so.13' "$work/out" || fail "both runtimes are preloaded"
	;;
esac
expect_status 127 "$sim" run -- /nowhere/program
expect_says /nowhere/program
for wrong in "" "--gpus 0 ls" "--gpus 17 ls" "--cc 8 ls" "--preload 11 ls" "--nothing ls"; do
	# shellcheck disable=SC2086
	expect_status 2 "$sim" run $wrong
done
finish

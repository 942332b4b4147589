#!/usr/bin/env bash
# baton whatif: the step without a cause is the step of the same job that never had it.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

made() { # made NAME OPTION...: a simulated run with its truth
	expect_status 0 "$sim" -o "$work/$1" --truth "$work/$1.json" --workload tensor --ranks 8 --per-host 4 \
		--steps 6 --seed 11 "${@:2}"
}
answers() { # answers NAME 'PYTHON': w is the answer, t the truth
	checks=$((checks + 1))
	"$PYTHON" - "$work/out" "$work/$1.json" "$2" <<'END' || fail "$1: $2: $(cat "$work/out")"
import json, sys
w = json.load(open(sys.argv[1]))
t = json.load(open(sys.argv[2]))
first = w["without"][0] if w["without"] else None
real = t["faults"][0]["loss_ns"] if t["faults"] else 0
sys.exit(0 if eval(sys.argv[3]) else 1)
END
}
asked() { # asked NAME OPTION...
	expect_status 0 "$BATON" whatif --json "$work/$1" --step-range "$(sed -n 's/.*"step_range":"\([^"]*\)".*/\1/p' "$work/$1.json" | head -n 1)" "${@:2}"
}

# Through two levels of communicators on two hosts: who, what, how much.
made slow --fault slow_gpu=20@3
asked slow
answers slow 'w["replay_error_ns"] == 0 and abs(w["step_ns"] - t["step_ns"]) < 1000'
answers slow 'first["cause"] == "kernels" and first["rank"] == 3 and abs(first["gain_ns"] - real) < real / 50'
answers slow 'first["gain_low_ns"] <= real <= first["gain_high_ns"] < 1.1 * real and first["gain_reference"] == "peers" and w["sized"]'
expect_status 0 "$BATON" report --json "$work/slow"
expect_true "(lambda f: f['gain_low_ms'] < f['gain_ms'] < f['gain_high_ms'] < 1.1 * f['gain_ms'] and f['gain_reference'] == 'peers')(d['findings'][0])"
expect_status 0 "$BATON" report "$work/slow"
checks=$((checks + 1))
grep -q "Curing it wins 1[0-9.]* ms +- 0\.[0-9]* per step, compared with the other devices" "$work/out" || fail "report: $(cat "$work/out")"
asked slow --without 'rank 3'
answers slow 'first["cause"] == "rank" and abs(w["step_ns"] - w["step_without_ns"] - real) < real / 50'
asked slow --without 'rank 2, input'
answers slow 'len(w["without"]) == 2 and abs(first["gain_ns"]) < real / 100'

# Words of a report: a finding, a device, the size of a collective.
asked slow --without late_rank
answers slow 'first["cause"] == "late_rank" and first["rank"] == 3 and abs(first["gain_ns"] - real) < real / 50'
asked slow --without 'device node0/3'
answers slow 'first["device"] == "node0/3" and abs(first["gain_ns"] - real) < real / 50'
asked slow --without 'wait, host_code, copies, framework, api'
answers slow '[x["cause"] for x in w["without"]] == ["wait", "code", "copies", "framework", "api"] and first["gain_ns"] > real / 2'
expect_status 0 "$BATON" report --json "$work/slow"
sizes=$("$PYTHON" -c 'import json, sys; print(",".join(f"collective {b}" for b in sorted({n["bytes"] for n in json.load(open(sys.argv[1]))["nccl"]})))' "$work/out")
asked slow --without "transfer"
all=$("$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["without"][0]["gain_ns"])' "$work/out")
asked slow --without "$sizes"
answers slow "abs(w['step_ns'] - w['step_without_ns'] - $all) < 10 and all(x['bytes'] > 0 and x['gain_reference'] is None for x in w['without'])"

# Clocks of hosts that drift: a sleep still ends where the call after it begins.
made drifts --workload short_backward --ranks 3 --per-host 1 --fault no_core=8@2 --fault clock=1000
asked drifts
answers drifts 'first["cause"] == "no_core" and first["rank"] == 2 and abs(first["gain_ns"] - real) < real / 50'

# Records that were lost held places of a full queue: launches wait for starts that the count does not know.
for seed in 5 6; do
	made "lost$seed" --workload short_backward --ranks 2 --steps 8 --seed "$seed" --fault slow_gpu=14@1 --fault lost_records=2600
	asked "lost$seed"
	answers "lost$seed" 'first["cause"] == "kernels" and first["rank"] == 1 and abs(first["gain_ns"] - real) < real / 30 and first["gain_low_ns"] > 0.8 * real'
done

# Copies of a thread that prefetches stand alone on a GPU that waits for something else: without them nothing is won.
made ahead --workload tiny --ranks 1 --steps 8 --fault host_func=71 --fault prefetch=9439
expect_status 0 "$BATON" report --json "$work/ahead"
expect_true "d['findings'][0]['id'] == 'host_func'"
expect_true "(lambda c: c['share_ms'] > 10 and 'without these copies a step would be 0.0' in c['evidence'])(next(f for f in d['findings'] if f['id'] == 'copies'))"
asked ahead --without copies
answers ahead 'first["gain_ns"] < w["step_ns"] / 100'

# Between kernels of their stream, before a wait for the GPU, they cost their time: 2 of 4.2 ms a step.
mkdir "$work/between"
expect_status 0 "$PYTHON" - "$work/between" <<'PY'
import sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter

out = TraceWriter(None)
out.process(100, source="baton", run_id="run")
stream, thread = out.stream(out.device(0, "GPU", "GPU-0"), 1, 7), out.thread("main", 100, 100)
starts = [10**9 + i * 4_190_000 for i in range(12)]
out.rows("range", [{"start_ns": at, "dur_ns": 4_185_000, "thread": thread, "name": "step %d" % i, "category": 1} for i, at in enumerate(starts)])
calls, ops = [], []
for i, at in enumerate(starts):
    for k, (name, after, length) in enumerate((("a_gemm", 0, 999_000), ("copy", 1_000_000, 1_999_000), ("b_gemm", 3_000_000, 999_000))):
        correlation = 3 * i + k + 1
        calls.append({"start_ns": at + 10_000 * k, "dur_ns": 5000, "thread": thread, "correlation": correlation,
                      "name": "cudaMemcpyAsync" if name == "copy" else "cudaLaunchKernel"})
        row = {"start_ns": at + 30_000 + after, "dur_ns": length, "op_kind": 2 if name == "copy" else 1, "stream": stream,
               "correlation": correlation, "name": name, "bytes": 0, "copy_dir": 0, "pageable": 0}
        ops.append(dict(row, bytes=20_000_000, copy_dir=1) if name == "copy" else row)
    calls.append({"start_ns": at + 40_000, "dur_ns": 4_142_000, "thread": thread, "name": "cudaDeviceSynchronize", "correlation": 1000 + i})
out.rows("call", calls)
out.rows("op", ops)
out.close()
with open(sys.argv[1] + "/0.baton", "wb") as file:
    file.write(out.data())
PY
expect_status 0 "$BATON" report --json "$work/between"
expect_true "(lambda f: f['id'] == 'copies' and 1.9 < f['share_ms'] < 2.1 and 'without these copies a step would be 1.999 ms' in f['evidence'])(d['findings'][0])"

made asleep --fault io_sleep=20000@6
asked asleep
answers asleep 'first["cause"] == "blocked" and first["rank"] == 6 and abs(first["gain_ns"] - real) < real / 50'
answers asleep 'first["gain_low_ns"] <= real <= first["gain_high_ns"] and first["gain_reference"] == "removal"'
asked asleep --without transfer
answers asleep 'first["gain_reference"] is None'
asked asleep --without idle.host.blocked --rank 6
answers asleep 'abs(first["gain_ns"] - real) < real / 50'
asked asleep --without blocked --host node0
answers asleep 'abs(first["gain_ns"]) < real / 50'
expect_status 0 "$BATON" whatif "$work/asleep"
checks=$((checks + 1))
grep -q "blocked of rank 6 .* ms +- [0-9.]* less (.*), with that time removed" "$work/out" || fail "whatif as text: $(cat "$work/out")"

# One thread of a process waits for the loader, and the others for it: by way of each other, or of one that copies by itself.
made loads --workload jax --ranks 5 --per-host 8 --fault input=200000
asked loads --without input
answers loads 'abs(first["gain_ns"] - real) < real / 50 and real > t["step_ns"] / 2'
made copies --workload dataparallel --ranks 2 --seed 2 --fault input=390000 --fault prefetch=4500
asked copies --without input
answers copies 'abs(first["gain_ns"] - real) < real / 50 and real > t["step_ns"] / 3'
# Keeps out: the GPU whose thread waits for the batch, called late where all GPUs of a process wait for it.
expect_status 0 "$BATON" report --json "$work/copies"
expect_true "(lambda f: (f['id'], f['gain_ms'] > d['devices'][0]['step_ns']['mean'] / 3e6))(d['findings'][0]) == ('input', True)"
expect_true "not any(f['id'] == 'late_rank' for f in d['findings'])"

# Keeps out: fewer waits for the GPU, which hide two causes of one rank as neither cure does, instead of that rank.
expect_status 0 "$sim" -o "$work/two" --workload resnet --ranks 8 --steps 8 --seed 47167 --noise-seed 561954 --host-noise even \
	--fault page_fault=1837@7 --fault jit=102941@7
expect_status 0 "$BATON" whatif --json "$work/two"
expect_true "[(x['cause'], x['rank']) for x in d['without']] == [('module_load', 7), ('code', 7)]"
whole=$("$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); print((d["step_ns"] - d["step_without_ns"]) / 1e6)' "$work/out")
expect_status 0 "$BATON" report --json "$work/two"
expect_true "(lambda f: (f['id'], f['rank'], f['device'], f['host'], f['cause']))(d['findings'][0]) == ('late_rank', 7, 'node0/7', None, 'module_load')"
expect_true "abs(d['findings'][0]['gain_ms'] - $whole) < 0.01" # both causes are that rank's
expect_true "all(f['rank'] is None and f['device'] is None and f['cause'] is None for f in d['findings'] if f['id'] not in ('late_rank', 'wait'))"

# Keeps out: the wait of a cudaMemcpy for the GPU, as if it were the launch queue's when that was full as it began. It was as long
# as before whatever was cured.
expect_status 0 "$sim" -o "$work/copy" --truth "$work/copy.json" --workload ddp --ranks 4 --steps 8 --seed 666231 --noise-seed 83583 \
	--host-noise even --accumulate 2 --fault gil_hog=15650@3
expect_status 0 "$BATON" whatif --json "$work/copy" --without 'rank 3'
answers copy 'abs(first["gain_ns"] - real) < real / 50'

# Keeps out: a run of Broadcasts and Reduces that is not replayed, or none of whose members meet. The late GPU of one process has the
# gain of the job without it, and what is left of the waiting is not a pipeline's bubble.
expect_status 0 "$sim" -o "$work/root" --truth "$work/root.json" --workload dataparallel --ranks 3 --steps 8 --kernels 300 --seed 5 \
	--fault slow_gpu=15@1
expect_status 0 "$BATON" whatif --json "$work/root" --without 'device node0/1'
answers root 'w["met"] == w["collective_ops"] > 0 and abs(first["gain_ns"] - real) < real / 50'
expect_status 0 "$BATON" report --json "$work/root"
expect_true "(lambda f: (f['id'], f['device']))(d['findings'][0]) == ('late_rank', 'node0/1') and d['findings'][0]['gain_ms'] is not None"
expect_status 0 "$sim" -o "$work/roots" --workload dataparallel --ranks 8 --steps 8 --seed 5 --fault imbalance=5
expect_status 0 "$BATON" report --json "$work/roots"
expect_true "any(f['id'] == 'unsplit' for f in d['findings']) and not any('bubble' in f['text'] for f in d['findings'])"
expect_true "not any(f['id'] == 'late_rank' for f in d['findings'])" # as the replay says

# Keeps out: a GPU that waits for work of another one, lost because the replay takes that for the program's order.
expect_status 0 "$sim" -o "$work/peer" --workload dataparallel --ranks 5 --steps 8 --kernels 300 --seed 1 --fault dependency=5@0
expect_status 0 "$BATON" report --json "$work/peer"
expect_true "(lambda f: (f['id'], f['device'], f['cause'], f['gain_ms']))(d['findings'][0]) == ('late_rank', 'node0/0', 'dependency', None)"

# Changes that are no causes. All GPUs a fifth slower: a trace alone cannot know, but a user who asks gets what it costs.
made slower --fault slow_gpu=20@all
asked slower --scale kernels=0.83333
answers slower 'first["cause"] == "kernels" and first["times"] == 0.83333 and abs(first["gain_ns"] - real) < real / 25'
asked slower --scale matmul=0.83333,memory=0.83333,custom=0.83333
answers slower 'len(w["without"]) == 3 and abs(w["step_ns"] - w["step_without_ns"] - real) < real / 25'
asked slower --scale host=1,copies=1,nccl.transfer=1
answers slower 'w["step_without_ns"] == w["step_ns"]'
asked slower --scale nccl.transfer=0
scaled=$(sed -n 's/.*"gain_ns":\([0-9]*\).*/\1/p' "$work/out")
asked slower --without transfer
answers slower "first['gain_ns'] == $scaled"
asked slower --overlap --graphs
answers slower "$scaled / 2 < first['gain_ns'] < $scaled * 1.5 and [x['cause'] for x in w['without']] == ['overlap', 'graphs']"
expect_status 0 "$BATON" whatif "$work/slower" --scale kernels=2
checks=$((checks + 1))
grep -q "^with        kernels x 2 .* ms +- [0-9.]* more (.*), as asked" "$work/out" || fail "slower kernels: $(cat "$work/out")"
# The speeds of another run of the program: of its GPUs, of its hosts, of itself.
made well
asked slower --like "$work/well"
answers slower 'first["cause"] == "like" and abs(first["gain_ns"] - real) < real / 20'
asked slower --like "$work/slower"
answers slower 'first["gain_ns"] == 0'
for fault in "" "--fault slow_host=150@all"; do
	expect_status 0 "$sim" -o "$work/host$(wc -w <<<"$fault")" --truth "$work/host$(wc -w <<<"$fault").json" --workload tiny --ranks 2 \
		--steps 6 --seed 3 $fault
done
asked host2 --like "$work/host0"
answers host2 'abs(first["gain_ns"] - real) < real / 5'
expect_status 3 "$BATON" whatif "$work/well" --like "$work/nothing"
# What the program's own launches cost a GPU that waits for them.
expect_status 0 "$sim" -o "$work/tiny" --workload tiny --ranks 2 --steps 6 --seed 3
expect_status 0 "$BATON" whatif --json "$work/tiny" --graphs
expect_true "d['without'][0]['gain_ns'] > d['step_ns'] / 2 and d['without'][0]['node_gap_of'] is None"
expect_status 0 "$BATON" whatif "$work/tiny" --graphs
expect_prints "Gaps between queued kernels stay"
# Of a run with graphs in it: by the gaps that its nodes have.
expect_status 0 "$sim" -o "$work/nodes" --workload graph --ranks 2 --steps 6 --seed 3
expect_status 0 "$BATON" whatif --json "$work/nodes" --graphs
expect_true "(lambda g: g['node_gap_of'] == 'run' and 0 < g['node_gap_ns'] < 2000)(d['without'][0])"
expect_status 0 "$BATON" whatif "$work/nodes" --graphs
expect_prints "as mostly between the nodes of this run's CUDA"

# Keeps out: time that an earlier item of the list took off, taken or stretched again.
expect_status 0 "$BATON" whatif --json "$work/tiny" --graphs --scale host=2
expect_true "abs(d['without'][1]['gain_ns']) < d['step_ns'] / 50 < d['without'][0]['gain_ns']"
expect_status 0 "$BATON" whatif --json "$work/tiny" --scale host=0.25
quarter=$(sed -n 's/.*"step_without_ns":\([0-9]*\).*/\1/p' "$work/out")
expect_status 0 "$BATON" whatif --json "$work/tiny" --scale host=0.5,host=0.5
expect_true "abs(d['step_without_ns'] - $quarter) < 100 < d['without'][1]['gain_ns']"
for twice in host,host even_host,even_host framework,framework input,input; do
	expect_status 0 "$BATON" whatif --json "$work/tiny" --without "$twice" $([[ $twice == host* ]] && echo --rank 1)
	expect_true "d['without'][1]['gain_ns'] == 0"
done
expect_status 0 "$BATON" whatif --json "$work/tiny" --without framework,host --rank 1
expect_true "d['without'][1]['gain_ns'] >= 0"

# Keeps out: two ranks that hide each other, and nothing said of either. The truth is the job without both.
for together in "io_sleep=10000@1 page_fault=1500@2" "slow_gpu=20@1 slow_gpu=20@2" "slow_gpu=20@1 slow_host=200@2"; do
	read -r one other <<<"$together"
	rm -rf "$work/joint" "$work/cured"
	for run in "joint --fault $one --fault $other" "cured"; do
		read -r name faults <<<"$run"
		expect_status 0 "$sim" -o "$work/$name" --truth "$work/$name.json" --workload ddp --ranks 4 --steps 12 --seed 5 $faults
	done
	cured=$(sed -n 's/.*"step_ns":\([0-9]*\).*/\1/p' "$work/cured.json" | head -n 1)
	asked joint
	answers joint "abs(first['gain_ns'] - (t['step_ns'] - $cured)) < t['step_ns'] / 100 and len(w['without']) == 1"
	answers joint 'sorted([first["rank"], first["together"]["rank"]]) == [1, 2] and max(f["loss_ns"] for f in t["faults"]) < first["gain_ns"] / 4'
	expect_status 0 "$BATON" whatif "$work/joint"
	expect_prints "They pay only together: the first one alone wins"
	expect_status 0 "$BATON" report --fresh --json "$work/joint"
	expect_true "sorted([d['findings'][0]['rank'], d['findings'][0]['together']['rank']]) == [1, 2]"
	expect_true "'it pays only together with rank' in d['findings'][0]['text']"
	expect_true "'together with rank %d makes each step' % d['findings'][0]['together']['rank'] in d['findings'][0]['text']"
	asked joint --without late_rank
	answers joint "abs(w['step_without_ns'] - $cured) < t['step_ns'] / 100"
done

# Keeps out: a cause that all ranks have, and a pair that is not looked for because of it.
expect_status 0 "$sim" -o "$work/beside" --workload ddp --ranks 4 --steps 12 --seed 5 --fault io_sleep=8000@all --fault slow_gpu=20@1 \
	--fault slow_gpu=20@2
expect_status 0 "$BATON" whatif --json "$work/beside"
expect_true "[(x['cause'], x['rank'], x['together'] and x['together']['rank']) for x in d['without']] == [('blocked', None, None), ('kernels', 1, 2)]"

# Keeps out: two ranks that chance made slower than the others, of which none is.
for seed in 3 5; do
	rm -rf "$work/noise"
	expect_status 0 "$sim" -o "$work/noise" --workload ddp --ranks 4 --steps 12 --seed $seed --fault jitter_host=500@all \
		--fault jitter_kernel=400@all
	expect_status 0 "$BATON" whatif --json "$work/noise"
	expect_true "all(x['rank'] is None and x['together'] is None for x in d['without'])"
done

# A healthy job has no culprit.
asked well
answers well 'all(x["gain_ns"] < w["step_ns"] / 50 for x in w["without"])'

# Imports: NCCL kernels without arguments meet by their order; a thread that is silent while another one launches waits for it.
resnet=$BATON_DATA/kineto/resnet50_workers0.pt.trace.json.gz
if [ -e "$resnet" ]; then
	expect_status 0 "$BATON" import "$resnet" -o "$work/resnet"
	expect_status 0 "$BATON" whatif --json "$work/resnet" --without input
	expect_true "abs(d['step_ns'] - 175.5e6) < 0.5e6 and abs(d['step_without_ns'] - 118.5e6) < 1e6"
	expect_true "abs(6 * d['step_without_ns'] - 711e6) < 5e6"
	# Keeps out: the pace of a loader where the thread loads each batch itself, so that nothing else would win anything.
	expect_status 0 "$BATON" whatif --json "$work/resnet" --without sync
	expect_true "1.5e6 < d['without'][0]['gain_ns'] < 3e6"
	expect_status 0 "$BATON" whatif "$work/resnet" --without input
	expect_prints "Everything else stays as fast as it was: the hosts, the GPUs and the links"
	# The other run of the pair has a host that is 1.18 times slower and GPUs 1.018 times: it took 801.5 ms for its 6 steps.
	expect_status 0 "$BATON" whatif --json "$work/resnet" --without input --scale host=1.18,kernels=1.018
	expect_true "767e6 < 6 * d['step_without_ns'] < 812e6"
	expect_status 0 "$BATON" import "${resnet/workers0/workers4}" -o "$work/resnet4"
	expect_status 0 "$BATON" whatif --json "$work/resnet" --without input --like "$work/resnet4"
	expect_true "d['without'][1]['cause'] == 'like' and 767e6 < 6 * d['step_without_ns'] < 812e6"
fi
dlrm=$BATON_DATA/multi/torchrec_sst_2b
if [ -d "$dlrm" ]; then
	expect_status 0 "$BATON" import "$dlrm" -o "$work/dlrm"
	expect_status 0 "$BATON" whatif --json "$work/dlrm" --without transfer
	expect_true "d['met'] > 0.6 * d['collective_ops'] > 0 and d['replay_error_ns'] == 0"
fi

# Keeps out: all time of the only device, said to be compared with others.
expect_status 0 "$sim" -o "$work/one" --workload tiny --ranks 1 --steps 6 --seed 3
for alone in 'rank 0' 'device node0/0' even_host even_kernels wait; do
	expect_status 2 "$BATON" whatif "$work/one" --without "$alone"
	expect_says "this run has no other device to compare with"
done
expect_status 2 "$BATON" whatif "$work/one" --without host --rank 0
expect_status 2 "$BATON" whatif "$work/well" --without 'device node'
expect_says "this run has no other device to compare with"

# Keeps out: 0.0 ms for what the replay cannot know, and numbers beyond 64 bits.
for none in "--without transfer" "--without link" "--without unsplit" "--overlap" "--scale nccl.transfer=2"; do
	expect_status 2 "$BATON" whatif "$work/one" $none
done
for none in "--without transfer" "--overlap" "--scale nccl.transfer=2"; do
	expect_status 2 "$BATON" whatif "$work/one" $none
	expect_says "there are no collectives in the replayed steps"
done
expect_status 2 "$BATON" whatif "$work/well" --scale memory.memset=2
expect_says "no kernel of the replayed steps is of that class; there are matmul"
expect_status 0 "$BATON" whatif --json "$work/well" --scale kernels=1000,kernels=1000,kernels=1000,kernels=1000,kernels=1000,kernels=1000
expect_true "d['step_without_ns'] > 1e12 and all(x['gain_ns'] <= 0 for x in d['without'])"

# Keeps out: options that say nothing here and were passed over.
for idle in "--rank 1" "--host node0" "--rank 1 --scale host=2" "--rank 1 --overlap" "--host node0 --like $work/well"; do
	expect_status 2 "$BATON" whatif "$work/well" $idle
	expect_says "--rank and --host say whose time --without or --graphs takes off"
done
for own in 'rank 1' 'device node0/1'; do
	expect_status 2 "$BATON" whatif "$work/well" --without "$own" --rank 2
	expect_says "it does not go with --rank"
done
expect_status 0 "$BATON" whatif "$work/well" --without ' input , copies ' --scale 'host=1 '
expect_status 2 "$BATON" whatif "$work/well" --scale "$(printf 'host=1,%.0s' {1..16})host=1"
expect_says "whatif takes at most 16 items"

expect_status 2 "$BATON" whatif "$work/well" --without nothing
expect_says "the causes are input" "late_rank" "collective BYTES"
expect_status 2 "$BATON" whatif "$work/well" --without 'rank x'
expect_status 2 "$BATON" whatif "$work/well" --without late_rank
expect_says "finds no late rank"
expect_status 2 "$BATON" whatif "$work/well" --without 'device node7'
expect_says "its devices are node0/0, node0/1"
expect_status 2 "$BATON" whatif "$work/well" --without 'collective 5'
expect_says "no collective of 5 bytes meets; there are " 8831500
expect_status 2 "$BATON" whatif "$work/well" --without late_rank --rank 1
expect_status 2 "$BATON" whatif "$work/well" --without kernels
for wrong in host host= host=x host=-1 nccl=1 nccl.allreduce=2 warp=1 =1 host=1001; do
	expect_status 2 "$BATON" whatif "$work/well" --scale "$wrong"
	expect_says "CLASS one of host, copies, nccl.transfer, kernels, matmul"
done
expect_status 2 "$BATON" whatif "$work/well" --without link --rank 1
expect_status 2 "$BATON" whatif "$work/well" --without input --rank 99
expect_says "its ranks are 0, 1, 2"
expect_status 2 "$BATON" whatif "$work/well" --without input --host nowhere
expect_says "hosts are node0"
# A GPU that another process uses is a cause, sized by the job that has it alone.
made shared --workload ddp --per-host 8 --fault shared_gpu=2400@5 --fault sync_device=6@all
asked shared
answers shared 'first["cause"] == "shared" and first["rank"] == 5 and abs(first["gain_ns"] - real) < real / 50 and w["sized"]'
expect_status 0 "$BATON" report --json "$work/shared"
expect_true "(lambda f: f['id'] == 'late_rank' and f['rank'] == 5 and f['cause'] == 'shared')(d['findings'][0])"
expect_true "[x['time_ns']['idle.gpu.shared'] > 0 for x in d['devices']] == [r == 5 for r in range(8)]"
expect_status 0 "$sim" -o "$work/alone" --workload ddp --ranks 1 --steps 6 --fault shared_gpu=2400 --fault sync_device=6
expect_status 0 "$BATON" report "$work/alone"
expect_prints "Another process uses the GPU"

# A process of more streams than a replay takes.
"$PYTHON" - "$work/streams.json" <<-'P'
	import json, sys
	events = []
	for i in range(9000):
	    ts, launch = i * 20 + 1000, {"correlation": i + 1}
	    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 40, "tid": 40, "ts": ts, "dur": 4, "args": launch})
	    kernel = {"device": 0, "context": 1, "stream": i + 1, **launch}
	    events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": i + 1, "ts": ts + 8, "dur": 6, "args": kernel})
	    if i % 5 == 0:
	        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 40, "tid": 40, "ts": ts + 5, "dur": 14, "args": {"correlation": 10000 + i}})
	    if i % 1500 == 0:
	        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 40, "tid": 40, "ts": ts, "dur": 30000})
	json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": events}, open(sys.argv[1], "w"))
P
imported "$work/streams.json" "$work/streams"
expect_status 3 "$BATON" whatif "$work/streams"
expect_says "no replay: a process has more calls, threads, streams or sleeps than it takes"
for again in fresh stored; do # Keeps out: a report from the kept summary that does not say why there are no gains.
	expect_status 0 "$BATON" report "$work/streams"
	expect_says "no gains: a process has more calls, threads, streams or sleeps than a replay takes"
	[ -e "$work/streams/summary.baton" ] || fail "the $again report kept no summary"
done
finish

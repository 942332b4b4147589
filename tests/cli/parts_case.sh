#!/usr/bin/env bash
# `report --rank`, `--device`, `--step` and `stats --rank`: the part's numbers are those of the whole run's report, waits are split by
# all ranks, nothing is said of who is late among some ranks alone; parts that are not there, and views that take none.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

expect_status 0 "$sim" -o "$work/run" --ranks 4 --per-host 2 --steps 12 --kernels 200 --fault slow_kernel=100@1
expect_status 0 "$sim" -o "$work/marked" --workload ddp --ranks 2 --steps 8
cat >"$work/parts.py" <<'P'
import csv, json, subprocess, sys
baton, run, marked = sys.argv[1:]
def report(*words):
    return json.loads(subprocess.run([baton, "report", "--json", *words], capture_output=True, check=True).stdout)
whole = report(run)
by_rank = {d["ranks"][0]: d for d in whole["devices"]}
for words, ranks in ((["--rank", "1"], [1]), (["--rank", "0,2-3"], [0, 2, 3]), (["--device", "node1"], [2, 3]), (["--device", "1"], [1, 3]),
                     (["--device", "node1/0"], [2]), (["--device", "1", "--rank", "0-1"], [1])):
    part = report(*words, run)
    # Keeps out: waits and steps that change because the other ranks are not read.
    assert part["devices"] == [by_rank[r] for r in ranks], (words, [d["ranks"] for d in part["devices"]])
    assert part["run"]["part"] and whole["run"]["part"] is None, part["run"]
    assert part["run"]["world_size"] == 4 and part["quality"]["missing_ranks"] == [], part["run"]
    busy = sum(by_rank[r]["busy_ns"][g] for r in ranks for g in by_rank[r]["busy_ns"])
    assert sum(k["total_ns"] for k in part["kernels"]) == busy, words
    said = " ".join(f["text"] for f in part["findings"])
    assert "arrives last" not in said and "persistently" not in said and all(f["gain_ms"] is None for f in part["findings"]), said
# Keeps out: a stored summary of a part, taken for the whole.
assert report(run) == whole
# Steps: one by one they add up to all.
for name, n in ((run, whole["run"]["steps"]), (marked, report(marked)["run"]["steps"])):
    everything = report(name)
    keys = [d["device"] for d in everything["devices"]]
    sums = {k: [0, 0, 0] for k in keys}
    first = 0
    for step in range(n):
        part = report("--step", str(step), name)
        assert part["run"]["steps"] == 1 and [d["device"] for d in part["devices"]] == keys, (name, step)
        for d in part["devices"]:
            sums[d["device"]][0] += d["window_ns"]
            sums[d["device"]][1] += d["kernels"]
            sums[d["device"]][2] += d["time_ns"]["nccl.wait"]
    for d in everything["devices"]:
        got, want = sums[d["device"]], [d["window_ns"], d["kernels"], d["time_ns"]["nccl.wait"]]
        assert got == want, (name, d["device"], got, want)
    pair = report("--step", "1..3", name)
    assert pair["run"]["steps"] == 3 and pair["run"]["part"] == "step 1..3", pair["run"]
    # Keeps out: steps that are counted from the first one shown.
    some = report("--step", "2", "--gaps", "50", name)
    assert some["gaps"] and all((g["step_number"] or g["step"]) == 2 for g in some["gaps"]), some["gaps"][0]
    worst = {leaf["worst"] for d in some["devices"] for leaf in d["leaf_steps"].values()}
    assert worst == {2}, worst
def stats(*words):
    text = subprocess.run([baton, "stats", "-r", "cuda_gpu_kern_sum", "-f", "csv", *words, run], capture_output=True, check=True, text=True).stdout
    return {row["Name"]: (int(row["Instances"]), int(row["Total Time (ns)"])) for row in csv.DictReader(text.splitlines())}
every, some = stats(), [stats("--rank", r) for r in ("0", "1", "2-3")]
assert all(every[name] == tuple(sum(s.get(name, (0, 0))[i] for s in some) for i in (0, 1)) for name in every) and len(every) > 3
P
expect_status 0 "$PYTHON" "$work/parts.py" "$BATON" "$work/run" "$work/marked"
expect_status 0 "$BATON" report --rank 1 --step 2..3 "$work/run"
expect_prints "only rank 1, step 2..3:"
expect_prints_not "of the GPU ops come"
expect_status 0 "$BATON" report --rank 1 --gaps 3 --csv "$work/run"
expect_prints_not "node0/0"

# What is not there, what makes no sense, and views that are of all ranks.
expect_status 3 "$BATON" report --rank 9 "$work/run"
expect_says "no rank of --rank 9 is in it"
expect_status 3 "$BATON" report --device node0/9 "$work/run"
expect_says "no GPU of it is device node0/9"
expect_status 3 "$BATON" report --step 99 "$work/run"
expect_says "it has no step 99"
expect_status 3 "$BATON" report --step 98..99 "$work/run"
expect_says "it has none of the steps 98..99"
expect_status 2 "$BATON" report --device "" "$work/run"
expect_says "--device must be a GPU"
expect_status 2 "$BATON" report --step 3..2 "$work/run"
expect_says "--step must be a step or two"
expect_status 2 "$BATON" report --rank 1- "$work/run"
expect_says "--rank must be ranks as 0,4-7, not '1-'"
expect_status 3 "$BATON" stats --rank 9 "$work/run"
expect_says "no rank of --rank 9 is in it"
expect_status 2 "$BATON" report --critical --rank 1 "$work/run"
expect_says "--critical and --rank are two reports"
expect_status 0 "$BATON" reduce -o "$work/sums" "$work/run"
expect_status 2 "$BATON" report --step 1 "$work/sums"
expect_says "it holds sums of the whole run: --rank, --device, --step and --time need its traces"
finish

#!/usr/bin/env bash
# baton top: a live screen on a pseudo terminal, and the same as text.
# Keeps out: figures other than the report's; a terminal that is left changed by a key, a signal or a crash; a screen that is wider or
# longer than the terminal, flickers, or follows neither the job nor the size; a job that is touched; a killed rank that seems to run.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

expect_status 0 "$sim" -o "$work/run" --ranks 4 --steps 60 --kernels 200 --fault slow_gpu=40@2
expect_status 0 "$sim" -o "$work/many" --ranks 64 --steps 6 --kernels 60 --workload ddp
links=("X NV4 SYS NODE" "NV4 X PXB SYS" "SYS PXB X PIX" "NODE SYS PIX X")
for gpu in 1 2 3 4; do
	places+=("place.links.$gpu=${links[gpu - 1]}" "place.pci.$gpu=0000:0$gpu:00.0" "place.numa.$gpu=$((gpu / 3))" "place.cpus.$gpu=$((gpu / 3 * 8))-$((gpu / 3 * 8 + 7))")
done
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/run" "${places[@]}" '*:1:1980:0' || fail "gauges_made.py"
cp -r "$work/run" "$work/made"
find "$work/run" -printf '%P %s %T@\n' | sort >"$work/before"

# as text: what the report says
expect_status 0 "$BATON" top --once "$work/run"
cp "$work/out" "$work/once"
expect_prints "   4 GPUs, 1 host   ended   " "Rank 2 arrives last"
expect_prints_not $'\033'
expect_status 0 "$BATON" report --json --fresh "$work/made"
checks=$((checks + 1))
"$PYTHON" tests/cli/top_text.py "$work/once" "$work/out" 2>"$work/err" || fail "$(tail -n 1 "$work/err")"
expect_status 0 "$BATON" top --json "$work/run"
expect_true 'd["whole"] and d["over"] and [r["rank"] for r in d["rows"] if r["slowest"]] == [2] and d["rows"][2]["late_ns"] > 3e6'
expect_true 'all(sum(r["time_ns"].values()) == r["window_ns"] for r in d["rows"]) and d["answer"] in open("'"$work/once"'").read()'
expect_status 0 "$BATON" top "$work/run"
checks=$((checks + 1))
diff <(sed 1d "$work/once") <(sed 1d "$work/out") >/dev/null || fail "where stdout is no terminal it is not the text of --once"
# Keeps out: the whole of a run without steps as a step of it.
expect_status 0 "$BATON" top --once --steps none "$work/run"
expect_prints "no steps found   computing " "lost   the whole run" " ms per run for it"
expect_prints_not "1 step"
expect_status 0 "$BATON" top --json --steps none "$work/run"
expect_true 'd["steps"] == 0 and all(r["steps"] == 0 and r["step_ns"] is None and r["window_ns"] > 1e9 for r in d["rows"])'
# Keeps out: a sentence that announces a list, which only the report has.
expect_status 0 "$sim" -o "$work/good" --workload ddp --ranks 2 --steps 20
expect_status 0 "$BATON" top --json "$work/good"
expect_true 'd["answer"].startswith("No loss stands out: the GPU computes ") and d["answer"].endswith(" % of the step")'
expect_status 0 env COLUMNS=80 "$BATON" top --once --last 1s "$work/run"
checks=$((checks + 1))
! grep -q '.\{81\}' "$work/out" || fail "a line is wider than 80 columns"

# topology: what the gauges say, by rank; what nothing says is not known
expect_status 0 "$BATON" top --once --topology "$work/run"
expect_prints "  rank 0    X     NV4   SYS   NODE     0  ?                  0-7                0000:01:00.0" \
	"  rank 3    NODE  SYS   PIX   X        1  ?                  8-15               0000:04:00.0" "NV# so many NVLinks"
expect_prints_not "late ms"
expect_status 0 "$BATON" top --json "$work/run"
expect_true '[[g["links"] for g in n["gpus"]] for n in d["topology"]] == [["X NV4 SYS NODE".split(), "NV4 X PXB SYS".split(), "SYS PXB X PIX".split(), "NODE SYS PIX X".split()]]'
expect_true '[(g["rank"], g["numa_node"], g["gpu_cpus"], g["cpus"], g["far"]) for g in d["topology"][0]["gpus"]][2:] == [(2, 1, "8-15", None, False), (3, 1, "8-15", None, False)]'
expect_status 0 "$BATON" top --once --topology "$work/many"
expect_prints "What connects the GPUs is not known"

# live
checks=$((checks + 1))
"$PYTHON" tests/cli/top_live.py "$BATON" "$work" >"$work/out" 2>"$work/err" || fail "$(tail -n 30 "$work/err")"
checks=$((checks + $(wc -l <"$work/out")))
find "$work/run" -printf '%P %s %T@\n' | sort >"$work/after"
cmp -s "$work/before" "$work/after" || fail "the directory of the run was changed"

# what is wrong
mkdir "$work/none"
expect_status 3 "$BATON" top --once "$work/none"
expect_says "$work/none: no trace files"
expect_status 3 "$BATON" top "$work/nowhere"
expect_says "$work/nowhere: No such file or directory"
expect_status 2 "$BATON" top
for option in last every; do
	expect_status 2 "$BATON" top --$option 0 "$work/run"
	expect_says "--$option wants a time of a second to a year, such as 15s or 1m, not '0'"
done
expect_status 2 "$BATON" top --steps nonsense "$work/run"
finish

#!/usr/bin/env bash
# Two GPUs between which copies are slower than between the others are a finding; pairs that are alike, copies that kernels hide, and
# short copies, whose speed says nothing of a link, are none. The same through nsys's and PyTorch's formats and back.
# Keeps out: a slow link that only lines of tables say.
. "$(dirname "$0")/lib.sh"

slow="Copies from GPU-2 of rank 0 to GPU-3 of rank 0 run at 8.0 GB/s, the median of 12 pairs of GPUs at 64.0 GB/s"
reported() { # reported RUN [OPTION...]: `report --json` of it is in $work/json, its text in $work/out
	expect_status 0 "$BATON" report --fresh --json "$@" && mv "$work/out" "$work/json"
	expect_status 0 "$BATON" report --fresh "$@" && tr -s ' \n' ' ' <"$work/out" >"$work/line" && mv "$work/line" "$work/out"
}

holds() { # holds EXPRESSION: of r, the report
	checks=$((checks + 1))
	"$PYTHON" - "$work/json" "$1" <<'EOF' || fail "not so: $1"
import json, sys
r = json.load(open(sys.argv[1]))
uneven = [f for f in r["findings"] if f["id"] == "uneven"]
said = " ".join(f["text"] + f["evidence"] for f in r["findings"])
sys.exit(not eval(sys.argv[2]))
EOF
}

for kind in even slow more hidden small; do
	expect_status 0 "$PYTHON" tests/cli/uneven_traces.py "$work/$kind" $kind
done
reported "$work/slow" --step-range 'step *'
expect_prints "$slow"
holds 'len(uneven) == 1 and uneven[0]["severity"] == "low" and uneven[0]["gain_ms"] is None'
holds 'len(r["pairs"]) == 12 and all(p["device"] == p["from"] and p["count"] == r["devices"][0]["steps"] for p in r["pairs"])'
holds '[(p["from"], p["to"], p["total_ns"]) for p in r["pairs"]][0] == ("here/GPU-2", "here/GPU-3", 8000000 * r["devices"][0]["steps"])'
holds 'sum(p["bytes"] for p in r["pairs"]) == sum(c["bytes"] for c in r["copies"]) == 12 * 64000000 * r["devices"][0]["steps"]'
expect_status 0 "$BATON" report "$work/slow" --step-range 'step *' # of its summary
tr -s ' \n' ' ' <"$work/out" >"$work/line" && mv "$work/line" "$work/out"
expect_prints "$slow"
reported "$work/more" --step-range 'step *'
expect_prints "Copies from GPU-2 of rank 0 to GPU-3 of rank 0 take 8.00 ms, the mean of 12 pairs of GPUs 1.58 ms"
for kind in even hidden; do
	reported "$work/$kind" --step-range 'step *'
	holds 'not uneven'
done
reported "$work/small" --step-range 'step *' # as long, so the time is said, and no speed
holds '"GB/s, the median" not in said and "take 8.00 ms, the mean of 12 pairs" in said'

expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/slow.sqlite" "$work/slow"
reported "$work/slow.sqlite" --step-range 'step *'
expect_prints "run at 8.0 GB/s, the median of 12 pairs of GPUs at 64.0 GB/s"
expect_status 0 "$BATON" export --format kineto -o "$work/kineto" "$work/slow"
reported "$work/kineto" --step-range 'step *'
expect_prints "run at 8.0 GB/s, the median of 12 pairs of GPUs at 64.0 GB/s"
finish

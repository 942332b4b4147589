#!/usr/bin/env bash
# Runs of more than 262,144 launches are replayed in bundles of launches: the gains stay those of the job without the fault.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

made() { # made NAME OPTION...: a simulated run with its truth, and its report
	expect_status 0 "$sim" -o "$work/$1" --truth "$work/$1.json" --ranks 8 --per-host 4 "${@:2}"
	expect_status 0 "$BATON" report --json "$work/$1"
}
answers() { # answers NAME 'PYTHON': f is the first finding, d the report, real the loss by the truth
	checks=$((checks + 1))
	"$PYTHON" - "$work/out" "$work/$1.json" "$2" <<'END' || fail "$1: $2: $(head -c 3000 "$work/out")"
import json, sys
d = json.load(open(sys.argv[1]))
t = json.load(open(sys.argv[2]))
f = d["findings"][0]
real = t["faults"][0]["loss_ns"] / 1e6 if t["faults"] else 0
sys.exit(0 if eval(sys.argv[3]) else 1)
END
}

loss() { # loss NAME: of its fault by the truth, ns
	"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["faults"][0]["loss_ns"])' "$work/$1.json"
}

# The host is ahead by a full launch queue: its calls return when the GPU starts what they launched before, in bundles too.
made ahead --workload short_backward --steps 40 --kernels 900 --seed 3 --fault slow_gpu=20@3
answers ahead 'sum(g["kernels"] for g in d["devices"]) > 262144'
answers ahead 'f["rank"] == 3 and f["cause"] == "work" and abs(f["gain_ms"] - real) < real / 20'

# What ends a bundle early, page faults, is compared with nobody, and still is the rank's own.
made faults --workload ddp --steps 40 --kernels 900 --seed 2 --fault page_fault=2500@5
answers faults 'f["rank"] == 5 and f["cause"] == "host_code" and abs(f["gain_ms"] - real) < real / 20'
answers faults 'f["gain_low_ms"] <= real <= f["gain_high_ms"]'

# The other ranks' hosts are held up by what the late rank's host delays: a place in the queue is free when any of the launches starts,
# also one that was made after a collective that still waits.
made held --workload short_backward --steps 40 --kernels 900 --seed 2 --fault page_fault=2500@5
answers held 'f["rank"] == 5 and f["cause"] == "host_code" and abs(f["gain_ms"] - real) < real / 20'
expect_status 0 "$BATON" whatif --json "$work/held" --step-range "$(sed -n 's/.*"step_range":"\([^"]*\)".*/\1/p' "$work/held.json" | head -n 1)"
expect_true "d['without'][0]['cause'] == 'code' and abs(d['without'][0]['gain_ns'] - $(loss held)) < $(loss held) / 50"

# A host that sleeps runs less far ahead, so fewer of its kernels were launched before the sample. Single as those are, they
# are not compared with the bundles of other ranks that begin with a kernel of their name.
made asleep --workload short_backward --steps 40 --kernels 900 --seed 9 --fault io_sleep=3000@2 --fault slow_gpu=6@5
answers asleep 'f["rank"] == 5 and f["cause"] == "work"'
answers asleep 'f["gain_low_ms"] <= t["faults"][1]["loss_ns"] / 1e6 <= f["gain_high_ms"]'

finish

#!/usr/bin/env bash
# What `compare` says of each kernel, line and size of collective: its times are those of both runs, the kernel that was made slower and its
# line changed and no other, new and gone kernels have words, noise is not known of a line of single runs, and the largest come first.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

"$PYTHON" tests/page/made.py "$work/a" --plain && "$PYTHON" tests/page/made.py "$work/again" --plain || fail made.py
"$PYTHON" tests/page/made.py "$work/b" --plain --slower 2 || fail made.py
expect_status 0 "$BATON" compare --json "$work/a" "$work/b"
mv "$work/out" "$work/single"
expect_status 0 "$BATON" compare --json --base "$work/a,$work/again" "$work/b"
mv "$work/out" "$work/repeats"
for run in a b; do expect_status 0 "$BATON" report --json --by line --kernels 0 "$work/$run" && mv "$work/out" "$work/$run.json"; done
checks=$((checks + 1))
"$PYTHON" - "$work" <<'PY' || fail "made.py's runs"
import json, sys
load = lambda name: json.load(open(f"{sys.argv[1]}/{name}", encoding="utf-8"))
a, b = load("a.json"), load("b.json")
def times(rows, name, ns, steps):
    return {name(r): ns(r) / steps for r in rows}
steps = sum(d["steps"] for d in a["devices"])
assert steps == sum(d["steps"] for d in b["devices"])
kernels = [times([k for k in r["kernels"] if k["group"] != "nccl"], lambda k: k["name"], lambda k: k["total_ns"], steps) for r in (a, b)]
lines = [times(r["by"]["rows"], lambda s: (s["name"], s["backward"]), lambda s: s["gpu_ns"], steps) for r in (a, b)]
sizes = [times(r["nccl"], lambda n: (n["op"], n["bytes"]), lambda n: n["wait_ns"] + n["transfer_ns"] + n["unsplit_ns"], steps) for r in (a, b)]
for name in ("single", "repeats"):
    bridge = load(name)["bridge"][0]
    for key, both, of in (("changed_kernels", kernels, lambda r: r["kernel"]), ("changed_lines", lines, lambda r: (r["line"], r["backward"])),
                          ("changed_collectives", sizes, lambda r: (r["op"], r["bytes"]))):
        rows = bridge[key]["rows"]
        assert bridge[key]["rows_left_out"] == 0 and rows, key
        assert {of(r) for r in rows} == set(both[0]) | set(both[1]), key
        for r in rows:
            assert abs(r["base_ns"] - both[0].get(of(r), 0)) <= 1 and abs(r["run_ns"] - both[1].get(of(r), 0)) <= 1, (key, r)
            assert r["in"] == "both", r
            known = key == "changed_kernels" or name == "repeats"
            assert (r["noise_ns"] is not None) == known and (r["changed"] is not None) == known, (name, key, r)
        sizes_of = [abs(r["run_ns"] - r["base_ns"]) for r in rows]
        assert sizes_of == sorted(sizes_of, reverse=True), key
    assert [r["kernel"] for r in bridge["changed_kernels"]["rows"] if r["changed"]] == ["sgemm_7"], name
    assert abs(bridge["changed_kernels"]["rows"][0]["run_ns"] / bridge["changed_kernels"]["rows"][0]["base_ns"] - 2) < 1e-6
moved = [r["line"] for r in bridge["changed_lines"]["rows"] if r["changed"]]
assert len(moved) == 1 and "load" in moved[0], moved
PY
expect_status 0 "$BATON" compare "$work/a" "$work/b"
checks=$((checks + 2))
grep -Eq '\+0\.0[0-9]* .*sgemm_7$' "$work/out" || fail "the text lacks the kernel: $(tail -n 12 "$work/out")"
! grep -q sgemm_8 "$work/out" || fail "the text has a kernel that did not change"

# The same run twice: nothing changed.
expect_status 0 "$BATON" compare --json "$work/a" "$work/again"
checks=$((checks + 1))
"$PYTHON" - "$work/out" <<'PY' || fail "something changed in the same run"
import json, sys
bridge = json.load(open(sys.argv[1], encoding="utf-8"))["bridge"][0]
rows = [r for key in ("changed_kernels", "changed_lines", "changed_collectives") for r in bridge[key]["rows"]]
assert len(rows) > 30 and not any(r["changed"] or r["base_ns"] != r["run_ns"] for r in rows)
PY

# Other kernels: those that are gone and new. Other work: no rows.
expect_status 0 "$sim" -o "$work/c" --ranks 2 --steps 12 --kernels 100 --seed 4
expect_status 0 "$sim" -o "$work/d" --ranks 2 --steps 12 --kernels 100 --seed 5
expect_status 0 "$BATON" compare --json --scaling weak "$work/c" "$work/d"
checks=$((checks + 1))
"$PYTHON" - "$work/out" <<'PY' || fail "new and gone kernels"
import json, sys
rows = json.load(open(sys.argv[1], encoding="utf-8"))["bridge"][0]["changed_kernels"]["rows"]
assert {r["in"] for r in rows} == {"both", "base", "run"}, rows
assert all((r["base_ns"] == 0) == (r["in"] == "run") and (r["run_ns"] == 0) == (r["in"] == "base") for r in rows)
PY
expect_status 0 "$sim" -o "$work/e" --ranks 2 --steps 12 --kernels 300
expect_status 0 "$BATON" compare --json "$work/c" "$work/e"
checks=$((checks + 1))
"$PYTHON" - "$work/out" <<'PY' || fail "rows of other work"
import json, sys
bridge = json.load(open(sys.argv[1], encoding="utf-8"))["bridge"][0]
assert bridge["different_work"] and not bridge["changed_kernels"]["rows"], bridge
PY
# Keeps out: a kernel that has another name here than in the report, and a gate that knows it by one of its names only.
kineto stalls "$work/plain" --stall-us 300
for run in before after; do
	mkdir "$work/$run"
	for file in "$work/plain"/*.json; do
		sed 's/ampere_sgemm_128x64_nn/_ZN2at6native4gemmEv/' "$file" >"$work/$run/$(basename "$file")"
	done
done
sed -i '/_ZN2at6native4gemmEv/{n;s/9\.123/9.923/}' "$work"/after/*.json
for form in --json --csv; do
	expect_status 0 "$BATON" compare $form "$work/before" "$work/after"
	expect_prints "at::native::gemm()"
	expect_prints_not "_ZN2at"
done
for name in at::native::gemm _ZN2at6native4gemmEv; do
	expect_status 1 "$BATON" compare --fail-if "kernel:^$name>3%" "$work/before" "$work/after"
	expect_says "kernel:^$name of $work/after.imported is +8.77 %"
done
finish

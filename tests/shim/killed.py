"""Does what `baton report --json` says of a killed job fit what its traces hold?

killed.py REPORT < `baton dump --json DIR`: in each trace launches = kernels + those in flight; the report adds up those in flight, and
its steps with those that it cut are the steps that the ranks have completed, some of which must have been cut.
"""
import json
import re
import sys

report = json.load(open(sys.argv[1]))
traces = []
for line in sys.stdin:
    r = json.loads(line)
    if r["record"] == "process" and r["source"] != "nvml":  # what the GPUs showed is of no process
        traces.append({"launches": 0, "kernels": 0, "in flight": 0, "steps": 0})
    elif r["record"] == "call" and "LaunchKernel" in r["name"]:
        traces[-1]["launches"] += 1
    elif r["record"] == "op" and r["op_kind"] == 1:
        traces[-1]["kernels"] += 1
    elif r["record"] == "loss" and r["kind"] == 2:
        traces[-1]["in flight"] += r["count"]
    elif r["record"] == "range" and re.fullmatch(r"step \d+", r["name"]):
        traces[-1]["steps"] += 1

quality, wrong = report["quality"], []
for t in traces:
    if t["launches"] != t["kernels"] + t["in flight"]:
        wrong.append(f"{t['launches']} launches, {t['kernels']} kernels, {t['in flight']} in flight")
if not quality["in_flight"] or quality["in_flight"] != sum(t["in flight"] for t in traces):
    wrong.append(f"the report has {quality['in_flight']} in flight, the traces {[t['in flight'] for t in traces]}")
steps = sum(device["steps"] for device in report["devices"])
if not quality["steps_cut"] or steps + quality["steps_cut"] != sum(t["steps"] for t in traces):
    wrong.append(f"{steps} steps, {quality['steps_cut']} cut; the traces have {[t['steps'] for t in traces]}")
if len(traces) != 2 or report["run"]["world_size"] != 2 or quality["missing_ranks"]:
    wrong.append(f"{len(traces)} traces of {report['run']['world_size']} ranks, missing: {quality['missing_ranks']}")
print("; ".join(wrong) or f"{steps} steps, {quality['steps_cut']} cut, {quality['in_flight']} in flight")
sys.exit(bool(wrong))

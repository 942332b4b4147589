"""Ways of recording that only a real CUPTI can prove: windows, graphs, a profiler inside, a kill, other frameworks (run by torch.sh).

    ways.py OUT_DIR [NAME...]        a line a way, as docs/GPU_RESULTS.md has it; OUT_DIR/ways.json
"""
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BATON = os.environ["BATON"]
TRAIN = [sys.executable, os.path.join(HERE, "train.py")]
OTHER = [sys.executable, os.path.join(HERE, "frameworks.py")]
LONGEST_S = 120


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=LONGEST_S, **more)


def recorded(out, name, job, *options):
    """Status and words of the job, and the report of its run (None: none)."""
    directory = os.path.join(out, name)
    done = run([BATON, "record", "-f", "-o", directory, *options, "--", *job])
    report = run([BATON, "report", "--json", directory])
    with open(os.path.join(out, name + ".txt"), "w") as text:
        text.write(done.stdout + done.stderr + run([BATON, "report", directory]).stdout + report.stderr)
    return done, json.loads(report.stdout) if report.returncode in (0, 4) else None


def figures(report):
    quality = report["quality"]
    kernels = sum(kernel["count"] for kernel in report["kernels"])
    named = {k: v for k, v in quality.items() if k in ("dropped", "in_flight", "unmatched_ops", "invalid_timestamps", "unrecorded_ns",
                                                       "tool_ns_per_launch") and v}
    step = report["devices"][0]["step_ns"]["mean"] / 1e6
    classes = {leaf: round(ns / max(report["devices"][0]["window_ns"], 1), 4)
               for leaf, ns in report["devices"][0]["time_ns"].items() if ns and leaf.startswith("work")}
    first = report["findings"][0] if report["findings"] else {"id": "none"}
    return f"{report['run']['steps']} steps of {step:.3f} ms, {kernels} kernels, {named}, {classes}, first {first['id']} {first.get('gain_ms')}"


def plainly(out, name, job, *options):
    done, report = recorded(out, name, job, *options)
    said = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip()[-200:]]
    return f"status {done.returncode}; {said[0]}; " + (figures(report) if report else "no report")


def killed(out, name, *options):
    """SIGKILL in the middle of the steps: what the salvage leaves."""
    directory = os.path.join(out, name)
    job = subprocess.Popen([BATON, "record", "-f", "-o", directory, *options, "--", *TRAIN, "--steps", "60000"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    time.sleep(15)
    for pid in run(["pgrep", "-P", str(job.pid), "python"]).stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    said = job.communicate(timeout=60)[1].strip()[-200:]
    report = run([BATON, "report", "--json", directory])
    return f"status {job.returncode}; {said}; " + (figures(json.loads(report.stdout)) if report.returncode in (0, 4) else report.stderr[-300:])


def imported(out, name):
    """The trace of torch.profiler without the recorder, and the recording of the same job without the profiler: are they alike?"""
    trace = os.path.join(out, name + ".trace.json")
    plain = run([*TRAIN, "--steps", "60", "--profile", trace])
    report = run([BATON, "report", "--json", trace])
    return f"status {plain.returncode}; {plain.stdout.strip()}; " + (figures(json.loads(report.stdout)) if report.returncode in (0, 4) else report.stderr[-300:])


BIG = ["--layers", "12", "--width", "768", "--length", "512", "--batch", "8", "--steps", "45"]
WAYS = {
    "small": lambda out: plainly(out, "small_gpt", TRAIN),
    "big": lambda out: plainly(out, "big_gpt", [*TRAIN, *BIG]),
    "compile": lambda out: plainly(out, "compile", [*TRAIN, "--compile"]),
    "graph_node": lambda out: plainly(out, "graph_node", [*TRAIN, "--graph"]),
    "graph_whole": lambda out: plainly(out, "graph_whole", [*TRAIN, "--graph"], "--graphs", "graph"),
    "window": lambda out: plainly(out, "window", [*TRAIN, "--steps", "3000"], "--delay", "8", "--duration", "2"),
    "window_graph": lambda out: plainly(out, "window_graph", [*TRAIN, "--graph", "--steps", "60000"], "--delay", "9", "--duration", "2"),
    "range": lambda out: plainly(out, "range", [*TRAIN, "--range"], "-c", "cudaProfilerApi"),
    "profiler_inside": lambda out: plainly(out, "profiler_inside", [*TRAIN, "--profile", os.path.join(out, "inside.json")]),
    "profiler_alone": lambda out: imported(out, "alone"),
    "native": lambda out: plainly(out, "native", TRAIN, "-s", "both"),
    "summary": lambda out: plainly(out, "summary", [*TRAIN, "--steps", "6000"], "--level", "summary"),
    "killed": lambda out: killed(out, "killed"),
    "killed_last": lambda out: killed(out, "killed_last", "--keep-last", "3s"),
    "two_share": lambda out: plainly(out, "two_share", ["sh", "-c", '"$@" & "$@"; wait', "sh", *TRAIN, *BIG]),
    **{name: lambda out, name=name: plainly(out, name, [*OTHER, name]) for name in ("jax", "cupy", "triton", "numba")},
}


def main():
    out = os.path.abspath(sys.argv[1])
    os.makedirs(out, exist_ok=True)
    said = {}
    for name in sys.argv[2:] or WAYS:
        begin = time.monotonic()
        try:
            said[name] = WAYS[name](out)
        except Exception as error:  # the other ways are asked in any case
            said[name] = f"{type(error).__name__}: {str(error)[:300]}"
        print(f"| {name} | {said[name]} | {time.monotonic() - begin:.1f} s", flush=True)
    with open(os.path.join(out, "ways.json"), "w") as file:
        json.dump(said, file, indent=1)


main()

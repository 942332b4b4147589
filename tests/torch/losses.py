"""Programs with one loss each, of known line, under the recorder: does baton say what it is, where, and how much it costs?

    losses.py [--keep DIR] [--times N] [NAME...]

Each program of losses/ is recorded with its loss and without it (LOSS=0). The difference of the steps is what the loss costs. It is
right when one of the first two findings has the finding's name (table below) and the line marked `# the loss`, and when its
ms a step (its gain where a replay says it) are within a quarter of the cost, or 1 ms of it. Prints a line a program; status 1 when fewer are right than AT_LEAST says.
Run with PYTHON, BATON and the libraries' paths set, as run.sh does. On a busy machine the cores are what is missing.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "losses"
HOST = "host_code|blocked|framework|input"
SYNC = "sync|blocked"
GPU_IS_LONG = {"SIMGPU_DURATIONS": "multi_tensor_apply=10000000"}
FORWARD_IS_LONG = {"SIMGPU_DURATIONS": "nll_loss_forward=12000000"}
PROGRAMS = {  # name: ranks (0: without a launcher), findings that are right, environment
    "log_metrics": (0, HOST, {}),
    "clip_by_hand": (0, HOST, {}),
    "micro_batches": (0, HOST, {}),
    "decode_images": (0, "input", {}),
    "slow_workers": (0, "input", {}),
    "callbacks": (0, HOST, {}),
    "one_rank_logs": (2, "late_rank", {}),
    "one_rank_reads": (2, "late_rank", {}),
    "evaluates": (0, HOST, {}),
    "replays": (0, HOST, {}),
    "restarted": (2, HOST, {"TORCHRUN": "--max-restarts=1"}),
    "prints_loss": (0, SYNC, GPU_IS_LONG),
    "copies_back": (0, SYNC + "|copies", GPU_IS_LONG),
    "times_layers": (0, SYNC, FORWARD_IS_LONG),
    "slow_function": (0, HOST, {}),
    "gradient_hook": (0, HOST, {}),
    "collects_garbage": (0, HOST, {}),
    "augments": (0, HOST, {}),
    "rare_checkpoint": (0, HOST + "|rare", {}),
    "scheduler": (2, HOST, {}),
}
AT_LEAST = 18 / 20


def record(name, directory, loss):
    ranks, _, environment = PROGRAMS[name]
    environment = dict(environment)
    launcher = []
    if ranks:
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=%d" % ranks,
                    *environment.pop("TORCHRUN", "").split()]
    done = subprocess.run(
        [os.environ["BATON"], "record", "-f", "-o", str(directory), "--", os.environ.get("PYTHON", sys.executable), *launcher,
         str(HERE / (name + ".py"))],
        env={**os.environ, **environment, "LOSS": "1" if loss else "0"}, capture_output=True, text=True, timeout=180)
    if done.returncode:
        sys.exit("%s: status %d: %s" % (name, done.returncode, done.stderr[-800:]))


def report(directory):
    done = subprocess.run([os.environ["BATON"], "report", "--json", str(directory)], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit("baton report: status %d: %s" % (done.returncode, done.stderr[-500:]))
    return json.loads(done.stdout)


def step_ms(answer):
    return sum(d["step_ns"]["mean"] for d in answer["devices"]) / len(answer["devices"]) / 1e6


def marked(name):
    lines = (HERE / (name + ".py")).read_text().splitlines()
    return "%s.py:%d" % (name, 1 + next(i for i, line in enumerate(lines) if line.endswith("# the loss")))


def judge(name, with_loss, without):
    """What is wrong of the answer; and a line about it."""
    cost = step_ms(with_loss) - step_ms(without)
    found, wrong = None, []
    for finding in with_loss["findings"][:2]:
        text = "%s %s" % (finding.get("text", ""), json.dumps(finding.get("evidence", "")))
        if marked(name) in text and found is None:
            found = finding
    first = with_loss["findings"][0] if with_loss["findings"] else {"id": "none"}
    if found is None:
        wrong.append("line")
        found = first
    if found["id"] not in PROGRAMS[name][1].split("|"):
        wrong.append("leaf")
    said = found.get("gain_ms") or found.get("share_ms") or 0.0
    if abs(said - cost) > max(0.25 * cost, 1.0):
        wrong.append("size")
    return wrong, "costs %.2f of %.2f ms; said %s %.2f (first: %s)" % (cost, step_ms(with_loss), found["id"], said, first["id"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", metavar="DIR", help="leave the runs there")
    parser.add_argument("--times", type=int, default=1, help="how often a program that is wrong is tried")
    parser.add_argument("names", nargs="*", default=list(PROGRAMS), metavar="NAME")
    args = parser.parse_args()
    right = 0
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(args.keep or scratch)
        work.mkdir(exist_ok=True)
        for name in args.names:
            for _ in range(args.times):
                for loss in (True, False):
                    record(name, work / ("%s.%d" % (name, loss)), loss)
                wrong, text = judge(name, report(work / (name + ".1")), report(work / (name + ".0")))
                if not wrong:
                    break
            right += not wrong
            print("%-7s %-17s %s%s" % ("right" if not wrong else "wrong", name, text, "; " + ", ".join(wrong) if wrong else ""), flush=True)
    print("%d of %d programs: finding, line and size right" % (right, len(args.names)))
    sys.exit(right < AT_LEAST * len(args.names))


if __name__ == "__main__":
    main()

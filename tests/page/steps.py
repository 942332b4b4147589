#!/usr/bin/env python3
"""Is the document `timeline` of a report's page what `baton dump` prints of the same run (one host, one device a process): which steps are shown,
their lengths, idle time by leaf, every event that is not left out, waits of collectives, launches, and what fills each cell?

    steps.py BATON PAGE DIR
"""
import collections
import glob
import json
import re
import subprocess
import sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WORK = {"matmul": "work.matmul", "memory": "work.memory", "custom": "work.custom", "other": "work.other", "nccl": "nccl.unsplit"}


def dump(baton, *arguments, whole=True):
    out = subprocess.run([baton, "dump", "--json", *arguments], stdout=subprocess.PIPE, stderr=None if whole else subprocess.DEVNULL, check=whole, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def cut(name):
    """Long names end after 160 bytes."""
    raw = name.encode()
    return name if len(raw) <= 160 else raw[:160].decode(errors="ignore") + "..."


class Checker:
    def __init__(self, baton, page, run):
        text = open(page, encoding="utf-8").read()
        self.size = len(text.encode())
        doc = lambda name: json.loads(re.search(f'id="{name}">(.*?)</script>', text, re.S).group(1))  # noqa: E731
        self.timeline, self.report, self.gauges = doc("timeline"), doc("report"), doc("gauges")
        self.baton, self.checks, self.wrong = baton, 0, []
        self.rank = {d["device"]: d["ranks"][0] for d in self.report["devices"]}
        self.steps = collections.defaultdict(dict)  # by place, by rank
        for row in dump(baton, "--step-list", run):
            self.steps[row["step"]][self.rank[row["device"]]] = row
        self.idle = [dict(row, rank=self.rank[row["device"]]) for row in dump(baton, "--idle", run)]
        self.traces, self.waits, self.launched, self.splits = {}, collections.defaultdict(dict), 0, 0
        for path in glob.glob(run + "/*.baton"):
            rows = dump(baton, path) if not re.search(r"/(summary|gpus)[^/]*$", path) else []
            for row in rows:
                if row["record"] == "process":
                    self.traces[row["rank"]] = rows
        self.collectives()

    def same(self, what, shown, wanted):
        self.checks += 1
        if shown != wanted:
            self.wrong.append(f"{what}: the page has {str(shown)[:300]}, not {str(wanted)[:300]}")

    def collectives(self):
        """A collective that all ranks have: each waits for as long as it takes longer than the shortest."""
        met = collections.defaultdict(list)
        for rank, rows in self.traces.items():
            comms = {row["id"]: row for row in rows if row["record"] == "communicator"}
            ops = {row["correlation"]: row for row in rows if row["record"] == "op"}
            for row in rows:
                if row["record"] == "collective" and row.get("sequence") is not None and row["correlation"] in ops:
                    comm = comms[row["comm"]]
                    met[comm["hash"], row["coll"], row["sequence"], comm["size"]].append((rank, ops[row["correlation"]]))
        for (*_, size), members in met.items():
            if len(members) == size and size > 1:
                least = min(op["dur_ns"] for _, op in members)
                for rank, op in members:
                    self.waits[rank][op["start_ns"], op["dur_ns"]] = op["dur_ns"] - least

    def worst(self):
        """Of each finding that counts: the step that has most of its leaf, of all devices or (unless they wait) of its own."""
        out = collections.defaultdict(set)
        for i, finding in enumerate(self.report["findings"]):
            rows = [(leaf["worst_ns"], leaf["worst"]) for d in self.report["devices"] for name, leaf in d["leaf_steps"].items()
                    if finding["leaf"] and (name == finding["leaf"] or name.startswith(finding["leaf"] + ".")) and
                    (finding["device"] in (None, d["device"]) or name.startswith("nccl."))]
            if finding["severity"] != "none" and finding["steps"]:
                out[finding["steps"]["worst"]].add(i)
            elif finding["severity"] != "none" and rows:
                out[max(rows, key=lambda row: row[0])[1]].add(i)
        return out

    def readings(self, run):
        """The samples in each step of the first GPU: their mean on each GPU, and of those the least, the mean and the most."""
        which = {1: "sm_mhz", 4: "power_mw", 6: "temperature_c", 7: "memory_used_bytes", 10: "slowed"}
        samples = collections.defaultdict(lambda: collections.defaultdict(list))
        windows = {place: rows[self.rank[self.report["devices"][0]["device"]]] for place, rows in self.steps.items()}
        for path in glob.glob(run + "/gpus.*"):
            rows = dump(self.baton, path, whole=False)  # some blocks cannot be read
            devices = {row["id"]: i for i, row in enumerate(row for row in rows if row["record"] == "device")}
            for row in rows:
                if row["record"] != "gauge" or row["gauge"] not in which:
                    continue
                own = [rows[self.rank[self.report["devices"][devices[row["device"]]]["device"]]] for rows in self.steps.values()]
                if not any(w["window_from_ns"] <= row["start_ns"] < w["window_to_ns"] for w in own):
                    continue
                for place, w in windows.items():
                    if w["window_from_ns"] <= row["start_ns"] < w["window_to_ns"]:
                        value = 1000 * bool(row["value"] & 0xec) if row["gauge"] == 10 else row["value"]
                        samples[which[row["gauge"]], place][devices[row["device"]]].append(value)
        for shown in self.gauges["gauges"]:
            for place in range(len(shown["mean"])):
                means = [sum(v) // len(v) for v in samples[shown["name"], place].values()]
                self.same(f"{shown['name']} in step {place}", [shown["least"][place], shown["mean"][place], shown["most"][place]],
                          [min(means), sum(means) // len(means), max(means)] if means else [None] * 3)
        self.same("gauges", {g["name"] for g in self.gauges["gauges"]}, {name for (name, _), of in samples.items() if of})

    def picks(self):
        length = lambda k: sum(r["window_to_ns"] - r["window_from_ns"] for r in self.steps[k].values()) / len(self.steps[k])  # noqa: E731
        order = sorted(self.steps, key=lambda k: (length(k), k))
        return {"median": order[(len(order) - 1) // 2], "slowest": order[-1]}

    def step(self, shown, place):
        windows = self.steps[place]
        self.origin = min(w["window_from_ns"] for w in windows.values())
        span = max(w["window_to_ns"] for w in windows.values()) - self.origin
        self.same("span", shown["span_ns"], span)
        self.same("ranks in all rows", sum(row["n"] for row in shown["rows"]), len(windows))
        ranks = sorted(windows)
        for row in shown["rows"]:
            own, ranks = ranks[:row["n"]], ranks[row["n"]:]
            self.same("ends of a row", [row["from_rank"], row["to_rank"]], [own[0], own[-1]])
            self.same(f"length of {own}", row["window_ns"], sum(windows[r]["window_to_ns"] - windows[r]["window_from_ns"] for r in own))
            leaves = collections.Counter()
            for piece in self.idle:
                if piece["rank"] in own and windows[piece["rank"]]["window_from_ns"] <= piece["from_ns"] < windows[piece["rank"]]["window_to_ns"]:
                    leaves[piece["leaf"]] += piece["to_ns"] - piece["from_ns"]
            self.same(f"idle time of {own}", {self.timeline["leaves"][leaf]: ns for leaf, ns in row["idle_ns"]}, dict(leaves))
        self.same("processes", len(shown["processes"]) >= min(2, len(windows)), True)
        for process in shown["processes"]:
            self.events(process, windows[process["rank"]])
            row = [r for r in shown["rows"] if r["n"] == 1 and r["from_rank"] == process["rank"]]
            if row and not any(track["left_out"] for track in process["tracks"]):
                self.cells(shown, row[0], process, span)

    def unfold(self, track):
        at, out = 0, []
        for start, dur in zip(track["start_ns"], track["dur_ns"]):
            at += start
            out.append((at, dur))
        return out

    def events(self, process, window):
        begin, end = min(window["begin_ns"], window["window_from_ns"]), window["window_to_ns"]
        rows = self.traces[process["rank"]]
        texts = {row["id"]: row["value"] for row in rows if row["record"] == "string"}
        kinds = {"stream": ({"op"}, "work"), "thread": ({"call", "range", "overhead"}, "host")}
        for kind, (records, names) in kinds.items():
            wanted = collections.Counter((row["start_ns"] - self.origin, row["dur_ns"]) for row in rows if row["record"] in records and begin <= row["start_ns"] < end)
            named = {(row["start_ns"] - self.origin, row["dur_ns"], cut(texts.get(row["name"], row["name"]))) for row in rows if row["record"] in records and row.get("name")}
            tracks = [track for track in process["tracks"] if track["kind"] == kind]
            shown = collections.Counter(event for track in tracks for event in self.unfold(track))
            left = sum(track["left_out"] for track in tracks)
            self.same(f"{kind} events of rank {process['rank']}", [sum(shown.values()) + left, sum((shown - wanted).values())], [sum(wanted.values()), 0])
            self.same("time left out", sum(track["left_out_ns"] for track in tracks), sum(dur for _, dur in (wanted - shown).elements()))
            for track in tracks:
                for (start, dur), name in zip(self.unfold(track), track["name"]):
                    text = self.timeline[names][name]
                    if not text.startswith(("Mem", "(unnamed)")) and (start, dur, text) not in named:
                        self.wrong.append(f"{text} at {start} for {dur} is not in the trace")
        self.launches(process, rows)
        for track in process["tracks"]:
            events = self.unfold(track)
            for i, _, wait, members, *why in track["more"]:
                start, dur = events[i]
                known = self.waits[process["rank"]].get((start + self.origin, dur))
                self.same(f"wait at {start}", [wait, bool(why)], [known, known is None and members > 0])
                self.splits += wait is not None
        idle = [track for track in process["tracks"] if track["kind"] == "idle"]
        pieces = sorted((p["from_ns"] - self.origin, p["to_ns"] - p["from_ns"]) for p in self.idle
                        if p["rank"] == process["rank"] and window["window_from_ns"] <= p["from_ns"] < window["window_to_ns"])
        if idle and not idle[0]["left_out"]:
            self.same("idle pieces", sorted(self.unfold(idle[0])), pieces)

    def launches(self, process, rows):
        """The call of an op is the outermost one with its correlation, if that is in the page."""
        host = [event for track in process["tracks"] if track["kind"] == "thread" for event in self.unfold(track)]
        calls, number = collections.defaultdict(list), 0
        for row in rows:
            if row["record"] == "call" and row.get("correlation"):
                calls[row["correlation"]].append((row["start_ns"] - self.origin, row["dur_ns"]))
        ops = {(row["start_ns"] - self.origin, row["dur_ns"]): row["correlation"] for row in rows if row["record"] == "op"}
        for track in process["tracks"]:
            number = 0
            for event, delta in zip(self.unfold(track), track.get("launch", [])):
                wanted = min(calls[ops[event]], key=lambda call: (call[0], -call[1]), default=None)
                number += delta or 0
                shown = None if delta is None else host[number]
                if shown != (wanted if wanted in host else None):
                    self.wrong.append(f"the launch of {event}: the page has {shown}, not {wanted}")
                self.launched += shown is not None

    def cells(self, shown, row, process, span):
        leaves, width = self.timeline["leaves"], shown["cell_ns"]
        filled = [collections.Counter() for _ in row["cells"]]
        for track in process["tracks"]:
            if track["kind"] == "thread":
                continue
            waits = {i: wait for i, _, wait, *_ in track["more"] if wait is not None}
            for i, ((start, dur), name) in enumerate(zip(self.unfold(track), track["name"])):
                leaf = leaves[name if track["kind"] == "idle" else self.timeline["work_leaf"][name]]
                parts = [(start, start + waits[i], "nccl.wait"), (start + waits[i], start + dur, "nccl.transfer")] if i in waits else [(start, start + dur, leaf)]
                for begin, end, leaf in parts:
                    at, end = max(0, begin), min(span, end)
                    while at < end:
                        until = min(end, (at // width + 1) * width)
                        filled[at // width][leaf] += until - at
                        at = until
        wanted = ""
        for cell in filled:
            computing = sum(ns for leaf, ns in cell.items() if leaf.startswith("work."))
            own = {leaf: max(0, cell[leaf] - computing) if leaf.startswith(("nccl.", "copy.")) else cell[leaf] for leaf in leaves}
            most = max(own.values())
            wanted += "." if most == 0 or 2 * sum(own.values()) < width else LETTERS[[own[leaf] for leaf in leaves].index(most)]
        self.same(f"cells of rank {process['rank']}", row["cells"], wanted)

    def run(self):
        picks, worst = self.picks(), self.worst()
        self.readings(sys.argv[3])
        called = {place: place if next(iter(rows.values()))["number"] is None else next(iter(rows.values()))["number"] for place, rows in self.steps.items()}
        places = {number: place for place, number in called.items()}
        shown = self.timeline["steps"]
        self.same("steps", [s["why"] for s in shown], ["median", "slowest"] + ["finding"] * (len(shown) - 2))
        self.same("worst steps", {s["number"]: set(s["findings"]) for s in shown + self.timeline["steps_left_out"] if s["findings"]}, dict(worst))
        for step in shown:
            place = picks.get(step["why"], places[step["number"]])
            self.same("number", step["number"], called[place])
            self.step(step, place)
        self.same("launches and waits are known", [self.launched > 0, self.splits > 0], [True, bool(any(self.waits.values()))])
        classes = {k["name"]: WORK[k["class"].split(".")[0]] for k in self.report["kernels"]}
        for name, leaf in zip(self.timeline["work"], self.timeline["work_leaf"]):
            if name in classes:
                self.same(f"what {name} counts as", self.timeline["leaves"][leaf], classes[name])
        self.same("not larger than 2 MB", self.size <= 2000000, True)
        left = sum(t["left_out"] for s in self.timeline["steps"] for p in s["processes"] for t in p["tracks"])
        print("\n".join(self.wrong[:20]) or f"{self.checks} checks, {self.size} bytes, {len(shown)} steps, {self.launched} launches, {self.splits} waits, {left} events left out")
        sys.exit(bool(self.wrong))


if __name__ == "__main__":
    Checker(*sys.argv[1:4]).run()

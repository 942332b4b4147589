#!/usr/bin/env python3
"""--csv and --markdown of report, compare, whatif and jitter beside --json of the same command.

    sheets_check.py BATON RUN OTHER_RUN RUN_WITH_LINES

The text is read by Python's csv module and by the rules of GitHub's markdown for tables, written here
anew; where the package markdown-it-py is installed it has to see the same tables.
"""

import collections
import csv
import html
import json
import re
import subprocess
import sys

BATON, RUN, OTHER, LINES = sys.argv[1:]
checks = 0


def call(*words):
    return subprocess.run([BATON, *words], capture_output=True, check=True).stdout.decode()


def check(what, *shown):
    global checks
    checks += 1
    assert what, shown


def safe(cell):
    """A cell that no spreadsheet runs and no terminal obeys."""
    check(not any(ord(c) < 32 or ord(c) in (0x7F, 0x202E, 0x2028) for c in cell), cell)
    if not re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", cell):
        check(cell[:1] not in tuple("=+-@"), cell)


def csv_tables(text):
    """{first column's head: [a dictionary for each row]}, in the order of the text"""
    tables = []
    for part in text.split("\n\n"):
        rows = list(csv.reader(part.splitlines(), strict=True))
        check(len({len(row) for row in rows}) == 1, part[:200])
        check(len(set(rows[0])) == len(rows[0]), rows[0])
        for row in rows:
            for cell in row:
                safe(cell)
        tables.append([dict(zip(rows[0], row)) for row in rows[1:]])
    return tables


def cells_of(line):
    check(line.startswith("| ") and line.endswith(" |"), line)
    cells = re.split(r"(?<!\\)\|", line)[1:-1]  # a backslash in a name is escaped, so it is never the one of a pipe
    return [html.unescape(re.sub(r"\\([\\`*_\[\]|~$])", r"\1", cell[1:-1])) for cell in cells]


def markdown_tables(text):
    tables = []
    for part in re.split(r"^\*\*.*\*\*\n\n", text, flags=re.M)[1:]:
        lines = part.strip().split("\n")
        heads = cells_of(lines[0])
        check(re.fullmatch(r"(\|---)+\|", lines[1]) and lines[1].count("---") == len(heads), lines[1])
        rows = [cells_of(line) for line in lines[2:]]
        check(all(len(row) == len(heads) for row in rows), part[:300])
        check(not re.search(r"<|(?<!\\)[`\[\]]", part), part[:300])
        tables.append([dict(zip(heads, row)) for row in rows])
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        return tables
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    seen = sum(t.type == "tr_open" for t in tokens), sum(t.type == "table_open" for t in tokens)
    check(seen == (sum(map(len, tables)) + len(tables), len(tables)), seen)
    plain = [t.children for t in tokens if t.type == "inline"]
    check({c.type for children in plain for c in children} <= {"text", "text_special", "strong_open", "strong_close"}, plain)
    return tables


def same_in_markdown(tables, marked, cut=False):
    """The rows of CSV in milliseconds; `cut`: markdown has the first of them."""
    check(len(tables) == len(marked), len(tables), len(marked))
    for rows, shown in zip(tables, marked):
        check(len(shown) == len(rows) or cut and len(shown) <= len(rows), len(rows), len(shown))
        for row, cells in zip(rows, shown):
            heads = [h[:-3].replace("_", " ") + ", ms" if h.endswith("_ns") else h.replace("_", " ") for h in row]
            check(heads == list(cells), heads, list(cells))
            for head, value in row.items():
                got = cells[head[:-3].replace("_", " ") + ", ms" if head.endswith("_ns") else head.replace("_", " ")]
                if head.endswith("_ns") and value:
                    check(abs(float(got) - float(value) / 1e6) <= 0.00051, head, value, got)
                else:
                    check(got == re.sub(r"^'(?=[=+@-])", "", value), head, value, got)


def number(text):
    return None if text == "" else int(text)


# ---- report ----
whole = json.loads(call("report", "--json", RUN))
tables = csv_tables(call("report", "--csv", RUN))
run, losses, time, kernels, nccl, copies, devices = tables
check(len(run) == 1 and run[0]["run"] == RUN and int(run[0]["gpus"]) == len(whole["devices"]), run)
check(sum(int(row["time_ns"]) for row in time) == int(run[0]["step_ns"]), time)
check([(f["id"], f["text"], f["remedy"]) for f in whole["findings"]] == [(x["loss"], x["text"], x["remedy"]) for x in losses])
check(all(abs(f["share_ms"] * 1e6 - int(x["share_ns"])) < 500 for f, x in zip(whole["findings"], losses)), losses)
check(any(x["gain_ns"] for x in losses) == any(f["gain_ms"] is not None for f in whole["findings"]))
check([[str(k[key]) for key in ("class", "group", "count", "total_ns", "min_ns", "p50_ns", "max_ns")] for k in whole["kernels"]] ==
      [[k[key] for key in ("class", "group", "count", "total_ns", "min_ns", "p50_ns", "max_ns")] for k in kernels])
check(len(nccl) == len(whole["nccl"]) > 0)
for a, b in zip(whole["nccl"], nccl):
    check([a[key] for key in ("bytes", "count", "transfer_ns", "wait_ns", "unsplit_ns")] ==
          [number(b[key]) for key in ("bytes", "count", "transfer_ns", "wait_ns", "unsplit_ns")], a, b)
check([[c["device"], c["direction"], str(c["count"]), str(c["bytes"])] for c in whole["copies"]] ==
      [[c[k] for k in ("device", "direction", "count", "bytes")] for c in copies])
for a, b in zip(whole["devices"], devices):
    check(a["device"] == b["device"] and a["ranks"][0] == int(b["rank"]), a, b)
    check(a["step_ns"] == {"mean": int(b["step_ns"]), "p50": int(b["p50_ns"]), "p95": int(b["p95_ns"]), "max": int(b["max_ns"])}, a, b)
    parts = sum(int(b[k]) for k in ("work_ns", "nccl_ns", "copy_ns", "cpu_ns", "host_ns", "gpu_ns", "unknown_ns"))
    check(abs(parts - int(b["step_ns"])) <= 8 + a["time_ns"].get("idle.tool.profiler", 0), parts, b)
short = csv_tables(call("report", "--csv", "--kernels", "3", RUN))
check(len(short[3]) == 3)
tables[2] = [row for row in time if row["time_ns"] != "0"]
same_in_markdown(tables, markdown_tables(call("report", "--markdown", "--kernels", "0", RUN)))

gaps = csv_tables(call("report", "--gaps", "4", "--csv", RUN))[0]
said = json.loads(call("report", "--gaps", "4", "--json", RUN))["gaps"]
check([(g["device"], g["begin_ns"], g["end_ns"] - g["begin_ns"], g["next_call"]) for g in said] ==
      [(g["device"], int(g["begin_ns"]), int(g["gap_ns"]), g["next_call"]) for g in gaps])
check(all(g["time_ns"][x["leaf"]] == int(x["leaf_ns"]) == max(g["time_ns"].values()) for g, x in zip(said, gaps)))

for by in ("op", "line"):
    rows = csv_tables(call("report", "--by", by, "--csv", LINES))
    said = json.loads(call("report", "--by", by, "--json", LINES))["by"]["rows"]
    check(len(said) > 1 and [(x["kind"], x["gpu_ns"], x["busy_ns"]["nccl"], x["launches"], x["starved_ns"]["cpu"]) for x in said] ==
          [(x["kind"], int(x["gpu_ns"]), int(x["nccl_ns"]), int(x["launches"]), int(x["starved_cpu_ns"])) for x in rows[0]])
    same_in_markdown(rows, markdown_tables(call("report", "--by", by, "--markdown", "--top", "0", LINES)))
    check(len(csv_tables(call("report", "--by", by, "--csv", "--top", "2", LINES))[0]) == 2)

whole = json.loads(call("report", "--critical", "--json", OTHER))
parts, units, steps, slack = tables = csv_tables(call("report", "--critical", "--csv", OTHER))
n, all_ns = len(whole["steps"]), sum(x["ns"] for x in whole["steps"])
said = collections.Counter()
for step in whole["steps"]:
    said.update(step["path_ns"])
check(n > 3 and {x["part"] for x in parts} == set(said))
check(all(abs(float(x["path_ns"]) * n - said[x["part"]]) < n and abs(float(x["percent"]) - 100 * said[x["part"]] / all_ns) < 0.001 for x in parts))
check([x["device"] for x in units] == [x["device"] for x in whole["devices"]] + ["between devices"])
check(abs(sum(float(x["path_ns"]) for x in units) * n - all_ns) < n * len(units))
check(collections.Counter({(int(x["step"]), x["part"]): int(x["path_ns"]) for x in steps}) ==
      collections.Counter({(i, part): ns for i, step in enumerate(whole["steps"]) for part, ns in step["path_ns"].items()}))
check([(x["bytes"], x["number"], x["least_ns"]) for x in whole["slack"]] == [(number(x["bytes"]), int(x["number"]), int(x["least_ns"])) for x in slack] != [])
same_in_markdown(tables, markdown_tables(call("report", "--critical", "--markdown", OTHER)))

# ---- compare ----
whole = json.loads(call("compare", "--json", RUN, OTHER))
runs, terms, rows = tables = csv_tables(call("compare", "--csv", RUN, OTHER))
check([(r["dir"], r["step_ns"], r["loss_ns"]) for r in whole["runs"]] == [(r["run"], int(r["step_ns"]), int(r["loss_ns"])) for r in runs])
bridge = whole["bridge"][0]
check({r["leaf"]: int(r["term_ns"]) for r in terms} == bridge["terms_ns"])
check({r["leaf"]: int(r["charged_ns"]) for r in terms} == bridge["charged_ns"])
check(sum(int(r["charged_ns"]) for r in terms) == bridge["loss_ns"] != 0)
check({r["leaf"]: [int(r["low_ns"]), int(r["high_ns"])] for r in terms} ==
      {leaf: [x["low_ns"], x["high_ns"]] for leaf, x in bridge["noise"]["charged"].items()})
said = [x for kind in ("changed_kernels", "changed_lines", "changed_collectives") for x in bridge[kind]["rows"]]
check(len(rows) == sum(bridge[kind]["rows_left_out"] for kind in ("changed_kernels", "changed_lines", "changed_collectives")) + len(said))
known = [x for x in said if x["in"] == "both"][:20]
check(known and all(any(r["base_time_ns"] == str(x["base_ns"]) and r["time_ns"] == str(x["run_ns"]) for r in rows) for x in known))
tables[1] = [r for r in terms if {r["base_time_ns"], r["time_ns"], r["charged_ns"]} != {"0"}]
first = {}
tables[2] = [r for r in rows if first.setdefault(r["kind"], []).append(r) or len(first[r["kind"]]) <= 10]
same_in_markdown(tables, markdown_tables(call("compare", "--markdown", RUN, OTHER)))

# ---- whatif ----
for words in ([], ["--without", "rank 1", "--scale", "host=2"]):
    whole = json.loads(call("whatif", "--json", *words, OTHER))
    rows = csv_tables(call("whatif", "--csv", *words, OTHER))
    check(int(rows[0][0]["step_ns"]) == whole["step_ns"] and len(rows[0]) == len(whole["without"]) + 1 > 1)
    check([(x["cause"], x["gain_ns"], x["gain_low_ns"], x["gain_high_ns"], x["rank"]) for x in whole["without"]] ==
          [(x["cause"], int(x["gain_ns"]), int(x["gain_low_ns"]), int(x["gain_high_ns"]), number(x["rank"])) for x in rows[0][1:]])
    check(int(rows[0][-1]["step_ns"]) == whole["step_without_ns"])
    same_in_markdown(rows, markdown_tables(call("whatif", "--markdown", *words, OTHER)))

# ---- jitter ----
whole = json.loads(call("jitter", "--json", OTHER))
ranks, steps, kernels = tables = csv_tables(call("jitter", "--csv", "-", OTHER))
check([(r["rank"], r["device"], r["last"]) for r in whole["ranks"]] == [(int(r["rank"]), r["device"], int(r["last"])) for r in ranks])
check(all(abs(a["behind_ns"] - float(b["behind_ns"])) <= 0.501 for a, b in zip(whole["ranks"], ranks)))
check([(s["step"], s["min_ns"], s["max_ns"]) for s in whole["series"]] == [(int(s["step"]), int(s["min_ns"]), int(s["max_ns"])) for s in steps])
check(len(kernels) == len(whole["kernels"]) and all(abs(a["duration_sd_ns"] - float(b["duration_sd_ns"])) <= 0.501 for a, b in zip(whole["kernels"], kernels)))
same_in_markdown(tables, markdown_tables(call("jitter", "--markdown", "--top", "0", OTHER)))
few = markdown_tables(call("jitter", "--markdown", "--top", "1", OTHER))
check([len(t) for t in few] == [1, 1, 1] and few[0][0]["rank"] == max(ranks, key=lambda r: abs(float(r["behind_ns"])))["rank"], few)
varying = csv_tables(call("jitter", "--rank", "1", "--csv", "-", OTHER))
said = json.loads(call("jitter", "--rank", "1", "--json", OTHER))["varying"]
check([x["position"] for x in said] == [int(x["position"]) for x in varying[0]] and len(said) > 10)

# ---- the nvprof study ----
tables = csv_tables(call("report", "--taxonomy", "seed", "--by", "device", "--csv", RUN))
check(len(tables) == 3 and [len(t) for t in tables] == [len(t) for t in markdown_tables(call("report", "--taxonomy", "seed", "--by", "device", "--markdown", RUN))])
check(len(markdown_tables(call("compare", "--taxonomy", "seed", "--by", "group", "--markdown", RUN, OTHER))[0]) == 10)
print("%d checks" % checks)

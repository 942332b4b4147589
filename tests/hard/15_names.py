"""Row 15: names that would break out of an output: markup, quotes, control bytes, bytes that are no UTF-8, marks of direction, formulas,
paths, templates of a megabyte, names that no demangler likes. Through every command that prints names: text for people is plain text,
JSON is JSON, folded stacks have a weight each, and no command takes longer than 5 s."""
import json
import os
import random
import re
import sys

import row

sys.path.insert(0, os.path.join(row.ROOT, "tests/format"))
from writer import TraceWriter  # noqa: E402

NUMBER, NAME = 15, "hostile names"
TARGET, UNIT = 1_000, "traces of such names"
NOTE = ("text, JSON, dump and folded stacks (CSV, SVG, Prometheus, pages, SQLite and timelines: stats_case.sh, jitter_case.sh, "
        "metrics_case.sh, page_case.sh, export_nsys_case.sh, export_lines_case.sh, Parquet: tables_case.sh of tests/cli)")
NAMES = [b"</script><script>alert(1)</script>", b'"', b"'", b"\\", b"=cmd|'/C calc'!A0", b"@SUM(1)", b"-1+1", b"../../x", b"/etc/passwd",
         b"\0", b"\x1b[2J", b"\x1b]0;title\x07", b"\x9b31m", b"\xc2\x9b", b"\xff\xfe", b"\xe5", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xe2\x80\xa9",
         b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\r\n\t", b"%s%n%x", b"${HOME}", b"`id`", b"$(id)", b";", b"a;b c", b" ", b"", b"nan", b"1e999",
         b"ncclDevKernel_" + b"x" * 3000, b"_Z" + b"N1a" * 500 + b"E", b"_ZN" + b"9" * 200, b"_Z1fI" + b"S_" * 800, b"T<" * 4000 + b">" * 4000,
         b"\xf0\x9f\x92\xa9", b"\xcd\x8f" * 200]
MEGABYTE = b"a<" + b"b," * 500_000 + b">"  # in one trace of sixteen
FOR_PEOPLE = ["report", "report --gaps 3", "report --by range", "report --by op", "report --kernels 0", "dump", "dump --idle", "dump --stacks",
              "whatif", "check", "report --critical"]
JSON = ["report --json", "report --gaps 3 --json", "dump --json", "report --by range --json", "report --by op --json"]
NOT_PLAIN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def is_plain(data):
    try:
        return not NOT_PLAIN.search(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def name(rng):
    return b"".join(rng.choice(NAMES) for _ in range(rng.choice([1, 1, 2, 3])))


def write(rng, run):
    names = [name(rng) for _ in range(12)] + ([MEGABYTE] if rng.random() < 1 / 16 else [])
    for rank in range(2):
        out = TraceWriter(os.path.join(run, "%d.baton" % rank))
        out.process(100 + rank, rank=rank, world_size=2, host=rng.choice(names)[:200], source="baton", source_version=rng.choice(names)[:200],
                    run_id=names[0][:200])
        stream, thread = out.stream(out.device(rank, rng.choice(names)[:300], None), 1, 7), out.thread(rng.choice(names)[:60], 100, 100)
        times = [(i, 10**9 + i * 60_000 + i % 7 * 900) for i in range(60)]
        out.rows("range", [{"start_ns": at - 900, "dur_ns": 58_000, "thread": thread, "name": rng.choice(names), "category": 1} for _, at in times])
        out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": rng.choice(names), "correlation": i + 1}
                          for i, at in times])
        out.rows("op", [{"start_ns": at + 9000, "dur_ns": 15_000 + i, "op_kind": 1, "stream": stream, "correlation": i + 1,
                         "name": rng.choice(names)} for i, at in times])
        out.close()


def case(bench, number):
    rng, run = random.Random(number), bench.fresh()
    write(rng, run)
    what = "case %d" % number
    for command in FOR_PEOPLE:
        status, out, err = bench.run(row.BATON, *command.split(), run, seconds=5)
        bench.expect(status in range(6), "%s: %s ends with %s" % (what, command, status))
        bench.expect(is_plain(out + err), "%s: %s prints what is not plain text" % (what, command))
    for command in JSON:
        status, out, _ = bench.run(row.BATON, *command.split(), run, seconds=5)
        try:
            for line in out.decode("utf-8").split("\n") if "dump" in command else [out.decode("utf-8")]:
                if line:
                    json.loads(line)
        except ValueError as error:
            bench.wrong("%s: %s: %s" % (what, command, error))
        bench.expect(status in range(6) and (out or status), "%s: %s ends with %s" % (what, command, status))
    status, out, _ = bench.run(row.BATON, "export", "--folded", run, seconds=5)
    bad = [line for line in out.split(b"\n") if line and not re.fullmatch(rb".* \d+", line)]
    bench.expect(status in range(6) and not bad, "%s: a folded line without a weight: %r" % (what, bad[:1]))


def piece(bench, first, most):
    n = min(most, 4)
    for number in range(first, first + n):
        case(bench, number)
    bench.add(commands=n * (len(FOR_PEOPLE) + len(JSON) + 1))
    return n


if __name__ == "__main__":
    row.main(globals())

"""Row 12: the readers of traces, live files, summaries, Kineto profiles, nsys exports, tables of nvprof, timelines and rules under
libFuzzer (tests/hard/fuzz.c), with the address and undefined-behaviour sanitizers: no crash, no leak, no input that takes longer than 5 s.

A case is one run of a reader. Needs clang and its runtime (CLANG=clang-14), and builds the readers with it once
(build/fuzzer). The corpus stays in build/hard/corpus and what was found in build/hard/found.

    12_fuzz.py --coverage   prints how many lines of each reader the corpus reaches (build/coverage; llvm-cov)
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import row

sys.path.insert(0, os.path.join(row.ROOT, "tests/fuzz"))
sys.path.insert(0, os.path.join(row.ROOT, "tests/format"))
sys.path.insert(0, os.path.join(row.ROOT, "tests/cli"))
import hostile  # noqa: E402
import nvprof_forms  # noqa: E402

NUMBER, NAME = 12, "fuzzing with coverage"
TARGET, UNIT = 800_000_000, "runs"
NOTE = "messages of MPI have mutators alone"
CLANG = os.environ.get("CLANG", "clang-14")
CORPUS, FOUND = os.path.abspath("build/hard/corpus"), os.path.abspath("build/hard/found")
PIECE_S = 20
# The readers, with the longest input of each and the sources whose lines --coverage counts.
MOST = {"trace": 1 << 15, "live": 1 << 10, "summary": 1 << 16, "kineto": 1 << 17, "nsys": 1 << 18, "nvprof": 1 << 17, "timeline": 1 << 14,
        "rules": 1 << 12}
TARGETS = list(MOST)
SOURCES = {
    "trace": "include/codec/reader.c include/codec/columns_decode.c include/codec/bitplane_get.c reducer/read/dump.c",
    "live": "include/codec/drain.c reducer/read/drain_live.c reducer/read/live_file.c",
    "summary": "reducer/summary/summary_load.c",
    "kineto": "reducer/import/kineto/*.c reducer/import/json/*.c",
    "nsys": "reducer/import/nsys/*.c",
    "nvprof": "reducer/import/nvprof/*.c reducer/import/csv_lines.c",
    "timeline": "reducer/timeline/*_ops.c reducer/timeline/op_rows.c reducer/timeline/op_input.c",
    "rules": "reducer/classify/user_rules.c",
}
LIBRARIES = "-lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread -ldl -lm".split()
turn = [0]


def command(*words, **more):
    made = subprocess.run(words, capture_output=True, text=True, **more)
    if made.returncode:
        raise row.Skip("%s: %s" % (" ".join(words[:3]), made.stderr[-400:]))
    return made.stdout


def build(folder, library_flags, program_flags):
    """The program of tests/hard/fuzz.c over the readers, both by clang."""
    if not shutil.which(CLANG):
        raise row.Skip("there is no %s (packages clang-14 and libclang-rt-14-dev; CLANG= names another)" % CLANG)
    plus, flags = CLANG.replace("clang", "clang++"), " ".join(library_flags)
    library, program = folder + "/libreducer.a", folder + "/fuzz"
    command("make", "-j2", "BUILD=" + folder, "CC=" + CLANG, "CXX=" + plus, "CFLAGS=" + flags, "CXXFLAGS=" + flags, library)
    newest = max(os.path.getmtime(path) for path in (library, "tests/hard/fuzz.c"))
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
        command(CLANG, "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", *program_flags, "-Ireducer", "-Iinclude", "-c", "-o", program + ".o",
                "tests/hard/fuzz.c")
        command(plus, *program_flags, "-o", program, program + ".o", library, *LIBRARIES)
    return os.path.abspath(program)


def fuzzer():
    check = "-fsanitize=%saddress,undefined"
    strict = ["-O1", "-fno-sanitize-recover=all", "-DBATON_CHECKS"]
    return build("build/fuzzer", [check % "fuzzer-no-link,", *strict], [check % "fuzzer,", *strict])


def live_seed(bench):
    """The live file that inputs of `live` are put into, with its trace."""
    maker = os.path.join(bench.work, "live_seed")
    command("cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Iinclude", "-o", maker, "tests/fuzz/live_seed.c", *glob.glob("include/codec/*.c"),
            "-lzstd", "-lxxhash")
    folder = bench.fresh("live")
    shutil.move(command(maker, folder).strip(), os.path.join(bench.work, "seed.live"))
    shutil.move(row.traces(folder)[0], os.path.join(bench.work, "trace.baton"))


def chrome_operations():
    """Two steps of two stages, as a timeline of operations in Chrome's format."""
    events = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": stage, "args": {"name": "PP rank %d, compute" % stage}} for stage in range(2)]
    for i, kind in enumerate(("forward-compute", "forward-send", "backward-compute", "grads-reduce-scatter") * 4):
        events.append({"ph": "X", "name": kind, "pid": 0, "tid": i // 4 % 2, "ts": 10 * i, "dur": 9,
                       "args": {"step": i // 8, "microbatch": i // 4, "dp_rank": 0, "chunk_id": 0}})
    return json.dumps({"traceEvents": events})


def seeds(bench):
    """A first corpus: golden files, what hostile.py begins with, and small runs in every format."""
    live_seed(bench)
    made = {name: [] for name in TARGETS}

    def take(name, path):
        if os.path.getsize(path) <= MOST[name]:
            made[name].append(open(path, "rb").read())

    for path in glob.glob("tests/golden/format/good-*.baton"):
        take("trace", path)
    for workload in ("ddp", "fsdp", "inference"):
        run = os.path.join(bench.work, workload)
        command(row.SIM, "-o", run, "--workload", workload, "--ranks", "2", "--steps", "3", "--kernels", "40", env=bench.env)
        bench.run(row.BATON, "reduce", run)
        take("trace", row.traces(run)[0])
        take("summary", os.path.join(run, "summary.baton"))
        for name, form in (("kineto", "kineto"), ("nsys", "nsys-sqlite")):
            out = "%s-%s" % (run, name)
            bench.run(row.BATON, "export", "--format", form, "-o", out, run)
            for path in [out] if os.path.isfile(out) else glob.glob(out + "/*"):
                take(name, path)
    for maker, name in (("tests/cli/nsys_fixtures.py", "nsys"), ("tests/cli/kineto_fixtures.py", "kineto")):
        for kind in command(sys.executable, maker, "--list").split():
            path = os.path.join(bench.work, kind)
            bench.run(sys.executable, maker, kind, path)
            for made_of in [path] if os.path.isfile(path) else glob.glob(path + "/*"):
                take(name, made_of)
    made["nvprof"] += [nvprof_forms.written(form) for form in nvprof_forms.FORMS.values()]
    table = os.path.join(bench.work, "run.csv")
    bench.run(row.BATON, "export", "--format", "nvprof-csv", "--print", "gpu-trace,api-trace", "-o", table, os.path.join(bench.work, "ddp"))
    take("nvprof", table)
    made["kineto"].append(hostile.kineto())
    made["timeline"] += [hostile.timelines(), chrome_operations().encode(),
                         b'[{"step":0,"dp":0,"pp":0,"type":"forward-compute","start":1,"end":2}]']
    made["rules"].append(b"^gemm matmul\ncall:cudaMemcpy.* sync\n# text\nrange:data input\n")
    made["live"].append(bytes(12))
    for name, files in made.items():
        os.makedirs(os.path.join(CORPUS, name), exist_ok=True)
        for i, data in enumerate(files):
            with open(os.path.join(CORPUS, name, "seed-%d" % i), "wb") as file:
                file.write(data)
    os.makedirs(FOUND, exist_ok=True)


def piece(bench, first, most):
    program = fuzzer()
    if not turn[0]:
        seeds(bench)
    name = TARGETS[turn[0] % len(TARGETS)]
    turn[0] += 1
    seconds = max(3, min(PIECE_S, bench.seconds / len(TARGETS)))
    status, _, err = bench.run(
        program, os.path.join(CORPUS, name), "-runs=%d" % most, "-max_total_time=%d" % seconds, "-max_len=%d" % MOST[name], "-timeout=5",
        "-rss_limit_mb=1024", "-print_final_stats=1", "-seed=%d" % (first % 2**31 + turn[0]), "-close_fd_mask=3",
        "-artifact_prefix=%s/%s-" % (FOUND, name), seconds=seconds + 300, FUZZ_TARGET=name, FUZZ_WORK=bench.work,
        SIMDJSON_FORCE_IMPLEMENTATION="fallback")
    text = err.decode(errors="replace")
    if status != 0:
        fault = re.search(r"(runtime error|ERROR|SUMMARY|ALARM).*", text)
        bench.wrong("%s: status %s: %s; the input is in %s" % (name, status, fault[0] if fault else text[-200:], FOUND))
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    n = int(runs[1]) if runs else 1
    bench.add(**{name: n})
    covered = re.findall(r" cov: (\d+)", text)
    if covered:
        bench.most(**{name + "_edges": int(covered[-1])})
    return n


def coverage():
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    program = build("build/coverage", flags, ["-fsanitize=fuzzer", *flags])
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        live_seed(bench)
        for name in TARGETS:
            raw, profile = os.path.join(work, name + ".raw"), os.path.join(work, name + ".profile")
            bench.run(program, "-runs=0", "-close_fd_mask=3", os.path.join(CORPUS, name), seconds=600, FUZZ_TARGET=name, FUZZ_WORK=work,
                      LLVM_PROFILE_FILE=raw)
            command(CLANG.replace("clang", "llvm-profdata"), "merge", "-o", profile, raw)
            paths = [path for glob_of in SOURCES[name].split() for path in sorted(glob.glob(glob_of))]
            table = command(CLANG.replace("clang", "llvm-cov"), "report", program, "-instr-profile=" + profile, *paths)
            for line in table.splitlines():
                cells = line.split()
                if len(cells) == 13 and cells[9] not in ("Cover", "Lines"):
                    print("%-10s %-48s %6s %% of %5s lines" % (name, cells[0], cells[9].rstrip("%"), cells[7]))


if __name__ == "__main__":
    coverage() if sys.argv[1:] == ["--coverage"] else row.main(globals())

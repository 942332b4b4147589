"""Row 12: the readers of traces, live files, summaries, Kineto profiles, nsys exports, tables of nvprof, timelines, rules and messages of
baton-mpi under libFuzzer (tests/hard/fuzz.c), with the address and undefined-behaviour sanitizers: no crash, no leak, no input that takes longer than 5 s.

A case is one run of a reader. Needs clang and its runtime (CLANG=clang-14), and builds the readers with it once
(build/fuzzer). Files are written to memory (/dev/shm), and of the first files (build/hard/seeds, some thousands) those that reach
something stay in the corpus (build/hard/corpus), so that a turn begins with what it has. What was found is in build/hard/found.

    12_fuzz.py --coverage [READER...]   prints how many lines of each reader the corpus reaches (build/coverage; llvm-cov). Status 1 when
                                        one of the readers has fewer than 90 % of its lines reached
    12_fuzz.py --times [READER...]      prints runs a second of CPU time
    12_fuzz.py --afl [READER [SECONDS]] the same program under AFL++ (package afl++)
    12_fuzz.py --keep [READER...]       checks the least part of the corpus in that reaches as much (tests/hard/corpus)
"""
import concurrent.futures
import glob
import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile

import row

sys.path.insert(0, os.path.join(row.ROOT, "tests/fuzz"))
sys.path.insert(0, os.path.join(row.ROOT, "tests/format"))
sys.path.insert(0, os.path.join(row.ROOT, "tests/cli"))
import hostile  # noqa: E402
import fuzz_seeds  # noqa: E402
import nvprof_forms  # noqa: E402
from writer import TraceWriter  # noqa: E402

NUMBER, NAME = 12, "fuzzing with coverage"
TARGET, UNIT = 900_000_000, "runs"
NOTE = "100,000,000 runs of each reader"
CLANG = os.environ.get("CLANG", "clang-14")
KEPT = os.path.abspath("tests/hard/corpus")
SEEDS, CORPUS, FOUND = (os.path.abspath("build/hard/" + name) for name in ("seeds", "corpus", "found"))
PIECE_S, LEAST_PERCENT = 20, 90
# The readers, with the longest input of each and the sources whose lines --coverage counts.
MOST = {"trace": 1 << 15, "live": 1 << 10, "summary": 1 << 16, "kineto": 1 << 17, "nsys": 1 << 18, "nvprof": 1 << 17, "timeline": 1 << 14,
        "rules": 1 << 12, "message": 1 << 14}
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
    "message": "reducer/share.c reducer/base/team.c reducer/attribute/meetings.c",
}
# In these files, but not of a reader: --coverage leaves them out.
NOT_READERS = {
    "baton_drain_op": "the recorder's", "drain_collective_row": "called by baton_drain_op", "baton_drain_lost": "the recorder's",
    "baton_drain_checkpoint": "the recorder's", "live_file_id": "names a file",
    "dump_damage_of": "dump_file without its output",
}
LIBRARIES = "-lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread -ldl -lm".split()
turn, memory = [0], {}


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
    sources = ["tests/hard/fuzz.c", "tests/hard/fuzz_team.c"]
    newest = max(os.path.getmtime(path) for path in (library, *sources))
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
        objects = ["%s/%s.o" % (folder, os.path.basename(source)) for source in sources]
        for source, made in zip(sources, objects):
            command(CLANG, "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", *program_flags, "-Ireducer", "-Iinclude", "-c", "-o", made, source)
        command(plus, *program_flags, "-o", program, *objects, library, *LIBRARIES)
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
    shutil.move(command(maker, folder, "checkpoint=100").strip(), os.path.join(bench.work, "seed.live"))
    shutil.move(row.traces(folder)[0], os.path.join(bench.work, "trace.baton"))


def live_places(bench):
    """(bytes of the live file, where its fields lie), from the header itself."""
    asks = os.path.join(bench.work, "live_places")
    names = ("layout file_bytes pid lanes_offset dictionary_offset dictionary_bytes dictionary_reserved dropped_strings unheard_launches "
             "gpu_recorded gpu_kernels gpu_unwritten unwritable").split()
    with open(asks + ".c", "w") as file:
        file.write("#include <baton/live.h>\n#include <stdio.h>\nint main(void) {\n%s}\n" % "".join(
            'printf("%s %%zu\\n", __builtin_offsetof(struct baton_live, %s));\n' % (name, name) for name in names))
    command("cc", "-std=gnu11", "-D_GNU_SOURCE", "-Iinclude", "-o", asks, asks + ".c")
    offsets = {name: int(at) & ~7 for name, at in (line.split() for line in command(asks).splitlines())}
    with open(os.path.join(bench.work, "seed.live"), "rb") as file:
        image = file.read()
    offsets["lane"] = int.from_bytes(image[offsets["lanes_offset"]:][:8], "little")
    return len(image), offsets


def team_run(bench):
    """The run that a team of two reduces for the reader of messages: two ranks that have collectives, and whose launches have different
    periods, so that the ranks tell each other what steps they propose."""
    folder = bench.fresh("run")
    for rank, period in enumerate((5, 3)):
        out = TraceWriter(None)
        out.process(100 + rank, rank=rank, world_size=2, host="node", source="baton", run_id="run")
        stream, thread = out.stream(out.device(rank, "GPU", "GPU-%d" % rank), 1, 7), out.thread("main", 100, 100)
        comm = out.communicator(2, 77, "comm", str(rank))
        times = [(i, 10**9 + i * 30_000 + i % 7 * 900) for i in range(60)]
        out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1} for i, at in times])
        out.rows("op", [{"start_ns": at + 9000, "dur_ns": 15_000 + i, "op_kind": 1, "stream": stream, "correlation": i + 1,
                         "name": "ncclDevKernel_AllReduce" if i % 30 == 29 else "gemm_%d" % (i % period)} for i, at in times])
        out.rows("collective", [{"start_ns": at + 9000, "dur_ns": 15_000 + i, "correlation": i + 1, "comm": comm, "coll": 1, "bytes": 4096,
                                 "sequence": i} for i, at in times[29::30]])
        out.close()
        with open(os.path.join(folder, "%d.baton" % rank), "wb") as file:
            file.write(out.data())


def lacking_part(bench):
    """The part of a run of five ranks of which one has a file, with readings of its GPU."""
    run, part = bench.fresh("lacking"), os.path.join(bench.work, "lacking.part")
    for i, data in enumerate((hostile.run_trace(1, 5), hostile.gauges())):
        with open(os.path.join(run, "%d.baton" % i), "wb") as file:
            file.write(data)
    bench.run(row.BATON, "reduce", "--part", "-o", part, run)
    with open(part, "rb") as file:
        return file.read()


def chrome_operations():
    """Two steps of two stages, as a timeline of operations in Chrome's format."""
    events = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": stage, "args": {"name": "PP rank %d, compute" % stage}} for stage in range(2)]
    for i, kind in enumerate(("forward-compute", "forward-send", "backward-compute", "grads-reduce-scatter") * 4):
        events.append({"ph": "X", "name": kind, "pid": 0, "tid": i // 4 % 2, "ts": 10 * i, "dur": 9,
                       "args": {"step": i // 8, "microbatch": i // 4, "dp_rank": 0, "chunk_id": 0}})
    return json.dumps({"traceEvents": events})


def seeds(bench, program):
    """A first corpus: what is checked in, golden files, what hostile.py begins with, and small runs in every format."""
    live_seed(bench)
    team_run(bench)
    made = {name: [] for name in TARGETS}

    def take(name, path):
        if os.path.getsize(path) <= MOST[name]:
            made[name].append(open(path, "rb").read())

    for path in glob.glob("tests/golden/format/*.baton"):
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
        for kind in (line.split()[0] for line in command(sys.executable, maker, "--list").splitlines()):
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
    made["rules"] += fuzz_seeds.rules()
    made["timeline"] += fuzz_seeds.timeline()
    made["kineto"] += fuzz_seeds.kineto() + fuzz_seeds.kineto_operators()
    made["nsys"] += fuzz_seeds.nsys(open(os.path.join(bench.work, "nccl-blob"), "rb").read())
    made["nvprof"] += fuzz_seeds.nvprof()
    made["live"] += [bytes(12), *fuzz_seeds.live(*live_places(bench))]
    made["summary"] += fuzz_seeds.mutated(made["summary"]) + [data for seed in (lacking_part(bench), *made["summary"][:1])
                                                              for data in fuzz_seeds.summaries(seed)]
    shutil.rmtree(run)
    bench.run(row.SIM, "-o", run, "--workload", "ddp", "--ranks", "2", "--steps", "3", "--kernels", "40")
    os.remove(row.traces(run)[0])
    part = os.path.join(bench.work, "part.baton")
    bench.run(row.BATON, "reduce", "--part", "-o", part, run)
    take("summary", part)
    for name, files in made.items():
        shutil.rmtree(os.path.join(SEEDS, name), ignore_errors=True)
        os.makedirs(os.path.join(SEEDS, name))
        os.makedirs(os.path.join(CORPUS, name), exist_ok=True)
        if os.path.exists(os.path.join(KEPT, name + ".tar.gz")):
            with tarfile.open(os.path.join(KEPT, name + ".tar.gz")) as kept:
                files += [kept.extractfile(member).read() for member in kept]
        for i, data in enumerate(files):
            with open(os.path.join(SEEDS, name, "seed-%d" % i), "wb") as file:
                file.write(data)
    os.makedirs(FOUND, exist_ok=True)
    message_seeds(bench, program)


def message_seeds(bench, program):
    """The messages of a real team, and others like them."""
    folder = os.path.join(SEEDS, "message")
    bench.run(program, "-runs=0", FUZZ_SEEDS=folder, **settings(bench, "message"))
    sent = [open(path, "rb").read() for path in sorted(glob.glob(folder + "/seed-*"), key=lambda path: int(path.rsplit("-", 1)[1]))]
    for i, data in enumerate(fuzz_seeds.message(sent)):
        with open("%s/like-%d" % (folder, i), "wb") as file:
            file.write(data)


def settings(bench, name):
    """The environment of a run of one reader."""
    return {"FUZZ_TARGET": name, "FUZZ_WORK": in_memory(bench), "SIMDJSON_FORCE_IMPLEMENTATION": "fallback",
            "ASAN_OPTIONS": "use_sigaltstack=0", "LLVM_PROFILE_FILE": os.devnull}


def in_memory(bench):
    """A directory in /dev/shm, if that has room, for the files of the readers; it goes with this program."""
    if not os.path.isdir("/dev/shm") or shutil.disk_usage("/dev/shm").free < 256 << 20:
        return bench.work
    if not memory:
        memory["dir"] = row.tempfile.TemporaryDirectory(prefix="baton-hard-", dir="/dev/shm")
        for name in ("seed.live", "trace.baton"):
            shutil.copy(os.path.join(bench.work, name), memory["dir"].name)
        shutil.copytree(os.path.join(bench.work, "run"), os.path.join(memory["dir"].name, "run"))
    return memory["dir"].name


def fuzz(bench, program, name, runs, seconds, *more):
    """(runs that were made, edges that were reached, stderr, status) of a turn of libFuzzer."""
    status, _, err = bench.run(
        program, os.path.join(CORPUS, name), "-runs=%d" % runs, "-max_total_time=%d" % seconds, "-max_len=%d" % MOST[name], "-timeout=5",
        "-rss_limit_mb=1024", "-print_final_stats=1", "-close_fd_mask=3", "-artifact_prefix=%s/%s-" % (FOUND, name), *more,
        seconds=seconds + 600, **settings(bench, name))
    text = err.decode(errors="replace")
    made, covered = re.search(r"stat::number_of_executed_units:\s*(\d+)", text), re.findall(r" cov: (\d+)", text)
    return int(made[1]) if made else 1, int(covered[-1]) if covered else 0, text, status


def take_in(bench, program, name):
    """Those of the first files that reach what no other reaches become part of the corpus. One that is a fault lies in FOUND."""
    before = set(os.listdir(FOUND))
    bench.run(program, "-merge=1", "-close_fd_mask=3", "-max_len=%d" % MOST[name], "-timeout=5", "-rss_limit_mb=1024",
              "-artifact_prefix=%s/%s-" % (FOUND, name), os.path.join(CORPUS, name), os.path.join(SEEDS, name), seconds=1200,
              **settings(bench, name))
    for path in sorted(set(os.listdir(FOUND)) - before):
        bench.wrong("%s: a first file is a fault: %s/%s" % (name, FOUND, path))


def piece(bench, first, most):
    program = fuzzer()
    if not turn[0]:
        seeds(bench, program)
    name = TARGETS[turn[0] % len(TARGETS)]
    if turn[0] < len(TARGETS):
        take_in(bench, program, name)
    turn[0] += 1
    seconds = max(3, min(PIECE_S, bench.seconds / len(TARGETS)))
    n, edges, text, status = fuzz(bench, program, name, most, seconds, "-seed=%d" % (first % 2**31 + turn[0]))
    if status != 0:
        fault = re.search(r"(runtime error|ERROR|SUMMARY|ALARM).*", text)
        bench.wrong("%s: status %s: %s; the input is in %s" % (name, status, fault[0] if fault else text[-200:], FOUND))
    bench.add(**{name: n})
    bench.most(**{name + "_edges": edges})
    return n


def times():
    """Runs a second of CPU time, so also on a busy machine."""
    program = fuzzer()
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        seeds(bench, program)
        for name in sys.argv[2:] or TARGETS:
            if not os.listdir(os.path.join(CORPUS, name)):
                take_in(bench, program, name)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            n, edges, _, _ = fuzz(bench, program, name, 10**9, 10)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print("%-10s %8.0f runs a second (%d in %.1f s of CPU time; %d edges)" % (name, n / used, n, used, edges), flush=True)


def lines_of(table):
    """{file: [lines reached, lines]} of what `llvm-cov export -format=lcov` says, without NOT_READERS."""
    files, starts, here = {}, [], None
    for line in table.splitlines():
        word, _, rest = line.partition(":")
        if word == "SF":
            here, starts = files.setdefault(os.path.relpath(rest, row.ROOT), [0, 0]), []
        elif word == "FN":
            at, name = rest.split(",", 1)
            starts.append((int(at), name.rsplit(":", 1)[-1]))
        elif word == "DA":
            at, times = (int(n) for n in rest.split(",")[:2])
            function = max((start for start in starts if start[0] <= at), default=(0, ""))[1]
            if function not in NOT_READERS:
                here[0] += times > 0
                here[1] += 1
    return files


def keep():
    """What of the corpus reaches something that no smaller file of it does, into tests/hard/corpus."""
    program = fuzzer()
    os.makedirs(KEPT, exist_ok=True)
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        seeds(bench, program)
        for name in sys.argv[2:] or TARGETS:
            least = bench.fresh("least")
            bench.run(program, "-merge=1", "-close_fd_mask=3", least, os.path.join(CORPUS, name), os.path.join(SEEDS, name), seconds=3600,
                      **settings(bench, name))
            pack(name, least)


def pack(name, folder):
    """The files of a folder as tests/hard/corpus/NAME.tar.gz: the same files give the same bytes."""
    with open(os.path.join(KEPT, name + ".tar.gz"), "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path in sorted(os.listdir(folder)):
                with open(os.path.join(folder, path), "rb") as data:
                    member = tarfile.TarInfo(path[:12])
                    member.size = os.path.getsize(os.path.join(folder, path))
                    tar.addfile(member, data)


def readers(folder, compiler, counted, program_flags):
    """The program of tests/hard/fuzz.c by `compiler`, SOURCES with the flags `counted`; the rest of it is that of the build."""
    rest = os.path.join(row.BUILD, "libreducer.a")
    row.needs(rest)
    flags = {source: counted for names in SOURCES.values() for pattern in names.split() for source in glob.glob(pattern)}
    flags.update({"tests/hard/fuzz.c": ["-fsanitize=fuzzer"], "tests/hard/fuzz_team.c": ["-fsanitize=fuzzer"]})
    headers = max(os.path.getmtime(path) for folder_of in ("reducer", "include") for path in glob.glob(folder_of + "/**/*.h", recursive=True))
    objects = {source: os.path.join(folder, source.replace("/", "-") + ".o") for source in flags}

    def compile_one(source):
        made = objects[source]
        if not os.path.exists(made) or os.path.getmtime(made) < max(headers, os.path.getmtime(source)):
            command(compiler, "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", *flags[source], "-Ireducer", "-Iinclude", "-c", "-o", made, source)

    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, objects))
    command(compiler.replace("clang", "clang++") if "afl" not in compiler else compiler + "++", "-fsanitize=fuzzer", *program_flags, "-o",
            folder + "/fuzz", *objects.values(), rest, *LIBRARIES)
    return os.path.abspath(folder + "/fuzz")


def afl():
    """afl-fuzz on one reader for some seconds: 12_fuzz.py --afl [READER [SECONDS]]."""
    name, seconds = (sys.argv[2:] + ["timeline", "60"][len(sys.argv) - 2:])[:2]
    if not shutil.which("afl-clang-fast"):
        raise row.Skip("there is no afl-clang-fast (package afl++)")
    program = readers("build/afl", "afl-clang-fast", [], [])
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        seeds(bench, program)
        out = os.path.join(work, "out-of-afl")
        status, said, err = bench.run(
            "afl-fuzz", "-i", os.path.join(SEEDS, name), "-o", out, "-V", seconds, "-m", "none", "-t", "5000", "--", program,
            seconds=int(seconds) + 600, AFL_SKIP_CPUFREQ="1", AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1", AFL_NO_UI="1", AFL_NO_AFFINITY="1",
            **dict(settings(bench, name), ASAN_OPTIONS="abort_on_error=1:symbolize=0"))
        stats = os.path.join(out, "default/fuzzer_stats")
        if not os.path.exists(stats):
            sys.exit("afl-fuzz: status %s: %s" % (status, (said + err).decode(errors="replace")[-600:]))
        told = dict(line.split(":", 1) for line in open(stats).read().splitlines())
        told = {key.strip(): value.strip() for key, value in told.items()}
        print("%s: %s runs in %s s, %s crashes, %s hangs, %s of the edges" % (
            name, told["execs_done"], told["run_time"], told["saved_crashes"], told["saved_hangs"], told["bitmap_cvg"]))
        for path in glob.glob(out + "/default/crashes/id*") + glob.glob(out + "/default/hangs/id*"):
            shutil.copy(path, FOUND)
        return int(told["saved_crashes"]) + int(told["saved_hangs"]) > 0


def needs_clang(work):
    """Skips where there is no clang, or not all of its parts. After that what does not compile is a fault."""
    tools = [CLANG, CLANG.replace("clang", "clang++"), CLANG.replace("clang", "llvm-profdata"), CLANG.replace("clang", "llvm-cov")]
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise row.Skip("there is no %s (packages clang-14, libclang-rt-14-dev and llvm-14; CLANG= names another)" % ", ".join(missing))
    source = os.path.join(work, "empty.c")
    with open(source, "w") as file:
        file.write("int LLVMFuzzerTestOneInput(const void *, unsigned long);\n"
                   "int LLVMFuzzerTestOneInput(const void *data, unsigned long n) { return data == 0 && n; }\n")
    command(CLANG, "-fsanitize=fuzzer", "-fprofile-instr-generate", "-fcoverage-mapping", "-o", os.path.join(work, "empty"), source, "-lstdc++", "-lm")


def coverage():
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        row.needs(os.path.join(row.BUILD, "libreducer.a"))
        needs_clang(work)
        try:
            program = readers("build/coverage", CLANG, ["-fprofile-instr-generate", "-fcoverage-mapping"], ["-fprofile-instr-generate"])
            seeds(bench, program)
            few = [name for name in sys.argv[2:] or TARGETS if covered_percent(bench, program, name) < LEAST_PERCENT]
        except row.Skip as fault:
            sys.exit("12_fuzz: %s" % fault)
    if few:
        print("fewer than %d %% of the lines are reached: %s" % (LEAST_PERCENT, ", ".join(few)))
    return bool(few)


def covered_percent(bench, program, name):
    """Of the lines of a reader; prints it, and that of each of its files."""
    raw, profile = os.path.join(bench.work, name + ".raw"), os.path.join(bench.work, name + ".profile")
    bench.run(program, "-runs=0", "-close_fd_mask=3", os.path.join(CORPUS, name), os.path.join(SEEDS, name), seconds=600,
              **dict(settings(bench, name), LLVM_PROFILE_FILE=raw))
    command(CLANG.replace("clang", "llvm-profdata"), "merge", "-o", profile, raw)
    paths = [path for glob_of in SOURCES[name].split() for path in sorted(glob.glob(glob_of))]
    files = lines_of(command(CLANG.replace("clang", "llvm-cov"), "export", "-format=lcov", program, "-instr-profile=" + profile, *paths))
    files["all"] = [sum(counts) for counts in zip(*files.values())]
    for path, (reached, lines) in files.items():
        print("%-10s %-48s %5.1f %% of %5d lines" % (name, path, 100 * reached / max(lines, 1), lines), flush=True)
    return 100 * files["all"][0] / max(files["all"][1], 1)


if __name__ == "__main__":
    action = {"--coverage": coverage, "--keep": keep, "--times": times, "--afl": afl}.get((sys.argv[1:2] or [""])[0])
    if not action:
        row.main(globals())
    try:
        sys.exit(action())
    except row.Skip as reason:
        print(reason)
        sys.exit(77)

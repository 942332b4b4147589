"""Small profiles that would grow: text that packs well, endless pieces, deep nesting, columns that compute their values, more processes, streams
and names than a job has. Each is imported and judged: it ends, within CPU seconds that its size allows, and takes no more memory than
64 MiB + 64 times the file, and 200 kB for each process of it (docs/IMPORT.md, Limits).

    import_bombs.py BATON WORK [memory]     status 1 when one does not hold; "memory": memory is judged too (not under a sanitizer)
"""
import glob
import gzip
import os
import signal
import sqlite3
import subprocess
import sys

LEAST_BYTES, FOLD, PROCESS_BYTES, LEAST_SECONDS, SECONDS_A_MIB = 64 << 20, 64, 200_000, 5, 1
HEAD = b'{"schemaVersion":1,"deviceProperties":[],"traceEvents":['
KERNEL = b'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":1,"args":{"device":0,"stream":7,"correlation":%d}}'
END = KERNEL % (1, 1) + b"]}"
CALL = b'{"ph":"X","cat":"cuda_runtime","name":"%d","pid":%d,"tid":%d,"ts":%d,"dur":1,"args":{"correlation":%d}},'
NVPROF = b"==1== NVPROF is profiling process 1\n==1== Profiling result:\n"
MIB = b"a" * (1 << 20)
TEXTS = {
    "string.json": lambda: [HEAD, b'{"ph":"X","cat":"kernel","name":"', *[MIB] * 120, b'"},', END],
    "key.json": lambda: [b'{"', *[MIB] * 120, b'":1,"traceEvents":[', END],
    "outside.json": lambda: [b'{"x":"', *[MIB] * 120, b'","traceEvents":[', END],
    "arrays.json": lambda: [HEAD, *[b"[" * (1 << 20)] * 100],
    "objects.json": lambda: [HEAD, *[b'{"a":' * (1 << 18)] * 40],
    "spaces.json": lambda: [HEAD, *[b" " * (1 << 20)] * 120, END],
    "arguments.json": lambda: [HEAD, KERNEL[:-2] % (1, 1), *[b',"k":"v"' * (1 << 17)] * 100, b"}},", END],
    "same.json": lambda: [HEAD, *[b",".join(KERNEL % (i + k, i + k) for k in range(1000)) + b"," for i in range(0, 50_000, 1000)], END],
    "names.json": lambda: [HEAD, b"".join(CALL % (i, i % 7, i, i, i) for i in range(60_000)), END],
    "cells.csv": lambda: [NVPROF, *[(b'"' + b"a" * 1000 + b'",') * 10 + b"\n"] * 20_000],
    "columns.csv": lambda: [NVPROF, b'"Start",' * (1 << 17), b"\n", *[b"1," * (1 << 17) + b"\n"] * 60],
    "line.csv": lambda: [NVPROF, *[MIB] * 120],
    "quotes.csv": lambda: [NVPROF, *[b'"' * (1 << 20)] * 100],
}
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "


def rows(db, **changes):
    """So many kernels more, each like the first but for these columns, computed from i."""
    names = [column[1] for column in db.execute("PRAGMA table_info(%s)" % KERNELS)]
    first = dict(zip(names, db.execute("SELECT * FROM " + KERNELS).fetchone()))
    for i in range(20_000):
        row = dict(first, start=i * 1000, end=i * 1000 + 500, **{name: made(i) for name, made in changes.items()})
        db.execute("INSERT INTO %s VALUES (%s)" % (KERNELS, ",".join("?" * len(row))), list(row.values()))


def replace_names(db, columns, n):
    db.execute("DROP TABLE StringIds")
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, %s)" % columns)
    for i in range(n):
        db.execute("INSERT INTO StringIds (id) VALUES (?)", [i])


def replace_by_view(db, table, query):
    db.execute("DROP TABLE " + table)
    db.execute("CREATE VIEW %s AS %s%s FROM n" % (table, ENDLESS, query))


def name_threads(db, n):
    """So many names of threads, of the processes that have kernels."""
    db.execute("CREATE TABLE IF NOT EXISTS ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER)")
    db.executemany("INSERT INTO ThreadNames (nameId, globalTid) VALUES (1, ?)", (((i % 1000 + 1) << 24 | i,) for i in range(n)))


TABLES = {
    "view.sqlite": lambda db: replace_by_view(db, KERNELS, "i * 1000 AS start, i * 1000 + 500 AS end, i AS correlationId, 0 AS deviceId, 7 AS streamId"),
    "texts.sqlite": lambda db: replace_by_view(db, "StringIds", "i AS id, hex(zeroblob(30000000 + i)) AS value"),
    "computed.sqlite": lambda db: replace_names(db, "value TEXT AS (hex(zeroblob(30000000)) || id)", 20),
    "shorter.sqlite": lambda db: replace_names(db, "value TEXT AS (hex(zeroblob(100000)) || id)", 1000),
    "processes.sqlite": lambda db: rows(db, globalPid=lambda i: (i + 1) << 24),
    "threads.sqlite": lambda db: (rows(db, globalPid=lambda i: (i % 1000 + 1) << 24), name_threads(db, 65_000)),
    "streams.sqlite": lambda db: rows(db, streamId=lambda i: i),
    "devices.sqlite": lambda db: rows(db, deviceId=lambda i: i),
}


def made(work):
    for name, chunks in TEXTS.items():
        path = os.path.join(work, name + ".gz")
        members = {}  # of a gz file: each chunk once
        with open(path, "wb") as file:
            for chunk in chunks():
                if chunk not in members:
                    members[chunk] = gzip.compress(chunk, 9)
                file.write(members[chunk])
        yield path
    for name, change in TABLES.items():
        path = os.path.join(work, name)
        subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "nsys_fixtures.py"), "2023", path], check=True)
        with sqlite3.connect(path) as db:
            change(db)
        db.close()
        yield path


def judged(baton, path, out, memory):
    """(what is wrong or None, seconds, MiB)"""
    job = subprocess.Popen([baton, "import", path, "-o", out], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGALRM, lambda *_: job.kill())
    signal.setitimer(signal.ITIMER_REAL, 300)
    _, status, usage = os.wait4(job.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    job.returncode = os.waitstatus_to_exitcode(status)
    seconds, size = usage.ru_utime + usage.ru_stime, os.path.getsize(path)
    limit_s = (LEAST_SECONDS + SECONDS_A_MIB * size / (1 << 20)) * (1 if memory else 20)
    most = LEAST_BYTES + FOLD * size + PROCESS_BYTES * len(glob.glob(os.path.join(out, "*.baton")))
    wrong = None
    if job.returncode not in (0, 3, 4):
        wrong = "ends with %d" % job.returncode
    elif seconds > limit_s:
        wrong = "takes %.1f s" % seconds
    elif memory and usage.ru_maxrss * 1024 > most:
        wrong = "takes %d MiB, of %d" % (usage.ru_maxrss >> 10, most >> 20)
    return wrong, seconds, usage.ru_maxrss >> 10


def main():
    baton, work, memory = sys.argv[1], sys.argv[2], sys.argv[3:] == ["memory"]
    if os.fork() == 0:  # what this process has held counts as its children's too
        for _ in made(work):
            pass
        os._exit(0)
    if os.wait()[1] != 0:
        sys.exit("the profiles were not made")
    bad, most = 0, (0, 0)
    paths = [os.path.join(work, name) for name in sorted(os.listdir(work))]
    for path in paths:
        wrong, seconds, mib = judged(baton, path, os.path.join(work, "out-" + os.path.basename(path)), memory)
        most = max(most[0], seconds), max(most[1], mib)
        if wrong:
            bad += 1
            print("%s (%d bytes) %s" % (os.path.basename(path), os.path.getsize(path), wrong))
    print("%d profiles, %d wrong, at most %.1f s and %d MiB" % (len(paths), bad, *most))
    sys.exit(bad > 0 or len(paths) != len(TEXTS) + len(TABLES))


if __name__ == "__main__":
    main()

"""Row 16: links, hard links, FIFOs and directories planted where baton writes; umask 000; raised privileges: nothing outside of the
output directory changes, files have mode 0600 and directories 0700, and no command hangs."""
import os
import shutil
import stat
import subprocess

import row

NUMBER, NAME = 16, "planted files"
TARGET, UNIT = 100, "planted files"
NOTE = "directories of other users: tests/cli/record_end_case.sh"
JOB = [os.path.join(row.BUILD, "simtrain"), "--steps", "2", "--layers", "2"]
PLANTS = ["link", "link to nothing", "hard link", "FIFO", "directory", "link to a directory"]
TEXT = "not baton's\n"


def plant(kind, path, victim):
    if kind == "link":
        os.symlink(victim, path)
    elif kind == "link to nothing":
        os.symlink(victim + ".new", path)
    elif kind == "hard link":
        os.link(victim, path)
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "directory":
        os.mkdir(path)
    else:
        os.symlink(os.path.dirname(victim), path)


def untouched(bench, what, victim):
    bench.expect(open(victim).read() == TEXT, "%s: a file outside was written to" % what)
    bench.expect(os.listdir(os.path.dirname(victim)) == [os.path.basename(victim)], "%s: a file outside was made" % what)


def reduced(bench, kind, victim, what):
    """summary.baton of a run, and the file of -o."""
    run = bench.fresh()
    shutil.copytree(bench.recorded, run, dirs_exist_ok=True)
    plant(kind, os.path.join(run, "summary.baton"), victim)
    status, _, _ = bench.run(row.BATON, "reduce", run, seconds=20)
    bench.expect(status in range(6), "%s: reduce ends with %s" % (what, status))
    untouched(bench, what, victim)


def recording(bench, kind, victim, what):
    """The lock of `baton record`, in a directory that the user has made."""
    run = bench.fresh()
    plant(kind, os.path.join(run, ".baton-recording"), victim)
    status, out, _ = bench.run(row.BATON, "record", "-f", "-o", run, "--", *JOB, seconds=20)
    bench.expect(status in (0, 5), "%s: record ends with %s" % (what, status))
    untouched(bench, what, victim)


def rings(bench, kind, victim, what):
    """A live file's name in the ring directory cannot be known before; what is there is looked at by each command."""
    run, place = bench.fresh(), bench.fresh("rings")
    plant(kind, os.path.join(place, "baton-%d-00000000.1.1.0.live" % os.getuid()), victim)
    status, _, err = bench.record(run, *JOB, seconds=20, BATON_RING_DIR=place)
    bench.expect(status == 0, "%s: record ends with %s: %s" % (what, status, err.decode()[-200:]))
    status, _, _ = bench.run(row.BATON, "report", run, seconds=20, BATON_RING_DIR=place)
    bench.expect(status == 0, "%s: report ends with %s" % (what, status))
    untouched(bench, what, victim)


def modes(bench, kind, victim, what):
    run = os.path.join(bench.fresh(), "new")
    command = "umask 000; exec \"$@\""
    status, _, _ = bench.run("sh", "-c", command, "sh", row.BATON, "record", "-o", run, "--", *JOB)
    found = {name: stat.S_IMODE(os.stat(os.path.join(run, name)).st_mode) for name in os.listdir(run)}
    bench.expect(status == 0 and stat.S_IMODE(os.stat(run).st_mode) == 0o700, "%s: the directory" % what)
    bench.expect(found and set(found.values()) == {0o600}, "%s: %s" % (what, found))


def privileged(bench, kind, victim, what):
    """A set-uid copy of the job, run by another user: the loader leaves the library out, and the library does nothing."""
    if os.getuid() != 0:
        return
    run = bench.fresh()
    os.chmod(bench.work, 0o755)
    os.chmod(run, 0o777)
    copy = os.path.join(bench.work, "setuid")
    shutil.copy(JOB[0], copy)
    os.chmod(copy, 0o4755)
    env = dict(bench.env, LD_PRELOAD=row.LIBRARY, BATON_OUT=run)
    subprocess.run([copy, *JOB[1:]], env=env, user=65534, group=65534, extra_groups=[], capture_output=True, timeout=20)
    bench.expect(not os.listdir(run), "%s: a set-uid program was recorded: %s" % (what, os.listdir(run)))


def piece(bench, first, most):
    row.needs(JOB[0])
    if not hasattr(bench, "recorded"):
        bench.recorded = os.path.join(bench.work, "recorded")
        bench.record(bench.recorded, *JOB)
    places = [reduced, recording, rings, modes, privileged]
    n = min(most, len(places))
    for number in range(first, first + n):
        outside = bench.fresh("outside")
        victim = os.path.join(outside, "victim")
        with open(victim, "w") as file:
            file.write(TEXT)
        place, kind = places[number % len(places)], PLANTS[number // len(places) % len(PLANTS)]
        place(bench, kind, victim, "case %d, %s, %s" % (number, place.__name__, kind))
    return n


if __name__ == "__main__":
    row.main(globals())

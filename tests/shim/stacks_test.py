"""Stacks captured by the shim against the interpreter's own frames, in this interpreter.

Keeps out: wrong offsets of a CPython version, a wrong line, a frame too many or too few, and the
name of a code object that lived at the same address before.

    stacks_test.py          all of it; prints a line and ends with 1 when anything differed
    stacks_test.py bench    what a capture costs
    stacks_test.py trace FILE    a trace file of a few captures; prints what `baton dump --stacks`
                                 must say of them
"""

import asyncio
import gc
import os
import random
import sys
import threading

import stackmod

OFF, PYTHON, NATIVE, BOTH = range(4)
STACK_RECORD, CODE_RECORD = 13, 12
VERSION = sys.version_info[:2]
LIMIT = 128
CAPTURES = int(os.environ.get("CAPTURES", 1000000))
failures = []
checks = 0


def check(what, condition, detail=""):
    global checks
    checks += 1
    if not condition:
        failures.append("%s %s" % (what, detail))


def expected():
    """The caller's frames as sys._getframe has them: (file, function, line)."""
    frame, found = sys._getframe(1), []
    while frame is not None:
        code = frame.f_code
        name = code.co_qualname if VERSION >= (3, 11) else code.co_name
        found.append((code.co_filename, name, frame.f_lineno or 0))
        frame = frame.f_back
    return found


def python_frames(stack):
    return [frame[1:] for frame in stackmod.frames(stack) if frame[0] == "python"]


def same(what, stack, frames):
    found = python_frames(stack)
    check(what, stack and found == frames[:LIMIT],
          "\n  captured %s\n  expected %s" % (found[:6], frames[:6]))


def functions():
    def inner(what):
        same(what, stackmod.here(), expected())
        same(what + ", GIL released", stackmod.here_without_gil(), expected())
        for _ in range(2):
            same(what + ", in a loop", stackmod.here(), expected())
        try:
            raise ValueError
        except ValueError:
            same(what + ", in a handler", stackmod.here(), expected())
        (lambda: same(what + ", lambda", stackmod.here(), expected()))()
        [same(what + ", comprehension", stackmod.here(), expected()) for _ in range(1)]
        return (
            1,
            same(what + ", on a later line", stackmod.here(), expected()),
        )

    inner("function")
    stackmod.call(lambda: inner("called from C"))
    stackmod.call(lambda: stackmod.call(lambda: inner("called from C twice")))
    sorted([2, 1], key=lambda n: same("sort key", stackmod.here(), expected()) or n)


class Thing:
    def __del__(self):
        same("finaliser", stackmod.here(), expected())

    def __eq__(self, other):
        same("operator", stackmod.here(), expected())
        return True

    @property
    def value(self):
        same("property", stackmod.here(), expected())
        return 1


def objects():
    thing = Thing()
    check("equal", thing == 1)
    check("value", thing.value == 1)
    del thing
    gc.collect()


def generators():
    def leaf():
        for _ in range(3):
            same("generator", stackmod.here(), expected())
            yield stackmod.here()

    def middle():
        yield from leaf()

    for _ in middle():
        same("around a generator", stackmod.here(), expected())


def coroutines():
    async def leaf():
        same("coroutine", stackmod.here(), expected())
        await asyncio.sleep(0)
        same("coroutine, resumed", stackmod.here(), expected())
        return 1

    async def some():
        for i in range(2):
            same("async generator", stackmod.here(), expected())
            yield i

    async def main():
        await asyncio.gather(leaf(), leaf())
        async for _ in some():
            await leaf()

    asyncio.run(main())


def recursion():
    def down(n):
        if n:
            return down(n - 1)
        same("deep recursion", stackmod.here(), expected())
        check("bounded", len(python_frames(stackmod.here())) <= LIMIT)

    for depth in (1, 30, LIMIT - 10, LIMIT, LIMIT + 1, 800):
        down(depth)


def threads():
    def work(n):
        for _ in range(200):
            same("thread", stackmod.here_without_gil(), expected())
            if n:
                work(0)
                return

    running = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def odd_names():
    files = ["plain.py", "d\u00e9j\u00e0.py", "\u6587\u4ef6.py", "\U0001f680.py", "", "x" * 300,
             os.fsdecode(b"caf\xe9.py")]
    for name in files:
        names = {"same": same, "stackmod": stackmod, "expected": expected}
        source = "\n" * 3 + "def \u00fcber():\n\n    same('name', stackmod.here(), expected())\n"
        exec(compile(source + "\u00fcber()\n", name, "exec"), names)


def executed():
    """One name, one file, one size: only what is inside differs between two lives of an address."""
    names = {"same": same, "stackmod": stackmod, "expected": expected}
    for i in range(2000):
        lines = ["x = 1"] * 8
        lines[i % 7] = "same('exec', stackmod.here(), expected())"
        exec(compile("def f():\n " + "\n ".join(lines) + "\nf()\n", "<made %d>" % (i % 13), "exec"),
             names)


def renamed():
    """Code of one file, line and size whose name alone differs between two lives of an address."""
    names = {"same": same, "stackmod": stackmod, "expected": expected}
    for i in range(2000):
        name = "f_%04d" % i
        source = "def %s():\n same('renamed', stackmod.here(), expected())\n%s()\ndel %s\n"
        exec(compile(source % (name, name, name), "/src/renamed.py", "exec"), names)


def outside():
    """Another thread's stack: where it waits; and while it runs hardly ever (1 in 200 is too many) a chain that is torn."""
    ready, go_on = threading.Event(), threading.Event()
    found = {}

    def waits():
        found["thread"], found["frames"] = stackmod.this_thread(), expected()
        ready.set()
        go_on.wait()

    def down(n):
        return down(n - 1) if n else sum(range(50))

    def runs():
        while not go_on.is_set():
            exec("def made(): return down(%d)\nmade()" % random.randrange(60), {"down": down})

    thread = threading.Thread(target=waits)
    thread.start()
    ready.wait()
    deadline = 1000
    while deadline:  # until it waits, and its frames stand still
        stack = python_frames(stackmod.outside(found["thread"]))
        if [frame[1] for frame in stack][-len(found["frames"]) - 1:][:1] == ["Event.wait" if VERSION >= (3, 11) else "wait"]:
            break
        deadline -= 1
    own = found["frames"][1:]
    check("outside", deadline and stack[-len(own):] == own, str(stack))
    go_on.set()
    thread.join()
    go_on.clear()

    def starts():
        found["thread"] = stackmod.this_thread()
        ready.set()
        runs()

    ready.clear()
    thread = threading.Thread(target=starts)
    thread.start()
    ready.wait()
    known = {"down", "outside.<locals>.down", "made", "<module>", "runs", "outside.<locals>.runs", "starts",
             "outside.<locals>.starts", "is_set", "Event.is_set", "randrange", "Random.randrange", "_randbelow",
             "_randbelow_with_getrandbits", "Random._randbelow_with_getrandbits", "run", "Thread.run",
             "_bootstrap", "Thread._bootstrap", "_bootstrap_inner", "Thread._bootstrap_inner"}
    seen, wrong = 0, []
    for _ in range(3000):
        names = [frame[1] for frame in python_frames(stackmod.outside(found["thread"]))]
        seen += bool(names)
        if names and (set(names) - known or not names[-1].endswith("_bootstrap")):
            wrong.append(names)
    go_on.set()
    thread.join()
    check("outside while it runs", seen > 10 and 50 * len(wrong) <= seen, "%d seen, %d wrong: %s" % (seen, len(wrong), wrong[:3]))
    check("outside, a thread that is gone", isinstance(stackmod.outside(found["thread"]), int))
    check("outside, nobody", stackmod.outside((0, 0)) == 0 and stackmod.outside((4096, 0)) == 0)


def outside_of_c():
    """A thread of C has a state as long as it is in Python; when it has left, another's is made in the same memory (with
    MALLOC_ARENA_MAX=1 and without tcache). That one's frames are not the first one's."""
    for _ in range(100):
        found, entered, go_on = [], threading.Event(), threading.Event()

        def enters(stays=False):
            found.append(stackmod.this_thread())
            if stays:
                entered.set()
                go_on.wait()

        stackmod.in_c(enters, True)
        stackmod.in_c(lambda: enters(True), False)
        entered.wait()
        (first, _), (second, _) = found
        for _ in range(1000):  # until its frames stand still
            if stackmod.outside(found[1]):
                break
        check("outside, a thread of C", stackmod.outside(found[1]) != 0)
        check("outside, one that has left", stackmod.outside(found[0]) == 0)
        go_on.set()
        if first == second:
            return None
    return "no thread state in the memory of another"


def churn():
    """Captures while other threads make and drop code objects, and what captures is such code."""
    stop = threading.Event()

    def make():
        while not stop.is_set():
            source = "def made_%d():\n    return %d\n" % (random.randrange(1000), random.randrange(9))
            exec(source, {})

    makers = [threading.Thread(target=make) for _ in range(2)]
    for maker in makers:
        maker.start()
    batch, wrong = 5000, 0
    before = stackmod.count(CODE_RECORD)
    for i in range(CAPTURES // batch):
        name = "churned_%05d" % i
        names = {"verify": stackmod.verify}
        source = "def %s():\n    return verify('%s', %d)\n" % (name, name, batch)
        exec(compile(source, "/src/churned.py" if i % 2 else "<churned>", "exec"), names)
        wrong += names[name]()
    stop.set()
    for maker in makers:
        maker.join()
    check("names while code comes and goes", wrong == 0, "%d of %d wrong" % (wrong, CAPTURES))
    made = stackmod.count(CODE_RECORD) - before
    check("code records", made <= CAPTURES // batch + 10, "%d written" % made)


def replaced():
    """Code that dies right after its launch: the next one lies in the same place, called from the
    same one, with the same instructions. Only its name, its file or its line are others."""
    def run(line, name, file):
        names = {"here": stackmod.here}
        source = "\n" * line + "def %s():\n    return here()\n" % name
        exec(compile(source, file, "exec"), names)
        place = id(names[name].__code__)
        stack = names[name]()
        names.clear()  # it refers to the function, which refers to it
        found = python_frames(stack)[:1]
        check("replaced code", found and found[0] == (file, name, line + 2),
              "%s instead of %s" % (found, (file, name, line + 2)))
        return place

    # before 3.12 numbered code, a file of another name alone is not seen
    for differs in range(3 if VERSION >= (3, 12) else 2):
        places = set()
        for i in range(200):
            number = [7, 7, 7]
            number[differs] = i % 10
            places.add(run(number[0], "name_%d" % number[1], "/src/file_%d.py" % number[2]))
        check("places used again", len(places) < 100, len(places))


def written_once():
    def again():
        return stackmod.here()

    before = None
    for _ in range(100):
        stack = again()
        before = before or (stackmod.count(STACK_RECORD), stack)
    check("one record for one stack", (stackmod.count(STACK_RECORD), stack) == before)


def greenlets():
    try:
        import greenlet
    except ImportError:
        return "no greenlet"

    def work(n):
        for _ in range(3):
            same("greenlet", stackmod.here(), expected())
            greenlet.getcurrent().parent.switch()
            if n:
                work(n - 1)

    def nested():
        inner = greenlet.greenlet(work)
        inner.switch(1)
        same("greenlet, parent", stackmod.here(), expected())
        inner.switch()
        work(0)

    some = [greenlet.greenlet(lambda i=i: work(i)) for i in range(3)] + [greenlet.greenlet(nested)]
    for _ in range(3):
        for one in some:
            if not one.dead:
                one.switch()
        same("greenlet, hub", stackmod.here(), expected())
    return None


SUB = """
import sys
sys.path[:0] = %r
import stackmod
def inside():
    stack, line = stackmod.here(), sys._getframe().f_lineno
    return [f[1:] for f in stackmod.frames(stack) if f[0] == "python"], line
frames, line = inside()
with open(%r, "w") as out:
    out.write(repr((frames, line)))
"""


def sub_interpreters(scratch):
    """From 3.12 the thread's state is that of the sub-interpreter it runs; before, that of the main
    one, whose own frames are below."""
    try:
        interpreters = __import__("_interpreters" if VERSION >= (3, 13) else "_xxsubinterpreters")
    except ImportError:
        return "no sub-interpreters"
    one = interpreters.create()
    out = os.path.join(scratch, "sub-interpreter-%d" % os.getpid())
    interpreters.run_string(one, SUB % (sys.path, out))
    outer, here = expected()[1:], expected()[0]
    interpreters.destroy(one)
    with open(out) as file:
        found, line = eval(file.read())
    os.unlink(out)
    if VERSION >= (3, 12):
        check("sub-interpreter", [frame[1:] for frame in found] == [("inside", line), ("<module>", 8)],
              str(found))
    else:
        check("sub-interpreter", found[1:] == outer and found[0][:2] == here[:2], str(found))
    same("after a sub-interpreter", stackmod.here(), expected())
    return None


def native_frames():
    """The native walk: frames of C, in files with build ids; Python's in the place of the loop."""
    why = stackmod.open(BOTH)
    if why:
        return why
    functions()
    recursion()
    stack = stackmod.frames(stackmod.here())
    check("native below Python", stack[0][0] == "python" and stack[-1][0] == "native", str(stack))
    check("own frames are left out", not any("stackmod" in frame[1] for frame in stack), str(stack))
    between = []
    stackmod.call(lambda: sorted([1], key=lambda n: between.append(stackmod.here())))
    kinds = "".join(frame[0][0] for frame in stackmod.frames(between[0]))
    check("Python before native", kinds.lstrip("p").strip("n") == "", kinds)
    stackmod.open(NATIVE)
    stack = stackmod.frames(stackmod.here())
    check("native", stack and all(frame[0] == "native" for frame in stack), str(stack))
    check("files", all(os.path.isabs(frame[1]) for frame in stack), str(stack))
    check("build ids", all(len(frame[2]) == 40 for frame in stack if "/libc" in frame[1]), str(stack))
    stackmod.open(OFF)
    check("off", stackmod.here() == 0)
    stackmod.open(PYTHON)
    return None


def chain(depth):
    """Functions that call each other, each with code of its own, the innermost in stackmod."""
    inner = stackmod.bench
    for i in range(depth):
        names = {"inner": inner}
        source = "\n" * i + "def level_%d(x=None):\n    y = 1\n    return inner()\n" % i
        exec(compile(source, "/src/model_%d.py" % (i % 7), "exec"), names)
        inner = names["level_%d" % i]
    return inner


def bench():
    for name, mode in (("python", PYTHON), ("native", NATIVE), ("both", BOTH)):
        stackmod.open(mode)
        line = []
        for frames in (10, 30):
            inner = chain(frames - 2)  # this function and the module's are frames too
            line.append("%4.0f ns at %d frames" % (inner(), frames))
        print("CPython %d.%d, %-6s %s" % (VERSION + (name, ", ".join(line))))


def trace(path):
    """The records as the shim wrote them, in a trace with calls that carry the stacks."""
    from writer import TraceWriter

    calls = []

    def leaf():
        calls.append((stackmod.here(), expected()))

    stackmod.open(PYTHON)
    for _ in range(3):
        leaf()
    (lambda: leaf())()
    stackmod.open(NATIVE)
    native = stackmod.here()
    out, data, at = TraceWriter(path), stackmod.records(), 0
    while at < len(data):
        size = int.from_bytes(data[at + 4:at + 8], "little")
        out.record(data[at:at + size])
        at += size
    rows = [stack for stack, _ in calls] + [native] * 9
    out.rows("call", [{"start_ns": i, "dur_ns": 1, "thread": 1, "name": 0, "correlation": i,
                       "stack": stack} for i, stack in enumerate(rows)])
    out.close()
    for count, (_, frames) in ((3, calls[0]), (1, calls[3])):
        line = ";".join("%s:%d %s" % (file, line, name) for file, name, line in reversed(frames))
        print(line, count)


def main(scratch):
    skipped = []
    check("opens", stackmod.open(PYTHON) is None, str(stackmod.open(PYTHON)))
    for test in (functions, objects, generators, coroutines, recursion, threads, odd_names, executed,
                 renamed, replaced, written_once, greenlets, lambda: sub_interpreters(scratch),
                 native_frames, outside, outside_of_c, churn):
        skipped.append(test())
    for failure in failures[:10]:
        print(failure)
    reasons = [reason for reason in skipped if reason]
    print("CPython %d.%d: %d checks, %d failed%s" % (VERSION + (checks, len(failures),
          "".join(", " + reason for reason in reasons))))
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    if sys.argv[1] == "bench":
        bench()
    elif sys.argv[1] == "trace":
        trace(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1]))

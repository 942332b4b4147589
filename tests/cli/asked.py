#!/usr/bin/env python3
"""asked.py REQUESTS ANSWERS: one interpreter for all that a case asks (lib.sh). Both are FIFOs, opened for each request: words that end with
a NUL; the answer is "ok" or what is wrong. Ends with the case, which ends it."""
import json
import os
import signal
import sys


def true(file, expression):
    """Over `d`, the JSON object in the file, and `lines`, all when it is one per line."""
    with open(file) as opened:
        text = opened.read()
    try:
        lines = [json.loads(text)]
    except ValueError:
        lines = [json.loads(line) for line in text.splitlines()]
    names = {"json": json, "lines": lines, "d": lines[0]}
    names["count"] = lambda record: sum(line.get("record") == record for line in lines)
    return "ok" if eval(expression, names) else ""


def flip(name, offset, bit="0"):
    """A negative offset counts from the end."""
    with open(name, "r+b") as file:
        file.seek(int(offset), 2 if offset.startswith("-") else 0)
        at = file.tell()
        byte = file.read(1)[0] ^ 1 << int(bit)
        file.seek(at)
        file.write(bytes([byte]))
    return "ok"


def answer(request):
    what, *words = request.decode(errors="surrogateescape").split("\0")[:-1]
    try:
        return {"true": true, "flip": flip}[what](*words)
    except Exception as error:  # what is wrong is the case's to say
        return "%s: %s" % (type(error).__name__, error)


os.closerange(3, 256)  # a lock that the case runs under is not ours
while True:
    signal.alarm(900)  # a case that was killed cannot end it
    with open(sys.argv[1], "rb") as requests:
        request = requests.read()
    with open(sys.argv[2], "w", errors="surrogateescape") as answers:
        answers.write(answer(request).replace("\n", " "))

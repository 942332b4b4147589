"""The messages that `baton record` and the recorder print, and those that docs/FAQ.md lists: faq.py PAGE. Each is in both."""

import glob
import re
import sys

SOURCES = glob.glob("shim/**/*.c", recursive=True) + glob.glob("reducer/record/*.c") + glob.glob("reducer/record_*.c") + ["reducer/cmd_record.c"]
CALL = re.compile(r'\b(?:message|message_detail|diag)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
CONVERSION = re.compile(r"%[-.*\d]*(?:ll|l|z)?[sdux]|%[.*\d]*f")


def printed():
    for path in SOURCES:
        for call in CALL.finditer(open(path).read()):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call[1]))
            text = CONVERSION.sub("...", text.replace("%%", "\0")).replace("\0", "%")
            if re.search("[a-z]", text):
                yield text


def main():
    listed = set(re.findall(r"^\*\*`(.*)`\*\*$", open(sys.argv[1]).read(), re.M))
    said = set(printed())
    for text in sorted(said - listed):
        print("not on the page: " + text)
    for text in sorted(listed - said):
        print("on the page, and nowhere printed: " + text)
    print("%d messages" % len(said))
    sys.exit(said != listed)


main()

#!/usr/bin/env bash
# The text of lines on the page of `report`: only of regular Python files, by the absolute path that the trace has, and only the lines that it
# names. Keeps out: a trace that gets other files into a page which is mailed, a FIFO that stops the report, --no-source that opens a file.
. "$(dirname "$0")/lib.sh"

source_of() { # source_of WANTED OPTION...: the lines of the page of a run with the files train.py and $data, as Python
	"$PYTHON" tests/page/made.py "$work/run" --plain --train "$train" --data "$data" || fail made.py
	expect_status 0 timeout 60 "$BATON" report "$work/run" --html "$work/page.html" "${@:2}"
	checks=$((checks + 1))
	"$PYTHON" - "$work/page.html" "$1" <<'PY' || fail "the page has other lines"
import json, os, re, sys
found = json.loads(re.search(r'id="source">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S).group(1))
shown = sorted((os.path.basename(line["file"]), line["line"], line["text"], line["changed"]) for line in found["lines"])
assert shown == eval(sys.argv[2]), shown
PY
	rm -r "$work/run"
}
numbered() { # a file of 40 lines
	for i in $(seq 40); do echo "    line $i of <$(basename "$1")>"; done >"$1"
	touch -d '2001-01-01' "$1"
}
train=$work/train.py data=$work/data.py
numbered "$train"
numbered "$data"
own="[('train.py', 10, 'line 10 of <train.py>', False), ('train.py', 20, 'line 20 of <train.py>', False)]"
source_of "[('data.py', 7, 'line 7 of <data.py>', False)] + $own"
source_of "[]" --no-source
touch -d '2100-01-01' "$data"
source_of "[('data.py', 7, 'line 7 of <data.py>', True)] + $own"

# No Python, a link to what is no Python, not absolute, no regular file, too large, too short, not there.
numbered "$work/data.txt"
data=$work/data.txt source_of "$own"
(cd "$work" && cp data.txt rel.py)
data=rel.py source_of "$own"
mkdir "$work/folder.py" && data=$work/folder.py source_of "$own"
ln -s data.txt "$work/link.py" && data=$work/link.py source_of "$own"
ln -s /proc/self/environ "$work/environ.py" && data=$work/environ.py source_of "$own"
ln -s "$work/data.py" "$work/second.py" && touch -d '2001-01-01' "$work/data.py"
data=$work/second.py source_of "[('second.py', 7, 'line 7 of <data.py>', False)] + $own"
mkfifo "$work/pipe.py" && data=$work/pipe.py source_of "$own"
truncate -s 5M "$work/large.py" && data=$work/large.py source_of "$own"
echo one >"$work/short.py" && data=$work/short.py source_of "$own"
data=$work/missing.py source_of "$own"
printf 'a\n%.0s' 1 2 3 4 5 6 >"$work/long.py"
printf '%0400d\n' 7 >>"$work/long.py"
touch -d '2001-01-01' "$work/long.py"
data=$work/long.py source_of "[('long.py', 7, '0' * 160 + '...', False)] + $own"

# Without the option no file is opened at all.
data=$work/pipe.py
if command -v strace >/dev/null 2>&1; then
	"$PYTHON" tests/page/made.py "$work/run" --plain --train "$train" --data "$work/data.py" || fail made.py
	strace -f -e trace=openat,open,stat,newfstatat -o "$work/calls" "$BATON" report "$work/run" --html "$work/page.html" --no-source >/dev/null 2>&1
	checks=$((checks + 1))
	[ -s "$work/calls" ] && ! grep -q '\.py"' "$work/calls" || fail "--no-source looks for a file: $(grep '\.py"' "$work/calls" | head -n 3)"
fi
finish

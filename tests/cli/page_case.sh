#!/usr/bin/env bash
# Pages of `--html` as far as that needs no browser (tests/page has one): well-formed, their policy's hashes are those of their script and
# style, nothing in them loads or runs by itself, names cannot leave the documents, which are what --json prints; full disks, odd paths.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

"$PYTHON" tests/page/made.py "$work/hostile" || fail made.py
for n in 1 2; do expect_status 0 "$sim" -o "$work/$n" --ranks $n --steps 10 --kernels 200; done
cp -r "$work/2" "$work/<script>&'\""

page() { # page ID COMMAND...: --html beside text, beside --json, and what is in it
	local id=$1
	shift
	expect_status 0 "$@"
	mv "$work/out" "$work/text"
	expect_status 0 "$@" --html "$work/page.html"
	checks=$((checks + 1))
	cmp -s "$work/out" "$work/text" || fail "--html changes what is printed"
	expect_status 0 "$@" --json --html "$work/page.html"
	mv "$work/out" "$work/json"
	expect_status 0 "$@" --json
	checks=$((checks + 2))
	cmp -s "$work/out" "$work/json" || fail "--html changes what --json prints"
	"$PYTHON" tests/page/well.py "$work/page.html" "$id=$work/json" >"$work/why" || fail "$id: $(head -n 5 "$work/why")"
}
for run in "$work/hostile" "$work/2" "$work/<script>&'\""; do
	page report "$BATON" report "$run"
	page report "$BATON" report --gaps 3 --by op "$run"
	page jitter "$BATON" jitter "$run"
	page compare "$BATON" compare "$work/1" "$run"
done

# The sentences are those of the text, and the page says what the text said.
expect_status 0 "$BATON" report "$work/2" --html "$work/page.html"
checks=$((checks + 2))
"$PYTHON" - "$work/page.html" "$work/out" <<'PY' || fail "the words of the page are not those of the text"
import html.parser, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
text = open(sys.argv[2], encoding="utf-8").read()
words = json.loads(re.search(r'id="words">(.*?)</script>', page, re.S).group(1))
flat = " ".join(text.split())
assert words["text"] == text.rstrip("\n"), "text"
assert " ".join(words["answer"].split()) in flat, words["answer"]
for finding in words["findings"][:3]:
    assert " ".join(finding["gain"].split()) in flat and " ".join(finding["see"].split()) in flat, finding
figures = json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S).group(1))
assert sum(figures["time_ns"].values()) == figures["step_ns"], figures
PY

# The same run makes the same bytes.
expect_status 0 "$BATON" report "$work/2" --html "$work/again.html"
cmp -s "$work/page.html" "$work/again.html" || fail "the same run, another page"

# ---- where it is written ----
expect_status 5 "$BATON" report "$work/2" --html "$work/missing/page.html"
expect_says "missing/page.html: No such file or directory"
expect_status 5 "$BATON" report "$work/2" --html "$work"
expect_says "Is a directory"
expect_status 5 "$BATON" compare "$work/1" "$work/2" --html /dev/null
expect_says "/dev/null: no plain file"
trace=$(find "$work/2" -name "*.baton" ! -name "summary*" | head -n 1)
cp "$trace" "$work/trace.baton"
expect_status 5 "$BATON" report "$trace" --html "$trace"
expect_says "holds something else than a page"
checks=$((checks + 2))
cmp -s "$trace" "$work/trace.baton" || fail "--html replaced a recording"
[ -c /dev/null ] || fail "/dev/null is no device any more"
for command in "report $work/2" "compare $work/1 $work/2" "jitter $work/2"; do
	mkdir "$work/full"
	echo "<!doctype html>kept" >"$work/full/page.html"
	expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' full "$BATON" $command --html "$work/full/page.html"
	expect_says "page.html: File too large"
	checks=$((checks + 1))
	[ "$(ls -A "$work/full")" = page.html ] && [ "$(cat "$work/full/page.html")" = "<!doctype html>kept" ] || fail "a full disk leaves $(ls -A "$work/full")"
	rm -r "$work/full"
done
(cd "$work" && "$BATON" report 2 --html here.html >/dev/null) && [ -s "$work/here.html" ] || fail "a name without a directory"
expect_status 2 "$BATON" report "$work/2" --critical --html "$work/page.html"
expect_says "--critical and --html are two reports"
finish

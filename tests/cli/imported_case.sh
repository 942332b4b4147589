#!/usr/bin/env bash
# A profile of another tool as the operand of a command: imported once, beside it. Keeps out: an import each time, an answer from the
# import of another file of that name, a half import taken for a whole one, a status of the import that the second command forgets, a
# baseline or a trace taken for a profile.
. "$(dirname "$0")/lib.sh"
kineto stalls "$work/stalls"
profile=$(find "$work/stalls" -type f | sort | head -n 1)

changed() { # changed STATEMENT: the profile, by Python; `d` is its JSON, under a name that says nothing
	"$PYTHON" -c 'import gzip, json, sys
text = open(sys.argv[1], "rb").read()
d = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
kernels = [event for event in d["traceEvents"] if event.get("cat") == "kernel"]
exec(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))' "$profile" "$work/one.json" "$1"
}
changed 'd.pop("distributedInfo", None)' # a job of one rank
profile=$work/one.json
run=$work/one.json.imported

same() { # same COMMAND...: on the profile as on its import
	expect_status 0 "$BATON" import -f "$work/one.json" -o "$work/by.hand"
	expect_status 0 "$BATON" "$@" "$work/by.hand"
	sed "s,$work/by.hand,RUN," "$work/out" >"$work/by_hand.out"
	expect_status 0 "$BATON" "$@" "$work/one.json"
	checks=$((checks + 1))
	sed "s,$run,RUN," "$work/out" | cmp -s - "$work/by_hand.out" || fail "another answer"
}

expect_status 0 "$BATON" report "$work/one.json"
expect_says "in $run"
expect_says_not "next: baton"
expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum "$work/one.json"
expect_says_not "in $run"
same report --json
same stats --format csv -r cuda_gpu_trace
same jitter --json
expect_status 0 "$BATON" compare "$work/one.json" "$work/one.json"

# another file of that name
changed 'for event in kernels: event["name"] = "other_kernel"'
expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum "$work/one.json"
expect_says "in $run"
checks=$((checks + 1))
grep -q other_kernel "$work/out" || fail "the kernels of the file that was there before"

# an import that was not finished has no mark
rm "$run/.source"
expect_status 0 "$BATON" report "$work/one.json"
expect_says "in $run"

# what could not be used is still said the second time, by the status
changed 'kernels[0]["dur"] = -5'
expect_status 4 "$BATON" report "$work/one.json"
expect_status 4 "$BATON" report "$work/one.json"
expect_says_not "in $run"

# nothing can be used
head -c 300 "$work/one.json" >"$work/cut.json"
expect_status 3 "$BATON" report "$work/cut.json"
checks=$((checks + 1))
[ ! -e "$work/cut.json.imported" ] || fail "a directory of nothing is left"
echo '{"name": "no profile"}' >"$work/no.json"
expect_status 3 "$BATON" report "$work/no.json"
expect_says "not a baton trace"

# nothing can be made beside it
: >"$work/two.json.imported"
cp "$(find "$work/by.hand" -name "*.baton" ! -name "summary*" | head -n 1)" "$work/trace.baton"
cp "$work/one.json" "$work/two.json"
expect_status 5 "$BATON" report "$work/two.json"
expect_says "two.json is imported into a directory beside it"

# a trace of baton's own is none
expect_status 0 "$BATON" report "$work/trace.baton"
checks=$((checks + 1))
[ ! -e "$work/trace.baton.imported" ] || fail "a trace was imported"
finish

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

# A report of nsys, whose format is not published: without nsys what to do with it, with nsys in PATH what that exports. Keeps out: its
# options that older ones do not know, a failure without a word, an SQLite file that is left.
sim=${SIM:-$(dirname "$BATON")/baton-sim}
report=$work/reports/one.nsys-rep
mkdir "$work/reports" "$work/nsys"
printf 'NVIDIA Tegra Profiler Report\0' >"$report"
expect_status 3 env PATH="$work/none" "$BATON" report "$report"
expect_says "one.nsys-rep: a report of nsys as it was recorded: export it first, nsys export -t sqlite FILE"
expect_says_not "not a baton trace"
checks=$((checks + 1))
[ ! -e "$report.imported" ] || fail "a directory of nothing is left"
expect_status 0 "$sim" -o "$work/exported" --workload ddp --ranks 1 --steps 4 --kernels 50
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/one.sqlite" "$work/exported"
cat >"$work/nsys/nsys" <<'END'
#!/bin/sh
echo "$@" >>"$NSYS_SAID"
[ "${NSYS_FAILS:-}" = all ] && { echo "the report is damaged" >&2; exit 1; }
case $* in *--include-blobs*) [ "${NSYS_FAILS:-}" = blobs ] && exit 1 ;; esac
while [ "$1" != -o ]; do shift; done
[ -e "$3" ] && cp "$NSYS_SQLITE" "$2"
END
chmod +x "$work/nsys/nsys"
export NSYS_SAID=$work/nsys/said NSYS_SQLITE=$work/one.sqlite
expect_status 0 "$BATON" report --json "$work/one.sqlite"
expect_true "d['run']['source'] == 'nsys'"
sed "s,$work/one.sqlite.imported,RUN," "$work/out" >"$work/sqlite.out"
same_as_sqlite() { # same_as_sqlite OPERAND: its report is that of the SQLite file
	PATH=$work/nsys:$PATH expect_status 0 "$BATON" report --json "$1"
	checks=$((checks + 1))
	sed "s,$1.imported,RUN," "$work/out" | cmp -s - "$work/sqlite.out" || fail "another answer of $1"
	checks=$((checks + 1))
	[ -z "$(find "$1.imported" -name "*sqlite*")" ] || fail "what nsys made is left"
}
same_as_sqlite "$report"
expect_says "one.nsys-rep: nsys exports it"
same_as_sqlite "$work/reports"
rm -r "$report.imported"
NSYS_FAILS=blobs same_as_sqlite "$report"
checks=$((checks + 1))
[ "$(grep -c "^export -t sqlite --include-blobs=true -o .* $report\$" "$NSYS_SAID") $(grep -c "^export -t sqlite -o .* $report\$" "$NSYS_SAID")" = "3 1" ] ||
	fail "what nsys was asked: $(cat "$NSYS_SAID")"
rm -r "$report.imported"
# ... and one of a directory whose SQLite file nsys left beside it (nsys profile --stats=true)
said=$(wc -l <"$NSYS_SAID")
cp "$work/one.sqlite" "$work/reports/one.sqlite"
PATH=$work/nsys:$PATH expect_status 0 "$BATON" report --json "$work/reports"
checks=$((checks + 1))
[ "$(wc -l <"$NSYS_SAID")" = "$said" ] || fail "a report is exported whose SQLite file is there"
rm "$work/reports/one.sqlite"
NSYS_FAILS=all PATH=$work/nsys:$PATH expect_status 3 "$BATON" report "$report"
expect_says "the report is damaged" "one.nsys-rep: nsys cannot export it"
: >"$work/one.sqlite"
PATH=$work/nsys:$PATH expect_status 3 "$BATON" report "$report"
expect_says "one.nsys-rep: what nsys exports is no SQLite file of it"

# Keeps out: a file that is nothing, which ends the answer of the runs beside it.
: >"$work/empty.txt"
expect_status 4 "$BATON" report "$work/exported" "$work/empty.txt"
expect_says "empty.txt: offset 0x0: not a baton trace"

# nothing can be made beside it
: >"$work/two.json.imported"
cp "$(find "$work/by.hand" -name "*.baton" ! -name "summary*" | head -n 1)" "$work/trace.baton"
cp "$work/one.json" "$work/two.json"
expect_status 5 "$BATON" report "$work/two.json"
expect_says "two.json is imported into a directory beside it"

# A directory of profiles, as torch.profiler's handler makes it. Keeps out: ranks that are left out, an old import after a file came to
# it, a run that has a profile in it taken for a directory of profiles.
kineto handler "$work/traces" --gz
rm "$work/traces.json"
expect_status 0 "$BATON" report --json "$work/traces"
expect_says "2 processes" "in $work/traces.imported"
expect_true "len(d['devices']) == 2"
sed "s,$work/traces.imported,RUN," "$work/out" >"$work/directory.out"
expect_status 0 "$BATON" report --json "$work/traces/"
expect_says_not "in $work/traces.imported"
expect_status 0 "$BATON" import "$work/traces" -o "$work/ranks.by.hand"
expect_status 0 "$BATON" report --json "$work/ranks.by.hand"
checks=$((checks + 1))
sed "s,$work/ranks.by.hand,RUN," "$work/out" | cmp -s - "$work/directory.out" || fail "another answer of the directory"
for command in jitter stats whatif "report --by op" "export --format nsys-sqlite -o $work/traces.sqlite"; do
	expect_status 0 "$BATON" $command "$work/traces"
done
(cd "$work/traces" && "$BATON" report .) >"$work/out" 2>"$work/err" || fail "report . in a directory of profiles: $?"
expect_says_not "in $work/traces.imported"
touch "$work/traces/new"
expect_status 0 "$BATON" report "$work/traces"
expect_says "in $work/traces.imported" "new: an empty file, skipped"
cp "$work/one.json" "$work/by.hand"
expect_status 0 "$BATON" report "$work/by.hand"
expect_says_not "imported"
checks=$((checks + 1))
[ ! -e "$work/by.hand.imported" ] || fail "a run with a profile in it was imported"
mkdir "$work/nothing" && echo x >"$work/nothing/x"
expect_status 3 "$BATON" report "$work/nothing"
checks=$((checks + 1))
[ ! -e "$work/nothing.imported" ] || fail "a directory of nothing was imported"

# Several files are one run; compare has a run for each operand. Keeps out: one rank for the whole job.
ranks=("$work"/traces/*.gz)
expect_status 0 "$BATON" report --json "${ranks[@]}"
expect_says "2 processes" "in ${ranks[0]}+1.imported"
checks=$((checks + 1))
sed "s,${ranks[0]}+1.imported,RUN," "$work/out" | cmp -s - "$work/directory.out" || fail "another answer of the files"
expect_status 4 "$BATON" compare --json "$work/traces" "${ranks[0]}"
expect_true "[r['gpus'] for r in d['runs']] == [2, 1]"
expect_status 0 "$BATON" compare --json --base "$work/traces,$work/ranks.by.hand" --run "${ranks[0]}+${ranks[1]}"
expect_true "[r['gpus'] for r in d['runs']] == [2, 2]"
expect_status 0 "$BATON" compare --json "$work/traces" "${ranks[0]},${ranks[1]}"
expect_true "[r['gpus'] for r in d['runs']] == [2, 2]"
expect_status 0 "$BATON" whatif "$work/ranks.by.hand" --like "$work/traces"

# a trace of baton's own is none
expect_status 0 "$BATON" report "$work/trace.baton"
checks=$((checks + 1))
[ ! -e "$work/trace.baton.imported" ] || fail "a trace was imported"
finish

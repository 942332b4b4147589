#!/usr/bin/env bash
# baton keep, and baton record --keep-slow: a copy of what --keep-last holds, on demand and where a step takes long.
# Keeps out: a copy that is no whole run, or is half there; a slow step that is not seen, or seen twice; a next command that does not
# show it; files that stay after the job; a disk that fills with copies.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13
bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST LD_PRELOAD
ulimit -c 0
train="$bin/simtrain --layers 2 --input-stall 10 --stall-range"
whole() { # whole DIR: every file of it is
	expect_status 0 "$BATON" check "$1"
}
told() { grep -c "^baton: a step took" "$work/told"; }

# The loader has the batch of step 400 once the file is there: much later than all others.
# shellcheck disable=SC2086
"$BATON" record --keep-last 4s --keep-slow 3x -o "$work/run" -- "$bin/simlaunch" -n 2 -- $train --steps 900 --batch-after "$work/go@400" \
	>"$work/said" 2>"$work/told" &
record=$!
(sleep 6 && touch "$work/go") &
until ls "$work/run"/*.baton >/dev/null 2>&1; do sleep 0.1; done
sleep 2.5
expect_status 0 "$BATON" keep "$work/run"
expect_says "in $work/run.kept-1        next: baton report $work/run.kept-1"
whole "$work/run.kept-1"
expect_status 0 "$BATON" report --json "$work/run.kept-1"
expect_true 'd["run"]["steps"] > 10 and d["run"]["world_size"] == 2 and d["quality"]["truncated_files"] == 0'
expect_status 0 "$BATON" keep "$work/run/" -o "$work/mine/"
expect_status 2 "$BATON" keep "$work/run" -o "$work/mine"
expect_says "-o $work/mine: it exists; name a new directory"
(
	ulimit -f 8
	expect_status 5 "$BATON" keep "$work/run" -o "$work/small"
	expect_says "$work/small: File too large; there is no copy"
	[ "$failed" = 0 ]
) || failed=$((failed + 1))
checks=$((checks + 1))
[ -z "$(find "$work" -maxdepth 1 -name 'small*')" ] || fail "half a copy is left"
wait $record || fail "the recorded job failed"
checks=$((checks + 3))
[ "$(grep -c 'a step took .* ms, usually .*: kept in' "$work/told")" -ge 1 ] || fail "no slow step is told: $(cat "$work/told")"
next=$(sed -n "s|.*next: baton report \($work/run/slow-[0-9]* --step [0-9]*\)$|\1|p" "$work/told" | tail -n 1)
[ -n "$next" ] || fail "no next command: $(cat "$work/told")"
[ -z "$(find "$work/run" -name '.baton*' -o -name 'slow-*.*')" ] || fail "left: $(ls -A "$work/run")"
# shellcheck disable=SC2086
expect_status 0 "$BATON" report --json $next
expect_true 'd["devices"][0]["window_ns"] > 5e8 and d["findings"][0]["id"] == "input" and d["run"]["steps"] == 1'
whole "${next% --step*}"

# Of many slow steps the four slowest stay; what stood there before goes with -f. (A path with "gpus." in it is no file of samples.)
mkdir "$work/gpus.x"
mv "$work/run" "$work/gpus.x/run"
# shellcheck disable=SC2086
expect_status 0 "$BATON" record -f --keep-last 4s --keep-slow 3 -o "$work/gpus.x/run" -- "$bin/simlaunch" -n 2 -- $train --input-stall 150@100 \
	--steps 2000
cp "$work/err" "$work/told"
checks=$((checks + 2))
copies=$(find "$work/gpus.x/run" -mindepth 1 -maxdepth 1 -name 'slow-*' | wc -l) told=$(told)
[ "$told" -ge 2 ] || fail "slow steps that are told: $told"
[ "$copies" = $((told < 4 ? told : 4)) ] || fail "$copies copies of $told"

# a job that cannot be started
expect_status 127 "$BATON" record --keep-slow 2 -o "$work/never" -- "$work/nothing"
expect_status 126 "$BATON" record --keep-slow 2 -o "$work/never" -- "$work/said"
checks=$((checks + 1))
[ ! -e "$work/never" ] || fail "left: $(ls -A "$work/never")"

# what is even has none, and nothing is said of it
# shellcheck disable=SC2086
expect_status 0 "$BATON" record --keep-last 4s --keep-slow 500 -o "$work/run" -- $train --steps 300
expect_says_not "a step took" "keep-slow"
checks=$((checks + 1))
[ -z "$(find "$work/run" -name 'slow-*' -o -name '.baton*')" ] || fail "left: $(ls -A "$work/run")"
# a job that has ended, one of which nothing is there, and what is no run
expect_status 0 "$BATON" keep "$work/run" -o "$work/ended"
checks=$((checks + 1))
for file in "$work"/run/*.baton; do
	cmp -s "$file" "$work/ended/$(basename "$file")" || fail "$(basename "$file") differs"
done
(cd "$work/run" && expect_status 0 "$BATON" keep . && expect_says "$work/run.kept-2        next" && [ "$failed" = 0 ]) || failed=$((failed + 1))
expect_status 2 "$BATON" keep "$work/run" "$work/other"
expect_says "one directory at a time: baton keep DIR -o COPY"
expect_status 2 "$BATON" keep "$work/run" -o ""
mkfifo "$work/run/fifo.baton"
mkdir "$work/run/directory.baton"
expect_status 0 "$BATON" keep "$work/run" -o "$work/odd"
mkdir "$work/none"
expect_status 3 "$BATON" keep "$work/none"
expect_says "$work/none: nothing is recorded in it yet"
expect_status 3 "$BATON" keep "$work/nowhere"
expect_status 3 "$BATON" keep "$work/said"
expect_says "$work/said: not a directory of a run"
expect_status 5 "$BATON" keep "$work/run" -o "$work/nowhere/copy"

for wrong in 1 0 -2 x 1.5y nan inf ""; do
	expect_status 2 "$BATON" record --keep-slow "$wrong" -o "$work/never" -- true
	expect_says "--keep-slow wants a number from 1.1 to 1000, such as 1.5: how many times the usual step, not '$wrong'"
done
expect_status 2 "$BATON" record --keep-slow 2 --duration 2 -o "$work/never" -- true
expect_says "--keep-slow covers the whole job: it cannot be used with --delay, --duration or -c"
expect_status 2 "$BATON" record --keep-slow 2 --keep-last 3 -o "$work/never" -- true
expect_says "--keep-slow needs a --keep-last of 4 s at least: traces are written once a second"
finish

#!/usr/bin/env bash
# `baton record --stats` and --report: the job's output, then what `baton stats` prints of the recording; the job's status; the forms of nsys.
. "$(dirname "$0")/lib.sh"
preloads
sim=${SIM:-$(dirname "$BATON")/baton-sim}
unset BATON_OUT BATON_RUN_ID "${!SLURM_@}" "${!PMI_@}" "${!OMPI_@}" "${!PMIX_@}"

# The job "records" what the simulator made, so that the tables have rows.
expect_status 0 "$sim" -o "$work/made" --ranks 2 --steps 4 --kernels 100
job="echo from the job; cp $work/made/*.baton \"\$BATON_OUT\"/; exit 7"
for option in --stats --stats=true; do
	expect_status 7 "$BATON" record $option -o "$work/run$option" -- bash -c "$job"
	{ echo "from the job" && "$BATON" stats "$work/run$option"; } >"$work/want" 2>/dev/null
	checks=$((checks + 1))
	cmp -s "$work/out" "$work/want" || fail "$option prints other tables than baton stats: $(diff "$work/out" "$work/want" | head -n 5)"
	[ "$(grep -c '^ \*\* ' "$work/out")" = 5 ] || fail "not five tables"
	expect_says "2 processes, "
done

# Keeps out: tables where they were not asked for, a `true` that is taken for the job, a status that is not the job's.
for option in --stats=false --reduce; do
	expect_status 7 "$BATON" record $option -o "$work/run$option" -- bash -c "$job"
	[ "$(cat "$work/out")" = "from the job" ] || fail "$option prints tables"
done
expect_status 2 "$BATON" record --stats true -o "$work/none" -- true
expect_says "write --stats=true"
expect_status 2 "$BATON" record --stats=yes -o "$work/none" -- true
expect_says "--stats wants true or false, not 'yes'"
expect_status 3 "$BATON" record --stats -o "$work/empty" -- sh -c 'exit 3'
expect_says "nothing recorded: the job made no CUDA call"
expect_says_not "no trace files"
expect_status 7 bash -c "'$BATON' record --stats -o '$work/full' -- bash -c '$(printf %s "$job" | sed 's/echo from the job; //')' >/dev/full"
expect_nothing_in "$work/none"

# Of two tasks the first one prints, and waits for the other one's trace; of a task that goes on it says what to do.
traces=("$work"/made/*.baton)
tasks() { # tasks STEP FILE: the second task's trace is whole half a second after that file is there
	rm -rf "$work/tasks"
	local launch=(SLURM_JOB_ID=1 SLURM_STEP_ID=$1 SLURM_STEP_NUM_TASKS=2)
	env "${launch[@]}" SLURM_PROCID=1 "$BATON" record --stats --report -o "$work/tasks" -- bash -c \
		"head -c 600 '${traces[1]}' >\$BATON_OUT/b.baton; n=0; until [ -e '$2' ] || [ \$((n += 1)) -gt 3000 ]; do sleep 0.02; done; sleep 0.5; cp '${traces[1]}' \$BATON_OUT/b.baton; exit 4" >"$work/out1" 2>"$work/err1" &
	while [ ! -s "$work/tasks/b.baton" ]; do sleep 0.05; done
	expect_status 7 env "${launch[@]}" SLURM_PROCID=0 "$BATON" record --stats --report -o "$work/tasks" -- bash -c "cp '${traces[0]}' \$BATON_OUT/a.baton; exit 7"
}
tasks 1 "$work/tasks/a.baton"
expect_prints " ** NVTX Range Summary"
expect_says "2 processes, " "2 x simulated GPU"
wait $!
checks=$((checks + 1))
[ ! -s "$work/out1" ] && [ ! -s "$work/err1" ] || fail "the second task says: $(head -n 3 "$work/out1" "$work/err1")"
tasks 8 "$work/never"
expect_prints_not "**"
expect_says "(1 still recorded)" "--stats: processes of the job still record; when they have ended: baton stats " "--report: processes of the job still record; when they have ended: baton report "
expect_says_not "Why is this slow?"
kill $! 2>/dev/null
wait
finish

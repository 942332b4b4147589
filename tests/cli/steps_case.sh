#!/usr/bin/env bash
# Steps without markers: optimizers' marks, what they leave out, and periodicity.
. "$(dirname "$0")/lib.sh"

steps_of() { # steps_of CASE [OPTIONS...]: its report is in $work/out
	[ -d "$work/$1" ] || "$PYTHON" tests/cli/steps_traces.py "$1" "$work/$1" || fail "steps_traces.py $1"
	expect_status 0 "$BATON" report --json "$work/$1" "${@:2}"
}

# Keeps out: optimizers that step after one backward counted as steps each.
steps_of two_optimizers
expect_true "d['run']['steps'] == 19 and d['run']['step_source'] == 'optimizer'"

# Keeps out: a backward inside a graph, which PyTorch does not see, that joins all steps to one.
steps_of graph_part
expect_true "d['run']['steps'] == 39 and d['run']['step_source'] == 'optimizer'"

# Keeps out: a thread's mark that is left out because another thread had a backward, or none.
steps_of threads
expect_true "d['run']['steps'] == 24 and d['run']['step_source'] == 'optimizer'"

# Keeps out: each step of a critic taken for a step, because its generator steps too seldom.
steps_of critics
expect_true "d['run']['steps'] == 15 and d['run']['step_source'] == 'optimizer'"

expect_true "d['run']['step_unit'] == 'A step ends with Adam 1; in it SGD 2 steps 12 times'"
expect_status 0 "$BATON" report "$work/critics"
expect_prints "A step ends with Adam 1; in it SGD 2 steps 12 times"
expect_status 0 "$BATON" report "$work/threads"
expect_wrapped "2 threads of a process train on the same GPU, each by itself. These are the steps of the one that launches most (python, thread 100)"

# Keeps out: two threads that each train as one loop; the steps of one for both, where each has a GPU.
for case in period markers instants optimizers; do
	steps_of loops_$case
	expect_true "d['run']['steps'] == (28 if '$case' == 'instants' else 29) and abs(d['devices'][0]['window_ns'] / d['run']['steps'] - 845000) < 20000"
	expect_true "d['devices'][0]['steps_thread'] == {'name': 'python, thread 100', 'threads': 2, 'threads_here': 2, 'steps_beside': 20}"
done
expect_status 0 "$BATON" report "$work/loops_period"
expect_wrapped "The other threads' kernels are in these steps too: 34 % of them have the same kernels (confidence 0.34)"
for case in devices devices_optimizers; do
	steps_of loops_$case
	expect_true "[d['steps'] for d in d['devices']] == [29, 19] and d['run']['step_confidence'] == 1"
	expect_true "[d['steps_thread']['name'] for d in d['devices']] == ['python, thread 100', 'python, thread 101']"
done
expect_status 0 "$BATON" report "$work/loops_devices"
expect_wrapped "2 threads of a process train, each by itself: each GPU has the steps of the thread that launches its work"
# Keeps out: the steps of a loop that goes from thread to thread counted for one of them.
for case in steps_in_turns optimizer_in_turns; do
	steps_of $case
	expect_true "d['run']['steps'] == 19 and d['devices'][0]['steps_thread'] is None"
done

# Keeps out: the range that a profiler opens after the last step counted as a step of no length.
steps_of last_empty
expect_true "d['run']['steps'] == 9 and d['run']['step_source'] == 'marker' and d['quality']['steps_cut'] == 1"
expect_true "abs(d['devices'][0]['window_ns'] / 9 - 252000) < 1000"
steps_of last_empty --time 0..1
expect_true "d['run']['steps'] == 9"

# Keeps out: the few marked steps of a run for all of it, where the optimizer or periodicity knows more, and no word of it.
steps_of few_markers
expect_true "d['run']['steps'] == 29 and d['run']['step_source'] == 'optimizer'"
expect_true "d['run']['step_other_way'] == {'source': 'marker', 'covers_too_little': True, 'steps': 3, 'confidence': 1, 'kernels_inside': 0.1}"
expect_status 0 "$BATON" report "$work/few_markers"
expect_wrapped "Step markers cover only 10 % of the kernels (3 steps), so these steps were found in another way (confidence 1.00)"
steps_of few_markers_period
expect_true "d['run']['steps'] == 29 and d['run']['step_source'] == 'periodicity' and d['run']['step_other_way']['source'] == 'marker'"
steps_of few_markers_period --step-range 'step *'
expect_true "d['run']['steps'] == 3 and d['run']['step_other_way'] is None"
# Keeps out: evaluation counted as steps because it is most of the run; steps in what has no order.
steps_of few_markers_evaluation
expect_true "d['run']['steps'] == 29 and d['run']['step_source'] == 'marker' and not d['run']['step_other_way']['covers_too_little']"
steps_of few_markers_no_better
expect_true "d['run']['steps'] == 3 and d['run']['step_source'] == 'marker' and d['run']['step_other_way']['source'] == 'periodicity'"
expect_status 0 "$BATON" report "$work/few_markers_no_better"
expect_wrapped "Steps found by periodicity were sought instead, but are no better"

# Keeps out: three warm-up steps for an answer, where the others run inside a graph.
steps_of graph_whole
expect_true "d['run']['steps'] == 39 and d['run']['step_source'] == 'periodicity' and d['quality']['steps_cut'] == 4"
expect_true "d['run']['step_confidence'] == 1 and d['run']['step_unit'] is None"

# Keeps out: the same where a launch of the graph has one record, of three warm-up steps and of none; a graph that is little of it.
steps_of graph_whole_ops
expect_true "d['run']['steps'] == 39 and d['run']['step_source'] == 'periodicity' and d['run']['step_confidence'] == 1"
expect_true "d['run']['step_unit'] == 'A step is a launch of graph' and d['devices'][0]['step_ns']['p50'] == 281000"
# Keeps out: eager warm-up beside steps of a graph, and the step before which it was captured; eager steps that are most of the run.
steps_of graph_after_warm_up
expect_true "d['run']['steps'] == 25 and d['run']['step_source'] == 'optimizer' and d['quality']['steps_cut'] == 13"
steps_of graph_after_half
expect_true "d['run']['steps'] == 39 and d['quality']['steps_cut'] == 1"
steps_of graph_only
expect_true "d['run']['steps'] == 39 and d['run']['step_unit'] == 'A step is a launch of graph'"
expect_status 0 "$BATON" report "$work/graph_only"
expect_prints "A step is a launch of graph"
steps_of graph_small
expect_true "d['run']['steps'] == 19 and d['run']['step_source'] == 'periodicity' and d['run']['step_unit'] is None"

# Keeps out: steps that are a small part of the run, and no word of the rest; evaluation counted as steps.
steps_of evaluation
expect_true "d['run']['steps'] == 19 and d['run']['step_source'] == 'optimizer'"
expect_true "d['devices'][0]['steps_outside'] == {'ops_before': 14, 'ops_after': 1800, 'before_ns': 293000, 'after_ns': 37800000}"
expect_true "round(d['run']['step_ops_inside'], 3) == 0.128"
expect_status 0 "$BATON" report "$work/evaluation"
expect_prints "87 % of the GPU ops come after the last step: kernels of the steps' kind, but not all of them"
expect_prints "1,814 ops (87.2 %) and"
steps_of two_optimizers
expect_true "d['run']['step_unit'] is None and d['run']['step_confidence'] == 1"
expect_status 0 "$BATON" report "$work/two_optimizers"
expect_prints_not "come after the last step" "steps are not sure" "A step ends with"

# Keeps out: steps of two kinds that nothing warns of.
steps_of uneven
expect_true "round(d['run']['step_confidence'], 2) == 0.62"
expect_status 0 "$BATON" report "$work/uneven"
expect_prints "The steps are not sure: 62 % of them have the same kernels" "The steps differ: p95 is 5.0 times p50"

# Keeps out: the steps of a generation that crashed; those of one that hardly began.
steps_of restarted
expect_true "d['run']['steps'] == 20 and d['run']['generation'] == 2 and d['run']['generations'] == 2"
expect_status 0 "$BATON" report "$work/restarted"
expect_prints "these are the steps of its generation 2 of 2 (the last)" "9 steps of other generations are left out"
steps_of restarted_late
expect_true "d['run']['steps'] == 9 and d['run']['generation'] == 2 and d['run']['generations'] == 3"
expect_prints_not "(the last)"
"$PYTHON" tests/cli/steps_traces.py restarted_untold "$work/untold" || fail "steps_traces.py"
expect_status 4 "$BATON" report --json "$work/untold"
expect_says "rank 0 was written by two processes"
expect_true "d['run']['steps'] == 20 and d['run']['generation'] == 2 and d['run']['generations'] == 2"
steps_of restarted_once
expect_true "d['run']['steps'] == 20 and d['run']['generation'] is None and d['run']['generations'] == 1"

# Keeps out: no steps for a profile without marks; layers of its only step that are taken for steps.
steps_of imported
expect_true "d['run']['steps'] == 8 and d['run']['step_source'] == 'periodicity' and d['quality']['steps_cut'] == 0"
expect_status 0 "$BATON" report "$work/imported"
expect_wrapped "Only the order of the kernels tells these steps, no mark in the trace (--steps none: the whole run as one)"
steps_of imported_one
expect_true "d['run']['steps'] == 1 and d['run']['step_source'] == 'none'"
steps_of imported_one --steps period
expect_true "d['run']['steps'] > 1 and d['run']['step_source'] == 'periodicity'"

# Keeps out: no word of what recurs, or a claim where only the order of kernels of no optimizer is known.
for workload in ddp inference; do
	expect_status 0 "${SIM:-$(dirname "$BATON")/baton-sim}" -o "$work/$workload" --workload $workload --ranks 1 --steps 5 --nvtx off
done
expect_status 0 "$BATON" report --json "$work/ddp"
expect_true "d['run']['step_unit'] == 'A step updates the weights: it launches 2 kernels of an optimizer'"
expect_status 0 "$BATON" report --json --taxonomy seed "$work/ddp"
expect_true "d['run']['step_source'] == 'periodicity' and d['run']['step_unit'] is None"
expect_status 0 "$BATON" report "$work/inference"
expect_wrapped "What a step is, is not sure: no kernel in it is known as an optimizer's"

# Keeps out: micro-batches and passes of an evaluation taken for steps, where an optimizer's kernels tell them.
for case in "micro_batches 11" "evaluated_once 6"; do
	steps_of ${case% *}
	expect_true "d['run']['steps'] == ${case#* } and d['run']['step_source'] == 'periodicity'"
	expect_true "d['run']['step_unit'] == 'A step updates the weights: it launches 3 kernels of an optimizer'"
done
expect_true "d['devices'][0]['step_ns']['max'] > 1.5 * d['devices'][0]['step_ns']['p50']"

# Keeps out: layers of a backward that computes the forward again taken for steps.
expect_status 0 "${SIM:-$(dirname "$BATON")/baton-sim}" -o "$work/recompute" --workload short_forward --ranks 1 --steps 8 --seed 3 --recompute --nvtx off
expect_status 0 "$BATON" report --json "$work/recompute"
expect_true "d['run']['steps'] == 7 and d['run']['step_source'] == 'periodicity'"

# Keeps out: steps where the whole run was asked for, and a stored answer of the other.
for case in imported two_optimizers; do
	steps_of $case --steps none
	expect_true "d['run']['steps'] == 1 and d['run']['step_source'] == 'none' and d['devices'][0]['window_ns'] == d['devices'][0]['hull_ns']"
	steps_of $case
	expect_true "d['run']['steps'] > 1"
done

# Keeps out: a list of steps that is not the one of the report.
expect_status 0 "$BATON" dump --step-list --json "$work/two_optimizers"
expect_true "[row['step'] for row in lines] == list(range(19)) and all(row['number'] is None for row in lines)"
expect_true "all(a['end_ns'] == b['begin_ns'] and a['window_to_ns'] == b['window_from_ns'] for a, b in zip(lines, lines[1:]))"
window=$("$PYTHON" -c 'import json, sys; rows = [json.loads(line) for line in open(sys.argv[1])]; print(rows[-1]["window_to_ns"] - rows[0]["window_from_ns"])' "$work/out")
steps_of two_optimizers
expect_true "d['devices'][0]['window_ns'] == $window"

# Keeps out: a stage of a pipeline whose micro-batches are taken for steps.
for ranks in 3 5; do
	expect_status 0 "${SIM:-$(dirname "$BATON")/baton-sim}" -o "$work/pipeline$ranks" --workload pipeline --ranks $ranks --steps 12 --nvtx off
	expect_status 0 "$BATON" report --json "$work/pipeline$ranks"
	expect_true "{d['steps'] for d in d['devices']} == {11} and d['run']['step_source'] == 'periodicity'"
	expect_true "d['run']['step_confidence'] > 0.9"
	expect_status 0 "$BATON" report --json --steps none "$work/pipeline$ranks"
	expect_true "{d['steps'] for d in d['devices']} == {1} and d['run']['step_source'] == 'none'"
done

finish

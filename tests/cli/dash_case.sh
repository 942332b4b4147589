#!/usr/bin/env bash
# `-` as the name of what is written: standard output where a command has one answer, else refused. Heads of a table whose runs are not there.
. "$(dirname "$0")/lib.sh"
expect_status 0 "${SIM:-$(dirname "$BATON")/baton-sim}" -o "$work/run" --ranks 2 --steps 6 --kernels 60
mkdir "$work/here"
baton=$(realpath "$BATON")

# Keeps out: files named `-`.
for view in "report --html" "compare --html" "jitter --html" "jitter --svg" "jitter --steps-csv" "report --svg" "reduce -o" "merge -o" "import -o"; do
	expect_status 2 env -C "$work/here" "$baton" $view - ../run
	expect_says "wants a name, and '-' is not standard output here (./- is a file called -)"
done
for format in chrome csv nsys-sqlite nvprof-csv; do
	expect_status 2 env -C "$work/here" "$baton" export --format $format -o - ../run
	expect_says "--format $format writes files: -o wants a name, and '-' is not standard output here"
	expect_status 2 env -C "$work/here" "$baton" export --format $format ../run
	expect_says "-o"
done
expect_nothing_in "$work/here"
expect_status 0 env -C "$work/here" "$baton" report --html ./- ../run
grep -q '<!doctype html' "$work/here/-" || fail "./- is no page"
rm "$work/here/-"

# ... standard output where that is what is asked for.
expect_status 0 env -C "$work/here" "$baton" stats -f csv -r cuda_gpu_kern_sum ../run
cp "$work/out" "$work/plain"
expect_status 0 env -C "$work/here" "$baton" stats -f csv -r cuda_gpu_kern_sum -o - ../run
cmp -s "$work/out" "$work/plain" || fail "-o - prints something else"
expect_status 0 env -C "$work/here" "$baton" metrics -o - ../run
expect_prints "# TYPE baton_"
expect_nothing_in "$work/here"

# Keeps out: heads without a table.
for form in "" --csv --markdown; do
	expect_status 3 "$BATON" compare --taxonomy seed --by group $form "$work/run" "$work/nothing"
	expect_says "$work/nothing: No such file or directory"
	[ ! -s "$work/out" ] || fail "heads: $(head -n 3 "$work/out")"
	checks=$((checks + 1))
done
finish

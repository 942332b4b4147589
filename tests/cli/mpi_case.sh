#!/usr/bin/env bash
# baton-mpi: a run reduced by the processes of an MPI job, against baton alone. Skipped without an MPI.
. "$(dirname "$0")/lib.sh"
built=${BUILD:-build/release}
sim=$built/baton-sim mpi=$built/baton-mpi
[ -x "$mpi" ] || skip "not built: $mpi (no MPI here)"
launcher=${MPIRUN:-mpirun}
command -v "$launcher" >/dev/null || skip "no $launcher"
options=
if "$launcher" --version 2>&1 | grep -q 'Open MPI'; then
	options="--allow-run-as-root --oversubscribe"
	export OMPI_MCA_rmaps_base_oversubscribe=1 PMIX_MCA_gds=hash OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader
fi

# A launch that takes 45 s has status 124, and its processes are shown. mpirun itself may hang (seen once): the first launch that does
# is tried again, a second one fails the case.
cat >"$work/mpirun" <<L
#!/usr/bin/env bash
watch() {
	for _ in \$(seq 35); do
		sleep 1
		kill -0 \$\$ 2>/dev/null || exit
	done
	{ echo "35 s: \$*" && ps -eo pid,ppid,stat,wchan:24,args | grep '[m]pi'; } | cut -c 1-200 >>"$work/slow"
}
launch() {
	local begun=\$SECONDS
	watch "\$@" >/dev/null 2>&1 &
	timeout -k 5 45 $launcher $options "\$@"
	status=\$?
	kill \$! 2>/dev/null
	[ \$((SECONDS - begun)) -lt 45 ] || status=124
}
launch "\$@"
[ \$status != 124 ] || ! mkdir "$work/hung" 2>/dev/null || launch "\$@"
exit \$status
L
chmod +x "$work/mpirun"
mpirun=("$work/mpirun")
"${mpirun[@]}" -n 2 "$mpi" --version >"$work/out" 2>"$work/err" || skip "$launcher does not start two processes here: $(tail -n 1 "$work/err")"
[ "$(wc -l <"$work/out")" = 1 ] || skip "$launcher is of another MPI than $mpi"

# same RUN STATUS K...: reduced by K processes the summary, by report the text, as baton makes them
same() {
	local dir=$work/$1 status=$2 k
	rm -f "$dir/summary.baton"
	expect_status "$status" "$BATON" report --json "$dir"
	cp "$work/out" "$work/wanted.json"
	grep -v '^$' "$work/err" | sort >"$work/wanted.err"
	rm -f "$dir/summary.baton"
	"$BATON" reduce "$dir" 2>/dev/null
	rm -f "$work/wanted"
	[ ! -f "$dir/summary.baton" ] || cp "$dir/summary.baton" "$work/wanted"
	for k in "${@:3}"; do
		rm -f "$dir/summary.baton"
		expect_status "$status" "${mpirun[@]}" -n "$k" "$mpi" reduce "$dir"
		[ ! -f "$work/wanted" ] || expect_status 0 cmp "$work/wanted" "$dir/summary.baton"
		[ -f "$work/wanted" ] || expect_nothing_in "$dir/summary.baton"
		rm -f "$dir/summary.baton"
		"${mpirun[@]}" -n "$k" "$mpi" report --json "$dir" >"$work/mpi.json" 2>"$work/mpi.err"
		expect_status 0 cmp "$work/wanted.json" "$work/mpi.json"
		# what mpirun itself says of a status other than 0 is not ours
		grep '^baton: ' "$work/mpi.err" | sort >"$work/mpi.said"
		expect_status 0 cmp "$work/wanted.err" "$work/mpi.said"
	done
}

# Keeps out: an answer that depends on how many processes made it: replayed runs, steps that ranks agree on, several GPUs of a process,
# collectives that are matched by their order, a rank that is missing.
made() { "$sim" -o "$work/$1" "${@:2}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
made late --ranks 8 --per-host 2 --steps 9 --fault slow_gpu=30@5
made disagree --workload pipeline --ranks 8 --per-host 4 --steps 9 --seed 7 --fault item_end=1@all --fault clock=5000
made jax --workload jax --ranks 8 --per-host 4 --steps 7
kineto ranks "$work/json"
imported "$work/json" "$work/ranks"
same late 0 1 3 8
same disagree 0 2 3
same jax 0 3
same ranks 0 2
rm "$(ls "$work"/jax/*.baton | grep -v summary | head -n 1)"
same jax 4 2

# Keeps out: damage that only another process saw, forgotten; a file that cannot be read, a hang.
cp -r "$work/late" "$work/damaged"
rm -f "$work/damaged/summary.baton"
i=0
for file in "$work"/damaged/*.baton; do
	i=$((i + 1))
	[ $((i % 3)) != 0 ] || flip_bit "$file" 3000
done
same damaged 4 3
cp -r "$work/late" "$work/unreadable"
rm -f "$work/unreadable/summary.baton"
echo no trace >"$work/unreadable/0.baton"
same unreadable 4 2
mkdir "$work/empty"
expect_status 3 "${mpirun[@]}" -n 3 "$mpi" report "$work/empty"
expect_says "no trace files"
expect_status 2 "${mpirun[@]}" -n 2 "$mpi" report --gaps 3 "$work/late"
expect_says "not with baton-mpi"
# Keeps out: an option that is refused by its whole name only, and answered wrongly.
expect_status 2 "${mpirun[@]}" -n 2 "$mpi" report --fresh --gap 3 "$work/late"
expect_status 2 "${mpirun[@]}" -n 2 "$mpi" reduce --par -o "$work/part" "$work/late"
expect_says "not with baton-mpi"
expect_nothing_in "$work/part"
expect_status 2 "${mpirun[@]}" -n 2 "$mpi" compare "$work/late" "$work/jax"
expect_says "knows reduce and report"

# Keeps out: a rank that goes on alone, or waits for ever, when another refuses its options or has its answer.
: >"$work/classes"
for absent in 1 2; do
	files=("$work/classes" "$work/classes")
	files[absent - 1]=$work/absent
	expect_status 2 "${mpirun[@]}" -n 1 "$mpi" report --fresh --classes "${files[0]}" "$work/late" : \
		-n 1 "$mpi" report --fresh --classes "${files[1]}" "$work/late"
done
expect_says "MPI rank 1 refuses"
"$BATON" reduce -o "$work/baseline" "$work/late" 2>"$work/err"
expect_status 0 "${mpirun[@]}" -n 1 "$mpi" report "$work/baseline" : -n 1 "$mpi" report "$work/late"
expect_status 2 "${mpirun[@]}" -n 1 "$mpi" report --nonsense "$work/late" : -n 1 "$mpi" report "$work/late"

# Keeps out: a job that hangs, or ends well without an answer, when one of its processes is killed.
rm -f "$work/late/summary.baton"
"$BATON" report --json --fresh "$work/late" >"$work/wanted.json" 2>"$work/err"
for ms in 000 020 040 060 090 130 180 250; do
	: >"$work/pids"
	"${mpirun[@]}" -n 3 sh -c 'echo $$ >>"$0"; exec "$@"' "$work/pids" "$mpi" report --json --fresh "$work/late" \
		>"$work/out" 2>"$work/err" &
	job=$!
	for _ in $(seq 200); do
		[ "$(wc -l <"$work/pids")" = 3 ] && break
		sleep 0.01
	done
	sleep "0.$ms"
	kill -9 "$(sed -n "$((1 + 10#$ms % 3))p" "$work/pids")" 2>/dev/null
	wait "$job"
	status=$? checks=$((checks + 1))
	[ "$status" != 124 ] || fail "hung when a process was killed after $ms ms"
	[ "$status" != 0 ] || cmp -s "$work/out" "$work/wanted.json" || fail "status 0 without the answer: killed after $ms ms"
done
[ ! -e "$work/slow" ] || cat "$work/slow"
finish

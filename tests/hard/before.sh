#!/usr/bin/env bash
# Does each case that docs/RELIABILITY.md names for a fault ("Faults that trials found") fail on the code before the commit that mended
# it, and pass on that commit? For each row of that table, or for those whose commit or case is asked for:
#   tests/hard/before.sh [COMMIT|PART/CASE|COMMIT:PART/CASE]...       LOGS=DIR: where the logs go (a temporary directory)   JOBS=2: of make
# A row's third cell is the commit; "COMMIT, case of COMMIT2" where the case, or the check in it, came later. The cases are those of that
# day: tests/ of the one commit over the code of the commit before. "SAN=undefined" in the second cell: the build that shows the fault.
# It works in a git worktree of its own under $TMPDIR, which it builds and removes (TREE=DIR: that one, which stays, so that the next run
# builds less); of this tree it takes git's history and the table.
# A line for each row as it comes: before FAILED (the first check that failed), after passed. Where a case could not run whole on that day
# (what it compiles had moved), those of its checks are listed that fail before and not after. Status 1 where a row is otherwise, 2 where one
# cannot be run.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
logs=${LOGS:-$(mktemp -d)} tree=${TREE:-$(mktemp -d)/baton}
export PYTHON=${PYTHON:-python3} BATON_DATA=${BATON_DATA:-$root/../shared/data} NO_COLOR=1 LC_ALL=C PYTHONDONTWRITEBYTECODE=1
mkdir -p "$logs"
[ -n "${TREE:-}" ] || trap 'git -C "$root" worktree remove --force "$tree"; rm -rf "${tree%/baton}"' EXIT
trap 'exit 2' HUP INT TERM
[ -e "$tree/.git" ] || git -C "$root" worktree add -q --detach "$tree" || exit 2

rows() { # CASE COMMIT CASE_COMMIT SAN of each row of the table; "-" for none
	awk -F'|' '/^## Faults that trials found/ { on = 1; next } /^## / { on = 0 }
		on && $4 ~ /[0-9]/ && match($3, /[a-z]+\/[a-z_]+/) {
			name = substr($3, RSTART, RLENGTH)
			san = match($3, /SAN=[a-z,]+/) ? substr($3, RSTART, RLENGTH) : "-"
			gsub(/[^0-9a-f ]/, " ", $4)
			n = split($4, words, " ")
			commit = later = "-"
			for (i = 1; i <= n; i++)
				if (length(words[i]) >= 8) { if (commit == "-") commit = words[i]; else later = words[i] }
			print name, commit, later, san
		}' "$root/docs/RELIABILITY.md"
}

build() { # build CODE TESTS SAN CASES: the tree has the code of one commit and the tests of another. Programs of tests may fail to build
	git -C "$tree" reset -q --hard && git -C "$tree" checkout -q --detach "$1" && git -C "$tree" checkout -q "$2" -- tests || return 1
	config=release
	[ "$3" = - ] || config=san-$(echo "${3#SAN=}" | tr , -)
	local b=build/$config
	local -a targets=("$b/baton" "$b/baton-sim" "$b/digest")
	[ "$3" != - ] || targets+=("$b/libbaton.so")
	case $3,$4 in -,*shim/* | -,*double/*) targets+=(doubles simtrain cupti) ;; esac
	case $3,$4 in -,*shim/*) targets+=(hooks-tests shim-tests) ;; esac
	[ "$3" = - ] && set -- "$1" "$2"
	make -C "$tree" -k -j"${JOBS:-2}" ${3:+"$3"} "${targets[@]}" </dev/null >"$logs/build" 2>&1 || echo "    make: some programs were not built ($1):" \
		"$(grep -m1 'error:' "$logs/build")" >&2
	[ -x "$tree/$b/baton" ]
}

run() ( # run NAME LOG: status, and in the log what the case says
	cd "$tree" || exit 2
	export BUILD=build/$config BATON=$tree/build/$config/baton DIGEST=$tree/build/$config/digest SIM=$tree/build/$config/baton-sim
	timeout -k 9 900 bash "tests/${1}_case.sh" </dev/null >"$2" 2>&1
)

said() { # said STATUS LOG: in one line, what a case ended with
	case $1 in
	0) echo passed ;;
	77) echo "skipped: $(tail -n 1 "$2")" ;;
	124 | 137) echo "FAILED: no end within 900 s" ;;
	*) echo "FAILED: $( (grep -a -m1 -E 'FAIL|runtime error|_test\.c:[0-9]+: ' "$2" || grep -a -m1 -v ': line [0-9]*: ' "$2" || echo "status $1") | cut -c1-160)" ;;
	esac
}

fails() { grep -a FAIL "$1" | sed "s|$tree||; s|/tmp\.[A-Za-z0-9]*||g" | sort -u; } # fails LOG

bad=0
pairs=$(rows | while read -r name commit later san; do
	for asked in ${*:-all}; do # in the order of their commits: less is built again
		case $asked in all | "$name" | "$commit" | "$commit:$name") echo "$(git -C "$root" log -1 --format=%ct "$commit") $name $commit $later $san" && break ;; esac
	done
done | sort -s -n -k 1,1 | cut -d ' ' -f 2- | awk '{ key = $2 " " $3 " " $4; if (!(key in names)) order[++n] = key; names[key] = names[key] " " $1 }
	END { for (i = 1; i <= n; i++) print order[i] names[order[i]] }')
[ -n "$pairs" ] || { echo "no such row" >&2 && exit 2; }
while read -r commit later san names; do
	[ "$later" = - ] && later=$commit
	for side in before after; do
		code=$commit
		[ $side = after ] || code=$commit^
		build "$code" "$later" "$san" "$names" || { echo "$commit $side: does not build: $(grep -m1 -E 'error|\*\*\*' "$logs/build")" && bad=2 && continue; }
		cp "$logs/build" "$logs/$commit.$side.build"
		for name in $(printf '%s\n' $names | sort -u); do
			log=$logs/$commit.${name//\//.}.$side
			run "$name" "$log"
			status=$?
			echo "$commit $name $side: $(said $status "$log")"
			if [ $side = after ] && [ $status != 0 ] && [ $status != 77 ]; then
				mended=$(comm -23 <(fails "${log%.after}.before") <(fails "$log"))
				[ -z "$mended" ] || { echo "    of the checks that failed before these do not:" && printf '%s\n' "$mended" | sed 's/^/        /' && status=0; }
			fi
			case $side,$status in
			before,0 | after,[1-9]*) [ $bad = 2 ] || bad=1 ;;
			before,77 | after,77) bad=2 ;;
			esac
		done
	done
done <<<"$pairs"
exit $bad

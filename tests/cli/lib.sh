# For the cases of this folder: a directory of their own ($work), and what they expect of a command. A check that fails says so and
# the case goes on; `finish` at its end gives the status. Sourced; run.sh runs the cases in the root of the project.
set -u
: "${BATON:=$PWD/build/release/baton}" "${PYTHON:=python3}" "${BATON_DATA:=$PWD/../shared/data}"
export LC_ALL=C NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
leave() { # what a case mounted goes first
	[ ! -e "$work/.asked" ] || kill "$(cat "$work/.asked")" 2>/dev/null
	[ -z "${mounted:-}" ] || umount "$mounted"
	rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
checks=0 failed=0 last= patience=300
case ${BUILD:-} in */debug | */san-*) patience=600 ;; esac # seconds for a command: such a build is several times slower

skip() { # skip REASON
	echo "$1"
	exit 77
}

preloads() { # preloads [FILE...]: a case whose jobs run with the recorder; what they need of the build. BUILD is set
	case ${BUILD:=build/release} in *san-*) skip "a preloaded library cannot bring a sanitizer's runtime" ;; esac
	is_built "$BUILD" "$@"
}

is_built() { # is_built BUILD FILE...: or the case is skipped
	local build=$1 needed
	shift
	for needed; do
		[ -e "$build/$needed" ] || skip "not built: $build/$needed (make test-build)"
	done
}

fail() { # fail TEXT...
	failed=$((failed + 1))
	echo "FAIL: $*"
	[ -z "$last" ] || echo "    of: $last"
	[ ! -s "$work/err" ] || head -n 8 "$work/err" | sed 's/^/    stderr: /'
}

finish() {
	echo "$checks checks, $failed failed${1:+; $1}"
	[ "$failed" = 0 ] && [ "$checks" -gt 0 ]
	exit
}

# expect_status N COMMAND...: what it prints is in $work/out and $work/err. N may be a list: '3|4'.
expect_status() {
	local want=$1 got
	shift
	checks=$((checks + 1)) last="$*"
	timeout "$patience" "$@" >"$work/out" 2>"$work/err"
	got=$?
	case "|$want|" in
	*"|$got|"*) return 0 ;;
	esac
	fail "status $got, expected $want"
	return 1
}

expect_says() { # expect_says TEXT...: each on stderr, as it stands here
	local text
	for text; do
		checks=$((checks + 1))
		grep -qF -- "$text" "$work/err" || fail "stderr lacks: $text"
	done
}

expect_says_not() { # expect_says_not TEXT...
	local text
	for text; do
		checks=$((checks + 1))
		! grep -qF -- "$text" "$work/err" || fail "stderr has: $text"
	done
}

expect_prints() { # expect_prints TEXT...: the same of stdout
	local text
	for text; do
		checks=$((checks + 1))
		grep -qF -- "$text" "$work/out" || fail "stdout lacks: $text"
	done
}

expect_prints_not() { # expect_prints_not TEXT...
	local text
	for text; do
		checks=$((checks + 1))
		! grep -qF -- "$text" "$work/out" || fail "stdout has: $text"
	done
}

expect_wrapped() { # expect_wrapped TEXT...: on stdout, wherever its lines end
	local text
	for text; do
		checks=$((checks + 1))
		tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qF -- "$text" || fail "stdout lacks: $text"
	done
}

# ask WHAT WORD...: of asked.py, which answers all questions of a case: what it says is in $answer. Begun with the first one.
lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ask() {
	if [ ! -p "$work/.requests" ]; then
		mkfifo "$work/.requests" "$work/.answers"
		env -u LD_PRELOAD -u LD_LIBRARY_PATH -u PYTHONPATH "$PYTHON" "$lib/asked.py" "$work/.requests" "$work/.answers" >/dev/null 2>&1 &
		echo $! >"$work/.asked"
		disown # `wait` is for what the case began
	fi
	printf '%s\0' "$@" >"$work/.requests"
	answer=$(<"$work/.answers")
}

# expect_true PYTHON_EXPRESSION: over `d`, the JSON object on stdout, and `lines`, all when it is one per line.
expect_true() {
	checks=$((checks + 1))
	ask true "$work/out" "$1"
	[ "$answer" = ok ] || fail "not true: $1 $answer"
}

expect_nothing_in() { # expect_nothing_in DIR: it is not there, or empty, hidden files too
	checks=$((checks + 1))
	[ ! -e "$1" ] || [ -z "$(ls -A "$1")" ] || fail "$1 holds: $(ls -A "$1" | tr '\n' ' ')"
}

kineto() { # kineto CASE DIR [OPTION...]: a fixture; what it holds is in DIR.json
	"$PYTHON" tests/cli/kineto_fixtures.py "$@" >"$2.json" || fail "kineto_fixtures.py $*"
}

nsys() { # nsys KIND FILE [OPTION...]
	"$PYTHON" tests/cli/nsys_fixtures.py "$@" || fail "nsys_fixtures.py $*"
}

imported() { # imported FILE|DIR DIR...: an import that must work, quietly
	"$BATON" import "$1" -o "$2" 2>"$work/err" || fail "import of $1: status $?"
}

flip_bit() { # flip_bit FILE OFFSET [BIT]: a negative offset counts from the end
	ask flip "$@"
	[ "$answer" = ok ] || fail "flip_bit $*: $answer"
}

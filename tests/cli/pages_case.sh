#!/usr/bin/env bash
# The manual pages and what completes a command line in bash, zsh and fish, both written out of the tables of the commands: every
# option is in them, the pages are sound, the shells take the scripts and answer.
. "$(dirname "$0")/lib.sh"
commands="record import reduce report metrics compare jitter stats stragglers classify export dump check"

options() { # options COMMAND: as its help lists them
	"$BATON" "$1" --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# ---- pages ----
page() { # page NAME TITLE...: sections that it must have
	local name=$1 title
	shift
	expect_status 0 "$BATON" man "$name"
	cp "$work/out" "$work/$name.1"
	for title; do
		checks=$((checks + 1))
		grep -qx ".SH $title" "$work/$name.1" || fail "$name has no section $title"
	done
	command -v groff >/dev/null || return
	checks=$((checks + 1))
	groff -man -Tutf8 -ww "$work/$name.1" >"$work/text" 2>"$work/err" || fail "groff: $name"
	[ ! -s "$work/err" ] || fail "groff warns of $name"
	! grep -q '\\' "$work/text" || fail "$name: an escape is left: $(grep '\\' "$work/text" | head -n 1)"
}
page baton NAME SYNOPSIS DESCRIPTION COMMANDS EXAMPLES "EXIT STATUS" FILES "SEE ALSO"
for command in $commands; do
	page "$command" NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" "SEE ALSO"
	for option in $(options "$command"); do
		checks=$((checks + 1))
		grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" "$work/$command.1" || fail "man $command lacks $option"
	done
	grep -q "baton.-$command" "$work/baton.1" || fail "baton(1) does not name $command"
done
page record ENVIRONMENT FILES
page report ENVIRONMENT FILES
expect_status 2 "$BATON" man nothing
expect_says "unknown command 'nothing'"

# Keeps out: an example that is no command line of baton's: each `baton COMMAND --option` in them is one.
checks=$((checks + 1))
sed -n '/^\.nf/,/^\.fi/p' "$work"/*.1 | sed 's/\\-/-/g' | grep -oE 'baton [a-z]+( [^|&]*)?' | while read -r _ command rest; do
	for word in ${rest%% -- *}; do
		case $word in
		--[a-z]*) options "$command" | grep -qx -- "$word" || echo "$command has no $word" ;;
		esac
	done
done >"$work/why"
[ ! -s "$work/why" ] || fail "examples: $(cat "$work/why")"

# ---- completion ----
for shell in bash zsh fish; do
	expect_status 0 "$BATON" completion $shell
	cp "$work/out" "$work/completion.$shell"
	for command in $commands; do
		for option in $(options "$command"); do
			checks=$((checks + 1))
			grep -qE -- "(--| -l )${option#--}([^a-z-]|\$)" "$work/completion.$shell" || fail "$shell: no $option"
		done
	done
	command -v $shell >/dev/null || continue
	checks=$((checks + 1))
	$shell -n "$work/completion.$shell" 2>"$work/err" || fail "$shell does not take its script"
done
expect_status 2 "$BATON" completion csh
expect_says "for bash, zsh or fish, not 'csh'"

mkdir "$work/here" "$work/here/runs dir"
touch "$work/here/trace.json"
completes() { # completes "WORD..." TEXT...: the last word may be empty; all that is offered in bash
	local line=$1 want
	shift
	want=$(printf '%s\n' "$@" | sort)
	checks=$((checks + 1))
	got=$(cd "$work/here" && bash --norc -c 'source "$1"
		read -ra COMP_WORDS <<<"$2"
		[ "${2% }" = "$2" ] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
		_baton
		printf "%s\n" "${COMPREPLY[@]}"' bash "$work/completion.bash" "$line" | sort)
	[ "$got" = "$want" ] || fail "'$line' is completed by: $(echo "$got" | tr '\n' ' ')"
}
completes "baton re" record reduce report
completes "baton --v" --version
completes "baton report --by " copy device line stack module op range shape
completes "baton report --by s" shape stack
completes "baton report --ke" --kernels
completes "baton report --kernels " ""
completes "baton report " "runs dir"
completes "baton import " "runs dir" trace.json
completes "baton import -o " "runs dir"
completes "baton record " --
completes "baton record --ki" --kill
completes "baton record --stacks n" native
completes "baton record -s n" native
completes "baton record -- bash trace" trace.json
checks=$((checks + 1))
(cd "$work/here" && bash --norc -c 'source "$1"; COMP_WORDS=(baton record -- bas) COMP_CWORD=3; _baton; printf "%s\n" "${COMPREPLY[@]}"' bash \
	"$work/completion.bash") | grep -qx bash || fail "no program is offered after --"
if command -v fish >/dev/null; then
	asked_of_fish() { HOME=$work fish -c "source $work/completion.fish; complete -C '$1'" 2>"$work/err" | cut -f 1 | sort | tr '\n' ' '; }
	checks=$((checks + 2))
	[ "$(asked_of_fish 'baton re')" = "record reduce report " ] || fail "fish: $(asked_of_fish 'baton re')"
	[ "$(asked_of_fish 'baton report --by s')" = "stack " ] || fail "fish: $(asked_of_fish 'baton report --by s')"
fi
finish

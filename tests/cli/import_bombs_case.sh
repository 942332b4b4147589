#!/usr/bin/env bash
# Importers have checks of their own of what a file makes them keep. Keeps out: one that keeps more than the file allows, or that does not end.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bombs"
memory=memory
case ${BUILD:-} in *san-*) memory= ;; esac # a sanitizer has shadows
checks=$((checks + 1))
# shellcheck disable=SC2086
"$PYTHON" tests/cli/import_bombs.py "$BATON" "$work/bombs" $memory >"$work/judged" || fail "$(cat "$work/judged")"
finish "$(tail -n 1 "$work/judged")"

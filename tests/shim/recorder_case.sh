#!/usr/bin/env bash
# The recorder's own programs: conservation by thread, forks, descriptors; its memory; then a thousand kills (fewer under sanitizers,
# whose shadows are no memory of ours).
set -e
kills=1000
case $BUILD in *san-*) kills=100 ;; esac
export TSAN_OPTIONS="die_after_fork=0 history_size=5 suppressions=$PWD/tests/shim/tsan.supp" # recording children of a fork are the point
"$BUILD/tests/shim/core_test" 2>/dev/null
[ $kills = 100 ] || "$BUILD/tests/shim/memory_test" 2>/dev/null
"$BUILD/tests/shim/kill_test" $kills

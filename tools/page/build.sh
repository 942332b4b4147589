#!/bin/sh
# Builds the page's template from tools/page/src. uPlot and esbuild come from npm, pinned by package-lock.json, into build/page.
#   sh tools/page/build.sh OUT       status 1: they cannot be had
set -u
cd "$(dirname "$0")/../.." || exit 1
sh tools/page/npm.sh tools/page build/page || exit 1
NODE_MODULES=$PWD/build/page/node_modules exec node tools/page/build.mjs "$1"

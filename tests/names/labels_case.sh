#!/usr/bin/env bash
# The classifier against labels made by hand before its rules. Keeps out: a rule that moves names into another group.
"$PYTHON" tests/names/score.py --baton "$BATON"

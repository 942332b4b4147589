"""`baton dump --json` of one trace, for the checks of this directory."""
import json


def read(lines):
    """The functions of its code objects and the frames of its stacks, by id, and all of its rows."""
    rows = [json.loads(line) for line in lines]
    codes = {row["id"]: row["function"] for row in rows if row["record"] == "code"}
    stacks = {row["id"]: row["frames"] for row in rows if row["record"] == "stack"}
    return codes, stacks, rows

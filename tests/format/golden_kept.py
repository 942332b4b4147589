"""Golden files of the last part of a recording (docs/FORMAT.md: record 16), for make_golden.py."""

from golden_frame import closed, trace
from writer import known_record

MAX_U64 = 2**64 - 1


def good_kept():
    """Numbers of a recording, then the most and the least that fit; a record of a later version."""
    writer = trace()
    writer.kept(60 * 10**9, 10**18, 10**18 + 10**12, 61204112, 61204000)
    writer.kept(2**63 - 1, -(2**63), 2**63 - 1, 7, MAX_U64)
    writer.record(known_record("kept", 1, 2, 3, 4, 5, extra=bytes(24)))
    return {"kept": closed(writer)}

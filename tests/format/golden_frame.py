"""What golden files have around the block that they are about: good blocks before and after it."""

from writer import MINOR, NONE, TraceWriter


def trace(**options):
    """A writer with one string, so that bad blocks have a good neighbour."""
    options.setdefault("compression", NONE)
    writer = TraceWriter(None, **options)
    writer.string("before")
    writer.flush()
    return writer


def closed(writer):
    """The file with one more good block after whatever is there."""
    writer.string("after")
    writer.close()
    return writer.data()


def with_block(*arguments, minor=MINOR, **fields):
    writer = trace(minor=minor)
    writer.block(*arguments, **fields)
    return closed(writer)

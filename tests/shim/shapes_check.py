"""shapes_check.py [N [MOST]]: what `baton dump --json` says of a recorded shapes.py, on stdin. Of the N grids after the known ones MOST
have a shape, the others none, which a loss counts."""
import sys

import dumped
import shapes

n, most = [int(text) for text in sys.argv[1:]] + [0, 10 ** 9][len(sys.argv) - 1:]
_, _, rows = dumped.read(sys.stdin)
written = [row for row in rows if row["record"] == "shape"]
by_id = {row["id"]: row for row in written}
said = [tuple(row[key] for key in row if key not in ("record", "id")) for row in written]
assert len(by_id) == len(written) and len(set(said)) == len(said), "a shape twice"
ops = sorted((row for row in rows if row["record"] == "op"), key=lambda row: row["start_ns"])


def of(shape):
    return shape and (tuple(shape["grid_" + axis] for axis in "xyz"), tuple(shape["block_" + axis] for axis in "xyz"),
                      shape["dynamic_shared"], shape["registers"], shape["static_shared"], shape["cluster_x"])


found = [of(by_id.get(row.get("shape"))) for row in ops if row["op_kind"] == 1]
expected = [shape + (32, 0, 0) for shape in shapes.SHAPES]
expected += [((1 + i, 1, 1), (64, 1, 1), 0, 32, 0, 0) for i in range(n)]
known = [shape for shape in found if shape]
# On a busy machine buffers of GPU records may be read in another order, so any kernels may be those for which there is no room.
wrong = [pair for pair in zip(found, expected) if pair[0] not in (None, pair[1])]
assert len(found) == len(expected) and not wrong, (len(found), wrong[:8])
assert len(set(known)) == min(most, len(set(expected))), (len(set(known)), most)
lost = sum(row["count"] for row in rows if row["record"] == "loss" and row["what"] == "shapes of launches")
assert lost == len(found) - len(known), (lost, len(found), len(known))
copies = [(row["memory"] & 15, row["memory"] >> 4) for row in ops if row["op_kind"] == 2]
sets = [(row["memory"] & 15, row["memory"] >> 4) for row in ops if row["op_kind"] == 3]
assert copies == shapes.COPIES, copies
assert sets == [(0, kind) for kind in shapes.SETS], sets
results = [(row["name"], row["result"]) for row in rows if row["record"] == "call" and row["result"]]
assert results == [("cudaMemsetAsync", shapes.INVALID_HANDLE)], results
print("%d kernels, %d shapes, %d copies" % (len(found), len(written), len(copies)))

"""The rows of an nsys SQLite file in another order, which no reader may rely on.

    nsys_order.py FROM TO SEED

Each table of TO has the rows and columns of FROM; their order is drawn. Prints how many rows moved.
"""
import random, sqlite3, sys

source, target = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
draw, moved = random.Random(int(sys.argv[3])), 0
for name, made in source.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
    target.execute(made)
    rows = source.execute(f"SELECT * FROM {name}").fetchall()
    order = list(range(len(rows)))
    draw.shuffle(order)
    moved += sum(i != k for i, k in enumerate(order))
    if rows:
        target.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", (rows[i] for i in order))
target.commit()
print(moved, "rows moved")

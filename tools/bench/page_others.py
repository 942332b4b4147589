"""The bytes of a small run's page beside those of what others show of it: the trace that Perfetto's UI loads, and the charts of
HolisticTraceAnalysis, written as HTML. Part of `make bench-page`.

    page_others.py BUILD WORK
"""
import argparse
import os
import subprocess
import sys

import bench

RUN = ("--ranks", "4", "--steps", "12", "--kernels", "300", "--nvtx", "on", "--fault", "slow_gpu=20@2")
CHARTS = """
import sys
import plotly.graph_objects as go
from hta.trace_analysis import TraceAnalysis
figures = []
go.Figure.show = lambda self, *args, **options: figures.append(self)
analysis = TraceAnalysis(trace_dir=sys.argv[1])
analysis.get_temporal_breakdown()
analysis.get_idle_time_breakdown()
analysis.get_gpu_kernel_breakdown()
with open(sys.argv[2], "w") as out:
    for i, figure in enumerate(figures):
        out.write(figure.to_html(full_html=i == 0, include_plotlyjs=i == 0))
print(len(figures))
"""


def quietly(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def bytes_of(path):
    return f"{os.path.getsize(path):,} bytes"


def main():
    build, work = sys.argv[1:]
    baton, run = os.path.join(build, "baton"), os.path.join(work, "small")
    page, perfetto, kineto, charts = (os.path.join(work, name) for name in ("small.html", "small.pftrace", "kineto", "hta.html"))
    quietly(os.path.join(build, "baton-sim"), "-o", run, *RUN)
    quietly(baton, "report", run, "--html", page)
    quietly(baton, "export", "--format", "perfetto", "-o", perfetto, run)
    print(f"4 ranks x 12 steps x 300 kernels: page {bytes_of(page)};  Perfetto's format, all steps {bytes_of(perfetto)}")
    os.makedirs("build/bench", exist_ok=True)
    python = bench.find_hta(argparse.Namespace(work="build/bench"))
    if not python:
        print("HTA's charts: not made, HolisticTraceAnalysis could not be installed here")
        return
    quietly(baton, "export", "--format", "kineto", "-o", kineto, run)
    made = quietly(python, "-c", CHARTS, kineto, charts).strip()
    print(f"HTA's {made.splitlines()[-1]} charts of the same: {bytes_of(charts)}")


if __name__ == "__main__":
    main()

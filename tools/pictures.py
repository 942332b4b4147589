"""pictures.py BUILD [FOLDER]: the pictures of README.md and docs, into docs/pictures or another folder (there no PNG). What commands print on simulated runs becomes SVG; where there is
a Chromium, the page of a run becomes PNG. The runs are the same on every machine, so a second call changes nothing but what has changed.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
baton, sim = os.path.join(build, "baton"), os.path.join(build, "baton-sim")
folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "pictures")
with_page = len(sys.argv) < 3
folder = folder if with_page else os.path.abspath(sys.argv[2])
CHAR, LINE, EDGE, HEAD = 7.83, 17, 14, 30
BACK, BAR, PLAIN, BOLD, DIM = "#1b1f27", "#2a303c", "#d5dae3", "#ffffff", "#8a93a3"
LINK_ROWS = ["X NV4 SYS SYS", "NV4 X SYS SYS", "SYS SYS X NV4", "SYS SYS NV4 X"]


def run(command, cwd, status=(0,)):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=dict(os.environ, COLUMNS="100", BATON_COLOR="always"))
    assert done.returncode in status, (command, done.returncode, done.stderr)
    return done.stdout


def svg(name, prompt, text, columns=100):
    """A terminal with a prompt and what the command printed; bold text as it is there."""
    lines, bold = [], False
    for line in text.rstrip("\n").split("\n"):
        pieces = re.split("(\x1b\\[[01]m)", line)
        plain = "".join(piece for piece in pieces if not piece.startswith("\x1b"))
        seen = bold
        for piece in pieces:
            if piece.startswith("\x1b"):
                bold = piece == "\x1b[1m"
                seen = seen or bold
        lines.append((plain[:columns].rstrip(), seen))
    lines.insert(0, ("$ " + prompt, None))
    width, height = 2 * EDGE + columns * CHAR, HEAD + 2 * EDGE + (len(lines) - 1) * LINE + 6
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">' %
           (width, height, width, height, html.escape(prompt)),
           '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACK, '<path d="M0 %d V8 a8 8 0 0 1 8 -8 H%.0f a8 8 0 0 1 8 8 V%d z" fill="%s"/>' %
           (HEAD - 8, width - 8, HEAD - 8, BAR)]
    out += ['<circle cx="%d" cy="11" r="4.5" fill="%s"/>' % (16 + 15 * i, colour) for i, colour in enumerate(("#e06c75", "#e5c07b", "#98c379"))]
    out.append('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">')
    for row, (line, is_bold) in enumerate(lines):
        if not line:
            continue
        fill, weight = (DIM, "") if is_bold is None else (BOLD, ' font-weight="bold"') if is_bold else (PLAIN, "")
        indent = len(line) - len(line.lstrip(" "))
        line = line[indent:]
        out.append('<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>' %
                   (EDGE + indent * CHAR, HEAD + EDGE + row * LINE, fill, weight, len(line) * CHAR, html.escape(line.replace(" ", "\u00a0"), quote=False)))
    out += ["</g>", "</svg>", ""]
    with open(os.path.join(folder, name), "w") as file:
        file.write("\n".join(out))


def until(text, pattern, lines=0):
    """The text before the line that the pattern finds, at most so many lines."""
    found = re.search(pattern, text, re.M)
    text = text[:found.start()] if found else text
    return "\n".join(text.rstrip("\n").split("\n")[:lines or None])


def make_runs(work):
    def made(name, *options):
        run([sim, "-o", "runs/" + name, *options], work)

    made("4gpu", "--ranks", "4", "--steps", "40", "--fault", "slow_gpu@2")
    for ranks in (1, 2):
        made("%dgpu" % ranks, "--ranks", str(ranks), "--steps", "40")
    places = []
    for i, links in enumerate(LINK_ROWS):
        near = "0-31" if i < 2 else "32-63"
        places += ["place.links.%d=%s" % (i + 1, links), "place.pci.%d=0000:%d1:00.0" % (i + 1, i + 1), "place.numa.%d=%d" % (i + 1, i // 2),
                   "place.cpus.%d=%s" % (i + 1, near)]
    gauges = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "shim", "gauges_made.py")
    run([sys.executable, os.path.abspath(gauges), baton, "runs/4gpu", *places, "*:1:1980:0", "2:1:1790:4"], work)


def terminals(work):
    def printed(*command, status=(0,)):
        return run([baton, *command, "--no-pager"], work, status)

    report = printed("report", "runs/4gpu")
    svg("report.svg", "baton report runs/4gpu", until(report, "^Kernels", 44))
    clock = re.compile(r"\b\d\d:\d\d:\d\d\b")  # the only thing on the screen that is not of the run
    top = clock.sub("14:02:11", printed("top", "--once", "runs/4gpu"))
    head, *rows = re.split("\n+(?=(?:\x1b\\[1m)?rank [0-9])", top.rstrip("\n"))
    svg("top.svg", "baton top runs/4gpu", "\n\n".join([head, next(row for row in rows if "rank 2" in row)]))
    svg("topology.svg", "baton top --once --topology runs/4gpu", clock.sub("14:02:11", printed("top", "--once", "--topology", "runs/4gpu")))
    svg("compare.svg", "baton compare runs/1gpu runs/2gpu runs/4gpu", until(printed("compare", "runs/1gpu", "runs/2gpu", "runs/4gpu"), "^Kernels", 40))


def page(work):
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium")) or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("there is no Chromium: docs/pictures/*.png stay as they are (sh tests/page/install.sh installs it)")
        return
    for name, height, command in (("page", 800, ("report", "runs/4gpu")),
                                ("page-compare", 1400, ("compare", "runs/1gpu", "runs/2gpu", "runs/4gpu"))):
        run([baton, *command, "--html", name + ".html"], work)
        subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
                        "--window-size=1000,%d" % height, "--virtual-time-budget=5000", "--user-data-dir=" + os.path.join(work, "profile"),
                        "--screenshot=" + os.path.join(folder, name + ".png"), "file://" + os.path.join(work, name + ".html")],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory() as directory:
    os.mkdir(os.path.join(directory, "runs"))
    make_runs(directory)
    terminals(directory)
    if with_page:
        page(directory)
for picture in sorted(os.listdir(folder)):
    print("%7d  %s" % (os.path.getsize(os.path.join(folder, picture)), picture))

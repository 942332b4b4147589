"""The tables of `baton report --by`, written from docs/ATTRIBUTION.md section 8 alone, on top of
reference.py. Line tables of code objects are not read: the traces that are compared have none."""

import collections
import re

import reference

TABLES = ("line", "stack", "module", "op", "range")
ENGINE = "autograd::engine::evaluate_function"
NO_LAUNCH = "(no launch record)"
PYTHON, NATIVE, BACKWARD = 1, 2, 3
OPERATOR, PYTHON_RANGE = 4, 5
PASSED = ("torch", "python", "torchinductor", "triton")
PATH_CATEGORIES = (1, 2, 3)
LIBRARIES = """
torch torchvision torchaudio torchdata torch_xla triton numpy scipy pandas PIL cv2 apex
deepspeed accelerate transformers datasets tokenizers pytorch_lightning lightning fairscale
flash_attn xformers einops timm tqdm jax flax optax tensorflow cupy nvidia ray IPython ipykernel
sklearn huggingface_hub diffusers peft trl bitsandbytes safetensors flashinfer sgl_kernel
triton_kernels aiter transformer_engine torchao torchmetrics torchrec fbgemm_gpu liger_kernel
mamba_ssm lightning_fabric tensorboard wandb pydantic packaging yaml matplotlib networkx sympy
numba kornia albumentations mmcv mmengine webdataset sentence_transformers omegaconf hydra
psutil requests typing_extensions
"""
STANDARD_LIBRARY = """
_collections_abc _weakrefset abc argparse ast asyncio base64 bisect bz2 calendar codecs
collections concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses
datetime decimal difflib dis email encodings enum fnmatch fractions functools genericpath
gettext glob gzip hashlib heapq http importlib inspect io json keyword linecache locale logging
lzma multiprocessing ntpath numbers operator os pathlib pickle pkgutil platform posixpath pprint
queue random re runpy secrets selectors shlex shutil signal site socket sqlite3 sre_compile
sre_parse ssl stat statistics string struct subprocess sysconfig tarfile tempfile textwrap
threading timeit tokenize traceback tracemalloc types typing unittest urllib uuid warnings
weakref xml zipfile
"""
LISTED = {**{name: name for name in LIBRARIES.split()},
          **{name: "python" for name in STANDARD_LIBRARY.split()}}
STANDARD = re.compile(r"(?:lib|lib64)/python3[.0-9]*/|/python3[.0-9]*zip/")
GENERATED = re.compile(r"(?:launcher|dynamic_func|guard|__.+__)\Z", re.S)
TORCH_IN = re.compile(r"(/(?:.*?/)??)torch/(?:_|(?:nn|optim|autograd|functional)(?:/|\.py$))")
FRAME_RANGE = re.compile(r"^(.+?)\(([0-9]+)\): (.*)$", re.S)


def library_of(file, function):
    """The library of a Python file, None for one of the project."""
    packages = re.findall(r"/(?:site|dist)-packages/", file)
    if packages:
        name = re.split(r"/(?:site|dist)-packages/", file)[-1].split("/")
        return re.sub(r"(?<=.)\.py$", "", name[0]) if len(name) == 1 else name[0]
    for prefix, name in (("<frozen", "python"), ("<eval_with_key", "torch"),
                         ("<__array_function__", "numpy")):
        if file.startswith(prefix):
            return name
    if STANDARD.search(file) or (file == "<string>" and GENERATED.match(function)):
        return "python"
    if re.search(r"/torch/(?:_|(?:nn|optim|autograd|functional)(?:/|\.py$))", file):  # of a longer list
        return "torch"
    if "/torchinductor_" in file:
        return "torchinductor"
    first = file.split("/")[0]
    return LISTED.get(first[:-3] if first == file and first.endswith(".py") else first)


Frame = collections.namedtuple("Frame", "text file library")  # file: None for native frames


def text_of(name):
    return name.decode("utf-8", "surrogateescape")


def package_directories(process):
    """Of a process: directories that hold an installed torch, but not the program's script."""
    if not hasattr(process, "package_directories"):
        files = [code["file"] for code in process.codes.values() if code["file"]]
        found = {match.group(1) for match in map(TORCH_IN.match, files) if match
                 and not re.search(r"/(?:site|dist)-packages/", match.string)
                 and not STANDARD.search(match.string)}
        for record in process.stacks.values():
            for frame in reversed(record["frames"]):
                code = process.codes.get(frame["of"]) if frame["kind"] == PYTHON else None
                if not code or not code["file"]:
                    continue
                library = library_of(code["file"], code["function"])
                if library == "python":
                    continue
                if library is None and code["function"] == "<module>":
                    found = {path for path in found if not code["file"].startswith(path)}
                break
        process.package_directories = found
    return process.package_directories


class Stack:
    def __init__(self, process, stack_id):
        record = process.stacks.get(stack_id)
        frames = record["frames"] if record else []
        kinds = [frame["kind"] for frame in frames]
        at = kinds.index(BACKWARD) if BACKWARD in kinds else len(frames)
        self.backward = BACKWARD in kinds
        self.inner = [self.read(process, frame) for frame in frames[:at]]
        self.outer = [self.read(process, frame) for frame in frames[at + 1:]]
        marker = [Frame("[backward]", None, None)] if self.backward else []
        shown = [frame.text for frame in self.inner + marker + self.outer][::-1]
        self.folded = ";".join(text.replace(";", ":") for text in shown) or "?"
        self.known = record is not None

    @staticmethod
    def read(process, frame):
        if frame["kind"] == PYTHON:
            code = process.codes.get(frame["of"])
            if not code:
                return Frame("?", None, None)
            file = code["file"]
            text = "%s:%d %s" % (file, code["first_line"], code["function"])
            library = library_of(file, code["function"])
            for path in package_directories(process) if library is None else ():
                if file.startswith(path):
                    library = re.sub(r"\.py$", "", file[len(path):].split("/")[0])
            return Frame(text, file, library)
        if frame["kind"] == NATIVE:
            module = process.modules.get(frame["of"])
            name = module["path"].split("/")[-1] if module else ""
            return Frame("%s%s0x%x" % (name, "+" if name else "", frame["offset"]), None, name or "?")
        return Frame("[backward]", None, None)

    def native(self):
        frames = [frame for frame in self.inner + self.outer if frame.library]
        return [frame for frame in frames if not re.match(
            r"lib(?:cuda|cudart|cupti|baton)\.so", frame.library)] or frames

    def line(self):
        for frames in (self.outer, self.inner):
            python = [frame for frame in frames if frame.file is not None]
            project = [frame for frame in python if frame.library is None]
            if python:
                frame = (project or python)[0]
                if not frame.library:
                    return self.inside(frames, frame), "project", self.backward
                return frame.text, "other" if frame.library else "project", self.backward
        for frame in self.native():
            return frame.text, "other", self.backward
        return "(no stack)", "unknown", self.backward

    @staticmethod
    def inside(frames, line):
        """The line, and where in the library that it called."""
        for frame in frames[:frames.index(line)]:
            if frame.file is not None and frame.library and frame.library not in PASSED:
                return line.text + " > " + re.sub(r"^.*-packages/", "", frame.text)
        return line.text

    def module(self):
        for frames in (self.inner, self.outer):
            for frame in frames:
                if frame.file is not None:
                    return (frame.library, "other") if frame.library else (frame.file, "project")
        for frame in self.native():
            return frame.library, "other"
        return "(no stack)", "unknown"


class RangeFrames:
    """Python frames as ranges, innermost last, in the place of a stack."""

    def __init__(self, ranges):
        names = [text_of(row.name) for row in ranges if row.category == PYTHON_RANGE]
        found = [match for match in map(FRAME_RANGE.match, names) if match]
        self.frames = [Frame("%s:%s %s" % match.groups(), match.group(1),
                             library_of(match.group(1), match.group(3))) for match in found][::-1]
        self.backward = any(row.category == OPERATOR and
                            text_of(row.name).startswith(ENGINE)
                            for row in ranges)

    def line(self):
        project = [frame for frame in self.frames if frame.library is None]
        for frame in (project or self.frames)[:1]:
            return frame.text, "other" if frame.library else "project", self.backward
        return "(no stack)", "unknown", self.backward

    def module(self):
        for frame in self.frames[:1]:
            return (frame.library, "other") if frame.library else (frame.file, "project")
        return "(no stack)", "unknown"


def numbered(name, after):
    return re.sub(r"^(.+[%s])[0-9]+$" % re.escape(after), r"\1*", name, flags=re.S)


class Places:
    """The rows of launches, by table."""

    def __init__(self, devices):
        self.ranges = {}
        self.known = {}
        for process in {op.process for device in devices for op in device.ops}:
            rows = sorted(process.ranges, key=lambda row: (row.begin, -row.end))
            for row in rows:
                self.ranges.setdefault((process, row.thread_id), []).append(row)

    def of(self, process, call):
        if call not in self.known:
            self.known[call] = self.describe(process, call)
        return self.known[call]

    def describe(self, process, call):
        around = [row for row in self.ranges.get((process, call.thread_id), ())
                  if row.begin <= call.begin < row.end and row.name]
        place = Stack(process, call.stack_id) if call.stack_id else RangeFrames(around)
        outside = [row for row in self.ranges.get((process, process.callers.get(call.thread_id)), ())
                   if row.begin <= call.begin < row.end and row.name]
        path = [numbered(text_of(row.name), "# _-/=") for row in outside + around
                if row.category in PATH_CATEGORIES]
        ops = [text_of(row.name) for row in around if row.category == OPERATOR]
        op = numbered(ops[-1] if ops else text_of(call.name), "#")
        engine = [name for name in ops if name.startswith(ENGINE)]
        node = engine[-1][len(ENGINE):].removeprefix(": ") if engine and engine[-1][len(ENGINE):].startswith(": ") else ""
        if node and ops[-1] not in (engine[-1], node):
            op += " of " + node
        folded = call.stack_id and place.known
        return {
            "line": place.line(),
            "stack": (place.folded, place.line()[1], place.backward) if folded
            else ("(no stack)", "unknown", False),
            "module": (*place.module(), False),
            "op": (op, "other", False) if op else ("(no name)", "unknown", False),
            "range": (" / ".join(path), "other", False) if path
            else ("(no range)", "unknown", False),
        }


def tables_of(devices):
    """{table: {(name, kind, backward): {field: number}}} of devices that were accounted."""
    places = Places(devices)
    tables = {by: collections.defaultdict(collections.Counter) for by in TABLES}
    for device in devices:
        for op in device.ops:
            add_op(tables, places, device, op)
    return {by: {key: +sums for key, sums in rows.items() if +sums} for by, rows in tables.items()}


def add_op(tables, places, device, op):
    rows = places.of(op.process, op.launch) if op.launch else dict.fromkeys(
        TABLES, (NO_LAUNCH, "unknown", False))
    sums = collections.Counter(device.starved.get(op, {}))
    if op.step not in (reference.BEFORE, reference.NO_STEP):
        sums["gpu_ns"] += op.duration
        sums["busy." + op.group] += op.duration
        if op.launch and op.is_first_of_call:
            sums["launches"] += 1
            sums["launch_ns"] += op.launch.duration
    for by in TABLES:
        row = rows[by]
        if by == "module" and op.group == "nccl" and op.launch:
            row = ("NCCL", "other", False)
        tables[by][row].update(sums)


def tells(by, rows):
    return any(kind != "unknown" and not (by == "module" and name == "NCCL")
               for name, kind, _ in rows)


def table_of_report(report):
    """The same of the key `by` of a report's JSON."""
    rows = {}
    for row in report["by"]["rows"]:
        sums = collections.Counter({"busy." + group: ns for group, ns in row["busy_ns"].items()})
        sums.update({name: row[name] for name in ("gpu_ns", "launches", "launch_ns")})
        sums.update(row["starved_ns"])
        rows[row["name"], row["kind"], row["backward"]] = +sums
    return rows

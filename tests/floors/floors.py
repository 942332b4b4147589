#!/usr/bin/env python3
"""Who includes whom: no #include runs up, none in a circle, no tree sees what it may not.

    floors.py [ROOT]

order.txt says which trees there are, what each may see and in which order its folders stand; known.txt lists what is
tolerated for now. A file's .c and .h are one module: a circle of modules is an error though no header is included twice.
Prints what is wrong, a line each; status 1.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)


class Tree:
    def __init__(self, path, searched):
        self.path, self.searched, self.floors = path, searched, []

    def floor(self, folder):
        """The number of a folder's floor; None: it has none."""
        plain, starred = None, None
        for number, names in enumerate(self.floors):
            for name in names:
                if name == folder:
                    plain = number if plain is None else plain
                elif name.endswith("*") and folder != "." and (folder + "/").startswith(name[:-1]):
                    starred = number if starred is None else starred
        return starred if plain is None else plain

    def room(self, folder):
        """What includes itself freely: with sources/*, sources/nccl and all that is inside of it."""
        for name in sum(self.floors, []):
            if name.endswith("/*") and folder.startswith(name[:-1]):
                return name[:-1] + folder[len(name) - 1:].split("/")[0]
        return folder


def read(*path):
    with open(os.path.join(*path), errors="replace") as file:
        return file.read()


def lines(*path):
    return [line for line in read(*path).splitlines() if line.strip() and not line.startswith("#")]


def read_order(path):
    trees = []
    for line in lines(path):
        if line.startswith("tree "):
            name, searched = line[5:].split(":")
            trees.append(Tree(name.strip(), searched.split()))
        else:
            trees[-1].floors.append(line.split())
    return trees


def sources(root, tree, trees):
    inner = [t.path for t in trees if t.path.startswith(tree.path + "/")]
    for folder, folders, names in os.walk(os.path.join(root, tree.path)):
        folders[:] = sorted(f for f in folders if os.path.relpath(os.path.join(folder, f), root) not in inner)
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp")):
                yield os.path.relpath(os.path.join(folder, name), root)


def find(root, tree, file, name):
    for folder in [os.path.dirname(file)] + tree.searched:
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def check_include(tree, file, name, to):
    """What is wrong with one #include, or None."""
    if name.startswith(".."):
        return f"{file}: \"{name}\": write it from the tree's own folder, without '../'"
    if to is None:
        return f'{file}: "{name}" is nowhere that {tree.path}/ may see'
    if not to.startswith(tree.path + "/"):
        return None  # another tree, one that this one may see
    folders = [os.path.relpath(os.path.dirname(path), tree.path) for path in (file, to)]
    floors = [tree.floor(folder) for folder in folders]
    for folder, floor in zip(folders, floors):
        if floor is None:
            return f"{file}: the folder {tree.path}/{folder} has no floor in order.txt"
    if tree.room(folders[0]) == tree.room(folders[1]) or floors[1] < floors[0]:
        return None
    how = "up" if floors[1] > floors[0] else "to its neighbour"
    return f"{file}: includes {to}, {how}: {folders[0]} -> {folders[1]}"


def circles(arrows):
    """The sets of modules that reach each other (Tarjan's algorithm, without recursion)."""
    index, low, stack, found = {}, {}, [], []
    for start in sorted(arrows):
        work = [(start, None)] if start not in index else []
        while work:
            node, rest = work.pop()
            if rest is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                rest = iter(sorted(arrows.get(node, ())))
            for to in rest:
                if to not in index:
                    work += [(node, rest), (to, None)]
                    break
                if to in stack:
                    low[node] = min(low[node], low[to])
            else:
                if low[node] == index[node]:
                    at = stack.index(node)
                    found += [sorted(stack[at:])] if len(stack) - at > 1 else []
                    del stack[at:]
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found


def module(path):
    return os.path.splitext(path)[0]


def check(root, trees):
    """All that is wrong under root, and how many files and arrows were looked at."""
    wrong, files, arrows = [], 0, {}
    for tree in trees:
        if not any(sources(root, tree, trees)):
            wrong.append(f"{tree.path}/: no source, though order.txt names it")
        for file in sources(root, tree, trees):
            files += 1
            for sign, name in INCLUDE.findall(read(root, file)):
                to = find(root, tree, file, name)
                if sign == "<" and to is None:
                    continue  # the system's
                said = check_include(tree, file, name, to)
                wrong += [said] if said else []
                if to and module(to) != module(file):
                    arrows.setdefault(module(file), set()).add(module(to))
    for circle in circles(arrows):
        wrong.append("circle: " + " ".join(circle))
    return wrong, files, sum(map(len, arrows.values()))


def tolerated(said, known):
    """A circle that is part of a known one, or what a known line says; a file that has moved is the same file."""
    words = [bare(said)] + [bare(line) for line in known]
    if said.startswith("circle: "):
        return any(words[0] <= line for line in words[1:])
    return words[0] in words[1:]


def bare(said):
    """The words of a line, files without their folders."""
    return {word if word.startswith('"') else os.path.basename(word) for word in said.split()}


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..")
    known = lines(HERE, "known.txt")
    wrong, files, arrows = check(root, read_order(os.path.join(HERE, "order.txt")))
    new = [said for said in wrong if not tolerated(said, known)]
    for said in new:
        print(said)
    print(f"{files} files, {arrows} includes between modules: {len(new)} wrong, {len(wrong) - len(new)} known")
    sys.exit(bool(new))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""replay.py LOG NAME OLD NEW - states of a file or a library after a loss of power

LOG is the record by fault.c of a run that wrote the file NAME; OLD is the file before
the run, or - if there was none, NEW the file after it.  If NEW is a directory, NAME
is a library (cscg-library(5)) and OLD the directory before.

At each prefix of the recorded calls the disk holds at least what was synced.
Later changes may be on it or not: the bytes of a file written after its last sync,
and the renames after the last sync of the directory, of which the first may be
there without the second.

In every such state a file must be OLD or the result of a complete write, and after
the last call it must be NEW.  The same holds for the index of a library, and each
model that it names must exist and be complete.  Prints the number of states; status 1
with the first wrong one.
"""
import json
import os
import sys


def read_log(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def read_file(path):
    with open(path, "rb") as f:
        return f.read()


class File:
    def __init__(self, data=b""):
        self.data, self.synced = data, len(data)

    def states(self):
        """Possible contents on the disk: any length from the synced one on."""
        n = len(self.data)
        for k in sorted({self.synced, (self.synced + n) // 2, n}):
            yield self.data[:k]


class Disk:
    """Names in a directory: entries that are synced, and renames that may be on the disk."""

    def __init__(self, before):
        self.settled = {name: File(data) for name, data in before.items()}
        self.pending = []

    def sync(self):
        self.settled.update(self.pending)
        self.pending = []

    def states(self):
        """A dictionary of files for each number of renames that are on the disk."""
        now = dict(self.settled)
        yield dict(now)
        for name, f in self.pending:
            now[name] = f
            yield dict(now)


def of(path, name):
    """{name: bytes} of a file, of the files in a directory, or of nothing."""
    if path == "-" or not os.path.exists(path):
        return {}
    if not os.path.isdir(path):
        return {name: read_file(path)}
    return {f"{name}/{f}": read_file(os.path.join(path, f)) for f in os.listdir(path)
            if f[0] != "." and f != "lock"}


def check_file(files, name, complete):
    """The error of a file; None if it is old or complete."""
    if name not in files:
        return None if None in complete[name] else f"{name}: is not there"
    for held in files[name].states():
        if held not in complete[name]:
            return f"{name}: {len(held)} bytes, neither old nor new"
    return None


def check(files, name, complete, is_library):
    if not is_library:
        return check_file(files, name, complete)
    index = name + "/index"
    bad = check_file(files, index, complete)
    if bad or index not in files:
        return bad
    for line in files[index].data.splitlines()[1:]:
        item = json.loads(line)
        if "id" not in item:
            continue
        model = f"{name}/{item['kind']}-{item['id']}.gz"
        if model not in files:
            return f"{model}: is in the index, and not there"
        bad = check_file(files, model, complete)
        if bad:
            return bad
    return None


def main():
    log, name, old, new = sys.argv[1:]
    is_library = os.path.isdir(new)
    written = read_file(log + ".data")
    before, after = of(old, name), of(new, name)
    disk = Disk(before)
    # Of each name the texts that are allowed; None if it need not be there.
    complete = {k: {before.get(k), after.get(k)} for k in {*before, *after}}
    files, temps = {}, {}       # by inode; the inode of a temporary name
    at = states = renames = 0
    calls = read_log(log)
    for i, (call, *arg) in enumerate(calls):
        if call == "create":
            files[arg[0]] = File()
            temps[arg[1]] = arg[0]
        elif call == "write" and arg[0] in files:
            files[arg[0]].data += written[at:at + int(arg[1])]
        elif call == "sync" and arg[0] in files:
            files[arg[0]].synced = len(files[arg[0]].data)
        elif call == "rename" and arg[1] in complete:
            disk.pending.append((arg[1], files[temps[arg[0]]]))
            complete[arg[1]].add(files[temps[arg[0]]].data)
            renames += 1
        elif call == "syncdir":
            disk.sync()
        if call == "write":
            at += int(arg[1])
        for held in disk.states():
            states += sum(len(list(f.states())) for f in held.values()) or 1
            bad = check(held, name, complete, is_library)
            if not bad and i == len(calls) - 1:
                bad = next((f"{k}: not the new one" for k in after
                            if k not in held or held[k].data != after[k]), None)
            if bad:
                print(f"after call {i + 1}, {call}: {bad}")
                sys.exit(1)
    if not renames:
        sys.exit(f"{name}: nothing was recorded")
    print(states)


if __name__ == "__main__":
    main()

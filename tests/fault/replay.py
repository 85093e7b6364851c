#!/usr/bin/env python3
"""replay.py LOG NAME OLD NEW - what a loss of power can leave of a file

LOG is what fault.c recorded of a run that wrote the file NAME; OLD is the file
that was there before, or - if there was none, NEW the one after the run.

At each prefix of the recorded calls the disk holds at least what was synced.
Whatever came later may be on it or not: the bytes of a file that were written
after its last sync, and the renames after the last sync of the directory, of
which the first may be there without the second.  In every such state NAME must
be OLD or what some complete write made of it, and after the last call it must be
NEW.  Prints the number of states; status 1 with the first that is wrong.
"""
import sys


def read_log(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


class File:
    def __init__(self):
        self.data, self.synced = b"", 0

    def states(self):
        """What the disk can hold of it: any length from the synced one on."""
        n = len(self.data)
        for k in sorted({self.synced, (self.synced + n) // 2, n}):
            yield self.data[:k]


def main():
    log, name, old, new = sys.argv[1:]
    with open(log + ".data", "rb") as f:
        written = f.read()
    before = None
    if old != "-":
        with open(old, "rb") as f:
            before = f.read()
    with open(new, "rb") as f:
        after = f.read()

    files, temps = {}, {}       # by inode; the inode of a temporary name
    settled = before            # of NAME, whatever happens
    pending = []                # files renamed to NAME, not yet synced
    complete = {before, after}
    at = states = 0
    calls = read_log(log)
    for i, (call, *arg) in enumerate(calls):
        if call == "create":
            files[arg[0]] = File()
            temps[arg[1]] = arg[0]
        elif call == "write" and arg[0] in files:
            files[arg[0]].data += written[at:at + int(arg[1])]
        elif call == "sync" and arg[0] in files:
            files[arg[0]].synced = len(files[arg[0]].data)
        elif call == "rename" and arg[1] == name:
            pending.append(files[temps[arg[0]]])
            complete.add(pending[-1].data)
        elif call == "syncdir" and pending:
            settled, pending = pending[-1], []
        if call == "write":
            at += int(arg[1])
        for f in [settled, *pending]:
            for held in f.states() if isinstance(f, File) else [f]:
                states += 1
                if held not in complete or \
                        (i == len(calls) - 1 and held != after):
                    print(f"{name}: after call {i + 1}, {call}: "
                          f"{'nothing' if held is None else len(held)} bytes, "
                          f"neither old nor new")
                    sys.exit(1)
    if len(complete) < 2 or not calls:
        sys.exit(f"{name}: nothing was recorded")
    print(states)


if __name__ == "__main__":
    main()

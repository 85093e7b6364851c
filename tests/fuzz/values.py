#!/usr/bin/env python3
"""values.py - fuzzing with valid files whose values change inside their ranges

    values.py read [-n N] [-s SEED] [-t SECONDS] KIND PROGRAM SEED_FILE...
    values.py run [-n N] [-s SEED] [-t SECONDS] DIR CORPUS

read  Gives mutated files, no two the same, to PROGRAM, a replay of tests/fuzz
      (replay.c), in one process, until it has accepted N, and prints how many it was
      given.  An input that ends PROGRAM is kept in PROGRAM.crash.
run   Runs the tools in DIR, built by make fuzz-values (serve.c), with mutated files
      of CORPUS, until N runs were accepted.  Prints a table: job, runs, accepted
      (status 0 or 1), refused (3), other.  A run that ends in another way, by a
      signal, or writes more than messages about a refusal is kept in DIR/crash, and
      the status is 1.

After SECONDS both end with the results so far.

A mutation keeps the structure: entries of an array are exchanged or take the value
of another entry, probability moves from one entry to another, a count or a length
is scaled, parallel arrays lose or repeat an entry, names change, optional keys are
left out, lines of a walk are repeated or dropped.
"""
import argparse
import base64
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import time

NAMES = ["", "a", "b", "north", "Überraschung", "名前", "a b", "=1+2", "<x>&y", "\"q\"",
         "-", "0", "null", "x" * 200, "\u200d", "a,b", "a\tb", "\\", "'", "%s%n"]
# Keys whose numbers fix the sizes of others.
SIZES = ("n_", "version", "k", "shape", "rows", "cols", "episodes", "steps", "episode")
OPTIONAL = ("actions", "symbols", "pi", "coords", "frontiers", "entries", "fit",
            "confidence", "misread", "learned", "history", "z", "r", "goal", "reset", "v",
            "edges", "name", "grid", "priors", "counts", "inertia", "emissions")


class Mutator:
    def __init__(self, seed):
        self.rng = random.Random(f"values {seed}")

    def number(self, v):
        r = self.rng
        if isinstance(v, int):
            return r.choice([v + 1, max(v - 1, 0), 0, 1, v * 2, r.randrange(0, 10),
                             r.randrange(0, 1000)])
        return r.choice([v * r.random(), v / 2, v * 2, 0.0, 1.0, r.random(), 1e-300, 1e6,
                         5e-324, -v])

    def string(self, key, text):
        if key in ("centroids", "count", "emissions") and len(text) > 7:
            return self.packed(text)
        if key == "rgb" and len(text) > 7 and text.isascii():
            b = bytearray(base64.b64decode(text))
            b[self.rng.randrange(len(b))] = self.rng.randrange(256)
            return base64.b64encode(b).decode()
        return self.rng.choice(NAMES) if key not in ("format", "kind", "precision", "pixels") \
            else text

    def packed(self, text):
        """Numbers in base64: one becomes another."""
        try:
            data = bytearray(base64.b64decode(text))
        except ValueError:
            return text
        wide, code = (8, "<d") if len(data) % 8 == 0 else (4, "<f")
        if len(data) < wide:
            return text
        at = self.rng.randrange(len(data) // wide) * wide
        v = abs(struct.unpack_from(code, data, at)[0])
        v = self.rng.choice([v * self.rng.random(), 0.0, 1.0, v + 1e-9, min(v * 2, 1e30)])
        struct.pack_into(code, data, at, v)
        return base64.b64encode(data).decode()

    def array(self, key, a):
        """Change entries of an array of scalars; its length stays."""
        r = self.rng
        i, j = r.randrange(len(a)), r.randrange(len(a))
        how = r.randrange(6)
        x, y = a[i], a[j]
        if how == 0:
            a[i], a[j] = y, x
        elif how == 1:
            a[i] = y
        elif how == 2 and isinstance(x, float) and isinstance(y, float) and i != j:
            d = r.choice([x, x / 2, x * r.random()])
            a[i], a[j] = x - d, y + d
        elif how == 3 and isinstance(x, (int, float)) and not isinstance(x, bool):
            a[i] = self.number(x) if key in ("count", "r", "coords", "confidence", "z") \
                else r.choice(a)
        elif how == 4 and key in ("x", "z", "r", "goal", "v"):
            a[i] = None
        elif how == 5 and len(a) > 1:
            r.shuffle(a)
        else:
            a[i] = self.string(key, x) if isinstance(x, str) else y

    def parallel(self, obj):
        """Arrays of one length lose or repeat an entry together."""
        arrays = [v for v in obj.values() if isinstance(v, list)]
        if not arrays:
            return
        n = max(len(a) for a in arrays)
        i = self.rng.randrange(n) if n else 0
        again = self.rng.random() < .5
        for a in arrays:
            if n - len(a) > 1 or i >= len(a):
                continue
            if again:
                a.insert(i, a[i])
            elif n > 1:
                del a[i]

    def value(self, key, v, depth=0):
        """A copy of v with one change."""
        r = self.rng
        if isinstance(v, bool):
            return not v
        if isinstance(v, (int, float)):
            if key.startswith(SIZES[0]) or key in SIZES[1:]:
                return v if r.random() < .9 else self.number(v)
            return self.number(v)
        if isinstance(v, str):
            return self.string(key, v)
        if isinstance(v, dict) and v:
            keys = [k for k in v if not k.startswith("n_") and k not in
                    ("format", "version", "kind", "precision")] or list(v)
            k = r.choice(keys)
            if k in OPTIONAL and r.random() < .1:
                del v[k]
            elif "from" in v and r.random() < .2 or "x" in v and r.random() < .2:
                self.parallel(v)
            else:
                v[k] = self.value(k, v[k], depth + 1)
        elif isinstance(v, list) and v:
            if isinstance(v[0], (list, dict)):
                i = r.randrange(len(v))
                if r.random() < .1:
                    j = r.randrange(len(v))
                    v[i], v[j] = v[j], v[i]
                elif r.random() < .05:
                    v[i] = json.loads(json.dumps(r.choice(v)))
                else:
                    v[i] = self.value(key, v[i], depth + 1)
            else:
                self.array(key, v)
        return v

    def lines(self, lines):
        """Repeat, drop or swap lines of a walk between its header and its end."""
        r = self.rng
        last = len(lines) - ("end" in lines[-1])
        if last < 3:
            return
        i = r.randrange(1, last)
        how = r.randrange(3)
        if how == 0 and last > 2:
            del lines[i]
        elif how == 1:
            lines.insert(i, json.loads(json.dumps(lines[i])))
        else:
            j = r.randrange(1, last)
            lines[i], lines[j] = lines[j], lines[i]
        count(lines)

    def json(self, text):
        lines = [json.loads(s) for s in text.split("\n") if s.strip()]
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            if len(lines) > 2 and self.rng.random() < .15:
                self.lines(lines)
            else:
                i = self.rng.randrange(len(lines))
                lines[i] = self.value("", lines[i])
        if "format" in lines[0] and lines[0]["format"] == "cscg-walk":
            count(lines)
        return "".join(json.dumps(v, ensure_ascii=False, separators=(",", ":")) + "\n"
                       for v in lines).encode()

    def table(self, text):
        """A cell of a table takes the value of another of its column, or a new one."""
        sep = "\t" if "\t" in text else ","
        rows = [line.split(sep) for line in text.split("\n")]
        body = [row for row in rows[1:] if len(row) == len(rows[0])]
        for _ in range(self.rng.choice([1, 2, 3])):
            if not body:
                break
            row, k = self.rng.choice(body), self.rng.randrange(len(rows[0]))
            old = row[k]
            row[k] = self.rng.choice(body)[k]
            try:
                if self.rng.random() < .3:
                    row[k] = str(self.number(float(old) if "." in old else int(old)))
            except ValueError:
                pass
            if self.rng.random() < .1:
                rows.insert(1 + self.rng.randrange(len(rows) - 1),
                            list(self.rng.choice(body)))
        return "\n".join(sep.join(row) for row in rows).encode()

    def words(self, text):
        """Lines of a text or a map, with characters of the same text."""
        b = list(text)
        for _ in range(self.rng.choice([1, 2, 4])):
            if b:
                b[self.rng.randrange(len(b))] = self.rng.choice(b)
        return "".join(b).encode()

    def make(self, text):
        if text.lstrip().startswith("{"):
            return self.json(text)
        if "," in text or "\t" in text:
            return self.table(text)
        return self.words(text)


def count(lines):
    """The last line of a walk counts its episodes and steps."""
    if "end" not in lines[-1]:
        return
    parts = [v for v in lines[1:-1] if "x" in v]
    episode = 0
    for k, v in enumerate(parts):
        v["episode"] = episode
        if v.get("last") or k == len(parts) - 1:
            v["last"] = True
            episode += 1
    lines[-1]["episodes"] = episode
    lines[-1]["steps"] = sum(len(v.get("x", [])) for v in parts)


def load(paths):
    """The texts of files that are texts; packed ones are unpacked."""
    texts = []
    for path in sorted(paths):
        with open(path, "rb") as f:
            data = f.read()
        try:
            text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
            Mutator(0).make(text)
        except (ValueError, KeyError, IndexError, OSError, EOFError):
            continue
        texts.append(text)
    return texts


class Reader:
    """A replay of tests/fuzz, which reads one input after another."""

    def __init__(self, program):
        env = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=4:malloc_context_size=3"}
        self.p = subprocess.Popen([program, "-"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, env=env)

    def read(self, batch):
        """How many it accepts; None if one of them ends it."""
        try:
            for data in batch:
                self.p.stdin.write(struct.pack("<I", len(data)) + data)
            self.p.stdin.write(struct.pack("<I", 0))
            self.p.stdin.flush()
        except BrokenPipeError:
            return None
        line = self.p.stdout.readline()
        return int(line) if line else None

    def end(self):
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        return self.p.wait()


def culprit(program, batch):
    """The first input of a batch that ends the program."""
    while len(batch) > 1:
        half = batch[:len(batch) // 2]
        p = Reader(program)
        batch = batch[len(half):] if p.read(half) is not None else half
        p.end()
    return batch[0]


def new_input(m, texts, seen):
    """A mutated text that was not given before.

    Mutations of a text that is too short for new ones end with another text.
    """
    while True:
        data = m.make(m.rng.choice(texts))
        for _ in range(20):
            if hash(data) not in seen:
                seen.add(hash(data))
                return data
            data = m.make(data.decode())


def read(arg):
    texts = load(arg.file)
    if not texts:
        sys.exit("values.py: no seeds that are texts")
    m = Mutator(f"{arg.kind} {arg.seed}")
    p = Reader(arg.program)
    given = accepted = 0
    seen = set()
    until = time.monotonic() + arg.time
    while accepted < arg.n and time.monotonic() < until:
        # As many as are missing, by the rate so far.
        batch = []
        for _ in range(min(10000, max(100, arg.n - accepted))):
            # The even byte says: as it is (fuzz.h).
            data = new_input(m, texts, seen) + b"\n"
            batch.append(data)
        n = p.read(batch)
        given += len(batch)
        if n is None:
            with open(arg.program + ".crash", "wb") as f:
                f.write(culprit(arg.program, batch))
            print(f"values.py: {arg.program}.crash ends it", file=sys.stderr)
            break
        accepted += n
        if given > 200 * (accepted + 1000):
            break
    rc = p.end()
    print(f"{arg.kind}\t{given}\t{accepted}\t{100 * accepted / max(given, 1):.0f}\t{rc}",
          flush=True)
    return rc != 0 or (accepted < arg.n and time.monotonic() < until)


# What whole tools do with mutated files.  A word in braces is a file of that kind from
# the corpus "set", whose models, walks and rooms have one alphabet.
JOBS = """
cscg-show {model}
cscg-show --as dot {model}
cscg-show --as graphml {model}
cscg-show --as svg {model}
cscg-show --as html {model}
cscg-show --as schema {model}
cscg-show --as npy {model}
cscg-show --partition {model}
cscg-show --partition --as library {model}
cscg-show {walk}
cscg-show {room}
cscg-show --as dot {room}
cscg-show {book}
cscg-show --as ppm {book}
cscg-score {model} -w {walk}
cscg-score --per-step {model} -w {walk}
cscg-score --sample 20 {model}
cscg-predict {model} -w {walk}
cscg-predict --ahead 3 --each-action {model} -w {walk}
cscg-learn -q -j1 --iterations 3 --restarts 1 {walk}
cscg-learn -q -j1 --structure none --clones 2 --iterations 2 --restarts 1 {walk}
cscg-learn -q -j1 --clones 2 --iterations 2 --restarts 1 --gaussian {book} {seen}
cscg-bind -q -j1 --restarts 1 --iterations 2 {model} -w {walk}
cscg-bind -q -j1 --init track {model} -w {walk}
cscg-bind -q -j1 --rebind .1 {model} -w {walk}
cscg-match -j1 --every 5 --restarts 1 --iterations 2 {model} -w {walk}
cscg-match -j1 --method track --every 5 {model} -w {walk}
cscg-match -j1 --method switching --iterations 2 {model} {other} -w {walk}
cscg-stitch -j1 --restarts 1 --frontiers boundary {model} -w {walk}
cscg-stitch -j1 --restarts 1 --frontiers boundary --library books {model} -w {walk}
cscg-show books
cscg-plan --start state:0 --goal state:1 {model}
cscg-plan --goal symbol:1 --json {model} -w {walk}
cscg-show --as html --plan {plan} -w {walk} {model}
roomwalk -n 20 {room}
roomserve --steps 5 {room}
roomgen room --as model {room}
roomgen join {room} {room}
roomgen map {map}
walkconv {walk}
walkconv --as csv {walk}
walkconv --as npy {walk}
walkconv {table}
walkconv --text words {text}
walkconv --text chars {text}
vq-kmeans -q -j1 -k 2 --restarts 1 {seen}
vq-kmeans -q -j1 --encode {book} {seen}
""".strip().split("\n")


class Server:
    """A tool that runs one command line after another (serve.c)."""

    def __init__(self, program, cwd):
        env = {**os.environ, "FUZZ_SERVE": "1", "OMP_NUM_THREADS": "1",
               "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:allocator_may_return_null=1:"
               "quarantine_size_mb=1:malloc_context_size=3",
               "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99"}
        self.p = subprocess.Popen([program], cwd=cwd, env=env, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

    def run(self, args):
        """The status as a shell gives it."""
        self.p.stdin.write(b"".join(a.encode() + b"\0" for a in args) + b"\0")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            sys.exit(f"values.py: {args}: the server has ended")
        status = int(line)
        return status >> 8 if status & 127 == 0 else 128 + (status & 127)


def run(arg):
    m = Mutator(f"run {arg.seed}")
    here = os.path.join(arg.dir, f"values-{arg.seed}")  # seeds may run side by side
    crash = os.path.join(arg.dir, "crash")
    for d in (here, crash):
        os.makedirs(d, exist_ok=True)
    names = os.listdir(arg.corpus)
    kinds = {w.strip("{}") for job in JOBS for w in job.split() if w[0] == "{"}
    seeds = {k: load(os.path.join(arg.corpus, f) for f in names
                     if f.split("-")[0] == ("model" if k == "other" else k))
             for k in kinds}
    missing = [k for k in sorted(kinds) if not seeds[k]]
    if missing:
        sys.exit(f"values.py: no seeds in {arg.corpus}: {' '.join(missing)}")
    servers = {}
    table = {job: [0, 0, 0, 0] for job in JOBS}
    accepted = bad = 0
    until = time.monotonic() + arg.time
    while accepted < arg.n and time.monotonic() < until:
        for job in JOBS:
            words = job.split()
            files = {w: m.rng.choice(seeds[w.strip("{}")]).encode()
                     for w in words if w[0] == "{"}
            chosen = m.rng.choice(sorted(files)) if files else None
            for w, data in files.items():
                if w == chosen or m.rng.random() < .3:
                    files[w] = m.make(data.decode())
                with open(os.path.join(here, w.strip("{}")), "wb") as f:
                    f.write(files[w])
            tool = words[0]
            if tool not in servers:
                servers[tool] = Server(os.path.join(arg.dir, f"serve_{tool}"), here)
            rc = servers[tool].run([w.strip("{}") for w in words[1:]])
            row = table[job]
            row[0] += 1
            if rc in (0, 1):
                row[1] += 1
                accepted += 1
                continue
            with open(os.path.join(here, "err"), "rb") as f:
                said = f.read()
            if rc in (2, 3, 4) and said and \
                    all(s.startswith(tool.encode() + b": ") for s in said.splitlines()):
                row[2] += 1
                continue
            row[3] += 1
            bad += 1
            keep = os.path.join(crash, f"{tool}-{arg.seed}-{bad}")
            os.makedirs(keep, exist_ok=True)
            for w, data in files.items():
                with open(os.path.join(keep, w.strip("{}")), "wb") as f:
                    f.write(data)
            with open(os.path.join(keep, "job"), "wb") as f:
                f.write(f"{job}\nstatus {rc}\n".encode() + said)
    print("#job\truns\taccepted\trefused\tother")
    for job, row in table.items():
        print("\t".join([job, *map(str, row)]))
    total = [sum(row[k] for row in table.values()) for k in range(4)]
    print("\t".join(["all", *map(str, total)]))
    return bad > 0


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    sub = p.add_subparsers(required=True, dest="command")
    one = sub.add_parser("read")
    one.add_argument("kind")
    one.add_argument("program")
    one.add_argument("file", nargs="+")
    two = sub.add_parser("run")
    two.add_argument("dir")
    two.add_argument("corpus")
    for q in (one, two):
        q.add_argument("-n", type=int, default=1000)
        q.add_argument("-s", "--seed", default="1")
        q.add_argument("-t", "--time", type=float, default=float("inf"))
    arg = p.parse_args()
    if arg.command == "read":
        sys.exit(read(arg))
    sys.exit(run(arg))


if __name__ == "__main__":
    main()

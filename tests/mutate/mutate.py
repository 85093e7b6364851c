#!/usr/bin/env python3
"""mutate.py - mutation testing: do the tests detect changed lines of the source?

    mutate.py [-n N] [-s SEED] [-j JOBS] [-t SECONDS] [-d DIR] [--each] [--units]
              [--list] [FILE... | MODULE...]

Changes one place of a source file at a time, builds, and runs the tests of that
file as tests.txt lists them.  A mutant is killed if a test fails or takes far
longer than usual.  Unit programs come first; if they pass, they are run again with
the changed file compiled for the address and undefined-behaviour sanitizers, which
detect an access outside an array or a leak, unless they are slow; then come the shell
tests.  A mutant that none of them detects survives.  SEED puts all mutants of the FILEs [all files of
tests.txt] and of the files of the MODULEs into an order; the first N that are detected
or survive are the sample, with --each of each module, in an order of its own, so that
modules can be run one by one.  After SECONDS no further one is begun.  --units leaves
out the shell tests, which are slow.  --list shows the first N without a test.

    compare    a comparison becomes its opposite: < and >=, == and !=
    boundary   a comparison includes its limit or not: < and <=
    constant   an integer is one larger or smaller
    drop       a statement is left out: a call or an assignment
    swap       two neighbouring arguments of a call are exchanged
    logic      && and || are exchanged

Only bodies of functions are changed.  Calls that free memory are not dropped, since
only a leak checker would detect it.  A mutant that does not compile does not count:
another one is drawn.  Neither does an equivalent one, which no test can detect: the
compiler generates the same code, at the latest when it optimises; a function returns
another number to callers that all test for < 0, or to qsort(); more memory is allocated
than needed; or equivalent.txt lists it with the reason.

Works on a copy of the tree in DIR, which is kept for the next run.  A mutant costs
the compilation of one file, the links of the programs that a test needs, and the
tests up to the first failure.  Results are kept in DIR/results.tsv: a detected mutant
is not run again while its source is the same, one that survived while its tests are
the same as well; after a run with --units only the shell tests are run.  Prints a table by file and by module,
then the surviving mutants; status 1 if the tests fail without any change.
"""
import argparse
import bisect
import concurrent.futures
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join("tests", "mutate")

TOKEN = re.compile(r"""
    (?P<space>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark>->|<<=|>>=|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|.)
""", re.X | re.S | re.M)

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = {"&&": "||", "||": "&&"}
CONTROL = {"if", "for", "while", "switch", "sizeof", "return"}
NO_STATEMENT = CONTROL | {"else", "do", "goto", "break", "continue", "case", "default"}
TYPE = {"struct", "union", "enum", "const", "static", "volatile", "unsigned", "int",
        "long", "char", "double", "float", "bool", "short", "void", "extern"}
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
# Functions to whose first two arguments the order means nothing, but for a sign.
SYMMETRIC = {"strcmp", "strncmp", "memcmp", "strcasecmp", "fmin", "fmax", "dot"}
# The arguments from the first of these to the last are multiplied.
PRODUCT = {"cscg_alloc": (0, 1), "cscg_alloc_aligned": (0, 1), "arena_take": (1, 3),
           "cscg_copy": (1, 2)}
FREES = re.compile(r"(^|_)free$|^json_decref$|^inflateEnd$|^deflateEnd$")


UNITS_ONLY = "--units" in sys.argv


class Mutant:
    def __init__(self, path, source, name, op, at, end, new):
        self.path, self.name, self.op = path, name, op
        self.at, self.end, self.new = at, end, new
        first = source.rfind("\n", 0, at) + 1
        last = source.find("\n", end)
        self.line = source.count("\n", 0, at) + 1
        self.before = " ".join(source[first:last].split())
        self.after = " ".join((source[first:at] + new + source[end:last]).split())
        self.state = self.by = None
        self.passes_units = False   # an earlier run found that

    def key(self):
        return self.path, self.name, self.op, self.before, self.after


def tokens(source):
    """(kind, text, offset) of each token that is not space."""
    return [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(source)
            if m.lastgroup != "space"]


def bodies(toks):
    """(first, last) tokens of each function's body, the braces included."""
    depth = 0
    for i, (_, text, _) in enumerate(toks):
        if text == "{":
            if depth == 0:
                start, is_body = i, i > 0 and toks[i - 1][1] == ")"
            depth += 1
        elif text == "}":
            depth -= 1
            if depth == 0 and is_body:
                yield start, i


def function_name(toks, first):
    """The name before the parameters that end before token first."""
    depth, i = 0, first - 1
    while True:
        depth += (toks[i][1] == ")") - (toks[i][1] == "(")
        i -= 1
        if depth == 0:
            return toks[i][1]


def closing(toks, i):
    """The token that closes the parenthesis at i."""
    depth = 0
    while True:
        depth += (toks[i][1] in "([{") - (toks[i][1] in ")]}")
        if depth == 0:
            return i
        i += 1


def is_declaration(toks, i):
    kind, text, _ = toks[i]
    if text in TYPE or (kind == "word" and toks[i + 1][0] == "word"):
        return True
    return kind == "word" and toks[i + 1][1] == "*" and toks[i + 2][0] == "word" \
        and toks[i + 3][1] in "=;,["


def statements(toks, first, last):
    """(i, j, declares) of each simple statement: its first token and its ';'."""
    i = first + 1
    while i < last:
        text = toks[i][1]
        if text in ("if", "for", "while", "switch"):
            i = closing(toks, i + 1) + 1
        elif text in ("{", "}", ";", "else", "do"):
            i += 1
        elif text in ("case", "default") or toks[i + 1][1] == ":":
            while toks[i][1] != ":":
                i += 1
            i += 1
        else:
            j = i
            while toks[j][1] != ";":
                j = closing(toks, j) + 1 if toks[j][1] in "([{" else j + 1
            yield i, j, is_declaration(toks, i)
            i = j + 1


def arguments(toks, i):
    """(first, last) tokens of each argument of the call whose '(' is at i."""
    end = closing(toks, i)
    start, k = i + 1, i + 1
    while k <= end:
        if k == end or toks[k][1] == ",":
            if k > start:
                yield start, k - 1
            start = k + 1
        k = closing(toks, k) + 1 if k < end and toks[k][1] in "([{" else k + 1


def is_size(toks, i):
    """Whether a token is in the arguments of a call that allocates."""
    depth = 0
    while i > 0 and toks[i][1] not in ";{}":
        depth += (toks[i][1] == ")") - (toks[i][1] == "(")
        if depth < 0:
            return re.search("alloc|grow|arena_take", toks[i - 1][1]) is not None
        i -= 1
    return False


def of_token(toks, i, declared):
    """(op, replacement) of one token."""
    kind, text, _ = toks[i]
    if text in OPPOSITE and kind == "mark":
        yield "compare", OPPOSITE[text]
    if text in BOUNDARY and kind == "mark":
        yield "boundary", BOUNDARY[text]
    if text in LOGIC:
        yield "logic", LOGIC[text]
    if kind == "number" and re.fullmatch(r"[1-9][0-9]*|0", text):
        # The size of a buffer is rarely exact.
        if not (i in declared and toks[i - 1][1] == "["):
            # To callers, -2 is -1.
            if not (toks[i - 1][1] == "-" and (toks[i - 2][1] in ("return", "?", ":") or
                                               toks[i - 3][1] == "rc")):
                yield "constant", str(int(text) + 1)
            if text != "0":
                yield "constant", str(int(text) - 1)


def callers_test_sign(toks, name):
    """Whether the result of a static function of this file is only compared with 0 by <."""
    is_static = False
    for i, (_, text, _) in enumerate(toks):
        if text != name:
            continue
        if toks[i + 1][1] != "(":
            return False
        end = closing(toks, i + 1)
        if toks[end + 1][1] == "{" or is_declaration(toks, i - 1):
            # The type before the name is one word, or "long long" and the like.
            is_static |= "static" in (t[1] for t in toks[max(i - 3, 0):i])
        elif [t[1] for t in toks[end + 1:end + 3]] != ["<", "0"] and \
                not (toks[i - 1][1] in ";{})" and toks[end + 1][1] == ";"):
            return False
    return is_static


def compares(toks, first):
    """Whether the parameters before token first are those of a function for qsort()."""
    text = " ".join(t[1] for t in toks[max(first - 12, 0):first])
    return re.search(r"\( const void \* \w+ , const void \* \w+ \)$", text) is not None


def is_status(toks, i):
    """Whether a number that is not negative is all that a return statement returns."""
    if toks[i - 1][1] not in ("return", ":", "?") or toks[i + 1][1] not in (";", ":"):
        return False
    while toks[i][1] not in (";", "{", "}", "return"):
        i -= 1
    return toks[i][1] == "return"


def mutants(path, source):
    toks = tokens(source)

    def span(i, j):
        return toks[i][2], toks[j][2] + len(toks[j][1])

    for first, last in bodies(toks):
        name = function_name(toks, first)
        simple = list(statements(toks, first, last))
        declared = {k for i, j, d in simple if d for k in range(i, j)}
        sign_only = callers_test_sign(toks, name)
        orders = compares(toks, first)
        for i, j, declares in simple:
            if declares or toks[i][1] in NO_STATEMENT or FREES.search(toks[i][1]):
                continue
            inner = [t[1] for t in toks[i:j]]
            if ASSIGNS & set(inner) or toks[i + 1][1] == "(":
                m = Mutant(path, source, name, "drop", *span(i, j), ";")
                # Only the kernel would notice a descriptor that stays open.
                if toks[i][1] == "cscg_in_close":
                    m.state = "equivalent"
                yield m
        for i in range(first, last):
            for op, new in of_token(toks, i, declared):
                m = Mutant(path, source, name, op, *span(i, i), new)
                # More memory than needed does not show; one item is allocated at least.
                if op == "constant" and is_size(toks, i) and \
                        ((int(new) > int(toks[i][1])) != (toks[i - 1][1] == "/") or
                         (toks[i - 2][1], toks[i + 1][1]) == ("cscg_alloc", ",")):
                    m.state = "equivalent"
                if op == "constant" and is_status(toks, i) and \
                        (sign_only or (orders and int(toks[i][1]) > 0 and int(new) > 0)):
                    m.state = "equivalent"
                # Integers and texts have no digits to round to.
                if toks[i - 2][1] in ("CSCG_COL_LONG", "CSCG_COL_STRING"):
                    m.state = "equivalent"
                yield m
            if toks[i][0] == "word" and toks[i][1] not in CONTROL and \
                    toks[i + 1][1] == "(" and i not in declared:
                args = list(arguments(toks, i + 1))
                skip = toks[i][1] in SYMMETRIC
                pairs = list(zip(args, args[1:]))
                for (a, b), (c, d) in pairs[skip:]:
                    x, y = (source[slice(*span(*p))] for p in ((a, b), (c, d)))
                    if x != y and '"' not in x + y:
                        gap = source[span(a, b)[1]:span(c, d)[0]]
                        m = Mutant(path, source, name, "swap", span(a, b)[0],
                                   span(c, d)[1], y + gap + x)
                        low, high = PRODUCT.get(toks[i][1], (0, 0))
                        if low <= args.index((a, b)) < high:
                            m.state = "equivalent"
                        yield m


def read_table(name):
    """The lines of a file of ours as lists of tab-separated fields."""
    with open(os.path.join(TOP, HERE, name), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f
                if line.strip() and line[0] != "#"]


def row_of(path):
    """(module, tests) of a source file."""
    best = max((row for row in read_table("tests.txt") if path.startswith(row[1])),
               key=lambda row: len(row[1]), default=None)
    if not best:
        sys.exit(f"mutate.py: {path}: tests.txt has no tests for it")
    return best[0], best[2].split()


def tests_of(path):
    return [t for t in row_of(path)[1] if not (UNITS_ONLY and t.endswith(".t"))]


def limits(seconds, memory):
    """Of a process: its files, seconds of the processor, and memory unless 0."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


class Usual:
    """What a test takes without any change: seconds, and those of the processor."""

    def __init__(self, wall=60, cpu=60):
        self.wall, self.cpu = wall, cpu


class Tree:
    """A copy of the tree with a build of its own, for one mutant at a time."""

    FLAGS = ["BUILD=build", "V=1", "CFLAGS=-O1 -Werror=int-conversion "
             "-Werror=incompatible-pointer-types"]
    # An uninitialised variable has a pattern, which is no usual value.
    SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all " \
        "-ftrivial-auto-var-init=pattern"
    SANITIZE_MOST = 2.5     # seconds that a program takes without

    def __init__(self, root):
        self.root = root
        self.usual = {}
        self.scripts = {}
        self.sanitized = {}     # unit programs that pass with a source sanitized
        self.optimised = {}     # the code of a source, optimised

    def sync(self):
        """Copy what is new; what tests usually take then is unknown."""
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP,
                               check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split("\n")
        names = [name for name in names if os.path.isfile(os.path.join(TOP, name))]
        self.remove_others(set(names))
        for name in names:
            src, dst = os.path.join(TOP, name), os.path.join(self.root, name)
            with open(src, "rb") as f:
                new = f.read()
            if os.path.exists(dst):
                with open(dst, "rb") as f:
                    if f.read() == new:
                        continue
            os.makedirs(os.path.dirname(dst), exist_ok=True)
            shutil.copyfile(src, dst)
            shutil.copymode(src, dst)
            self.forget_usual()

    def remove_others(self, names):
        """The sources that were deleted since; make takes all that there are."""
        for top in ("lib", "cmd", "tests"):
            for folder, _, files in os.walk(os.path.join(self.root, top)):
                for name in files:
                    path = os.path.join(folder, name)
                    if os.path.relpath(path, self.root) not in names:
                        os.remove(path)

    def usual_file(self):
        return os.path.join(self.root, "usual.tsv")

    def forget_usual(self):
        if os.path.exists(self.usual_file()):
            os.remove(self.usual_file())

    def recall_usual(self):
        if os.path.exists(self.usual_file()):
            with open(self.usual_file(), encoding="utf-8") as f:
                for line in f:
                    name, wall, cpu = line.split()
                    self.usual[name] = Usual(float(wall), float(cpu))

    def start(self, args, cpu, memory=1 << 32, **env):
        tmp = os.path.join(self.root, "tmp")
        shutil.rmtree(tmp, ignore_errors=True)
        os.makedirs(tmp)
        # With sanitizers new memory has no usual values.
        env = {**os.environ, "TMPDIR": tmp, "OMP_NUM_THREADS": "1",
               "OMP_WAIT_POLICY": "PASSIVE", "LC_ALL": "C",
               "ASAN_OPTIONS": "malloc_fill_byte=127:max_malloc_fill_size=1000000000",
               **env}
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
            env.pop(name, None)
        return subprocess.Popen(args, cwd=self.root, env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True,
                                preexec_fn=lambda: limits(cpu, memory))

    def make(self, goals, jobs=1):
        with self.start(["make", "-s", f"-j{jobs}", *self.FLAGS, *goals], 3600) as p:
            text = p.communicate()[0].decode(errors="replace")
            return p.returncode, text

    def script(self, changed, goals):
        """What make would do after a change of one file."""
        rc, text = self.make(["-n", "-o", "force", "-W", changed, *goals])
        if rc != 0:
            sys.exit(f"mutate.py: make -n fails\n{text[-2000:]}")
        return text

    def rebuild(self, path, test=None, flags=""):
        """Compile a source, or link what a test needs; whether that works.

        What make would do was asked before: it takes longer than the compiler.
        """
        script = self.scripts[path, test].replace(" -O1 ", f" -O1 {flags} ")
        with self.start(["sh", "-ec", script], 600, CCACHE_DISABLE="1") as p:
            p.communicate()
            return p.returncode == 0

    def test(self, name, slower=1):
        """Whether it passes; None if it takes too long."""
        args = ["sh", f"tests/{name}"] if name.endswith(".t") else [f"build/tests/{name}"]
        usual = self.usual.get(name, Usual())
        over = threading.Event()
        plan = failed = False
        # The sanitizers map more than there is.
        with self.start(args, int(2 + 4 * slower * usual.cpu),
                        1 << 32 if slower == 1 else 0, TEST_SHORT="1",
                        BUILD=os.path.join(self.root, "build")) as p:

            def stop():
                over.set()
                kill(p)

            timer = threading.Timer(max(20, 10 * slower * usual.wall), stop)
            timer.start()
            for line in p.stdout:
                if line.startswith(b"not ok"):
                    failed = True
                    break
                plan |= re.fullmatch(rb"1\.\.[0-9]+\n", line) is not None
            if failed:
                kill(p)
            p.wait()
            timer.cancel()
        if over.is_set() or p.returncode == -signal.SIGXCPU:
            return None
        return p.returncode == 0 and plan and not failed

    def prepare(self, paths, jobs):
        """Build, and measure how long the tests usually take."""
        tests = list(dict.fromkeys(t for path in paths for t in tests_of(path)))
        self.sync()
        rc, text = self.make([g for t in tests for g in goals(t)], jobs)
        if rc != 0:
            sys.exit(f"mutate.py: the source does not build\n{text[-2000:]}")
        for path in paths:
            if (path, None) in self.scripts:
                continue
            self.scripts[path, None] = self.script(path, [object_of(path)])
            for t in tests_of(path):
                self.scripts[path, t] = self.script(object_of(path), goals(t))
        self.recall_usual()
        for name in tests:
            if name in self.usual:
                continue
            began, cpu = time.monotonic(), cpu_of_children()
            if not self.test(name):
                sys.exit(f"mutate.py: {name} fails without any change")
            u = Usual(time.monotonic() - began, cpu_of_children() - cpu)
            with open(self.usual_file(), "a", encoding="utf-8") as f:
                f.write(f"{name}\t{u.wall}\t{u.cpu}\n")
            self.usual[name] = u

    def read(self, name):
        with open(os.path.join(self.root, name), "rb") as f:
            return f.read()

    def write(self, name, data):
        with open(os.path.join(self.root, name), "wb") as f:
            f.write(data)

    def judge(self, m):
        """Sets m.state, and m.by to the test that noticed."""
        source, code = self.read(m.path), self.read(object_of(m.path))
        text = source.decode()
        self.write(m.path, (text[:m.at] + m.new + text[m.end:]).encode())
        try:
            if not self.rebuild(m.path):
                m.state = "invalid"
            elif self.read(object_of(m.path)) == code:
                m.state = "equivalent"
            else:
                self.judge_built(m)
        finally:
            # The source last: it is then newer, and compiled again by the next run.
            self.write(object_of(m.path), code)
            self.write(m.path, source)

    def judge_built(self, m):
        tests = tests_of(m.path)
        units = [t for t in tests if not t.endswith(".t")]
        if (m.passes_units or not self.run_tests(m, units) and
                not self.run_sanitized(m)) and \
                not self.run_tests(m, [t for t in tests if t not in units]):
            m.state = "equivalent" if self.is_optimised_away(m) else "survived"

    def is_optimised_away(self, m):
        """Whether the compiler makes the same code of it when it optimises."""
        if m.path not in self.optimised:
            mutant = self.read(m.path)
            with open(os.path.join(TOP, m.path), "rb") as f:
                self.write(m.path, f.read())
            self.rebuild(m.path, None, "-O3")
            self.optimised[m.path] = self.read(object_of(m.path))
            self.write(m.path, mutant)
        return self.rebuild(m.path, None, "-O3") and \
            self.read(object_of(m.path)) == self.optimised[m.path]

    def run_tests(self, m, names):
        """Whether one of them decides on m."""
        for name in names:
            passed = self.rebuild(m.path, name) and self.test(name)
            if not passed:
                m.state, m.by = "timeout" if passed is None else "killed", name
                return True
        return False

    def run_sanitized(self, m):
        """The same of the unit programs, with the source sanitized."""
        # What the sanitizers replaced is compiled again for the shell tests.
        code = self.read(object_of(m.path))
        try:
            if m.path not in self.sanitized:
                self.sanitized[m.path] = []
                mutant = self.read(m.path)
                with open(os.path.join(TOP, m.path), "rb") as f:
                    self.write(m.path, f.read())
                self.sanitized[m.path] = [
                    t for t in tests_of(m.path) if not t.endswith(".t") and
                    self.usual[t].cpu < self.SANITIZE_MOST and
                    not self.replaces_malloc(t) and self.fails_sanitized(m.path, t) is False]
                self.write(m.path, mutant)
            for name in self.sanitized[m.path]:
                if self.fails_sanitized(m.path, name):
                    m.state, m.by = "killed", name + " with sanitizers"
                    return True
            return False
        finally:
            self.write(object_of(m.path), code)

    def replaces_malloc(self, test):
        return b"fail_alloc.h" in self.read(f"tests/{test}.c")

    def fails_sanitized(self, path, test):
        return not (self.rebuild(path, None, self.SANITIZE) and
                    self.rebuild(path, test, self.SANITIZE) and self.test(test, 5))


def object_of(path):
    return f"build/{path[:-2]}.o"


def goals(test):
    """What a test needs: a program of its own, or all tools, also with MPI."""
    if not test.endswith(".t"):
        return [f"build/tests/{test}"]
    shared = ("tool.c", "options.c", "suggest.c", "jobs.c")
    tools = ["build/" + name[:-2] for name in sorted(os.listdir(os.path.join(TOP, "cmd")))
             if name.endswith(".c") and name not in shared]
    if test == "cli/mpi.t" and shutil.which("mpirun"):
        tools += ["build/mpi/" + name for name in
                  ("cscg-learn", "cscg-match", "vq-kmeans", "tests/unit/dist/ranks")]
    return tools


def cpu_of_children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def kill(p):
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Kept:
    """What was found of mutants, in a file: source, place, change, state, test."""

    def __init__(self, path):
        self.path, self.known, self.source, self.tests = path, {}, {}, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    *key, state, by = line.rstrip("\n").split("\t")
                    self.known[tuple(key)] = state, by

    def key(self, m):
        """Comments and layout do not matter."""
        if m.path not in self.source:
            with open(os.path.join(TOP, m.path), encoding="utf-8") as f:
                toks = tokens(f.read())
            text = " ".join(t[1] for t in toks)
            self.source[m.path] = (hashlib.sha256(text.encode()).hexdigest()[:16],
                                   [t[2] for t in toks])
        code, starts = self.source[m.path]
        return m.path, code, str(bisect.bisect_left(starts, m.at)), m.op, \
            " ".join(m.new.split())

    def tests_key(self, path, shell=True):
        """The tests of a source, and what they are made of; shell tests or not."""
        if (path, shell) not in self.tests:
            h = hashlib.sha256()
            some = [t for t in tests_of(path) if shell or not t.endswith(".t")]
            for t in [*some, *(n for n in sorted(os.listdir(os.path.join(
                    TOP, "tests"))) if n.endswith((".h", ".sh")))]:
                name = t if "." in t else t + ".c"
                with open(os.path.join(TOP, "tests", name), "rb") as f:
                    h.update(name.encode() + f.read())
            self.tests[path, shell] = h.hexdigest()[:16]
        return self.tests[path, shell]

    def recall(self, m):
        state, by = self.known.get(self.key(m), (None, ""))
        if state != "survived":
            m.state, m.by = state, by
        elif by == self.tests_key(m.path):
            m.state = state
        else:
            m.passes_units = by == self.tests_key(m.path, False)

    def add(self, m):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        by = self.tests_key(m.path) if m.state == "survived" else m.by or ""
        with open(self.path, "a", encoding="utf-8") as f:
            f.write("\t".join([*self.key(m), m.state, by]) + "\n")


def work(tree, some, until, kept):
    for m in some:
        if time.monotonic() > until:
            return
        tree.judge(m)
        kept.add(m)
        print(f"{m.path}:{m.line}: {m.op}: {m.state}{' by ' + m.by if m.by else ''}",
              file=sys.stderr, flush=True)


def judge_all(trees, todo, until, kept):
    """By all trees, each a part of its own."""
    if not todo:
        return
    size = -(-len(todo) // len(trees))
    parts = [todo[k * size:(k + 1) * size] for k in range(len(trees))]
    paths = list(dict.fromkeys(m.path for m in todo))
    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        list(pool.map(lambda t: t.prepare(paths, 1 if len(trees) > 1 else 2), trees))
        list(pool.map(work, trees, parts, [until] * len(trees), [kept] * len(trees)))


def report(chosen):
    states = ("killed", "timeout", "survived", "equivalent", "invalid")
    print("#file\tmutants\t" + "\t".join(states) + "\tscore")
    modules = dict.fromkeys(row[0] for row in read_table("tests.txt"))
    rows = [(p, [m for m in chosen if m.path == p]) for p in sorted({m.path for m in chosen})]
    rows += [(k, [m for m in chosen if row_of(m.path)[0] == k]) for k in modules]
    for name, of in rows + [("all", chosen)]:
        if not of:
            continue
        n = {s: sum(m.state == s for m in of) for s in states}
        noticed = n["killed"] + n["timeout"]
        score = f"{100 * noticed / (noticed + n['survived']):.1f}" \
            if noticed + n["survived"] else "-"
        print("\t".join([name, str(len(of)), *(str(n[s]) for s in states), score]))
    for m in chosen:
        if m.state == "survived":
            print(f"\n{m.path}:{m.line}: {m.name}(): {m.op}\n- {m.before}\n+ {m.after}")


def draw(arg):
    """The mutants of each group, in the order in which they are taken."""
    rows = read_table("tests.txt")
    paths = [row[1] for row in rows if not arg.file or row[0] in arg.file]
    paths += [path for path in arg.file if path not in {row[0] for row in rows}]
    groups = {}
    for path in dict.fromkeys(paths):
        with open(os.path.join(TOP, path), encoding="utf-8") as f:
            groups.setdefault(row_of(path)[0] if arg.each else "", []).extend(
                mutants(path, f.read()))
    for name, group in groups.items():
        random.Random(f"{name} {arg.seed}" if name else arg.seed).shuffle(group)
    return list(groups.values())


def is_decided(m):
    return m.state in ("killed", "timeout", "survived")


def take(group, taken, n):
    """As many of a group as are missing of n that are decided."""
    missing = n - sum(map(is_decided, taken))
    return group[len(taken):len(taken) + missing]


def in_order(some):
    """Neighbours are then judged by the same tree, which compiles one file at a time."""
    return sorted(some, key=lambda m: (m.path, m.at, m.op, m.new))


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    p.add_argument("-n", type=int, default=20)
    p.add_argument("-s", "--seed", default="1")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("-t", "--time", type=float, default=float("inf"))
    p.add_argument("-d", "--dir", default=os.path.join(TOP, "build", "mutate"))
    p.add_argument("--each", action="store_true")
    p.add_argument("--units", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("file", nargs="*")
    arg = p.parse_args()

    until = time.monotonic() + arg.time
    groups = draw(arg)
    if arg.list:
        for m in in_order(m for group in groups for m in group[:arg.n]):
            print(f"{m.path}:{m.line}: {m.op}\n- {m.before}\n+ {m.after}")
        return
    kept = Kept(os.path.join(os.path.abspath(arg.dir), "results.tsv"))
    listed = {tuple(row[:5]) for row in read_table("equivalent.txt")}
    trees = [Tree(os.path.join(os.path.abspath(arg.dir), str(k))) for k in range(arg.jobs)]
    taken = [[] for group in groups]
    while time.monotonic() < until:
        # Those that do not count are replaced in the next round.
        new = [take(group, t, arg.n) for group, t in zip(groups, taken)]
        if not any(new):
            break
        for t, some in zip(taken, new):
            t += some
        for m in sum(new, []):
            if m.key() in listed:
                m.state = "equivalent"
            elif not m.state:
                kept.recall(m)
        judge_all(trees, in_order(m for m in sum(new, []) if not m.state), until, kept)
    report(in_order(m for m in sum(taken, []) if m.state))


if __name__ == "__main__":
    main()

"""Environments in Python for cscg-plan, by the protocol of cscg-env(5).

    cscg-plan [options] -- python3 -m cscg.env [options] MODULE:CLASS

Serves any object with the methods of a Gymnasium environment: reset(seed=...)
returns (observation, info), step(action) returns (observation, reward,
terminated, truncated, info), and observation_space and action_space describe
them.  MODULE:CLASS is called without arguments; a name without a colon is
passed to gymnasium.make().  Spaces are recognised by their attributes:

    Discrete       n, and start if it is not 0
    MultiDiscrete  nvec, and start: one symbol or action for each combination
    MultiBinary    n and shape: the same, of numbers 0 and 1
    Box            shape, with --codebook: the symbol of the nearest centroid

Gymnasium itself is needed only for names without a colon.
"""
import argparse
import base64
import gzip
import importlib
import json
import math
import struct
import sys


def fail(message):
    """End with status 2: a usage error."""
    print("cscg.env: " + message, file=sys.stderr)
    sys.exit(2)


class Discrete:
    """n values from start on."""

    def __init__(self, space):
        self.n = int(space.n)
        self.start = int(getattr(space, "start", 0))

    def index(self, value):
        return int(value) - self.start

    def value(self, index):
        return index + self.start


def flat(value):
    """The numbers of nested sequences, row by row."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [float(value)]
    return [number for part in value for number in flat(part)]


def nested(numbers, shape):
    """The first of these numbers as nested lists of this shape."""
    if not shape:
        return numbers.pop(0)
    return [nested(numbers, shape[1:]) for _ in range(shape[0])]


class MultiDiscrete:
    """All combinations of several numbers, the last one fastest."""

    def __init__(self, space):
        if hasattr(space, "nvec"):
            self.sizes = [int(n) for n in flat(space.nvec)]
            self.starts = [int(n) for n in flat(getattr(space, "start", 0))]
            self.shape = tuple(getattr(space.nvec, "shape", (len(self.sizes),)))
        else:
            self.shape = tuple(space.shape)
            self.sizes = [2] * math.prod(self.shape)
            self.starts = [0]
        if len(self.starts) < len(self.sizes):
            self.starts = self.starts[:1] * len(self.sizes)
        self.n = 1
        for size in self.sizes:
            self.n *= size

    def index(self, value):
        index = 0
        for size, start, one in zip(self.sizes, self.starts, flat(value)):
            index = index * size + int(one) - start
        return index

    def value(self, index):
        values = []
        for size, start in zip(reversed(self.sizes), reversed(self.starts)):
            values.append(index % size + start)
            index //= size
        return nested(values[::-1], self.shape)


class Codebook:
    """The symbol of a frame: its nearest centroid; ties go to the first."""

    def __init__(self, path):
        with open(path, "rb") as file:
            text = file.read()
        if text[:2] == b"\x1f\x8b":
            text = gzip.decompress(text)
        book = json.loads(text)
        if book.get("format") != "cscg-codebook":
            fail(f"'{path}': this is no cscg-codebook file")
        self.n = book["k"]
        self.size = 1
        for side in book["shape"]:
            self.size *= side
        data = base64.b64decode(book["centroids"])
        width = len(data) // (self.n * self.size)
        form = "<%d%s" % (self.n * self.size, "f" if width == 4 else "d")
        self.centroids = struct.unpack(form, data)

    def index(self, value):
        frame = flat(value)
        if len(frame) != self.size:
            fail(f"a frame of {len(frame)} numbers, but the codebook has "
                 f"{self.size}")
        best, least = 0, float("inf")
        for k in range(self.n):
            at = k * self.size
            distance = sum((x - c) ** 2 for x, c in
                           zip(frame, self.centroids[at:at + self.size]))
            if distance < least:
                best, least = k, distance
        return best


def space_of(space, what, book=None):
    """The numbering of the values of a space."""
    if book:
        return book
    if hasattr(space, "nvec") or (hasattr(space, "n") and
                                  getattr(space, "shape", ())):
        return MultiDiscrete(space)
    if hasattr(space, "n"):
        return Discrete(space)
    more = " (--codebook makes symbols of it)" if what == "observations" else ""
    return fail(f"{what}: {space} is neither Discrete nor MultiDiscrete{more}")


def positive(text):
    """An option that counts."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def make(name):
    """The environment of MODULE:CLASS, or of a Gymnasium name."""
    if ":" not in name:
        try:
            return importlib.import_module("gymnasium").make(name)
        except ImportError:
            fail(f"'{name}' needs Gymnasium; MODULE:CLASS does not")
    module, _, attribute = name.partition(":")
    sys.path.insert(0, ".")
    try:
        return getattr(importlib.import_module(module), attribute)()
    except (ImportError, AttributeError) as error:
        return fail(f"'{name}': {error}")


def serve(env, symbols, actions, args, out):
    """Serve episodes until the agent leaves or the last one ends."""
    def say(**line):
        print(json.dumps(line), file=out, flush=True)

    names = getattr(env, "action_names", None)
    head = {"actions": list(names)} if names else {}
    say(format="cscg-env", version=1, n_actions=actions.n, n_obs=symbols.n,
        episodes=args.episodes, steps=args.steps, **head)
    for episode in range(args.episodes):
        x, reward, done = env.reset(seed=args.seed + episode)[0], 0.0, False
        for step in range(args.steps + 1):
            done = done or step == args.steps
            say(x=symbols.index(x), reward=reward, episode=episode, done=done)
            if done:
                break
            line = sys.stdin.readline()
            if not line:            # the agent has left
                return
            a = json.loads(line)["a"]
            if a is None:           # it leaves this episode
                break
            if isinstance(a, str):
                a = head["actions"].index(a)
            x, reward, terminated, truncated = env.step(actions.value(a))[:4]
            reward, done = float(reward), bool(terminated or truncated)


def main(argv=None):
    args = argparse.ArgumentParser(prog="python3 -m cscg.env")
    args.add_argument("--episodes", type=positive, default=1)
    args.add_argument("--steps", type=positive, default=100,
                      help="per episode")
    args.add_argument("--seed", type=int, default=42)
    args.add_argument("--codebook", help="observations are frames: their "
                      "symbols, as cscg-codebook(5) has them")
    args.add_argument("env", metavar="MODULE:CLASS")
    args = args.parse_args(argv)
    book = Codebook(args.codebook) if args.codebook else None
    # What the environment prints is not part of the protocol.
    out, sys.stdout = sys.stdout, sys.stderr
    env = make(args.env)
    for name in "observation_space", "action_space":
        if not hasattr(env, name):
            fail(f"'{args.env}': no attribute {name}")
    try:
        serve(env, space_of(env.observation_space, "observations", book),
              space_of(env.action_space, "actions"), args, out)
    finally:
        if hasattr(env, "close"):
            env.close()
        sys.stdout = out


if __name__ == "__main__":
    main()

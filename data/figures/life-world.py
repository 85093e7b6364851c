#!/usr/bin/env python3
"""A sequence of worlds as environments of cscg-env(5) (fig-life).

life-world.py WHAT LIFE WORLD [KEY=VALUE]...
WHAT: serve (the environment), oracle (rewards of shortest paths, state known),
  kinds (the rooms of this world, one per line: kind, cells), held (the next
  argument is a library: how many kinds of worlds 1 to WORLD, and how many of them
  equal exactly one schema of the library), first (reads the
  table of cscg-plan from standard input: the step of the first plan that is a
  shortest path and is carried out, and the first step at which the present goal
  was seen before, so that a plan is possible), explorer (the step of the first
  such plan of an agent that knows the graphs of the rooms and its cell, but neither
  symbols nor door, and explores the nearest unknown symbol, then the nearest
  untried wall)
LIFE: seed of all worlds.  WORLD: 1, 2, ...
A world is two rooms side by side with a door between them at a random row.  A kind
of room is a grid without some of its cells, and the groups of cells that emit the
same symbol; the symbols of the groups are drawn for each world.  World 1 has two
new kinds, every third world after it one; all other rooms are of earlier kinds.
KEY: steps, slip, misread (probabilities), symbols
"""
import glob
import gzip
import json
import random
import sys

sys.dont_write_bytecode = True  # the scripts are in a source tree
import grid_env

ACTIONS = ["north", "east", "south", "west", "collect"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
what, life, world = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
key = dict(steps=2500, slip=.03, misread=.03, symbols=24)
key.update((k, float(v)) for k, v in (w.split("=") for w in sys.argv[4:] if "=" in w))
K = int(key["symbols"])


def kind_of(number):
    """Rows, columns, and the group of each cell: 16 groups of one or two cells."""
    draw = random.Random(7919 * life + number)
    rows, cols = draw.choice([(4, 6), (5, 5), (5, 6), (4, 7), (6, 5)])
    cells = {(r, c) for r in range(rows) for c in range(cols)}
    for _ in range(draw.randrange(1, 4)):
        r, c = draw.randrange(1, rows - 1), draw.randrange(1, cols - 1)
        cells.discard((r, c))
    cells = sorted(cells)
    groups = [i % 16 for i in range(len(cells))]
    draw.shuffle(groups)
    return rows, cols, dict(zip(cells, groups))


def kinds_until(w):
    """The number of kinds in worlds 1 to w."""
    return 2 + (w - 1) // 3


def rooms_of(w):
    draw = random.Random(104729 * life + w)
    if w == 1:
        return [0, 1]
    known = kinds_until(w - 1)
    new = kinds_until(w) > known
    rooms = [known if new else draw.randrange(known), draw.randrange(known)]
    draw.shuffle(rooms)
    return rooms


layout = random.Random(15485863 * life + world)
cells, room_of, width = {}, {}, 0
for room, number in enumerate(rooms_of(world)):
    rows, cols, groups = kind_of(number)
    shown = layout.sample(range(K), 16)
    for (r, c), g in groups.items():
        cells[r, width + c], room_of[r, width + c] = shown[g], room
    width += cols
door = layout.choice([(r, c) for r, c in cells if (r, c + 1) in cells and
                      room_of[r, c] != room_of[r, c + 1]])
run = random.Random(1000003 * life + world)
start = run.choice(sorted(cells))


def move(cell, a):
    to = (cell[0] + MOVES[a][0], cell[1] + MOVES[a][1])
    if to not in cells:
        return cell
    if room_of[to] != room_of[cell] and door not in (to, cell):
        return cell
    return to


grid = grid_env.Grid(run, cells, move, key["slip"])


def first():
    """Print the step of the first plan of two actions or more that is as long as the
    shortest path and ends with a reward, and the first step at which there can be one:
    the goal is two steps away or more, and its symbol was observed before.  "-": none."""
    rows = [line.rstrip("\n").split("\t") for line in sys.stdin]
    table = [dict(zip(rows[0], row)) for row in rows[1:]]
    plan = possible = "-"
    seen = set()
    for i, row in enumerate(table):
        best = float(row["distance"])
        end = i + int(best) + 1
        if best >= 2 and possible == "-" and row["goal"] in seen:
            possible = i
        if best >= 2 and int(row["plan"]) > 0 and int(row["left"]) + 1 == best and \
                end < len(table) and float(table[end]["reward"]) > 0:
            plan = i
            break
        seen.add(row["x"])
    print(plan, possible, sep="\t")


class Explorer:
    """An agent that knows the graphs of both rooms and its cell: what it lacks are
    the symbols of groups of cells that it has not visited, and the door."""

    def __init__(self):
        self.cell, self.t = start, 0
        self.known, self.tried, self.door = {self.group(start)}, set(), False

    @staticmethod
    def group(cell):
        return room_of[cell], cells[cell]

    def step(self, cell, a):
        """The next cell, as far as the explorer knows."""
        to = move(cell, a)
        return to if self.door or room_of[to] == room_of[cell] else cell

    def go_to(self, found):
        """Walk to the nearest cell for which found(cell) is true; False: none."""
        seen, queue = {self.cell: None}, [self.cell]
        for cell in queue:
            if found(cell):
                break
            for a in range(4):
                to = self.step(cell, a)
                if to not in seen:
                    seen[to] = cell
                    queue.append(to)
        else:
            return False
        path = []
        while cell != self.cell:
            path.append(cell)
            cell = seen[cell]
        for cell in reversed(path):
            self.cell, self.t = cell, self.t + 1
            self.known.add(self.group(cell))
        return True

    def try_wall(self):
        def walls(cell):
            return [a for a in range(4)
                    if self.step(cell, a) == cell and (cell, a) not in self.tried]

        self.go_to(walls)
        a = walls(self.cell)[0]
        self.tried.add((self.cell, a))
        self.door, self.t = self.door or move(self.cell, a) != self.cell, self.t + 1
        self.cell = move(self.cell, a)
        self.known.add(self.group(self.cell))

    def first(self):
        while True:
            goal = grid.new_goal(self.cell)
            while cells[self.cell] != goal:
                since, best = self.t, grid.distances(goal)[self.cell]
                if self.go_to(lambda c: self.group(c) in self.known and cells[c] == goal):
                    if best >= 2 and self.t - since == best:
                        return since
                elif not self.go_to(lambda c: self.group(c) not in self.known):
                    self.try_wall()
            self.t += 1


def equal(graph, other):
    """Whether two graphs, [state][action] of next states, are isomorphic."""
    if len(graph) != len(other):
        return False
    for start_of_other in range(len(other)):
        to, queue = {0: start_of_other}, [0]
        for i in queue:
            for j, k in zip(graph[i], other[to[i]]):
                if j not in to:
                    to[j] = k
                    queue.append(j)
        if len(set(to.values())) == len(graph) and \
                all(to[j] == k for i in to for j, k in zip(graph[i], other[to[i]])):
            return True
    return False


def held(library):
    """Print the number of kinds, and of those that equal one schema of the library."""
    schemas = []
    for name in glob.glob(library + "/schema-*"):
        with gzip.open(name) as f:
            model = json.load(f)
        # a transition that may leave the room and was not tried is a wall
        graph = [[i] * 4 for i in range(model["n_states"])]
        for a, c in enumerate(model["counts"]):
            for _, i, j in sorted(zip(c["count"], c["from"], c["to"])):
                graph[i][a] = j
        schemas.append(graph)
    n = once = 0
    for number in range(kinds_until(world)):
        rooms = kind_of(number)[2]
        names = sorted(rooms)
        graph = [[names.index((r + y, c + x) if (r + y, c + x) in rooms else (r, c))
                  for y, x in MOVES] for r, c in names]
        n += 1
        once += sum(equal(graph, schema) for schema in schemas) == 1
    print(n, once, sep="\t")


def serve():
    grid.serve({"n_obs": K, "actions": ACTIONS, "collect": 4}, [start], key["steps"],
               lambda c: grid_env.misread(run, key["misread"], cells[c], K),
               more=lambda c, goal: {"distance": grid.distances(goal)[c]})


if what == "kinds":
    for number in rooms_of(world):
        print(number, len(kind_of(number)[2]), sep="\t")
elif what == "held":
    held(sys.argv[4])
elif what == "explorer":
    print(Explorer().first())
elif what == "oracle":
    print(grid.oracle(start, int(key["steps"])))
else:
    {"serve": serve, "first": first}[what]()

#!/usr/bin/env python3
"""A stream of worlds that speak cscg-env(5) (fig-life).

life-world.py WHAT LIFE WORLD [KEY=VALUE]...
WHAT: serve (an environment), oracle (rewards of shortest paths, state known),
  kinds (the rooms of this world, one a line: kind, states), first (the step from
  which on the actions of a table of cscg-plan, on standard input, lead by a
  shortest path to the goal)
LIFE: seed of all worlds.  WORLD: 1, 2, ...
A world is two rooms, one beside the other, with a door between them at any row.  A kind of
room is a grid with some cells missing, and which of its cells look alike; what
they look like is drawn for each world.  World 1 has two new kinds, every third
world after it one; all other rooms are of kinds that were there before.
KEY: steps, slip, misread (probabilities), symbols
"""
import json
import random
import sys

sys.dont_write_bytecode = True  # the scripts are in a source tree
import grid_env
from grid_env import send, slipped

ACTIONS = ["north", "east", "south", "west", "collect"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
what, life, world = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
key = dict(steps=2500, slip=.03, misread=.03, symbols=24)
key.update((k, float(v)) for k, v in (w.split("=") for w in sys.argv[4:]))
K = int(key["symbols"])


def kind_of(number):
    """Cells of a kind and the group of each: 16 groups, one cell or two."""
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
    """How many kinds there are in worlds up to w."""
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


def distances(goal):
    return grid_env.distances(cells, move, [c for c in cells if cells[c] == goal])


def ask(cell):
    return run.choice(sorted(set(cells.values()) - {cells[cell]}))


def oracle():
    cell, goal, rewards = start, ask(start), 0
    for _ in range(int(key["steps"])):
        if cells[cell] == goal:
            rewards, goal = rewards + 1, ask(cell)
            continue
        d = distances(goal)
        a = slipped(run, key["slip"], min(range(4), key=lambda b: d[move(cell, b)]))
        cell = cell if a is None else move(cell, a)
    print(rewards)


def first():
    """From which step on does the agent act by shortest paths?  Of the rewards,
    the first that was collected by a shortest path of two or more steps."""
    rows = [line.rstrip("\n").split("\t") for line in sys.stdin]
    at = {name: i for i, name in enumerate(rows[0])}
    since, best = None, None
    for row in rows[1:]:
        t, reward, distance = int(row[at["t"]]), float(row[at["reward"]]), row[at["distance"]]
        if reward > 0 and since is not None and best >= 2 and t - since == best + 1:
            print(since)
            return
        if reward > 0 or t == 0:
            since, best = t, float(distance)
    print("-")


def serve():
    send({"format": "cscg-env", "version": 1, "n_obs": K, "n_actions": 5,
          "actions": ACTIONS, "collect": 4, "episodes": 1})
    cell, t, reward, goal = start, 0, 0, ask(start)
    while True:
        done = t >= key["steps"]
        x = cells[cell]
        if run.random() < key["misread"]:
            x = run.randrange(K)
        send({"x": x, "goal": goal, "reward": reward, "done": done, "episode": 0,
              "distance": distances(goal)[cell]})
        answer = "" if done else sys.stdin.readline()
        if not answer or json.loads(answer)["a"] is None:
            return
        a = json.loads(answer)["a"]
        a = ACTIONS.index(a) if isinstance(a, str) else a
        t, reward = t + 1, 0
        if a == 4:
            if cells[cell] == goal:
                reward, goal = 1, ask(cell)
            continue
        a = slipped(run, key["slip"], a)
        cell = cell if a is None else move(cell, a)


if what == "kinds":
    for number in rooms_of(world):
        print(number, len(kind_of(number)[2]), sep="\t")
else:
    {"serve": serve, "oracle": oracle, "first": first}[what]()

#!/usr/bin/env python3
"""Grid worlds that differ from the agent's map, as cscg-env(5) (fig-live).

live-world.py WHAT KIND SEED [KEY=VALUE]...
WHAT: serve (the environment), map (its grounded model), schema (of room=0|1|2),
  room (a cscg-room(5) of the world, or of room=3 alone with alone=1),
  optimum (steps of the shortest path to the goal), oracle (rewards of shortest
  paths, state known)
KIND: room (rows x cols cells), doors (two rooms, a wall with two doors between
  them, a goal beyond it), two (two rooms, one door), four (four rooms in a row in
  random order, a door between neighbours), turns (four rooms of 3x3 cells with
  four doors between them; the agent has a heading, turns left or right and moves
  forward; the symbol is that of the cell ahead, or that of a wall; the goal is
  one cell, and episodes=N episodes start at random states 6 steps or more away)
KEY: rows cols symbols steps slip misread; close=1: the nearer door is closed;
  unseen=1: the doors emit a symbol that the map does not have; goals=1: the goal
  is a symbol to collect, then another one, and so on
"""
import json
import random
import sys

sys.dont_write_bytecode = True  # the scripts are in a source tree
import grid_env

ACTIONS = ["north", "east", "south", "west"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
what, kind, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
key = dict(rows=6, cols=7, symbols=12, steps=0, slip=0, misread=0, close=0,
           unseen=0, goals=0, room=0, alone=0, episodes=1)
key.update((k, float(v)) for k, v in (w.split("=") for w in sys.argv[4:]))
rows, cols, K = int(key["rows"]), int(key["cols"]), int(key["symbols"])
layout = random.Random(seed)
cells, room_of = {}, {}


def fill(col, height, width, symbols, room):
    values = [symbols[i % len(symbols)] for i in range(height * width)]
    layout.shuffle(values)
    for i, v in enumerate(values):
        cell = (i // width, col + i % width)
        cells[cell], room_of[cell] = v, room


n_obs, doors, goal_cells = K, [], []
fill(0, rows, cols, range(K), 0)
if kind == "doors":
    fill(cols + 1, rows, cols, range(K), 1)
    doors = [(0, cols), (rows - 1, cols)]
    for d in doors:
        cells[d], room_of[d] = layout.randrange(K), 2
    goal_cells = [(layout.randrange(rows), 2 * cols)]
    cells[goal_cells[0]] = K
    n_obs = K + 1
elif kind == "two":
    fill(cols, cols, rows, range(K // 2, K // 2 + K), 1)
    n_obs = K // 2 + K
elif kind == "four":
    cells, room_of, at = {}, {}, 0
    for r in layout.sample(range(4), 4):
        height, width = [(4, 6), (6, 4), (5, 5), (5, 6)][r]
        fill(at, height, width, layout.sample(range(K), 16), r)
        at += width
elif kind == "turns":
    ACTIONS = ["left", "right", "forward"]
    cells, side = {}, [0, 1, 2, 4, 5, 6]
    floor = [(r, c) for r in side for c in side]
    floor += [(3, layout.randrange(3) + 4 * i) for i in range(2)]
    floor += [(layout.randrange(3) + 4 * i, 3) for i in range(2)]
    symbols = {f: layout.randrange(K) for f in floor}
    symbols[layout.choice(floor)] = K + 1
    n_obs = K + 2
    for r, c in floor:
        for h, (dr, dc) in enumerate(MOVES):
            cells[r, c, h] = symbols.get((r + dr, c + dc), K)
            room_of[r, c, h] = 0
    goal_cells = [s for s in cells if cells[s] == K + 1]
door_row = layout.randrange(4 if kind == "four" else min(rows, cols))
run = random.Random(1000003 * seed + 1)
shown = dict(cells)
start = run.choice(sorted(c for c in cells if kind != "doors" or not room_of[c]))
if key["unseen"]:
    for d in doors:
        shown[d] = n_obs


def move(cell, a, closed=()):
    if kind == "turns":
        r, c, h = cell
        to = (r + MOVES[h][0], c + MOVES[h][1], h)
        if a == 2:
            return to if to in cells else cell
        return r, c, (h + [3, 1][a]) % 4
    to = (cell[0] + MOVES[a][0], cell[1] + MOVES[a][1])
    if to not in cells or to in closed:
        return cell
    if kind != "doors" and room_of[to] != room_of[cell] and cell[0] != door_row:
        return cell
    return to


def distances(goals, closed=()):
    return grid_env.distances(cells, lambda c, a: move(c, a, closed), goals,
                              len(ACTIONS))


def write_model(kept, grounded):
    kept = sorted(kept, key=lambda c: (cells[c], c))
    at = {c: i for i, c in enumerate(kept)}
    used = {s: i for i, s in enumerate(sorted({cells[c] for c in kept}))}
    counts = [{"from": list(range(len(kept))),
               "to": [at.get(move(c, a), at[c]) for c in kept],
               "count": [5] * len(kept)} for a in range(len(ACTIONS))]
    print(json.dumps({
        "format": "cscg-model", "version": 1, "precision": "double",
        "kind": "grounded" if grounded else "clones", "n_states": len(kept),
        "n_actions": len(ACTIONS), "n_obs": n_obs if grounded else len(used),
        "actions": ACTIONS, "pseudocount": 0, "counts": counts, "history": [],
        "clone": [cells[c] if grounded else used[cells[c]] for c in kept]}))


def write_room(kept):
    kept = sorted(kept)
    at = {c: i for i, c in enumerate(kept)}
    print(json.dumps({
        "format": "cscg-room", "version": 1, "name": kind, "n_nodes": len(kept),
        "n_actions": len(ACTIONS), "n_obs": n_obs, "actions": ACTIONS,
        "obs": [cells[c] for c in kept],
        "next": [[at.get(move(c, a), at[c]) for c in kept] for a in range(len(ACTIONS))],
        "coords": [c[:2] for c in kept], "history": []}))


closed, starts = [], [start]
if kind == "turns":
    d = distances(goal_cells)
    starts = run.choices(sorted(s for s in cells if d[s] >= 6), k=int(key["episodes"]))
if kind == "doors" and key["close"]:
    by = [distances(goal_cells, [e for e in doors if e != d])[start] for d in doors]
    closed = [doors[0] if by[0] <= by[1] else doors[1]]
if what == "map":
    write_model(cells, True)
elif what == "schema":
    write_model([c for c in cells if room_of[c] == key["room"]], False)
elif what == "room":
    write_room([c for c in cells if not key["alone"] or room_of[c] == key["room"]])
elif what == "optimum":
    d = distances(goal_cells, closed)
    print(*(d[s] for s in starts))
if what not in ("serve", "oracle"):
    sys.exit()

# A door that is open on the map may be closed here.
grid = grid_env.Grid(run, shown, lambda c, a: move(c, a, closed), key["slip"],
                     len(ACTIONS))


def observe(cell):
    if not key["misread"]:
        return shown[cell]
    return grid_env.misread(run, key["misread"], shown[cell], n_obs)


if what == "oracle":
    print(grid.oracle(start, int(key["steps"])))
else:
    head = {"n_obs": n_obs + int(key["unseen"]), "actions": ACTIONS}
    if key["goals"]:
        head.update(actions=ACTIONS + ["collect"], collect=4)
    grid.serve(head, starts, key["steps"], observe, goals=bool(key["goals"]))

#!/usr/bin/env python3
"""agent_worlds.py SIZE SEED,SEED,... STEPS,STEPS,... [NOISE]: environments of cscg-env(5)

An episode in each of several rooms of ROWSxCOLUMNSxSYMBOLS, whose symbols are placed
by a seed; goals are collected.  A step slips, and a symbol is misread, with
probability NOISE each.
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TOP"], "data", "figures"))
import grid_env

ROWS, COLUMNS, SYMBOLS = (int(n) for n in sys.argv[1].split("x"))
ACTIONS = ["north", "east", "south", "west", "collect"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]
noise = float(sys.argv[4]) if len(sys.argv) > 4 else 0
rooms = list(zip(*([int(n) for n in w.split(",")] for w in sys.argv[2:4])))
run = random.Random(5)


def play(number, seed, steps):
    symbols = [i % SYMBOLS for i in range(ROWS * COLUMNS)]
    random.Random(seed).shuffle(symbols)
    cells = {(i // COLUMNS, i % COLUMNS): x for i, x in enumerate(symbols)}

    def move(cell, a):
        to = (cell[0] + MOVES[a][0], cell[1] + MOVES[a][1])
        return to if to in cells else cell

    grid = grid_env.Grid(run, cells, move, noise)
    grid.episode(number, {"actions": ACTIONS}, run.choice(sorted(cells)), steps,
                 lambda cell: grid_env.misread(run, noise, cells[cell], SYMBOLS),
                 True, lambda cell, goal: {})


grid_env.send({"format": "cscg-env", "version": 1, "episodes": len(rooms),
               "n_actions": len(ACTIONS), "n_obs": SYMBOLS, "actions": ACTIONS, "collect": 4})
for number, (seed, steps) in enumerate(rooms):
    play(number, seed, steps)

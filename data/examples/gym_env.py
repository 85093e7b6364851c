#!/usr/bin/env python3
"""A Python environment for cscg-plan, served by cscg.env: cscg-env(5).

    cscg-plan [options] -- python3 gym_env.py [--own] [options] [ID]

Serves the Gymnasium environment ID (default FrozenLake-v1), or with --own
Grid below, which shows all that an environment needs to have.  With the
package installed, python3 -m cscg.env gym_env:Grid does the same.
"""
import importlib.util
import os
import sys


class Space:
    def __init__(self, n):
        self.n = n


class Grid:
    """4 x 3 cells, each with a symbol of its own; reward 1 in the last."""
    rows, cols = 3, 4
    observation_space, action_space = Space(12), Space(4)
    action_names = ["up", "down", "left", "right"]
    moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def reset(self, seed=None):
        self.row = self.col = 0
        return 0, {}

    def step(self, a):
        self.row = min(max(self.row + self.moves[a][0], 0), self.rows - 1)
        self.col = min(max(self.col + self.moves[a][1], 0), self.cols - 1)
        x = self.row * self.cols + self.col
        won = x == self.observation_space.n - 1
        return x, float(won), won, False, {}


def main():
    """cscg.env of this source tree, without the rest of the package."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "..", "python", "cscg", "env.py")
    spec = importlib.util.spec_from_file_location("env", path)
    env = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(env)
    argv = [arg for arg in sys.argv[1:] if arg != "--own"]
    if len(argv) < len(sys.argv) - 1:
        sys.path.insert(0, here)
        argv.append("gym_env:Grid")
    elif len(argv) % 2 == 0:
        argv.append("FrozenLake-v1")
    env.main(argv)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A Python environment for cscg-plan: the world's side of cscg-env(5).

    cscg-plan [options] -- python3 gym_env.py [--episodes E] [--steps N] [ID]

Serves the Gymnasium environment ID (default FrozenLake-v1, not slippery) whose
observations and actions are both Discrete.  Without Gymnasium, or with --own,
it serves Grid below, which shows all that an environment needs to have.
"""
import argparse
import json
import sys

try:
    import gymnasium
except ImportError:
    gymnasium = None


class Grid:
    """4 x 3 cells, each with a symbol of its own; reward 1 in the last."""
    rows, cols = 3, 4
    n_obs, n_actions = 12, 4
    actions = ["up", "down", "left", "right"]
    moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def reset(self, seed):
        self.row = self.col = 0
        return 0

    def step(self, a):
        self.row = min(max(self.row + self.moves[a][0], 0), self.rows - 1)
        self.col = min(max(self.col + self.moves[a][1], 0), self.cols - 1)
        x = self.row * self.cols + self.col
        won = x == self.n_obs - 1
        return x, float(won), won


class Gym:
    """A Gymnasium environment with the methods of Grid."""
    actions = None

    def __init__(self, name):
        more = {"is_slippery": False} if name == "FrozenLake-v1" else {}
        self.env = gymnasium.make(name, **more)
        for space in self.env.observation_space, self.env.action_space:
            if not isinstance(space, gymnasium.spaces.Discrete):
                sys.exit(f"gym_env: {name}: {space} is not Discrete")
        self.n_obs = int(self.env.observation_space.n)
        self.n_actions = int(self.env.action_space.n)

    def reset(self, seed):
        return int(self.env.reset(seed=seed)[0] -
                   self.env.observation_space.start)

    def step(self, a):
        x, reward, terminated, truncated, _ = self.env.step(
            a + int(self.env.action_space.start))
        return (int(x - self.env.observation_space.start), float(reward),
                bool(terminated or truncated))


def say(**line):
    print(json.dumps(line), flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--own", action="store_true", help="serve Grid")
    args.add_argument("--episodes", type=int, default=1)
    args.add_argument("--steps", type=int, default=100, help="per episode")
    args.add_argument("--seed", type=int, default=42)
    args.add_argument("id", nargs="?", default="FrozenLake-v1")
    args = args.parse_args()
    world = Gym(args.id) if gymnasium and not args.own else Grid()
    names = {"actions": world.actions} if world.actions else {}
    say(format="cscg-env", version=1, n_actions=world.n_actions,
        n_obs=world.n_obs, episodes=args.episodes, steps=args.steps, **names)
    for episode in range(args.episodes):
        x, reward, done = world.reset(args.seed + episode), 0.0, False
        for step in range(args.steps + 1):
            done = done or step == args.steps
            say(x=x, reward=reward, episode=episode, done=done)
            if done:
                break
            line = sys.stdin.readline()
            if not line:            # the agent has left
                return
            a = json.loads(line)["a"]
            if a is None:           # it leaves this episode
                break
            if isinstance(a, str):
                a = world.actions.index(a)
            x, reward, done = world.step(a)


if __name__ == "__main__":
    main()

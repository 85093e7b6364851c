"""Grid worlds for fig-live and fig-life: cells with symbols, four moves, slips,
misread symbols, goals, and the lines of cscg-env(5)."""
import json
import sys
from collections import deque


def distances(cells, move, goals, n_actions=4):
    """Shortest path lengths from every cell to the nearest of the goals;
    move(cell, a) is the next cell."""
    back = {}
    for c in cells:
        for a in range(n_actions):
            back.setdefault(move(c, a), []).append(c)
    d, queue = {c: 0 for c in goals}, deque(goals)
    while queue:
        c = queue.popleft()
        for b in back.get(c, []):
            if b not in d:
                d[b] = d[c] + 1
                queue.append(b)
    return d


def slipped(run, p, a, n_actions=4):
    """The move made for action a: with probability p a slip, which is equally
    likely no move (None) or a different one."""
    u = run.random()
    if u >= p:
        return a
    return None if u < p / 2 else run.choice([b for b in range(n_actions) if b != a])


def misread(run, p, x, n_obs):
    """Symbol x, with probability p replaced by one drawn from n_obs symbols."""
    return run.randrange(n_obs) if run.random() < p else x


def send(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Grid:
    """A grid world: symbols[cell] is observed at a cell, move(cell, a) is the next
    cell, run draws goals and slips (with probability slip)."""

    def __init__(self, run, symbols, move, slip, n_actions=4):
        self.run, self.symbols, self.move, self.slip = run, symbols, move, slip
        self.n_actions = n_actions

    def new_goal(self, cell):
        """A symbol other than that of the cell."""
        return self.run.choice(sorted(set(self.symbols.values()) - {self.symbols[cell]}))

    def distances(self, goal):
        """Shortest path lengths from every cell to the nearest one with symbol goal."""
        return distances(self.symbols, self.move,
                         [c for c in self.symbols if self.symbols[c] == goal])

    def oracle(self, start, steps):
        """Rewards of an agent that knows its cell and follows shortest paths."""
        cell, goal, rewards = start, self.new_goal(start), 0
        for _ in range(steps):
            if self.symbols[cell] == goal:
                rewards, goal = rewards + 1, self.new_goal(cell)
                continue
            d = self.distances(goal)
            a = slipped(self.run, self.slip,
                        min(range(4), key=lambda b: d[self.move(cell, b)]))
            cell = cell if a is None else self.move(cell, a)
        return rewards

    def serve(self, head, starts, steps, observe, goals=True, more=lambda cell, goal: {}):
        """An episode for each start, of at most this many steps (0: no limit), over
        standard input and output: head is the first line, observe(cell) the symbol
        that is sent, more(cell, goal) what is sent besides.  With goals, the action
        after the moves collects."""
        send({"format": "cscg-env", "version": 1, "episodes": len(starts),
              "n_actions": len(head["actions"]), **head})
        for episode, start in enumerate(starts):
            self.episode(episode, head, start, steps, observe, goals, more)

    def episode(self, number, head, start, steps, observe, goals, more):
        cell, t, reward = start, 0, 0
        goal = self.new_goal(cell) if goals else None
        while True:
            done = bool(steps) and t >= steps
            send({"x": observe(cell), "goal": goal, "reward": reward, "done": done,
                  "episode": number, **more(cell, goal)})
            answer = "" if done else sys.stdin.readline()
            if not answer or json.loads(answer)["a"] is None:
                return
            a = json.loads(answer)["a"]
            a = head["actions"].index(a) if isinstance(a, str) else a
            t, reward = t + 1, 0
            if a == self.n_actions:
                if self.symbols[cell] == goal:
                    reward, goal = 1, self.new_goal(cell)
                continue
            a = slipped(self.run, self.slip, a, self.n_actions)
            cell = cell if a is None else self.move(cell, a)

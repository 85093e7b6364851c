"""What the environments of fig-live and fig-life share: grids of cells with four
moves, slips, and lines of cscg-env(5)."""
import json
import sys
from collections import deque


def distances(cells, move, goals):
    """Shortest path lengths from every cell to the nearest of the goals;
    move(cell, a) is the next cell."""
    back = {}
    for c in cells:
        for a in range(4):
            back.setdefault(move(c, a), []).append(c)
    d, queue = {c: 0 for c in goals}, deque(goals)
    while queue:
        c = queue.popleft()
        for b in back.get(c, []):
            if b not in d:
                d[b] = d[c] + 1
                queue.append(b)
    return d


def slipped(run, p, a):
    """Action a after a slip with probability p: none (None), or another one."""
    u = run.random()
    if u >= p:
        return a
    return None if u < p / 2 else run.choice([b for b in range(4) if b != a])


def send(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()

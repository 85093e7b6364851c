"""fit.py - CPU seconds of CSCG.fit, the best of several

    fit.py WALK CLONES ITERATIONS TRIES

The walk is given as NumPy arrays; the time is that of fit only, from arrays to a
model.
"""

import sys
import time

import cscg

path, clones, iterations, tries = sys.argv[1:]
walk = cscg.Walk.read(path)
x, a, lengths = walk.x.copy(), walk.a.copy(), walk.lengths
best = float("inf")
for _ in range(int(tries)):
    model = cscg.CSCG(clones=int(clones), restarts=1, tolerance=0,
                      structure="none", iterations=int(iterations))
    start = time.process_time()
    model.fit(x, a, lengths)
    best = min(best, time.process_time() - start)
print("%.6g" % best)

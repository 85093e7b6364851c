"""Compare cscg-learn with the numba EM from the same initial counts.

    check.py TOOL WALK CLONES ITERATIONS DENSITY DIR

Both start from random counts, a fraction DENSITY of them not 0, and run ITERATIONS of
EM.  Prints the largest relative difference of the log-likelihoods and the
largest and mean difference of the final T.  Status 1 if a log-likelihood
differs by more than 1e-5.
"""
import gzip
import json
import os
import subprocess
import sys

import numpy as np

import numba_cscg as ours


def write_model(path, C, span, pseudocount):
    clone = np.repeat(np.arange(len(span)), span[:, 1] - span[:, 0])
    with open(path, "w") as f:
        f.write('{"format":"cscg-model","version":1,"kind":"grounded",'
                '"precision":"double","n_states":%d,"n_actions":%d,'
                '"n_obs":%d,"clone":%s,"pseudocount":%r,"counts":[' %
                (C.shape[1], C.shape[0], len(span),
                 json.dumps(clone.tolist()), pseudocount))
        for a in range(C.shape[0]):
            j, k = np.nonzero(C[a])
            counts = ",".join("%.17g" % c for c in C[a, j, k])
            f.write('%s{"from":%s,"to":%s,"count":[%s]}' %
                    ("," if a else "", json.dumps(j.tolist()),
                     json.dumps(k.tolist()), counts))
        f.write("]}\n")


def read_T(path):
    with gzip.open(path, "rt") as f:
        m = json.loads(f.readline())
    C = np.zeros((m["n_actions"], m["n_states"], m["n_states"]))
    for a, c in enumerate(m["counts"]):
        C[a, c["from"], c["to"]] = c["count"]
    C += m["pseudocount"]
    return C / C.sum(axis=2, keepdims=True)


def main(tool, walk, clones, iterations, density, where):
    x, a, n_actions, n_obs = ours.read_walk(walk)
    span = ours.clone_spans(clones, n_obs)
    n = span[-1, 1]
    rng = np.random.RandomState(1)
    C = rng.rand(n_actions, n, n).astype(ours.REAL)
    if float(density) < 1:
        C[rng.rand(*C.shape) >= float(density)] = 0
    init = os.path.join(where, "init.json")
    stats = os.path.join(where, "stats.json")
    out = os.path.join(where, "learned.gz")
    write_model(init, C, span, ours.PSEUDOCOUNT)
    subprocess.run([tool, "-q", "--init", init, "--iterations", iterations,
                    "--restarts", "1", "--tolerance", "0", "--structure", "none", "--stats",
                    stats, "-o", out, walk], check=True)
    with open(stats) as f:
        lines = [json.loads(line) for line in f]
    mine = [-line["nats_per_step"] * len(x) for line in lines
            if line["stage"] == "em"]
    T, theirs = ours.learn(C, span, x, a, int(iterations))
    mine = np.array(mine[:len(theirs)])
    theirs = np.array(theirs)
    worst = np.max(np.abs(mine - theirs) / np.abs(theirs))
    off = np.abs(read_T(out) - T)
    print("%.3g %.3g %.3g" % (worst, off.max(), off.mean()))
    for path in (init, stats, out):
        os.remove(path)
    if len(mine) != int(iterations) or not worst < 1e-5:
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])

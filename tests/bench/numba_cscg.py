"""EM as in the paper, a straightforward implementation in Python with numba, float32.

The reference of `make bench`, for times and for numbers.
The clones of symbol x are the states span[x, 0] .. span[x, 1]-1; T[a, j, k] is
P(next state k | state j, action a).

    numba_cscg.py learn WALK CLONES ITERATIONS    EM on T, E by clones
    numba_cscg.py bind MODEL WALK ITERATIONS      EM on E, T fixed
    numba_cscg.py score MODEL WALK TRIES          forward pass, T given
    numba_cscg.py viterbi MODEL WALK TRIES        most probable states, T given

Each prints seconds per iteration without compilation: the best and the mean.
Seconds are CPU time with one BLAS thread (OPENBLAS_NUM_THREADS=1), which excludes
other jobs, else wall-clock time.
bind adds the log-likelihood before the last update, score that of the walk, and
viterbi the log probability of the path.
"""
import gzip
import json
import os
import sys
import time

import numba
import numpy as np

REAL = np.float32
PSEUDOCOUNT = 2e-3      # of T
PSEUDOCOUNT_E = 1e-7    # of E

clock = time.process_time
if os.environ.get("OPENBLAS_NUM_THREADS", "") != "1":
    clock = time.perf_counter


def read_walk(path):
    """Observations and actions of a walk of one episode, and their numbers."""
    x, a = [], []
    with gzip.open(path, "rt") as lines:
        head = json.loads(next(lines))
        for line in lines:
            part = json.loads(line)
            x += part.get("x", [])
            a += part.get("a", [])
    if len(a) != len(x) - 1:
        sys.exit("numba_cscg: %s is not a walk of one episode" % path)
    return np.array(x), np.array(a), head["n_actions"], head["n_obs"]


def spans(lengths):
    """Where each of some neighbours starts and ends."""
    end = np.cumsum(lengths)
    return np.stack((end - lengths, end), axis=1)


def clone_spans(clones, n_obs):
    """The clones of each symbol; clones is a number, or a list as text."""
    n = [int(c) for c in clones.split(",")]
    return spans(np.array(n * n_obs if len(n) == 1 else n))


def normalise(C, p):
    """Counts to probabilities, rows with nothing in them left alone."""
    P = C + REAL(p)
    norm = P.sum(axis=-1, keepdims=True)
    norm[norm == 0] = 1
    P /= norm
    return P


# ---- EM on T ----

@numba.njit
def forward(T, span, x, a, at):
    """Messages alpha(t), each of sum one, and the log of what was divided."""
    alpha = np.empty(at[-1, 1], T.dtype)
    scale = np.zeros(len(x), T.dtype)
    j, j_end = span[x[0]]
    msg = np.full(j_end - j, 1 / (j_end - j), T.dtype)
    scale[0] = np.log((j_end - j) / span[-1, 1])
    t_at, t_end = at[0]
    alpha[t_at:t_end] = msg
    for t in range(1, len(x)):
        (i, i_end), (j, j_end) = span[x[t - 1]], span[x[t]]
        block = T[a[t - 1], i:i_end, j:j_end]
        msg = np.dot(np.ascontiguousarray(block.T), msg)
        p = msg.sum()
        assert p > 0
        msg /= p
        scale[t] = np.log(p)
        t_at, t_end = at[t]
        alpha[t_at:t_end] = msg
    return alpha, scale


@numba.njit
def backward(T, span, x, a, at):
    """Messages beta(t), each of sum one."""
    beta = np.empty(at[-1, 1], T.dtype)
    j, j_end = span[x[-1]]
    msg = np.full(j_end - j, 1 / (j_end - j), T.dtype)
    t_at, t_end = at[-1]
    beta[t_at:t_end] = msg
    for t in range(len(x) - 2, -1, -1):
        (i, i_end), (j, j_end) = span[x[t]], span[x[t + 1]]
        block = T[a[t], i:i_end, j:j_end]
        msg = np.dot(np.ascontiguousarray(block), msg)
        p = msg.sum()
        assert p > 0
        msg /= p
        t_at, t_end = at[t]
        beta[t_at:t_end] = msg
    return beta


@numba.njit
def count(C, T, span, x, a, at, alpha, beta):
    """C = sum over t of xi(t)."""
    C[:] = 0
    for t in range(len(x) - 1):
        (i, i_end), (j, j_end) = span[x[t]], span[x[t + 1]]
        (l, l_end), (r, r_end) = at[t], at[t + 1]
        xi = (alpha[l:l_end].reshape(-1, 1) * T[a[t], i:i_end, j:j_end] *
              beta[r:r_end].reshape(1, -1))
        xi /= xi.sum()
        C[a[t], i:i_end, j:j_end] += xi


def learn(C, span, x, a, iterations, pseudocount=PSEUDOCOUNT, done=None):
    """EM from the counts C, which are changed.

    Returns T and the log-likelihoods before each update; done(seconds) is
    called after each.
    """
    at = spans((span[:, 1] - span[:, 0])[x])
    T = normalise(C, pseudocount)
    loglik = []
    for _ in range(iterations):
        start = clock()
        alpha, scale = forward(T, span, x, a, at)
        beta = backward(T, span, x, a, at)
        count(C, T, span, x, a, at, alpha, beta)
        T = normalise(C, pseudocount)
        loglik.append(scale.sum(dtype=np.float64))
        if done:
            done(clock() - start)
    return T, loglik


# ---- Viterbi, E by clones ----

@numba.njit
def forward_max(T, span, x, a, at):
    """forward() with maxima, each message of maximum one."""
    alpha = np.empty(at[-1, 1], T.dtype)
    scale = np.zeros(len(x), T.dtype)
    j, j_end = span[x[0]]
    msg = np.ones(j_end - j, T.dtype)
    scale[0] = -np.log(span[-1, 1])
    t_at, t_end = at[0]
    alpha[t_at:t_end] = msg
    for t in range(1, len(x)):
        (i, i_end), (j, j_end) = span[x[t - 1]], span[x[t]]
        new = np.zeros(j_end - j, T.dtype)
        for k in range(j_end - j):
            new[k] = (T[a[t - 1], i:i_end, j + k] * msg).max()
        p = new.max()
        assert p > 0
        msg = new / p
        scale[t] = np.log(p)
        t_at, t_end = at[t]
        alpha[t_at:t_end] = msg
    return alpha, scale


@numba.njit
def trace_back(T, span, x, a, at, alpha):
    """The states of the best path, from the last to the first."""
    z = np.zeros(len(x), np.int64)
    l, l_end = at[-1]
    z[-1] = span[x[-1], 0] + np.argmax(alpha[l:l_end])
    for t in range(len(x) - 2, -1, -1):
        i, i_end = span[x[t]]
        l, l_end = at[t]
        z[t] = i + np.argmax(alpha[l:l_end] * T[a[t], i:i_end, z[t + 1]])
    return z


def decode(what, T, span, x, a, tries, done):
    """score or viterbi, several times; the log probability."""
    at = spans((span[:, 1] - span[:, 0])[x])
    for _ in range(tries):
        start = clock()
        if what == "score":
            _, scale = forward(T, span, x, a, at)
        else:
            alpha, scale = forward_max(T, span, x, a, at)
            trace_back(T, span, x, a, at, alpha)
        done(clock() - start)
    return scale.sum(dtype=np.float64)


# ---- EM on E ----

def forward_e(T, E, x, a):
    alpha = np.empty((len(x), E.shape[0]), REAL)
    scale = np.empty(len(x), REAL)
    msg = E[:, x[0]] / REAL(E.shape[0])
    for t in range(len(x)):
        if t:
            msg = T[a[t - 1]].T.dot(msg) * E[:, x[t]]
        p = msg.sum()
        msg /= p
        alpha[t] = msg
        scale[t] = np.log(p)
    return alpha, scale


def backward_e(T, E, x, a):
    beta = np.empty((len(x), E.shape[0]), REAL)
    msg = np.full(E.shape[0], 1 / E.shape[0], REAL)
    beta[-1] = msg
    for t in range(len(x) - 2, -1, -1):
        msg = T[a[t]].dot(msg * E[:, x[t + 1]])
        msg /= msg.sum()
        beta[t] = msg
    return beta


def bind(T, E, x, a, iterations, pseudocount=PSEUDOCOUNT_E, done=None):
    """EM on E from E.  Returns E and the log-likelihoods, as learn() does."""
    loglik = []
    for _ in range(iterations):
        start = clock()
        alpha, scale = forward_e(T, E, x, a)
        gamma = alpha * backward_e(T, E, x, a)
        gamma /= gamma.sum(axis=1, keepdims=True)
        C = np.zeros_like(E)
        for t in range(len(x)):
            C[:, x[t]] += gamma[t]
        E = normalise(C, pseudocount)
        loglik.append(scale.sum(dtype=np.float64))
        if done:
            done(clock() - start)
    return E, loglik


def read_schema(path):
    """T of a model."""
    with gzip.open(path, "rt") as f:
        m = json.loads(f.readline())
    C = np.zeros((m["n_actions"], m["n_states"], m["n_states"]), REAL)
    for a, c in enumerate(m["counts"]):
        C[a, c["from"], c["to"]] = c["count"]
    return normalise(C, m["pseudocount"])


def read_clones(path):
    """The clones of each symbol of a model, uniform at the start."""
    with gzip.open(path, "rt") as f:
        m = json.loads(f.readline())
    return spans(np.bincount(m["clone"], minlength=m["n_obs"]))


def first_looks(n_states, n_obs):
    """E to start from: 1 to 2 by a rule that is easy to repeat."""
    i = np.arange(n_states * n_obs, dtype=np.uint64)
    u = (i * np.uint64(2654435761) % np.uint64(2**32)).astype(float) / 2**32
    return normalise((1 + u).reshape(n_states, n_obs).astype(REAL), 0)


# ---- as a program ----

def main(argv):
    seconds = []
    more = ""
    if len(argv) == 5 and argv[1] == "learn":
        x, a, n_actions, n_obs = read_walk(argv[2])
        span = clone_spans(argv[3], n_obs)
        n = span[-1, 1]
        C = np.random.RandomState(1).rand(n_actions, n, n).astype(REAL)
        # Compile on a short piece of the walk.
        learn(C.copy(), span, x[:50], a[:49], 1)
        learn(C, span, x, a, int(argv[4]), done=seconds.append)
    elif len(argv) == 5 and argv[1] == "bind":
        T = read_schema(argv[2])
        x, a, _, n_obs = read_walk(argv[3])
        E = first_looks(T.shape[1], n_obs)
        _, loglik = bind(T, E, x, a, int(argv[4]), done=seconds.append)
        more = " %.9g" % loglik[-1]
    elif len(argv) == 5 and argv[1] in ("score", "viterbi"):
        T, span = read_schema(argv[2]), read_clones(argv[2])
        x, a, _, _ = read_walk(argv[3])
        # Compile on a short piece of the walk.
        decode(argv[1], T, span, x[:50], a[:49], 1, lambda _: None)
        more = " %.9g" % decode(argv[1], T, span, x, a, int(argv[4]),
                                seconds.append)
    else:
        sys.exit(__doc__)
    print("%.6f %.6f%s" % (min(seconds), sum(seconds) / len(seconds), more))


if __name__ == "__main__":
    main(sys.argv)

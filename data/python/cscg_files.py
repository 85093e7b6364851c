"""The files of cscg(7) in Python, as cscg-python(7) tells it."""
import base64, gzip, json
import numpy as np

def objects(path):
    """Every JSON object of a file, compressed or not."""
    with open(path, "rb") as f:
        raw = f.read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return [json.loads(s) for s in raw.split(b"\n") if s.strip()]

def write(path, *objs):
    """Objects to a compressed file, one a line."""
    with gzip.GzipFile(path, "wb", mtime=0) as f:
        for o in objs:
            f.write(json.dumps(o).encode() + b"\n")


def read_walk(path):
    """The header, and arrays (x, a) for each episode; -1: nothing seen."""
    head, episodes, x, a = None, [], [], []
    for o in objects(path):
        if "format" in o:
            assert o["format"] == "cscg-walk" and o["version"] == 1
            head = head or o
        elif "x" in o:
            x += [-1 if s is None else s for s in o["x"]]
            a += o["a"]
            if o.get("last"):
                episodes.append((np.array(x), np.array(a, int)))
                x, a = [], []
    assert "end" in o, "the walk was cut"
    return head, episodes

def write_walk(path, episodes, **head):
    """Of head, n_actions and n_obs must be there."""
    lines = [dict(format="cscg-walk", version=1, **head)]
    for e, (x, a) in enumerate(episodes):
        x = [None if s < 0 else int(s) for s in x]
        a = [int(i) for i in a]
        for t in range(0, len(x), 1000):
            lines.append(dict(episode=e, x=x[t:t+1000], a=a[t:t+1000],
                              last=t + 1000 >= len(x)))
    write(path, *lines, dict(end=True, episodes=len(episodes),
                             steps=sum(len(x) for x, a in episodes)))


def transitions(m):
    """T[a, j, k], smoothing included."""
    n = m["n_states"]
    T = np.full((m["n_actions"], n, n), float(m["pseudocount"]))
    for t, c in zip(T, m["counts"]):
        t[c["from"], c["to"]] += c["count"]
    s = T.sum(2, keepdims=True)
    return np.divide(T, s, out=np.full_like(T, 1 / n), where=s > 0)

def emissions(m):
    """E[j, x] of a grounded model."""
    E = np.zeros((m["n_states"], m["n_obs"]))
    if "emissions" in m:
        for j, row in enumerate(m["emissions"]):
            E[j, row[0::2]] = row[1::2]
    else:
        E[np.arange(m["n_states"]), m["clone"]] = 1
    return E

def speak(m, head, x, a):
    """A walk with this head, in the numbers of m: names are what counts."""
    def to(names, v):
        if not m.get(names) or not head.get(names):
            return v
        return [m[names].index(head[names][i]) if i >= 0 else i for i in v]
    return to("symbols", x), to("actions", a)

def nats(m, x, a):
    """-log P(x | a), in the numbers of m: the forward pass."""
    T, E = transitions(m), emissions(m)
    p = np.array(m.get("pi") or [1 / m["n_states"]] * m["n_states"])
    total = 0
    for t in range(len(x)):
        p = p @ T[a[t - 1]] if t else p
        p = p * E[:, x[t]] if x[t] >= 0 else p
        total -= np.log(p.sum())
        p = p / p.sum()
    return total


def model(counts, clone=None, **more):
    """A model of counts[a, j, k]; with clone, the symbol of each state."""
    counts = np.asarray(counts, float)
    m = dict(format="cscg-model", version=1, kind="schema",
             precision="double", n_states=counts.shape[1],
             n_actions=counts.shape[0], n_obs=1, pseudocount=0.002)
    if clone is not None:
        m.update(kind="grounded", clone=[int(c) for c in clone],
                 n_obs=int(max(clone)) + 1)
    m["counts"] = []
    for c in counts:
        j, k = np.nonzero(c)
        m["counts"].append({"from": j.tolist(), "to": k.tolist(),
                            "count": c[j, k].tolist()})
    m.update(more)
    return m

def forget(m):
    """The schema of a model: transitions alone."""
    looks = ("symbols", "clone", "emissions", "confidence", "pi", "fit",
             "looks")
    m = {k: v for k, v in m.items() if k not in looks}
    return dict(m, kind="schema", n_obs=1)


def read_codebook(path):
    """The object, with an array of k centroids in it."""
    b, = objects(path)
    kind = {"byte": "<f4", "real": "<f8"}[b["pixels"]]
    c = np.frombuffer(base64.b64decode(b["centroids"]), kind)
    return dict(b, centroids=c.reshape([b["k"]] + b["shape"]))

def codebook(frames, centroids):
    """Centroids found elsewhere, and the frames they were found for."""
    x = np.asarray(frames, float).reshape(len(frames), -1)
    c = np.asarray(centroids, "<f8")
    flat = c.reshape(len(c), -1)
    d = ((x[:, None] - flat[None]) ** 2).sum(2)
    n = np.bincount(d.argmin(1), minlength=len(c))
    total = d.min(1).sum()
    return dict(format="cscg-codebook", version=1, k=len(c),
                shape=list(c.shape[1:]), pixels="real", kind="kmeans",
                sigma2=total / x.size, inertia=total,
                priors=(n / n.sum()).tolist(), counts=n.tolist(),
                centroids=base64.b64encode(flat.tobytes()).decode())

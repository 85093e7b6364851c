"""kmeans_sklearn.py FILE K START|- lloyd|elkan - scikit-learn's k-means

Prints the numbers of kmeans_bench fit, for one thread and single precision, where it
is fastest.  The time of an iteration is the difference of fits with more and with
fewer iterations, which have the same start, copies and last labels.
"""
import os
import resource
import sys
import time
import warnings

for name in "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS":
    os.environ[name] = "1"
import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info

warnings.filterwarnings("ignore")
path, k, start, algorithm = sys.argv[1:5]
k = int(k)
frames = np.load(path)
frames = frames.reshape(len(frames), -1).astype(np.float32)
init = "k-means++"
if start != "-":
    init = np.load(start).reshape(k, -1).astype(np.float32)


def fit(iterations):
    began = time.process_time()
    m = KMeans(k, init=init, n_init=1, algorithm=algorithm, tol=0,
               max_iter=iterations, random_state=42).fit(frames)
    return time.process_time() - began, m


seconds, m = fit(300)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
few = min(2, m.n_iter_)
least = mean = float("nan")
if m.n_iter_ > few:
    mean = (seconds - min(fit(few)[0] for _ in range(2))) / (m.n_iter_ - few)
blas = [p["architecture"] for p in threadpool_info()
        if p["internal_api"] == "openblas"]
print("iterations=%d fit=%.4f mean=%.5f inertia=%.12g peak=%d blas=%s"
      % (m.n_iter_, seconds, mean, m.inertia_, peak,
         "OpenBLAS-" + blas[0] if blas else "slow"))

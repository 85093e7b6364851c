"""Models: learning, scoring, prediction, planning, binding, matching."""

from __future__ import annotations

import ctypes as C
import inspect
import os
import pickle
import tempfile
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, \
    Tuple, Union

import numpy as np

from . import _lib
from ._lib import lib
from ._walk import Names, Object, Walk, as_walk, encode, names_from_c, \
    names_to_c, path_to_c, to_c, view

KINDS = ("grounded", "clones", "schema")
STRUCTURES = ("auto", "split", "none")
Path = Union[str, os.PathLike]


class Estimator:
    """The conventions of scikit-learn, without depending on it."""

    @classmethod
    def _names(cls) -> List[str]:
        return [p for p in inspect.signature(cls.__init__).parameters
                if p != "self"]

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters of the constructor and their values."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Change parameters of the constructor."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError("%s has no parameter %r; there are %s" % (
                    type(self).__name__, name, ", ".join(self._names())))
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = ["%s=%r" % (k, v) for k, v in self.get_params().items()
                   if v is not defaults[k].default]
        return "%s(%s)" % (type(self).__name__, ", ".join(changed))


class _Model(Object):
    _free = "model_free"


class Plan(NamedTuple):
    """Actions to a goal, states on the way, and probabilities."""

    actions: np.ndarray  #: [n], or names
    states: np.ndarray  #: [n + 1]
    p: np.ndarray  #: [n + 1] probability of the path so far
    success: float  #: probability that the goal is reached


class Fields(NamedTuple):
    """Place fields on a grid of bins, the lowest row first."""

    p: np.ndarray  #: [states, rows, columns] mean posterior
    occupancy: np.ndarray  #: [rows, columns] number of positions
    x: np.ndarray  #: [columns + 1] borders
    y: np.ndarray  #: [rows + 1]


class Match(NamedTuple):
    """The best schema and the posterior of all."""

    index: int
    posterior: np.ndarray


def _em(s: Any, **values: Any) -> None:
    for name, value in values.items():
        if value is not None:
            setattr(s, name, value.encode() if name == "isa" else value)


class CSCG(Estimator):
    """A clone-structured cognitive graph, learned by EM.

    clones: states per symbol: a number, one for each symbol, or None: chosen
    from the data.  The other parameters are options of cscg-learn(1); None is
    their default.  progress(stage, restart, iteration, n_states, loglik) is
    called while learning, and ends EM if it returns true.

    >>> import cscg
    >>> ring = cscg.Room([0, 0, 0, 1], [[1, 2, 3, 0], [3, 0, 1, 2]])
    >>> model = CSCG(seed=1).fit(cscg.walk(ring, 500))
    >>> model.n_states
    4
    >>> x, a = [1, 0, 0, 0, 1], [0, 0, 0, 0]
    >>> model.predict(x, a).tolist()
    [0, 0, 0, 0, 1]
    """

    def __init__(self, clones: Any = None, seed: int = 42,
                 restarts: Optional[int] = None,
                 iterations: Optional[int] = None,
                 tolerance: Optional[float] = None,
                 pseudocount: Optional[float] = None,
                 structure: str = "auto", learn_pi: bool = False,
                 untied_noise: bool = False, double_precision: bool = False,
                 threads: int = 1, isa: Optional[str] = None,
                 progress: Optional[Callable[..., Any]] = None):
        self.clones = clones
        self.seed = seed
        self.restarts = restarts
        self.iterations = iterations
        self.tolerance = tolerance
        self.pseudocount = pseudocount
        self.structure = structure
        self.learn_pi = learn_pi
        self.untied_noise = untied_noise
        self.double_precision = double_precision
        self.threads = threads
        self.isa = isa
        self.progress = progress

    # Learning

    def _settings(self, walk: Walk) -> Any:
        s = lib.learn_defaults()
        _em(s.em, restarts=self.restarts, iterations=self.iterations,
            tolerance=self.tolerance, pseudocount=self.pseudocount,
            seed=self.seed, threads=self.threads, isa=self.isa,
            double_precision=self.double_precision)
        if self.structure not in STRUCTURES:
            raise ValueError("structure is %r, none of %s"
                             % (self.structure, ", ".join(STRUCTURES)))
        s.structure = STRUCTURES.index(self.structure)
        s.learn_pi, s.untied_noise = self.learn_pi, self.untied_noise
        if self.clones is not None:
            clones = np.asarray(self.clones)
            if clones.ndim == 0:
                clones = np.full(walk.n_symbols, clones)
            clones, _ = encode(clones, "number of clones")
            if len(clones) != walk.n_symbols:
                raise ValueError("%d numbers of clones for %d symbols"
                                 % (len(clones), walk.n_symbols))
            s.clones = to_c(clones, _lib.INT)
            s._clones = clones
        return s

    def _report(self, failure: List[BaseException]) -> Any:
        if self.progress is None:
            return _lib.REPORT()

        def report(_: Any, stage: bytes, restart: int, iteration: int,
                   n_states: int, loglik: float) -> int:
            try:
                return 1 if self.progress(stage.decode(), restart, iteration,
                                          n_states, loglik) else 0
            except BaseException as e:  # raised again by fit()
                failure.append(e)
                return 1
        return _lib.REPORT(report)

    def fit(self, x: Any, a: Any = None, lengths: Any = None, *,
            reset: Any = None, init: Optional["CSCG"] = None) -> "CSCG":
        """Learn the model from x, a and lengths, or from a Walk."""
        walk = as_walk(x, a, lengths, reset=reset)
        s = self._settings(walk)
        if init is not None:
            s.init = init._m._pointer
        failure: List[BaseException] = []
        report = s.report = self._report(failure)
        loglik = C.c_double()
        pointer = None
        try:
            pointer = lib.model_learn(walk._pointer, C.byref(s),
                                      C.byref(loglik))
        finally:
            if failure:
                if pointer:
                    _Model(pointer)
                raise failure[0]
        del report
        self._model = _Model(pointer)
        self.loglik_ = loglik.value
        return self

    @property
    def _m(self) -> _Model:
        model = getattr(self, "_model", None)
        if model is None:
            raise ValueError("this %s is not fitted: call fit(), load() or "
                             "from_arrays()" % type(self).__name__)
        return model

    def _made(self, pointer: int) -> "CSCG":
        other = type(self)(**self.get_params())
        other._model = _Model(pointer)
        return other

    # Files and arrays

    @classmethod
    def load(cls, path: Path) -> "CSCG":
        """The model in a cscg-model(5) file."""
        model = cls()
        model._model = _Model(lib.model_read_file(path_to_c(path)))
        return model

    def save(self, path: Path) -> None:
        """Write a cscg-model(5) file, compressed if its name ends in .gz."""
        lib.model_write_file(self._m._pointer, path_to_c(path))

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        model = state.pop("_model", None)
        if model is not None:
            with tempfile.TemporaryDirectory() as d:
                path = os.path.join(d, "model.gz")
                self.save(path)
                with open(path, "rb") as f:
                    state["_file"] = f.read()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        data = state.pop("_file", None)
        self.__dict__.update(state)
        if data is not None:
            with tempfile.TemporaryDirectory() as d:
                path = os.path.join(d, "model.gz")
                with open(path, "wb") as f:
                    f.write(data)
                self._model = _Model(lib.model_read_file(path_to_c(path)))

    @classmethod
    def from_arrays(cls, counts: Any, clone: Any = None, *, E: Any = None,
                    pi: Any = None, pseudocount: float = 0.002,
                    actions: Optional[Sequence[str]] = None,
                    symbols: Optional[Sequence[str]] = None) -> "CSCG":
        """A model of counts[a, j, k], or of probabilities with pseudocount 0.

        clone: the symbol of each state, ascending; E[j, x]: emissions instead.
        With neither the model is a schema.

        >>> m = CSCG.from_arrays([[[0, 9], [9, 0]]], [0, 1], pseudocount=0)
        >>> m.T.tolist()
        [[[0.0, 1.0], [1.0, 0.0]]]
        """
        c = np.asarray(counts, float)
        if c.ndim != 3 or c.shape[1] != c.shape[2]:
            raise ValueError("counts have the shape %s, not (actions, states, "
                             "states)" % (c.shape,))
        n = c.shape[1]
        keep: List[Any] = []
        first, to, count = _rows(c.reshape(-1, n))
        arrays = _lib.model_arrays(
            kind=KINDS.index("schema" if clone is None and E is None
                             else "grounded"),
            n_states=n, double_precision=True, pseudocount=pseudocount,
            first=to_c(first, _lib.LONG), to=to_c(to, _lib.INT),
            count=to_c(count, _lib.DOUBLE))
        n_symbols = 1
        if clone is not None:
            group, _ = encode(clone)
            n_symbols = int(group.max()) + 1
            keep.append(group)
            arrays.clone = to_c(group, _lib.INT)
        if E is not None:
            e = np.asarray(E, float)
            n_symbols = e.shape[1]
            rows = _rows(e)
            keep.append(rows)
            arrays.e_first = to_c(rows[0], _lib.LONG)
            arrays.e_symbol = to_c(rows[1], _lib.INT)
            arrays.e_p = to_c(rows[2], _lib.DOUBLE)
        if pi is not None:
            start = np.ascontiguousarray(pi, float)
            keep.append(start)
            arrays.pi = to_c(start, _lib.DOUBLE)
        if symbols is not None:
            n_symbols = len(symbols)
        al = _lib.alphabet(c.shape[0], n_symbols, names_to_c(actions),
                           names_to_c(symbols))
        model = cls()
        model._model = _Model(lib.model_from_arrays(C.byref(al),
                                                    C.byref(arrays)))
        return model

    @classmethod
    def from_reference(cls, source: Any, n_clones: Any = None) -> "CSCG":
        """A model of the reference implementation (chmm_actions.py).

        source: its object, with attributes T (or C), n_clones and Pi_x; a
        mapping of these; or the path of a pickle or .npz file with them.
        A pickle can execute code: open only trusted files.
        """
        if isinstance(source, (str, os.PathLike)):
            source = _read_reference(source)
        get = source.get if hasattr(source, "get") else \
            lambda key: getattr(source, key, None)
        n = np.asarray(get("n_clones") if n_clones is None else n_clones)
        if n.ndim != 1:
            raise ValueError("no n_clones, the number of clones per symbol")
        T = get("T") if get("T") is not None else get("C")
        if T is None:
            raise ValueError("neither T nor C, the transitions")
        T = np.asarray(T, float)
        if T.ndim != 3 or T.shape[1] != n.sum():
            raise ValueError("T has the shape %s, but n_clones sums to %d"
                             % (T.shape, n.sum()))
        T = T / np.maximum(T.sum(2, keepdims=True), np.finfo(float).tiny)
        pi = get("Pi_x")
        return cls.from_arrays(T, np.repeat(np.arange(len(n)), n),
                               pi=None if pi is None else
                               np.asarray(pi, float) / np.sum(pi),
                               pseudocount=0)

    def _arrays(self) -> _lib.model_arrays:
        arrays = _lib.model_arrays()
        lib.model_get_arrays(self._m._pointer, C.byref(arrays))
        return arrays

    @property
    def kind(self) -> str:
        """grounded, clones (a schema with clone structure) or schema."""
        return KINDS[self._arrays().kind]

    @property
    def n_states(self) -> int:
        return self._arrays().n_states

    @property
    def n_symbols(self) -> int:
        return lib.model_alphabet(self._m._pointer).n_symbols

    @property
    def n_actions(self) -> int:
        return lib.model_alphabet(self._m._pointer).n_actions

    @property
    def symbols(self) -> Names:
        al = lib.model_alphabet(self._m._pointer)
        return names_from_c(al.symbols, al.n_symbols)

    @property
    def actions(self) -> Names:
        al = lib.model_alphabet(self._m._pointer)
        return names_from_c(al.actions, al.n_actions)

    @property
    def clone(self) -> Optional[np.ndarray]:
        """The clone group of each state; without emissions E, its symbol."""
        arrays = self._arrays()
        return view(arrays.clone, arrays.n_states, np.int32, self._m) \
            if arrays.clone else None

    @property
    def pi(self) -> np.ndarray:
        """The initial distribution."""
        arrays = self._arrays()
        n = arrays.n_states
        return view(arrays.pi, n, np.float64, self._m) if arrays.pi \
            else np.full(n, 1 / n)

    @property
    def counts(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts as sparse rows (first, to, count); row a * n_states + j."""
        arrays = self._arrays()
        rows = self.n_actions * arrays.n_states
        first = view(arrays.first, rows + 1, np.dtype("l"), self._m)
        n = int(first[-1])
        return (first, view(arrays.to, n, np.int32, self._m),
                view(arrays.count, n, np.float64, self._m))

    @property
    def T(self) -> np.ndarray:
        """T[a, j, k] = P(state k next | state j, action a)."""
        n = self.n_states
        T = np.empty((self.n_actions, n, n))
        lib.model_get_T(self._m._pointer, to_c(T, _lib.DOUBLE))
        return T

    @property
    def E(self) -> np.ndarray:
        """E[j, x] = P(symbol x | state j) of a grounded model."""
        E = np.empty((self.n_states, self.n_symbols))
        lib.model_get_E(self._m._pointer, to_c(E, _lib.DOUBLE))
        return E

    # Inference

    def _walk(self, x: Any, a: Any, lengths: Any, reset: Any) -> Walk:
        return as_walk(x, a, lengths, reset=reset, like=self)

    def score(self, x: Any, a: Any = None, lengths: Any = None, *,
              reset: Any = None) -> float:
        """log P(x | a) in nats, summed over episodes."""
        walk = self._walk(x, a, lengths, reset)
        loglik = C.c_double()
        lib.model_loglik(self._m._pointer, walk._pointer, C.byref(loglik),
                         None)
        return loglik.value

    def score_samples(self, x: Any, a: Any = None, lengths: Any = None, *,
                      reset: Any = None) -> np.ndarray:
        """log P(x[t] | previous observations and actions) of each step."""
        walk = self._walk(x, a, lengths, reset)
        step, loglik = np.empty(len(walk)), C.c_double()
        lib.model_loglik(self._m._pointer, walk._pointer, C.byref(loglik),
                         to_c(step, _lib.DOUBLE))
        return step

    def predict_proba(self, x: Any, a: Any = None, lengths: Any = None, *,
                      reset: Any = None) -> np.ndarray:
        """P(x[t] = symbol | previous observations and actions), by step."""
        walk = self._walk(x, a, lengths, reset)
        p = np.empty((len(walk), self.n_symbols))
        lib.model_predict(self._m._pointer, walk._pointer,
                          to_c(p, _lib.DOUBLE))
        return p

    def predict(self, x: Any, a: Any = None, lengths: Any = None, *,
                reset: Any = None) -> np.ndarray:
        """The most likely observation of each step, given those before it.

        Names, if the model has names.
        """
        best = self.predict_proba(x, a, lengths, reset=reset).argmax(1)
        return best if self.symbols is None else \
            np.array(self.symbols, object)[best]

    def decode(self, x: Any, a: Any = None, lengths: Any = None, *,
               reset: Any = None) -> Tuple[float, np.ndarray]:
        """Log-probability and states of the most likely path (Viterbi)."""
        walk = self._walk(x, a, lengths, reset)
        state, logp = np.empty(len(walk), np.int32), C.c_double()
        lib.model_viterbi(self._m._pointer, walk._pointer,
                          to_c(state, _lib.INT), C.byref(logp))
        return logp.value, state

    def posterior(self, x: Any, a: Any = None, lengths: Any = None, *,
                  reset: Any = None) -> np.ndarray:
        """P(state at t | all of the episode), by step and state."""
        walk = self._walk(x, a, lengths, reset)
        p = np.empty((len(walk), self.n_states))
        start = 0
        for e, n in enumerate(walk.lengths):
            lib.model_posterior(self._m._pointer, walk._pointer, e,
                                to_c(p[start:start + n], _lib.DOUBLE))
            start += n
        return p

    def fields(self, x: Any, a: Any = None, lengths: Any = None, *,
               xy: Any, step: Any = None, bins: int = 20,
               reset: Any = None) -> "Fields":
        """Place fields: the mean posterior of each state by position.

        xy: positions, an array of two columns, or the file that read_table
        wrote (columns step, x, y).  step: the step of the walk that each
        position belongs to; None: row i is step i.  bins: square bins along
        the longer side.  The results are those of cscg-show --fields.
        """
        if isinstance(xy, (str, os.PathLike)):
            table = np.atleast_1d(np.genfromtxt(xy, delimiter=",",
                                                names=True))
            xy = np.column_stack([table["x"], table["y"]])
            step = table["step"]
        xy = np.asarray(xy, float)
        if xy.ndim != 2 or xy.shape[1] != 2:
            raise ValueError("xy has the shape %s, not (n, 2)" % (xy.shape,))
        walk = self._walk(x, a, lengths, reset)
        if step is None:
            if len(xy) != len(walk):
                raise ValueError("%d positions for %d steps"
                                 % (len(xy), len(walk)))
            step = np.arange(len(xy))
        number = np.asarray(step).astype(int)
        if number.shape != (len(xy),) or (number != np.asarray(step)).any() \
                or (number.size and
                    (number.min() < 0 or number.max() >= len(walk))):
            raise ValueError("step must have %d numbers from 0 to %d"
                             % (len(xy), len(walk) - 1))
        known = ~np.isnan(xy).any(axis=1)
        xy, number = xy[known], number[known]
        if not len(xy):
            raise ValueError("there are no positions")
        low, high = xy.min(axis=0), xy.max(axis=0)
        size = max((high - low).max() / bins, 0) or 1.0
        n = np.maximum(1, np.ceil((high - low) / size - 1e-9)).astype(int)
        cell = np.minimum(np.floor((xy - low) / size).astype(int), n - 1)
        place = cell[:, 1] * n[0] + cell[:, 0]
        total = int(n[0] * n[1])
        occupancy = np.bincount(place, minlength=total)
        # Positions of one step in one bin count at once.
        key, times = np.unique(number * total + place, return_counts=True)
        p = np.zeros((self.n_states, total))
        posterior = self.posterior(walk)
        np.add.at(p.T, key % total, posterior[key // total] * times[:, None])
        p[:, occupancy > 0] /= occupancy[occupancy > 0]
        shape = (int(n[1]), int(n[0]))
        return Fields(p.reshape((-1,) + shape), occupancy.reshape(shape),
                      low[0] + size * np.arange(n[0] + 1),
                      low[1] + size * np.arange(n[1] + 1))

    def sample(self, n: int, seed: int = 42) -> Walk:
        """A walk of n steps drawn from the model, with random actions."""
        return Walk._take(lib.model_sample(self._m._pointer, n, seed))

    # Planning, schemas

    def plan(self, goal: Any = None, *, goal_state: Optional[int] = None,
             start: Optional[int] = None, x: Any = None, a: Any = None,
             confidence: Optional[float] = None, best: bool = False,
             max_steps: int = -1, seed: int = 42) -> Optional[Plan]:
        """The most likely actions to a symbol (goal) or state (goal_state).

        From the state start, or from where the walk of x and a ends.  None if
        there is no such plan.
        """
        s = lib.plan_defaults()
        if (goal is None) == (goal_state is None):
            raise ValueError("one of goal and goal_state is required")
        if goal_state is not None:
            s.goal, s.goal_number = 1, goal_state
        else:
            s.goal, s.goal_number = 0, self._symbol(goal)
        s.start = -1 if start is None else start
        s.best, s.max_steps, s.seed = best, max_steps, seed
        if confidence is not None:
            s.confidence = confidence
        walk = None if x is None else self._walk(x, a, None, None)
        found = _lib.plan()
        rc = lib.model_plan(self._m._pointer,
                            None if walk is None else walk._pointer,
                            C.byref(s), C.byref(found), None)
        if rc == 0:
            return None
        n = found.n
        actions = np.array([found.a[i] for i in range(n)], np.int32)
        plan = Plan(actions if self.actions is None else
                    np.array(self.actions, object)[actions],
                    np.array([found.z[i] for i in range(n + 1)], np.int32),
                    np.array([found.p[i] for i in range(n + 1)]),
                    found.success)
        lib.plan_free(C.byref(found))
        return plan

    def _symbol(self, symbol: Any) -> int:
        if self.symbols is not None and not isinstance(symbol,
                                                       (int, np.integer)):
            if str(symbol) not in self.symbols:
                raise ValueError("the model has no symbol %r" % (symbol,))
            return self.symbols.index(str(symbol))
        return int(symbol)

    def schema(self, clones: bool = True) -> "CSCG":
        """The model without emissions, with or without clone structure."""
        other = self._made(lib.model_copy(self._m._pointer))
        lib.model_unground(other._m._pointer, 1 if clones else 2)
        return other

    def bind(self, x: Any, a: Any = None, lengths: Any = None, *,
             reset: Any = None, tied: Optional[bool] = None,
             restarts: Optional[int] = None) -> "CSCG":
        """A model of the same transitions with emissions learned from x."""
        walk = as_walk(x, a, lengths, reset=reset, like=_Actions(self))
        s = lib.bind_defaults()
        _em(s.em, restarts=restarts, seed=self.seed, threads=self.threads,
            isa=self.isa, double_precision=self.double_precision)
        if tied is not None:
            s.tied = tied
        loglik = C.c_double()
        other = self._made(lib.model_bind(self._m._pointer, walk._pointer,
                                          C.byref(s), C.byref(loglik)))
        other.loglik_ = loglik.value
        return other

    def partition(self) -> Tuple[np.ndarray, np.ndarray]:
        """The room of each state, and the first isomorphic room of each."""
        p = lib.model_partition(self._m._pointer, None)
        n = lib.partition_n_rooms(p)
        room = np.array(lib.partition_room_of(p)[:self.n_states])
        kind = np.array(lib.partition_class_of(p)[:n])
        lib.partition_free(p)
        return room, kind

    def draw(self, path: Path, title: str = "", min_prob: float = 0.05) -> None:
        """Draw the graph into an SVG file, or by its name .pdf or .png.

        PDF and PNG need rsvg-convert or cairosvg.
        """
        lib.model_draw(self._m._pointer, path_to_c(path), title.encode(),
                       min_prob)

    def _repr_svg_(self) -> Optional[str]:
        """The drawing, for notebooks."""
        if getattr(self, "_model", None) is None or self.n_states > 500:
            return None
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "model.svg")
            self.draw(path)
            with open(path, encoding="utf-8") as f:
                return f.read()

    def to_networkx(self, min_prob: float = 0.1) -> Any:
        """A MultiDiGraph of states, with symbols, and of transitions."""
        import networkx
        graph = networkx.MultiDiGraph()
        arrays, symbols = self._arrays(), self.symbols
        for j in range(arrays.n_states):
            graph.add_node(j)
            if arrays.clone and arrays.kind == 0 and not arrays.e_first:
                x = arrays.clone[j]
                graph.nodes[j]["symbol"] = symbols[x] if symbols else x
        names = self.actions or range(self.n_actions)
        T = self.T
        for i, j, k in zip(*np.nonzero(T >= min_prob)):
            graph.add_edge(int(j), int(k), action=names[i],
                           p=float(T[i, j, k]))
        return graph


class _Actions:
    """The actions of a model alone: binding learns its symbols."""

    n_symbols, symbols = 0, None

    def __init__(self, model: CSCG):
        self.n_actions, self.actions = model.n_actions, model.actions


def _rows(m: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries of a matrix as sparse rows."""
    row, to = np.nonzero(m)
    first = np.zeros(len(m) + 1, np.dtype("l"))
    np.cumsum(np.bincount(row, minlength=len(m)), out=first[1:])
    return first, to.astype(np.int32), np.ascontiguousarray(m[row, to])


def _read_reference(path: Path) -> Any:
    with open(path, "rb") as f:
        start = f.read(4)
    if start == b"PK\x03\x04":
        with np.load(path) as z:
            return {key: z[key] for key in z.files}

    class Unpickler(pickle.Unpickler):
        """A class that is not installed becomes an object of attributes."""

        def find_class(self, module: str, name: str) -> Any:
            try:
                return super().find_class(module, name)
            except (ImportError, AttributeError):
                return type(name, (), {})

    with open(path, "rb") as f:
        return Unpickler(f).load()


def _schemas(schemas: Sequence[CSCG]) -> Any:
    return (C.c_void_p * len(schemas))(*[s._m._pointer for s in schemas])


def match(schemas: Sequence[CSCG], x: Any, a: Any = None, lengths: Any = None,
          *, reset: Any = None, method: str = "em", seed: int = 42,
          restarts: Optional[int] = None, threads: int = 1) -> Match:
    """The schema that explains a walk best, as cscg-match(1): method em or track."""
    if method not in ("em", "track"):
        raise ValueError("method is %r, neither em nor track" % method)
    if not schemas:
        raise ValueError("no schemas")
    walk = as_walk(x, a, lengths, reset=reset, like=_Actions(schemas[0]))
    s = lib.match_defaults()
    s.method = ("em", "track").index(method)
    _em(s.bind.em, seed=seed, restarts=restarts, threads=threads)
    p = np.empty(len(schemas))
    best = lib.match_models(_schemas(schemas), len(schemas), walk._pointer,
                            C.byref(s), to_c(p, _lib.DOUBLE))
    return Match(best, p)


def switch(schemas: Sequence[CSCG], x: Any, a: Any = None, lengths: Any = None,
           *, reset: Any = None, online: bool = False, seed: int = 42,
           threads: int = 1) -> np.ndarray:
    """P(schema | walk) of each step, by step and schema."""
    if not schemas:
        raise ValueError("no schemas")
    walk = as_walk(x, a, lengths, reset=reset, like=_Actions(schemas[0]))
    s = lib.switch_defaults()
    s.online = online
    _em(s.em, seed=seed, threads=threads)
    p = np.empty((len(walk), len(schemas)))
    lib.switch_models(_schemas(schemas), len(schemas), walk._pointer,
                      C.byref(s), to_c(p, _lib.DOUBLE), None)
    return p


def stitch(schemas: Sequence[CSCG], x: Any, a: Any = None, lengths: Any = None,
           *, reset: Any = None, boundary: bool = False, seed: int = 42,
           threads: int = 1) -> CSCG:
    """One model of a world composed of schemas, from a walk, as cscg-stitch(1)."""
    if not schemas:
        raise ValueError("no schemas")
    walk = as_walk(x, a, lengths, reset=reset, like=_Actions(schemas[0]))
    s = lib.stitch_defaults()
    s.boundary = boundary
    _em(s.bind, seed=seed, threads=threads)
    return schemas[0]._made(lib.model_stitch(
        _schemas(schemas), len(schemas), walk._pointer, C.byref(s), None))


class Tracker(Object):
    """The belief over the states of a model, step by step.

    >>> m = CSCG.from_arrays([[[0, 9], [9, 0]]], [0, 1], pseudocount=0)
    >>> t = Tracker(m)
    >>> t.observe(0)
    >>> t.observe(1, 0)
    >>> t.state, t.belief.tolist()
    (1, [0.0, 1.0])
    """

    _free = "tracker_free"

    def __init__(self, model: CSCG):
        self._model = model._m
        self._n = model.n_states
        al = lib.model_alphabet(model._m._pointer)
        super().__init__(lib.tracker_new(model._m._pointer, C.byref(al), None))

    def observe(self, x: int, a: int = -1) -> None:
        """Action a (-1: first step, or relocated) led to x (-1: missing)."""
        lib.tracker_observe(self._pointer, a, x)

    @property
    def loglik(self) -> float:
        return lib.tracker_loglik(self._pointer)

    @property
    def state(self) -> int:
        """The most likely state, or -1."""
        return lib.tracker_state(self._pointer)

    @property
    def belief(self) -> np.ndarray:
        """P(state | observations)."""
        p = np.empty(self._n)
        lib.tracker_get_belief(self._pointer, to_c(p, _lib.DOUBLE))
        return p


class _Codebook(Object):
    _free = "codebook_free"


class KMeans(Estimator):
    """Vectors to symbols, as vq-kmeans(1): k-means, or a mixture after it.

    >>> km = KMeans(2).fit([[0.0], [0.1], [9.0]])
    >>> km.predict([[8.0], [0.0]]).tolist() == km.labels_[[2, 0]].tolist()
    True
    """

    def __init__(self, k: int = 8, seed: int = 42,
                 restarts: Optional[int] = None,
                 iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, mixture: bool = False,
                 threads: int = 1):
        self.k = k
        self.seed = seed
        self.restarts = restarts
        self.iterations = iterations
        self.tolerance = tolerance
        self.mixture = mixture
        self.threads = threads

    @staticmethod
    def _frames(x: Any) -> Tuple[np.ndarray, int]:
        v = np.asarray(x)
        kinds = {"uint8": 0, "float32": 1}
        kind = kinds.get(v.dtype.name, 2)
        if kind == 2:
            v = v.astype(np.float64, copy=False)
        if v.ndim < 2:
            raise ValueError("frames have the shape %s, not (n, numbers)"
                             % (v.shape,))
        return np.ascontiguousarray(v.reshape(len(v), -1)), kind

    def fit(self, x: Any, y: Any = None) -> "KMeans":
        """Find the centroids of the rows of x."""
        v, kind = self._frames(x)
        s = lib.kmeans_defaults()
        _em(s, k=self.k, seed=self.seed, restarts=self.restarts,
            iterations=self.iterations, tolerance=self.tolerance,
            mixture=self.mixture, threads=self.threads)
        self.labels_ = np.empty(len(v), np.int32)
        self._book = _Codebook(lib.codebook_fit(
            kind, v.ctypes.data, len(v), v.shape[1], C.byref(s),
            to_c(self.labels_, _lib.INT)))
        return self

    def predict(self, x: Any) -> np.ndarray:
        """The symbol of each row of x."""
        v, kind = self._frames(x)
        label = np.empty(len(v), np.int32)
        lib.codebook_encode(self._fitted._pointer, kind, v.ctypes.data, len(v),
                            v.shape[1], self.threads, to_c(label, _lib.INT))
        return label

    def fit_predict(self, x: Any, y: Any = None) -> np.ndarray:
        return self.fit(x).labels_

    @property
    def _fitted(self) -> _Codebook:
        if not hasattr(self, "_book"):
            raise ValueError("this KMeans is not fitted: call fit() or load()")
        return self._book

    @property
    def cluster_centers_(self) -> np.ndarray:
        k, dim = C.c_int(), C.c_long()
        c = lib.codebook_centroids(self._fitted._pointer, C.byref(k),
                                   C.byref(dim))
        return view(c, k.value * dim.value, np.float64,
                    self._book).reshape(k.value, dim.value)

    @classmethod
    def load(cls, path: Path) -> "KMeans":
        """The codebook in a cscg-codebook(5) file."""
        model = cls()
        model._book = _Codebook(lib.codebook_read_file(path_to_c(path)))
        model.k = len(model.cluster_centers_)
        return model

    def save(self, path: Path) -> None:
        """Write a cscg-codebook(5) file."""
        lib.codebook_write_file(self._fitted._pointer, path_to_c(path))

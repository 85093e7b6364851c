"""Walks and rooms: sequences of observations and actions."""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from . import _lib
from ._lib import lib

Names = Optional[Tuple[str, ...]]


class Object:
    """An object of the library, freed with this one."""

    _free = ""

    def __init__(self, pointer: int):
        self._pointer = pointer

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and lib is not None:
            getattr(lib, self._free)(self._pointer)
            self._pointer = None


def names_to_c(names: Optional[Iterable[str]]) -> Any:
    """An array of char pointers, or None."""
    if names is None:
        return None
    encoded = [str(s).encode() for s in names]
    return (C.c_char_p * len(encoded))(*encoded)


def names_from_c(pointer: Any, n: int) -> Names:
    return tuple(pointer[i].decode() for i in range(n)) if pointer else None


def to_c(array: Optional[np.ndarray], kind: Any) -> Any:
    """A pointer to the memory of a contiguous array; no copy."""
    return None if array is None else array.ctypes.data_as(kind)


def view(pointer: Any, n: int, dtype: Any, owner: Any) -> np.ndarray:
    """n items of C memory as a read-only array that keeps its owner alive."""
    if n == 0:
        return np.empty(0, dtype)
    size = n * np.dtype(dtype).itemsize
    buffer = (C.c_char * size).from_address(C.cast(pointer, C.c_void_p).value)
    buffer.owner = owner
    array = np.frombuffer(buffer, dtype)
    array.flags.writeable = False
    return array


def path_to_c(path: Union[str, os.PathLike]) -> bytes:
    return os.fsencode(path)


def _is_missing(v: Any) -> bool:
    return v is None or (isinstance(v, float) and v != v) \
        or type(v).__name__ in ("NAType", "NaTType")


def _is_sequence(v: Any) -> bool:
    return hasattr(v, "__len__") and not isinstance(v, (str, bytes))


def _numbers(v: np.ndarray, what: str) -> np.ndarray:
    """Whole numbers of an array as int32; NaN is -1."""
    if v.dtype.kind == "f":
        lost = np.isnan(v)
        whole = np.where(lost, -1, v)
        fraction = ~np.isfinite(whole) | (whole != np.floor(whole))
        if fraction.any():
            bad = v[fraction][0]
            raise ValueError("%s %r is not a whole number; measurements must "
                             "become symbols first, see cscg.read_table and "
                             "cscg.KMeans" % (what, float(bad)))
        v = whole
    if v.size and (v.max() > 2**31 - 1 or v.min() < -1):
        raise ValueError("%s %d is outside -1..2147483647"
                         % (what, v.max() if v.max() > 2**31 - 1 else v.min()))
    return np.ascontiguousarray(v, np.int32)


def _labels(v: np.ndarray, what: str) -> Tuple[np.ndarray, Names]:
    """Labels as numbers by first occurrence, and their names."""
    missing = np.array([_is_missing(s) for s in v]) if v.dtype.kind == "O" \
        else np.zeros(len(v), bool)
    present = v[~missing]
    if v.dtype.kind == "O" and len(present) and \
            all(isinstance(s, (int, float, np.integer, np.floating))
                and not isinstance(s, bool) for s in present):
        return _numbers(np.where(missing, np.nan, v).astype(float), what), None
    text = np.array([str(s) for s in present]) if v.dtype.kind == "O" \
        else present
    names, first, number = np.unique(text, return_index=True,
                                     return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    out = np.full(len(v), -1, np.int32)
    out[~missing] = rank[number.ravel()]
    return out, tuple(str(s) for s in names[order])


def encode(values: Any, what: str = "symbol") -> Tuple[np.ndarray, Names]:
    """One sequence as int32 numbers, and names if the values are no numbers.

    >>> encode([2, 0, 2])
    (array([2, 0, 2], dtype=int32), None)
    >>> encode(["red", None, "blue", "red"])
    (array([ 0, -1,  1,  0], dtype=int32), ('red', 'blue'))
    >>> encode([1.0, float("nan"), 3.0])
    (array([ 1, -1,  3], dtype=int32), None)
    """
    v = values if isinstance(values, np.ndarray) else np.asarray(values)
    if v.ndim == 2 and v.shape[1] == 1:
        v = v[:, 0]
    if v.ndim != 1:
        raise ValueError("%ss have the shape %s, not (n,)"
                         % (what, v.shape))
    if v.size == 0:
        return np.empty(0, np.int32), None
    if v.dtype.kind in "iuf":
        return _numbers(v, what), None
    if v.dtype.kind == "b":
        return v.astype(np.int32), None
    return _labels(v, what)


def _is_ragged(x: Any) -> bool:
    if isinstance(x, np.ndarray) and x.dtype.kind != "O":
        return False
    if not isinstance(x, (list, tuple, np.ndarray)):
        return False
    return len(x) > 0 and all(_is_sequence(e) for e in x)


def _flatten(x: Any) -> Tuple[Any, list]:
    parts = [np.asarray(e) for e in x]
    kinds = {p.dtype.kind for p in parts if p.size}
    if len(kinds) > 1 and kinds - set("iuf"):
        parts = [p.astype(object) for p in parts]
    return np.concatenate(parts) if parts else parts, [len(p) for p in parts]


def _actions(a: Any, lengths: Sequence[int]) -> Tuple[np.ndarray, Names]:
    """Actions with -1 at the end of each episode."""
    ends = np.cumsum(lengths, dtype=int) - 1
    total = int(sum(lengths))
    out = np.zeros(total, np.int32)
    if a is None:
        names: Names = None
    else:
        if _is_ragged(a):
            if len(a) != len(lengths):
                raise ValueError("%d episodes of actions for %d of "
                                 "observations" % (len(a), len(lengths)))
            for e, (part, n) in enumerate(zip(a, lengths)):
                if len(part) not in (n, n - 1):
                    raise ValueError(
                        "episode %d has %d observations and %d actions; a[t] "
                        "leads from x[t] to x[t+1]" % (e, n, len(part)))
            a = _flatten([np.asarray(p)[:n - 1] for p, n in zip(a, lengths)])[0]
        inner = np.ones(total, bool)
        inner[ends] = False
        v = np.asarray(a)
        if len(v) == total and total:
            v = v[inner]
        elif len(v) != total - len(lengths):
            raise ValueError(
                "%d observations in %d episodes have %d or %d actions, not %d"
                % (total, len(lengths), total, total - len(lengths), len(v)))
        number, names = encode(v, "action")
        if number.size and number.min() < 0:
            raise ValueError("an action inside an episode is missing")
        out[inner] = number
    out[ends] = -1
    return out, names


class Walk(Object):
    """Sequences of observations and actions, in episodes.

    x: symbols, numbers from 0 or labels; -1, None or NaN is a missing
    observation.  One sequence, or a list of sequences.  a: action a[t] leads
    from x[t] to x[t+1]; the last of an episode may be missing and is not used.
    None: there is one action.  lengths: the length of each episode.  reset:
    True where the agent was relocated before x[t].

    >>> w = Walk(["a", "b", "a"], ["go", "back"])
    >>> w.symbols, w.actions, w.x, w.a
    (('a', 'b'), ('go', 'back'), array([0, 1, 0], dtype=int32), array([ 0,  1, -1], dtype=int32))
    >>> Walk([[0, 1], [1, 1, 0]]).lengths
    array([2, 3])
    """

    _free = "walk_free"

    def __init__(self, x: Any, a: Any = None,
                 lengths: Optional[Sequence[int]] = None, *,
                 reset: Any = None, z: Any = None,
                 n_symbols: Optional[int] = None,
                 n_actions: Optional[int] = None,
                 symbols: Optional[Sequence[str]] = None,
                 actions: Optional[Sequence[str]] = None):
        if _is_ragged(x):
            if lengths is not None:
                raise ValueError("lengths are those of the sequences in x")
            x, lengths = _flatten(x)
        number, x_names = encode(x)
        if lengths is None:
            lengths = [len(number)] if len(number) else []
        lengths = [int(n) for n in lengths]
        if sum(lengths) != len(number) or any(n < 1 for n in lengths):
            raise ValueError("lengths sum to %d, but there are %d observations"
                             % (sum(lengths), len(number)))
        act, a_names = _actions(a, lengths)
        number, symbols = _with_names(number, x_names, symbols, "symbol")
        act, actions = _with_names(act, a_names, actions, "action")
        self._make(number, act, reset, z,
                   _size(number, symbols, n_symbols),
                   _size(act, actions, n_actions), symbols, actions)

    def _make(self, x: np.ndarray, a: np.ndarray, reset: Any, z: Any,
              n_symbols: int, n_actions: int, symbols: Names,
              actions: Names) -> None:
        flags = None if reset is None else \
            np.ascontiguousarray(np.asarray(reset, bool), np.uint8)
        nodes = None if z is None else _numbers(np.asarray(z), "node")
        for v, what in ((flags, "resets"), (nodes, "nodes")):
            if v is not None and v.shape != x.shape:
                raise ValueError("%d %s for %d observations"
                                 % (v.size, what, x.size))
        al = _lib.alphabet(n_actions, n_symbols, names_to_c(actions),
                           names_to_c(symbols))
        arrays = _lib.walk_arrays(len(x), 0, None, to_c(x, _lib.INT),
                                  to_c(a, _lib.INT), to_c(nodes, _lib.INT),
                                  to_c(flags, _lib.BYTE))
        super().__init__(lib.walk_from_arrays(C.byref(al), C.byref(arrays)))

    @classmethod
    def _take(cls, pointer: int) -> "Walk":
        walk = cls.__new__(cls)
        Object.__init__(walk, pointer)
        return walk

    @classmethod
    def read(cls, *paths: Union[str, os.PathLike]) -> "Walk":
        """The walk in cscg-walk(5) files; their episodes one after another."""
        names = (C.c_char_p * len(paths))(*[path_to_c(p) for p in paths])
        return cls._take(lib.walk_read(names, len(paths)))

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write a cscg-walk(5) file, compressed if its name ends in .gz."""
        lib.walk_write_file(self._pointer, path_to_c(path))

    def _arrays(self) -> _lib.walk_arrays:
        arrays = _lib.walk_arrays()
        lib.walk_get_arrays(self._pointer, C.byref(arrays))
        return arrays

    def _view(self, name: str, dtype: Any) -> Optional[np.ndarray]:
        arrays = self._arrays()
        pointer = getattr(arrays, name)
        return view(pointer, arrays.n_steps, dtype, self) if pointer else None

    @property
    def x(self) -> np.ndarray:
        """Symbol of each step; -1: missing.  Memory of the library."""
        return self._view("x", np.int32)  # type: ignore[return-value]

    @property
    def a(self) -> np.ndarray:
        """Action of each step; -1 at the end of an episode."""
        return self._view("a", np.int32)  # type: ignore[return-value]

    @property
    def z(self) -> Optional[np.ndarray]:
        """True node of each step, or None."""
        return self._view("z", np.int32)

    @property
    def reset(self) -> Optional[np.ndarray]:
        """True where the agent was relocated, or None."""
        flags = self._view("reset", np.uint8)
        return None if flags is None else flags.view(bool)

    @property
    def lengths(self) -> np.ndarray:
        """Number of steps of each episode."""
        arrays = self._arrays()
        return np.diff(view(arrays.start, arrays.n_episodes + 1,
                            np.dtype("l"), self))

    @property
    def symbols(self) -> Names:
        al = lib.walk_alphabet(self._pointer)
        return names_from_c(al.symbols, al.n_symbols)

    @property
    def actions(self) -> Names:
        al = lib.walk_alphabet(self._pointer)
        return names_from_c(al.actions, al.n_actions)

    @property
    def n_symbols(self) -> int:
        return lib.walk_alphabet(self._pointer).n_symbols

    @property
    def n_actions(self) -> int:
        return lib.walk_alphabet(self._pointer).n_actions

    def __len__(self) -> int:
        return self._arrays().n_steps

    def __repr__(self) -> str:
        return "<Walk: %d steps, %d episodes, %d symbols, %d actions>" % (
            len(self), self._arrays().n_episodes, self.n_symbols,
            self.n_actions)

    def episode(self, e: int) -> Tuple[np.ndarray, np.ndarray]:
        """Symbols and actions of an episode, one action fewer."""
        first = int(self.lengths[:e].sum())
        n = int(self.lengths[e])
        return self.x[first:first + n], self.a[first:first + n - 1]

    def select(self, episodes: Iterable[int]) -> "Walk":
        """The episodes of these numbers, with the same alphabet."""
        start = np.concatenate([[0], np.cumsum(self.lengths)])
        part = [np.arange(start[e], start[e + 1]) for e in episodes]
        index = np.concatenate(part) if part else np.empty(0, int)
        walk = Walk.__new__(Walk)
        walk._make(self.x[index], self.a[index],
                   None if self.reset is None else self.reset[index],
                   None if self.z is None else self.z[index],
                   self.n_symbols, self.n_actions, self.symbols, self.actions)
        return walk

    def split(self, test: float = 0.2) -> Tuple["Walk", "Walk"]:
        """Training and test walk: the last episodes are the test set.

        A single episode is divided in two.
        """
        n = len(self.lengths)
        if n > 1:
            k = n - min(max(int(n * test + 0.5), 1), n - 1)
            return self.select(range(k)), self.select(range(k, n))
        total = len(self)
        k = total - min(max(int(total * test + 0.5), 1), total - 1)
        if total < 2:
            raise ValueError("a walk of %d steps cannot be split" % total)
        parts = []
        for lo, hi in ((0, k), (k, total)):
            walk = Walk.__new__(Walk)
            a = self.a[lo:hi].copy()
            a[-1] = -1
            walk._make(self.x[lo:hi], a,
                       None if self.reset is None else self.reset[lo:hi],
                       None if self.z is None else self.z[lo:hi],
                       self.n_symbols, self.n_actions, self.symbols,
                       self.actions)
            parts.append(walk)
        return parts[0], parts[1]


def _with_names(number: np.ndarray, found: Names, given: Optional[Sequence[str]],
                what: str) -> Tuple[np.ndarray, Names]:
    """Numbers in the order of the given names, if there are any."""
    if given is None:
        return number, found
    given = tuple(str(s) for s in given)
    if found is None:
        return number, given
    place = {name: i for i, name in enumerate(given)}
    unknown = [name for name in found if name not in place]
    if unknown:
        raise ValueError("%s %r is none of the %d that are given"
                         % (what, unknown[0], len(given)))
    table = np.array([place[name] for name in found] + [-1], np.int32)
    return table[number], given


def _size(number: np.ndarray, names: Names, given: Optional[int]) -> int:
    least = int(number.max()) + 1 if number.size else 1
    if names is not None:
        return len(names)
    return max(least, 1) if given is None else int(given)


def as_walk(x: Any, a: Any = None, lengths: Any = None, *, reset: Any = None,
            like: Any = None) -> Walk:
    """x, if it is a walk; else the walk of x, a and lengths.

    like: a model or walk, whose alphabet a walk of numbers gets.
    """
    if isinstance(x, Walk):
        if a is not None or lengths is not None or reset is not None:
            raise ValueError("a walk has its own actions and lengths")
        return x
    walk = Walk(x, a, lengths, reset=reset)
    if like is None:
        return walk
    more = {}
    if walk.symbols is None:
        more["n_symbols"] = max(like.n_symbols, walk.n_symbols)
        if like.symbols and like.n_symbols >= walk.n_symbols:
            more["symbols"] = like.symbols
    if walk.actions is None:
        more["n_actions"] = max(like.n_actions, walk.n_actions)
        if like.actions and like.n_actions >= walk.n_actions:
            more["actions"] = like.actions
    return Walk(x, a, lengths, reset=reset, **more) if more else walk


class Room(Object):
    """An environment with known transitions.

    symbol: the symbol of each node.  to[a][v]: where action a leads from node
    v.  See also Room.read() and Room.grid().

    >>> ring = Room([0, 0, 1], [[1, 2, 0], [2, 0, 1]], actions=["on", "back"])
    >>> walk(ring, 5, start=0, seed=1).x.tolist()[0]
    0
    """

    _free = "room_free"

    def __init__(self, symbol: Any, to: Any, *,
                 actions: Optional[Sequence[str]] = None,
                 symbols: Optional[Sequence[str]] = None):
        obs, found = encode(symbol)
        obs, symbols = _with_names(obs, found, symbols, "symbol")
        edges = np.ascontiguousarray(to, np.int32)
        if edges.ndim != 2 or edges.shape[1] != len(obs):
            raise ValueError("to has the shape %s, not (actions, %d)"
                             % (edges.shape, len(obs)))
        first = np.arange(edges.size + 1, dtype=np.dtype("l"))
        p = np.ones(edges.size)
        al = _lib.alphabet(edges.shape[0], _size(obs, symbols, None),
                           names_to_c(actions), names_to_c(symbols))
        arrays = _lib.room_arrays(len(obs), to_c(obs, _lib.INT),
                                  to_c(first, _lib.LONG),
                                  to_c(edges, _lib.INT), to_c(p, _lib.DOUBLE))
        super().__init__(lib.room_from_arrays(C.byref(al), C.byref(arrays)))

    @classmethod
    def read(cls, path: Union[str, os.PathLike]) -> "Room":
        """The room in a cscg-room(5) file."""
        room = cls.__new__(cls)
        Object.__init__(room, lib.room_read_file(path_to_c(path)))
        return room

    @classmethod
    def grid(cls, symbols: Any, wrap: bool = False) -> "Room":
        """A room from rows of symbols; -1 is a wall.

        Actions are up, down, left and right; one that leads to a wall stays.
        wrap: opposite borders are joined.

        >>> Room.grid([[0, 1], [1, -1]]).n_nodes
        3
        """
        cell = np.asarray(symbols)
        if cell.ndim != 2:
            raise ValueError("rows of symbols have two dimensions, not %d"
                             % cell.ndim)
        node = np.full(cell.shape, -1)
        node[cell >= 0] = np.arange((cell >= 0).sum())
        to = []
        for axis, by in ((0, 1), (0, -1), (1, 1), (1, -1)):
            next_ = np.roll(node, by, axis)
            if not wrap:
                edge: list = [slice(None), slice(None)]
                edge[axis] = 0 if by == 1 else -1
                next_[tuple(edge)] = -1
            to.append(np.where(next_ < 0, node, next_)[cell >= 0])
        return cls(cell[cell >= 0], to,
                   actions=["up", "down", "left", "right"])

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write a cscg-room(5) file."""
        lib.room_write_file(self._pointer, path_to_c(path))

    @property
    def n_nodes(self) -> int:
        arrays = _lib.room_arrays()
        lib.room_get_arrays(self._pointer, C.byref(arrays))
        return arrays.n_nodes

    @property
    def symbol(self) -> np.ndarray:
        """The symbol of each node."""
        arrays = _lib.room_arrays()
        lib.room_get_arrays(self._pointer, C.byref(arrays))
        return view(arrays.symbol, arrays.n_nodes, np.int32, self)


def walk(room: Union[Room, Sequence[Room]], steps: int, *, episodes: int = 0,
         policy: str = "random", start: int = -1, permute: bool = False,
         blind: bool = False, seed: int = 42) -> Walk:
    """A walk through one room or several, as roomwalk(1) makes it."""
    rooms = [room] if isinstance(room, Room) else list(room)
    s = lib.room_walk_defaults()
    s.steps, s.episodes, s.policy = steps, episodes, policy.encode()
    s.start, s.permute, s.blind, s.seed = start, permute, blind, seed
    pointers = (C.c_void_p * len(rooms))(*[r._pointer for r in rooms])
    return Walk._take(lib.room_walk(pointers, len(rooms), C.byref(s)))


_BINS = ("column", "none", "compass4", "compass8", "egocentric", "turns")


def read_table(*paths: Union[str, os.PathLike], x: Optional[str] = None,
               a: Optional[str] = None, episode: Sequence[str] = (),
               missing: Sequence[str] = (), see: Sequence[str] = (),
               time: Optional[str] = None, delimiter: Optional[str] = None,
               no_header: bool = False, bin: Sequence[str] = (),
               cell: Any = None, grid: Any = None, quantile: int = 0,
               y_down: bool = False, min_likelihood: float = 0.6,
               thin: int = 0, thin_time: float = 0, moves: bool = False,
               derive_actions: str = "column", gap: Optional[float] = None,
               episode_gap: Optional[float] = None,
               episode_length: int = 0,
               xy: Union[str, os.PathLike, None] = None) -> Walk:
    """The walk of CSV or TSV tables; parameters are options of walkconv(1).

    grid is (rows, columns), or a number for one column of positions.  xy: a
    CSV file that gets the positions of each step, for CSCG.fields.
    """
    if derive_actions not in _BINS:
        raise ValueError("derive_actions is %r, none of %s"
                         % (derive_actions, ", ".join(_BINS)))
    one = [v if _is_sequence(v) else [v] for v in (episode, missing, see, bin)]
    episode, missing, see, bin = one
    s = lib.table_defaults()
    s.x = None if x is None else x.encode()
    s.a = None if a is None else a.encode()
    s.time = None if time is None else time.encode()
    s.episode, s.n_episode = names_to_c(episode), len(episode)
    s.missing, s.n_missing = names_to_c(missing), len(missing)
    s.see, s.n_see = names_to_c(see), len(see)
    s.delimiter = b"\0" if delimiter is None else delimiter.encode()
    if len(bin) > 2:
        raise ValueError("bin has %d columns, not 1 or 2" % len(bin))
    for k, name in enumerate(bin):
        s.bin[k] = name.encode()
    sizes = cell if _is_sequence(cell) else [cell] * 2
    for k in range(2 if cell is not None else 0):
        s.cell[k] = sizes[min(k, len(sizes) - 1)]
    counts = grid if _is_sequence(grid) else [grid]
    for k in range(len(counts) if grid is not None else 0):
        s.grid[k] = counts[len(counts) - 1 - k]
    s.no_header, s.quantile, s.y_down = no_header, quantile, y_down
    s.min_likelihood, s.thin, s.thin_time = min_likelihood, thin, thin_time
    s.moves, s.actions = moves, _BINS.index(derive_actions)
    s.gap = -1 if gap is None else gap
    s.episode_gap = -1 if episode_gap is None else episode_gap
    s.episode_length = episode_length
    if xy is not None and not bin:
        raise ValueError("xy goes with bin")
    s.xy = None if xy is None else path_to_c(xy)
    names = (C.c_char_p * len(paths))(*[path_to_c(p) for p in paths])
    return Walk._take(lib.walk_read_table(names, len(paths), C.byref(s)))

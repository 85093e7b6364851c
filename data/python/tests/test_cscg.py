"""Tests of the package; expectations by hand, by NumPy, or by the tools."""

import gzip
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import xml.etree.ElementTree

import numpy as np

import cscg
from cscg import CSCG, CSCGError, CSCGFileError, KMeans, Room, Tracker, Walk
from cscg._walk import encode

BUILD = os.environ.get("BUILD", "")


def tool(*args, **kw):
    """Run a tool of the build, or an installed one; its output."""
    if not BUILD and not shutil.which(args[0]):
        raise unittest.SkipTest("no " + args[0])
    return subprocess.run([os.path.join(BUILD, args[0])] + list(args[1:]),
                          check=True, stdout=subprocess.PIPE, **kw
                          ).stdout


def ring():
    """Four nodes in a ring, three of them with the same symbol."""
    return Room([0, 0, 0, 1], [[1, 2, 3, 0], [3, 0, 1, 2]],
                actions=["on", "back"])


def small():
    """Two states of symbol 0 and one of symbol 1, two actions."""
    counts = [[[0, 1, 3], [2, 0, 2], [4, 4, 0]],
              [[1, 1, 0], [0, 1, 0], [0, 3, 1]]]
    return CSCG.from_arrays(counts, [0, 0, 1], pseudocount=0,
                            pi=[0.5, 0.25, 0.25])


def forward(m, x, a):
    """P(x[t] | past) and predictions by plain NumPy."""
    T, E, p = m.T, m.E, m.pi
    out, pred = [], []
    for t in range(len(x)):
        p = p @ T[a[t - 1]] if t else p
        pred.append(p @ E)
        p = p * E[:, x[t]] if x[t] >= 0 else p
        out.append(p.sum())
        p = p / p.sum()
    return np.array(out), np.array(pred)


class Directory(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def path(self, name, text=None):
        p = os.path.join(self.dir.name, name)
        if text is not None:
            with open(p, "w") as f:
                f.write(text)
        return p


class TestEncode(unittest.TestCase):
    def check(self, values, numbers, names=None):
        got, found = encode(values)
        self.assertEqual(got.tolist(), numbers)
        self.assertEqual(got.dtype, np.int32)
        self.assertEqual(found, names)

    def test_list(self):
        self.check([3, 0, 1], [3, 0, 1])

    def test_int64(self):
        self.check(np.array([3, 0], np.int64), [3, 0])

    def test_uint8(self):
        self.check(np.array([255, 0], np.uint8), [255, 0])

    def test_int32_is_not_copied(self):
        v = np.array([1, 2], np.int32)
        self.assertIs(encode(v)[0].base if encode(v)[0] is not v else v, v)

    def test_missing_number(self):
        self.check([1, -1], [1, -1])

    def test_whole_floats(self):
        self.check([1.0, 2.0], [1, 2])

    def test_nan_is_missing(self):
        self.check([1.0, float("nan")], [1, -1])

    def test_none_among_numbers(self):
        self.check([1, None, 3], [1, -1, 3])

    def test_bool(self):
        self.check([True, False], [1, 0])

    def test_strings(self):
        self.check(["b", "a", "b"], [0, 1, 0], ("b", "a"))

    def test_strings_with_none(self):
        self.check(["b", None, "a"], [0, -1, 1], ("b", "a"))

    def test_numpy_strings(self):
        self.check(np.array(["b", "a", "b"]), [0, 1, 0], ("b", "a"))

    def test_mixed_labels(self):
        self.check(np.array(["b", 1], object), [0, 1], ("b", "1"))

    def test_column(self):
        self.check(np.array([[1], [2]]), [1, 2])

    def test_empty(self):
        self.check([], [])

    def test_fraction_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"0\.5 is not a whole number"):
            encode([0.5, 1])

    def test_infinity_is_refused(self):
        with self.assertRaises(ValueError):
            encode([float("inf")])

    def test_negative_is_refused(self):
        with self.assertRaisesRegex(ValueError, "-2 is outside"):
            encode([-2])

    def test_large_is_refused(self):
        with self.assertRaisesRegex(ValueError, "outside"):
            encode([2**40])

    def test_two_dimensions_are_refused(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            encode(np.zeros((2, 2), int))

    def test_series(self):
        class Series:  # what pandas.Series is to NumPy
            def __init__(self, v):
                self.v = v

            def __len__(self):
                return len(self.v)

            def __array__(self, dtype=None, copy=None):
                return np.array(self.v, dtype or object)

        self.check(Series(["u", "v", "u"]), [0, 1, 0], ("u", "v"))
        self.check(Series([2, 1]), [2, 1])


class TestWalk(Directory):
    def test_one_episode(self):
        w = Walk([0, 1, 2], [1, 0])
        self.assertEqual(w.x.tolist(), [0, 1, 2])
        self.assertEqual(w.a.tolist(), [1, 0, -1])
        self.assertEqual(w.lengths.tolist(), [3])
        self.assertEqual((w.n_symbols, w.n_actions, len(w)), (3, 2, 3))

    def test_last_action_is_not_used(self):
        self.assertEqual(Walk([0, 1], [1, 7]).a.tolist(), [1, -1])
        self.assertEqual(Walk([0, 1], [1, 7]).n_actions, 2)

    def test_without_actions(self):
        self.assertEqual(Walk([0, 1, 0]).a.tolist(), [0, 0, -1])

    def test_lengths(self):
        w = Walk([0, 1, 1, 0, 1], [0, 1, 0], [2, 3])
        self.assertEqual(w.a.tolist(), [0, -1, 1, 0, -1])

    def test_lengths_with_last_actions(self):
        w = Walk([0, 1, 1, 0, 1], [0, 9, 1, 0, 9], [2, 3])
        self.assertEqual(w.a.tolist(), [0, -1, 1, 0, -1])

    def test_ragged(self):
        w = Walk([[0, 1], [1, 0, 1]], [[0], [1, 0]])
        self.assertEqual(w.lengths.tolist(), [2, 3])
        self.assertEqual(w.a.tolist(), [0, -1, 1, 0, -1])

    def test_ragged_strings(self):
        w = Walk([["a", "b"], ["c"]], [["go"], []])
        self.assertEqual(w.symbols, ("a", "b", "c"))
        self.assertEqual(w.actions, ("go",))

    def test_ragged_arrays(self):
        w = Walk([np.array([0, 1]), np.array([2])])
        self.assertEqual(w.lengths.tolist(), [2, 1])

    def test_missing(self):
        self.assertEqual(Walk([0, None, 1]).x.tolist(), [0, -1, 1])

    def test_given_names(self):
        w = Walk(["b", "a"], symbols=["a", "b", "c"])
        self.assertEqual((w.x.tolist(), w.n_symbols), ([1, 0], 3))

    def test_numbers_with_names(self):
        self.assertEqual(Walk([1, 0], symbols=["u", "v"]).symbols, ("u", "v"))

    def test_unknown_name(self):
        with self.assertRaisesRegex(ValueError, "'c' is none of the 1"):
            Walk(["c"], symbols=["a"])

    def test_sizes(self):
        w = Walk([0], n_symbols=5, n_actions=3)
        self.assertEqual((w.n_symbols, w.n_actions), (5, 3))

    def test_too_small_a_size(self):
        with self.assertRaisesRegex(CSCGError, "symbol 4"):
            Walk([4], n_symbols=3)

    def test_reset_and_z(self):
        w = Walk([0, 1, 0], reset=[False, True, False], z=[5, 6, 7])
        self.assertEqual(w.reset.tolist(), [False, True, False])
        self.assertEqual(w.z.tolist(), [5, 6, 7])
        self.assertIsNone(Walk([0]).reset)
        self.assertIsNone(Walk([0]).z)

    def test_reset_of_another_length(self):
        with self.assertRaisesRegex(ValueError, "1 resets for 2"):
            Walk([0, 1], reset=[True])

    def test_actions_of_another_length(self):
        with self.assertRaisesRegex(ValueError, "3 or 2 actions, not 5"):
            Walk([0, 1, 0], [0] * 5)

    def test_lengths_that_do_not_sum(self):
        with self.assertRaisesRegex(ValueError, "sum to 4"):
            Walk([0, 1, 0], None, [2, 2])

    def test_ragged_with_lengths(self):
        with self.assertRaises(ValueError):
            Walk([[0, 1]], None, [2])

    def test_ragged_actions_of_another_length(self):
        with self.assertRaisesRegex(ValueError, "episode 1 has 1"):
            Walk([[0, 1], [1]], [[0], [0, 0]])

    def test_ragged_actions_of_another_number(self):
        with self.assertRaisesRegex(ValueError, "1 episodes of actions"):
            Walk([[0, 1], [1]], [[0]])

    def test_missing_action(self):
        with self.assertRaisesRegex(ValueError, "missing"):
            Walk([0, 1, 0], [None, 1])

    def test_views_are_read_only_and_keep_the_walk(self):
        x = Walk([0, 1, 2]).x
        self.assertFalse(x.flags.writeable)
        self.assertEqual(x.tolist(), [0, 1, 2])

    def test_file(self):
        w = Walk([["a", "b"], ["b"]], [["go"], []])
        w.save(self.path("w.gz"))
        r = Walk.read(self.path("w.gz"))
        self.assertEqual(r.x.tolist(), w.x.tolist())
        self.assertEqual(r.symbols, w.symbols)
        self.assertEqual(r.lengths.tolist(), [2, 1])

    def test_several_files(self):
        Walk([0, 1]).save(self.path("w"))
        r = Walk.read(self.path("w"), self.path("w"))
        self.assertEqual(r.lengths.tolist(), [2, 2])

    def test_no_file(self):
        with self.assertRaisesRegex(CSCGFileError, "No such file") as c:
            Walk.read(self.path("none"))
        self.assertIsInstance(c.exception, OSError)

    def test_bad_file(self):
        with self.assertRaisesRegex(CSCGError, "not JSON"):
            Walk.read(self.path("bad", "x,a\n1,2\n"))

    def test_unwritable(self):
        with self.assertRaises(CSCGError):
            Walk([0]).save(self.path("no/such/dir"))

    def test_episode_and_select(self):
        w = Walk([[0, 1], [1, 0, 1]], [[0], [1, 0]])
        x, a = w.episode(1)
        self.assertEqual((x.tolist(), a.tolist()), ([1, 0, 1], [1, 0]))
        s = w.select([1, 0])
        self.assertEqual(s.x.tolist(), [1, 0, 1, 0, 1])
        self.assertEqual(s.n_actions, 2)

    def test_split_of_episodes(self):
        w = Walk([[0]] * 10)
        train, test = w.split(0.2)
        self.assertEqual((len(train.lengths), len(test.lengths)), (8, 2))

    def test_split_of_one_episode(self):
        train, test = Walk(list(range(10))).split(0.3)
        self.assertEqual(train.x.tolist(), list(range(7)))
        self.assertEqual(test.x.tolist(), [7, 8, 9])
        self.assertEqual(test.n_symbols, 10)

    def test_split_of_one_step(self):
        with self.assertRaises(ValueError):
            Walk([0]).split()

    def test_a_million_steps(self):
        x = np.zeros(10**6, np.int32)
        x[-1] = 7
        w = Walk(x)
        self.assertEqual((len(w), w.n_symbols), (10**6, 8))

    def test_repr(self):
        self.assertEqual(repr(Walk([0, 1])),
                         "<Walk: 2 steps, 1 episodes, 2 symbols, 1 actions>")

    def test_empty(self):
        self.assertEqual(len(Walk([])), 0)


class TestRoom(Directory):
    def test_walk_follows_the_edges(self):
        w = cscg.walk(ring(), 50)
        to = np.array([[1, 2, 3, 0], [3, 0, 1, 2]])
        self.assertTrue((to[w.a[:-1], w.z[:-1]] == w.z[1:]).all())
        self.assertTrue((np.array([0, 0, 0, 1])[w.z] == w.x).all())

    def test_grid(self):
        r = Room.grid([[0, 1], [2, -1]])
        self.assertEqual((r.n_nodes, r.symbol.tolist()), (3, [0, 1, 2]))
        w = cscg.walk(r, 200, start=0)
        # up down left right; 0 1 / 2 wall
        to = np.array([[0, 1, 0], [2, 1, 2], [0, 0, 2], [1, 1, 2]])
        self.assertTrue((to[w.a[:-1], w.z[:-1]] == w.z[1:]).all())
        self.assertEqual(w.actions, ("up", "down", "left", "right"))

    def test_torus_is_that_of_roomgen(self):
        path = self.path("r.gz")
        tool("roomgen", "torus", "--size", "3x4", "-o", path)
        r = Room.read(path)
        own = Room.grid(r.symbol.reshape(3, 4), wrap=True)
        a, b = (cscg.walk(q, 100, seed=5) for q in (r, own))
        self.assertEqual(a.z.tolist(), b.z.tolist())

    def test_walk_is_that_of_roomwalk(self):
        ring().save(self.path("r.gz"))
        tool("roomwalk", "-n", "70", "-s", "9", "--episodes", "2",
             self.path("r.gz"), "-o", self.path("w.gz"))
        w = Walk.read(self.path("w.gz"))
        own = cscg.walk(ring(), 70, episodes=2, seed=9)
        self.assertEqual(own.x.tolist(), w.x.tolist())
        self.assertEqual(own.a.tolist(), w.a.tolist())
        self.assertEqual(own.z.tolist(), w.z.tolist())

    def test_several_rooms(self):
        w = cscg.walk([ring(), ring()], 10, episodes=4)
        self.assertEqual(w.lengths.tolist(), [10] * 4)

    def test_blind(self):
        self.assertIsNone(cscg.walk(ring(), 10, blind=True).z)

    def test_bad_policy(self):
        with self.assertRaises(CSCGError):
            cscg.walk(ring(), 10, policy="drunk")

    def test_bad_edges(self):
        with self.assertRaises(CSCGError):
            Room([0, 1], [[0, 5]])
        with self.assertRaisesRegex(ValueError, "shape"):
            Room([0, 1], [[0]])

    def test_bad_grid(self):
        with self.assertRaises(ValueError):
            Room.grid([0, 1])


class TestTable(Directory):
    def test_plain_table(self):
        w = cscg.read_table(self.path("t.csv", "x,a\nred,go\nblue,\n"))
        self.assertEqual((w.symbols, w.actions), (("red", "blue"), ("go",)))

    def test_positions(self):
        t = self.path("t.csv", "t,px,py\n0,5,5\n1,12,6\n2,25,8\n3,nan,nan\n"
                      "4,50,30\n5,52,41\n6,30,45\n")
        w = cscg.read_table(t, bin=["px", "py"], cell=20, moves=True,
                            derive_actions="compass4")
        self.assertEqual(w.symbols, ("0:0", "1:0", "2:1", "2:2", "1:2"))
        self.assertEqual(w.reset.tolist(), [False, False, True, False, False])
        self.assertEqual([w.actions[i] for i in w.a[:-1]],
                         ["east", "east", "north", "west"])

    def test_as_walkconv(self):
        rng = np.random.default_rng(1)
        p = np.cumsum(rng.normal(size=(500, 2)), 0)
        t = self.path("t.csv", "t;u;v;w\n" + "".join(
            "%d;%s;%s;%d\n" % (i, *(("%.3f" % c).replace(".", ",")
                                    for c in p[i]), i % 3)
            for i in range(500)))
        out = self.path("w.gz")
        tool("walkconv", "-q", "--bin", "u,v", "--grid", "4x6", "--thin", "2",
             "--see", "w", "--derive-actions", "turns", "--episode-length",
             "100", t, "-o", out)
        w = Walk.read(out)
        own = cscg.read_table(t, bin=["u", "v"], grid=(4, 6), thin=2, see="w",
                              derive_actions="turns", episode_length=100)
        for name in ("x", "a", "reset", "lengths"):
            self.assertEqual(getattr(own, name).tolist(),
                             getattr(w, name).tolist())
        self.assertEqual(own.actions, w.actions)

    def test_several_files(self):
        t = self.path("t.csv", "x,a\n1,0\n2,\n")
        self.assertEqual(cscg.read_table(t, t).lengths.tolist(), [2, 2])

    def test_no_cell(self):
        with self.assertRaisesRegex(CSCGError, "cell, grid and quantile"):
            cscg.read_table(self.path("t.csv", "u\n1\n"), bin="u", a="")

    def test_bad_derivation(self):
        with self.assertRaisesRegex(ValueError, "none of column"):
            cscg.read_table("t.csv", derive_actions="north")

    def test_message_names_the_line(self):
        with self.assertRaisesRegex(CSCGError, "line 2: 'here' is not a num"):
            cscg.read_table(self.path("t.csv", "u\nhere\n"), bin="u", cell=1,
                            derive_actions="none")


class TestFields(Directory):
    def ring(self):
        """Four cells in a row of bins, each with a symbol of its own."""
        x = [0, 1, 2, 3, 2, 1] * 20
        return Walk(x), CSCG().fit(x)

    def test_each_state_has_its_bin(self):
        walk, model = self.ring()
        f = model.fields(walk, xy=np.column_stack([walk.x, 0 * walk.x]),
                         bins=4)
        # 0, 1, 2, 3 in bins of 0.75: [0, 0.75), ... the last value in the last
        self.assertEqual(f.occupancy.tolist(), [[20, 40, 40, 20]])
        np.testing.assert_allclose(f.p.sum(axis=0), 1)
        # Bin i is that of symbol i, and of its clones.
        for i in range(4):
            self.assertAlmostEqual(f.p[model.clone == i, 0, i].sum(), 1)
        np.testing.assert_allclose(f.x, [0, 0.75, 1.5, 2.25, 3])
        self.assertEqual(f.y.tolist(), [0, 0.75])

    def test_several_positions_of_a_step(self):
        walk, model = self.ring()
        p = model.posterior(walk)
        f = model.fields(walk, xy=[[0, 0], [1, 0], [1, 0], [9, 9], [1, np.nan]],
                         step=[0, 1, 1, 3, 4], bins=1)
        self.assertEqual(f.occupancy.tolist(), [[4]])
        np.testing.assert_allclose(f.p[:, 0, 0], (p[0] + 2 * p[1] + p[3]) / 4)

    def test_as_the_tool(self):
        rng = np.random.default_rng(2)
        p = np.clip(np.cumsum(rng.normal(size=(3000, 2)), 0) % 40, 0, 40)
        t = self.path("t.csv", "u,v\n" + "".join("%r,%r\n" % tuple(r.tolist())
                                                for r in p))
        walk = cscg.read_table(t, bin=["u", "v"], cell=10, moves=True,
                               derive_actions="turns", xy=self.path("at.csv"))
        model = CSCG().fit(walk)
        model.save(self.path("m.gz"))
        walk.save(self.path("w.gz"))
        f = model.fields(walk, xy=self.path("at.csv"), bins=7)
        self.assertEqual(f.occupancy.sum(), 3000)
        out = tool("cscg-show", "--fields", self.path("w.gz"), "--xy",
                   self.path("at.csv"), "--bins", "7", self.path("m.gz"))
        rows = np.array([[float(v) for v in line.split("\t")]
                         for line in out.decode().splitlines()[1:]])
        i = np.searchsorted(f.y, rows[:, 2]) - 1
        j = np.searchsorted(f.x, rows[:, 1]) - 1
        np.testing.assert_allclose(rows[:, 4],
                                   f.p[rows[:, 0].astype(int), i, j],
                                   atol=1e-5)
        np.testing.assert_array_equal(rows[:, 3], f.occupancy[i, j])

    def test_faults(self):
        walk, model = self.ring()
        for xy, step, text in (([[0, 0]], None, "1 positions for 120 steps"),
                               ([0, 1], None, "shape"),
                               ([[0, 0]], [120], "from 0 to 119"),
                               ([[0, 0]], [0.5], "from 0 to 119"),
                               ([[np.nan, 0]], [1], "no positions")):
            with self.assertRaisesRegex(ValueError, text):
                model.fields(walk, xy=xy, step=step)
        with self.assertRaisesRegex(ValueError, "xy goes with bin"):
            cscg.read_table(self.path("t.csv", "x,a\n1,1\n"), xy="at.csv")


class TestFit(Directory):
    def test_ring(self):
        m = CSCG(seed=1).fit(cscg.walk(ring(), 500))
        self.assertEqual((m.n_states, m.kind), (4, "grounded"))
        self.assertEqual(sorted(m.clone.tolist()), [0, 0, 0, 1])
        self.assertEqual(m.actions, ("on", "back"))

    def test_same_bytes_as_the_tool(self):
        w = cscg.walk(Room.grid(np.arange(12).reshape(3, 4) % 5), 800)
        w.save(self.path("w.gz"))
        tool("cscg-learn", "-s", "3", self.path("w.gz"), "-o",
             self.path("m.gz"))
        CSCG(seed=3).fit(w).save(self.path("own.gz"))
        self.assertEqual(*map(self.model, ("m.gz", "own.gz")))

    def test_same_bytes_with_clones(self):
        w = cscg.walk(Room.grid(np.arange(12).reshape(3, 4) % 5), 300)
        w.save(self.path("w.gz"))
        tool("cscg-learn", "-s", "3", "--clones", "4", "--structure", "none",
             "--iterations", "20", "--restarts", "2", "--pseudocount", ".01",
             "--learn-pi", self.path("w.gz"), "-o", self.path("m.gz"))
        CSCG(4, 3, restarts=2, iterations=20, pseudocount=.01, learn_pi=True,
             structure="none").fit(w).save(self.path("own.gz"))
        self.assertEqual(*map(self.model, ("m.gz", "own.gz")))

    def model(self, name):
        with gzip.open(self.path(name)) as f:
            m = json.loads(f.read())
        m.pop("history", None)
        return m

    def test_same_bytes_for_any_number_of_threads(self):
        w = cscg.walk(Room.grid(np.arange(12).reshape(3, 4) % 5), 300)
        a, b = (CSCG(threads=n).fit(w) for n in (1, 2))
        self.assertEqual(a.T.tolist(), b.T.tolist())

    def test_arrays_and_walk_are_the_same(self):
        w = cscg.walk(ring(), 300)
        a = CSCG().fit(w)
        b = CSCG().fit(w.x, w.a)
        self.assertEqual(a.T.tolist(), b.T.tolist())

    def test_loglik_is_the_score(self):
        w = cscg.walk(ring(), 300)
        m = CSCG(double_precision=True).fit(w)
        self.assertAlmostEqual(m.loglik_, m.score(w), 5)

    def test_clones_per_symbol(self):
        w = cscg.walk(ring(), 300)
        m = CSCG([3, 1], structure="none", iterations=2).fit(w)
        self.assertEqual(np.bincount(m.clone).tolist(), [3, 1])

    def test_wrong_number_of_clones(self):
        with self.assertRaisesRegex(ValueError, "3 numbers of clones for 2"):
            CSCG([3, 1, 1]).fit(cscg.walk(ring(), 100))

    def test_no_clone_for_a_symbol(self):
        with self.assertRaises(CSCGError):
            CSCG([3, 0]).fit(cscg.walk(ring(), 100))

    def test_bad_structure(self):
        with self.assertRaisesRegex(ValueError, "none of auto"):
            CSCG(structure="fine").fit([0, 1])

    def test_bad_isa(self):
        with self.assertRaises(CSCGError):
            CSCG(isa="z80").fit(cscg.walk(ring(), 100))

    def test_nothing_observed(self):
        with self.assertRaises(CSCGError):
            CSCG().fit([None, None])

    def test_floats_are_refused(self):
        with self.assertRaisesRegex(ValueError, "whole number"):
            CSCG().fit([0.1, 0.2])

    def test_walk_and_actions(self):
        with self.assertRaises(ValueError):
            CSCG().fit(cscg.walk(ring(), 10), [0])

    def test_init(self):
        w = cscg.walk(ring(), 300)
        m = CSCG().fit(w)
        again = CSCG(iterations=1, structure="none").fit(w, init=m)
        self.assertEqual(again.n_states, m.n_states)

    def test_progress(self):
        calls = []
        CSCG(3, progress=lambda *v: calls.append(v)).fit(
            cscg.walk(ring(), 200))
        self.assertTrue(calls)
        stage, restart, iteration, n_states, loglik = calls[-1]
        self.assertIsInstance(stage, str)
        self.assertLess(loglik, 0.1)

    def test_progress_raises(self):
        def stop(*_):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            CSCG(3, progress=stop).fit(cscg.walk(ring(), 200))

    def test_progress_ends(self):
        calls = []
        CSCG(3, structure="none", restarts=1,
             progress=lambda *v: calls.append(v) or True).fit(
                 cscg.walk(ring(), 200))
        self.assertLess(len(calls), 10)

    def test_other_threads_run(self):
        """The GIL is released: another thread counts while fit() runs."""
        w = cscg.walk(Room.grid(np.arange(64).reshape(8, 8) % 9), 5000)
        ticks, done = [0], threading.Event()

        def count():
            while not done.wait(0.001):
                ticks[0] += 1
        t = threading.Thread(target=count)
        t.start()
        CSCG(12, iterations=60, tolerance=0, structure="none").fit(w)
        done.set()
        t.join()
        self.assertGreater(ticks[0], 3)

    def test_not_fitted(self):
        with self.assertRaisesRegex(ValueError, "not fitted"):
            CSCG().score([0])


class TestConventions(unittest.TestCase):
    def test_params(self):
        m = CSCG(5, seed=7)
        self.assertEqual((m.get_params()["clones"], m.get_params()["seed"]),
                         (5, 7))
        self.assertIs(m.set_params(seed=8), m)
        self.assertEqual(m.seed, 8)

    def test_unknown_param(self):
        with self.assertRaisesRegex(ValueError, "no parameter 'sed'"):
            CSCG().set_params(sed=1)

    def test_repr(self):
        self.assertEqual(repr(CSCG(5)), "CSCG(clones=5)")
        self.assertEqual(repr(KMeans(k=3)), "KMeans(k=3)")

    def test_clone(self):
        try:
            from sklearn.base import clone
        except ImportError:
            self.skipTest("no scikit-learn")
        m = clone(CSCG(5, seed=7))
        self.assertEqual((m.clones, m.seed), (5, 7))
        self.assertEqual(clone(KMeans(k=2)).k, 2)

    def test_pickle(self):
        m = CSCG().fit(cscg.walk(ring(), 200))
        again = pickle.loads(pickle.dumps(m))
        np.testing.assert_allclose(again.T, m.T, rtol=1e-6)
        self.assertEqual(again.seed, m.seed)

    def test_pickle_unfitted(self):
        self.assertEqual(pickle.loads(pickle.dumps(CSCG(3))).clones, 3)

    def test_version(self):
        self.assertRegex(cscg.__version__, r"^\d+\.\d+\.\d+$")


class TestInference(Directory):
    x, a = [0, 1, 0, 0, 1], [0, 0, 1, 0]

    def test_score(self):
        p, _ = forward(small(), self.x, self.a)
        self.assertAlmostEqual(small().score(self.x, self.a),
                               np.log(p).sum(), 12)

    def test_score_by_hand(self):
        # P(x0 = 1) = 1/4; then action 0 from state 2 goes to 0 or 1.
        self.assertAlmostEqual(small().score([1, 0], [0]), np.log(0.25), 12)

    def test_score_of_episodes(self):
        m = small()
        self.assertAlmostEqual(
            m.score([[1, 0], self.x], [[0], self.a]),
            m.score([1, 0], [0]) + m.score(self.x, self.a), 12)

    def test_impossible(self):
        self.assertEqual(small().score([1, 1], [0]), -np.inf)

    def test_score_samples(self):
        p, _ = forward(small(), self.x, self.a)
        np.testing.assert_allclose(small().score_samples(self.x, self.a),
                                   np.log(p))

    def test_predict_proba(self):
        _, pred = forward(small(), self.x, self.a)
        np.testing.assert_allclose(small().predict_proba(self.x, self.a), pred)

    def test_predict_by_hand(self):
        # pi: 3/4 of symbol 0; from state 2 by action 0 symbol 0 is certain.
        np.testing.assert_allclose(small().predict_proba([1, 0], [0]),
                                   [[0.75, 0.25], [1, 0]])
        self.assertEqual(small().predict([1, 0], [0]).tolist(), [0, 0])

    def test_predict_proba_sums_to_one(self):
        w = cscg.walk(ring(), 300)
        p = CSCG().fit(w).predict_proba(w)
        self.assertEqual(p.shape, (300, 2))
        np.testing.assert_allclose(p.sum(1), 1)

    def test_predict_proba_gives_the_score(self):
        w = cscg.walk(ring(), 300)
        m = CSCG().fit(w)
        p = m.predict_proba(w)
        self.assertAlmostEqual(np.log(p[np.arange(300), w.x]).sum(),
                               m.score(w), 8)

    def test_predict_after_a_missing_observation(self):
        x = [0, -1, 0, 0, 1]
        _, pred = forward(small(), x, self.a)
        np.testing.assert_allclose(small().predict_proba(x, self.a), pred)

    def test_predict_after_a_reset(self):
        p = small().predict_proba([1, 0], [0], reset=[False, True])
        np.testing.assert_allclose(p[1], [0.75, 0.25])

    def test_predict_with_emissions(self):
        E = np.array([[.9, .1], [.5, .5], [0, 1]])
        m = CSCG.from_arrays(small().T, E=E, pseudocount=0)
        _, pred = forward(m, self.x, self.a)
        np.testing.assert_allclose(m.predict_proba(self.x, self.a), pred)

    def test_predict_impossible(self):
        p = small().predict_proba([1, 1, 0], [0, 0])
        self.assertEqual(p[2].tolist(), [0, 0])

    def test_predict_names(self):
        w = Walk(["u", "v"] * 50)
        m = CSCG().fit(w)
        self.assertEqual(m.predict(w)[1:3].tolist(), ["v", "u"])

    def test_decode(self):
        T = small().T
        # By enumeration of the states of symbol 0, with one state for 1.
        best = max(((0.5, 0.25)[s] * T[0, s, 2] * T[0, 2, u] * T[1, u, v]
                    * T[0, v, 2], s, u, v)
                   for s in (0, 1) for u in (0, 1) for v in (0, 1))
        logp, z = small().decode(self.x, self.a)
        self.assertAlmostEqual(logp, np.log(best[0]), 12)
        self.assertEqual(z.tolist(), [best[1], 2, best[2], best[3], 2])

    def test_decode_is_that_of_the_tool(self):
        w = cscg.walk(Room.grid(np.arange(12).reshape(3, 4) % 5), 200)
        m = CSCG().fit(w)
        m.save(self.path("m.gz"))
        w.save(self.path("w.gz"))
        out = tool("cscg-score", "--decode", self.path("m.gz"), "-w",
                   self.path("w.gz")).decode()
        rows = [r.split("\t") for r in out.splitlines()]
        column = rows[0].index("state") if "state" in rows[0] else -1
        states = [int(r[column]) for r in rows[1:]]
        self.assertEqual(m.decode(w)[1].tolist(), states)

    def test_posterior(self):
        m = small()
        p = m.posterior([self.x, [0, 1]], [self.a, [0]])
        np.testing.assert_allclose(p.sum(1), 1)
        # P(z0 | x = 0, 1; a = 0) is proportional to pi T[0][.][2].
        q = m.pi * m.T[0][:, 2] * [1, 1, 0]
        np.testing.assert_allclose(p[5], q / q.sum())

    def test_posterior_of_an_impossible_walk(self):
        with self.assertRaisesRegex(CSCGError, "cannot produce"):
            small().posterior([1, 1], [0])

    def test_unknown_symbol(self):
        with self.assertRaises(CSCGError):
            small().score([5, 0])

    def test_unknown_name(self):
        m = CSCG().fit(["a", "b"] * 20)
        with self.assertRaisesRegex(CSCGError, "'c'"):
            m.score(["a", "c"])

    def test_names_in_another_order(self):
        m = CSCG().fit(["a", "b", "b"] * 20)
        self.assertAlmostEqual(m.score(["b", "b", "a"]),
                               m.score([1, 1, 0]), 10)

    def test_fewer_symbols_than_the_model(self):
        self.assertTrue(np.isfinite(small().score([0])))

    def test_sample_is_that_of_the_tool(self):
        m = CSCG().fit(cscg.walk(ring(), 300))
        m.save(self.path("m.gz"))
        tool("cscg-score", "--double", "--sample", "50", "-s", "4",
             self.path("m.gz"), "-o", self.path("w.gz"))
        w = Walk.read(self.path("w.gz"))
        s = m.sample(50, seed=4)
        self.assertEqual(s.x.tolist(), w.x.tolist())
        self.assertEqual(s.a.tolist(), w.a.tolist())
        self.assertEqual(s.z.tolist(), w.z.tolist())

    def test_sample_of_no_steps(self):
        with self.assertRaises(CSCGError):
            small().sample(0)

    def test_tracker(self):
        m = small()
        t = Tracker(m)
        self.assertEqual((t.state, t.loglik), (-1, 0))
        t.observe(1)
        t.observe(0, 0)
        np.testing.assert_allclose(t.belief, [0.5, 0.5, 0])
        self.assertAlmostEqual(t.loglik, m.score([1, 0], [0]), 12)

    def test_tracker_range(self):
        with self.assertRaises(CSCGError):
            Tracker(small()).observe(9)


class TestArrays(Directory):
    def test_counts(self):
        first, to, count = small().counts
        self.assertEqual(first.tolist(), [0, 2, 4, 6, 8, 9, 11])
        self.assertEqual(to.tolist(), [1, 2, 0, 2, 0, 1, 0, 1, 1, 1, 2])
        self.assertEqual(count[:4].tolist(), [1, 3, 2, 2])

    def test_T(self):
        np.testing.assert_allclose(small().T[0],
                                   [[0, .25, .75], [.5, 0, .5], [.5, .5, 0]])

    def test_pseudocount(self):
        m = CSCG.from_arrays([[[0, 3], [1, 0]]], [0, 1], pseudocount=1)
        np.testing.assert_allclose(m.T[0], [[.2, .8], [2 / 3, 1 / 3]])

    def test_E(self):
        self.assertEqual(small().E.tolist(), [[1, 0], [1, 0], [0, 1]])

    def test_schema_has_no_E(self):
        with self.assertRaises(CSCGError):
            CSCG.from_arrays([[[0, 1], [1, 0]]]).E

    def test_uniform_pi(self):
        m = CSCG.from_arrays([[[0, 1], [1, 0]]], [0, 1])
        self.assertEqual(m.pi.tolist(), [.5, .5])

    def test_descending_clones(self):
        with self.assertRaises(CSCGError):
            CSCG.from_arrays([[[0, 1], [1, 0]]], [1, 0])

    def test_bad_shape(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            CSCG.from_arrays([[0, 1]])

    def test_names(self):
        m = CSCG.from_arrays([[[0, 1], [1, 0]]], [0, 1], symbols=["u", "v"],
                             actions=["go"])
        self.assertEqual((m.symbols, m.actions), (("u", "v"), ("go",)))

    def test_file(self):
        small().save(self.path("m.gz"))
        m = CSCG.load(self.path("m.gz"))
        self.assertEqual(m.T.tolist(), small().T.tolist())

    def test_T_is_that_of_the_tool(self):
        CSCG().fit(cscg.walk(ring(), 100)).save(self.path("m.gz"))
        tool("cscg-show", "--as", "npy", "-o", self.path("T.npy"),
             self.path("m.gz"))
        np.testing.assert_allclose(CSCG.load(self.path("m.gz")).T,
                                   np.load(self.path("T.npy")), atol=1e-12)

    def test_no_file(self):
        with self.assertRaises(CSCGFileError):
            CSCG.load(self.path("none"))

    def test_a_walk_is_not_read_as_a_model(self):
        Walk([0]).save(self.path("w"))
        with self.assertRaisesRegex(CSCGError, "not a cscg-model"):
            CSCG.load(self.path("w"))

    T = np.array([[[0, .5, .5], [1, 0, 0], [0, 1, 0]]])

    def check_reference(self, m):
        np.testing.assert_allclose(m.T, self.T)
        self.assertEqual(m.clone.tolist(), [0, 0, 1])

    def test_reference_npz(self):
        np.savez(self.path("m.npz"), T=self.T, n_clones=[2, 1])
        self.check_reference(CSCG.from_reference(self.path("m.npz")))

    def test_reference_pickle(self):
        with open(self.path("m.pkl"), "wb") as f:
            pickle.dump({"T": self.T, "n_clones": np.array([2, 1]),
                         "Pi_x": np.array([2, 1, 1])}, f)
        m = CSCG.from_reference(self.path("m.pkl"))
        self.check_reference(m)
        self.assertEqual(m.pi.tolist(), [.5, .25, .25])

    def test_reference_object_whose_class_is_missing(self):
        module = types.ModuleType("chmm_actions")
        exec("class CHMM: pass", module.__dict__)
        sys.modules["chmm_actions"] = module
        o = module.CHMM()
        o.C, o.n_clones = 8 * self.T, np.array([2, 1])
        with open(self.path("m.pkl"), "wb") as f:
            pickle.dump(o, f)
        del sys.modules["chmm_actions"]
        self.check_reference(CSCG.from_reference(self.path("m.pkl")))

    def test_reference_counts_and_n_clones(self):
        self.check_reference(CSCG.from_reference({"C": 4 * self.T}, [2, 1]))

    def test_reference_without_clones(self):
        with self.assertRaisesRegex(ValueError, "n_clones"):
            CSCG.from_reference({"T": self.T})

    def test_reference_of_another_size(self):
        with self.assertRaisesRegex(ValueError, "sums to 4"):
            CSCG.from_reference({"T": self.T, "n_clones": [2, 2]})


class TestSchemas(Directory):
    def model(self):
        return CSCG().fit(cscg.walk(ring(), 500))

    def test_plan(self):
        m = self.model()
        home = int(np.nonzero(m.clone == 1)[0][0])
        p = m.plan(1, start=m.decode([1, 0, 0], [0, 0])[1][-1])
        self.assertEqual(len(p.actions), 2)
        self.assertEqual(set(p.actions), {"on"} if p.actions[0] == "on"
                         else {"back"})
        self.assertEqual(p.states[-1], home)
        self.assertGreater(p.success, .9)

    def test_plan_from_a_walk(self):
        p = self.model().plan(1, x=[1, 0], a=["on"])
        self.assertEqual(p.actions.tolist(), ["back"])

    def test_plan_to_a_state(self):
        m = self.model()
        p = m.plan(goal_state=0, start=0)
        self.assertEqual((len(p.actions), p.states.tolist()), (0, [0]))

    def test_no_plan_to_an_unreachable_goal(self):
        m = CSCG.from_arrays([[[1, 0], [0, 1]]], [0, 1], pseudocount=0)
        self.assertIsNone(m.plan(1, start=0))

    def test_plan_without_a_goal(self):
        with self.assertRaisesRegex(ValueError, "required"):
            self.model().plan(start=0)

    def test_plan_to_an_unknown_symbol(self):
        with self.assertRaises(ValueError):
            CSCG().fit(["a", "b"] * 20).plan("c", start=0)

    def test_schema(self):
        m = self.model()
        self.assertEqual(m.schema().kind, "clones")
        self.assertEqual(m.schema(clones=False).kind, "schema")
        self.assertEqual(m.kind, "grounded")
        self.assertEqual(m.schema().T.tolist(), m.T.tolist())

    def test_bind(self):
        # The same ring with other symbols: 5 for the three, 2 for the one.
        other = Room([5, 5, 5, 2], [[1, 2, 3, 0], [3, 0, 1, 2]],
                     actions=["on", "back"])
        w = cscg.walk(other, 60, seed=3)
        b = self.model().schema().bind(w)
        self.assertEqual(b.kind, "grounded")
        self.assertGreater(b.score(w) / len(w), -0.2)
        self.assertEqual(sorted(b.E.argmax(1).tolist()), [2, 5, 5, 5])

    def test_bind_is_that_of_the_tool(self):
        schema = self.model().schema()
        w = cscg.walk(ring(), 60, seed=3)
        schema.save(self.path("s.gz"))
        w.save(self.path("w.gz"))
        tool("cscg-bind", self.path("s.gz"), "-w", self.path("w.gz"), "-o",
             self.path("b.gz"))
        np.testing.assert_allclose(CSCG.load(self.path("b.gz")).E,
                                   schema.bind(w).E, atol=1e-6)

    def line(self):
        """Four nodes in a row."""
        return Room([0, 0, 0, 1], [[1, 2, 3, 3], [0, 0, 1, 2]],
                    actions=["on", "back"])

    def test_match(self):
        schemas = [CSCG().fit(cscg.walk(r, 800)).schema()
                   for r in (self.line(), ring())]
        for method in ("em", "track"):
            m = cscg.match(schemas, cscg.walk(ring(), 80, seed=7),
                           method=method)
            self.assertEqual(m.index, 1)
            self.assertAlmostEqual(m.posterior.sum(), 1, 9)
        self.assertEqual(cscg.match(schemas, cscg.walk(self.line(), 80,
                                                       seed=8)).index, 0)

    def test_match_without_schemas(self):
        with self.assertRaises(ValueError):
            cscg.match([], [0])

    def test_match_by_an_unknown_method(self):
        with self.assertRaisesRegex(ValueError, "neither em nor track"):
            cscg.match([small()], [0], method="eye")

    def test_match_other_actions(self):
        with self.assertRaises(CSCGError):
            cscg.match([self.model().schema()],
                       Walk([0, 1], ["x"], actions=["x", "y"]))

    def test_switch(self):
        schemas = [CSCG().fit(cscg.walk(r, 800)).schema()
                   for r in (self.line(), ring())]
        w = cscg.walk(ring(), 100, seed=7)
        p = cscg.switch(schemas, w)
        self.assertEqual(p.shape, (100, 2))
        np.testing.assert_allclose(p.sum(1), 1, atol=1e-6)

    def test_stitch_without_frontiers(self):
        with self.assertRaisesRegex(CSCGError, "frontier"):
            cscg.stitch([self.model().schema()] * 2, cscg.walk(ring(), 50))

    def test_partition(self):
        room, kind = self.model().partition()
        self.assertEqual((len(room), room.max() + 1), (4, len(kind)))

    def test_draw(self):
        self.model().draw(self.path("m.svg"), title="a < b")
        with open(self.path("m.svg")) as f:
            text = f.read()
        tree = xml.etree.ElementTree.fromstring(text)
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(list(tree.iter(svg + "circle"))), 4)
        self.assertIn("a &lt; b", text)
        self.assertEqual(self.model()._repr_svg_().count("<circle"), 4)
        self.assertIsNone(CSCG()._repr_svg_())

    def test_draw_pdf_and_png(self):
        if not (shutil.which("rsvg-convert") or shutil.which("cairosvg")):
            with self.assertRaisesRegex(CSCGError, "rsvg-convert"):
                self.model().draw(self.path("m.pdf"))
            self.assertFalse(os.path.exists(self.path("m.pdf")))
            return
        for suffix, start in (("pdf", b"%PDF-"), ("png", b"\x89PNG")):
            self.model().draw(self.path("m." + suffix))
            with open(self.path("m." + suffix), "rb") as f:
                self.assertTrue(f.read().startswith(start))

    def test_networkx(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("no networkx")
        g = self.model().to_networkx()
        self.assertEqual((len(g), g.number_of_edges()), (4, 8))
        self.assertEqual({d["action"] for *_, d in g.edges(data=True)},
                         {"on", "back"})
        self.assertTrue(networkx.is_strongly_connected(g))


class TestKMeans(Directory):
    frames = np.array([[0, 1], [0, -1], [9, 0], [11, 0.]])

    def test_centres(self):
        km = KMeans(2).fit(self.frames)
        centres = km.cluster_centers_[np.argsort(km.cluster_centers_[:, 0])]
        np.testing.assert_allclose(centres, [[0, 0], [10, 0]])
        self.assertEqual(km.labels_[0], km.labels_[1])
        self.assertNotEqual(km.labels_[0], km.labels_[2])

    def test_predict(self):
        km = KMeans(2).fit(self.frames)
        self.assertEqual(km.predict(self.frames).tolist(),
                         km.labels_.tolist())
        self.assertEqual(KMeans(2).fit_predict(self.frames).tolist(),
                         km.labels_.tolist())

    def test_types(self):
        for kind in (np.uint8, np.float32, np.float64, np.int64):
            v = np.array([[0, 1], [0, 2], [90, 0], [99, 0]], kind)
            self.assertEqual(len(set(KMeans(2).fit(v).labels_[:2])), 1)

    def test_images(self):
        v = np.zeros((4, 2, 3), np.uint8)
        v[2:] = 200
        v[1, 0, 0] = 1
        self.assertEqual(KMeans(2).fit(v).cluster_centers_.shape, (2, 6))

    def test_file(self):
        km = KMeans(2).fit(self.frames)
        km.save(self.path("b.gz"))
        again = KMeans.load(self.path("b.gz"))
        self.assertEqual(again.predict(self.frames).tolist(),
                         km.labels_.tolist())
        self.assertEqual(again.k, 2)

    def test_too_few_frames(self):
        with self.assertRaises(CSCGError):
            KMeans(5).fit(self.frames)

    def test_nan(self):
        with self.assertRaises(CSCGError):
            KMeans(1).fit([[float("nan")]])

    def test_another_dimension(self):
        with self.assertRaises(CSCGError):
            KMeans(2).fit(self.frames).predict([[1.0]])

    def test_one_dimension(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            KMeans(2).fit([1, 2])

    def test_not_fitted(self):
        with self.assertRaisesRegex(ValueError, "not fitted"):
            KMeans(2).predict(self.frames)


if __name__ == "__main__":
    unittest.main()

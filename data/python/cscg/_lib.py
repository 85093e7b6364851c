"""The functions and structs of <cscg.h>, by ctypes.

A struct here has the fields of the struct of that name in cscg.h, in order;
tests/cli/python.t compiles their offsets against the header.
"""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Callable, Optional

INT = C.POINTER(C.c_int)
LONG = C.POINTER(C.c_long)
DOUBLE = C.POINTER(C.c_double)
BYTE = C.POINTER(C.c_ubyte)
NAMES = C.POINTER(C.c_char_p)

OK, EUSAGE, EFORMAT, ERANGE, EMISMATCH, ECUT, EREAD, EIO, ENOMEM, EPIPE, EBUG \
    = range(11)


class CSCGError(ValueError):
    """A failure of the library: its message, and its code in cscg.h."""

    def __init__(self, message: str, code: int = EUSAGE):
        super().__init__(message)
        self.code = code


class CSCGFileError(CSCGError, OSError):
    """A file that cannot be read or written."""


class err(C.Structure):
    _fields_ = [("code", C.c_int), ("msg", C.c_char * 1024),
                ("hint", C.c_char * 40)]


class alphabet(C.Structure):
    _fields_ = [("n_actions", C.c_int), ("n_symbols", C.c_int),
                ("actions", NAMES), ("symbols", NAMES)]


class room_arrays(C.Structure):
    _fields_ = [("n_nodes", C.c_int), ("symbol", INT), ("first", LONG),
                ("to", INT), ("p", DOUBLE)]


class walk_arrays(C.Structure):
    _fields_ = [("n_steps", C.c_long), ("n_episodes", C.c_int),
                ("start", LONG), ("x", INT), ("a", INT), ("z", INT),
                ("reset", BYTE)]


class room_walk_settings(C.Structure):
    _fields_ = [("steps", C.c_long), ("episodes", C.c_long),
                ("policy", C.c_char_p), ("start", C.c_int),
                ("permute", C.c_bool), ("blind", C.c_bool),
                ("seed", C.c_uint64)]


class model_arrays(C.Structure):
    _fields_ = [("kind", C.c_int), ("n_states", C.c_int),
                ("double_precision", C.c_bool), ("clone", INT),
                ("pseudocount", C.c_double), ("first", LONG), ("to", INT),
                ("count", DOUBLE), ("pi", DOUBLE), ("e_first", LONG),
                ("e_symbol", INT), ("e_p", DOUBLE)]


class em_settings(C.Structure):
    _fields_ = [("restarts", C.c_long), ("iterations", C.c_long),
                ("tolerance", C.c_double), ("pseudocount", C.c_double),
                ("jitter", C.c_double), ("seed", C.c_uint64),
                ("threads", C.c_int), ("double_precision", C.c_bool),
                ("isa", C.c_char_p)]


REPORT = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_char_p, C.c_long, C.c_long,
                     C.c_int, C.c_double)


class learn_settings(C.Structure):
    _fields_ = [("em", em_settings), ("clones", INT), ("init", C.c_void_p),
                ("learn_pi", C.c_bool), ("structure", C.c_int),
                ("untied_noise", C.c_bool), ("report", REPORT),
                ("ctx", C.c_void_p)]


class bind_settings(C.Structure):
    _fields_ = [("em", em_settings), ("tied", C.c_int), ("learn_pi", C.c_int),
                ("init", C.c_void_p)]


class track_settings(C.Structure):
    _fields_ = [("beam", C.c_int), ("jump", C.c_double),
                ("rebind", C.c_double), ("slip", C.c_double)]


ROW = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_long, C.c_long, DOUBLE, DOUBLE,
                  C.POINTER(err))


class match_settings(C.Structure):
    _fields_ = [("method", C.c_int), ("bind", bind_settings),
                ("track", track_settings), ("every", C.c_long), ("row", ROW),
                ("ctx", C.c_void_p)]


class switch_settings(C.Structure):
    _fields_ = [("em", em_settings), ("jump", C.c_double),
                ("min_visited", C.c_double), ("online", C.c_bool),
                ("memory", C.c_long)]


class stitch_settings(C.Structure):
    _fields_ = [("bind", em_settings), ("learn", em_settings),
                ("boundary", C.c_bool), ("self_loop", C.c_double),
                ("prior_weight", C.c_double), ("reset_rounds", C.c_long),
                ("viterbi_rounds", C.c_int)]


class partition_settings(C.Structure):
    _fields_ = [("max_conductance", C.c_double), ("max_cut_ratio", C.c_double),
                ("min_size", C.c_long), ("min_prob", C.c_double)]


class plan_settings(C.Structure):
    _fields_ = [("goal", C.c_int), ("goal_number", C.c_int),
                ("start", C.c_int), ("confidence", C.c_double),
                ("best", C.c_bool), ("max_steps", C.c_long),
                ("smooth", C.c_double), ("seed", C.c_uint64)]


class plan(C.Structure):
    _fields_ = [("n", C.c_long), ("a", INT), ("z", INT), ("p", DOUBLE),
                ("success", C.c_double)]


class kmeans_settings(C.Structure):
    _fields_ = [("k", C.c_int), ("restarts", C.c_long),
                ("iterations", C.c_long), ("tolerance", C.c_double),
                ("mixture", C.c_bool), ("seed", C.c_uint64),
                ("threads", C.c_int)]


class table_settings(C.Structure):
    _fields_ = [("x", C.c_char_p), ("a", C.c_char_p), ("episode", NAMES),
                ("n_episode", C.c_int), ("missing", NAMES),
                ("n_missing", C.c_int), ("see", NAMES), ("n_see", C.c_int),
                ("time", C.c_char_p), ("delimiter", C.c_char),
                ("no_header", C.c_bool), ("bin", C.c_char_p * 2),
                ("cell", C.c_double * 2), ("grid", C.c_int * 2),
                ("quantile", C.c_int), ("y_down", C.c_bool),
                ("min_likelihood", C.c_double), ("thin", C.c_long),
                ("thin_time", C.c_double), ("moves", C.c_bool),
                ("actions", C.c_int), ("gap", C.c_double),
                ("episode_gap", C.c_double), ("episode_length", C.c_long),
                ("xy", C.c_char_p)]


#: Structs by their name in cscg.h, for the test of their layout.
STRUCTS = {"cscg_" + s.__name__: s for s in (
    err, alphabet, room_arrays, walk_arrays, room_walk_settings, model_arrays,
    em_settings, learn_settings, bind_settings, track_settings,
    match_settings, switch_settings, stitch_settings, partition_settings,
    plan_settings, plan, kmeans_settings, table_settings)}

P, E = C.c_void_p, C.POINTER(err)
R = C.POINTER
# The result and the arguments of each function, without the error at the end
# where its name is in FAILS.
FUNCTIONS = {
    "version": (C.c_char_p, []),
    "room_read_file": (P, [C.c_char_p]),
    "walk_read": (P, [NAMES, C.c_int]),
    "model_read_file": (P, [C.c_char_p]),
    "codebook_read_file": (P, [C.c_char_p]),
    "room_write_file": (C.c_int, [P, C.c_char_p]),
    "walk_write_file": (C.c_int, [P, C.c_char_p]),
    "model_write_file": (C.c_int, [P, C.c_char_p]),
    "codebook_write_file": (C.c_int, [P, C.c_char_p]),
    "room_free": (None, [P]),
    "walk_free": (None, [P]),
    "model_free": (None, [P]),
    "codebook_free": (None, [P]),
    "room_from_arrays": (P, [R(alphabet), R(room_arrays)]),
    "room_get_arrays": (None, [P, R(room_arrays)]),
    "room_alphabet": (alphabet, [P]),
    "walk_from_arrays": (P, [R(alphabet), R(walk_arrays)]),
    "walk_get_arrays": (None, [P, R(walk_arrays)]),
    "walk_alphabet": (alphabet, [P]),
    "table_defaults": (table_settings, []),
    "walk_read_table": (P, [NAMES, C.c_int, R(table_settings)]),
    "room_walk_defaults": (room_walk_settings, []),
    "room_walk": (P, [R(P), C.c_int, R(room_walk_settings)]),
    "model_from_arrays": (P, [R(alphabet), R(model_arrays)]),
    "model_get_arrays": (None, [P, R(model_arrays)]),
    "model_alphabet": (alphabet, [P]),
    "model_get_T": (None, [P, DOUBLE]),
    "model_get_E": (C.c_int, [P, DOUBLE]),
    "model_copy": (P, [P]),
    "model_unground": (None, [P, C.c_int]),
    "model_draw": (C.c_int, [P, C.c_char_p, C.c_char_p, C.c_double]),
    "model_loglik": (C.c_int, [P, P, DOUBLE, DOUBLE]),
    "model_predict": (C.c_int, [P, P, DOUBLE]),
    "model_viterbi": (C.c_int, [P, P, INT, DOUBLE]),
    "model_posterior": (C.c_int, [P, P, C.c_int, DOUBLE]),
    "model_sample": (P, [P, C.c_long, C.c_uint64]),
    "learn_defaults": (learn_settings, []),
    "model_learn": (P, [P, R(learn_settings), DOUBLE]),
    "bind_defaults": (bind_settings, []),
    "model_bind": (P, [P, P, R(bind_settings), DOUBLE]),
    "track_defaults": (track_settings, []),
    "tracker_new": (P, [P, R(alphabet), R(track_settings)]),
    "tracker_observe": (C.c_int, [P, C.c_int, C.c_int]),
    "tracker_loglik": (C.c_double, [P]),
    "tracker_state": (C.c_int, [P]),
    "tracker_get_belief": (None, [P, DOUBLE]),
    "tracker_free": (None, [P]),
    "match_defaults": (match_settings, []),
    "match_models": (C.c_int, [R(P), C.c_int, P, R(match_settings), DOUBLE]),
    "switch_defaults": (switch_settings, []),
    "switch_models": (C.c_int, [R(P), C.c_int, P, R(switch_settings), DOUBLE,
                                DOUBLE]),
    "stitch_defaults": (stitch_settings, []),
    "model_stitch": (P, [R(P), C.c_int, P, R(stitch_settings), R(INT)]),
    "partition_defaults": (partition_settings, []),
    "model_partition": (P, [P, R(partition_settings)]),
    "partition_n_rooms": (C.c_int, [P]),
    "partition_room_of": (INT, [P]),
    "partition_class_of": (INT, [P]),
    "partition_free": (None, [P]),
    "plan_defaults": (plan_settings, []),
    "model_plan": (C.c_int, [P, P, R(plan_settings), R(plan), DOUBLE]),
    "plan_free": (None, [R(plan)]),
    "kmeans_defaults": (kmeans_settings, []),
    "codebook_fit": (P, [C.c_int, C.c_void_p, C.c_long, C.c_long,
                         R(kmeans_settings), INT]),
    "codebook_encode": (C.c_int, [P, C.c_int, C.c_void_p, C.c_long, C.c_long,
                                  C.c_int, INT]),
    "codebook_centroids": (DOUBLE, [P, INT, LONG]),
}
FAILS = {name for name in FUNCTIONS if not name.endswith(
    ("_free", "_defaults", "_get_arrays", "_alphabet", "_get_T", "_loglik",
     "_state", "_get_belief", "_n_rooms", "_room_of", "_class_of",
     "_centroids", "_unground"))} - {"version"} | {"model_loglik"}


def find_library() -> str:
    """The path of the library: $CSCG_LIBRARY, beside this file, or installed."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "libcscg.so")
    if os.environ.get("CSCG_LIBRARY"):
        return os.environ["CSCG_LIBRARY"]
    return beside if os.path.exists(beside) else "libcscg.so.2"


def fail(e: err) -> None:
    """Raise the error that the library reports."""
    message = e.msg.decode("utf-8", "replace")
    if e.code == ENOMEM:
        raise MemoryError(message)
    kind = CSCGFileError if e.code in (EREAD, EIO, EPIPE) else CSCGError
    raise kind(message, e.code)


class Library:
    """The functions as attributes, without "cscg_"; failures are raised."""

    def __init__(self, path: Optional[str] = None):
        self._dll = C.CDLL(path or find_library())
        for name, (result, arguments) in FUNCTIONS.items():
            f = getattr(self._dll, "cscg_" + name)
            f.restype = result
            f.argtypes = arguments + ([E] if name in FAILS else [])
            setattr(self, name, self._checked(f) if name in FAILS else f)

    @staticmethod
    def _checked(f: Any) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            e = err()
            result = f(*arguments, C.byref(e))
            if result is None or (f.restype is C.c_int and result < 0):
                fail(e)
            return result
        return call

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


lib = Library()
version = lib.version().decode()

"""Learn latent graphs from actions and aliased observations.

A thin layer over libcscg; see cscg-python(7).
"""

from ._lib import CSCGError, CSCGFileError, version as __version__
from ._model import CSCG, Fields, KMeans, Match, Plan, Tracker, match, \
    stitch, switch
from ._walk import Room, Walk, read_table, walk

__all__ = ["CSCG", "CSCGError", "CSCGFileError", "Fields", "KMeans", "Match",
           "Plan", "Room", "Tracker", "Walk", "match", "read_table", "stitch",
           "switch", "walk", "__version__"]

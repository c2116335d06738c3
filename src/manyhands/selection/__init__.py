"""Which model to believe, judged by answers that were hidden from it: no truth is needed.

`select` compares, `Selection` is what comes out, `heldout_scorer` is the same idea for scikit-learn's searches.
"""

from .scorer import heldout_scorer
from .select import select
from .selection import Selection

__all__ = ["Selection", "heldout_scorer", "select"]

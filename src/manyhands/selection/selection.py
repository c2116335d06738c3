"""A comparison of methods without truth: figures, the pick, why, and what all say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..annotations import Annotations
from ..annotations.ragged import segment_index
from ..errors import ParameterError
from ..results import NoEvidence, Result
from ..results.posterior import Posterior
from .candidates import Candidate
from .judged import Judged
from .truths import figures_of
from .verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Everything", "Selection"]


class Everything(NamedTuple):
    """What was given: all labels and features, how to make each method, and which tasks were judged."""

    labels: Annotations
    X: Any
    made: dict[str, Candidate]
    chosen: np.ndarray | None


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Methods judged by votes that were hidden from them, likeliest first.

    methods: a row each. verdict: the pick, why, and whether to trust one. stack: what is believed by the
    mixture of methods. folds, votes: what was hidden (folds of those asked for). sample: tasks that were judged,
    of all. failed: why a method is missing.

    >>> import manyhands as mh
    >>> crowd = mh.simulate("confusion", n_tasks=200, n_annotators=10, seed=0)
    >>> chosen = mh.select(crowd.labels, methods=["majority", "dawid-skene-map"])
    >>> chosen.pick, chosen.methods[0].name, len(chosen.consensus())
    ('dawid-skene-map', 'dawid-skene-map', 200)
    """

    methods: tuple[Judged, ...]
    verdict: Verdict
    by: str
    folds: tuple[int, int]
    votes: int
    sample: tuple[int, int]
    failed: dict[str, str]
    labels: Annotations  # those judged
    stack: Posterior
    posteriors: dict[str, Posterior]
    models: dict[str, Any]
    everything: Everything
    stack_truth: dict[str, float] = field(default_factory=dict)

    @property
    def pick(self) -> str:
        """The name of the method to take."""
        return self.verdict.pick

    @property
    def why(self) -> str:
        """One sentence for the pick, one on whether it is to be trusted."""
        return f"{self.pick}: {self.verdict.why}. {self.verdict.advice}"

    @property
    def trust(self) -> bool:
        """False where leading methods disagree more than they say they err."""
        return self.verdict.trust

    @cached_property
    def pick_(self) -> Any:
        """The picked estimator, fitted on everything."""
        if self.sample[0] == self.sample[1]:
            return self.models[self.pick]
        return self.everything.made[self.pick].fit(self.everything.labels, self.everything.X)

    def table(self) -> pl.DataFrame:
        """A row a method, likeliest first."""
        import polars as pl

        return pl.DataFrame([row.to_dict() for row in self.methods], infer_schema_length=None)

    def consensus(self, cost: Any = None) -> pl.DataFrame:
        """What the stack decides of the tasks that were judged: task, label, confidence (or sd), n."""
        return self.stacked_result().consensus(cost)

    def stacked_result(self) -> Result:
        """The stack's beliefs as a result; it weighs methods, not votes."""
        weights = {row.name: row.weight for row in self.methods}
        return Result("stack", self.labels, self.stack, NoEvidence("soft"), {"weights": weights})

    def disputed(self, among: Sequence[str] | None = None) -> pl.DataFrame:
        """The tasks where leading methods differ: what each says, the least sure first; know the truth of some.

        among: other methods than the leading ones.
        """
        from .disputes import disputes

        names = list(self.verdict.leaders if among is None else among)
        unknown = [name for name in names if name not in self.posteriors]
        if unknown:
            raise ParameterError(
                f"among={unknown!r}: the methods that were judged are {', '.join(self.posteriors)}"
            )
        return disputes(self.labels, {name: self.posteriors[name] for name in names}, self.stacked_result())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        v = self.verdict
        return {
            "methods": [row.to_dict() for row in self.methods],
            "pick": v.pick, "why": self.why, "trust": v.trust, "disagreement": v.disagreement, "rival": v.rival,
            "leaders": list(v.leaders), "judged_by": self.by, "votes": self.votes,
            "folds": self.folds[0], "folds_asked": self.folds[1],
            "tasks": self.sample[0], "tasks_of": self.sample[1],
            "stack": self.stack_truth, "notes": list(self.notes), "failed": dict(self.failed),
        }  # fmt: skip

    def __repr__(self) -> str:
        names = ", ".join(f"{row.name} {row.heldout_log_likelihood:.4f}" for row in self.methods[:3])
        return f"Selection(pick={self.pick!r}, trust={self.trust}, {len(self.methods)} methods: {names} ...)"

    @property
    def notes(self) -> tuple[str, ...]:
        """What else to know: what was sampled, what stopped early, what failed."""
        (tasks, of), (folds, asked) = self.sample, self.folds
        said = (
            (
                tasks < of,
                f"judged on {tasks} tasks of {of}, drawn at random: annotators have fewer answers there than in all, which "
                f"favours methods that learn little of each; max_answers (--max-answers) takes more",
            ),
            (folds < asked, f"time was up after {folds} of {asked} folds: all methods were judged on these"),
            *((True, f"{name} is missing: {why}") for name, why in self.failed.items()),
        )
        return tuple(words for holds, words in said if holds)

    def scored(self, codes: np.ndarray) -> Selection:
        """The same, with figures against known truths: codes (or numbers) of all units of the whole table."""
        known = codes if self.everything.chosen is None else codes[self._units()]
        figures = {name: figures_of(p, known, self.labels) for name, p in self.posteriors.items()}
        rows = tuple(replace(row, truth=figures[row.name]) for row in self.methods)
        return replace(self, methods=rows, stack_truth=figures_of(self.stack, known, self.labels))

    def _units(self) -> np.ndarray:
        """The units of the tasks that were judged."""
        assert self.everything.chosen is not None
        return segment_index(self.everything.labels.unit_offsets, self.everything.chosen)[0]

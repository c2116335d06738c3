"""A result: everything that was learnt from a table of labels, frozen, without the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import Annotations, Names
from ..channels.votes import NumberVotes, Votes, number_votes, votes_of
from ..errors import ParameterError, UnsupportedError
from .dirichlet_evidence import DirichletEvidence, Interval, check_level
from .evidence import Evidence
from .posterior import ClassPosterior, NumberPosterior, Posterior

if TYPE_CHECKING:
    import polars as pl

    from .explanation import Explanation

__all__ = ["Result"]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The truths as believed, how each annotator did, and how the fit went.

    method: the catalogue's name; settings: its parameters.
    posterior: what is believed of each unit.
    evidence: what one vote says, as the method sees it.
    history: one dictionary an EM step or an epoch, plain data.

    >>> import manyhands as mh
    >>> labels = mh.Annotations.from_dict({"t1": {"ann": "x", "bob": "y", "cid": "x"}, "t2": {"bob": "y"}})
    >>> mh.MajorityVote().fit(labels).result_.consensus()["label"].to_list()
    ['x', 'y']
    """

    method: str
    labels: Annotations
    posterior: Posterior
    evidence: Evidence
    settings: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    converged: bool = True

    # --- truths ------------------------------------------------------------------------------

    @property
    def classes(self) -> Names:
        """What the truth of one unit may be."""
        return self.labels.unit_classes

    def consensus(self, cost: Any = None, level: float = 0.95) -> pl.DataFrame:
        """task, label, confidence, n: the truth of each task as believed.

        For numbers `sd` stands for confidence, with the interval `low` to `high` that holds the truth
        with the chance `level`. A task of several units (tags, sets) has the mean
        of their confidences. A task that nobody answered has no label.

        cost: None for the likeliest label; for ordered classes "absolute" (the median of what is
            believed) or "squared" (the class nearest to its mean); or a matrix [decision, truth]. Then
            the label is the one of least `expected_cost`, a column of its own.
        """
        from .tables import consensus

        return consensus(self, cost, level)

    def tasks(self, cost: Any = None) -> pl.DataFrame:
        """The consensus with agreement, entropy and, where the method knows it, difficulty."""
        from .tables import tasks

        return tasks(self, cost)

    def explain(self, task: Any, position: int | None = None) -> Explanation:
        """Who said what on a task, at what weight, and why it has the label it has.

        position: which token or label, for tasks of several units; by default the one in most
        doubt.
        """
        from .explanation import explain

        return explain(self, task, position)

    def spans(self) -> pl.DataFrame:
        """task, start, end, type, confidence: the spans that tags such as B-PER, I-PER, O say."""
        from .span_tables import spans

        return spans(self)

    def disputed_spans(self) -> pl.DataFrame:
        """The spans that some annotators marked and others, who read the same words, did not.

        task, start, end, type; n_gave of n_read marked it; chance: that it is there and ends there; believed:
        whether it is among `spans()`; gave, others: who. Those about which most pairs of annotators
        disagree come first, of equals those whose chance is nearest to a half.

        >>> import manyhands as mh
        >>> labels = mh.Annotations.from_dict({"s": {"ann": ["B-X", "I-X"], "bob": ["B-X", "O"], "cid": ["B-X", "O"]}})
        >>> found = mh.MajorityVote().fit(labels).result_.disputed_spans()
        >>> found.select("start", "end", "n_gave", "n_read", "believed", "gave").rows()
        [(0, 1, 2, 3, True, ['bob', 'cid']), (0, 2, 1, 3, False, ['ann'])]
        """
        from .disputed_spans import disputed_spans

        return disputed_spans(self)

    # --- annotators ----------------------------------------------------------------------------

    def annotators(self, level: float = 0.95) -> pl.DataFrame:
        """A row an annotator: n, accuracy with a credible interval, spammer score, bias ...

        Of numbers: bias (low to high), and about it the deviation sd and the precision 1 / sd^2; and the
        scale, how much a number grows with the truth; each with its interval.
        """
        from .annotator_table import annotator_table

        return annotator_table(self, level)

    def confusion(self, annotator: Any) -> np.ndarray:
        """p(label | truth) of one annotator, [truth, label]: the model's, or from expected counts."""
        code = self.annotator_code(annotator)
        learnt = getattr(self.evidence, "confusion", None)
        if learnt is not None:
            return np.asarray(learnt(code))
        counts = self.counts[code]
        total = counts.sum(axis=1, keepdims=True)
        return np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)

    def confusion_interval(self, annotator: Any, level: float = 0.95) -> Interval:
        """Credible intervals of `confusion`, low and high, [truth, label] each; of a method that has beliefs."""
        return self._beliefs().confusion_interval(self.annotator_code(annotator), check_level(level))

    def class_interval(self, level: float = 0.95) -> Interval:
        """Credible intervals of the classes' shares, low and high; of a method that has beliefs."""
        return self._beliefs().class_interval(check_level(level))

    def copying(self, level: float = 0.95, min_shared: int = 10, seed: int = 0) -> pl.DataFrame:
        """A row a pair of annotators who share so many units, the most suspicious first.

        one, two, shared, same (said the same), expected (would say the same, by what each knows of the
        truth and by all other votes), copied with its interval (low, high), and q. `copied` is the share of
        one's labels that are the other's, by likelihood: two who err alike copy, two who are right
        alike need not. q is the share of false alarms to expect among this pair and those above it,
        against what most pairs here do: tasks that are hard for all raise no suspicion. Of tables
        in which pairs meet more than 12 million times, annotators are drawn (seed).

        >>> import manyhands as mh
        >>> crowd = mh.simulate("copying", n_tasks=300, n_annotators=8, n_classes=4, redundancy=8, seed=0)
        >>> pairs = mh.DawidSkene(shared=10.0).fit(crowd.labels).result_.copying()
        >>> pairs.filter(pairs["q"] <= 0.05).select("one", "two").rows()
        [('a3', 'a7'), ('a1', 'a4')]
        """
        from .copying import copying_table

        return copying_table(self, level, min_shared, seed)

    def drift(self, when: str | None = None, level: float = 0.95) -> pl.DataFrame:
        """A row an annotator: accuracy (of numbers: bias) early and late, the change with its interval, and q.

        when: the column alongside that says when each answer was given: numbers, dates, or text like
            2026-11-19 14:05; by default the one whose name says so (`timestamp`, `created_at` ...).

        Early and late are the first and the second half of each one's own answers, with what the others did
        on the same tasks allowed for. The change is late less early, and (of five annotators or more) less what
        the middle annotator changed by: tasks that grow harder for all are nobody's drift. Fewer than 20
        answers are too few to say: change and q are null. q is the share of false alarms to expect
        among this annotator and those who changed as clearly.

        >>> import manyhands as mh
        >>> answers = mh.simulate("confusion", n_tasks=100, n_annotators=5, seed=0).frame().with_row_index("order")
        >>> labels = mh.Annotations.from_frame(answers, columns=["order"])
        >>> found = mh.DawidSkene(shared=10.0).fit(labels).result_.drift("order")
        >>> found.columns, found["q"].min() > 0.05
        (['annotator', 'n', 'early', 'late', 'change', 'low', 'high', 'q'], True)
        """
        from .drift import drift_table

        return drift_table(self, when, level)

    @cached_property
    def counts(self) -> np.ndarray:
        """Expected counts [annotators, truth, label]: what each annotator said of which truth."""
        self._need_classes("counts of labels")
        from .counts import expected_counts

        return expected_counts(self.votes, self.chances)

    def annotator_code(self, annotator: Any) -> int:
        """The place of an annotator in the table."""
        return _code(self.labels.annotators, annotator, "annotator")

    def task_code(self, task: Any) -> int:
        """The place of a task in the table."""
        return _code(self.labels.tasks, task, "task")

    # --- numbers behind it -----------------------------------------------------------------------

    @property
    def chances(self) -> np.ndarray:
        """The posterior of classes, [units, classes]."""
        if isinstance(self.posterior, ClassPosterior):
            return self.posterior.chances
        raise UnsupportedError(f"{self.method} on numbers has no chances of classes; see consensus()")

    @cached_property
    def best(self) -> np.ndarray:
        """The class of every unit: the likeliest; of tags, as sequences that may be."""
        from .decoding import legal_tags

        self._need_classes("classes")
        legal = legal_tags(self.chances, self.labels)
        return self.posterior.best() if legal is None else legal  # type: ignore[union-attr]

    @property
    def numbers(self) -> NumberPosterior:
        """The posterior of numbers."""
        if isinstance(self.posterior, NumberPosterior):
            return self.posterior
        raise UnsupportedError(f"{self.method} on classes has no numbers; see consensus()")

    @property
    def uses_truth(self) -> bool:
        """Whether known truths were taken as certain."""
        return bool(self.settings.get("use_truth", False))

    @property
    def abstention(self) -> str:
        """Whether abstentions were ignored or told something."""
        return str(self.settings.get("abstention", "ignore"))

    @cached_property
    def votes(self) -> Votes:
        """The votes behind it."""
        return votes_of(self.labels, self.abstention)

    def infer(self, labels: Annotations) -> Result:
        """The truths of other tasks by these annotators, without learning from them.

        Annotators are matched by name; one that was not fitted counts as an average one. Known
        truths are certain where the method takes them (`use_truth`), as in the fit.
        """
        self._check_alike(labels)
        codes = self.labels.annotators.codes(labels.annotators)
        votes: Votes | NumberVotes
        votes = number_votes(labels) if labels.kind == "number" else votes_of(labels, self.abstention)
        evidence = self.evidence.adapt(codes, votes)
        posterior = evidence.infer(votes)
        if labels.truth is not None and self.uses_truth:
            posterior = posterior.given(labels.truth)
        return replace(self, labels=labels, posterior=posterior, evidence=evidence, history=[])

    def save(self, path: str | Path) -> Path:
        """Write it to a folder of JSON and safetensors; open it with `manyhands.load`."""
        from .saving import save_result

        return save_result(self, path)

    def to_dict(self) -> dict[str, Any]:
        """The figures of the fit as plain data."""
        last = self.history[-1].get("objective") if self.history else None
        return {
            "method": self.method,
            "settings": self.settings,
            "tasks": self.labels.n_tasks,
            "annotators": self.labels.n_annotators,
            "answers": self.labels.n_answers,
            "iterations": len(self.history),
            "objective": last,
            "converged": self.converged,
        }

    def __repr__(self) -> str:
        return f"Result(method={self.method!r}, {self.labels!r})"

    def _beliefs(self) -> DirichletEvidence:
        if isinstance(self.evidence, DirichletEvidence):
            return self.evidence
        raise UnsupportedError(
            f"{self.method} has point estimates, no beliefs about chances: use ibcc; accuracies have intervals in annotators()"
        )

    def _check_alike(self, labels: Annotations) -> None:
        if labels.kind != self.labels.kind:
            raise ParameterError(f"fitted on kind={self.labels.kind!r}, given kind={labels.kind!r}")
        if labels.classes != self.labels.classes:
            ours, theirs = self.labels.classes, labels.classes
            raise ParameterError(
                f"fitted on classes {ours and ours.to_list()}, given {theirs and theirs.to_list()}: build the "
                f"new table with classes= those that were fitted"
            )

    def _need_classes(self, what: str) -> None:
        if isinstance(self.posterior, NumberPosterior):
            raise UnsupportedError(f"there are no {what} for numbers; see annotators()")


def _code(names: Names, value: Any, what: str) -> int:
    code = int(names.codes([value])[0])
    if code < 0:
        raise ParameterError(f"there is no {what} {value!r}; the first are {names.to_list()[:3]!r}")
    return code

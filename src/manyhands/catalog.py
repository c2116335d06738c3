"""Every model once: name, class, paper, kinds of label. Feeds the command, the docs and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .errors import ParameterError

__all__ = ["CLASSIFIERS", "METHODS", "Method", "default_method", "method", "methods_for"]

CLASSES = ("class", "ordinal", "tags", "set", "soft")
ONE_TRUTH = ("class", "ordinal", "soft")
HARD = ("class", "ordinal", "tags", "set")
NUMBERS = ("number",)
ORDERED = ("ordinal",)
TAGS = ("tags",)


@dataclass(frozen=True)
class Method:
    """One line of the catalogue; the class is loaded when it is made."""

    name: str
    class_name: str
    paper: str
    kinds: tuple[str, ...]
    says: str
    settings: tuple[tuple[str, Any], ...] = ()
    needs_features: bool = False

    def make(self, **parameters: Any) -> Any:
        """The estimator, with these parameters; those that it does not know are an error."""
        cls = getattr(import_module(".models", __package__), self.class_name)
        try:
            return cls(**(dict(self.settings) | parameters))
        except TypeError as error:
            known = ", ".join(sorted(cls().get_params()))
            raise ParameterError(f"{self.name}: {error}; its parameters are {known}") from None


# Without features: everything here fits a table alone, and the command and the contract tests rely on it.
METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("majority", "MajorityVote", "-", CLASSES, "shares of votes"),
        Method("majority-hard", "MajorityVote", "-", CLASSES, "the winner takes all", (("voting", "hard"),)),
        Method("wawa", "Wawa", "Appen, before 2010", CLASSES, "majority weighted by agreement with it"),
        Method("dawid-skene", "DawidSkene", "Dawid & Skene 1979", CLASSES, "a confusion matrix an annotator"),
        Method("dawid-skene-map", "DawidSkene", "Dawid & Skene 1979", CLASSES, "the same, borrowing from the crowd", (("shared", 10.0),)),
        Method("ordinal-dawid-skene", "OrdinalDawidSkene", "Samejima 1969, Dawid & Skene 1979", ORDERED, "thresholds on one scale; three numbers an annotator"),
        Method("one-coin", "OneCoin", "Dawid & Skene 1979", CLASSES, "one accuracy an annotator"),
        Method("glad", "GLAD", "Whitehill et al. 2009", HARD, "ability x easiness of the task"),
        Method("mace", "MACE", "Hovy et al. 2013", CLASSES, "knowledge or spam"),
        Method("ibcc", "IBCC", "Kim & Ghahramani 2012", CLASSES, "Dawid-Skene by Bayes, with intervals that cover"),
        Method("ebcc", "EBCC", "Li et al. 2019", CLASSES, "classes have subtypes, on which annotators err together"),
        Method("common-noise", "CommonNoise", "Chu et al. 2021", CLASSES, "noise that annotators share, and their own"),
        Method("hmm-crowd", "HMMCrowd", "Nguyen et al. 2017", TAGS, "confusion matrices on tokens, truths a Markov chain"),
        Method("bsc", "BSC", "Simpson & Gurevych 2019", TAGS, "the same, and annotators remember their tag before"),
        Method("mean", "Mean", "-", NUMBERS, "the mean"),
        Method("median", "Median", "-", NUMBERS, "the median"),
        Method("precision-weighted", "PrecisionWeighted", "Raykar et al. 2010", NUMBERS, "a bias and a precision an annotator"),
    )
}  # fmt: skip


# With features: fit(X, labels).
CLASSIFIERS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("crowd-classifier", "CrowdClassifier", "-", ONE_TRUTH, "any network, channel and objective", needs_features=True),
        Method("crowd-layer", "CrowdLayer", "Rodrigues & Pereira 2018", ONE_TRUTH, "a layer an annotator after the network's softmax", needs_features=True),
        Method("speelfc", "SpeeLFC", "Chen et al. 2020", ONE_TRUTH, "a network and confusion matrices, end to end", needs_features=True),
        Method("speelfc-d", "SpeeLFCD", "Chen et al. 2020", ONE_TRUTH, "ability x easiness, read off the features", needs_features=True),
        Method("lia", "LIA", "Platanios et al. 2020", ONE_TRUTH, "difficulty by competence, new annotators by features", needs_features=True),
        Method("deep-em", "DeepEM", "Raykar et al. 2010; AggNet: Albarqouni et al. 2016", ONE_TRUTH, "a network and confusion matrices by EM", needs_features=True),
        Method("cmm", "CMM", "Mena & Nanculef 2019", ONE_TRUTH, "groups of annotations, whoever gave them", needs_features=True),
        Method("conal", "CoNAL", "Chu et al. 2021", ONE_TRUTH, "noise that annotators share, and their own", needs_features=True),
        Method("doctor-net", "DoctorNet", "Guan et al. 2018", ONE_TRUTH, "a head an annotator; the heads vote", needs_features=True),
        Method("doctor-net-mean", "DoctorNet", "Guan et al. 2018", ONE_TRUTH, "the same, by the mean of the heads", (("vote", "mean"),), needs_features=True),
        Method("weighted-doctor-net", "WeightedDoctorNet", "Guan et al. 2018", ONE_TRUTH, "the same, with a say an annotator, learnt last", needs_features=True),
        Method("personal", "PersonalClassifiers", "Kajino et al. 2012", ONE_TRUTH, "a regression an annotator about a common one; convex", needs_features=True),
        Method("personal-gp", "PersonalGP", "Kajino et al. 2012; Atarashi et al. 2018", ONE_TRUTH, "the same, by Gaussian processes", needs_features=True),
        Method("semi-lfc", "SemiLFC", "Atarashi et al. 2018", ONE_TRUTH, "a generative model: unlabelled tasks teach too", needs_features=True),
        Method("max-mig", "MaxMIG", "Cao et al. 2019", ONE_TRUTH, "what network and labels have in common", needs_features=True),
        Method("trace-regularised", "TraceRegularised", "Tanno et al. 2019", ONE_TRUTH, "confusion matrices of the least trace", needs_features=True),
        Method("raykar", "Raykar", "Raykar et al. 2010", ONE_TRUTH, "logistic regression and the annotators' rates by EM", needs_features=True),
        Method("raykar-prior", "Raykar", "Raykar et al. 2010", ONE_TRUTH, "the same, with a Beta prior on the rates", (("sensitivity", (5.0, 2.0)),), needs_features=True),
        Method("ma-lr", "MALR", "Rodrigues et al. 2013", ONE_TRUTH, "annotators in earnest or at random", needs_features=True),
        Method("two-stage", "TwoStage", "-", ONE_TRUTH, "aggregate first, then train a network", needs_features=True),
    )
}  # fmt: skip


def method(name: str) -> Method:
    """The line of that name.

    >>> method("glad").class_name
    'GLAD'
    """
    every = METHODS | CLASSIFIERS
    if name not in every:
        import difflib

        close = difflib.get_close_matches(name, every, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ParameterError(f"there is no method {name!r}{hint} The methods are {', '.join(every)}")
    return every[name]


def methods_for(kind: str, features: bool = False) -> list[Method]:
    """The methods that take labels of this kind; with features, those that take these too."""
    return [m for m in (CLASSIFIERS if features else METHODS).values() if kind in m.kinds]


def default_method(kind: str) -> Method:
    """The method of `aggregate` where none is named; docs/methods.md says why."""
    return METHODS["precision-weighted" if kind == "number" else "dawid-skene-map"]

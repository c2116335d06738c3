"""Every model once: name, class, paper, kinds of label. Feeds the command, the docs and the tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from .errors import ParameterError
from .models.variants import VARIANTS

__all__ = [
    "CLASSIFIERS",
    "METHODS",
    "REGRESSORS",
    "TAGGERS",
    "TRAINED",
    "Method",
    "default_method",
    "method",
    "methods_for",
]

CLASSES = ("class", "ordinal", "tags", "set", "soft")
ONE_TRUTH = ("class", "ordinal", "soft")
ANY_CLASSES = ("class", "ordinal", "soft", "set")
SETS = ("set",)
HARD = ("class", "ordinal", "tags", "set")
NUMBERS = ("number",)
FIRST = "two-stage:"  # then the name of the aggregator
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
        Method("majority-hard", "MajorityVote", "-", CLASSES, "the winner takes all", VARIANTS["majority-hard"].settings),
        Method("majority-threshold", "ThresholdVote", "-", HARD, "yes from a share of votes that held-out votes choose"),
        Method("wawa", "Wawa", "Appen, before 2010", CLASSES, "majority weighted by agreement with it"),
        Method("dawid-skene", "DawidSkene", "Dawid & Skene 1979", CLASSES, "a confusion matrix an annotator"),
        Method("dawid-skene-map", "DawidSkene", "Dawid & Skene 1979", CLASSES, "the same, borrowing from the crowd", VARIANTS["dawid-skene-map"].settings),
        Method("ordinal-dawid-skene", "OrdinalDawidSkene", "Samejima 1969, Dawid & Skene 1979", ORDERED, "thresholds on one scale; three numbers an annotator"),
        Method("one-coin", "OneCoin", "Dawid & Skene 1979", CLASSES, "one accuracy an annotator"),
        Method("glad", "GLAD", "Whitehill et al. 2009", HARD, "ability x easiness of the task"),
        Method("mace", "MACE", "Hovy et al. 2013", CLASSES, "knowledge or spam"),
        Method("ibcc", "IBCC", "Kim & Ghahramani 2012", CLASSES, "Dawid-Skene by Bayes, with intervals that cover"),
        Method("ebcc", "EBCC", "Li et al. 2019", CLASSES, "classes have subtypes, on which annotators err together"),
        Method("common-noise", "CommonNoise", "Chu et al. 2021", CLASSES, "noise that annotators share, and their own"),
        Method("mmce", "MMCE", "Zhou et al. 2015", CLASSES, "confusions of annotators and of tasks, added"),
        Method("kos", "KOS", "Karger et al. 2011", CLASSES, "messages between tasks and annotators"),
        Method("label-model", "LabelModel", "Snorkel MeTaL: Ratner et al. 2019", CLASSES, "accuracies from who agrees with whom"),
        Method("zencrowd", "ZenCrowd", "Demartini et al. 2012", CLASSES, "one coin with a prior, classes held even"),
        Method("clustered-annotators", "ClusteredAnnotators", "Imamura et al. 2018", CLASSES, "annotators in groups that share a matrix"),
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
        Method("crowd-classifier", "CrowdClassifier", "-", ANY_CLASSES, "any network, channel and objective", needs_features=True),
        Method("crowd-layer", "CrowdLayer", "Rodrigues & Pereira 2018", ANY_CLASSES, "a layer an annotator after the network's softmax", needs_features=True),
        Method("speelfc", "SpeeLFC", "Chen et al. 2020", ANY_CLASSES, "a network and confusion matrices, end to end", needs_features=True),
        Method("speelfc-d", "SpeeLFCD", "Chen et al. 2020", ANY_CLASSES, "ability x easiness, read off the features", needs_features=True),
        Method("lia", "LIA", "Platanios et al. 2020", ONE_TRUTH, "difficulty by competence, new annotators by features", needs_features=True),
        Method("lia-ml", "LIAML", "Platanios et al. 2020", SETS, "the same for sets: labels share what is learnt", needs_features=True),
        Method("deep-em", "DeepEM", "Raykar et al. 2010; AggNet: Albarqouni et al. 2016", ANY_CLASSES, "a network and confusion matrices by EM", needs_features=True),
        Method("cmm", "CMM", "Mena & Nanculef 2019", ANY_CLASSES, "groups of annotations, whoever gave them", needs_features=True),
        Method("conal", "CoNAL", "Chu et al. 2021", ANY_CLASSES, "noise that annotators share, and their own", needs_features=True),
        Method("doctor-net", "DoctorNet", "Guan et al. 2018", ANY_CLASSES, "a head an annotator; the heads vote", needs_features=True),
        Method("doctor-net-mean", "DoctorNet", "Guan et al. 2018", ANY_CLASSES, "the same, by the mean of the heads", (("vote", "mean"),), needs_features=True),
        Method("weighted-doctor-net", "WeightedDoctorNet", "Guan et al. 2018", ANY_CLASSES, "the same, with a say an annotator, learnt last", needs_features=True),
        Method("personal", "PersonalClassifiers", "Kajino et al. 2012", ANY_CLASSES, "a regression an annotator about a common one; convex", needs_features=True),
        Method("personal-gp", "PersonalGP", "Kajino et al. 2012; Atarashi et al. 2018", ANY_CLASSES, "the same, by Gaussian processes", needs_features=True),
        Method("semi-lfc", "SemiLFC", "Atarashi et al. 2018", ANY_CLASSES, "a generative model: unlabelled tasks teach too", needs_features=True),
        Method("max-mig", "MaxMIG", "Cao et al. 2019", ANY_CLASSES, "what network and labels have in common", needs_features=True),
        Method("trace-regularised", "TraceRegularised", "Tanno et al. 2019", ANY_CLASSES, "confusion matrices of the least trace", needs_features=True),
        Method("raykar", "Raykar", "Raykar et al. 2010", ANY_CLASSES, "logistic regression and the annotators' rates by EM", needs_features=True),
        Method("raykar-prior", "Raykar", "Raykar et al. 2010", ANY_CLASSES, "the same, with a Beta prior on the rates", (("sensitivity", (5.0, 2.0)),), needs_features=True),
        Method("ma-lr", "MALR", "Rodrigues et al. 2013", ANY_CLASSES, "annotators in earnest or at random", needs_features=True),
        Method("two-stage", "TwoStage", "-", ANY_CLASSES, "aggregate first, then train a network", needs_features=True),
    )
}  # fmt: skip

# The same for numbers.
REGRESSORS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("crowd-regressor", "CrowdRegressor", "-", NUMBERS, "any network; a bias and a precision an annotator", needs_features=True),
        Method("crowd-layer-regressor", "CrowdLayerRegressor", "Rodrigues & Pereira 2018", NUMBERS, "a bias or a scale an annotator after the network's number", needs_features=True),
        Method("deep-em-regressor", "DeepEMRegressor", "Raykar et al. 2010", NUMBERS, "a network and a precision an annotator by EM", needs_features=True),
        Method("doctor-net-regressor", "DoctorNetRegressor", "Guan et al. 2018", NUMBERS, "a head an annotator; their mean", needs_features=True),
        Method("weighted-doctor-net-regressor", "WeightedDoctorNetRegressor", "Guan et al. 2018", NUMBERS, "the same, with a bias or a say each, learnt last", needs_features=True),
        Method("two-stage-regressor", "TwoStageRegressor", "-", NUMBERS, "aggregate first, then train a network", needs_features=True),
    )
}  # fmt: skip

# The same for sentences: fit(lists of words, labels).
TAGGERS: dict[str, Method] = {
    m.name: m
    for m in (
        Method("crowd-tagger", "CrowdTagger", "-", TAGS, "any network of words, channel and objective", needs_features=True),
        Method("chained-tagger", "CrowdTagger", "-", TAGS, "the same, and the truth of a sentence is one: a chain over its tags", (("chain", True), ("objective", "joint")), needs_features=True),
        Method("crowd-layer-tagger", "CrowdLayerTagger", "Rodrigues & Pereira 2018", TAGS, "a layer an annotator after a tagger's softmax", needs_features=True),
        Method("crf-ma", "CRFMA", "Rodrigues et al. 2014", TAGS, "a random field; one annotator's sequence is right", needs_features=True),
        Method("doctor-net-tagger", "DoctorNetTagger", "Guan et al. 2018", TAGS, "a head an annotator on a tagger; the heads vote", needs_features=True),
        Method("weighted-doctor-net-tagger", "WeightedDoctorNetTagger", "Guan et al. 2018", TAGS, "the same, with a say an annotator, learnt last", needs_features=True),
    )
}  # fmt: skip

TRAINED: dict[str, Method] = CLASSIFIERS | REGRESSORS | TAGGERS


def method(name: str) -> Method:
    """The line of that name; "two-stage:NAME" aggregates by NAME first.

    >>> method("glad").class_name
    'GLAD'
    >>> method("two-stage:glad").make().aggregator
    'glad'
    """
    every = METHODS | TRAINED
    if name.startswith(FIRST):
        return _two_stage(name)
    if name not in every:
        import difflib

        close = difflib.get_close_matches(name, every, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ParameterError(f"there is no method {name!r}{hint} The methods are {', '.join(every)}")
    return every[name]


def _two_stage(name: str) -> Method:
    """TwoStage by an aggregator of the catalogue; it keeps its name, whatever is set beside."""
    first = METHODS.get(name.removeprefix(FIRST))
    if first is None or "class" not in first.kinds:
        fitting = ", ".join(m.name for m in METHODS.values() if "class" in m.kinds)
        raise ParameterError(f"there is no method {name!r}: after {FIRST!r} comes one of {fitting}")
    return replace(CLASSIFIERS["two-stage"], name=name, settings=(("aggregator", first.name),))


def methods_for(kind: str, features: bool = False) -> list[Method]:
    """The methods that take labels of this kind; with features, those that take these too."""
    return [m for m in (TRAINED if features else METHODS).values() if kind in m.kinds]


def default_method(kind: str, features: bool = False) -> Method:
    """The method of `aggregate`, or of `train`, where none is named; docs/methods.md says why."""
    if features:
        return TRAINED[{"number": "crowd-regressor", "tags": "crowd-tagger"}.get(kind, "crowd-classifier")]
    return METHODS["precision-weighted" if kind == "number" else "dawid-skene-map"]

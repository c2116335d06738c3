"""Figures about a crowd and its result: agreement, accuracy, calibration, confusion."""

from .agreement import agreement
from .alpha import krippendorff_alpha
from .calibration import expected_calibration_error, reliability_table
from .chance import fleiss_kappa, gwet_ac1, observed_agreement
from .classification import accuracy, brier_score, distance, log_loss
from .cohen import cohen_kappa, mean_cohen_kappa
from .confusion import annotator_accuracy, annotator_confusions, js_divergence, spammer_score
from .correlation import mean_correlation
from .figures import Agreement, Figure
from .regression import Closeness, regression
from .sets import SetScores, set_scores
from .spans import SpanScores, span_scores
from .vote_threshold import VoteThreshold, vote_threshold

__all__ = [
    "Agreement",
    "Closeness",
    "Figure",
    "SetScores",
    "SpanScores",
    "VoteThreshold",
    "accuracy",
    "agreement",
    "annotator_accuracy",
    "annotator_confusions",
    "brier_score",
    "cohen_kappa",
    "distance",
    "expected_calibration_error",
    "fleiss_kappa",
    "gwet_ac1",
    "js_divergence",
    "krippendorff_alpha",
    "log_loss",
    "mean_cohen_kappa",
    "mean_correlation",
    "observed_agreement",
    "regression",
    "reliability_table",
    "set_scores",
    "spammer_score",
    "span_scores",
    "vote_threshold",
]

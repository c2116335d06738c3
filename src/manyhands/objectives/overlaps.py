"""How well accuracies explain which answers occur together: the second moments of a crowd."""

from __future__ import annotations

import numpy as np

from ..channels.fellow_answers import FellowAnswers

__all__ = ["Overlaps", "accuracy_rows"]

COLUMNS = 64  # summed over units at a time


class Overlaps:
    r"""$\sum_{a, b} n_{ab} \|\hat C_{ab} - T_a^\top P T_b\|^2$ over pairs of annotators that met $n_{ab}$ times, to a constant.

    $T_a[k, l] = \alpha_{ak}$ where l = k, else $(1 - \alpha_{ak}) / (K - 1)$; P is the classes' prior. Opened, the
    square asks for no pair by itself: the part with $\hat C$ is a sum over answers of what the
    others said, the rest one over answers of whom they met. It is the Brier score of foretelling two answers.
    """

    def __init__(self, fellows: FellowAnswers, prior: np.ndarray):
        self.fellows, self.prior = fellows, prior
        others = (fellows.weight[:, None] - fellows.shares) / max(fellows.n_classes - 1, 1)
        self._others, self._gain = others, fellows.shares - others

    def __call__(self, accuracy: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss, and its gradient, at accuracies [annotators, classes]."""
        fellows, p = self.fellows, self.prior
        chance = self._others + accuracy[fellows.annotator] * self._gain
        said = fellows.of_others(chance)
        gram, slopes = grams(accuracy)
        met = self._met(gram)
        loss = -(p * chance * said).sum() + 0.5 * np.einsum("k,m,jkm,jkm", p, p, gram, met)
        pull = np.einsum("m,jkm,jkm->jk", p, slopes, met)
        slope = 2 * p * (pull - fellows.per_annotator(self._gain * said))
        return float(loss), slope

    def steepness(self, typical: np.ndarray, meetings: float = 0.0) -> np.ndarray:
        """The curvature along each accuracy where all are `typical`, [annotators, classes], of loss and `near`."""
        told = self.fellows.weight[:, None]
        met = self.fellows.per_annotator(self.fellows.of_others(told) * told) + meetings
        k = len(typical)
        own: np.ndarray = np.einsum("kk->k", grams(typical[None])[0][0]) * k / max(k - 1, 1)
        return 2 * met * self.prior**2 * own

    def _met(self, gram: np.ndarray) -> np.ndarray:
        """The sum over whom each annotator met, some columns at a time: there are as many as units in each."""
        flat = gram.reshape(len(gram), gram.shape[1] ** 2)
        parts = [self.fellows.of_met(flat[:, c : c + COLUMNS]) for c in range(0, flat.shape[1], COLUMNS)]
        return np.concatenate(parts, axis=1).reshape(gram.shape)

    def near(self, typical: np.ndarray, meetings: float, accuracy: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss of as many meetings, of each annotator, with one who answers as foretold if all were `typical`."""
        gram, _ = grams(typical[None])
        k = len(typical)
        apart = np.eye(k) * k / max(k - 1, 1) - (1 - np.eye(k)) * k / max(k - 1, 1) ** 2
        metric = meetings * np.outer(self.prior, self.prior) * apart * gram[0]
        away = accuracy - typical
        return float((away @ metric * away).sum()), 2 * away @ metric


def grams(accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""$\langle T[k], T[m] \rangle$ and $\langle \partial T[k] / \partial \alpha_k, T[m] \rangle$, [annotators, k, m]."""
    k = accuracy.shape[1]
    wrong = (1 - accuracy) / max(k - 1, 1)
    right_wrong = accuracy[:, :, None] * wrong[:, None, :]
    gram = right_wrong + right_wrong.transpose(0, 2, 1) + (k - 2) * wrong[:, :, None] * wrong[:, None, :]
    slopes = np.repeat((k * wrong - 1)[:, None, :] / max(k - 1, 1), k, axis=1)
    own = np.arange(k)
    gram[:, own, own] = accuracy**2 + (k - 1) * wrong**2
    slopes[:, own, own] = accuracy - wrong
    return gram, slopes


def accuracy_rows(accuracy: np.ndarray) -> np.ndarray:
    """T of accuracies [annotators, classes] as [annotators, labels, classes].

    >>> accuracy_rows(np.array([[0.8, 0.6, 0.9]]))[0].round(2).tolist()
    [[0.8, 0.2, 0.05], [0.1, 0.6, 0.05], [0.1, 0.2, 0.9]]
    """
    k = accuracy.shape[1]
    wrong = (1 - accuracy) / max(k - 1, 1)
    own = np.eye(k, dtype=bool)
    rows: np.ndarray = np.where(own, accuracy[:, None, :], wrong[:, None, :])
    return rows

"""What one vote says where annotators' and tasks' confusions add up (MMCE)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..channels.votes import Votes
from .posterior import ClassPosterior

__all__ = ["AdditiveEvidence"]


@dataclass(frozen=True, eq=False)
class AdditiveEvidence:
    """sigma: [annotators, classes, labels]; tau: [pairs, labels]; pair: unit * classes + class of each.

    penalties: alpha and beta. log_truth: the classes' log prior.
    """

    name: ClassVar[str] = "additive"
    sigma: np.ndarray
    tau: np.ndarray
    pair: np.ndarray
    log_truth: np.ndarray
    penalties: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> AdditiveEvidence:
        """Annotators as fitted (the unseen as they are on average); tasks learnt from the votes."""
        from ..training import run_em

        mean = self.sigma.mean(axis=0) if len(self.sigma) else np.zeros(self.sigma.shape[1:])
        sigma = np.concatenate([self.sigma, mean[None]])[codes]
        problem = self._problem(votes, sigma)
        run = run_em(problem, max_iter=500, tol=1e-10, accelerate=True)
        return replace(self, sigma=sigma, tau=run.params.channel.tau.numpy(), pair=problem.index.code)

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step with the tasks' confusions that are here."""
        import torch

        from ..channels.additive import AdditiveParams
        from ..objectives import MinimaxParams

        sigma, tau = torch.from_numpy(self.sigma), torch.from_numpy(self.tau)
        channel = AdditiveParams(sigma, tau, sigma.new_zeros(sigma.shape[2]))
        params = MinimaxParams(torch.from_numpy(self.log_truth), channel)
        return ClassPosterior(self._problem(votes, self.sigma).expect(params)[0].numpy())

    def _problem(self, votes: Votes, sigma: np.ndarray) -> Any:
        import torch

        from ..channels import Additive
        from ..objectives import AdditiveEM

        log_truth = torch.from_numpy(self.log_truth)
        return AdditiveEM(votes, Additive(*self.penalties.tolist()), log_truth, sigma=torch.from_numpy(sigma))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """Log T of that annotator on that task, at the label."""
        logits = self.sigma[annotator].copy()
        first, end = np.searchsorted(self.pair, [unit * n_classes, (unit + 1) * n_classes])
        logits[self.pair[first:end] % max(n_classes, 1)] += self.tau[first:end]
        log_rows: np.ndarray = _log_softmax(logits)[:, label]
        return log_rows

    def columns(self) -> dict[str, np.ndarray]:
        """None: the confusion matrices are asked for by themselves."""
        return {}

    def confusion(self, annotator: int) -> np.ndarray:
        """T[k, l] of one annotator on a task that confuses nobody."""
        return np.exp(_log_softmax(self.sigma[annotator]))


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    logits = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    shifted: np.ndarray = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return shifted

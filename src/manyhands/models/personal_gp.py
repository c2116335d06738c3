"""Personal classifiers with Gaussian processes in place of logistic regressions (PC-GP)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from ..annotations import Annotations
from ..channels import Personal, Sizes, Votes
from ..channels.counting import shares
from ..networks import build_network
from ..networks.kernel import Kernel
from ..training.callbacks import Callback
from .checks import check_integer, check_number
from .personal import PersonalClassifiers

__all__ = ["PersonalGP"]

LOOKED_AT = 200  # tasks that the kernel's length is chosen on


class PersonalGP(PersonalClassifiers):
    r"""$p(l | x, j) = \mathrm{softmax}(g_0(x) + u_j(x))_l$, $g_0 \sim GP(0, k / \eta)$, $u_j \sim GP(0, k / \lambda)$.

    PC-GP of the tables of Atarashi et al. (2018), after Kajino, Tsuboi and Kashima, AAAI 2012: the
    personal classifiers bend. It is the mode of one Gaussian process over tasks and annotators, with
    the kernel $k(x, x') (1/\eta + [j = j'] / \lambda)$, $k = \exp(-\|x - x'\|^2 / 2 s^2)$, on `n_points` tasks
    that stand for all (all, where there are no more), and so convex. For few features and few
    thousand tasks at most.

    length_scale: s, in deviations of the features; None is that of scikit-learn's
        GaussianProcessClassifier of the majority, by its marginal likelihood on up to 200 tasks.
    shrinkage, weight_decay: lambda, eta. The rest are those of `PersonalClassifiers`.

    >>> from manyhands import PersonalGP, simulate
    >>> crowd = simulate("confusion", n_tasks=100, n_annotators=5, n_classes=2, n_features=2, seed=0)
    >>> model = PersonalGP(n_points=50).fit(crowd.features, crowd.labels)
    >>> model.predict_proba(crowd.features).shape
    (100, 2)
    """

    name: ClassVar[str] = "personal-gp"

    def __init__(
        self,
        *,
        shrinkage: float = 1.0,
        n_points: int = 300,
        length_scale: float | None = None,
        epochs: int = 50,
        weight_decay: float = 1.0,
        abstention: str = "ignore",
        use_truth: bool = True,
        device: str = "cpu",
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            shrinkage=shrinkage, epochs=epochs, weight_decay=weight_decay, abstention=abstention,
            use_truth=use_truth, device=device, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.n_points, self.length_scale = n_points, length_scale

    def _channel(self) -> Personal:
        return Personal(self.shrinkage, intercept=False)

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        sizes = Sizes(labels.n_annotators, votes.n_labels, votes.n_classes, self.n_points, labels.n_units)
        length = self.length_scale
        if length is None and len(sample) > 1:
            length = _likeliest_length(sample, votes)
        network: Any = build_network(Kernel(self.n_points, length), sample, labels.n_classes)
        channel = self._channel().build(sizes)
        channel.lift = network[0]
        return network, channel

    def _width(self, sample: torch.Tensor) -> int:
        return self.n_points

    def _check(self) -> None:
        check_integer(self, n_points=2)
        if self.length_scale is not None:
            check_number(self, length_scale=1e-9)
        super()._check()


def _likeliest_length(sample: torch.Tensor, votes: Votes) -> float | None:
    """By the marginal likelihood of a Gaussian process of the majority; None where that cannot be had."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    told = np.unique(votes.unit)
    if len(sample) != votes.n_units:  # of very many tasks the sample holds every so many
        return None
    chosen = told[np.linspace(0, len(told) - 1, min(len(told), LOOKED_AT)).astype(int)]
    label = shares(votes)[chosen].argmax(axis=1)
    if len(np.unique(label)) < 2:
        return None
    x = sample.double().numpy()
    x = ((x - x.mean(axis=0)) / np.where(x.std(axis=0) > 1e-6, x.std(axis=0), 1.0))[chosen]
    start = max(float(np.median(np.linalg.norm(x[:, None] - x[None], axis=2))), 1e-3)
    kernel = ConstantKernel(1.0, (1e-2, 1e4)) * RBF(start, (start / 30, start * 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = GaussianProcessClassifier(kernel).fit(x, label).base_estimator_
    each = getattr(fitted, "estimators_", [fitted])
    return float(np.exp(np.mean([np.log(one.kernel_.k2.length_scale) for one in each])))

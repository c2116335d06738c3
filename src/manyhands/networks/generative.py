"""A classifier with a model of the features behind it: what unlabelled tasks can teach (Kingma et al., 2014)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .standardize import Standardize

__all__ = ["Generative"]


class Generative(nn.Module):
    r"""The truth and a hidden h make x: $h \sim N(0, I)$, $x \sim N(m(z, h), s^2)$; $q(z | x)$ is the classifier.

    classifier: f, logits of the classes. latent: the length of h. hidden: the width of m and of the
        encoder $q(h | x, z) = N(a(x, z), b(x, z)^2)$, of one ReLU layer each. s is learnt, one a feature.
    """

    def __init__(self, classifier: nn.Module, n_features: int, n_classes: int, latent: int, hidden: int):
        super().__init__()
        if not n_features:
            raise ParameterError("a generative model needs features as one vector a task")
        self.classifier, self.scale = classifier, Standardize(n_features)
        self.n_classes, self.latent = n_classes, latent
        self.encoder = _two_layers(n_features + n_classes, hidden, 2 * latent)
        self.decoder = _two_layers(latent + n_classes, hidden, n_features)
        self.log_deviation = nn.Parameter(torch.zeros(n_features))

    def forward(self, features: Tensor) -> Tensor:
        """The classifier's logits."""
        logits: Tensor = self.classifier(features)
        return logits

    def evidence(self, features: Tensor) -> Tensor:
        r"""$E_q \log p(x | z, h) - KL(q(h | x, z) \| p(h))$ of every class z, [tasks, classes]; one h is drawn."""
        x = self.scale(features)
        n, k = len(x), self.n_classes
        truth = torch.eye(k, device=x.device).repeat(n, 1)
        every = x.repeat_interleave(k, dim=0)
        mean, log_spread = self.encoder(torch.cat([every, truth], dim=1)).chunk(2, dim=1)
        h = mean + log_spread.exp() * torch.randn_like(mean)
        away = (every - self.decoder(torch.cat([h, truth], dim=1))) / self.log_deviation.exp()
        fit = (
            -0.5 * (away**2).sum(dim=1) - self.log_deviation.sum() - 0.5 * math.log(2 * math.pi) * x.shape[1]
        )
        divergence = 0.5 * (mean**2 + (2 * log_spread).exp() - 1).sum(dim=1) - log_spread.sum(dim=1)
        return (fit - divergence).view(n, k)


def _two_layers(n_in: int, hidden: int, n_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, n_out))

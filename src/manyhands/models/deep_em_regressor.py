"""Truth, annotators and network in turn, by EM, for numbers: Raykar et al. (2010), DL-EM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import Gaussian
from ..training.callbacks import Callback
from .checks import check_flag, check_number
from .regressor import CrowdRegressor

__all__ = ["DeepEMRegressor"]


class DeepEMRegressor(CrowdRegressor):
    r"""E: the normal posterior of $z_i$ from $\mu(x_i)$ and the answers. M: $1 / \lambda_j$, the network on it.

    Raykar et al., *Learning from crowds*, JMLR 2010, with `network="linear"`; the Crowd Layer paper's
    DL-EM with a deep one: $p(l_n | z) = N(z, 1 / \lambda_j)$, in closed form, one round an epoch. The
    truth's own spread about the network is learnt as well, so each answer weighs as it should against
    the network's word. For the published fixed point, where answers of one task are as good as answers
    of several, use `CrowdRegressor(channel=Gaussian(bias=False, strength=0), objective="marginal")`.

    bias, scale: let annotators have those too, which the papers do not.
    strength: how many ordinary answers stand behind each precision before any.
    The rest are those of `CrowdRegressor`.

    >>> from manyhands import DeepEMRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=8, bias=0.0, scale=(1.0, 1.0), seed=0)
    >>> model = DeepEMRegressor("linear", epochs=5, learning_rate=1e-2).fit(crowd.truth[:, None], crowd.labels)
    >>> [round(float(v)) for v in model.channel_.everyone().scale]
    [1, 1, 1, 1, 1, 1, 1, 1]
    """

    name: ClassVar[str] = "deep-em-regressor"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        bias: bool = False,
        scale: bool = False,
        strength: float = 2.0,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        epochs_a_round: int = 1,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        use_truth: bool = True,
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, None, "em", calibration_fraction=calibration_fraction, epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=None, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, epochs_a_round=epochs_a_round, average=average,
            input_dropout=input_dropout, validation_fraction=validation_fraction, patience=patience,
            use_truth=use_truth, device=device, mixed_precision=mixed_precision, random_state=random_state,
            callbacks=callbacks, checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.bias, self.scale, self.strength = bias, scale, strength

    def _channel(self) -> Gaussian:
        return Gaussian(strength=self.strength, bias=self.bias, scale=self.scale)

    def _check(self) -> None:
        check_flag(self, "bias", "scale")
        check_number(self, strength=0)
        super()._check()

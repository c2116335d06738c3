"""Crowd Layer for numbers: from the network's number to each annotator's (Rodrigues and Pereira, 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..channels import NumberLayer
from ..training.callbacks import Callback
from .regressor import CrowdRegressor

__all__ = ["CrowdLayerRegressor"]


class CrowdLayerRegressor(CrowdRegressor):
    r"""$l_n \approx F_j(\mu(x))$ by squared error; prediction is $\mu(x)$, without the layer.

    Rodrigues and Pereira, *Deep learning from crowds*, AAAI 2018. Every annotator counts alike, however
    careless, and answers to one task count as if to several: `CrowdRegressor` weighs both.

    variant: F is "B" $\mu + b_j$, the paper's best; "S" $s_j \mu$; "S+B" both.
    centred: hold the means of b and s over all votes at 0 and 1. As published (False) a constant, and a
        factor, move freely between layer and network.
    epochs, batch_size: the published code has 100 and 128 for reviews.
    The rest are those of `CrowdRegressor`. `channel_.everyone()` is the layer, in deviations of the answers.

    >>> from manyhands import CrowdLayerRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=5, seed=0)
    >>> model = CrowdLayerRegressor("linear", epochs=5).fit(crowd.truth[:, None], crowd.labels)
    >>> model.channel_.everyone().bias.shape
    torch.Size([5])
    """

    name: ClassVar[str] = "crowd-layer-regressor"

    def __init__(
        self,
        network: Any = "mlp",
        variant: str = "B",
        *,
        centred: bool = True,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        majority_epochs: int = 0,
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
            network, None, "marginal", calibration_fraction=calibration_fraction, epochs=epochs,
            batch_size=batch_size, learning_rate=learning_rate, channel_learning_rate=channel_learning_rate,
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, majority_epochs=majority_epochs,
            average=average, input_dropout=input_dropout, validation_fraction=validation_fraction,
            patience=patience, use_truth=use_truth, device=device, mixed_precision=mixed_precision,
            random_state=random_state, callbacks=callbacks, checkpoint=checkpoint,
            checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.variant, self.centred = variant, centred

    def _channel(self) -> NumberLayer:
        return NumberLayer(self.variant, self.centred)

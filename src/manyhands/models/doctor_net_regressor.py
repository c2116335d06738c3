"""Doctor Net for numbers: every annotator is learnt, and the mean of all is the truth (Guan et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from ..annotations import Annotations
from ..channels import Sizes, Votes
from ..channels.number_heads import SAYS, NumberHeads
from ..networks import build_network
from ..networks.body import body_of
from ..training.callbacks import Callback
from ..training.features import Features
from ..training.learner import Learner
from ..training.portraits import NumberHeadsLearner
from .checks import check_choice, check_integer, check_number
from .regressor import CrowdRegressor

__all__ = ["DoctorNetRegressor", "WeightedDoctorNetRegressor"]


class DoctorNetRegressor(CrowdRegressor):
    r"""$l_n \approx H_j h(x)$: a linear head an annotator, by squared error; the truth is the heads' mean.

    Guan et al., AAAI 2018, as the Crowd Layer paper extends it to numbers. For few annotators, each with
    answers enough for a head.

    network: its last linear layer gives way to the heads. A module of your own must be an
        `nn.Sequential` that ends in one.
    Known truths are not used: no head is theirs. The rest are those of `CrowdRegressor`.

    >>> from manyhands import DoctorNetRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=5, seed=0)
    >>> model = DoctorNetRegressor(epochs=5).fit(crowd.truth[:, None], crowd.labels)
    >>> model.predict(crowd.truth[:, None]).shape
    (300,)
    """

    name: ClassVar[str] = "doctor-net-regressor"

    def __init__(
        self,
        network: Any = "mlp",
        *,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
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
            weight_decay=weight_decay, optimizer=optimizer, schedule=schedule, average=average,
            input_dropout=input_dropout, validation_fraction=validation_fraction, patience=patience,
            device=device, mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume, use_truth=False,
        )  # fmt: skip

    def _channel(self) -> NumberHeads:
        return NumberHeads()

    def _loop(self, network: Any) -> type[Learner]:
        return NumberHeadsLearner

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        body, width = body_of(build_network(self.network, sample, votes.n_classes))
        sizes = Sizes(labels.n_annotators, votes.n_labels, votes.n_classes, width, labels.n_units)
        return body, self._channel().build(sizes)


class WeightedDoctorNetRegressor(DoctorNetRegressor):
    r"""`DoctorNetRegressor` whose mean is learnt last, the heads being fixed.

    With a bias $c_j$ and a weight $w_j$ each, $\sum_{j \ne j_n} w_j (p_j(x) + c_j) / \sum_{j \ne j_n} w_j$
    foretells every answer from the others' heads, by squared error.

    averaging: "bias", which the Crowd Layer paper found best; "weight", or "both".
    averaging_epochs, averaging_rate: how long it is learnt, by Adam.
    The rest are those of `DoctorNetRegressor`. After fit, `channel_.weights()` is w.

    >>> from manyhands import WeightedDoctorNetRegressor, simulate
    >>> crowd = simulate("numbers", n_tasks=300, n_annotators=5, seed=0)
    >>> model = WeightedDoctorNetRegressor(epochs=5, averaging_epochs=5).fit(crowd.truth[:, None], crowd.labels)
    >>> round(float(model.channel_.weights().sum()), 3)
    1.0
    """

    name: ClassVar[str] = "weighted-doctor-net-regressor"

    def __init__(
        self,
        network: Any = "mlp",
        averaging: str = "bias",
        *,
        averaging_epochs: int = 20,
        averaging_rate: float = 0.05,
        calibration_fraction: float = 0.2,
        epochs: int = 50,
        batch_size: int | str = 64,
        learning_rate: float = 1e-3,
        channel_learning_rate: float | None = None,
        weight_decay: float = 0.0,
        optimizer: str = "adam",
        schedule: str | None = None,
        average: int = 0,
        input_dropout: float | str = 0.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        device: str = "cpu",
        mixed_precision: bool = False,
        random_state: int | None = 0,
        callbacks: Sequence[Callback] = (),
        checkpoint: Any = None,
        checkpoint_every: int = 1,
        resume: bool = False,
    ):
        super().__init__(
            network, calibration_fraction=calibration_fraction, epochs=epochs, batch_size=batch_size,
            learning_rate=learning_rate, channel_learning_rate=channel_learning_rate, weight_decay=weight_decay,
            optimizer=optimizer, schedule=schedule, average=average, input_dropout=input_dropout,
            validation_fraction=validation_fraction, patience=patience, device=device,
            mixed_precision=mixed_precision, random_state=random_state, callbacks=callbacks,
            checkpoint=checkpoint, checkpoint_every=checkpoint_every, resume=resume,
        )  # fmt: skip
        self.averaging, self.averaging_epochs, self.averaging_rate = (
            averaging,
            averaging_epochs,
            averaging_rate,
        )

    def _channel(self) -> NumberHeads:
        return NumberHeads(self.averaging)

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner: Any = super()._learner(features, labels, weight)
        learner.averaging_epochs, learner.averaging_rate = self.averaging_epochs, self.averaging_rate
        return learner

    def _check(self) -> None:
        check_choice(self, averaging=SAYS)
        check_integer(self, averaging_epochs=1)
        check_number(self, averaging_rate=0)
        super()._check()

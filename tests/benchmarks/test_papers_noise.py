"""What CMM's and CoNAL's tables stand on, against hand calculation and counts that are known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from benchmarks.papers.anonymous_labels import pooled, unnamed
from benchmarks.papers.common_noise import SWEEPS, SYSTEMS, curves
from benchmarks.papers.crowds import featured
from benchmarks.papers.growing_crowds import digits, gaussians
from benchmarks.papers.more_parameters import TwoLayers
from benchmarks.papers.restarts import likeliest, log_likelihood
from benchmarks.papers.summary import page
from benchmarks.papers.table import Cell, Table
from benchmarks.papers.validation import ByEpoch
from benchmarks.real_crowds import data_folder

from manyhands import CMM, DeepEM, simulate
from manyhands.channels import Sizes
from manyhands.channels.batch import Batch
from manyhands.metrics import annotator_confusions


def crowd(n: int = 60):  # type: ignore[no-untyped-def]
    return simulate("groups", n_tasks=n, n_annotators=8, redundancy=3, n_classes=3, n_features=4, seed=0)


def test_likelihoods_are_those_of_the_formulas() -> None:
    made = crowd()
    unit, annotator, said = (np.asarray(column) for column in made.labels.rows)
    cmm = CMM("linear", epochs=2).fit(made.features, made.labels)
    f, b = cmm.predict_proba(made.features), cmm.channel_.overall_confusion().numpy()
    assert log_likelihood(cmm) == pytest.approx(np.log((f @ b)[unit, said]).sum(), rel=1e-5)

    em = DeepEM("linear", epochs=2).fit(made.features, made.labels)
    f, matrices = em.predict_proba(made.features), em.channel_.confusions().numpy()
    joint = f.copy()
    for i, j, m in zip(unit, annotator, said, strict=True):
        joint[i] *= matrices[j, :, m]
    assert log_likelihood(em) == pytest.approx(np.log(joint.sum(axis=1)).sum(), rel=1e-5)


def test_the_likeliest_start_is_kept() -> None:
    made = crowd()

    def one(seed: int) -> CMM:
        return CMM("linear", epochs=2, random_state=seed)

    best = likeliest(one, made.features, made.labels, 2, 3)
    found = [log_likelihood(one(seed).fit(made.features, made.labels)) for seed in (6, 7, 8)]
    assert log_likelihood(best) == max(found)


def test_cmm_needs_no_names() -> None:
    made = crowd()
    told, untold = (
        CMM("linear", epochs=3).fit(made.features, t) for t in (made.labels, unnamed(made.labels))
    )
    assert untold.labels_.n_annotators == made.labels.n_answers
    np.testing.assert_allclose(
        told.predict_proba(made.features), untold.predict_proba(made.features), atol=1e-5
    )
    np.testing.assert_allclose(
        pooled(told.channel_, made.labels), pooled(untold.channel_, unnamed(made.labels)), atol=1e-5
    )


def test_growing_crowds_are_of_the_papers_sizes() -> None:
    data = gaussians(10_000, 3)
    assert (len(data.x), len(data.test_x), data.labels.n_annotators) == (2250, 750, 10_000)
    assert data.labels.n_answers / 2250 == pytest.approx(5, abs=0.2)
    far = np.linalg.norm(data.x - np.array([[-0.5, 0], [0.5, 0], [0, 0.5]])[data.truth], axis=1)
    assert np.sqrt((far**2).mean() / 2) == pytest.approx(0.2, abs=0.01)
    few = digits(10, 0)
    assert few.x.shape == (1348, 64)
    assert few.labels.n_answers / 1348 == pytest.approx(3, abs=0.2)


@pytest.mark.parametrize("between", [True, False])
def test_two_layers_are_two_products(between: bool) -> None:
    module = TwoLayers(between).build(Sizes(2, 3, 3))
    assert module.matrix is not None
    assert module.second.matrix is not None
    with torch.no_grad():
        for table in (module.matrix, module.second.matrix):
            table.weight.add_(torch.randn_like(table.weight))
    f = torch.tensor([[0.2, 0.3, 0.5]])
    batch = Batch(
        torch.tensor([0, 0]), torch.tensor([0, 1]), torch.tensor([2, 1]), None, torch.tensor([0]), None
    )
    first, second = (t.weight.view(2, 3, 3) for t in (module.matrix, module.second.matrix))
    for n, (j, label) in enumerate([(0, 2), (1, 1)]):
        inner = f[0] @ first[j]
        said = torch.softmax((torch.softmax(inner, 0) if between else inner) @ second[j], 0)[label]
        assert module.log_label(f.log(), batch)[n].exp().item() == pytest.approx(said.item(), rel=1e-5)


def test_the_epoch_that_validation_prefers() -> None:
    made = crowd()
    part = (np.asarray(made.features), made.truth)
    seen = ByEpoch(part, part)
    model = CMM("linear", epochs=3, callbacks=[seen]).fit(made.features, made.labels)
    assert seen.seen[-1][1] == (model.predict(made.features) == made.truth).mean()
    seen.seen = [[0.5, 0.1], [0.7, 0.2], [0.7, 0.9]]
    assert seen.best == 0.2


def test_a_page_across_has_a_row_each_data() -> None:
    class Kept:
        def of(self, data: str, system: str) -> dict[int, dict[str, float]]:
            return (
                {0: {"accuracy": 0.5, "seconds": 1.0}, 1: {"accuracy": 0.7, "seconds": 1.0}}
                if data == "a"
                else {}
            )

    cells = tuple(
        Cell(d, s, lambda seed, quick: {}, {"accuracy": 0.9} if s == "ours" else {})
        for d in "ab"
        for s in ("ours", "truth")
    )
    text = page(Table("t", "A", cells, ("accuracy",), "nothing", across="accuracy"), Kept())  # type: ignore[arg-type]
    assert "| data | ours | truth | seeds |" in text
    assert "| a | .6000 ± .1000 (.9000) | .6000 ± .1000 | 2 |" in text
    assert "| b |" not in text


def test_curves_have_a_point_for_each_place_of_a_sweep() -> None:
    rows = [
        {"data": str(n), "system": s, "metric": "accuracy", "ours": "0.5"} for n in SWEEPS for s in SYSTEMS
    ]
    found = curves(rows)
    assert len({str(noise) for noise in SWEEPS}) == len(SWEEPS) == 18
    places = {(p["pattern"], p["sweep"], p["value"]) for p in found}
    assert len(places) == 2 * (5 + 5)
    assert len(found) == len(places) * len(SYSTEMS)


@pytest.mark.parametrize(
    ("name", "truth", "label", "share"),
    [("labelme", 3, 1, 36 / 59), ("labelme", 7, 4, 26 / 59), ("music-genre", 6, 9, 28 / 44), ("music-genre", 3, 7, 17 / 44)],
)  # fmt: skip
def test_mistakes_in_common_are_those_of_figure_1(name: str, truth: int, label: int, share: float) -> None:
    if data_folder() is None:
        pytest.skip("the folder of real crowds is absent")
    data = featured(name, tested="test")
    counts = annotator_confusions(data.labels, data.truth)
    assert (counts[:, truth, label] > 0).mean() == pytest.approx(share)
    assert len(data.test_truth) == (1188 if name == "labelme" else 300)

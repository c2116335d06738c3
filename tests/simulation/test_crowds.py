"""Frequencies of each crowd against what it says of itself."""

import numpy as np
import pytest
from scipy import stats

from manyhands.simulation import simulate

CONFUSED = ["confusion", "one-coin", "difficulty", "groups", "common", "spammers", "biased", "adversarial",
            "copying", "ordinal"]  # fmt: skip


def counted(made, n_classes):
    """[R, K, K] how often annotator j said l of truth k, by a plain loop."""
    counts = np.zeros((made.labels.n_annotators, n_classes, n_classes))
    rows = made.labels.rows
    for unit, j, label in zip(rows.unit.tolist(), rows.annotator.tolist(), rows.label.tolist(), strict=True):
        counts[j, made.truth[unit], label] += 1
    return counts


def assert_drawn_from(counts, probabilities, slack=0.0):
    """Every cell within 5 sigma of its row's total times its chance; nothing where it is 0."""
    totals = counts.sum(axis=-1, keepdims=True)
    sigma = np.sqrt(totals * probabilities * (1 - probabilities))
    wrong = np.abs(counts - totals * probabilities) > 5 * sigma + slack * totals + 3
    assert not wrong.any(), np.argwhere(wrong)
    assert (counts[probabilities == 0] == 0).all()


@pytest.mark.parametrize("crowd", CONFUSED)
def test_labels_follow_the_confusions(crowd):
    made = simulate(
        crowd, n_tasks=8000, n_annotators=8, n_classes=4, redundancy=4, prior=[0.4, 0.3, 0.2, 0.1]
    )
    # Means over tasks of CoNAL's gate come from a reference sample of 512 tasks a class.
    assert_drawn_from(counted(made, 4), made.confusions, slack=0.02 if crowd == "common" else 0)
    right = made.labels.answers.values == made.truth[made.labels.task]
    share = np.bincount(made.labels.annotator, right) / np.bincount(made.labels.annotator)
    assert (np.abs(share - made.accuracy) < 5 * np.sqrt(0.25 / 3500)).all()


def test_chi_square_of_a_whole_crowd():
    made = simulate("confusion", n_tasks=30_000, n_annotators=5, n_classes=5, redundancy=3)
    counts = counted(made, 5)
    expected = counts.sum(axis=-1, keepdims=True) * made.confusions
    keep = expected > 5
    statistic = ((counts - expected)[keep] ** 2 / expected[keep]).sum()
    assert stats.chi2(5 * 5 * 4).sf(statistic) > 1e-5
    assert stats.chi2(5 * 5 * 4).cdf(statistic) > 1e-5  # nor too good to be true


def test_confusion_rows_are_dirichlet_plus_diagonal():
    made = simulate("confusion", n_tasks=1, n_annotators=4000, n_classes=3, diagonal=0.4, concentration=2.0)
    rest = (made.confusions - 0.4 * np.eye(3)) / 0.6
    assert rest.min() >= -1e-12
    assert stats.kstest(rest[:, 1, 2], stats.beta(2, 4).cdf).pvalue > 1e-5


def test_one_coin_is_even():
    made = simulate("one-coin", n_tasks=1, n_annotators=3000, n_classes=3, accuracy=(0.2, 0.8))
    ability = made.parameters["ability"]
    assert stats.kstest(ability, stats.uniform(0.2, 0.6).cdf).pvalue > 1e-5
    np.testing.assert_allclose(made.confusions[:, 1, [0, 2]], np.repeat((1 - ability[:, None]) / 2, 2, 1))


def test_difficulty_is_glad():
    made = simulate("difficulty", n_tasks=20_000, n_annotators=6, n_classes=3, redundancy=6)
    a, b = made.parameters["ability"], made.parameters["easiness"]
    assert stats.kstest(np.log(b), stats.norm(1, 1).cdf).pvalue > 1e-5
    labels = made.labels
    p = 1 / (1 + np.exp(-a[labels.annotator] * b[labels.task]))
    right = labels.answers.values == made.truth[labels.task]
    for low, high in zip(np.arange(0, 1, 0.1), np.arange(0.1, 1.1, 0.1), strict=True):
        inside = (p >= low) & (p < high)
        if inside.sum() > 50:
            sigma = np.sqrt((p * (1 - p))[inside].sum())
            assert abs(right[inside].sum() - p[inside].sum()) < 5 * sigma
    shift = (labels.answers.values - made.truth[labels.task])[~right] % 3
    assert stats.binomtest(int((shift == 1).sum()), len(shift)).pvalue > 1e-5
    one = np.random.default_rng(1).lognormal(1, 1, 400_000)
    for j in range(6):
        assert made.accuracy[j] == pytest.approx((1 / (1 + np.exp(-a[j] * one))).mean(), abs=0.003)


def test_group_shares():
    made = simulate("groups", n_tasks=1, n_annotators=20_000)
    count = np.bincount(made.parameters["group"])
    assert stats.chisquare(count, 20_000 * np.array([0.25, 0.55, 0.20])).pvalue > 1e-5
    tables = made.parameters["group_confusions"]
    np.testing.assert_array_equal(made.confusions, tables[made.parameters["group"]])
    np.testing.assert_array_equal(tables[2][0], tables[2][1])  # a spammer does not look
    assert np.trace(tables[0]) > np.trace(tables[1]) > np.trace(tables[2])


def test_cmm_as_printed():
    made = simulate("groups", paper=True, n_tasks=3000, n_annotators=500, redundancy=5.0)
    assert made.labels.n_answers / 3000 == pytest.approx(5, abs=5 * np.sqrt(5 / 3000))
    tables = made.parameters["group_confusions"]
    np.testing.assert_allclose(tables[1], [[0.61, 0, 0.39], [0.09 / 0.99, 0.42 / 0.99, 0.48 / 0.99],
                                           [0.11, 0, 0.89]])  # fmt: skip
    x, z = made.features, made.truth
    for k, centre in enumerate([(-0.5, 0), (0.5, 0), (0, 0.5)]):
        assert np.abs(x[z == k].mean(0) - centre).max() < 5 * 0.4 / np.sqrt((z == k).sum())
        assert x[z == k].std() == pytest.approx(np.hypot(0.4, np.std(centre)), abs=0.02)
    three = np.array([(-0.5, 0), (0.5, 0), (0, 0.5)])
    nearest = ((x[:, None] - three) ** 2).sum(-1).argmin(1)
    assert (nearest == z).mean() == pytest.approx(0.742, abs=0.04)
    made = simulate("groups", paper=True, n_tasks=20_000, redundancy=1, spread=0.2)
    nearest = ((made.features[:, None] - three) ** 2).sum(-1).argmin(1)
    assert (nearest == made.truth).mean() == pytest.approx(0.9475, abs=0.01)  # Table 2, Ideal


def test_spammers_have_their_roles():
    made = simulate("spammers", n_tasks=1, n_annotators=20_000, n_classes=4)
    role = made.parameters["role"]
    assert made.parameters["roles"].tolist() == ["good", "uniform", "one-answer", "adversarial"]
    assert stats.chisquare(np.bincount(role), 20_000 * np.array([0.65, 0.15, 0.15, 0.05])).pvalue > 1e-5
    assert (made.confusions[role == 1] == 0.25).all()
    one = made.confusions[role == 2]
    favourite = made.parameters["favourite"][role == 2]
    assert (one[np.arange(len(one)), :, favourite] == 1).all()
    assert made.accuracy[role == 0].min() >= 0.6
    assert made.accuracy[role == 3].max() <= 0.4


def test_biased_overuse_their_favourite():
    made = simulate("biased", n_tasks=5000, n_annotators=10, redundancy=10)
    use = counted(made, 3).sum(axis=1)
    np.testing.assert_array_equal(use.argmax(axis=1)[made.parameters["bias"] > 0.2],
                                  made.parameters["favourite"][made.parameters["bias"] > 0.2])  # fmt: skip


def test_the_five_of_the_crowd_layer_paper():
    made = simulate("biased", five=True, n_tasks=20_000)
    assert made.labels.n_annotators == 5
    assert made.labels.n_answers == 100_000
    counts = counted(made, 2)
    share = counts / counts.sum(-1, keepdims=True)
    np.testing.assert_allclose(share[:, 1, 1], [0.6, 0.9, 0.5, 0.9, 0.9], atol=0.025)
    np.testing.assert_allclose(share[:, 0, 0], [0.7, 0.8, 0.5, 0.2, 0.9], atol=0.025)
    votes = np.bincount(made.labels.task, made.labels.answers.values)
    assert ((votes > 2.5) == made.truth).mean() == pytest.approx(0.842, abs=0.013)  # SYSTEMS.md


def test_five_takes_features_of_its_two_classes():
    made = simulate("biased", five=True, n_tasks=50, n_features=3)
    assert made.features.shape == (50, 3)
    assert made.parameters["feature_means"].shape == (2, 3)


def test_adversaries_are_wrong_and_oracles_extreme():
    made = simulate("adversarial", n_tasks=1, n_annotators=5000, n_classes=3)
    against = made.parameters["adversary"]
    assert abs(against.mean() - 0.2) < 5 * np.sqrt(0.16 / 5000)
    assert made.accuracy[against].max() <= 0.2 < 0.6 <= made.accuracy[~against].min()
    made = simulate("adversarial", oracles=True, n_annotators=6, redundancy=6)
    right = (made.labels.answers.values == made.truth[made.labels.task]).astype(float)
    share = np.bincount(made.labels.annotator, right) / 1000
    assert share[-2:].tolist() == [1.0, 0.0]


def test_ordinal_errors_fall_with_distance():
    made = simulate("ordinal", n_tasks=6000, n_annotators=5, n_classes=6, redundancy=5)
    assert made.labels.kind == "ordinal"
    off = np.bincount(np.abs(made.labels.answers.values - made.truth[made.labels.task]), minlength=6)
    possible = np.bincount(np.abs(np.arange(6)[:, None] - np.arange(6)).ravel())
    assert (np.diff(off / possible) < 0).all()
    reach = made.parameters["spread"]
    np.testing.assert_allclose(made.confusions[:, 2, 4] / made.confusions[:, 2, 2], np.exp(-2 / reach))


def copying_pairs(made):
    copies = made.parameters["copies"]
    return [(j, copies[j]) for j in np.flatnonzero(copies >= 0)]


def test_copiers_agree_beyond_their_skill():
    made = simulate("copying", n_tasks=5000, n_annotators=8, redundancy=8, copiers=0.25, copy=0.7)
    pairs = copying_pairs(made)
    assert len(pairs) == 2
    assert len({j for pair in pairs for j in pair}) == 4
    table = np.full((5000, 8), -1)
    table[made.labels.task, made.labels.annotator] = made.labels.answers.values
    wrong = (table != made.truth[:, None]).astype(float)
    linked = np.zeros((8, 8), dtype=bool)
    for j, source in pairs:
        linked[j, source] = linked[source, j] = True
        # Given the source's answer, an own answer would equal it as often as the matrices say.
        own = made.parameters["ability"]
        alone = own[j] * own[source] + (1 - own[j]) * (1 - own[source]) / 2
        expected = 0.7 + 0.3 * alone
        assert abs((table[:, j] == table[:, source]).mean() - expected) < 5 * np.sqrt(0.25 / 5000)
    correlation = np.corrcoef(wrong.T)
    rest = ~linked & ~np.eye(8, dtype=bool)
    assert correlation[linked].min() > 0.4
    assert np.abs(correlation[rest]).max() < 5 / np.sqrt(5000)


def test_a_copied_answer_is_the_sources_where_both_answer():
    made = simulate("copying", n_tasks=3000, n_annotators=6, redundancy=3, copiers=0.5, copy=1.0)
    labels = made.labels
    said = {(t, j): v for t, j, v in zip(labels.task.tolist(), labels.annotator.tolist(),
                                         labels.answers.values.tolist(), strict=True)}  # fmt: skip
    both = [(t, j, source) for j, source in copying_pairs(made) for t in range(3000)
            if (t, j) in said and (t, source) in said]  # fmt: skip
    assert len(both) > 500
    assert all(said[t, j] == said[t, source] for t, j, source in both)
    assert_drawn_from(counted(made, 3), made.confusions)


def test_nobody_to_copy():
    assert (simulate("copying", n_annotators=1, redundancy=1).parameters["copies"] == -1).all()


def test_numbers_have_bias_scale_and_precision():
    made = simulate("numbers", n_tasks=20_000, n_annotators=5, redundancy=3, spread=2.0)
    assert made.confusions is None
    assert made.accuracy is None
    assert made.truth.std() == pytest.approx(2, abs=5 * 2 / np.sqrt(2 * 20_000))
    for j in range(5):
        mine = made.labels.annotator == j
        fit = stats.linregress(made.truth[made.labels.task[mine]], made.labels.answers.values[mine])
        residual = (
            made.labels.answers.values[mine] - fit.intercept - fit.slope * made.truth[made.labels.task[mine]]
        )
        known = {name: made.parameters[name][j] for name in ("bias", "scale", "precision")}
        assert abs(fit.slope - known["scale"]) < 5 * fit.stderr
        assert abs(fit.intercept - known["bias"]) < 5 * fit.intercept_stderr
        assert residual.std() ** -2 == pytest.approx(known["precision"], rel=5 * np.sqrt(2 / mine.sum()))


def test_sets_have_sensitivity_specificity_and_correlation():
    made = simulate("sets", n_tasks=12_000, n_annotators=4, n_classes=3, redundancy=2, correlation=0.6)
    truth = made.truth.reshape(-1, 3)
    known = made.parameters
    assert (np.abs(truth.mean(0) - known["prevalence"]) < 5 * np.sqrt(0.25 / 12_000)).all()
    labels = made.labels
    for j in range(4):
        for c in range(3):
            mine = labels.annotator == j
            z, said = truth[labels.task[mine], c], labels.answers.values[mine, c]
            for value, chance in ((1, known["sensitivity"][j, c]), (0, 1 - known["specificity"][j, c])):
                n = (z == value).sum()
                assert abs(said[z == value].mean() - chance) < 5 * np.sqrt(chance * (1 - chance) / n)
    signs = np.sign(np.outer(known["loading"], known["loading"]))
    correlation = np.corrcoef(truth.T)
    assert (np.sign(correlation) == signs).all()
    latent = stats.multivariate_normal(cov=[[1, 0.6], [0.6, 1]])
    for a, b in ((0, 1), (0, 2), (1, 2)):  # the copula, by scipy's bivariate normal
        if signs[a, b] > 0:
            both = latent.cdf(stats.norm.ppf(known["prevalence"][[a, b]]))
            assert abs((truth[:, a] * truth[:, b]).mean() - both) < 5 * np.sqrt(0.25 / 12_000)
    assert_drawn_from(counted(made, 2), made.confusions, slack=0.002)


def test_independent_sets():
    truth = simulate("sets", n_tasks=20_000, n_classes=4, correlation=0, redundancy=1).truth.reshape(-1, 4)
    away = np.corrcoef(truth.T)[~np.eye(4, dtype=bool)]
    assert np.abs(away).max() < 5 / np.sqrt(20_000)


def test_sets_of_certain_labels():
    made = simulate("sets", n_tasks=50, prevalence=(1.0, 1.0), redundancy=1)
    assert (made.truth == 1).all()


def test_soft_answers_are_distributions_around_the_row():
    made = simulate("soft", n_tasks=20_000, n_annotators=3, n_classes=3, redundancy=3)
    values = made.labels.answers.values.astype(float)
    assert values.dtype == float
    np.testing.assert_allclose(values.sum(1), 1, atol=1e-5)
    truth = made.truth[made.labels.task]
    for j in range(3):
        c = made.parameters["concentration"][j]
        for k in range(3):
            mine = values[(made.labels.annotator == j) & (truth == k)]
            law = stats.dirichlet(c * made.confusions[j, k])
            sigma = np.sqrt(law.var() / len(mine))
            assert (np.abs(mine.mean(0) - made.confusions[j, k]) < 5 * sigma + 1e-6).all()
            np.testing.assert_allclose(mine.var(0), law.var(), rtol=0.15, atol=1e-4)


def test_sure_judges_do_not_underflow():
    made = simulate("soft", n_tasks=300, n_classes=8, concentration=(0.01, 0.01), diagonal=0.0)
    assert np.isfinite(made.labels.answers.values).all()
    np.testing.assert_allclose(made.labels.answers.values.sum(1), 1, atol=1e-5)

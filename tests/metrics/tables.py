"""Tables with published or independently computed figures."""

from manyhands import Annotations

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers (columns),
# twelve units. Gwet's irrCAC has the same table as cac.raw4raters.
KRIPPENDORFF = [
    [1, 1, -1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [-1, 5, 5, 5], [-1, -1, 1, 1], [-1, 3, -1, -1],
]  # fmt: skip

# Fleiss (1971), table 1: 30 patients, six psychiatrists each, how often each of five diagnoses.
FLEISS = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
    00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
""".split()

# Two abstractors, three diagnoses: irrCAC's cont3x3abstractors, in its published vignette.
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]

# Random tables (numpy default_rng(7)) with alphas by the package `krippendorff` (0.8) and Fleiss kappa by
# statsmodels 0.15 (complete table only), each run once in an environment of its own. -1: no answer.
GOLDEN = [
    {
        "table": [[2, 0, 0, 2], [1, 1, 1, 1], [2, 2, 1, 1], [1, 1, 2, 2], [1, 1, 1, 1], [2, 1, 1, 2],
                  [2, 2, 2, 2], [1, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 1], [0, 0, 0, 2], [2, 2, 2, 2]],
        "nominal": 0.4463350785340313, "ordinal": 0.4360991966230937, "interval": 0.4434210526315788,
        "fleiss": 0.4345549738219895,
    },
    {
        "table": [[-1, 0, 0, -1, -1], [3, -1, -1, -1, 1], [-1, 0, 3, -1, -1], [2, -1, -1, -1, -1],
                  [0, -1, -1, 0, 0], [-1, 0, 2, -1, 0], [-1, 1, 2, 3, 1], [-1, -1, 0, 2, -1],
                  [-1, 1, 3, 1, -1], [-1, 2, 1, 3, 1], [3, 3, 3, -1, 3], [-1, 2, 2, 2, 0],
                  [-1, 2, -1, 3, 1], [-1, 1, 3, -1, 1], [2, -1, -1, 2, 1]],
        "nominal": 0.20398386283408976, "ordinal": 0.17528735632183912, "interval": 0.17528735632183923,
    },
    {
        "table": [[0, -1, 0], [-1, 0, 0], [0, 0, 0], [1, -1, 1], [1, 1, -1], [1, 1, 1], [-1, 0, 0],
                  [-1, 1, -1], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1],
                  [1, 0, 0], [0, 0, 0], [0, -1, 0], [0, 0, 0], [1, 1, 1], [0, -1, 1]],
        "nominal": 0.7504244482173175, "ordinal": 0.7504244482173175, "interval": 0.7504244482173175,
    },
]  # fmt: skip

# Real numbers, made likewise; alpha interval by `krippendorff`.
NUMBERS = [
    [-0.9, 0.29, None, -1.35], [None, 1.42, None, None], [0.52, 0.71, 0.6, None],
    [None, -3.22, -2.67, -2.99], [1.21, 1.28, -0.5, -0.93], [-0.11, 1.63, None, 0.77],
    [-0.8, None, -0.8, -0.01], [None, None, None, None], [-1.05, None, None, None], [-0.29, None, -0.35, None],
]  # fmt: skip
NUMBERS_ALPHA = 0.7228198020661531


def fleiss_table() -> Annotations:
    """The diagnoses as labels; who is who is unknown, and does not matter to the figures used."""
    return Annotations.from_matrix([[k for k, c in enumerate(row) for _ in range(int(c))] for row in FLEISS])


def pairs_of(table: list[list[int]]) -> Annotations:
    """A contingency table as two annotators' labels."""
    rows = [[a, b] for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return Annotations.from_matrix(rows)

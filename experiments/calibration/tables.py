"""Tables whose truth is known: which there are, and how each is made from its name alone. Needs numpy, and pandas for categories.

A numeric target is y = f(x) + s(x) e, where e has mean 0 and variance 1. The noise of a name is the ratio of two standard deviations,
that of s(x) e to that of f(x): `smooth-1500x20-noise0.5-heavy`. Where f is nothing, the noise has standard deviation 1.
Classes come from scores u_k(x), signals of variance 1: two classes by P(1) = Phi((u - o) / noise), more by softmax((u_k - o_k) / noise).
Uneven classes have o > 0. truths.py has the formulas of columns, signals and noise.
"""
import dataclasses
import functools
import hashlib

import numpy as np

import truths

ROWS, COLUMNS = (200, 500, 1500, 5000), (5, 20, 50, 100)
KINDS = ("normal", "correlated", "duplicated", "category")
RATIOS = (0.05, 0.2, 0.5, 1, 3)
NOISES = ("constant", "growing", "heavy", "modes")
LEVELS = {200: 20, 500: 40, 1500: 60, 5000: 100}  # of the category column, by rows
REFERENCE_ROWS = 20_000  # by which the signal's mean and standard deviation are measured
TEST_ROWS, TEST_ROWS_OF_HEAVY_TAILS = 2500, 4000  # heavy tails: more, since their mean log-likelihood varies more
OFFSET, OFFSET_STEP = 1.5, 1.0  # of uneven classes
CLASSES, LABEL_RATIOS = (2, 3, 2, 5), (0.2, 0.5, 1)


@dataclasses.dataclass(frozen=True)
class Design:
    """All that a table is made from; the seed comes from the name."""

    truth: str
    rows: int
    columns: int
    kind: str = "normal"
    ratio: float | None = None  # of the noise to the signal; none for pure noise
    noise: str = "constant"
    classes: int = 0  # 0: a numeric target
    uneven: bool = False
    deviation: float | None = None  # of the noise, where it is given and the ratio follows

    @property
    def name(self):
        return "-".join(filter(None, [
            self.truth, f"{self.rows}x{self.columns}", "" if self.kind == "normal" else self.kind,
            f"{self.classes}classes" if self.classes else "", "uneven" if self.uneven else "",
            "" if self.ratio is None else f"noise{self.ratio:g}", "" if self.noise == "constant" else self.noise]))

    @property
    def levels(self):
        return LEVELS[self.rows] if self.kind == "category" else 0

    @property
    def test_rows(self):
        return TEST_ROWS_OF_HEAVY_TAILS if self.noise == "heavy" else TEST_ROWS

    def generator(self, purpose):
        """Random numbers that depend on the name and on what they are for, and on nothing else."""
        digest = hashlib.sha256(f"{self.name} {purpose}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8], "little"))


@dataclasses.dataclass
class Inputs:
    numbers: np.ndarray
    levels: np.ndarray | None  # numbers of the levels of the category column, which stands behind the others

    def __len__(self):
        return len(self.numbers)

    def part(self, rows):
        return Inputs(self.numbers[rows], None if self.levels is None else self.levels[rows])

    def given(self):
        """As an estimator takes them: an array, or a frame if there is a category."""
        if self.levels is None:
            return self.numbers
        import pandas
        frame = pandas.DataFrame({f"x{column}": self.numbers[:, column] for column in range(self.numbers.shape[1])})
        frame["category"] = [f"level {level}" for level in self.levels]
        return frame


def drawn_inputs(design, draw, rows):
    columns = design.columns - (1 if design.levels else 0)
    make = {"correlated": truths.correlated_columns, "duplicated": truths.duplicated_columns}.get(design.kind, truths.normal_columns)
    numbers = make(draw, rows, columns)
    return Inputs(numbers, truths.drawn_levels(draw, rows, design.levels) if design.levels else None)


class Truth:
    """The distribution of targets given inputs."""

    def __init__(self, design):
        self.design = design
        outputs = design.classes if design.classes > 2 else 1
        self.effects = truths.on_grid(truths.LEVEL_EFFECT * design.generator("effects").standard_normal((outputs, max(1, design.levels))))
        reference = drawn_inputs(design, design.generator("reference"), REFERENCE_ROWS)
        raw = [self.raw(reference, output) for output in range(outputs)]
        self.center = truths.on_grid([each.mean() for each in raw])
        self.spread = truths.on_grid([each.std() for each in raw]) if design.truth != "nothing" else np.ones(outputs)
        self.deviation = design.deviation or float((design.ratio or 1) * self.spread[0])
        growing = truths.growth(self.standardised(reference))
        self.growth_unit = float(truths.on_grid(np.sqrt(np.mean(growing**2))))

    def raw(self, inputs, output=0):
        """The signal: f of the columns, which begin at another one for each output, plus the effect of the level."""
        x = np.roll(inputs.numbers, -output, axis=1) if output else inputs.numbers
        signal = truths.SIGNALS[self.design.truth](x)
        if inputs.levels is None or self.design.truth == "nothing":
            return signal
        return signal + self.effects[output][inputs.levels]

    def standardised(self, inputs, output=0):
        return (self.raw(inputs, output) - self.center[output]) / self.spread[output]

    def scale(self, inputs):
        """s(x), of which the mean square is the variance of the noise."""
        if self.design.noise != "growing":
            return np.full(len(inputs), self.deviation)
        return self.deviation * truths.growth(self.standardised(inputs)) / self.growth_unit

    def probabilities(self, inputs):
        design = self.design
        if design.truth == "nothing":
            shares = np.array([0.5**k for k in range(design.classes)]) if design.uneven else np.ones(design.classes)
            return np.tile(shares / shares.sum(), (len(inputs), 1))
        if design.classes == 2:
            return truths.probit((self.standardised(inputs) - OFFSET * design.uneven) / design.ratio)
        scores = [self.standardised(inputs, k) - OFFSET_STEP * k * design.uneven for k in range(design.classes)]
        return truths.softmax(np.column_stack(scores) / design.ratio)

    def draw(self, inputs, draw):
        if self.design.classes:
            return truths.drawn_classes(draw, self.probabilities(inputs))
        noise = truths.NOISES[self.design.noise].draw(draw, len(inputs))
        return truths.on_grid(self.raw(inputs) + self.scale(inputs) * noise)

    def log_likelihood(self, inputs, targets):
        """For each row the true log density of its target, or the log-probability of its class."""
        if self.design.classes:
            return np.log(self.probabilities(inputs)[np.arange(len(targets)), targets])
        scale = self.scale(inputs)
        return truths.NOISES[self.design.noise].log_density((targets - self.raw(inputs)) / scale) - np.log(scale)


@dataclasses.dataclass
class Table:
    design: Design
    truth: Truth
    inputs: Inputs
    targets: np.ndarray
    test_inputs: Inputs
    test_targets: np.ndarray

    def best_possible(self):
        """Mean log-likelihood of the test targets under the truth: nobody can expect more."""
        return float(self.truth.log_likelihood(self.test_inputs, self.test_targets).mean())


def make(name, rows=None):
    """The table of that name; `rows` makes it of the same truth with another number of training rows."""
    design = DESIGNS[name]
    truth = Truth(design)
    parts = []
    for purpose, count in (("training", rows or design.rows), ("test", design.test_rows)):
        draw = design.generator(purpose)
        inputs = drawn_inputs(design, draw, count)
        parts += [inputs, truth.draw(inputs, draw)]
    return Table(design, truth, *parts)


# The design ---------------------------------------------------------------------------------------------------------------

TRUTHS = tuple(name for name in truths.SIGNALS if name != "nothing")

# The table that a user would try first: y = 2 x0 + x1 x2 + sin(2 x3) + N(0, 1). The signal has variance 4 + 1 + (1 - e^-8) / 2,
# and noise of standard deviation 1 is 0.43 of it.
FIRST = Design("smooth", 500, 20, ratio=0.43, deviation=1.0)


def kind_of(number, columns):
    """Five columns are too few for copies beside four that matter, or for a category."""
    return KINDS[number % (2 if columns == min(COLUMNS) else len(KINDS))]


def numeric(truth, row, third):
    """Three tables for each truth and number of rows. All else goes around, each at a pace that lets it meet the others about equally often."""
    columns = COLUMNS[(truth + row + third + 3) % len(COLUMNS)]
    kind, ratio = 2 * truth + row + 3 * third + truth // 2, 4 * truth + row + 3 * third
    noise = 3 * truth + row + 2 * third + 3 * (truth // 2)
    return Design(TRUTHS[truth], ROWS[row], columns, kind_of(kind, columns), RATIOS[ratio % len(RATIOS)], NOISES[noise % len(NOISES)])


def labelled(truth, row):
    """One table of classes for each truth and number of rows."""
    columns, half = COLUMNS[(truth + 3 * row + 1) % len(COLUMNS)], truth // 3
    return Design(TRUTHS[truth], ROWS[row], columns, kind_of(row + truth // 2, columns), LABEL_RATIOS[(truth + 2 * row + half) % len(LABEL_RATIOS)],
                  classes=CLASSES[(truth + 2 * row + 3 * (truth // 2) + half) % len(CLASSES)], uneven=(row + 2 * half) % 3 == 0)


PURE_NOISE = (
    Design("nothing", 200, 20), Design("nothing", 200, 100, noise="heavy"), Design("nothing", 500, 5), Design("nothing", 500, 50, "correlated", noise="modes"),
    Design("nothing", 1500, 20, "category"), Design("nothing", 1500, 100), Design("nothing", 5000, 20, noise="heavy"), Design("nothing", 5000, 50, "duplicated"),
    Design("nothing", 200, 5, classes=2, uneven=True), Design("nothing", 200, 50, classes=2), Design("nothing", 500, 20, classes=3, uneven=True),
    Design("nothing", 500, 100, "correlated", classes=2), Design("nothing", 1500, 20, "category", classes=5, uneven=True),
    Design("nothing", 5000, 50, classes=3))


def all_designs():
    crossed = [numeric(truth, row, third) for row in range(len(ROWS)) for truth in range(len(TRUTHS)) for third in range(3)]
    crossed = [FIRST if (each.truth, each.rows, each.columns) == ("smooth", 500, 20) else each for each in crossed]
    crossed += [labelled(truth, row) for row in range(len(ROWS)) for truth in range(len(TRUTHS))]
    return sorted([*crossed, *PURE_NOISE], key=lambda each: each.rows)  # small ones first, so that a mistake shows soon


DESIGNS = {each.name: each for each in all_designs()}

# A mix of all kinds that takes two or three minutes: what the tests of the Python package run. Twelve numeric targets, four of classes.
SIXTEEN = (
    "linear-200x20-duplicated-noise0.2", "smooth-200x5-noise3-modes", "sines-200x20-correlated-noise1-growing", "interactions-200x5-correlated-noise1",
    "trees-200x20-noise0.5-heavy", "periodic-200x20-category-noise1-modes", "nothing-200x20",
    "linear-500x20-noise3-modes", FIRST.name, "trees-500x5-correlated-noise0.5-modes", "periodic-500x20-correlated-noise0.2-heavy", "nothing-500x5",
    "nothing-200x5-2classes-uneven", "linear-200x20-2classes-uneven-noise0.2", "trees-200x20-duplicated-5classes-noise1",
    "linear-500x5-correlated-2classes-noise1")

# Numeric targets and numbers alone, which are made longer to be learned row by row.
STREAMED = (
    "nothing-500x5", FIRST.name, "linear-500x20-noise3-modes", "linear-500x5-correlated-noise0.2-growing", "sines-500x50-duplicated-noise3-heavy",
    "interactions-500x5-correlated-noise0.2-modes", "trees-500x50-correlated-noise1-modes", "periodic-500x20-correlated-noise0.2-heavy")

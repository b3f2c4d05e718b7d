"""Plots: that what is drawn is what the numbers say."""

import sys
import warnings
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from scipy.stats import norm

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from postrider import Explanation, plots  # noqa: E402
from postrider._plot_style import spread_apart  # noqa: E402

DRAWN = 1e-9


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


class Line:
    """A regressor that knows: y = 2 x + N(0, 0.5^2) in the first of its inputs."""

    def predict(self, X, return_std=False):
        mean = 2 * np.asarray(X)[:, 0]
        return (mean, np.full(len(mean), 0.5)) if return_std else mean


class LineWithQuantiles(Line):
    def predict_quantiles(self, X, quantiles=(0.05, 0.5, 0.95)):
        assert list(quantiles) == sorted(quantiles)
        return self.predict(X)[:, None] + 0.5 * norm.ppf(quantiles)


def edges_of(band):
    """Lowest and highest of a band at each place."""
    vertices = band.get_paths()[0].vertices
    places = np.unique(vertices[:, 0])
    found = [vertices[vertices[:, 0] == place, 1] for place in places]
    return places, np.array([v.min() for v in found]), np.array([v.max() for v in found])


@pytest.mark.parametrize("model", [Line(), LineWithQuantiles()])
@pytest.mark.parametrize("columns", [0, 1, 3])
def test_band_of_a_model(model, columns):
    X = np.linspace(-1, 1, 30)
    if columns:
        X = np.column_stack([X, *np.ones((columns - 1, 30))])
    ax = plots.plot_predictive_band(model, X, 2 * np.linspace(-1, 1, 30), coverages=(0.5, 0.9))
    wide, narrow = ax.collections
    for band, reach in ((wide, norm.ppf(0.95)), (narrow, norm.ppf(0.75))):
        places, low, high = edges_of(band)
        assert places[0] < -1 and places[-1] > 1, "the curve goes on beyond the data"
        np.testing.assert_allclose(low, 2 * places - 0.5 * reach, atol=DRAWN)
        np.testing.assert_allclose(high, 2 * places + 0.5 * reach, atol=DRAWN)
    curve, points = ax.lines
    np.testing.assert_allclose(curve.get_ydata(), 2 * curve.get_xdata(), atol=DRAWN)
    assert len(points.get_xdata()) == 30
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [
        "90% of new observations",
        "50% of new observations",
        "prediction",
        "observed",
    ]


def test_band_of_arrays_is_drawn_in_order():
    ax = plots.plot_predictive_band([3.0, 1.0, 2.0], [3, 1, 2], std=[1.0, 1.0, 1.0])
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert ax.lines[0].get_ydata().tolist() == [1, 2, 3]


def test_calibration_of_regression():
    generator = np.random.default_rng(1)
    mean = generator.normal(size=4000)
    y = mean + 0.5 * generator.normal(size=4000)
    ax = plots.plot_calibration((mean, np.full(4000, 0.5)), y, bins=5)
    found = ax.lines[0]
    levels = np.arange(1, 10) / 10
    np.testing.assert_allclose(found.get_xdata(), levels)
    expected = [(y <= mean + 0.5 * norm.ppf(level)).mean() for level in levels]
    np.testing.assert_allclose(found.get_ydata(), expected)
    places, low, high = edges_of(ax.collections[0])
    np.testing.assert_allclose(
        high - places, norm.ppf(0.975) * np.sqrt(levels * (1 - levels) / 4000)
    )
    # An estimator with the same quantiles gives the same points.
    other = plots.plot_calibration(LineWithQuantiles(), y, X=mean[:, None] / 2, bins=5)
    np.testing.assert_allclose(other.lines[0].get_ydata(), expected)


def test_calibration_of_several_models_has_one_band_and_several_colours():
    y = np.zeros(10)
    ax = plots.plot_calibration((y, y + 1), y, label="one")
    plots.plot_calibration((y, y + 2), y, label="two", ax=ax)
    assert len(ax.collections) == 1
    curves = [line for line in ax.lines if line.get_label() in ("one", "two")]
    assert len({line.get_color() for line in curves}) == 2


def test_calibration_of_classes():
    told = np.array([0.1, 0.1, 0.1, 0.1, 0.9, 0.9])
    y = np.array([0, 0, 0, 1, 1, 1])
    for probabilities in (told, np.column_stack([1 - told, told])):
        ax = plots.plot_calibration(probabilities, y, bins=2)
        line = ax.containers[0].lines[0]
        np.testing.assert_allclose(line.get_xdata(), [0.1, 0.9])
        np.testing.assert_allclose(line.get_ydata(), [0.25, 1.0])
    classifier = SimpleNamespace(
        classes_=np.array(["no", "yes"]),
        predict_proba=lambda X: np.column_stack([1 - told, told]),
    )
    ax = plots.plot_calibration(classifier, np.array(["no", "yes"])[y], X=np.zeros((6, 1)), bins=2)
    np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), [0.25, 1.0])
    # Wilson's interval of 1 in 4, from its definition: the p with |p - 1/4| = z sqrt(p(1 - p)/4).
    low, high = ax.containers[0].lines[2][0].get_segments()[0][:, 1]
    for p in (low, high):
        assert abs(p - 0.25) == pytest.approx(norm.ppf(0.975) * np.sqrt(p * (1 - p) / 4))


def test_calibration_of_many_classes_is_that_of_the_likeliest():
    probabilities = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2], [0.1, 0.6, 0.3]])
    ax = plots.plot_calibration(probabilities, [0, 2, 1, 0], bins=10)
    line = ax.containers[0].lines[0]
    np.testing.assert_allclose(line.get_xdata(), [0.6])
    np.testing.assert_allclose(line.get_ydata(), [0.5])


def beliefs():
    mean = np.array([[4.0, -1.0, 0.0], [1.0, 2.0, -4.0]])
    deviation = np.array([[0.1, 10.0, 1.0], [1.0, 0.1, 0.1]])
    return SimpleNamespace(mean=mean, std=deviation)


def test_explanation_is_a_waterfall():
    moves = np.array([[[1.0], [-3.0], [0.5]]])
    found = Explanation(["a", "b", "c"], ["mean"], np.array([10.0]), np.array([[8.5]]), moves, np.full((1, 3, 1), 0.1), np.zeros((1, 3)), [[1, 2, 3]])
    ax = plots.plot_explanation(found)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b = 2", "a = 1", "c = 3"]
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    np.testing.assert_allclose(bars, [(10, 7), (7, 8), (8, 8.5)])
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["baseline 10", "prediction 8.5"]
    fewer = plots.plot_explanation(found, most=1)
    assert [label.get_text() for label in fewer.get_yticklabels()] == ["b = 2", "2 other columns"]
    np.testing.assert_allclose(fewer.patches[-1].get_x() + fewer.patches[-1].get_width(), 8.5)


def test_hinton_squares():
    ax = plots.plot_hinton(beliefs())
    squares = ax.collections[0]
    width = np.array([np.ptp(path.vertices[:, 0]) for path in squares.get_paths()])
    np.testing.assert_allclose((width / width[0]) ** 2, [1, 0.25, 0, 0.25, 0.5, 1], atol=DRAWN)
    colors = squares.get_facecolor()
    assert colors[0][2] > colors[0][0], "positive is blue"
    assert colors[5][0] > colors[5][2], "negative is red"
    lightness = colors[:, :3].sum(axis=1)
    assert lightness[3] > lightness[0], "unsure is pale"


def test_hinton_of_an_estimator_names_inputs():
    estimator = SimpleNamespace(beliefs_=[[beliefs()]], feature_names_in_=np.array(["age", "size"]))
    ax = plots.plot_hinton(estimator)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["age", "size", "bias"]


def test_ratings_over_time():
    days = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")
    history = {f"team {i}": (days, [25, 26, 25 + i], [2.0, 1.0, 0.5]) for i in range(8)}
    ax = plots.plot_rating_over_time(history)
    named = [text.get_text() for text in ax.texts]
    assert sorted(named) == [f"team {i}" for i in range(2, 8)]
    assert len(ax.collections) == 6
    assert len(ax.lines) == 8
    chosen = plots.plot_rating_over_time(history, highlight=["team 0"])
    assert [text.get_text() for text in chosen.texts] == ["team 0"]
    line = next(line for line in chosen.lines if line.get_label() == "team 0")
    assert line.get_ydata().tolist() == [25, 26, 25]


def test_names_at_the_ends_keep_apart():
    history = {name: ([0, 1], [0.0, 10.0], [1.0, 1.0]) for name in ("a", "b", "c")}
    ax = plots.plot_rating_over_time(history)
    levels = sorted(text.xy[1] for text in ax.texts)
    assert min(np.diff(levels)) > 0.5
    assert np.mean(levels) == pytest.approx(10), "around where the lines end"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 5.0, 6.0], [0, 5, 6]),
        ([1.0, 1.0, 1.0], [0, 1, 2]),
        ([0.0, 0.5, 9.0], [-0.25, 0.75, 9]),
        ([0.0, 0.0, 1.5], [-0.5, 0.5, 1.5]),
        ([0.0, 0.0, 1.2], [-0.6, 0.4, 1.4]),
    ],
)
def test_names_move_as_little_as_they_must(values, expected):
    assert spread_apart(values, 1.0) == pytest.approx(expected)


def test_training_curve():
    history = [
        {"member": m, "epoch": e, "score": -1.0 / e - m, "best_epoch": 3}
        for m in (0, 1)
        for e in (1, 2, 3)
    ]
    for given in (history, SimpleNamespace(history_=history)):
        ax = plots.plot_training_curve(given)
        curves = [line for line in ax.lines if line.get_label().startswith("member")]
        assert [line.get_ydata().tolist() for line in curves] == [
            [-1, -0.5, -1 / 3],
            [-2, -1.5, -4 / 3],
        ]
        best = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 1]
        assert [list(x) for x in best] == [[3], [3]]
    assert ax.get_ylabel() == "score"


def test_axes_are_those_that_were_given():
    _, ax = pyplot.subplots()
    y = np.zeros(4)
    assert plots.plot_predictive_band(y, y, std=y + 1, ax=ax) is ax
    assert plots.plot_calibration((y, y + 1), y, ax=ax) is ax
    assert plots.plot_hinton(beliefs(), ax=ax) is ax
    assert plots.plot_rating_over_time({"a": (y, y, y)}, ax=ax) is ax
    assert plots.plot_training_curve([{"epoch": 1, "score": 0.0}], ax=ax) is ax


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plots.plot_predictive_band([1.0], [1.0]), "std: must be given"),
        (lambda: plots.plot_predictive_band([1.0], [1.0, 2.0], std=[1.0]), "mean has 1"),
        (lambda: plots.plot_predictive_band([1.0], [1.0], coverages=(2,)), "coverages"),
        (lambda: plots.plot_predictive_band(Line(), [1.0, 2.0], feature=1), "feature = 1"),
        (lambda: plots.plot_calibration([0.5], [0, 1]), "predicted has 1 rows"),
        (lambda: plots.plot_calibration([], []), "needs at least one row"),
        (lambda: plots.plot_calibration([0.5], [1], bins=1), "bins = 1"),
        (lambda: plots.plot_hinton(SimpleNamespace(mean=[1.0], std=[1.0])), "beliefs of sh"),
        (lambda: plots.plot_hinton(beliefs(), input_names=["a"]), "input_names has 1 names"),
        (lambda: plots.plot_rating_over_time({}), "history = {}"),
        (lambda: plots.plot_rating_over_time({"a": ([1], [1], [1])}, highlight=["b"]), "'b'"),
        (lambda: plots.plot_training_curve([]), "needs at least one epoch"),
        (lambda: plots.plot_training_curve([{"epoch": 1}]), "value = 'score': must be one of"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_without_matplotlib_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install postrider\[plots\]"):
        plots.plot_training_curve([{"epoch": 1, "score": 0.0}])


# --- models and frames ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flats():
    pd = pytest.importorskip("pandas")
    draw = np.random.default_rng(1)
    out = pd.DataFrame({"area": draw.uniform(20, 120, 300), "town": draw.choice(["a", "b"], 300)})
    out["rent"] = 6 * out["area"] + 50 * (out["town"] == "a") + np.where(out["town"] == "a", 60, 5) * draw.normal(size=300)
    return out


@pytest.fixture(scope="module")
def table_model(flats):
    from postrider import TableModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TableModel(random_state=1, max_epochs=20, ensemble_size=2, hidden_layer_sizes=(8,), encoding="standard", varying_noise=False,
                          learned_shape=False).fit(flats[:200], "rent")


def test_predicted_against_observed_of_a_table(table_model, flats):
    new = flats[200:]
    ax = plots.plot_predicted_observed(table_model, new, coverage=0.8)
    low, high = table_model.predict_interval(new, coverage=0.8).T
    inside = ((low <= new["rent"]) & (new["rent"] <= high)).to_numpy()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), new["rent"][inside])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), new["rent"][~inside])
    np.testing.assert_allclose(ax.lines[0].get_xdata(), table_model.predict(new)["mean"][inside])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted rent", "observed rent")
    assert f"{inside.mean():.0%} inside" in ax.get_legend().get_texts()[0].get_text()
    same = plots.plot_predicted_observed(table_model, new.drop(columns="rent"), new["rent"], coverage=0.8)
    np.testing.assert_allclose(same.lines[0].get_ydata(), new["rent"][inside])


def test_coverage_of_groups(table_model, flats):
    new = flats[200:]
    ax = plots.plot_coverage(table_model, new, group="town")
    low, high = table_model.predict_interval(new).T
    inside = ((low <= new["rent"]) & (new["rent"] <= high)).to_numpy()
    for label, share in zip(ax.get_yticklabels(), ax.collections[-1].get_offsets()[:, 0], strict=True):
        town, count = label.get_text().split("  (")
        of_town = (new["town"] == town).to_numpy()
        assert share == pytest.approx(inside[of_town].mean()) and count == f"{of_town.sum()} rows)"
    by_values = plots.plot_coverage(table_model, new, group=np.where(new["town"] == "a", "in", "out"))
    assert {label.get_text()[:2] for label in by_values.get_yticklabels()} == {"in", "ou"}
    quarters = plots.plot_coverage(table_model, new, group="area")
    assert [label.get_text().split("(")[1] for label in quarters.get_yticklabels()] == ["25 rows)"] * 4
    assert len(plots.plot_coverage(table_model, new).get_yticks()) == 4
    with pytest.raises(ValueError, match="group = 'city'"):
        plots.plot_coverage(table_model, new, group="city")
    with pytest.raises(ValueError, match="one for each of the 100 rows"):
        plots.plot_coverage(table_model, new, group=[1, 2])


def test_coverage_of_classes_is_the_share_that_was_right():
    told = np.array([[0.9, 0.1]] * 10 + [[0.4, 0.6]] * 10)
    model = SimpleNamespace(classes_=np.array(["no", "yes"]), predict_proba=lambda X: told)
    y = np.array(["no"] * 6 + ["yes"] * 4 + ["yes"] * 10)
    ax = plots.plot_coverage(model, np.zeros((20, 1)), y, group=np.repeat(["first", "rest"], 10))
    np.testing.assert_allclose(ax.collections[-1].get_offsets()[:, 0], [0.6, 1.0])
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0.9, 0.6])


def test_calibration_and_bands_take_tables(table_model, flats):
    new = flats[200:]
    by_table = plots.plot_calibration(table_model, X=new)
    by_hand = plots.plot_calibration(table_model, new["rent"], new)
    np.testing.assert_allclose(by_table.lines[0].get_ydata(), by_hand.lines[0].get_ydata())
    ax = plots.plot_predictive_band(table_model, new, feature="area")
    curve, points = ax.lines
    common = new["town"].mode()[0]
    expected = table_model.predict(new[["area", "town"]].head(1).assign(area=curve.get_xdata()[50], town=common), quantiles=[0.5], return_std=False)
    assert curve.get_ydata()[50] == pytest.approx(expected.item())
    np.testing.assert_array_equal(points.get_ydata(), new["rent"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("area", "rent")
    with pytest.raises(ValueError, match="feature = 'town'"):
        plots.plot_predictive_band(table_model, new, feature="town")


def test_importance(table_model, flats):
    found = table_model.importance(flats[200:])
    for given in (found, table_model):
        ax = plots.plot_importance(given, *(() if given is found else (flats[200:],)))
        assert [label.get_text() for label in ax.get_yticklabels()] == list(found)
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [found[name] for name in found])
    assert len(plots.plot_importance(found, most=1).patches) == 1


def test_partial_dependence(table_model, flats):
    found = table_model.partial_dependence("area", flats)
    ax = plots.plot_partial_dependence(table_model, "area", flats)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.mean)
    places, low, high = edges_of(ax.collections[0])
    np.testing.assert_allclose(places, found.x)
    np.testing.assert_allclose((low, high), (found.low, found.high))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("area", "predicted rent")
    by = plots.plot_partial_dependence(table_model, "area", flats, by="town")
    assert [line.get_label() for line in by.lines] == ["a", "b"] or [line.get_label() for line in by.lines] == ["b", "a"]
    assert by.get_legend().get_title().get_text() == "town"
    towns = plots.plot_partial_dependence(table_model.partial_dependence("town", flats))
    assert {label.get_text() for label in towns.get_xticklabels()} == {"a", "b"}

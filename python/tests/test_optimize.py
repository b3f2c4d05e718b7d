"""Bayesian optimisation: spaces, suggestions, and that they find what they look for."""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import lognorm

from postrider.experimental.optimize import Category, Integer, NoPointLeft, Optimizer, Real, Space, minimize
from postrider.experimental.optimize._acquisition import Improvement, log_expected_improvement, tempered
from postrider.experimental.optimize._process import _JITTER, GaussianProcess, Smoothness, _Posterior
from postrider.experimental.optimize._region import Region
from postrider.experimental.optimize._search import STARTS, starts, uphill


def test_points_come_back_from_their_rows():
    space = Space([(0.0, 4.0), Real(0.01, 100.0, log=True), Integer(2, 5), ["a", "b", "c"]])
    points = [[1.0, 1.0, 3, "b"], [4.0, 0.01, 5, "c"]]
    rows = space.rows(points)
    np.testing.assert_allclose(rows[0], [0.25, 0.5, 1 / 3, 0, 1, 0])
    back = space.points(rows)
    assert [p[2:] for p in back] == [p[2:] for p in points]
    np.testing.assert_allclose([p[:2] for p in back], [p[:2] for p in points])
    np.testing.assert_array_equal(space.snapped(rows), rows)


def test_arrays_are_points_too():
    space = Space([(0.0, 4.0), (-1.0, 1.0)])
    points = np.array([[1.0, 0.0], [4.0, -1.0]])
    np.testing.assert_array_equal(space.rows(points), space.rows(points.tolist()))
    for wrong in (np.array([[5.0, 0.0]]), np.array([[np.nan, 0.0]]), np.array([[1.0]])):
        with pytest.raises(ValueError):
            space.rows(wrong)


def test_drawn_rows_exist():
    space, rng = Space([(0.0, 1.0), Integer(0, 3), ["a", "b"]]), np.random.default_rng(0)
    for rows in (space.random(40, rng), space.spread(40, rng), space.near(space.random(1, rng)[0], 40, 0.3, rng)):
        assert rows.min() >= 0 and rows.max() <= 1
        np.testing.assert_allclose(rows[:, 1] * 3, np.round(rows[:, 1] * 3))
        np.testing.assert_array_equal(rows[:, 2:].sum(axis=1), 1)
    first = space.spread(40, rng)[:, 0]
    assert len(set(np.floor(first * 40))) == 40


@pytest.mark.parametrize("given", [[(1.0, 1.0)], [[1]], [["a", "a"]], [], ["x"]])
def test_spaces_that_make_no_sense_are_refused(given):
    with pytest.raises(ValueError):
        Space(given)


def test_values_outside_are_refused():
    space = Space([(0.0, 1.0), Category(["a", "b"])])
    for point in ([2.0, "a"], [0.5, "c"], [0.5]):
        with pytest.raises(ValueError):
            space.rows([point])


@pytest.mark.parametrize(("mean", "std"), [(0.2, 0.5), (1.0, 0.3), (-2.0, 1.0)])
def test_expected_improvement_is_the_integral(mean, std):
    def gain(f):
        return max(0.1 - f, 0) * np.exp(-0.5 * ((f - mean) / std) ** 2) / std / np.sqrt(2 * np.pi)

    expected = quad(gain, mean - 12 * std, 0.1, limit=200)[0]
    found = log_expected_improvement(0.1, np.array([mean]), np.array([std]))[0]
    assert found == pytest.approx(np.log(expected), rel=1e-6)


def test_expected_improvement_far_away_still_falls():
    far = log_expected_improvement(0.0, np.array([4.0, 4.99, 5.01, 8.0, 50.0]), np.ones(5))
    assert np.all(np.isfinite(far)) and np.all(np.diff(far) < 0)
    assert far[1] - far[2] < 0.5  # both formulas meet


@pytest.mark.parametrize("acquisition", ["expected_improvement", "lower_bound", "thompson"])
def test_a_valley_is_found(acquisition):
    found = minimize(
        lambda p: (p[0] - 0.3) ** 2 + (p[1] + 0.5) ** 2, [(-1.0, 1.0), (-1.0, 1.0)],
        n_calls=20, acquisition=acquisition, n_functions=16,
    )
    assert found.fun == min(found.func_vals) < 0.05
    assert len(found.x_iters) == 20


def test_categories_and_whole_numbers():
    found = minimize(
        lambda p: (p[0] - 7) ** 2 / 10 + {"a": 1.0, "b": 0.0, "c": 2.0}[p[1]], [Integer(0, 20), ["a", "b", "c"]],
        n_calls=18, n_functions=16,
    )
    assert found.x[1] == "b" and abs(found.x[0] - 7) <= 2


def test_the_same_seed_asks_the_same():
    def asked(seed):
        return minimize(lambda p: p[0] ** 2, [(-1.0, 1.0)], n_calls=6, random_state=seed, n_functions=8).x_iters

    assert asked(3) == asked(3)
    assert asked(3) != asked(4)


def test_a_batch_does_not_repeat_itself():
    optimizer = Optimizer([(-1.0, 1.0), (-1.0, 1.0)], n_functions=16)
    points = optimizer.ask(4)
    optimizer.tell(points, [p[0] ** 2 + p[1] ** 2 for p in points])
    batch = np.array(optimizer.ask(3))
    distances = np.linalg.norm(batch[:, None] - batch[None], axis=-1)[np.triu_indices(3, 1)]
    assert distances.min() > 1e-3


@pytest.mark.parametrize("one_by_one", [False, True])
def test_points_of_a_batch_and_those_not_told_yet_are_apart(one_by_one):
    for seed in range(3):
        optimizer = Optimizer([(-1.0, 1.0), (-1.0, 1.0)], random_state=seed)
        points = optimizer.ask(10)
        optimizer.tell(points, [(p[0] - 0.3) ** 2 + (p[1] + 0.4) ** 2 for p in points])
        batch = np.array([optimizer.ask() for _ in range(4)] if one_by_one else optimizer.ask(4))
        distances = np.abs(batch[:, None] - batch[None]).max(axis=-1)[np.triu_indices(4, 1)]
        assert distances.min() > 0.02  # a hundredth of the space
        assert len(optimizer._pending) == 4
        optimizer.tell([list(p) for p in batch], [0.0] * 4)
        assert not optimizer._pending
        assert optimizer.points[-4:] == [pytest.approx(list(p)) for p in batch]


def test_a_finite_space_gives_what_it_has():
    optimizer = Optimizer([Integer(0, 2), ["a", "b"]])
    points = optimizer.ask(10)
    assert len(points) == len({tuple(p) for p in points}) == 6
    optimizer.tell(points[:4], [1.0, 2.0, 3.0, 4.0])
    assert len(optimizer.ask(3)) == 2


def test_noise_and_failures():
    rng = np.random.default_rng(0)
    found = minimize(
        lambda p: float("nan") if p[0] > 0.9 else p[0] ** 2 + 0.05 * rng.normal(), [(-1.0, 1.0)],
        n_calls=15, noise_std=None, n_functions=16,
    )
    assert abs(found.x[0]) < 0.4


def test_points_that_failed_are_not_asked_again():
    asked = []

    def f(point):
        asked.append(tuple(point))
        return float("inf") if point[1] == "b" or point[0] > 5 else (point[0] - 4) ** 2

    space = [Integer(0, 9), ["a", "b"]]
    found = minimize(f, space, n_calls=18, n_functions=8)
    failed = [p for p in asked if p[1] == "b" or p[0] > 5]
    assert len(failed) == len(set(failed)) > 0
    assert found.x == [4, "a"] and found.fun == 0
    assert np.isinf(found.func_vals).sum() == len(failed)


@pytest.mark.parametrize("acquisition", ["expected_improvement", "lower_bound", "thompson"])
def test_it_stays_away_from_where_it_failed(acquisition):
    # The valley's bottom cannot be evaluated; its rim can. Halving what lies between fails every other time.
    shares = []
    for seed in range(3):
        found = minimize(
            lambda p: float("nan") if p[0] < 0.4 else p[0], [(0.0, 1.0)],
            n_calls=25, n_functions=8, acquisition=acquisition, random_state=seed,
        )
        shares.append(np.isnan(found.func_vals[8:]).mean())
        assert found.x[0] < 0.5
        failed = np.array(found.x_iters)[np.isnan(found.func_vals), 0]
        assert len(np.unique(failed)) == len(failed)
        later = np.array(found.x_iters[8:])[:, 0]
        assert later.min() > failed[:3].min()  # nothing deeper than what had failed already
    assert np.mean(shares) < 0.5


def test_where_everything_fails():
    calls = []
    found = minimize(lambda p: calls.append(p) or float("nan"), [["a", "b"], Integer(0, 2)], n_calls=50)
    assert len(calls) == 6
    assert found.x_iters == calls and found.x in calls and np.isnan(found.fun) and not found.is_feasible
    with pytest.raises(ValueError, match="all 6 points that were told have failed"):
        found.optimizer.best
    optimizer = Optimizer([["a", "b"]])
    optimizer.tell([["a"], ["b"]], [np.nan, np.inf])
    with pytest.raises(NoPointLeft, match="every point of the space has failed, 2 in all"):
        optimizer.ask()


def test_tempered_values_keep_their_order():
    values = np.array([3.0, 1.0, 2.0, 1e9, 5.0, 1e3])
    found = tempered(values)
    np.testing.assert_array_equal(np.argsort(found), np.argsort(values))
    assert found.max() < 25
    np.testing.assert_allclose(tempered(np.full(4, 7.0)), 0)


class Exact:
    """The textbook's formulas of a process with the variance 1, a mean that fits best and fixed lengths, by inverses."""

    def __init__(self, X, y, lengths, noise):
        self.X, self.lengths = X, lengths
        self.inverse = np.linalg.inv(self.covariance(X, X) + noise * np.eye(len(y)))
        self.mean = (self.inverse @ y).sum() / self.inverse.sum()
        self.away = y - self.mean

    def covariance(self, a, b):
        r = np.sqrt((((a[:, None] - b[None]) / self.lengths) ** 2).sum(axis=2))
        return (1 + np.sqrt(5) * r + 5 * r * r / 3) * np.exp(-np.sqrt(5) * r)

    def moments(self, rows):
        across = self.covariance(rows, self.X)
        return self.mean + across @ self.inverse @ self.away, self.covariance(rows, rows) - across @ self.inverse @ across.T


def noisy_rows():
    """Twelve rows with their values, standardised, a belief with known lengths and noise, and the same by the textbook."""
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 2)), rng.normal(size=12)
    y = (y - y.mean()) / y.std()
    lengths, noise = np.array([0.4, 0.9]), 0.3
    return X, y, GaussianProcess(X, y, None, Smoothness(lengths, noise)), Exact(X, y, lengths, noise)


def test_a_process_is_the_exact_posterior():
    X, y, found, exact = noisy_rows()
    rows = np.random.default_rng(1).random((5, 2))
    expected, covariance = exact.moments(rows)
    mean, std = found.moments(rows)
    np.testing.assert_allclose(mean, expected, rtol=1e-5)
    np.testing.assert_allclose(std, np.sqrt(np.diag(covariance)), rtol=1e-5)
    for drawn in (np.array([found.draw(seed)(rows) for seed in range(2000)]), found.values_at(rows, 2000, 0)):
        np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=4.5 * std.max() / np.sqrt(2000))
        np.testing.assert_allclose(drawn.std(axis=0), std, rtol=0.15)
    scaled = GaussianProcess(X, 5 + 3 * y, None, found.smoothness)
    np.testing.assert_allclose(scaled.moments(rows), [5 + 3 * mean, 3 * std], rtol=1e-8)


def test_a_process_that_is_told_the_function_at_some_rows():
    X, y, found, exact = noisy_rows()
    rng = np.random.default_rng(1)
    known, at, values = X[[2, 5]], rng.random((4, 2)), rng.normal(size=(3, 2))
    rows = np.vstack([at, known])
    mean, covariance = exact.moments(rows)
    gain = covariance[:4, 4:] @ np.linalg.inv(covariance[4:, 4:])
    means, std = found.given(known, values)(at)
    np.testing.assert_allclose(means, mean[:4, None] + gain @ (values - mean[4:]).T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(std**2, np.diag(covariance[:4, :4] - gain @ covariance[4:, :4]), rtol=1e-4)


def test_noisy_expected_improvement_is_what_draws_of_all_rows_together_say(monkeypatch):
    monkeypatch.setattr("postrider.experimental.optimize._process._DRAWS", 4000)
    X, y, found, exact = noisy_rows()
    at = np.vstack([np.random.default_rng(1).random((3, 2)), X[np.argmin(y)]])
    mean, covariance = exact.moments(np.vstack([X, at]))
    drawn = np.random.default_rng(2).multivariate_normal(mean, covariance, size=200_000)
    gains = np.maximum(drawn[:, :12].min(axis=1)[:, None] - drawn[:, 12:], 0)
    improvement = np.exp(Improvement(*found.least_at(X, seed=3))(at))
    # Near rows that were told next to nothing is left, but for what is added to the covariance's diagonal.
    np.testing.assert_allclose(improvement[:3], gains.mean(axis=0)[:3], rtol=0.06, atol=np.sqrt(_JITTER))
    assert (improvement[:3] > 10 * np.sqrt(_JITTER)).sum() >= 2
    # Where a row was told the function cannot be less than the least of those told.
    assert improvement[3] < 0.01 * improvement[:3].max()
    # Over the least mean it could: that is what asks the same point again and again.
    plain = Improvement.over(found.moments(X)[0].min(), found)(at)
    assert plain[3] > np.log(improvement[:3].min())


def test_most_probable_lengths_are_those_of_the_largest_density():
    # Gaussian in the logarithm, with a mean that is lower by the variance: the same curve as log-normal densities of lengths.
    objective = _Posterior(np.zeros((1, 3)), np.zeros(1), None)
    a, b = np.log(0.3), np.log(2.0)
    of_length = lognorm(s=np.sqrt(3), scale=np.exp(np.sqrt(2) + 0.5 * np.log(3)))
    of_noise = lognorm(s=1.0, scale=np.exp(-4.0))
    for column, density in ((0, of_length), (3, of_noise)):
        away = (np.array([a, b]) - objective.mean[column]) ** 2 / (2 * objective.variance[column])
        assert away[1] - away[0] == pytest.approx(density.logpdf(0.3) - density.logpdf(2.0))


@pytest.mark.parametrize("noise", [0.01, None])
def test_slopes_of_the_evidence(noise):
    rng = np.random.default_rng(1)
    objective = _Posterior(rng.random((15, 3)), rng.normal(size=15), noise)
    logs = 0.3 * rng.normal(size=len(objective.mean)) - 0.5
    steps = 1e-5 * np.eye(len(logs))
    expected = [(objective(logs + step)[0] - objective(logs - step)[0]) / 2e-5 for step in steps]
    np.testing.assert_allclose(objective(logs)[1], expected, rtol=1e-5, atol=1e-6)


def test_noise_that_is_known_is_the_least():
    rng = np.random.default_rng(3)
    X = rng.random((30, 2))
    smooth = np.sin(3 * X[:, 0]) + X[:, 1]
    known = GaussianProcess(X, smooth + 0.2 * rng.normal(size=30), 0.2)
    assert known.smoothness.noise >= (0.2 / known.scale) ** 2
    # Without noise: next to none is learned of a smooth function, and some of one that no lengths can follow.
    assert GaussianProcess(X, smooth, 0.0).smoothness.noise < 1e-4
    assert GaussianProcess(X, rng.normal(size=30), 0.0).smoothness.noise > 1e-3


def test_uphill_goes_to_the_top_within_bounds():
    top = np.array([0.3, 0.5, 0.9])

    def merit(rows):
        return -((rows - top) ** 2 @ np.array([1.0, 5.0, 2.0]))

    rows = np.random.default_rng(0).random((4, 3))
    found = uphill(merit, rows, np.array([0, 2]), np.zeros(2), np.array([1.0, 0.8]))
    np.testing.assert_allclose(found[:, 0], 0.3, atol=1e-4)
    np.testing.assert_allclose(found[:, 2], 0.8, atol=1e-4)
    np.testing.assert_array_equal(found[:, 1], rows[:, 1])
    assert uphill(merit, rows, np.array([], dtype=int), np.zeros(0), np.zeros(0)) is rows


def test_where_the_search_starts():
    rows, values = np.arange(40.0)[:, None], np.linspace(0, 1, 40)
    found = starts(rows, values, np.random.default_rng(0))[:, 0]
    assert len(set(found)) == STARTS
    assert set(found[:2]) == {38, 39}
    assert len(starts(rows[:3], values[:3], np.random.default_rng(0))) == 3


def test_networks_take_over(monkeypatch):
    monkeypatch.setattr("postrider.experimental.optimize._surrogates.ROWS_FOR_NETWORKS", 12)
    found = minimize(lambda p: (p[0] - 0.3) ** 2, [(-1.0, 1.0)], n_calls=16, n_functions=8)
    assert found.fun < 0.01
    assert found.optimizer._surrogate._networks is not None


@pytest.mark.parametrize("acquisition", ["expected_improvement", "lower_bound", "thompson"])
def test_constraints_are_held(acquisition):
    # The least value of all, at (0, 0), breaks the constraint x + y >= 0.6.
    found = minimize(
        lambda p: (p[0] ** 2 + p[1] ** 2, [0.6 - p[0] - p[1]]), [(0.0, 1.0), (0.0, 1.0)],
        n_calls=30, n_constraints=1, acquisition=acquisition,
    )
    assert found.is_feasible
    assert sum(found.x) >= 0.6
    assert 0.18 <= found.fun < 0.22


def test_constraints_that_nothing_holds():
    found = minimize(lambda p: (p[0], [1.0 + p[0]]), [(0.0, 1.0)], n_calls=12, n_constraints=1)
    assert not found.is_feasible
    assert found.x[0] < 0.1  # misses by least
    optimizer = Optimizer([(0.0, 1.0)], n_constraints=2)
    with pytest.raises(ValueError, match=r"constraints have the shape \(1, 1\): must be \(1, 2\)"):
        optimizer.tell([0.5], 1.0, [0.0])


def test_only_feasible_points_are_asked():
    def feasible(point):
        return point[0] + point[1] > 1.2

    found = minimize(lambda p: p[0] ** 2 + p[1] ** 2, [(0.0, 1.0), (0.0, 1.0)], n_calls=25, feasible=feasible)
    assert all(map(feasible, found.x_iters))
    assert found.fun < 0.8
    with pytest.raises(NoPointLeft, match="no point is left that is feasible"):
        Optimizer([(0.0, 1.0)], feasible=lambda point: False).ask()


def test_a_pool_is_searched():
    rng = np.random.default_rng(0)
    pool = [list(row) for row in rng.random((300, 2))]
    values = np.array([(x - 0.3) ** 2 + (y - 0.7) ** 2 for x, y in pool])
    optimizer, left = Optimizer([(0.0, 1.0), (0.0, 1.0)]), list(range(300))
    for _ in range(8):
        places = optimizer.ask_among([pool[k] for k in left], 3)
        assert len(set(places)) == 3
        chosen = [left[place] for place in places]
        optimizer.tell([pool[k] for k in chosen], values[chosen])
        left = [k for k in left if k not in chosen]
    assert optimizer.best[1] == values.min()
    assert isinstance(optimizer.ask_among([pool[k] for k in left]), int)


def test_pools_of_frames_and_before_anything_was_told():
    pandas = pytest.importorskip("pandas")
    pool = np.random.default_rng(0).uniform(-1, 1, size=(50, 2))
    optimizer = Optimizer([(-1.0, 1.0), (-1.0, 1.0)])
    places = optimizer.ask_among(pool.tolist(), 9)
    assert len(set(places)) == 9
    optimizer.tell(pandas.DataFrame(pool[places]), pandas.Series((pool[places] ** 2).sum(axis=1)))
    assert len(optimizer.values) == 9
    left = np.delete(pool, places, axis=0)
    again = Optimizer([(-1.0, 1.0), (-1.0, 1.0)])
    again.tell(pool[places], (pool[places] ** 2).sum(axis=1))
    assert optimizer.ask_among(pandas.DataFrame(left)) in range(len(left))
    assert 0 <= again.ask_among(left) < len(left)
    with pytest.raises(ValueError, match="a point is 0.4: must be a list of 1"):
        Optimizer([(0.0, 1.0)]).tell([0.4, 0.5], [1.0, 2.0])


def test_boxes_follow_their_luck():
    region = Region(Space([(0.0, 1.0)] * 2))
    region.follow(1.0, 1)
    for count, best in ((2, 0.9), (3, 0.8)):
        region.follow(best, count)
    assert region.side == 0.8
    for count in range(4, 8):
        region.follow(0.8, count)
    assert region.side == 0.4
    rows = Space([(0.0, 1.0)] * 2).random(200, np.random.default_rng(0))
    inside = region.inside(np.array([0.5, 0.5]), rows)
    assert 0 < len(inside) < 200 and np.abs(inside - 0.5).max() <= 0.2


def test_a_finite_space_is_tried_whole():
    values = [5, 3, 6, 2, 7, 1, 8, 4, 0, 9]
    found = minimize(lambda p: float(values[p[0]]), [Integer(0, 9)], n_calls=30)
    assert sorted(p[0] for p in found.x_iters) == list(range(10))
    assert found.x == [8]
    for acquisition in ("expected_improvement", "lower_bound", "thompson"):
        optimizer = Optimizer([Integer(0, 9)], n_initial=0, acquisition=acquisition)
        optimizer.tell([[0], [1], [2], [5]], [9.0, 4.0, 1.0, 4.0])
        assert sorted(p[0] for p in optimizer.ask(6)) == [3, 4, 6, 7, 8, 9]
    assert minimize(lambda p: 1.0, [Integer(0, 1000)], n_calls=5, feasible=lambda p: p[0] == 777).x == [777]
    assert len({tuple(p) for p in Optimizer([Integer(0, 2)]).ask(3)}) == 3


def test_past_values_count():
    rng = np.random.default_rng(0)
    optimizer = Optimizer([(0.0, 1.0)] * 2, random_state=3)
    points = rng.random((30, 2))
    optimizer.tell(points, ((points - 0.4) ** 2).sum(axis=1))
    assert np.abs(np.array(optimizer.ask()) - 0.4).max() < 0.15
    empty = Optimizer([(0.0, 1.0)] * 2, random_state=3)
    assert empty.ask() != optimizer.ask()


def test_pools_know_what_may_not_be_asked():
    optimizer = Optimizer([(0.0, 1.0)] * 2, feasible=lambda p: p[0] < 0.1)
    assert optimizer.ask_among([[0.5, 0.5], [0.05, 0.9]]) == 1
    optimizer.tell([0.05, 0.9], np.nan)
    with pytest.raises(NoPointLeft, match="0 of the points are feasible and have not failed"):
        optimizer.ask_among([[0.5, 0.5], [0.05, 0.9]])
    with pytest.raises(ValueError, match="points are empty"):
        optimizer.ask_among([])


def test_what_is_wrong_is_said_and_not_learned():
    optimizer = Optimizer([(0.0, 1.0)])
    for points, values in (([[0.2], [0.3]], [1.0]), ([[0.2], [7.0]], [1.0, 2.0])):
        with pytest.raises(ValueError):
            optimizer.tell(points, values)
    assert optimizer.values == []
    for wrong in (None, "a", [1.0, 2.0]):
        with pytest.raises(ValueError, match="f returned .*: must be a number"):
            minimize(lambda p, wrong=wrong: wrong, [(0.0, 1.0)], n_calls=3)
    with pytest.raises(ValueError, match="must be a number and a sequence of 1"):
        minimize(lambda p: 1.0, [(0.0, 1.0)], n_calls=3, n_constraints=1)
    assert minimize(lambda p: (p[0], 0.5 - p[0]), [(0.0, 1.0)], n_calls=12, n_constraints=1).x[0] == pytest.approx(0.5, abs=0.02)
    for options in ({"noise_std": "a"}, {"kappa": -1}, {"feasible": 3}, {"random_state": -1}, {"n_initial": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(options))} = "):
            Optimizer([(0.0, 1.0)], **options)
    for count in (0, -1, 2.5):
        with pytest.raises(ValueError, match="count = "):
            optimizer.ask(count)
    with pytest.raises(ValueError, match="must have whole ends"):
        Integer(0.5, 3)


def test_no_warnings_of_its_own_model():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        minimize(lambda p: p[0] ** 2, [(-1.0, 1.0)], n_calls=6, n_functions=8)


@pytest.mark.parametrize("n_calls", [0, -1, 2.5])
def test_a_number_of_calls_that_makes_no_sense(n_calls):
    with pytest.raises(ValueError, match=f"n_calls = {n_calls}: must be a whole number of at least 1"):
        minimize(lambda p: p[0], [(0.0, 1.0)], n_calls=n_calls)


def test_a_callback_may_end_it():
    assert len(minimize(lambda p: p[0], [(0.0, 1.0)], n_calls=9, callback=lambda o: len(o.values) == 4).func_vals) == 4


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="acquisition"):
        Optimizer([(0.0, 1.0)], acquisition="luck")
    with pytest.raises(ValueError, match="noise_std"):
        Optimizer([(0.0, 1.0)], noise_std=-1.0)
    with pytest.raises(ValueError, match="nothing"):
        Optimizer([(0.0, 1.0)]).best

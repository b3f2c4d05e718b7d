"""Models against exact solutions: closed forms, dense matrices, and sums over fine grids."""

import math
import pickle

import numpy as np
import pytest
from grids import posterior_on_grid
from scipy import stats
from scipy.special import expit, log_ndtr

import postrider
from postrider import Model


def random_rows(rows, columns, seed, correlation=1.5):
    random = np.random.default_rng(seed)
    common = random.normal(size=(rows, 1))
    return correlation * common + random.normal(size=(rows, columns))


# --- expressions -------------------------------------------------------------------------------------


def test_expressions_are_what_numpy_makes_of_the_same_numbers():
    model = Model()
    x = model.normal(0, 1, shape=(2, 3))
    y = model.normal(0, 1, shape=3)
    values = np.random.default_rng(0).normal(size=9)
    a, b = values[:6].reshape(2, 3), values[6:]
    matrix = np.arange(6.0).reshape(2, 3)

    def value(z):
        return (z.constant + (z.weights * values[z.of_each_row()]).sum(axis=1)).reshape(z.shape)

    for ours, theirs in [
        (x + y, a + b),
        (2 * x - y / 4 + 1, 2 * a - b / 4 + 1),
        (-x[1], -a[1]),
        (x[:, 2] - x[0, 0], a[:, 2] - a[0, 0]),
        (x.T, a.T),
        (x.reshape(6), a.reshape(6)),
        (matrix @ y, matrix @ b),
        (matrix @ (y + x[1] + 3), matrix @ (b + a[1] + 3)),
        (x[0] @ b, a[0] @ b),
        (np.array([1.0, 2, 3]) * y, np.array([1.0, 2, 3]) * b),
        (y - 5 + y, 2 * b - 5),
        (x.sum(), a.sum()),
        (np.arange(3) - y, np.arange(3) - b),
    ]:
        assert ours.shape == np.shape(theirs)
        np.testing.assert_allclose(value(ours), theirs, atol=1e-12)


def test_sparse_matrices_are_taken_as_they_are():
    sparse = pytest.importorskip("scipy.sparse")
    X = np.where(np.random.default_rng(1).random((7, 4)) < 0.4, 1.5, 0.0)
    y = np.linspace(-1, 1, 7)
    found = []
    for matrix in (X, sparse.csr_matrix(X)):
        model = Model()
        w = model.normal(0, 1, shape=4)
        model.normal(matrix @ w, 0.5, observed=y)
        found.append(model.infer())
    np.testing.assert_allclose(found[0][w].mean, found[1][w].mean, atol=1e-12)
    assert found[0].log_evidence == pytest.approx(found[1].log_evidence, abs=1e-10)


# --- linear and Gaussian -------------------------------------------------------------------------------


def test_a_regression_with_correlated_columns_is_exact():
    X = random_rows(40, 6, 2, correlation=3)
    y = np.random.default_rng(3).normal(size=40)
    model = Model()
    w = model.normal(0.5, 2, shape=6)
    model.normal(X @ w + 1, 0.7, observed=y)
    posterior = model.infer()
    precision = np.eye(6) / 4 + X.T @ X / 0.49
    covariance = np.linalg.inv(precision)
    mean = covariance @ (X.T @ (y - 1) / 0.49 + 0.5 / 4)
    np.testing.assert_allclose(posterior[w].mean, mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(posterior[w].sd, np.sqrt(np.diag(covariance)), rtol=1e-9)
    exact = stats.multivariate_normal(
        X @ np.full(6, 0.5) + 1, 0.49 * np.eye(40) + 4 * X @ X.T
    ).logpdf(y)
    assert posterior.log_evidence == pytest.approx(exact, abs=1e-8)
    # Combinations know their correlations.
    contrast = w[0] - w[1]
    a = np.array([1, -1, 0, 0, 0, 0])
    assert posterior[contrast].sd == pytest.approx(math.sqrt(a @ covariance @ a), rel=1e-9)
    assert posterior.engine == "exact"
    assert posterior.check().verdict == "certified"


def test_constant_velocity_is_a_chain():
    F, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[0.3, 0.15], [0.15, 0.2]])
    y = np.cumsum(np.random.default_rng(4).normal(size=30))
    model = Model()
    x = model.chain(F, Q, length=30, initial_covariance=10 * np.eye(2))
    model.normal(x[:, 0], 0.8, observed=y)
    posterior = model.infer()
    # The covariance of all states, step by step.
    big = np.zeros((60, 60))
    now = 10 * np.eye(2)
    for t in range(30):
        if t:
            now = F @ now @ F.T + Q
        cross = now
        for s in range(t, 30):
            big[2 * s : 2 * s + 2, 2 * t : 2 * t + 2] = cross
            big[2 * t : 2 * t + 2, 2 * s : 2 * s + 2] = cross.T
            cross = F @ cross
    H = np.zeros((30, 60))
    H[np.arange(30), 2 * np.arange(30)] = 1
    S = H @ big @ H.T + 0.64 * np.eye(30)
    gain = big @ H.T @ np.linalg.inv(S)
    mean, covariance = gain @ y, big - gain @ H @ big
    np.testing.assert_allclose(posterior[x].mean.ravel(), mean, atol=1e-8)
    # The reference subtracts covariances that grow to thousands.
    np.testing.assert_allclose(posterior[x].sd.ravel(), np.sqrt(np.diag(covariance)), rtol=1e-7)
    exact = stats.multivariate_normal(np.zeros(30), S).logpdf(y)
    assert posterior.log_evidence == pytest.approx(exact, abs=1e-8)


def test_a_gaussian_process_at_scattered_points():
    points = np.sort(np.random.default_rng(5).random(20) * 5)
    K = np.exp(-0.5 * (points[:, None] - points) ** 2) + 1e-6 * np.eye(20)
    y = np.sin(points)
    model = Model()
    f = model.multivariate_normal(0, K)
    model.normal(f, 0.1, observed=y)
    posterior = model.infer()
    S = K + 0.01 * np.eye(20)
    np.testing.assert_allclose(posterior[f].mean, K @ np.linalg.solve(S, y), atol=1e-6)
    exact = stats.multivariate_normal(np.zeros(20), S).logpdf(y)
    assert posterior.log_evidence == pytest.approx(exact, abs=1e-6)


# --- hyperparameters ---------------------------------------------------------------------------------


def test_eight_schools():
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    s = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    model = Model()
    tau = model.half_normal(10, name="tau")
    mu = model.normal(0, 10)
    theta = model.normal(mu + np.zeros(8), tau)
    model.normal(theta, s, observed=y)
    posterior = model.infer()
    # Given tau the model is Gaussian; a fine grid over log tau does the rest.
    g = np.linspace(-14, 6, 4001)
    log_p, means, seconds = np.empty(len(g)), np.empty((len(g), 8)), np.empty((len(g), 8))
    for k, t in enumerate(np.exp(g)):
        prior = 100 + t * t * np.eye(8)
        S = prior + np.diag(s**2)
        log_p[k] = (
            stats.multivariate_normal(np.zeros(8), S).logpdf(y) + stats.halfnorm(scale=10).logpdf(t) + g[k]
        )
        gain = prior @ np.linalg.inv(S)
        means[k] = gain @ y
        seconds[k] = np.diag(prior - gain @ prior) + means[k] ** 2
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    mean = p @ means
    sd = np.sqrt(p @ seconds - mean**2)
    np.testing.assert_allclose((posterior[theta].mean - mean) / sd, 0, atol=0.005)
    np.testing.assert_allclose(posterior[theta].sd / sd, 1, atol=0.005)
    evidence = log_p.max() + math.log(np.exp(log_p - log_p.max()).sum() * (g[1] - g[0]))
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.005)
    assert posterior[tau].mean == pytest.approx(p @ np.exp(g), rel=0.01)
    assert "nodes of tau" in posterior.engine
    low, high = posterior[theta].interval(0.9)
    draws = posterior.sample(4000, seed=1)[theta]
    share = ((draws > low) & (draws < high)).mean()
    assert share == pytest.approx(0.9, abs=0.02)


def test_an_autoregression_whose_coefficient_is_unknown():
    random = np.random.default_rng(6)
    states = [0.0]
    for _ in range(40):
        states.append(0.8 * states[-1] + random.normal())
    y = np.array(states) + 0.5 * random.normal(size=41)
    model = Model()
    phi = model.uniform(-1, 1, name="phi")
    x = model.chain(phi, 1.0, length=41, initial_covariance=2.0)
    model.normal(x[:, 0], 0.5, observed=y)
    posterior = model.infer()

    def log_evidence(p):
        steps = np.zeros((41, 41))
        steps[0, 0] = 2
        for t in range(1, 41):
            steps[t, :t] = p * steps[t - 1, :t]
            steps[:t, t] = steps[t, :t]
            steps[t, t] = p * p * steps[t - 1, t - 1] + 1
        return stats.multivariate_normal(np.zeros(41), steps + 0.25 * np.eye(41)).logpdf(y)

    means, sds, evidence = posterior_on_grid(
        np.vectorize(lambda p: log_evidence(p) - math.log(2)), np.linspace(-0.999, 0.999, 1500)
    )
    assert posterior[phi].mean == pytest.approx(means[0], abs=0.01 * sds[0])
    assert posterior[phi].sd == pytest.approx(sds[0], rel=0.01)
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.01)


# --- likelihoods -------------------------------------------------------------------------------------


LIKELIHOODS = {
    "logit": (
        lambda m, z: m.bernoulli(z, observed=_labels),
        lambda z: np.log(expit(np.where(_labels, z, -z))),
    ),
    "probit": (
        lambda m, z: m.bernoulli(z, observed=_labels, link="probit"),
        lambda z: log_ndtr(np.where(_labels, z, -z)),
    ),
    "poisson": (lambda m, z: m.poisson(z, observed=_counts), lambda z: stats.poisson.logpmf(_counts, np.exp(z))),
    "binomial": (
        lambda m, z: m.binomial(z, 5, observed=_counts),
        lambda z: stats.binom.logpmf(_counts, 5, expit(z)),
    ),
    "negative_binomial": (
        lambda m, z: m.negative_binomial(z, 2.5, observed=_counts),
        lambda z: stats.nbinom.logpmf(_counts, 2.5, 2.5 / (2.5 + np.exp(z))),
    ),
    "student_t": (
        lambda m, z: m.student_t(z, 0.8, 4, observed=_heavy),
        lambda z: stats.t.logpdf(_heavy, 4, z, 0.8),
    ),
    "ordinal": (
        lambda m, z: m.ordinal(z, [-0.5, 0.8], observed=_levels),
        lambda z: np.log(np.choose(_levels, _levels_at(z))),
    ),
}
_X = random_rows(20, 2, 7)
_random = np.random.default_rng(8)
_labels = _random.random(20) < expit(_X @ [1.0, -0.7])
_counts = np.minimum(_random.poisson(np.exp(np.clip(_X @ [0.4, -0.3], -3, 1.5))), 5)
_heavy = _X @ [1.0, -0.5] + _random.standard_t(2, size=20)
_levels = np.digitize(_X @ [1.0, -0.5] + _random.normal(size=20), [-0.5, 0.8])


def _levels_at(z):
    low, high = stats.norm.cdf(-0.5 - z), stats.norm.cdf(0.8 - z)
    return [low, high - low, 1 - high]


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_likelihoods_of_correlated_columns(name):
    observe, log_likelihood = LIKELIHOODS[name]
    model = Model()
    w = model.normal(0, 1, shape=2)
    observe(model, _X @ w)
    posterior = model.infer()
    axis = np.linspace(-5, 5, 301)

    def log_density(a, b):
        z = a[..., None] * _X[:, 0] + b[..., None] * _X[:, 1]
        with np.errstate(divide="ignore"):
            return stats.norm.logpdf(a) + stats.norm.logpdf(b) + log_likelihood(z).sum(axis=-1)

    means, sds, evidence = posterior_on_grid(log_density, axis, axis)
    np.testing.assert_allclose((posterior[w].mean - means) / sds, 0, atol=0.03)
    np.testing.assert_allclose(posterior[w].sd / sds, 1, atol=0.05)
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.05)
    assert posterior.converged
    assert posterior.engine == "expectation propagation"


def test_a_density_of_ones_own_is_the_one_with_a_name():
    posteriors = []
    for named in (True, False):
        model = Model()
        w = model.normal(0, 1, shape=2)
        z = _X @ w + 0.3
        if named:
            model.bernoulli(z, observed=_labels)
        else:
            model.density(
                lambda rows, z: np.log(expit(np.where(_labels[rows], z, -z))), z, log_concave=True
            )
        posteriors.append(model.infer())
    np.testing.assert_allclose(posteriors[0][w].mean, posteriors[1][w].mean, atol=1e-8)
    assert posteriors[0].log_evidence == pytest.approx(posteriors[1].log_evidence, abs=1e-8)


def test_products_of_unknown_numbers():
    # Three numbers that are u v with noise: two modes would be left by means of zero, so u leans to one side.
    y = np.array([1.9, 2.3, 2.1])
    model = Model()
    u, v = model.normal(1, 0.7), model.normal(0, 2)
    model.normal((u + np.zeros(3)) * v, 0.4, observed=y)
    posterior = model.infer()
    axis = np.linspace(-8, 8, 801)
    means, sds, _ = posterior_on_grid(
        lambda a, b: stats.norm.logpdf(a, 1, 0.7)
        + stats.norm.logpdf(b, 0, 2)
        + sum(stats.norm.logpdf(t, a * b, 0.4) for t in y),
        axis,
        axis,
    )
    found = np.array([posterior[u].mean, posterior[v].mean])
    np.testing.assert_allclose((found - means) / sds, 0, atol=0.3)


def test_items_and_persons():
    random = np.random.default_rng(9)
    ability, slope, difficulty = random.normal(size=40), 1 + 0.5 * random.random(6), random.normal(size=6)
    answers = random.random((40, 6)) < stats.norm.cdf(slope * (ability[:, None] - difficulty))
    model = Model()
    theta = model.normal(0, 1, shape=40)
    a, b = model.normal(1, 0.5, shape=6), model.normal(0, 1, shape=6)
    score = (a + np.zeros((40, 6))) * (theta.reshape(40, 1) - b)
    model.bernoulli(score, observed=answers, link="probit")
    posterior = model.infer()
    assert np.corrcoef(posterior[theta].mean, ability)[0, 1] > 0.8
    gap = (posterior[theta].mean - ability) / posterior[theta].sd
    assert 0.7 < gap.std() < 1.3


# --- words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda m, x: m.normal(x, 1, observed=[1.0, 2.0]), "observed has the shape (2,), what it is about (3,)"),
        (lambda m, x: m.poisson(x, observed=[1, 2, -1]), "poisson: observed[2] = -1: must be a whole number of at least 0"),
        (lambda m, x: m.bernoulli(x, observed=[0, 1, 2]), "bernoulli: observed[2] = 2: must be 0 or 1"),
        (lambda m, x: m.normal(x, 0, observed=[1, 2, 3]), "deviations[0] = 0: must be above 0"),
        (lambda m, x: m.normal(x, 1, observed=["a", "b", "c"]), "observed: must be numbers"),
        (lambda m, x: m.normal(x, 1, observed=[1, 2, np.nan]), "observed: must be finite"),
        (lambda m, x: m.bernoulli(x, observed=[0, 1, 1], link="cloglog"), "link = 'cloglog': must be one of"),
        (lambda m, x: m.bernoulli(x * x, observed=[0, 1, 1]), 'needs link="probit"'),
        (lambda m, x: np.ones((2, 4)) @ x, "X has the shape (2, 4), and w has 3 numbers"),
        (lambda m, x: m.half_normal(-1), "scale = -1: must be a finite number above 0"),
        (lambda m, x: m.uniform(2, 1), "low below high"),
        (lambda m, x: m.poisson(x * m.half_normal(1), observed=[1, 2, 3]), "a hyperparameter acts on unknown numbers through"),
        (lambda m, x: m.multivariate_normal(0, -np.eye(2)), "covariance: must be positive definite"),
    ],
)
def test_mistakes_are_named(write, said):
    model = Model()
    x = model.normal(0, 1, shape=3)
    with pytest.raises(ValueError) as caught:
        write(model, x)
        model.infer()
    assert said in str(caught.value)


def test_a_model_without_unknown_numbers_is_refused():
    with pytest.raises(ValueError, match="no unknown numbers"):
        Model().infer()
    assert postrider.Model is Model


def test_posteriors_are_pickled():
    model = Model()
    noise = model.half_normal(1, name="noise")
    w = model.normal(0, 1, shape=2)
    model.normal(_X @ w, noise, observed=_heavy)
    model.uniform(-1, 1)
    before = model.infer()
    after, x = pickle.loads(pickle.dumps((before, w)))
    np.testing.assert_array_equal(after[x].mean, before[w].mean)
    np.testing.assert_allclose(after[x[0] - x[1]].sd, before[w[0] - w[1]].sd, rtol=1e-9)
    assert after.log_evidence == before.log_evidence
    assert len(after.sample(10)) == 10


def test_check_says_what_it_finds():
    model = Model()
    w = model.normal(0, 1, shape=2)
    model.bernoulli(_X @ w, observed=_labels)
    check = model.infer().check()
    assert check.verdict == "certified"
    assert check.pareto_k < 0.7
    assert "draws count" in str(check)

"""Factor graphs, against dense linear algebra and scipy."""

import math
import shutil
import signal
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

from postrider import FactorGraph, Gaussian, GaussianArray, make_density, make_deterministic, make_factor

EXACT = 1e-10  # rounding of elimination over some hundred variables
LOOPY = 1e-8  # sweeps stop at a change of 1e-10


class DenseWalk:
    """x[0] ~ N(0, 4), x[i+1] ~ N(x[i], step), y[i] ~ N(x[i], noise): a joint Gaussian."""

    def __init__(self, count, step, noise, seen, values):
        self.prior = 4 + step * np.minimum.outer(np.arange(count), np.arange(count))
        pick = np.eye(count)[seen]
        total = pick @ self.prior @ pick.T + noise * np.eye(len(seen))
        gain = np.linalg.solve(total, pick @ self.prior).T
        self.mean = gain @ values
        self.variance = np.diag(self.prior - gain @ pick @ self.prior)
        self.log_evidence = stats.multivariate_normal.logpdf(values, np.zeros(len(seen)), total)


def walk(count, step, noise, seen, values):
    graph = FactorGraph()
    x, y = graph.add_variables(count), graph.add_variables(len(seen))
    graph.set_prior(x[0], Gaussian(0.0, 4.0))
    if count > 1:
        graph.add_plate("gaussian_likelihood", np.column_stack([x[1:], x[:-1]]), variance=step)
    graph.add_plate("gaussian_likelihood", np.column_stack([y, x[seen]]), variance=noise)
    graph.observe(y, values)
    return graph, x


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_walk_is_the_dense_posterior(data):
    count = data.draw(st.integers(1, 60))
    seen = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1)))
    values = np.array(
        data.draw(st.lists(st.floats(-50, 50), min_size=len(seen), max_size=len(seen)))
    )
    step, noise = data.draw(st.floats(0.01, 10)), data.draw(st.floats(0.01, 10))
    expected = DenseWalk(count, step, noise, seen, values)
    graph, x = walk(count, step, noise, seen, values)
    record = graph.run()
    assert record.converged
    found = graph.marginal(x)
    scale = np.abs(values).max() + math.sqrt(4 + step * count)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=0, atol=EXACT * scale)
    np.testing.assert_allclose(found.variance, expected.variance, rtol=EXACT)
    assert graph.log_evidence() == pytest.approx(expected.log_evidence, rel=EXACT, abs=1e-8)


@pytest.mark.parametrize("schedule", ["sweeps", "residual"])
def test_loops_have_the_exact_means(schedule):
    generator = np.random.default_rng(3)
    graph = FactorGraph()
    x = graph.add_variables((4, 5))
    graph.set_prior(x, GaussianArray.from_moments(generator.normal(size=x.shape), 1.0))
    pairs = np.concatenate(
        [
            np.stack([x[1:], x[:-1]], axis=-1).reshape(-1, 2),
            np.stack([x[:, 1:], x[:, :-1]], axis=-1).reshape(-1, 2),
        ]
    )
    graph.add_plate("gaussian_likelihood", pairs, variance=2.0)
    mean = graph.marginal(x.ravel()).mean  # before anything was sent: the priors
    precision = np.eye(x.size)
    for a, b in pairs:
        precision[[a, b], [a, b]] += 0.5
        precision[[a, b], [b, a]] -= 0.5
    record = graph.run(schedule, limit=500)
    assert record.converged
    assert record.change[-1] <= 1e-10
    expected = np.linalg.solve(precision, mean)
    np.testing.assert_allclose(graph.marginal(x.ravel()).mean, expected, atol=LOOPY)
    with pytest.raises(ValueError, match="the graph has a loop"):
        graph.run("tree")


def test_plate_is_the_same_as_factors():
    plate, _ = walk(30, 0.5, 1.0, list(range(30)), np.sin(np.arange(30.0)))
    plate.run()
    single = FactorGraph()
    x, y = single.add_variables(30), single.add_variables(30)
    single.set_prior(x[0], Gaussian(0.0, 4.0))
    for i in range(29):
        single.add_factor("gaussian_likelihood", [x[i + 1], x[i]], variance=0.5)
    noise = make_factor("gaussian_likelihood", variance=1.0)
    for i in range(30):
        single.add_factor(noise, (y[i], x[i]))
        single.observe(y[i], math.sin(i))
    single.run()
    assert single.marginal(x) == plate.marginal(x)
    assert single.factor_count == plate.factor_count == 59


def test_observations_come_and_go():
    graph = FactorGraph()
    room, shown = graph.add_variable("room"), graph.add_variables(2)
    graph.set_prior(room, Gaussian(20.0, 25.0))
    nodes = [
        graph.add_factor("gaussian_likelihood", [shown[i], room], variance=v)
        for i, v in enumerate((1.0, 0.25))
    ]
    graph.observe(shown, [23.1, 22.4])
    graph.run()
    precision = 1 / 25 + 1 + 4
    assert graph.marginal(room).variance == pytest.approx(1 / precision, rel=EXACT)
    mean = (20 / 25 + 23.1 + 4 * 22.4) / precision
    assert graph.marginal(room).mean == pytest.approx(mean, rel=EXACT)
    assert graph.message(nodes[0], "x") == Gaussian(23.1, 1.0)
    assert graph.incoming(nodes[0], 0) == Gaussian.point_mass(23.1)
    graph.forget(shown[0])
    record = graph.update()
    assert record.messages > 0
    assert graph.marginal(room).variance == pytest.approx(1 / (1 / 25 + 4), rel=EXACT)
    graph.reset()
    assert graph.marginal(room) == Gaussian(20.0, 25.0)


def test_messages_of_a_plate_are_an_array():
    graph, x = walk(5, 1.0, 1.0, [0, 4], np.array([1.0, 2.0]))
    node = graph.add_plate("gaussian_prior", x[:, None], mean=1.0, variance=3.0)
    graph.run()
    assert graph.message(node, "x") == GaussianArray.from_moments(np.ones(5), 3.0)
    rest = graph.incoming(node, "x")
    both = rest * graph.message(node, "x")
    np.testing.assert_allclose(both.mean, graph.marginal(x).mean, rtol=EXACT)


def test_absorbing_is_learning_one_by_one():
    graph = FactorGraph()
    x, y = graph.add_variables(2)
    graph.set_prior(x, Gaussian(0.0, 1.0))
    node = graph.add_factor("gaussian_likelihood", [y, x], variance=1.0)
    for value in (1.0, 3.0):
        graph.observe(y, value)
        assert graph.send(node, "x").messages == 1
        graph.absorb(x)
    assert graph.marginal(x).mean == pytest.approx(4 / 3, rel=EXACT)
    assert graph.marginal(x).variance == pytest.approx(1 / 3, rel=EXACT)


def test_rules_are_chosen_by_name():
    graph = FactorGraph()
    z, x, y = graph.add_variables(3)
    graph.set_prior([x, y], GaussianArray.from_moments([1.0, 2.0], 1.0))
    node = graph.add_factor("product", [z, x, y])
    graph.observe(z, 3.0)
    for edge in ("x", "y"):
        graph.set_rule(node, edge, "direct")
    graph.run()
    # The direct message to x of z = x y: t = m^2/(m^2 + v), rho = t^3 m^2/((1 - t) z^2).
    t = 4 / 5
    assert graph.message(node, "x").precision == pytest.approx(t**3 * 4 / ((1 - t) * 9), rel=EXACT)
    with pytest.raises(ValueError, match="product: no rule 'exact' towards edge x"):
        graph.set_rule(node, "x", "exact")
    with pytest.raises(ValueError, match="product: no edge 'w'; there are: z, x, y"):
        graph.set_rule(node, "w", "direct")
    with pytest.raises(ValueError, match='rule = "best": must be one of: exact, direct'):
        graph.set_rule(node, "x", "best")


def test_policies_settle_contradictions():
    graph = FactorGraph()
    x, one, two = (graph.add_variable(name) for name in ("x", "one", "two"))
    graph.set_prior(x, Gaussian(0.0, 100.0))
    copies = graph.add_plate("linear", [[one, x], [two, x]], weights=[1.0])
    graph.observe([one, two], [3.0, 5.0])
    with pytest.raises(RuntimeError, match=r"linear\[1\] -> x"):
        graph.run()
    graph.reset()
    graph.set_policy(copies, "skip")
    record = graph.run()
    assert (record.improper, record.skipped) == (1, 1)
    assert record.improper_edges == ["linear[1] -> x"]
    assert graph.marginal(x) == Gaussian.point_mass(3.0)


def test_function_of_ones_own():
    graph = FactorGraph()
    y, x = graph.add_variables(2)
    graph.set_prior(x, Gaussian(0.5, 2.0))
    graph.add_factor(make_deterministic(lambda value: 3 * value + 1, name="line"), [y, x])
    graph.run(limit=5)
    assert graph.marginal(y).mean == pytest.approx(2.5, rel=1e-8)
    assert graph.marginal(y).variance == pytest.approx(18, rel=1e-8)

    def broken(value):
        raise ZeroDivisionError("in a function of one's own")

    graph.add_factor(make_deterministic(broken), [graph.add_variable(), x])
    with pytest.raises(ZeroDivisionError, match="one's own"):
        graph.run()


def slow_graph():
    """A loop that never settles below a tolerance of 0 within a test's patience."""
    graph = FactorGraph()
    x = graph.add_variables(300)
    graph.set_prior(x, GaussianArray.from_moments(np.arange(300.0), 1.0))
    graph.add_plate("gaussian_likelihood", np.column_stack([x, np.roll(x, 1)]), variance=1e-6)
    return graph, x


@pytest.mark.parametrize("schedule", ["sweeps", "residual"])
def test_a_run_that_does_not_converge_warns(schedule):
    graph, _ = slow_graph()
    with pytest.warns(ConvergenceWarning, match=rf"{schedule}: not converged within limit=2, and"):
        record = graph.run(schedule, limit=2)
    assert not record.converged
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not graph.run(schedule, limit=2, progress=lambda record: False).converged
        graph, *_ = walk(5, 0.3, 0.5, np.array([1, 3]), np.array([0.2, -0.4]))
        assert graph.run(schedule).converged


def test_a_record_prints_what_it_has():
    graph, *_ = walk(5, 0.3, 0.5, np.array([1, 3]), np.array([0.2, -0.4]))
    record = graph.run()
    told = dict(pair.split("=") for pair in repr(record)[len("Record(") : -1].split(", "))
    assert told == {name: repr(getattr(record, name)) for name in told}
    assert {"messages", "converged"} <= set(told)


def test_what_rounding_leaves_is_not_improper():
    """0.3 - (0.1 + 0.2) is negative: a belief without the messages that it was made of."""
    graph = FactorGraph()
    x = graph.add_variable()
    parts = Gaussian.from_natural(0.1, 0.1) * Gaussian.from_natural(0.2, 0.2)
    graph.set_prior(x, Gaussian.from_natural(0.3, 0.3) / parts)
    assert graph.marginal(x) == Gaussian.uniform()
    graph.set_prior(x, (GaussianArray([0.3], [0.3]) / parts)[0])


def test_a_loop_names_what_python_calls_it():
    graph, _ = slow_graph()
    with pytest.raises(ValueError, match=r"use the schedule sweeps or residual") as caught:
        graph.run()
    assert "::" not in str(caught.value)


def test_progress_is_told_and_ends_a_run():
    graph, _ = slow_graph()
    told = []

    def progress(record):
        told.append((record.messages, record.converged))
        return len(told) < 3

    record = graph.run("sweeps", limit=1000, tolerance=0.0, progress=progress)
    assert told == [(1200, False), (2400, False), (3600, False)]
    assert record.messages == 3600
    told.clear()
    with pytest.warns(ConvergenceWarning):
        graph.run("sweeps", limit=2, tolerance=0.0, progress=lambda record: told.append(record))
    assert len(told) == 2, "a callback that returns nothing goes on"


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_a_run():
    graph, x = slow_graph()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        graph.run("sweeps", limit=10**9, tolerance=0.0, damping=0.999)
    timer.join()
    assert graph.marginal(x).shape == (300,), "the graph can be used again"


def test_only_one_thread_at_a_time():
    graph, x = slow_graph()
    running = threading.Event()
    may_end = threading.Event()

    def progress(record):
        running.set()
        return not may_end.wait(30)

    thread = threading.Thread(target=lambda: graph.run("sweeps", tolerance=0, progress=progress))
    thread.start()
    assert running.wait(30)
    with pytest.raises(RuntimeError, match="this graph is running"):
        graph.marginal(x)
    may_end.set()
    thread.join()
    graph.marginal(x)


def test_pictures():
    graph, _ = walk(2, 1.0, 1.0, [0], np.array([1.0]))
    graph.run()
    assert graph.to_graphviz().startswith("graph")
    svg = graph._repr_svg_()
    assert (svg is not None and "<svg" in svg) == (shutil.which("dot") is not None)
    assert repr(graph) == "<FactorGraph: 3 variables, 2 factors>"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g, x: g.add_factor("prodct", [x]), ValueError, "no factor 'prodct'; there are:"),
        (lambda g, x: g.add_factor("probit", [x], size=1), ValueError, "size"),
        (lambda g, x: g.add_factor("product", [x]), ValueError, r"1 variables for 3 edges \(z, x"),
        (lambda g, x: g.add_plate("product", [x]), ValueError, r"must be \(rows, 3\)"),
        (lambda g, x: g.add_factor("probit", [x + 7]), ValueError, "is not a variable"),
        (lambda g, x: g.add_factor("probit", [-1]), ValueError, "variable = -1"),
        (lambda g, x: g.add_factor("probit", [0.5]), TypeError, "float64"),
        (lambda g, x: g.add_factor(3, [x]), TypeError, "must be a Factor or the name of one"),
        (lambda g, x: g.add_factor(make_factor("probit"), [x], scale=2), TypeError, "by name"),
        (lambda g, x: g.marginal(99), ValueError, "variable = 99"),
        (lambda g, x: g.observe(x, math.nan), ValueError, "must be finite"),
        (lambda g, x: g.observe(x, [1.0, 2.0]), ValueError, r"values of shape \(2,\)"),
        (lambda g, x: g.forget(x), ValueError, "was not observed"),
        (lambda g, x: g.set_prior(x, Gaussian.from_natural(0.0, -1.0)), ValueError, "improper"),
        (lambda g, x: g.run("forest"), ValueError, 'schedule = "forest": must be one of: tree'),
        (lambda g, x: g.run("sweeps", damping=1.0), ValueError, "damping = 1"),
        (lambda g, x: g.run("sweeps", limit=0), ValueError, "limit = 0"),
        (lambda g, x: g.run("sweeps", tolerance=-1.0), ValueError, "^tolerance = -1"),
        (lambda g, x: g.add_variables(-1), ValueError, "shape = -1"),
        (
            lambda g, x: g.send(g.add_factor("probit", [x]), -1),
            ValueError,
            "probit: edge = -1: must be from 0 to 0, or one of: x",
        ),
        (
            lambda g, x: g.add_factor("linear", [x, x, x], weights=[[1.0, 2.0]]),
            ValueError,
            r"linear.weights of shape \(1, 2\): must be a number, or a sequence",
        ),
        (
            lambda g, x: make_deterministic(math.tanh, kinks=[[0.0]]),
            ValueError,
            r"kinks of shape \(1, 1\)",
        ),
    ],
)
def test_mistakes_are_named(call, error, words):
    graph = FactorGraph()
    x = graph.add_variable("x")
    with pytest.raises(error, match=words):
        call(graph, x)


def test_a_regression_with_parameters_of_each_row():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3))
    noise = rng.uniform(0.1, 1.0, size=40)
    y = X @ [1.0, -2.0, 0.5] + np.sqrt(noise) * rng.normal(size=40)
    graph = FactorGraph()
    slopes, sums, seen = graph.add_variables(3), graph.add_variables(40), graph.add_variables(40)
    graph.set_prior(slopes, Gaussian(0.0, 4.0))
    rows = graph.add_plate("linear", np.column_stack([sums, np.tile(slopes, (40, 1))]), weights=X)
    likelihood = graph.add_plate("gaussian_likelihood", np.column_stack([seen, sums]), variance=noise)
    graph.observe(seen, y)
    graph.set_policy(rows, "damp")
    assert (rows.rows, rows.plates, likelihood.plates) == (40, 40, 40)
    assert graph.run("sweeps", limit=1000).converged
    # Gaussian belief propagation has the exact means: those of the normal equations.
    precision = X.T @ (X / noise[:, None]) + np.eye(3) / 4
    exact = np.linalg.solve(precision, X.T @ (y / noise))
    assert np.allclose(graph.marginal(slopes).mean, exact, atol=1e-6)
    assert graph.message(rows, "z").mean.shape == (40,)
    assert graph.send(likelihood, 1).messages == 40
    # The same as one factor after the other.
    single = FactorGraph()
    a, b = single.add_variables(3), single.add_variables(1)
    node = single.add_factor("linear", [b[0], *a], weights=X[7])
    single.set_prior(a, Gaussian(0.0, 4.0))
    single.send(node, "z")
    fresh = FactorGraph()
    c, d = fresh.add_variables(3), fresh.add_variables(40)
    plate = fresh.add_plate("linear", np.column_stack([d, np.tile(c, (40, 1))]), weights=X)
    fresh.set_prior(c, Gaussian(0.0, 4.0))
    fresh.send(plate, "z")
    assert fresh.marginal(d).variance[7] == single.marginal(int(b[0])).variance


def test_parameters_of_rows_that_do_not_fit():
    graph = FactorGraph()
    rows = graph.add_variables((4, 3))
    with pytest.raises(ValueError, match=r"linear.weights of shape \(3, 2\): must have 4 rows"):
        graph.add_plate("linear", rows, weights=np.ones((3, 2)))
    with pytest.raises(ValueError, match="one column per edge"):
        graph.add_plate("linear", rows, weights=np.ones((4, 3)))
    with pytest.raises(ValueError, match="variance"):
        graph.add_plate("gaussian_likelihood", rows[:, :2], variance=np.ones(3))


def test_density_of_ones_own_and_likelihoods_by_name_agree():
    # Four events in one unit of time, at an unknown log-rate.
    beliefs = []
    for factor in (
        make_density(lambda z: 4 * z - np.exp(z) - math.log(24), edges=["z"], name="four"),
        make_factor("poisson", y=4),
    ):
        graph = FactorGraph()
        z = graph.add_variable()
        graph.set_prior(z, Gaussian(0, 1))
        graph.add_factor(factor, [z])
        assert graph.run("sweeps").converged
        beliefs.append((graph.marginal(z), graph.log_evidence()))
    (own, own_evidence), (named, evidence) = beliefs
    assert own.mean == pytest.approx(named.mean, abs=1e-9)
    grid = np.linspace(-8, 8, 4001)
    mass = np.exp(4 * grid - np.exp(grid) - grid**2 / 2) / 24 / math.sqrt(2 * math.pi)
    mean = (grid * mass).sum() / mass.sum()
    assert named.mean == pytest.approx(mean, abs=1e-7)
    assert evidence == pytest.approx(math.log(mass.sum() * (grid[1] - grid[0])), abs=1e-7)
    assert own_evidence == pytest.approx(evidence, abs=1e-9)


def test_counts_of_rows_are_a_parameter_of_each():
    counts = np.array([0, 3, 7])
    graph = FactorGraph()
    z = graph.add_variables(3)
    graph.set_prior(z, Gaussian(0, 4))
    graph.add_plate("poisson", z[:, None], y=counts)
    graph.run("sweeps")
    assert np.all(np.diff(graph.marginal(z).mean) > 0)


def test_function_of_two_inputs():
    graph = FactorGraph()
    y, a, b = graph.add_variables(3)
    graph.set_prior([a, b], GaussianArray.from_moments([1.0, 0.7], [0.4, 0.6]))
    graph.add_factor(make_deterministic(lambda p, q: p * q, name="product", inputs=["p", "q"]), [y, a, b])
    graph.run("sweeps")
    # E[ab] and Var[ab] of independent numbers.
    assert graph.marginal(y).mean == pytest.approx(0.7, abs=1e-9)
    assert graph.marginal(y).variance == pytest.approx(0.4 * 0.6 + 0.4 * 0.49 + 0.6, abs=1e-9)


def test_density_complains_by_name():
    with pytest.raises(ValueError, match=r"gap: log_f returned an array of shape \(3,\) for"):
        make_density(lambda z: np.zeros(3), edges=["z"], name="gap").messages("z", GaussianArray.from_moments([[0.0]], [[1.0]]))
    with pytest.raises(ValueError, match="must be one, two or three"):
        make_density(lambda *z: 0.0, edges=list("abcd"))
    with pytest.raises(ValueError, match="only a function of one input"):
        make_deterministic(math.hypot, inputs=["a", "b"], kinks=[0.0])
    with pytest.raises(RuntimeError, match="sky"):
        def falls(z):
            raise RuntimeError("the sky")
        make_density(falls, edges=["z"]).messages("z", GaussianArray.from_moments([[0.0]], [[1.0]]))


def test_threads_change_no_bit():
    beliefs = []
    for threads in (1, 2):
        graph = FactorGraph()
        x = graph.add_variables((20_000, 3))
        graph.set_prior(x.ravel(), GaussianArray.from_moments(np.random.default_rng(0).normal(size=60_000), np.full(60_000, 2.0)))
        graph.add_plate("product", x)
        graph.run("sweeps", limit=50, threads=threads)
        beliefs.append(graph.marginal(x.ravel()))
    assert np.array_equal(beliefs[0].mean, beliefs[1].mean)
    assert np.array_equal(beliefs[0].variance, beliefs[1].variance)

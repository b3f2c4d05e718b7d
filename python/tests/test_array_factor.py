"""Factors written in Python, against those of the library."""

import math
import signal
import traceback

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from postrider import (
    ArrayFactor,
    Edge,
    EdgeRule,
    FactorGraph,
    Gaussian,
    GaussianArray,
    Reply,
    certify,
    make_factor,
)

LAST_DIGITS = 4 * np.finfo(float).eps
EXACT = (EdgeRule("exact", "exact", has_log_scale=True),)


class Blur(ArrayFactor):
    """N(y; x, variance), as the library's gaussian_likelihood."""

    formula = "N(y; x, variance)"
    edges = (Edge("y", EXACT), Edge("x", EXACT))

    def __init__(self, variance):
        self.variance = variance
        self.calls = []

    def send(self, edge, rule, incoming):
        self.calls.append((edge, rule, incoming.shape))
        other = incoming[:, 1 if edge == "y" else 0]
        widened = np.where(np.isinf(other.variance), np.inf, other.variance + self.variance)
        return Reply(GaussianArray.from_moments(other.mean, widened), np.zeros(len(other)))

    def evaluate(self, y, x):
        return Gaussian(x, self.variance).log_density(y)


def assert_last_digits(found, expected):
    np.testing.assert_allclose(found.tau, expected.tau, rtol=LAST_DIGITS)
    np.testing.assert_allclose(found.rho, expected.rho, rtol=LAST_DIGITS)


messages = st.one_of(
    st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3)),
    st.tuples(st.floats(-1e3, 1e3), st.just(0.0)),
    st.tuples(st.just(0.0), st.just(math.inf)),
)


@given(
    st.lists(st.tuples(messages, messages), min_size=1, max_size=8),
    st.sampled_from(["y", "x"]),
    st.floats(1e-3, 1e3),
)
def test_messages_are_the_librarys(rows, edge, variance):
    mean, spread = np.moveaxis(np.array(rows), 2, 0)
    incoming = GaussianArray.from_moments(mean, spread)
    found = Blur(variance).messages(edge, incoming)
    expected = make_factor("gaussian_likelihood", variance=variance).messages(edge, incoming)
    assert_last_digits(found.messages, expected.messages)
    np.testing.assert_allclose(found.log_scale, expected.log_scale, atol=0)


def two_walks(count):
    """The same model with the Python factor and with the library's."""
    values = np.cumsum(np.random.default_rng(5).normal(size=count))
    for factor in (Blur(0.5), make_factor("gaussian_likelihood", variance=0.5)):
        graph = FactorGraph()
        x, y = graph.add_variables(count), graph.add_variables(count)
        graph.set_prior(x[0], Gaussian(0.0, 1.0))
        graph.add_plate("gaussian_likelihood", np.column_stack([x[1:], x[:-1]]), variance=0.1)
        graph.add_plate(factor, np.column_stack([y, x]))
        graph.observe(y, values)
        yield graph, x, factor


@pytest.mark.parametrize("schedule", ["tree", "sweeps", "residual"])
def test_marginals_and_evidence_are_the_librarys(schedule):
    (ours, x, _), (library, _, _) = two_walks(40)
    for graph in (ours, library):
        assert graph.run(schedule).converged
    np.testing.assert_allclose(ours.marginal(x).mean, library.marginal(x).mean, rtol=1e-12)
    np.testing.assert_allclose(ours.marginal(x).variance, library.marginal(x).variance, rtol=1e-12)
    assert ours.log_evidence() == pytest.approx(library.log_evidence(), rel=1e-12)


def test_a_plate_is_one_call():
    count = 5000
    graph, factor = FactorGraph(), Blur(1.0)
    x, y = graph.add_variables(count), graph.add_variables(count)
    node = graph.add_plate(factor, np.column_stack([y, x]))
    graph.set_prior(x, Gaussian(1.0, 1.0))
    graph.send(node, "y")
    assert factor.calls == [("y", "exact", (count, 2))]
    factor.calls.clear()
    graph.observe(y, np.arange(count))
    with pytest.warns(ConvergenceWarning):
        assert graph.run("sweeps", limit=1, tolerance=0).messages == 2 * count
    # Forwards and backwards, each in one call.
    assert factor.calls == [("x", "exact", (count, 2))] * 2
    assert graph.marginal(x).variance == pytest.approx(np.full(count, 0.5))


@pytest.mark.slow
def test_certificate_of_two_edges():
    certificate = certify(Blur(0.7), configurations=1, evaluations=300)
    assert certificate.passed, str(certificate)


class Bump(ArrayFactor):
    """N(x; 2, 0.5): of one edge, for which quadrature is quick."""

    formula = "N(x; 2, 0.5)"
    edges = (Edge("x", EXACT),)
    variance = 0.5

    def send(self, edge, rule, incoming):
        rows = len(incoming)
        return Reply(GaussianArray.from_moments(np.full(rows, 2.0), self.variance), np.zeros(rows))

    def evaluate(self, x):
        return Gaussian(2.0, 0.5).log_density(x)


def test_certificate_of_a_python_factor():
    certificate = certify(Bump(), configurations=4, evaluations=300)
    assert certificate.passed, str(certificate)
    assert certificate.failures == []
    assert certificate.report["factor"] == "Bump"
    assert "N(x; 2, 0.5)" in str(certificate)


def test_certificate_finds_a_wrong_message():
    class Narrow(Bump):
        variance = 0.4

    certificate = certify(Narrow(), configurations=4, evaluations=300)
    assert not certificate.passed
    assert certificate.failures
    assert all(failure.startswith("x (exact): ") for failure in certificate.failures)
    assert repr(certificate).startswith("<certificate: ")


def test_certificate_asks_for_the_factor_itself():
    class Silent(Bump):
        evaluate = ArrayFactor.evaluate

    with pytest.raises(NotImplementedError, match="Silent.evaluate: certify needs the factor"):
        certify(Silent(), configurations=2, evaluations=10)


def one_factor(factor, rows=3):
    graph = FactorGraph()
    x, y = graph.add_variables(rows), graph.add_variables(rows)
    graph.set_prior(x, Gaussian(1.0, 1.0))
    return graph, graph.add_plate(factor, np.column_stack([y, x]))


def test_errors_come_with_their_traceback():
    class Broken(Blur):
        def send(self, edge, rule, incoming):
            self.calls.append(edge)
            raise LookupError("deep inside")

    factor = Broken(1.0)
    graph, _ = one_factor(factor)
    with pytest.raises(LookupError, match="deep inside") as caught:
        graph.run()
    assert len(factor.calls) == 1, "what failed is not tried again row by row"
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "send"
    assert "run" in frames
    assert caught.value.__cause__ is None


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_inside_of_a_factor():
    class Waiting(Blur):
        def send(self, edge, rule, incoming):
            signal.raise_signal(signal.SIGINT)
            return super().send(edge, rule, incoming)

    graph, _ = one_factor(Waiting(1.0))
    with pytest.raises(KeyboardInterrupt):
        graph.run()


def test_a_factor_may_not_use_its_graph():
    class Nosy(Blur):
        def send(self, edge, rule, incoming):
            graph.marginal(0)
            return super().send(edge, rule, incoming)

    graph, _ = one_factor(Nosy(1.0))
    with pytest.raises(RuntimeError, match="this graph is running"):
        graph.run()


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda rows: None, TypeError, "returned None: must be a GaussianArray or a Reply"),
        (lambda rows: GaussianArray.uniform(rows + 1), ValueError, r"shape \(4,\): must be \(3,\)"),
        (lambda rows: GaussianArray([1.0, np.nan, 1.0], 1.0), ValueError, "NaN in row 1"),
        (lambda rows: GaussianArray(np.ones(rows), 0.0), RuntimeError, "cannot be used"),
        (lambda rows: Reply(GaussianArray.uniform(rows), [0.0]), ValueError, "log_scale of shape"),
        (
            lambda rows: Reply(GaussianArray.uniform(rows), event=["odd"] * rows),
            ValueError,
            "event 'odd': must be one of",
        ),
    ],
)
def test_wrong_answers_are_named(answer, error, words):
    class Wrong(Blur):
        def send(self, edge, rule, incoming):
            return answer(len(incoming))

    graph, node = one_factor(Wrong(1.0))
    with pytest.raises(error, match=words):
        graph.send(node, "y")


def test_a_precision_that_is_rounding_is_used():
    class Quotient(Blur):
        """A belief without what came in, which leaves -2e-16 of nothing."""

        def send(self, edge, rule, incoming):
            own = incoming[:, 0 if edge == "y" else 1]
            return Reply(GaussianArray(np.zeros(len(own)), -1e-15 * own.rho))

    graph, node = one_factor(Quotient(1.0))
    graph.set_prior(np.arange(6), Gaussian(0.0, 0.5))
    assert graph.send(node, "y").improper == 0


def test_improper_messages_and_events_are_counted():
    class Negative(Blur):
        def send(self, edge, rule, incoming):
            rows = len(incoming)
            return Reply(GaussianArray(np.zeros(rows), -1.0), event=["linearised"] * rows)

    graph, node = one_factor(Negative(1.0))
    with pytest.raises(RuntimeError, match="cannot be used"):
        graph.send(node, "y")
    graph.set_policy(node, "skip")
    record = graph.send(node, "y")
    assert (record.messages, record.skipped, record.improper) == (3, 3, 3)
    assert record.events == {"linearised": 3}


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ((), "edges = 0: must be at least one"),
        ((Edge("y", ()),), "y.rules = 0: must be at least one"),
        ((Edge("y", (EdgeRule("best"),)),), 'rule = "best": must be one of'),
        ((Edge("y", (EdgeRule("exact", "sure"),)),), 'claim = "sure": must be one of'),
    ],
)
def test_descriptions_are_checked(edges, words):
    factor = Blur(1.0)
    factor.edges = edges
    with pytest.raises(ValueError, match=words):
        FactorGraph().add_factor(factor, [])

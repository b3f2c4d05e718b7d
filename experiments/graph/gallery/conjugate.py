"""Conjugate unknowns; references are scipy's distributions."""

import numpy as np
from scipy import stats

from postrider import Model


def pages(random):
    """Orders on three hundred pages, with a Beta belief of each rate."""
    shown = random.integers(0, 400, size=300)
    ordered = random.binomial(shown, random.beta(3, 17, size=300))
    model = Model()
    p = model.beta(3, 17, plate=300)
    model.binomial(probability=p, trials=shown, observed=ordered)

    def reference():
        exact = stats.beta(3 + ordered, 17 + shown - ordered)
        return exact.mean(), exact.std(), stats.betabinom.logpmf(ordered, shown, 3, 17).sum()

    return model, p, reference


def pages_alike(random):
    """Orders on forty pages whose Beta prior is learned from all of them."""
    shown = random.integers(5, 60, size=40)
    ordered = random.binomial(shown, random.beta(3, 17, size=40))
    model = Model()
    mean, size = model.beta(1, 1, name="mean"), model.log_normal(3, 1, name="size")
    p = model.beta(mean * size, (1 - mean) * size, plate=40)
    model.binomial(probability=p, trials=shown, observed=ordered)

    def reference():
        m, log_s = np.meshgrid((np.arange(300) + 0.5) / 600, np.linspace(-1, 8, 300), indexing="ij")
        a, b = (m * np.exp(log_s))[..., None], ((1 - m) * np.exp(log_s))[..., None]
        log_w = stats.betabinom.logpmf(ordered, shown, a, b).sum(axis=-1) + stats.norm.logpdf(log_s, 3, 1)
        w = np.exp(log_w - log_w.max())
        log_evidence = np.log(w.sum()) + log_w.max() + np.log((1 / 600) * (log_s[0, 1] - log_s[0, 0]))
        w = w / w.sum()
        parts = stats.beta(a + ordered, b + shown - ordered)
        mean, second = ((w[..., None] * each).sum(axis=(0, 1)) for each in (parts.mean(), parts.var() + parts.mean() ** 2))
        return mean, np.sqrt(second - mean**2), log_evidence

    return model, p, reference


def symbols(random):
    """Counts of five symbols in sixty groups, with a Dirichlet belief of each group's probabilities."""
    a = np.array([0.5, 1, 1, 2, 4])
    counts = np.array([random.multinomial(random.integers(0, 50), p) for p in random.dirichlet(a, size=60)])
    model = Model()
    q = model.dirichlet(a, plate=60)
    model.multinomial(q, observed=counts)

    def reference():
        each = [stats.dirichlet(a + row) for row in counts]
        log_evidence = stats.dirichlet_multinomial.logpmf(counts, a, counts.sum(axis=1)).sum()
        return np.array([d.mean() for d in each]), np.sqrt([d.var() for d in each]), log_evidence

    return model, q, reference


def accidents(random):
    """Accidents on eighty roads that were watched for different times, with a Gamma belief of each rate."""
    years = random.exponential(5, size=80)
    seen = random.poisson(random.gamma(2, 1 / 1.5, size=80) * years)
    model = Model()
    rate = model.gamma(2, 1.5, plate=80)
    model.poisson(rate=rate, exposure=years, observed=seen)

    def reference():
        exact = stats.gamma(2 + seen, scale=1 / (1.5 + years))
        return exact.mean(), exact.std(), stats.nbinom.logpmf(seen, 2, 1.5 / (1.5 + years)).sum()

    return model, rate, reference


def scales(random):
    """Ten weighings on each of thirty scales, with a Gamma belief of each precision."""
    y = random.normal(size=(30, 10)) / np.sqrt(random.gamma(3, 1 / 2, size=(30, 1)))
    model = Model()
    precision = model.gamma(3, 2, plate=(30, 1))
    model.normal(0.0, precision=precision, observed=y)

    def reference():
        exact = stats.gamma(3 + 5, scale=1 / (2 + 0.5 * (y**2).sum(axis=1, keepdims=True)))
        together = stats.multivariate_t(np.zeros(10), 2 / 3 * np.eye(10), 6)
        return exact.mean(), exact.std(), together.logpdf(y).sum()

    return model, precision, reference


EXACT = [pages, symbols, accidents, scales]
MIXED = [pages_alike]

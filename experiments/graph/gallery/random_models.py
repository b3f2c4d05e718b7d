#!/usr/bin/env python3
"""Random models, extreme numbers included: none may end with a belief that is not finite. Writes ../results/random.json.

  build/python/venv/bin/python experiments/graph/gallery/random_models.py [--count 1000] [--out FILE]
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np

from postrider import Model


def random_model(seed):
    """Unknown numbers of one to three kinds, and one to four likelihoods of random combinations of them."""
    random = np.random.default_rng(seed)
    model = Model()
    parts = []
    for _ in range(random.integers(1, 4)):
        size = int(random.integers(1, 7))
        scale = 10.0 ** random.uniform(-3, 3)
        if random.random() < 0.3:
            d = int(random.integers(1, 4))
            F = random.normal(size=(d, d)) * random.uniform(0, 1.5)
            Q = np.diag(10.0 ** random.uniform(-3, 2, size=d))
            parts.append(
                model.chain(F, Q, length=size + 1, initial_covariance=scale * np.eye(d)).reshape((size + 1) * d)
            )
        else:
            parts.append(model.normal(random.normal() * scale, scale, shape=size))
    for _ in range(random.integers(1, 5)):
        x = parts[random.integers(len(parts))]
        rows = int(random.integers(1, 20))
        z = (random.normal(size=(rows, x.size)) * 10.0 ** random.uniform(-2, 1.5)) @ x + random.normal()
        kind = random.choice(["normal", "bernoulli", "probit", "poisson", "student", "ordinal", "product", "variance"])
        if kind == "normal":
            model.normal(z, 10.0 ** random.uniform(-3, 2), observed=random.normal(size=rows) * 10)
        elif kind in ("bernoulli", "probit"):
            link = "probit" if kind == "probit" else "logit"
            model.bernoulli(z, observed=random.random(rows) < random.random(), link=link)
        elif kind == "poisson":
            model.poisson(z, observed=random.poisson(10.0 ** random.uniform(-2, 3), size=rows))
        elif kind == "student":
            model.student_t(z, 10.0 ** random.uniform(-2, 1), 3, observed=random.standard_t(1, size=rows) * 10)
        elif kind == "ordinal":
            model.ordinal(z, [-1.0, 0.5, 2.0], observed=random.integers(4, size=rows))
        elif kind == "product":
            other = parts[random.integers(len(parts))]
            model.normal(z * other[int(random.integers(other.size))], 0.5, observed=random.normal(size=rows))
        else:
            model.normal_log_variance(0.0, z, observed=random.normal(size=rows))
    return model, parts


def outcome(seed):
    model, parts = random_model(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = model.infer()
    finite = np.isfinite(posterior.log_evidence)
    for x in parts:
        belief = posterior[x]
        finite = finite and np.isfinite(belief.mean).all() and (belief.sd > 0).all() and np.isfinite(belief.sd).all()
    return bool(finite), posterior.converged, len(caught)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "results" / "random.json")
    given = arguments.parse_args()
    found = {"models": given.count, "not_finite": 0, "not_converged": 0, "silent": 0}
    for seed in range(given.count):
        finite, converged, warned = outcome(seed)
        found["not_finite"] += not finite
        found["not_converged"] += not converged
        found["silent"] += not converged and warned == 0
        if not finite:
            print("not finite:", seed)
    given.out.write_text(json.dumps(found, indent=1) + "\n")
    print(found)


if __name__ == "__main__":
    main()

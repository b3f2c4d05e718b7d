#!/usr/bin/env python3
"""Writes ../results/nuts.json: means and deviations by NUTS of the models in latent.py, four chains each, R-hat below 1.01.

  experiments/peers-env --with-postrider; build/peers/venv/bin/python experiments/graph/gallery/nuts.py [--data-sets 5] [--only NAME]
"""

import argparse
import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import log_ndtr
from numpyro.diagnostics import summary
from numpyro.infer import MCMC, NUTS
from numpyro.infer.initialization import init_to_uniform

sys.path.insert(0, str(Path(__file__).resolve().parent))

import latent_data as data  # noqa: E402

numpyro.set_host_device_count(1)
jax.config.update("jax_enable_x64", True)
_OUT = Path(__file__).resolve().parent.parent / "results" / "nuts.json"


def _probit(name, z, y):
    numpyro.factor(name, jnp.where(y > 0, log_ndtr(z), log_ndtr(-z)).sum())


def items(random):
    y = data.items_data(random)
    theta = numpyro.sample("x", dist.Normal(0, 1).expand([60]).to_event(1))
    a = numpyro.sample("a", dist.Normal(1, 0.5).expand([12]).to_event(1))
    b = numpyro.sample("b", dist.Normal(0, 1).expand([12]).to_event(1))
    _probit("y", a * (theta[:, None] - b), y)


def factors(random):
    y = data.factors_data(random)
    u = numpyro.sample("u", dist.Normal(1, 0.5).expand([20]).to_event(1))
    v = numpyro.sample("x", dist.Normal(0, 1).expand([12]).to_event(1))
    numpyro.sample("y", dist.Normal(u[:, None] * v, 0.3).to_event(2), obs=y)


def _walk(shape, first, step):
    z = numpyro.sample("z", dist.Normal(0, 1).expand(shape).to_event(len(shape)))
    scale = jnp.where(jnp.arange(shape[0]) == 0, first, step).reshape(-1, *(1,) * (len(shape) - 1))
    return jnp.cumsum(scale * z, axis=0)


def skills(random):
    week, first, second, won = data.skills_data(random)
    x = numpyro.deterministic("x", _walk((10, 15), 1.0, 0.3))
    _probit("y", x[week, first] - x[week, second], won)


def counts(random):
    x = numpyro.deterministic("x", 0.5 + _walk((80,), 1.0, 0.2))
    numpyro.sample("y", dist.Poisson(jnp.exp(x)).to_event(1), obs=data.counts_data(random))


def volatility(random):
    g = numpyro.deterministic("x", -1 + _walk((80,), 1.0, 0.3))
    numpyro.sample("y", dist.Normal(0, jnp.exp(0.5 * g)).to_event(1), obs=data.volatility_data(random))


def groups(random):
    group, x, y = data.groups_data(random)
    w = numpyro.sample("w", dist.Normal(0, 2).expand([2]).to_event(1))
    effect = numpyro.sample("x", dist.Normal(0, 0.8).expand([12]).to_event(1))
    numpyro.sample("y", dist.Bernoulli(logits=w[0] + w[1] * x + effect[group]).to_event(1), obs=y)


def clusters(random):
    y = data.clusters_data(random)
    low = numpyro.sample("low", dist.Normal(-1, 0.5))
    high = numpyro.sample("x", dist.Normal(1, 0.5))
    log_p = jnp.logaddexp(
        jnp.log(0.4) + dist.Normal(low, 1).log_prob(y), jnp.log(0.6) + dist.Normal(high, 1).log_prob(y)
    )
    numpyro.factor("y", log_p.sum())


MODELS = [items, factors, skills, counts, volatility, groups, clusters]


def run(model, seed, draws):
    """Four chains from different places, until R-hat is below 1.01."""
    for _ in range(3):
        mcmc = MCMC(
            NUTS(model, target_accept_prob=0.8, init_strategy=init_to_uniform(radius=0.2)), num_warmup=800, num_samples=draws, num_chains=4,
            chain_method="vectorized", progress_bar=False,
        )
        mcmc.run(jax.random.PRNGKey(seed), np.random.default_rng(seed))
        found = summary(mcmc.get_samples(group_by_chain=True), group_by_chain=True)["x"]
        r_hat = float(np.max(found["r_hat"]))
        if r_hat < 1.01:
            break
        draws *= 2
    x = np.asarray(mcmc.get_samples()["x"])
    return {"mean": x.mean(axis=0).tolist(), "sd": x.std(axis=0).tolist(), "r_hat": r_hat, "draws": 4 * draws}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data-sets", type=int, default=5)
    arguments.add_argument("--draws", type=int, default=1500)
    arguments.add_argument("--only", nargs="*", default=[])
    given = arguments.parse_args()
    every = json.loads(_OUT.read_text()) if _OUT.exists() else {}
    for model in MODELS:
        if given.only and model.__name__ not in given.only:
            continue
        for seed in range(given.data_sets):
            if str(seed) in every.get(model.__name__, {}):
                continue
            found = run(model, seed, given.draws)
            if found["r_hat"] >= 1.01:
                print(model.__name__, seed, f"R-hat {found['r_hat']:.4f}: not kept", flush=True)
                continue
            every.setdefault(model.__name__, {})[str(seed)] = found
            _OUT.write_text(json.dumps(every) + "\n")
            print(model.__name__, seed, f"R-hat {found['r_hat']:.4f}", flush=True)


if __name__ == "__main__":
    main()

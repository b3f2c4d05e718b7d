#!/usr/bin/env python3
"""What models and factor graphs cost, from Python; writes bench/results/graph.json. About half a minute.

  build/python/venv/bin/python bench/python/graph.py [--out FILE]

Times are of one thread's processor, the best of three.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from postrider import FactorGraph, GaussianArray, Model


def best_of(times, run):
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def smoother():
    """A target with position and velocity, 10,000 readings: from numbers to means."""
    F, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), 0.05 * np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
    y = np.random.default_rng(0).normal(size=10_000)

    def run():
        model = Model()
        x = model.chain(F, Q, length=10_000, initial_covariance=np.eye(2))
        model.normal(x[:, 0], 1.0, observed=y)
        return model.infer()[x].mean

    return 1e3 * best_of(3, run)


def block_chain():
    """A chain of 100,000 blocks of four."""
    F, Q = 0.9 * np.eye(4) + 0.1 * np.eye(4, k=1), np.eye(4)
    y = np.random.default_rng(0).normal(size=(100_000, 4))

    def run():
        model = Model()
        x = model.chain(F, Q, length=100_000, initial_covariance=np.eye(4))
        model.normal(x, 1.0, observed=y)
        model.infer()

    return best_of(3, run)


def density():
    """A density of one's own whose 100,000 rows share a variable: microseconds a message."""
    sign = np.where(np.random.default_rng(0).random(100_000) < 0.6, 1.0, -1.0)
    found = []
    for _ in range(3):
        model = Model()
        w = model.normal(0, 1)
        model.density(
            lambda rows, z: -np.log1p(np.exp(-sign[rows] * z)), w + np.zeros(100_000), log_concave=True
        )
        start = time.process_time()
        posterior = model.infer()
        found.append(1e6 * (time.process_time() - start) / posterior.sweeps / 100_000)
    return min(found)


def plate(name, edges, parameters):
    """A graph of 200,000 separate rows of one factor, with a prior for every variable."""
    rows, random = 200_000, np.random.default_rng(0)
    graph = FactorGraph()
    x = graph.add_variables(rows * edges)
    graph.set_prior(x, GaussianArray.from_moments(random.normal(size=len(x)), random.uniform(0.5, 2, size=len(x))))
    graph.add_plate(name, x.reshape(rows, edges), **parameters)
    return graph


PLATES = {
    "gaussian_likelihood": (2, {"variance": 1.0}),
    "product": (3, {}),
    "probit": (1, {"sign": 1.0}),
}


def messages_of_plates():
    """Messages a second of three kinds of plates, and how many times as many two threads send. Threads take turns in one run."""
    rates, gains = {}, {}
    for name, (edges, parameters) in PLATES.items():
        graphs = {threads: plate(name, edges, parameters) for threads in (1, 2)}
        seconds = {1: [], 2: []}
        for _ in range(9):
            for threads, graph in graphs.items():
                graph.reset()
                start, processor = time.perf_counter(), time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # it shall not converge
                    record = graph.run("sweeps", limit=4, tolerance=0.0, threads=threads)
                if threads == 1:
                    rates[name] = max(rates.get(name, 0), record.messages / (time.process_time() - processor))
                seconds[threads].append(time.perf_counter() - start)
        gains[name] = min(seconds[1]) / min(seconds[2])
    return rates, gains


def messages_of_chain():
    """Messages a second of the scalar engine on a chain of a million variables."""
    graph = FactorGraph()
    x = graph.add_variables(1_000_000)
    graph.add_plate("gaussian_prior", x[:, None], mean=0.0, variance=100.0)
    graph.add_plate("gaussian_likelihood", np.column_stack([x[1:], x[:-1]]), variance=1.0)
    start = time.process_time()
    record = graph.run()
    return record.messages / (time.process_time() - start)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "results" / "graph.json")
    given = arguments.parse_args()
    rates, gains = messages_of_plates()
    found = {
        "messages_per_second": min(rates.values()),
        "two_threads": min(gains.values()),
        "plates": {name: {"messages_per_second": rates[name], "two_threads": gains[name]} for name in PLATES},
        "chain_messages_per_second": messages_of_chain(),
        "smoother_10000_ms": smoother(),
        "block_chain_100000_s": block_chain(),
        "density_us": density(),
    }
    given.out.write_text(json.dumps(found, indent=1) + "\n")
    for name, value in found.items():
        print(f"{name:26} {value if isinstance(value, dict) else format(value, '.3g')}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a user of another library would write to learn a made table, as a program like ours: it trains a model file, and evaluates one.

Usage:
  peer_program.py train METHOD THREADS TRAINING MODEL
  peer_program.py evaluate METHOD THREADS TRAINING MODEL TEST
`evaluate` prints scores as JSON. The width of the noise, which these libraries do not know, comes from training rows held out of another fit:
that is why it takes the training rows, and why that fit is no part of training.
"""
import functools
import json
import pathlib
import pickle
import sys

import made_rows  # first: it knows where the modules of the experiments are
import pandas
from regressors import held_out_deviation, hist_gradient_boosting, light_gbm
from scores import gaussian_log_likelihood, root_mean_square_error

SEED = 0


def maker(method, threads):
    """HistGradientBoosting takes as many threads as OMP_NUM_THREADS says."""
    return {"light_gbm": functools.partial(light_gbm, threads=threads), "hist_gradient_boosting": hist_gradient_boosting}[method]


def read(path):
    """Inputs, with categories as both libraries know them, and targets."""
    kinds = {name: pandas.CategoricalDtype(made_rows.level_names(category)) for category, name in enumerate(made_rows.CATEGORIES)}
    table = pandas.read_csv(path, dtype=kinds)
    return table.drop(columns=made_rows.TARGET), table[made_rows.TARGET].to_numpy()


def train(make, training, model):
    pathlib.Path(model).write_bytes(pickle.dumps(make(SEED).fit(*read(training))))


def evaluate(make, training, model, test):
    inputs, targets = read(test)
    mean = pickle.loads(pathlib.Path(model).read_bytes()).predict(inputs)
    deviation = held_out_deviation(make, *read(training), SEED)
    print(json.dumps({"rmse": root_mean_square_error(mean, targets), "log_likelihood": gaussian_log_likelihood(mean, deviation, targets)}))


def main():
    task, method, threads, *files = sys.argv[1:]
    {"train": train, "evaluate": evaluate}[task](maker(method, int(threads)), *files)


if __name__ == "__main__":
    main()

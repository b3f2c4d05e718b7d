"""Runs of classifiers on folds, scored: what tabular/peers.py and bench/time_to_model share."""
import time
import warnings

import numpy as np
from data_sets import parts_of, rows_at
from scores import accuracy, excess_by_bin, log_loss, mean_area_under_curve


def test(model, inputs, labels, fold):
    """Fits the model to the rows that the fold leaves, and scores it by those of the fold."""
    training, testing = parts_of(fold, len(labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that do not suffice: they are the default
        begin = time.process_time()
        model.fit(rows_at(inputs, training), labels[training])
        seconds = time.process_time() - begin
        probabilities = np.asarray(model.predict_proba(rows_at(inputs, testing)), float)
    return {"rows": len(testing), "log_loss": log_loss(probabilities, labels[testing]), "accuracy": accuracy(probabilities, labels[testing]),
            "auc": mean_area_under_curve(probabilities, labels[testing]), "seconds": seconds,
            "excess_by_bin": excess_by_bin(probabilities, labels[testing]).tolist()}


def tell(name, method, fold, run):
    print(f"  {name} {method} {fold}: log-loss {run['log_loss']:.4f}, accuracy {run['accuracy']:.4f}, area {run['auc']:.4f}, "
          f"{run['seconds']:.1f} s", flush=True)

#!/usr/bin/env python3
"""Classification with calibration: of the digits called with 80 %, are 80 % right?

  examples/python/classification_calibration.py [--quick] [--out DIR]
"""
import gallery
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from postrider import BayesianMLPClassifier

EDGES = np.linspace(0, 1, 11)


def reliability(probabilities, labels):
    """Mean confidence, share right and number of rows of each bin of confidence that has 15 rows at least."""
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    bins = np.clip(np.digitize(confidence, EDGES) - 1, 0, len(EDGES) - 2)
    rows = [(confidence[bins == b].mean(), right[bins == b].mean(), np.sum(bins == b))
            for b in range(len(EDGES) - 1) if np.sum(bins == b) >= 15]
    return np.array(rows).T


def measures(probabilities, labels):
    confidence, right, count = reliability(probabilities, labels)
    return {"accuracy": accuracy_score(labels, probabilities.argmax(axis=1)),
            "log_loss": log_loss(labels, probabilities),
            "calibration_error": float(np.sum(count * np.abs(confidence - right)) / np.sum(count))}


def main():
    options = gallery.options(__doc__)
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    images = images + rng.normal(scale=6, size=images.shape)  # blurred until the digits are in doubt
    rows = 300 if options.quick else len(digits)
    epochs = 2 if options.quick else 40
    models = {
        "BayesianMLPClassifier": BayesianMLPClassifier(max_epochs=epochs, random_state=0),
        "MLPClassifier": make_pipeline(StandardScaler(), MLPClassifier((50, 50), max_iter=500, random_state=0)),
    }
    folds = StratifiedKFold(2 if options.quick else 5, shuffle=True, random_state=0)

    figure, axes = gallery.plt.subplots(figsize=(4.6, 4.2))
    axes.plot([0, 1], [0, 1], "--", color=gallery.GREY, lw=1)
    numbers = {}
    for (name, model), colour in zip(models.items(), (gallery.BLUE, gallery.ORANGE)):
        probabilities = cross_val_predict(model, images[:rows], digits[:rows], cv=folds, method="predict_proba")
        numbers[name] = measures(probabilities, digits[:rows])
        confidence, right, count = reliability(probabilities, digits[:rows])
        error = np.sqrt(right * (1 - right) / count)
        axes.errorbar(confidence, right, error, fmt="o-", color=colour, ms=4, label=name)
    axes.set(xlabel="confidence", ylabel="share that is right", xlim=(0.2, 1.02), ylim=(0.1, 1.04))
    axes.legend(loc="upper left")
    gallery.finish(figure, options.out, "classification_calibration", numbers)


main()

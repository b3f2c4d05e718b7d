"""The gallery of models against its references: one data set of each, by the goals of the gallery."""

import sys
from pathlib import Path

import numpy as np
import pytest

GALLERY = Path(__file__).resolve().parents[2] / "experiments" / "graph" / "gallery"
sys.path.insert(0, str(GALLERY))

import latent  # noqa: E402
import linear  # noqa: E402
import run  # noqa: E402
import states  # noqa: E402
import topics  # noqa: E402

MISSES = ("switching_step",)  # jumps are up to 0.43 standard deviations off, as the gallery says
SLOW_REFERENCES = ("local_level",)  # a grid over two deviations, each point a smoother in Python
CASES = [
    (group, model_of)
    for group, (models, _) in run.GROUPS.items()
    if group != "latent"
    for model_of in models
    if model_of.__name__ not in (*SLOW_REFERENCES, *MISSES)
]


@pytest.mark.parametrize(("group", "model_of"), CASES, ids=[m.__name__ for _, m in CASES])
def test_models_reach_the_goals_of_their_group(group, model_of):
    entry, checks = run.measured(model_of, 1)
    assert run.reached(group, entry), entry
    assert {check["verdict"] for check in checks} <= {"certified"}
    weighed_none = ("hidden states", "conjugate", "conjugate with hyperparameters")
    assert checks or group in weighed_none or model_of is states.share  # without normal unknown numbers


@pytest.mark.parametrize("model_of", [*latent.MODELS, states.switching_step], ids=lambda model_of: model_of.__name__)
def test_models_of_many_unknowns_converge(model_of):
    model, x, _ = model_of(np.random.default_rng(0))
    posterior = model.infer()
    assert posterior.converged
    assert np.isfinite(posterior[x].mean).all()
    assert (posterior[x].sd > 0).all()


def test_topics_reach_their_goal():
    counts, truth = topics.made(np.random.default_rng(0), 250, 100, 4, 50, 0.3, 0.1)
    found = topics.compared(counts[:150], counts[150:], 4, 0.3, 0.1, truth=truth)
    assert found["ratio"] <= topics.GOAL
    assert found["true_topics"] < found["perplexity"]


def test_references_agree_with_each_other():
    for by_matrix, by_steps in zip(*linear.chain_is_dense(np.random.default_rng(0)), strict=True):
        np.testing.assert_allclose(np.ravel(by_matrix), np.ravel(by_steps), atol=1e-9)

"""Random models, extreme numbers included, end with finite beliefs, and say where they did not settle."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments" / "graph" / "gallery"))

import random_models  # noqa: E402


@pytest.mark.parametrize("first", [0, 25, 50])
def test_random_models_have_finite_beliefs(first):
    for seed in range(first, first + 25):
        finite, converged, warned = random_models.outcome(seed)
        assert finite, seed
        assert converged or warned, seed

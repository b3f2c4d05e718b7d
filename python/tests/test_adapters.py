"""Optuna's sampler and BoTorch's model, with the real packages."""

import numpy as np
import pytest

from postrider import BayesianMLPRegressor


def test_optuna_finds_the_least_value():
    optuna = pytest.importorskip("optuna")
    from postrider.experimental.optuna import PostriderSampler

    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial):
        x = trial.suggest_float("x", -1, 1)
        rate = trial.suggest_float("rate", 1e-4, 1, log=True)
        steps = trial.suggest_int("steps", 2, 10, step=2)
        share = trial.suggest_float("share", 0.0, 1.0, step=0.25)
        kind = trial.suggest_categorical("kind", ["a", "b"])
        assert steps in (2, 4, 6, 8, 10) and share in (0.0, 0.25, 0.5, 0.75, 1.0)
        trial.suggest_int("one", 3, 3)
        if kind == "a":
            trial.suggest_float("only of a", 0, 1)
        return (x - 0.3) ** 2 + (np.log10(rate) + 2) ** 2 + abs(steps - 6) / 4 + abs(share - 0.5) + (kind == "b")

    for direction, sign in (("minimize", 1), ("maximize", -1)):
        study = optuna.create_study(direction=direction, sampler=PostriderSampler(n_initial=6, noise_std=0.0, seed=1))
        study.optimize(lambda trial, sign=sign: sign * objective(trial), n_trials=25)
        values = sign * np.array([each.value for each in study.trials])
        assert values[6:].min() < values[:6].min()
        assert np.median(values[15:]) < np.median(values[:6])


def test_optuna_refuses_several_objectives_and_few_first_trials():
    optuna = pytest.importorskip("optuna")
    from postrider.experimental.optuna import PostriderSampler

    study = optuna.create_study(directions=["minimize", "minimize"], sampler=PostriderSampler(n_initial=2))
    with pytest.raises(ValueError, match="2 objectives"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=4)
    with pytest.raises(ValueError, match="n_initial"):
        PostriderSampler(n_initial=1)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(30, 2))
    return X, np.sin(4 * X[:, 0]) - X[:, 1]


@pytest.fixture(scope="module")
def model(rows):
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    from postrider.experimental.botorch import PostriderModel

    fitted = BayesianMLPRegressor((20,), ensemble_size=2, encoding="standard", max_epochs=30, random_state=0).fit(*rows)
    return PostriderModel(fitted, torch.as_tensor(rows[0]), torch.as_tensor(rows[1])[:, None], n_functions=40)


def test_botorch_posterior_is_that_of_the_functions(model):
    import torch

    X = torch.rand(3, 2, 2, dtype=torch.float64)  # three batches of two points
    posterior = model.posterior(X)
    values = np.array([f(X.reshape(-1, 2).numpy()) for f in model.functions]).reshape(40, 3, 2)
    np.testing.assert_allclose(posterior.mean[..., 0], values.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(posterior.variance[..., 0], values.var(axis=0, ddof=1), rtol=1e-6)
    drawn = posterior.rsample(torch.Size([16]))
    assert drawn.shape == (16, 3, 2, 1)
    for batch in range(3):  # a draw is one function, at all points of its batch
        for draw in drawn[:, batch, :, 0].numpy():
            assert np.min(np.abs(values[:, batch] - draw).max(axis=1)) < 1e-12


def test_botorch_gradients_are_those_of_differences(model):
    import torch

    X = torch.rand(4, 2, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda rows: model(rows).mean(dim=-3), X.requires_grad_(), eps=1e-6, atol=1e-4)


# Functions of leaky ReLUs have kinks, at which a line search may end early; BoTorch warns and tries again.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_botorch_optimises_an_acquisition(model, rows):
    import torch
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.optim import optimize_acqf

    merit = qLogExpectedImprovement(model, best_f=float(rows[1].max()))
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    points, value = optimize_acqf(merit, bounds=bounds, q=2, num_restarts=2, raw_samples=16)
    assert points.shape == (2, 2) and np.isfinite(float(value))
    assert torch.all((points >= 0) & (points <= 1))


def test_botorch_model_is_of_one_target(rows):
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    from postrider.experimental.botorch import PostriderModel

    with pytest.raises(ValueError, match="one target"):
        PostriderModel(BayesianMLPRegressor(), torch.zeros(3, 2), torch.zeros(3, 2))

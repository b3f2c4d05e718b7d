"""Contextual bandits and what their logs tell."""

import inspect
import json
import pathlib
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from postrider import BayesianMLPRegressor
from postrider.experimental.bandit import ContextualBandit, DecisionLog


def small():
    return BayesianMLPRegressor((10,), ensemble_size=2, encoding="standard", target_scale="plain", varying_noise=False,
                                max_epochs=20, random_state=0)


def played(calls=12, delay=0, **options):
    """Arm 1 is right above 0, arm 0 below; the share that was right at the end."""
    rng = np.random.default_rng(4)
    bandit = ContextualBandit(2, **{"model": small(), **options})
    late, right = [], []
    for _ in range(calls):
        contexts = rng.uniform(-1, 1, size=(20, 1))
        arms, ids = bandit.choose(contexts)
        rewards = (arms == (contexts[:, 0] > 0)).astype(float)
        late.append((ids, rewards))
        if len(late) > delay:
            bandit.update(*late.pop(0))
        right.append(rewards.mean())
    return bandit, np.mean(right[-4:])


@pytest.mark.parametrize("policy", ["thompson", "greedy"])
@pytest.mark.parametrize("layout", ["separate", "joint"])
def test_learns_which_arm_is_right(policy, layout):
    assert played(policy=policy, layout=layout)[1] > 0.8


def test_learns_from_a_stream_and_from_late_rewards():
    assert played(20, learning="stream")[1] > 0.7
    assert played(delay=3, noise_std="pooled")[1] > 0.75
    assert played(noise_std=0.3)[1] > 0.8


@pytest.mark.parametrize("layout", ["separate", "joint"])
def test_draws_may_be_of_predictions(layout):
    bandit, right = played(draws="predictions", layout=layout)
    assert right > 0.7
    contexts = np.linspace(-1, 1, 5)[:, None]
    found = bandit.predict(contexts)  # also learns the rewards of the last call
    arms = [bandit._inputs(contexts, np.full(5, arm)) for arm in range(2)]
    means = [bandit._models[0 if layout == "joint" else arm].predict(arms[arm]) for arm in range(2)]
    np.testing.assert_allclose(found, np.stack(means, axis=1), rtol=1e-6)


def test_only_a_model_that_was_given_warns_of_its_epochs():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        played(3, model=None)
    with pytest.warns(ConvergenceWarning, match="max_epochs"):
        played(3, model=small().set_params(max_epochs=1))


def test_the_default_is_what_has_the_least_regret_in_the_table():
    results = json.loads((pathlib.Path(__file__).parents[2] / "experiments" / "decisions" / "results" / "bandits.json").read_text())
    regrets = {}
    for name, run in results["runs"].items():
        table, policy, _ = name.split("/")
        regrets.setdefault(table, {}).setdefault(policy, []).append(run["regret"][-1])
    default = inspect.signature(ContextualBandit).parameters["policy"].default
    for policies in regrets.values():
        own = {policy: np.mean(found) for policy, found in policies.items() if policy in ("thompson", "greedy")}
        assert min(own, key=own.get) == default


def test_uniform_takes_any_arm():
    bandit, _ = played(policy="uniform")
    np.testing.assert_array_equal(bandit.log.probabilities, 0.5)


def test_propensities_are_how_often_arms_are_taken():
    bandit, _ = played(policy="thompson")
    contexts = np.full((4000, 1), 0.02)
    arms, ids = bandit.choose(contexts)
    likely = bandit.log.probabilities[ids][0]
    np.testing.assert_allclose(likely.sum(), 1)
    assert abs(arms.mean() - likely[1]) < 4.5 * np.sqrt(0.25 / 4000)


def test_chances_of_independent_draws_are_those_of_all_pairs():
    bandit = ContextualBandit(3)
    values = np.random.default_rng(0).integers(0, 4, size=(3, 5, 2)).astype(float)  # with ties
    found = bandit._best_of_draws(values)
    for row in range(2):
        won = np.zeros(3)
        for a in values[0, :, row]:
            for b in values[1, :, row]:
                for c in values[2, :, row]:
                    won[np.argmax([a, b, c])] += 1 / 125
        np.testing.assert_allclose(found[row], won)


def test_exploration_leaves_every_arm_a_chance():
    bandit, _ = played(policy="greedy", exploration=0.2)
    assert bandit.log.probabilities.min() == pytest.approx(0.1)


def test_the_same_seed_decides_the_same():
    first, second = (played(5, random_state=3)[0].log.arms for _ in range(2))
    np.testing.assert_array_equal(first, second)


def random_log(rows=4000):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(rows, 1))
    pays = np.stack([np.full(rows, 0.2), X[:, 0] ** 2], axis=1)
    likely = np.tile([0.7, 0.3], (rows, 1))
    arms = (rng.random(rows) < 0.3).astype(int)
    log = DecisionLog(2)
    ids = log.add(X, arms, likely)
    log.reward(ids, pays[np.arange(rows), arms] + 0.1 * rng.normal(size=rows))
    return log, X, pays


def test_off_policy_estimates_find_the_value():
    log, X, pays = random_log()
    new = np.eye(2)[(X[:, 0] ** 2 > 0.2).astype(int)]
    truth = pays.max(axis=1).mean()
    found = {
        method: log.estimate(new, method=method, predicted=pays if method == "doubly_robust" else None)
        for method in ("inverse_propensity", "self_normalised", "doubly_robust")
    }
    for each in found.values():
        assert abs(each.value - truth) < 4.5 * each.std_error
    assert found["doubly_robust"].std_error < found["self_normalised"].std_error < found["inverse_propensity"].std_error
    # A model that is wrong by much does no harm when propensities are right.
    wrong = log.estimate(new, method="doubly_robust", predicted=pays + 1)
    assert abs(wrong.value - truth) < 4.5 * wrong.std_error
    assert found["inverse_propensity"].effective_rows < len(log)


def test_decisions_without_reward_are_left_out():
    log = DecisionLog(2)
    ids = log.add(np.zeros((3, 1)), [0, 1, 0], np.full((3, 2), 0.5))
    log.reward(ids[:2], [1.0, 3.0])
    assert log.estimate(np.full((3, 2), 0.5)).value == 2.0
    assert np.isnan(log.rewards[2])


@pytest.mark.parametrize("learning", ["refit", "stream"])
def test_rewards_are_learned_all_or_none(learning):
    bandit = played(3, learning=learning)[0]
    arms, ids = bandit.choose(np.zeros((10, 1)))
    before = bandit.predict([[0.0]])
    for wrong in ([*ids, 10**6], [*ids, ids[0]], [*ids, 0], [*ids, 0.5]):
        with pytest.raises(ValueError, match="id"):
            bandit.update(wrong, np.full(11, 5.0))
    np.testing.assert_array_equal(bandit.predict([[0.0]]), before)
    bandit.update(ids.astype(float), np.full(10, 5.0))
    assert (bandit.predict([[0.0]]) > before).any()


@pytest.mark.parametrize("learning", ["refit", "stream"])
@pytest.mark.parametrize("layout", ["separate", "joint"])
def test_looking_changes_nothing(learning, layout):
    def decisions(looks):
        rng, bandit = np.random.default_rng(3), ContextualBandit(2, model=small(), learning=learning, layout=layout)
        out = []
        for _ in range(6):
            arms, ids = bandit.choose(rng.uniform(-1, 1, size=(10, 1)))
            out.extend(arms)
            bandit.update(ids, arms + 0.1 * rng.normal(size=10))
            if looks:
                np.testing.assert_array_equal(bandit.predict([[0.2]]), bandit.predict([[0.2]]))
        return out

    assert decisions(True) == decisions(False)


def test_arms_without_a_chance_are_said():
    log = DecisionLog(2)
    ids = log.add(np.zeros((4, 1)), [0, 0, 0, 1], [[1.0, 0.0], [1.0, 0.0], [0.5, 0.5], [0.5, 0.5]])
    log.reward(ids, [1.0, 1.0, 1.0, 0.0])
    with pytest.warns(UserWarning, match="25% of the policy's decisions are for arms that the log could not have taken"):
        assert log.estimate(np.full((4, 2), 0.5)).unsupported == 0.25
    assert log.estimate(np.tile([1.0, 0.0], (4, 1))).unsupported == 0


def test_what_makes_no_sense_is_refused():
    log = DecisionLog(2)
    ids = log.add(np.zeros((2, 1)), [0, 1], np.full((2, 2), 0.5))
    log.reward(ids, [1.0, 0.0])
    for call, said in (
        (lambda: log.reward(ids[:1], [1.0]), "already"),
        (lambda: log.reward([7], [1.0]), "id 7"),
        (lambda: log.add(np.zeros((1, 1)), [0], [[0.0, 1.0]]), "above 0"),
        (lambda: log.add(np.zeros((1, 1)), [2], [[0.5, 0.5]]), "arms"),
        (lambda: log.estimate(np.zeros((1, 2))), "shape"),
        (lambda: log.estimate(np.full((2, 2), 1.0)), "sum to 1"),
        (lambda: log.estimate(np.tile([2.0, -1.0], (2, 1))), "at least 0"),
        (lambda: log.estimate(np.full((2, 2), 0.5), method="best"), "method"),
        (lambda: log.estimate(np.full((2, 2), 0.5), method="doubly_robust"), "predicted"),
        (lambda: ContextualBandit(1), "n_arms"),
        (lambda: ContextualBandit(2, policy="bold"), "policy"),
        (lambda: ContextualBandit(2, draws="cards"), "draws"),
        (lambda: ContextualBandit(2, exploration=2), "exploration"),
        (lambda: ContextualBandit(2, growth=1), "growth"),
        (lambda: ContextualBandit(2, noise_std="known"), "noise_std"),
        (lambda: ContextualBandit(2).predict([[1.0]]), "rewards first"),
        (lambda: ContextualBandit(2).choose([1.0]), "contexts"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


def test_contexts_that_do_not_fit_are_refused_and_not_logged():
    bandit = ContextualBandit(2, random_state=0)
    bandit.choose([[0.0, 1.0]])
    for wrong, words in (([[0.0, 1.0, 2.0]], "3 columns, must be 2 as before"), ([[0.0, np.nan]], "must be finite"), ([0.0, 1.0], "must be rows")):
        with pytest.raises(ValueError, match=words):
            bandit.choose(wrong)
    assert bandit.log.contexts.shape == (1, 2)

"""Models that are written as they are thought: unknown numbers, what is known of them, and what was observed.

>>> import numpy as np
>>> import postrider
>>> model = postrider.Model()
>>> w = model.normal(0, 3, shape=2)                     # two unknown weights
>>> noise = model.half_normal(1, name="noise")          # and an unknown deviation
>>> X = np.array([[1.0, 0.2], [1.0, 1.1], [1.0, 1.9], [1.0, 3.2], [1.0, 3.8]])
>>> model.normal(X @ w, noise, observed=[1.1, 2.0, 3.1, 4.1, 5.0])
>>> posterior = model.infer()
>>> posterior[w].mean.round(1)
array([0.9, 1.1])
>>> posterior.engine
'exact at 11 nodes of noise'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider._conjugate import Conjugate
from postrider._expressions import (
    Array,
    Known,
    Linear,
    Product,
    Setting,
    as_given,
    gathered,
    hyperparameters_of,
)
from postrider._held_model import HeldModel
from postrider._hidden_states import (
    Emission,
    Picked,
    SeenAlone,
    States,
    bernoulli_log_density,
    binomial_log_density,
    categorical_log_density,
    normal_log_density,
    poisson_log_density,
)
from postrider._model_inputs import (
    check_choice,
    common_shape,
    either,
    finite_numbers,
    fitting,
    matrix_size,
    parameter_of,
    shape_of,
)
from postrider._model_parts import ModelParts
from postrider._plates import AskedByNodes, Plate, inverse_of, log_scale_of, step_precision, vector_of
from postrider._posterior import Posterior, former_of
from postrider._switches import switch_of, switched

__all__ = ["Model"]

_NOTHING = np.zeros(0)


class Model(ModelParts):
    """A model of unknown numbers: random variables, factors between them, and observations.

    Unknown numbers are normal beforehand, by themselves or in chains, and form linear combinations; likelihoods take those. Deviations
    and coefficients that are unknown themselves are hyperparameters: they are held at nodes, and results are mixtures over them.
    `infer()` finds one Gaussian belief over all unknown numbers, exact where the model is linear and Gaussian.

    When to use something else: `FactorGraph` for millions of variables or readings one at a time; `BayesianMLPRegressor` where nothing is
    known of how inputs act.
    """

    # --- unknown numbers ---------------------------------------------------------------------------

    def normal(
        self,
        mean: Any,
        sd: Any = None,
        *,
        shape: int | tuple[int, ...] | None = None,
        precision: Any = None,
        observed: ArrayLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Numbers that are normal about `mean` with deviation `sd`: unknown ones, which are returned, or observed ones.

        `mean` may be a linear combination of unknown numbers, `sd` a hyperparameter or what follows from it. Where numbers are
        observed, `mean` may be the product of two unknown ones, and `mean` and `sd` may be picked by a hidden state. In place of `sd`,
        observed numbers of known mean may have a `precision` made by `gamma(..., plate=...)`.
        """
        label = name or "normal"
        if (sd is None) == (precision is None):
            raise ValueError(f"{label}: needs either sd or precision")
        if precision is not None:
            if observed is None:
                raise ValueError(f"{label}: a precision is that of observed numbers; those that are unknown take sd")
            return self._see_precision(label, mean, precision, finite_numbers(f"{label}: observed", observed))
        mean, sd = as_given(mean), as_given(sd)
        if observed is not None:
            self._observe_normal(label, mean, sd, finite_numbers(f"{label}: observed", observed))
            return None
        if isinstance(mean, Product):
            raise ValueError(f"{label}: the mean of unknown numbers cannot be a product of others")
        wanted = shape_of(shape) if shape is not None else common_shape(mean, sd)
        x = self._new_variables(wanted)
        rest = x - mean
        self._plates.append(
            Plate("gaussian", (rest,), {"targets": np.zeros(rest.size), "sd": sd}, label)
        )
        return x

    def _observe_normal(self, label: str, mean: Any, sd: Any, y: Array) -> None:
        if isinstance(mean, Product):
            y = fitting(label, y, mean.shape)
            if hyperparameters_of(sd):
                raise ValueError(f"{label}: the deviation of an observed product must be known")
            self._add_likelihood("normal_product", (mean.first, mean.second), y, sd, label=label)
            return
        if chosen := switched(mean, sd):
            self._switches.append(switch_of(label, *chosen, y))
            return
        if isinstance(mean, Linear):
            y = fitting(label, y, mean.shape)
            self._plates.append(Plate("gaussian", (mean,), {"targets": y.ravel(), "sd": sd}, label))
            return
        self._see_known(label, normal_log_density, y, mean, sd)

    def _see(self, label: str, log_density: Callable[..., Array], y: Array, *arguments: Any) -> None:
        """What was seen of hidden states: arguments are picked by state, or the same for all."""
        states = [a.states for a in arguments if isinstance(a, Picked)]
        if any(each is not states[0] for each in states):
            raise ValueError(f"{label}: what was seen can depend on one chain of states")
        for each in arguments:
            if isinstance(each, Linear):
                raise ValueError(f"{label}: values picked by state and unknown numbers cannot be joined")
        values = tuple(a.values if isinstance(a, Picked) else a for a in arguments)
        y = fitting(label, y, (states[0].length,))
        self._emissions.append(Emission(label, states[0], log_density, y, values))

    def states(
        self, initial: Any, transition: Any, *, length: int, name: str | None = None
    ) -> States:
        """Hidden states of `length` steps: `initial` has the probability of each, `transition` those of moving from row to column.

        `states.pick(values)` gives each step the value of its state, as the mean of `normal()`, the score of `bernoulli()`, the
        log-rate of `poisson()` or the probabilities of `categorical()`. Independent steps, as in a mixture, have equal rows.
        """
        label = name or "states"
        initial, transition = gathered(initial), gathered(transition)
        count = matrix_size(f"{label}: transition", transition)
        if length < 1:
            raise ValueError(f"{label}: length = {length}: must be at least 1")
        states = States(count, length, initial, transition, label)
        self._states.append(states)
        return states

    def categorical(self, probabilities: Any, *, observed: ArrayLike, name: str | None = None) -> None:
        """Observed symbols 0, 1, ...: their probabilities are vectors made by `dirichlet()`, or depend on hidden states:
        `states.pick(P)` with a row for each state."""
        label = name or "categorical"
        y = finite_numbers(f"{label}: observed", observed)
        if (y < 0).any() or (y != np.floor(y)).any():
            raise ValueError(f"{label}: observed must be whole numbers of at least 0")
        if isinstance(probabilities, Conjugate):
            return self._see_symbols(label, probabilities, y)
        if not isinstance(probabilities, Picked):
            raise ValueError(f"{label}: needs probabilities made by dirichlet(), or picked by state")
        self._see(label, categorical_log_density, y, probabilities)

    def multivariate_normal(self, mean: Any, covariance: Any, *, name: str | None = None) -> Linear:
        """Unknown numbers with this covariance: a Gaussian process at some points, where a kernel gave it."""
        size = matrix_size(f"{name or 'multivariate_normal'}: covariance", covariance)
        x = self._new_variables((size,))
        self._add_block(x, mean, covariance, name or "multivariate_normal")
        return x

    def chain(
        self,
        transition: Any,
        covariance: Any,
        *,
        length: int,
        initial_mean: Any = 0.0,
        initial_covariance: Any,
        name: str | None = None,
    ) -> Linear:
        """Unknown vectors x[0], x[1], ..., with x[t] = transition @ x[t - 1] and normal noise of this covariance.

        The result has the shape (length, d); for d = 1 the three matrices may be numbers.
        """
        label = name or "chain"
        transition, covariance = gathered(transition), gathered(covariance)
        size = matrix_size(f"{label}: transition", transition)
        if length < 1:
            raise ValueError(f"{label}: length = {length}: must be at least 1")
        x = self._new_variables((length, size))
        self._add_block(x[0], initial_mean, initial_covariance, label)
        if length > 1:
            both = np.arange(length * size).reshape(length, size)
            rows = np.concatenate([both[:-1], both[1:]], axis=1)
            first = int(x.variables[0, 0])
            steps = Linear(
                (rows + first).astype(np.uint32), np.ones(rows.shape), np.zeros(len(rows)), (len(rows),)
            )
            numbers = {
                "precision": Known(step_precision, transition, covariance, size),
                "mean": np.zeros(2 * size),
                "log_scale": Known(log_scale_of, covariance, size),
            }
            self._plates.append(Plate("block", (steps,), numbers, label))
        return x

    def _add_block(self, x: Linear, mean: Any, covariance: Any, label: str) -> None:
        size = x.size
        row = Linear(x.variables.reshape(1, size), np.ones((1, size)), np.zeros(1), (1,))
        numbers = {
            "precision": Known(inverse_of, covariance, size),
            "mean": Known(vector_of, mean, size),
            "log_scale": Known(log_scale_of, covariance, size),
        }
        self._plates.append(Plate("block", (row,), numbers, label))

    def _new_variables(self, shape: tuple[int, ...]) -> Linear:
        count = int(np.prod(shape, dtype=np.int64))
        first = self._variables
        self._variables += count
        numbers = np.arange(first, first + count, dtype=np.uint32)[:, None]
        return Linear(numbers, np.ones((count, 1)), np.zeros(count), shape)

    # --- what was observed -------------------------------------------------------------------------

    def bernoulli(
        self,
        score: Any = None,
        *,
        observed: ArrayLike,
        probability: Any = None,
        link: str = "logit",
        name: str | None = None,
    ) -> None:
        """Observed 0 or 1, or False and True: P(1) is the logistic function of the score (`link="logit"`) or Phi ("probit").

        A product of two unknown numbers, as in item response models, takes the probit link. In place of a score, `probability` takes
        those made by `beta(..., plate=...)`.
        """
        label = name or "bernoulli"
        if either(label, "score", score, "probability", probability):
            return self._see_successes(label, probability, observed, None)
        check_choice(label, "link", link, ("logit", "probit"))
        y = finite_numbers(f"{label}: observed", observed)
        if isinstance(score, Product):
            if link != "probit":
                raise ValueError(f'{label}: a product of unknown numbers needs link="probit"')
            z: tuple[Any, ...] = (score.first, score.second)
            self._add_likelihood("item_probit", z, y, label=label)
        elif not isinstance(score, Linear) and link == "logit":
            self._see_known(label, bernoulli_log_density, y, score)
        else:
            self._add_likelihood(f"bernoulli_{link}", (score,), y, label=label)

    def binomial(
        self,
        score: Any = None,
        trials: ArrayLike | None = None,
        *,
        observed: ArrayLike,
        probability: Any = None,
        name: str | None = None,
    ) -> None:
        """Observed successes of so many trials each: their probability is the logistic function of the score, or one of those made by
        `beta(..., plate=...)`."""
        label, y = name or "binomial", finite_numbers("observed", observed)
        if trials is None:
            raise ValueError(f"{label}: trials must be given")
        if either(label, "score", score, "probability", probability):
            return self._see_successes(label, probability, y, trials)
        if isinstance(score, Linear):
            self._add_likelihood("binomial_logit", (score,), y, trials, label=label)
        else:
            self._see_known(label, binomial_log_density, y, score, trials)

    def poisson(
        self,
        log_rate: Any = None,
        *,
        observed: ArrayLike,
        rate: Any = None,
        exposure: ArrayLike = 1.0,
        name: str | None = None,
    ) -> None:
        """Observed counts whose mean is exp(log_rate), or `rate` times `exposure` for rates made by `gamma(..., plate=...)`."""
        label, y = name or "poisson", finite_numbers("observed", observed)
        if either(label, "log_rate", log_rate, "rate", rate):
            return self._see_events(label, rate, exposure, y)
        if np.any(np.asarray(exposure) != 1):
            raise ValueError(f"{label}: exposure goes with rate; with log_rate, add its logarithm to that")
        if isinstance(log_rate, Linear):
            self._add_likelihood("poisson", (log_rate,), y, label=label)
        else:
            self._see_known(label, poisson_log_density, y, log_rate)

    def negative_binomial(
        self, log_mean: Any, dispersion: ArrayLike, *, observed: ArrayLike, name: str | None = None
    ) -> None:
        """Observed counts of mean exp(log_mean) and variance mean + mean²/dispersion."""
        self._add_likelihood(
            "negative_binomial",
            (log_mean,),
            finite_numbers("observed", observed),
            dispersion,
            label=name or "negative_binomial",
        )

    def student_t(
        self, mean: Any, scale: ArrayLike, degrees: ArrayLike, *, observed: ArrayLike, name: str | None = None
    ) -> None:
        """Observed numbers with heavy tails: (y - mean)/scale follows Student's t with so many degrees of freedom."""
        self._add_likelihood(
            "student_t", (mean,), finite_numbers("observed", observed), scale, degrees, label=name or "student_t"
        )

    def ordinal(
        self,
        score: Any,
        cuts: ArrayLike,
        *,
        observed: ArrayLike,
        link: str = "probit",
        name: str | None = None,
    ) -> None:
        """Observed levels 0, 1, ..., K: P(y <= k) is Phi(cuts[k] - score), or the logistic function of it."""
        label = name or "ordinal"
        check_choice(label, "link", link, ("logit", "probit"))
        self._add_likelihood(
            f"ordinal_{link}", (score,), finite_numbers("observed", observed), cuts, label=label
        )

    def normal_log_variance(
        self, mean: Any, log_variance: Any, *, observed: ArrayLike, name: str | None = None
    ) -> None:
        """Observed numbers whose mean and whose log-variance are both unknown, row by row: stochastic volatility."""
        label = name or "normal_log_variance"
        if not isinstance(log_variance, Linear):
            raise ValueError(f"{label}: log_variance must be unknown numbers; else use normal()")
        y = finite_numbers("observed", observed)
        if isinstance(mean, Linear):
            self._add_likelihood("normal_log_variance", (log_variance, mean), y, label=label)
        else:
            y = fitting(label, y, log_variance.shape) - mean
            self._add_likelihood("log_variance", (log_variance,), y, label=label)

    def density(
        self,
        log_f: Callable[..., ArrayLike],
        *z: Linear,
        log_concave: bool = False,
        name: str | None = None,
    ) -> None:
        """A factor of one to three linear combinations, given by the logarithm of its density.

        `log_f(rows, z1, ...)` is asked for many rows at once: `rows` of shape (r, 1) holds row numbers, each z the values at some
        nodes, of shape (r, nodes); it returns an array of that shape. Say `log_concave=True` where it is.
        """
        label = name or "density"
        if not 1 <= len(z) <= 3:
            raise ValueError(f"{label}: {len(z)} linear combinations: must be one to three")
        shape = np.broadcast_shapes(*(each.shape for each in z))
        spread = tuple(each + np.zeros(shape) for each in z)
        self._refuse_hyperparameters(label, spread, ())
        asked = AskedByNodes(log_f, [np.asarray(each.constant) for each in spread])
        numbers = {"log_f": asked, "log_concave": log_concave}
        self._plates.append(Plate("density", spread, numbers, label))

    def _add_likelihood(
        self,
        likelihood: str,
        z: tuple[Any, ...],
        y: Array,
        first: Any = _NOTHING,
        second: Any = _NOTHING,
        *,
        label: str,
    ) -> None:
        for each in z:
            if not isinstance(each, Linear):
                raise ValueError(f"{label}: needs unknown numbers, not {type(each).__name__}")
        self._refuse_hyperparameters(label, z, (first, second))
        shape = z[0].shape
        y = fitting(label, y, shape).ravel()
        numbers = {
            "likelihood": likelihood,
            "y": y,
            "first": parameter_of(first, shape, likelihood),
            "second": parameter_of(second, shape, likelihood),
        }
        self._plates.append(Plate("likelihood", z, numbers, label))

    def _see_known(self, label: str, log_density: Callable[..., Array], y: Array, *arguments: Any) -> None:
        """What was seen depends on hidden states, or on hyperparameters alone."""
        if any(isinstance(a, Picked) for a in arguments):
            self._see(label, log_density, y, *arguments)
        else:
            self._known.append(SeenAlone(label, log_density, y, arguments))

    def _refuse_hyperparameters(self, label: str, z: tuple[Linear, ...], numbers: Any) -> None:
        for each in (*(x for one in z for x in (one.weights, one.constant)), *numbers):
            if hyperparameters_of(each):
                raise ValueError(
                    f"{label}: a hyperparameter acts on unknown numbers through normal() and chain() alone; "
                    "put it into the prior of what the likelihood is about"
                )

    # --- inference -----------------------------------------------------------------------------------

    def infer(
        self, *, start: Posterior | None = None, limit: int = 200, tolerance: float = 1e-8
    ) -> Posterior:
        """The posterior of all unknown numbers and hyperparameters.

        `limit` bounds the sweeps over likelihoods, which end when no message changes by more than `tolerance`. After something was added
        or taken out, `start=` an earlier posterior of this model gives the same result with less work.
        """
        if not (self._variables or self._hyperparameters or self._states or self._conjugates or self._topics):
            raise ValueError("the model has no unknown numbers: add some with normal() or chain()")
        held = HeldModel(self._snapshot(), limit, tolerance)
        return Posterior(held, *held.found(former_of(self, start)))

    def _values(self, g: Sequence[float]) -> dict[int, float]:
        return {k: prior.value(float(x)) for k, (prior, x) in enumerate(zip(self._hyperparameters, g, strict=True))}

    def _log_prior(self, g: Sequence[float]) -> float:
        return sum(
            prior.log_density(float(x)) for prior, x in zip(self._hyperparameters, g, strict=True)
        )

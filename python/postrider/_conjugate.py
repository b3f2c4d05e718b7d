"""Many unknown probabilities, vectors of probabilities, rates and precisions, with conjugate beliefs: exact, with the evidence."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from postrider._core import dirichlet_beliefs, gamma_beliefs
from postrider._expressions import Array, Hyperparameter, Known, Linear, Setting, at, gathered, hyperparameters_of, shape_of_known
from postrider._hyperparameters import Hyperparameters
from postrider._model_inputs import finite_numbers, shape_of
from postrider._quantiles import Quantiles

_KINDS = {
    "beta": ("probabilities", "bernoulli() and binomial()"),
    "dirichlet": ("vectors of probabilities", "categorical() and multinomial()"),
    "gamma": ("numbers above 0", "poisson(rate=...) and normal(precision=...)"),
}


# What rows without a name are called: they cannot be taken out.
_METHODS = ("bernoulli", "binomial", "categorical", "multinomial", "poisson", "normal")


@dataclass(frozen=True)
class SeenUnderName:
    """What observations of a name have added to a plate."""

    label: str
    sums: Array
    log_constant: float


class ConjugatePlate:
    """Unknown numbers of one kind, what they were beforehand, and what was seen of them."""

    def __init__(
        self, kind: str, prior: tuple[Any, ...], shape: tuple[int, ...], width: int, name: str, number: int
    ) -> None:
        self.kind, self.prior, self.shape, self.width, self.name = kind, prior, shape, width, name
        self.number = number  # among those of its model
        # Counts of each symbol, or events and exposures: all that the belief needs to know.
        self.seen = np.zeros((int(np.prod(shape, dtype=np.int64)), width))
        self.log_constant = 0.0  # of what was seen, in which nothing is unknown
        self.named: list[SeenUnderName] = []

    @property
    def rows(self) -> int:
        return len(self.seen)

    def add(self, label: str, rows: NDArray[np.int64], seen: Array, log_constant: float) -> None:
        sums: Array = np.stack([np.asarray(np.bincount(rows, seen[:, column], self.rows), dtype=np.float64) for column in range(self.width)], axis=1)
        self.seen = self.seen + sums
        self.log_constant += log_constant
        if label not in _METHODS:
            self.named.append(SeenUnderName(label, sums, log_constant))

    def remove(self, label: str) -> None:
        """Takes out what was seen under a name."""
        for each in self.named:
            if each.label == label:
                self.seen = self.seen - each.sums
                self.log_constant -= each.log_constant
        self.named = [each for each in self.named if each.label != label]

    def copied(self) -> ConjugatePlate:
        """As it is now: what is seen later is added to sums that are made anew."""
        out = copy.copy(self)
        out.named = list(self.named)
        return out

    def hyperparameters(self) -> set[int]:
        return set().union(*(hyperparameters_of(each) for each in self.prior))

    def at(self, setting: Setting) -> tuple[float, Array, Array, Array]:
        """Log-evidence, parameters, means and standard deviations at these hyperparameters, row by row."""
        prior = [np.asarray(at(each, setting), dtype=np.float64) for each in self.prior]
        try:
            if self.kind == "gamma":
                shape, rate = (np.ascontiguousarray(np.broadcast_to(each, self.shape)).ravel() for each in prior)
                events, exposures = np.ascontiguousarray(self.seen.T)
                log_evidence, shapes, rates, means, sds = gamma_beliefs(shape, rate, events, exposures)
                return log_evidence + self.log_constant, np.stack([shapes, rates], axis=1), means, sds
            stacked = np.stack(np.broadcast_arrays(*prior), axis=-1) if self.kind == "beta" else prior[0]
            spread_prior = np.broadcast_to(stacked, (*self.shape, self.width))
            log_evidence, parameters, means, sds = dirichlet_beliefs(
                self.width, np.ascontiguousarray(spread_prior).ravel(), self.seen.ravel()
            )
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        if self.kind == "beta":
            means, sds = means[:, 0], sds[:, 0]
        return log_evidence + self.log_constant, parameters, means, sds


class Conjugate:
    """Unknown probabilities, vectors or rates, or some of them: made by `Model.beta`, `gamma` and `dirichlet`, and picked by indexing."""

    __array_ufunc__ = None

    def __init__(self, plate: ConjugatePlate, rows: NDArray[np.int64]) -> None:
        self.plate, self.index = plate, rows

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is picked; that of vectors is without their length."""
        return self.index.shape

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single unknown number has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Conjugate:
        return Conjugate(self.plate, np.asarray(self.index[key]))

    def __repr__(self) -> str:
        return f"<{_KINDS[self.plate.kind][0]} {self.plate.name} of shape {self.shape}>"

    def _refuse(self, *_: Any) -> Any:
        what, where = _KINDS[self.plate.kind]
        raise TypeError(
            f"{self.plate.name}: {what} with conjugate beliefs are seen by {where} alone, as they are; combine draws of them, as "
            "posterior.sample(1000)[x]"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __neg__ = log = logit = exp = sqrt = _refuse


class ConjugateBelief(Quantiles):
    """What is known of conjugate unknowns: a mixture over the nodes of hyperparameters, where there are any."""

    def __init__(self, x: Conjugate, weights: Array, found: Sequence[tuple[float, Array, Array, Array]]) -> None:
        self._x, self._weights = x, weights
        self.parameters = np.array([parameters[x.index] for _, parameters, _, _ in found])  # (nodes, ..., width)
        means = np.array([each[2][x.index] for each in found])
        sds = np.array([each[3][x.index] for each in found])
        by_node = weights.reshape(-1, *(1,) * (means.ndim - 1))
        self.mean = np.asarray((by_node * means).sum(axis=0))
        self.sd = np.asarray(np.sqrt((by_node * (sds**2 + (means - self.mean) ** 2)).sum(axis=0)))

    def quantile(self, probability: float) -> Array:
        """Where the distribution function has this value; of each probability, for vectors."""
        if not 0 < probability < 1:
            raise ValueError(f"probability = {probability}: must be between 0 and 1")
        first, second = self._pairs()
        if self._x.plate.kind == "gamma":
            each = special.gammaincinv(first, probability) / second
        else:
            each = special.betaincinv(first, second, probability)
        if len(each) == 1:
            return np.asarray(each[0])
        # The mixture's quantile lies between those of its parts: halve what is in doubt.
        low, high = each.min(axis=0), each.max(axis=0)
        by_node = self._weights.reshape(-1, *(1,) * low.ndim)
        for _ in range(60):
            middle = 0.5 * (low + high)
            below = special.gammainc(first, second * middle) if self._x.plate.kind == "gamma" else special.betainc(first, second, middle)
            is_low = (by_node * below).sum(axis=0) < probability
            low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        return np.asarray(0.5 * (low + high))

    def _pairs(self) -> tuple[Array, Array]:
        """Both parameters of each number's belief: of a Gamma, or of the Beta that one of several probabilities has."""
        if self._x.plate.kind == "dirichlet":
            return self.parameters, self.parameters.sum(axis=-1, keepdims=True) - self.parameters
        return self.parameters[..., 0], self.parameters[..., 1]


def draws_of(plate: ConjugatePlate, settings: list[Setting], random: np.random.Generator) -> Array:
    """A draw of all of a plate's unknowns for each of these settings of the hyperparameters."""
    out = np.empty((len(settings), *(plate.shape if plate.kind != "dirichlet" else (*plate.shape, plate.width))))
    places: dict[int, list[int]] = {}
    for k, setting in enumerate(settings):
        places.setdefault(id(setting), []).append(k)
    for where in places.values():
        parameters = plate.at(settings[where[0]])[1]
        count = (len(where), plate.rows)
        if plate.kind == "gamma":
            found = random.standard_gamma(parameters[:, 0], count) / parameters[:, 1]
        elif plate.kind == "beta":
            found = random.beta(parameters[:, 0], parameters[:, 1], count)
        else:
            found = random.standard_gamma(parameters, (*count, plate.width))
            # Where all parameters are so small that no draw is above 0, the largest parameter has all.
            least = np.where(parameters == parameters.max(axis=1, keepdims=True), np.finfo(float).tiny, 0.0)
            found = np.maximum(found, least)
            found = found / found.sum(axis=-1, keepdims=True)
        out[where] = found.reshape(len(where), *out.shape[1:])
    return out


class Conjugates(Hyperparameters):
    """The part of a model that holds conjugate unknowns."""

    def __init__(self) -> None:
        super().__init__()
        self._conjugates: list[ConjugatePlate] = []

    @overload
    def beta(self, a: float, b: float, name: str | None = None) -> Hyperparameter: ...
    @overload
    def beta(self, a: Any, b: Any, name: str | None = None, *, plate: int | tuple[int, ...]) -> Conjugate: ...
    def beta(self, a: Any, b: Any, name: str | None = None, *, plate: int | tuple[int, ...] | None = None) -> Any:
        """A probability, of density proportional to x^(a - 1) (1 - x)^(b - 1).

        Alone it is a hyperparameter, held at nodes, which may act anywhere. With `plate=` these are many probabilities, each with a Beta
        belief of its own, exact, for `bernoulli(probability=...)` and `binomial(probability=...)`; `a` and `b` may then be arrays, or made of
        hyperparameters.
        """
        if plate is None:
            return super().beta(a, b, name)
        return self._new_conjugate("beta", (("a", a), ("b", b)), plate, 2, name)

    @overload
    def gamma(self, shape: float, rate: float, name: str | None = None) -> Hyperparameter: ...
    @overload
    def gamma(self, shape: Any, rate: Any, name: str | None = None, *, plate: int | tuple[int, ...]) -> Conjugate: ...
    def gamma(self, shape: Any, rate: Any, name: str | None = None, *, plate: int | tuple[int, ...] | None = None) -> Any:
        """A number above 0, of density proportional to x^(shape - 1) exp(-rate x).

        Alone it is a hyperparameter, held at nodes. With `plate=` these are many numbers, each with a Gamma belief of its own, exact, for
        `poisson(rate=...)` and `normal(mean, precision=...)`; `shape` and `rate` may then be arrays, or made of hyperparameters.
        """
        if plate is None:
            return super().gamma(shape, rate, name)
        return self._new_conjugate("gamma", (("shape", shape), ("rate", rate)), plate, 2, name)

    def dirichlet(self, a: Any, *, plate: int | tuple[int, ...] = (), name: str | None = None) -> Conjugate:
        """Vectors of probabilities that sum to 1, of density proportional to the product of p_k^(a_k - 1): exact beliefs, for
        `categorical()` and `multinomial()`.

        `a` has a number for each probability, or a row of them for each vector; it may be made of hyperparameters.
        """
        given = gathered(a)
        size = shape_of_known(given)
        label = name or "dirichlet"
        if not size or size[-1] < 2:
            raise ValueError(f"{label}: a has the shape {size}: must hold at least two numbers for each vector")
        return self._new_conjugate("dirichlet", (("a", given),), plate, int(size[-1]), name)

    def _new_conjugate(
        self, kind: str, prior: tuple[tuple[str, Any], ...], plate: int | tuple[int, ...], width: int, name: str | None
    ) -> Conjugate:
        label, shape = name or kind, shape_of(plate)
        prior = tuple((field, gathered(value)) for field, value in prior)
        for field, value in prior:
            if isinstance(value, (Linear, Conjugate)):
                raise ValueError(f"{label}: {field} must be known numbers or hyperparameters")
            if isinstance(value, Known):
                continue
            numbers = finite_numbers(f"{label}: {field}", value)
            if not (numbers > 0).all():
                raise ValueError(f"{label}: {field} = {numbers.min():g}: must be above 0")
            full = (*shape, width) if kind == "dirichlet" else shape
            try:
                np.broadcast_to(numbers, full)
            except ValueError:
                raise ValueError(f"{label}: {field} has the shape {numbers.shape}, the plate {full}") from None
        made = ConjugatePlate(kind, tuple(value for _, value in prior), shape, width, label, len(self._conjugates))
        self._conjugates.append(made)
        return Conjugate(made, np.arange(made.rows).reshape(shape))

    # --- what was observed of them -----------------------------------------------------------------

    def multinomial(self, probabilities: Conjugate, *, observed: ArrayLike, name: str | None = None) -> None:
        """Observed counts of each symbol, whose probabilities are vectors made by `dirichlet()`; the last axis is that of symbols."""
        label = name or "multinomial"
        plate = _plate_of(label, "probabilities", probabilities, "dirichlet")
        counts = _counts(label, observed)
        if counts.shape[-1:] != (plate.width,):
            raise ValueError(f"{label}: observed has the shape {counts.shape}: its last axis must hold {plate.width} counts")
        rows = _rows_for(label, probabilities, counts.shape[:-1])
        ways = special.gammaln(counts.sum(axis=-1) + 1).sum() - special.gammaln(counts + 1).sum()
        plate.add(label, rows, counts.reshape(-1, plate.width), float(ways))

    def _see_symbols(self, label: str, probabilities: Conjugate, y: Array) -> None:
        plate = _plate_of(label, "probabilities", probabilities, "dirichlet")
        if (y >= plate.width).any():
            raise ValueError(f"{label}: observed = {y.max():g}: must be below {plate.width}")
        plate.add(label, _rows_for(label, probabilities, y.shape), np.eye(plate.width)[y.ravel().astype(np.int64)], 0.0)

    def _see_successes(self, label: str, probability: Any, y: ArrayLike, trials: ArrayLike | None) -> None:
        plate = _plate_of(label, "probability", probability, "beta")
        successes = _counts(label, y)
        n = np.broadcast_to(_counts(f"{label}: trials", 1 if trials is None else trials), successes.shape)
        if (successes > n).any():
            raise ValueError(f"{label}: observed = {successes[successes > n][0]:g}: must be at most the trials, {n[successes > n][0]:g}")
        ways = special.gammaln(n + 1) - special.gammaln(successes + 1) - special.gammaln(n - successes + 1)
        both = np.stack([successes, n - successes], axis=-1).reshape(-1, 2)
        plate.add(label, _rows_for(label, probability, successes.shape), both, float(ways.sum()))

    def _see_events(self, label: str, rate: Any, exposure: ArrayLike, y: ArrayLike) -> None:
        plate = _plate_of(label, "rate", rate, "gamma")
        counts = _counts(label, y)
        exposure = np.broadcast_to(finite_numbers(f"{label}: exposure", exposure), counts.shape)
        if not (exposure > 0).all():
            raise ValueError(f"{label}: exposure = {exposure.min():g}: must be above 0")
        constant = float((special.xlogy(counts, exposure) - special.gammaln(counts + 1)).sum())
        plate.add(label, _rows_for(label, rate, counts.shape), np.stack([counts, exposure], axis=-1).reshape(-1, 2), constant)

    def _see_precision(self, label: str, mean: Any, precision: Any, y: Array) -> None:
        plate = _plate_of(label, "precision", precision, "gamma")
        if isinstance(mean, (Linear, Known, Conjugate)):
            raise ValueError(
                f"{label}: the mean must be known where the precision has a Gamma belief; where it is not, use normal(mean, sd) with "
                "sd = model.half_normal(...), or normal_log_variance()"
            )
        half = 0.5 * (y - np.broadcast_to(finite_numbers(f"{label}: mean", mean), y.shape)) ** 2
        seen = np.stack([np.full(y.shape, 0.5), half], axis=-1).reshape(-1, 2)
        plate.add(label, _rows_for(label, precision, y.shape), seen, -0.5 * y.size * float(np.log(2 * np.pi)))


def _plate_of(label: str, field: str, x: Any, kind: str) -> ConjugatePlate:
    if not isinstance(x, Conjugate) or x.plate.kind != kind:
        what = _KINDS[x.plate.kind][0] if isinstance(x, Conjugate) else type(x).__name__
        call = "dirichlet(...)" if kind == "dirichlet" else f"{kind}(..., plate=...)"
        raise ValueError(f"{label}: {field} must be made by model.{call}, not {what}")
    return x.plate


def _rows_for(label: str, x: Conjugate, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which unknown each observation is about."""
    try:
        return np.broadcast_to(x.index, shape).ravel()
    except ValueError:
        raise ValueError(f"{label}: observed has the shape {shape}, what it is about {x.shape}") from None


def _counts(label: str, values: ArrayLike) -> Array:
    out = finite_numbers(label if ": " in label else f"{label}: observed", values)
    if (out < 0).any() or (out != np.floor(out)).any():
        wrong = out[(out < 0) | (out != np.floor(out))].flat[0]
        raise ValueError(f"{label if ': ' in label else f'{label}: observed'} = {wrong:g}: must be whole numbers of at least 0")
    return out

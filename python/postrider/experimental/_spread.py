"""Training that is spread over workers, whichever engine calls them.

A worker holds shards; the driver holds the sum and decides what is next. If a worker is lost, its shards go
to others, and all go on from the last checkpoint, or from the beginning: the same bytes come out.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._progress import EpochLines
from postrider.classifier import BayesianMLPClassifier
from postrider.experimental._shards import Part, PartFacts, facts_of, inputs_of
from postrider.regressor import BayesianMLPRegressor

logger = logging.getLogger("postrider")

# Losses before the next epoch ends, after which it is rows or machines that are at fault.
_MOST_LOSSES = 10

Estimator = BayesianMLPRegressor | BayesianMLPClassifier
Sums = NDArray[np.int64]


def is_classifier(estimator: Estimator) -> bool:
    if not isinstance(estimator, (BayesianMLPRegressor, BayesianMLPClassifier)):
        raise TypeError(
            f"estimator = {estimator!r}: must be a BayesianMLPRegressor or a BayesianMLPClassifier"
        )
    if not isinstance(estimator, BayesianMLPClassifier):
        return False
    if estimator.class_weight is not None:
        raise ValueError(
            f"class_weight = {estimator.class_weight!r}: must be None where rows are spread; "
            "parts may hold weights, as (X, y, weights)"
        )
    return True


class WorkerLost(Exception):
    """A worker has died, or has not answered in time."""


class Worker:
    """Some shards, in the process that holds them. It is made from what can be sent there."""

    def __init__(self, is_classifier: bool, options: dict[str, Any]) -> None:
        self._is_classifier = is_classifier
        self._options = options
        self._rows: dict[int, tuple[Any, Any, Any]] = {}
        self._holder: _core.ShardHolder | None = None

    def load(self, parts: Mapping[int, Part]) -> dict[int, PartFacts]:
        """Hold these shards and no others."""
        self._rows = {
            shard: self._rows[shard] if shard in self._rows else part.load()
            for shard, part in parts.items()
        }
        self._holder = None
        return {
            shard: facts_of(X, y, self._is_classifier) for shard, (X, y, _) in self._rows.items()
        }

    def hold(self, outputs: int, classes: NDArray[Any] | None) -> dict[int, bytes]:
        """Make a model's shards of the rows; returns their summaries."""
        self._holder = _core.ShardHolder(core_model(self._options, outputs, classes))
        for shard, (X, y, weights) in self._rows.items():
            inputs, own = inputs_of(X), _weights(weights)
            if classes is None:
                targets = np.ascontiguousarray(np.asarray(y, dtype=np.float64))
                self._holder.hold_numbers(shard, inputs, targets, own)
            else:
                numbers = np.searchsorted(classes, np.asarray(y)).astype(np.uint64)
                self._holder.hold_labels(shard, inputs, numbers, own)
        return {shard: self._holder.summary(shard) for shard in self._rows}

    def prepare(self, summaries: list[bytes]) -> None:
        self._expect_holder().prepare(summaries)

    def run(self, step: bytes) -> tuple[Sums, bytes]:
        return self._expect_holder().run(step, self._options["n_jobs"])

    def write(self, folder: str, epoch: int) -> None:
        self._expect_holder().write(folder, epoch)

    def restore(self, folder: str, epoch: int) -> Sums:
        return self._expect_holder().load(folder, epoch)

    def merge(self, folders: list[str]) -> Sums:
        return self._expect_holder().merge(folders)

    def forget(self, shards: list[int]) -> Sums | None:
        """The sums of what those shards said that are held here; None if none is."""
        holder = self._expect_holder()
        found = [holder.forget(shard) for shard in shards if holder.holds(shard)]
        return np.sum(found, axis=0, dtype=np.int64) if found else None

    def _expect_holder(self) -> _core.ShardHolder:
        if self._holder is None:
            raise RuntimeError("this worker holds no shards yet")
        return self._holder


def core_model(options: dict[str, Any], outputs: int, classes: NDArray[Any] | None) -> Any:
    """A model that has learned nothing."""
    if classes is None:
        return _core.Regressor(options, outputs=outputs)
    return _core.Classifier(options, classes=len(classes))


def _weights(weights: Any) -> Any:
    if weights is None:
        return None
    return np.ascontiguousarray(np.asarray(weights, dtype=np.float64))


class Engine(Protocol):
    """Workers somewhere. Calls end with an error after a deadline."""

    def workers(self) -> list[Hashable]:
        """Those that are there, in an order that need not be the same each time."""

    def call(
        self, method: str, arguments: Mapping[Hashable, tuple[Any, ...]]
    ) -> dict[Hashable, Any]:
        """Call this method of these workers. Raises WorkerLost if one of them cannot answer."""

    def place(self, shards: int) -> dict[Hashable, list[int]]:
        """Which worker is to hold which shards."""

    # What engines need that have several drivers, side by side.

    @property
    def is_first(self) -> bool:
        """Whether what one driver does for all is this one's to do."""
        return True

    def share(self, action: Callable[[], Any]) -> list[Any]:
        """What this comes to, for each driver. Raises for all of them what it raises for one."""
        return [action()]

    def settle(self) -> None:
        """End training for all drivers, or raise WorkerLost for all of them."""
        return


class How(TypedDict, total=False):
    """What `fit` of all engines takes, and `Run` has the defaults of."""

    checkpoint: str | None
    checkpoint_every: int
    resume: bool
    forget: Sequence[int]
    merge: Sequence[str]
    rows_in_flight: float
    progress: Callable[[Any], bool | None] | Literal[False] | None


class Run:
    """One training run, from the side of the driver."""

    def __init__(
        self,
        estimator: Estimator,
        parts: Sequence[Part],
        engine: Engine,
        options: dict[str, Any],
        *,
        checkpoint: str | None = None,
        checkpoint_every: int = 0,
        resume: bool = False,
        forget: Sequence[int] = (),
        merge: Sequence[str] = (),
        rows_in_flight: float = 0.01,
        progress: Callable[[Any], bool | None] | Literal[False] | None = None,
    ) -> None:
        if not parts:
            raise ValueError("parts = []: there must be at least one")
        self._estimator = estimator
        self._parts = list(parts)
        self._engine = engine
        self._options = options
        self._checkpoint = checkpoint or ""
        self._checkpoint_every = checkpoint_every
        self._resume = resume
        self._forget = [int(shard) for shard in forget]
        self._merge = [os.fspath(folder) for folder in merge]
        self._rows_in_flight = rows_in_flight
        if progress is None and engine.is_first:
            progress = EpochLines()
        self._progress = progress or None
        self._told: dict[int, int] = {}  # by member, the last epoch
        self._has_checkpoint = resume  # that this run may go on from
        self._furthest = 0  # epoch
        self._losses = 0  # since then
        self.recoveries: list[float] = []  # seconds that each took
        self.report: dict[str, Any] = {}

    def fit(self) -> None:
        lost_at: float | None = None
        while True:
            try:
                placed = {w: s for w, s in self._engine.place(len(self._parts)).items() if s}
                driver, model, rows = self._begin(placed)
                self._warn(driver)
                if not self._go_on(driver, placed) and self._merge:
                    driver.merge(self._summed("merge", placed, self._merge))
                if lost_at is not None:
                    self._note_recovery(driver.epochs, time.monotonic() - lost_at)
                    lost_at = None
                self._train(driver, placed)
                self._engine.settle()
                self._conclude(driver, model, rows)
                return
            except WorkerLost as error:
                self._note_loss(error)
                lost_at = lost_at or time.monotonic()
            except TimeoutError as error:
                raise TimeoutError(f"{error}; {self._way_on()}") from error

    def _way_on(self) -> str:
        if not self._checkpoint:
            return "with checkpoint=FOLDER the same call could go on from where it stood"
        return f"the same call with resume=True goes on from checkpoint = {self._checkpoint!r}"

    def _note_loss(self, error: WorkerLost) -> None:
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise RuntimeError(
                f"workers were lost {self._losses} times before epoch {self._furthest + 1} ended: "
                "training gives up"
            ) from error

    def _note_recovery(self, epoch: int, seconds: float) -> None:
        self.recoveries.append(seconds)
        logger.warning(
            "a worker was lost; training goes on from epoch %d after %.2f s", epoch, seconds
        )

    def _conclude(self, driver: Any, model: Any, rows: int) -> None:
        self.report = driver.conclude(rows)
        self.report["recoveries"] = len(self.recoveries)
        self.report["recovery_seconds"] = list(self.recoveries)
        self._estimator._take_model(model, rows)
        self._estimator.spread_report_ = self.report

    def _call(
        self, method: str, placed: Mapping[Hashable, Any], *arguments: Any
    ) -> dict[Hashable, Any]:
        return self._engine.call(method, dict.fromkeys(placed, arguments))

    def _begin(self, placed: dict[Hashable, list[int]]) -> tuple[Any, Any, int]:
        found = self._engine.call(
            "load", {w: ({s: self._parts[s] for s in shards},) for w, shards in placed.items()}
        )
        facts = _in_order(found, len(self._parts))
        outputs, classes = self._take_facts(facts)
        summaries = _in_order(self._call("hold", placed, outputs, classes), len(self._parts))
        self._call("prepare", placed, summaries)
        model = core_model(self._options, outputs, classes)
        kind = _core.RegressorDriver if classes is None else _core.ClassifierDriver
        driver = kind(
            model,
            rows_in_flight=self._rows_in_flight,
            checkpoint=self._checkpoint,
            checkpoint_every=self._checkpoint_every,
            resume=self._resume,
            forget=self._forget,
            merge=self._merge,
            summaries=summaries,
        )
        return driver, model, sum(part.rows for part in facts)

    def _take_facts(self, facts: list[PartFacts]) -> tuple[int, NDArray[Any] | None]:
        """What the estimator must know of its rows; the number of targets, and the classes."""
        first = facts[0]
        for shard, part in enumerate(facts):
            _expect_alike(shard, part, first)
        estimator = self._estimator
        estimator.n_features_in_ = first.columns
        if first.names is not None:
            estimator.feature_names_in_ = np.array(first.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        estimator._target = "y"
        if isinstance(estimator, BayesianMLPRegressor):
            estimator._is_flat = first.is_flat
            return first.outputs, None
        labels = [part.labels for part in facts if part.labels is not None]
        estimator.classes_ = np.unique(np.concatenate(labels))
        if len(estimator.classes_) < 2:
            raise ValueError("y has one class: a classifier needs at least two classes")
        return 1, estimator.classes_

    def _summed(self, method: str, placed: Mapping[Hashable, Any], *arguments: Any) -> Sums:
        answers = self._call(method, placed, *arguments).values()
        found = [sums for sums in answers if sums is not None]
        return np.atleast_1d(np.sum(found, axis=0, dtype=np.int64))

    def _warn(self, driver: Any) -> None:
        """Tells of numbers far from all others, once, as where all rows are in one place."""
        if not self._engine.is_first or self._losses > 0 or self.recoveries:
            return
        for text in driver.warnings([str(name) for name in getattr(self._estimator, "feature_names_in_", [])]):
            warnings.warn(text, RuntimeWarning, stacklevel=4)

    def _go_on(self, driver: Any, placed: dict[Hashable, list[int]]) -> bool:
        """From the last checkpoint, if there is one that is this run's: whether there is."""
        self._has_checkpoint = any(self._engine.share(lambda: self._has_checkpoint))
        if not self._has_checkpoint:
            return False
        seen = self._engine.share(driver.checkpoint)
        if len(set(seen)) > 1:
            raise RuntimeError(
                f"checkpoint = {self._checkpoint!r}: must be a folder that all ranks share; they see "
                f"the epochs {seen}"
            )
        if seen[0] is None:
            return False
        driver.resume(self._summed("restore", placed, self._checkpoint, seen[0]))
        if self._forget:
            driver.forget(self._forget, self._summed("forget", placed, self._forget))
        return True

    def _train(self, driver: Any, placed: dict[Hashable, list[int]]) -> None:
        epochs = driver.epochs
        while step := driver.next():
            answers = list(self._call("run", placed, step).values())
            sums = np.sum([sums for sums, _ in answers], axis=0, dtype=np.int64)
            driver.accept(np.atleast_1d(sums), [results for _, results in answers])
            if driver.epochs == epochs:
                continue
            epochs = driver.epochs
            if epochs > self._furthest:
                self._furthest, self._losses = epochs, 0
            # Clocks differ: the first driver says whether a checkpoint is due.
            is_due = bool(self._checkpoint) and self._engine.share(lambda: driver.is_checkpoint_due)[0]
            if is_due:
                self._save(driver, placed)
            if all(self._engine.share(lambda: self._tell(driver))):
                continue
            # Whoever ends training may mean to go on.
            if self._checkpoint and not (is_due or self._checkpoint_every or self._forget):
                self._save(driver, placed)
            driver.cancel()

    def _save(self, driver: Any, placed: dict[Hashable, list[int]]) -> None:
        """A checkpoint that cannot be written is told of, and training goes on."""
        try:
            self._call("write", placed, self._checkpoint, driver.epochs)
            self._engine.share(lambda: driver.write_manifest() if self._engine.is_first else None)
            self._has_checkpoint = True
        except TimeoutError:
            raise
        except OSError as error:
            logger.warning("%s; training goes on without this checkpoint", error)

    def _tell(self, driver: Any) -> bool:
        """What was not told before a loss. False if training is to end."""
        goes_on = True
        for report in driver.take_reports():
            if self._progress is None or report.epoch <= self._told.get(report.member, 0):
                continue
            self._told[report.member] = report.epoch
            goes_on = self._progress(report) is not False and goes_on
        return goes_on


def _expect_alike(shard: int, part: PartFacts, first: PartFacts) -> None:
    if part.rows == 0:
        raise ValueError(f"part {shard} has no rows: each must have at least one")
    if part.columns != first.columns or part.names != first.names:
        raise ValueError(
            f"part {shard} has {part.columns} columns ({part.names}): all parts must have those "
            f"of the first, {first.columns} ({first.names})"
        )
    if part.outputs != first.outputs:
        raise ValueError(
            f"part {shard} has {part.outputs} targets: all parts must have as many as the first, "
            f"{first.outputs}"
        )


def _in_order(found: Mapping[Hashable, Mapping[int, Any]], count: int) -> list[Any]:
    by_shard = {shard: value for of_worker in found.values() for shard, value in of_worker.items()}
    return [by_shard[shard] for shard in range(count)]

"""Train on a Ray cluster: the rows stay where they are, beliefs travel.

Experimental: the part becomes stable once two processes are 1.7 times as fast as one, and more than two machines are measured.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from postrider.experimental._shards import Part, expect_target_alone
from postrider.experimental._silence import SILENCE, tell_of_silence, unanswered
from postrider.experimental._spread import Engine, Estimator, How, Run, Worker, WorkerLost, is_classifier

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["fit"]


class RayEngine(Engine):
    """Actors of a Ray cluster. One that has died is made anew, with its rows."""

    def __init__(
        self,
        workers: int,
        is_classifier: bool,
        options: dict[str, Any],
        deadline: float,
        resources: dict[str, Any],
    ) -> None:
        import ray  # noqa: PLC0415

        self._ray = ray
        self._class = ray.remote(Worker).options(max_restarts=0, **resources)
        self._arguments = (is_classifier, options)
        self._deadline = deadline
        self._actors: dict[Hashable, Any] = {number: self._make() for number in range(workers)}

    def _make(self) -> Any:
        return self._class.remote(*self._arguments)

    def workers(self) -> list[Hashable]:
        return list(self._actors)

    def place(self, shards: int) -> dict[Hashable, list[int]]:
        count = len(self._actors)
        return {w: list(range(first, shards, count)) for first, w in enumerate(self._actors)}

    def call(
        self, method: str, arguments: Mapping[Hashable, tuple[Any, ...]]
    ) -> dict[Hashable, Any]:
        until = time.monotonic() + self._deadline
        refs = {
            worker: getattr(self._actors[worker], method).remote(*given)
            for worker, given in arguments.items()
        }
        pending = self._pending(refs, min(SILENCE, self._deadline))
        if pending and self._deadline > SILENCE:
            tell_of_silence(pending, SILENCE, self._deadline)
            pending = self._pending(refs, self._deadline - SILENCE)
        if pending:
            raise self._too_late(pending, len(refs))
        return self._results(refs, until)

    def _pending(self, refs: dict[Hashable, Any], seconds: float) -> list[Hashable]:
        """Workers that have not answered by then."""
        _, late = self._ray.wait(list(refs.values()), num_returns=len(refs), timeout=seconds, fetch_local=False)
        return [f"actor {worker}" for worker, ref in refs.items() if ref in late]

    def _too_late(self, pending: list[Hashable], asked: int) -> TimeoutError:
        return TimeoutError(
            f"{unanswered(pending, asked, self._deadline)}, or Ray has not the resources to start them"
        )

    def _results(self, refs: dict[Hashable, Any], until: float) -> dict[Hashable, Any]:
        trouble = self._ray.exceptions
        out, lost = {}, []
        for worker, ref in refs.items():
            try:
                out[worker] = self._ray.get(ref, timeout=max(0.0, until - time.monotonic()))
            except (trouble.RayActorError, trouble.ObjectLostError):
                lost.append(worker)
            except trouble.RayTaskError as error:
                raise error.cause from error
            except trouble.GetTimeoutError as error:
                raise self._too_late([f"actor {worker}"], len(refs)) from error
        for worker in lost:
            self._ray.kill(self._actors[worker])  # it may only be out of reach
            self._actors[worker] = self._make()
        if lost:
            raise WorkerLost
        return out

    def close(self) -> None:
        for actor in self._actors.values():
            self._ray.kill(actor)


def _parts_of(X: Any, y: Any, weights: Any, target: str | None) -> Sequence[Part]:
    if hasattr(X, "to_pandas_refs"):
        if target is None:
            raise TypeError("target: must name the column of the dataset that holds the targets")
        expect_target_alone(y, weights)
        return [Part(_Fetched(ref), target) for ref in X.to_pandas_refs()]
    if y is not None or weights is not None:
        raise TypeError("y and sample_weight: parts hold them, as (X, y) or (X, y, weights)")
    return [Part(_Fetched(each) if _is_ref(each) else each, target) for each in X]


def _is_ref(part: Any) -> bool:
    import ray  # noqa: PLC0415

    return isinstance(part, ray.ObjectRef)


class _Fetched:
    """An object of the cluster, brought to whoever asks for it."""

    def __init__(self, ref: Any) -> None:
        self._ref = ref

    def __call__(self) -> Any:
        import ray  # noqa: PLC0415

        return ray.get(self._ref)


def fit(
    estimator: Estimator,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    target: str | None = None,
    workers: int = 2,
    resources: dict[str, Any] | None = None,
    deadline: float = 600.0,
    **how: Unpack[How],
) -> Any:
    """Fit an estimator to rows that lie on a Ray cluster.

    Each block of a dataset, or each part, is a shard. The result depends on the shards, and not on how many
    workers there are, where they run, or whether some of them are lost: the saved model is the same to the
    byte, and the same that the other engines make of the same shards.

    Parameters
    ----------
    estimator : BayesianMLPRegressor or BayesianMLPClassifier
    X : ray.data.Dataset (with `target`), or list of parts
        A part is (X, y) or (X, y, weights), the path of a Parquet file that all workers see (with
        `target`), a reference to one of these, or a callable that returns one.
    target : str, optional
        The column of a frame that holds the targets.
    workers : int
        Actors that hold the shards.
    resources : dict, optional
        What Ray is to set aside for each, such as ``{"num_cpus": 4}``.
    deadline, **how
        As of `postrider.experimental.dask.fit`.

    Returns
    -------
    estimator : the same, fitted. `spread_report_` tells of rounds and recoveries.
    """
    kind = is_classifier(estimator)
    parts = _parts_of(X, y, sample_weight, target)
    options = estimator._options()
    count = max(1, min(workers, len(parts)))
    engine = RayEngine(count, kind, options, deadline, resources or {"num_cpus": 1})
    run = Run(estimator, parts, engine, options, **how)
    try:
        run.fit()
    finally:
        engine.close()
    return estimator

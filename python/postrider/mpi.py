"""Train by the ranks of an MPI job: every rank calls `fit` and ends with the same model."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ._shards import Part
from ._spread import Estimator, Run, Worker, WorkerLost, is_classifier

__all__ = ["fit"]


class MpiEngine:
    """The ranks of a communicator, each with a worker and a driver of its own.

    All ranks make the same calls in the same order, so that a call is a call of this rank's worker and an
    exchange of answers. Sums are added up on the way.
    """

    def __init__(self, comm: Any, worker: Worker, deadline: float) -> None:
        from mpi4py import MPI  # noqa: PLC0415

        self._mpi = MPI
        self._comm = comm.Dup()
        self._comm.Set_errhandler(MPI.ERRORS_RETURN)
        self._worker = worker
        self._deadline = deadline
        self._is_broken = False

    @property
    def rank(self) -> int:
        return int(self._comm.Get_rank())

    def workers(self) -> list[Hashable]:
        return list(range(self._comm.Get_size()))

    def place(self, shards: int) -> dict[Hashable, list[int]]:
        """After a loss, among those that are left."""
        if self._is_broken:
            self._recover()
        size = self._comm.Get_size()
        return {rank: list(range(rank, shards, size)) for rank in range(size)}

    def call(self, method: str, arguments: Mapping[Hashable, tuple[Any, ...]]) -> dict[Hashable, Any]:
        trouble = found = None
        if self.rank in arguments:
            try:
                found = getattr(self._worker, method)(*arguments[self.rank])
            except Exception as error:  # noqa: BLE001  (told to all ranks, and raised there)
                trouble = error
        if method in ("run", "restore"):
            return self._summed(method, found, trouble)
        return dict(enumerate(self._exchanged((trouble, found))))

    def _summed(self, method: str, found: Any, trouble: Exception | None) -> dict[Hashable, Any]:
        """The sums are the same for all ranks: they count as the first one's."""
        sums = (found[0] if method == "run" else found) if found is not None else None
        sizes = self._exchanged((trouble, None if sums is None else sums.size))
        total = np.zeros(max(size or 0 for size in sizes), dtype=np.int64)
        if sums is not None:
            total += sums
        if total.size:
            self._wait(self._comm.Iallreduce(self._mpi.IN_PLACE, total, self._mpi.SUM))
        if method == "restore":
            return {0: total}
        results = self._exchanged((None, found[1] if found is not None else b""))
        empty = np.zeros_like(total)
        return {rank: (total if rank == 0 else empty, bytes_of) for rank, bytes_of in enumerate(results)}

    # --- messages ------------------------------------------------------------------------------------

    def _exchanged(self, own: tuple[Exception | None, Any]) -> list[Any]:
        """What all ranks have found. Raises what one of them had to complain of."""
        import pickle  # noqa: PLC0415  (between ranks of one job)

        data = np.frombuffer(pickle.dumps(own), dtype=np.uint8)
        sizes = np.zeros(self._comm.Get_size(), dtype=np.int64)
        self._wait(self._comm.Iallgather(np.array([data.size], dtype=np.int64), sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        everything = np.empty(int(starts[-1]), dtype=np.uint8)
        self._wait(
            self._comm.Iallgatherv(
                np.ascontiguousarray(data), [everything, sizes, starts[:-1], self._mpi.BYTE]
            )
        )
        all_of_them = [
            pickle.loads(everything[begin:end].tobytes())  # noqa: S301
            for begin, end in zip(starts[:-1], starts[1:], strict=True)
        ]
        for trouble, _ in all_of_them:
            if trouble is not None:
                raise trouble
        return [found for _, found in all_of_them]

    def _wait(self, request: Any) -> None:
        until = time.monotonic() + self._deadline
        try:
            while not request.Test():
                if time.monotonic() > until:
                    raise TimeoutError(f"a rank has not answered within {self._deadline} s")
                time.sleep(0)
        except self._mpi.Exception as error:
            lost = [getattr(self._mpi, name, None) for name in ("ERR_PROC_FAILED", "ERR_REVOKED")]
            if error.Get_error_class() not in lost:
                raise
            self._is_broken = True
            # The others must hear of it, whatever they are waiting for.
            self._comm.Revoke()
            raise WorkerLost from error

    def _recover(self) -> None:
        self._comm = self._comm.Shrink()
        self._comm.Set_errhandler(self._mpi.ERRORS_RETURN)
        self._is_broken = False


def fit(
    estimator: Estimator,
    parts: Sequence[Any],
    *,
    target: str | None = None,
    comm: Any = None,
    checkpoint: str | None = None,
    checkpoint_every: int = 1,
    resume: bool = False,
    rows_in_flight: float = 0.01,
    deadline: float = 600.0,
    progress: Callable[[Any], bool | None] | None = None,
) -> Any:
    """Fit an estimator by all ranks of a communicator; each of them ends with the same model.

    Each part is a shard. The result depends on the shards, and not on how many ranks there are: the saved
    model is the same to the byte. With Open MPI 5 and ``mpirun --with-ft ulfm`` a rank may be lost: the
    others take its shards over. All ranks must use the same `random_state`.

    Parameters
    ----------
    estimator : BayesianMLPRegressor or BayesianMLPClassifier
        With the same parameters on all ranks.
    parts : sequence
        Of all shards. A rank looks only at those it holds: best are callables that load a part, or paths
        of Parquet files (with `target`).
    comm : mpi4py.MPI.Comm, optional
        The world's if None.
    target, checkpoint, checkpoint_every, resume, rows_in_flight, deadline, progress
        As of `postrider.dask.fit`. Progress is told on every rank.

    Returns
    -------
    estimator : the same, fitted. `spread_report_` tells of rounds and recoveries.
    """
    from mpi4py import MPI  # noqa: PLC0415

    if estimator.random_state is None:
        raise ValueError("random_state = None: must be a number, the same on all ranks")
    options = estimator._options()
    engine = MpiEngine(comm or MPI.COMM_WORLD, Worker(is_classifier(estimator), options), deadline)
    run = Run(
        estimator,
        [Part(source, target) for source in parts],
        engine,
        options,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
        rows_in_flight=rows_in_flight,
        progress=progress,
        writes=lambda: engine.rank == 0,
    )
    run.fit()
    estimator.spread_report_ = {**run.report, "recovery_seconds": run.recoveries}
    return estimator

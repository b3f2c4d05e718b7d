"""Train by the ranks of an MPI job: every rank calls `fit` and ends with the same model.

Experimental: the part becomes stable once two processes are 1.7 times as fast as one, more than two machines are measured, and
Slurm is tried.
"""

from __future__ import annotations

import atexit
import pickle
import signal
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from postrider.experimental._shards import Part
from postrider.experimental._spread import Engine, Estimator, How, Run, Worker, WorkerLost, is_classifier

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["fit"]

# Requests that were given up: they keep the memory that MPI may still write to.
_HERE = 71  # the tag of messages that say that a rank is there
_PATIENCE = 5.0  # seconds that others have to say so
_UNANSWERED: list[Any] = []
# After a loss, seconds from the end of the program to that of MPI.
_LAST_SECONDS = 20


class MpiEngine(Engine):
    """The ranks of a communicator, each with a worker and a driver of its own.

    All ranks make the same calls in the same order, so that a call is a call of this rank's worker and an
    exchange of answers. Sums are added up on the way.
    """

    def __init__(self, comm: Any, worker: Worker, deadline: float) -> None:
        from mpi4py import MPI  # noqa: PLC0415

        self._mpi = MPI
        self._worker = worker
        self._deadline = deadline
        self._is_broken = False
        self._has_agreed = False
        self._comm = comm
        self._comm = self._own_of(comm)
        self._comm.Set_errhandler(MPI.ERRORS_RETURN)

    @property
    def rank(self) -> int:
        return int(self._comm.Get_rank())

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def workers(self) -> list[Hashable]:
        return list(range(self._comm.Get_size()))

    def place(self, shards: int) -> dict[Hashable, list[int]]:
        """After a loss, among those that are left."""
        if self._is_broken:
            self._recover()
        size = self._comm.Get_size()
        return {rank: list(range(rank, shards, size)) for rank in range(size)}

    def call(
        self, method: str, arguments: Mapping[Hashable, tuple[Any, ...]]
    ) -> dict[Hashable, Any]:
        found, trouble = None, None
        if self.rank in arguments:
            found, trouble = _tried(lambda: getattr(self._worker, method)(*arguments[self.rank]))
        if method in ("run", "restore", "merge", "forget"):
            return self._summed(method, found, trouble)
        return dict(enumerate(self._exchanged(found, trouble)))

    def _summed(self, method: str, found: Any, trouble: Exception | None) -> dict[Hashable, Any]:
        """The sums are the same for all ranks: they count as the first one's."""
        sums, results = found if method == "run" and found is not None else (found, b"")
        answers = self._exchanged((0 if sums is None else sums.size, results), trouble)
        total = np.zeros(max(size for size, _ in answers), dtype=np.int64)
        if sums is not None:
            total += sums
        if total.size:
            self._wait(lambda: self._comm.Iallreduce(self._mpi.IN_PLACE, total, self._mpi.SUM))
        if method != "run":
            return {0: total}
        empty = np.zeros_like(total)
        return {
            rank: (empty if rank else total, of_rank) for rank, (_, of_rank) in enumerate(answers)
        }

    def share(self, action: Callable[[], Any]) -> list[Any]:
        return self._exchanged(*_tried(action))

    def close(self) -> None:
        self._comm.Free()

    # --- messages ------------------------------------------------------------------------------------

    def _exchanged(self, own: Any, trouble: Exception | None) -> list[Any]:
        """What all ranks have found. Raises what one of them had to complain of."""
        data = np.frombuffer(pickle.dumps((own, trouble)), dtype=np.uint8)
        sizes = np.zeros(self._comm.Get_size(), dtype=np.int64)
        size = np.array([data.size], dtype=np.int64)
        self._wait(lambda: self._comm.Iallgather(size, sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        everything = np.empty(int(starts[-1]), dtype=np.uint8)
        into = [everything, sizes, starts[:-1], self._mpi.BYTE]
        self._wait(lambda: self._comm.Iallgatherv(data, into))
        all_of_them = [
            pickle.loads(everything[begin:end].tobytes())  # noqa: S301  (of ranks of one job)
            for begin, end in pairwise(starts)
        ]
        for _, of_rank in all_of_them:
            if of_rank is not None:
                raise of_rank
        return [found for found, _ in all_of_them]

    def _wait(self, begin: Callable[[], Any]) -> None:
        """For a request that this begins."""
        try:
            self._wait_for(begin())
        except self._mpi.Exception as error:
            if not self._is_loss(error):
                raise
            self._is_broken = True
            # The others must hear of it, whatever they are waiting for.
            self._comm.Revoke()
            raise WorkerLost from error

    def _wait_for(self, request: Any) -> None:
        until = time.monotonic() + self._deadline
        while not request.Test():
            if time.monotonic() > until:
                self._give_up(request)
                raise _unanswered(self._deadline, self._silent_ranks())
            time.sleep(0)

    def _silent_ranks(self) -> list[int]:
        """All ranks that notice the silence say to each other that they are there; what is not answered is left behind."""
        own = np.ones(1, dtype=np.int32)
        asked = {}
        for rank in range(self._comm.Get_size()):
            if rank == self.rank:
                continue
            heard = np.zeros(1, dtype=np.int32)
            request = self._comm.Irecv(heard, source=rank, tag=_HERE)
            asked[rank] = request
            _UNANSWERED.extend((heard, request, own, self._comm.Isend(own, dest=rank, tag=_HERE)))
        until = time.monotonic() + _PATIENCE
        while asked and time.monotonic() < until:
            asked = {rank: request for rank, request in asked.items() if not request.Test()}
            time.sleep(0.01)
        return list(asked)

    def _give_up(self, request: Any) -> None:
        """MPI may still write where the request says, and would wait for all ranks at the end."""
        if not _UNANSWERED:
            atexit.register(self._mpi.COMM_WORLD.Abort, 1)
        _UNANSWERED.append(request)

    def _is_loss(self, error: Any) -> bool:
        names = ("ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED")
        return error.Get_error_class() in [getattr(self._mpi, name, None) for name in names]

    # --- after a loss --------------------------------------------------------------------------------

    def settle(self) -> None:
        """One rank may have all answers while another has heard of a loss: they agree what is next."""
        self._is_broken = not self._agrees(True)
        if self._is_broken:
            raise WorkerLost

    def _agrees(self, is_well: bool) -> bool:
        """Whether all ranks are well. Those that are left find the same, whatever was lost."""
        flag = np.array([int(is_well)], dtype=np.int32)
        self._has_agreed = True
        try:
            self._wait_for(self._comm.Iagree(flag))
        except self._mpi.Exception as error:
            if not self._is_loss(error):
                raise
            return False
        return bool(flag[0])

    def _own_of(self, comm: Any) -> Any:
        """A copy of the caller's, without ranks that were lost before there was one."""
        before = comm.Get_errhandler()
        comm.Set_errhandler(self._mpi.ERRORS_RETURN)
        try:
            own = None
            try:
                own = comm.Dup()
            except self._mpi.Exception as error:
                if not self._is_loss(error):
                    raise
            # Some ranks may have theirs while others have heard of a loss.
            return own if self._agrees(own is not None) else self._shrunk()
        finally:
            comm.Set_errhandler(before)
            self._has_agreed = False

    def _shrunk(self) -> Any:
        """A communicator of those that are left. Open MPI 5.0 has a nonblocking one that fails."""
        atexit.unregister(_limit_end)
        atexit.register(_limit_end)
        return _within(self._deadline, self._comm.Shrink, self._give_up)

    def _recover(self) -> None:
        if not self._has_agreed:
            self._agrees(False)
        self._comm = self._shrunk()
        self._comm.Set_errhandler(self._mpi.ERRORS_RETURN)
        self._is_broken = self._has_agreed = False


def _unanswered(seconds: float, silent: Sequence[int] = ()) -> TimeoutError:
    who = f"rank {', '.join(map(str, silent))}" if silent else "a rank"
    return TimeoutError(f"{who} has not answered within {seconds} s (deadline)")


def _within(seconds: float, action: Callable[[], Any], give_up: Callable[[Any], None]) -> Any:
    """What a call comes to that blocks and has no request to wait for."""
    found: list[tuple[Any, Exception | None]] = []
    thread = threading.Thread(target=lambda: found.append(_tried(action)), daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        give_up(thread)
        raise _unanswered(seconds)
    result, trouble = found[0]
    if trouble is not None:
        raise trouble
    return result


def _limit_end() -> None:
    """Open MPI 5.0 waits now and then for ranks that were lost when a program ends: SIGALRM ends it then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LAST_SECONDS)


def _tried(action: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """What it returns, or what it raises, as other ranks can be told of it."""
    try:
        return action(), None
    except Exception as error:  # noqa: BLE001  (told to all ranks, and raised there)
        return None, _portable(error)


def _portable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def fit(
    estimator: Estimator,
    parts: Sequence[Any],
    *,
    target: str | None = None,
    comm: Any = None,
    deadline: float = 600.0,
    **how: Unpack[How],
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
    target, deadline, **how
        As of `postrider.experimental.dask.fit`. Progress is told on every rank.

    Returns
    -------
    estimator : the same, fitted. `spread_report_` tells of rounds and recoveries.
    """
    from mpi4py import MPI  # noqa: PLC0415

    kind = is_classifier(estimator)
    if estimator.random_state is None:
        raise ValueError("random_state = None: must be a number, the same on all ranks")
    options = estimator._options()
    engine = MpiEngine(comm or MPI.COMM_WORLD, Worker(kind, options), deadline)
    run = Run(estimator, [Part(source, target) for source in parts], engine, options, **how)
    run.fit()
    engine.close()
    return estimator

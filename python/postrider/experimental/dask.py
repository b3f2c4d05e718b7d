"""Train on a Dask cluster: the rows stay where they are, beliefs travel.

Experimental: the part becomes stable once two processes are 1.7 times as fast as one, and more than two machines are measured.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from postrider.experimental._shards import Part, expect_target_alone
from postrider.experimental._silence import SILENCE, tell_of_silence, unanswered
from postrider.experimental._spread import Engine, Estimator, How, Run, Worker, WorkerLost, is_classifier

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["fit"]

# In a worker's process: those of the runs that it takes part in.
_WORKERS: dict[str, Worker] = {}
# Seconds between two looks at which workers are there.
_LOOK_EVERY = 0.05


class _Missing:
    """What a process answers that does not hold the run: it has taken another's place."""


def _call(
    run: str, is_classifier: bool, options: dict[str, Any], method: str, *arguments: Any
) -> Any:
    if method == "load" and run not in _WORKERS:
        _WORKERS[run] = Worker(is_classifier, options)
    if run not in _WORKERS:
        return _Missing()
    return getattr(_WORKERS[run], method)(*arguments)


def _forget(run: str) -> None:
    _WORKERS.pop(run, None)


def _load_call(
    run: str,
    is_classifier: bool,
    options: dict[str, Any],
    shards: list[int],
    targets: list[Any],
    *sources: Any,
) -> Any:
    """`load`, with parts that Dask has brought here."""
    parts = {
        shard: Part(source, target)
        for shard, target, source in zip(shards, targets, sources, strict=True)
    }
    return _call(run, is_classifier, options, "load", parts)


class DaskEngine(Engine):
    """Workers of a Dask cluster. Each call is a task that is tied to one of them."""

    def __init__(
        self,
        client: Any,
        is_classifier: bool,
        options: dict[str, Any],
        parts: Sequence[Part],
        deadline: float,
    ) -> None:
        self._client = client
        self._run = uuid.uuid4().hex
        self._of_run = (self._run, is_classifier, options)
        self._parts = parts
        self._deadline = deadline
        self._used: set[Hashable] = set()

    def workers(self) -> list[Hashable]:
        # Asked anew. What scheduler_info returns is kept in the client, whose own updates, without workers, may come between.
        return sorted(self._client.nthreads())

    def place(self, shards: int) -> dict[Hashable, list[int]]:
        """Shards whose rows a worker has go there, but no worker has more than its share."""
        until = time.monotonic() + self._deadline
        while not (workers := self.workers()):
            if time.monotonic() > until:
                raise TimeoutError(f"the cluster has no workers for {self._deadline} s")
            time.sleep(_LOOK_EVERY)
        most = -(-shards // len(workers))
        out: dict[Hashable, list[int]] = {worker: [] for worker in workers}
        holders = [self._holders(part.source) for part in self._parts]
        for shard in range(shards):
            near = [w for w in holders[shard] if w in out and len(out[w]) < most]
            free = min(workers, key=lambda w: len(out[w]))
            out[near[0] if near else free].append(shard)
        return out

    def _holders(self, source: Any) -> list[str]:
        from distributed import Future  # noqa: PLC0415

        first = source[0] if isinstance(source, tuple) else source
        if not isinstance(first, Future):
            return []
        return list(self._client.who_has([first]).get(first.key, ()))

    def call(
        self, method: str, arguments: Mapping[Hashable, tuple[Any, ...]]
    ) -> dict[Hashable, Any]:
        futures = {}
        self._used.update(arguments)
        for worker, given in arguments.items():
            at = {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}
            if method == "load":
                parts = given[0]
                futures[worker] = self._client.submit(
                    _load_call,
                    *self._of_run,
                    list(parts),
                    [part.target for part in parts.values()],
                    *[part.source for part in parts.values()],
                    **at,
                )
            else:
                futures[worker] = self._client.submit(_call, *self._of_run, method, *given, **at)
        return self._results(method, futures)

    def _results(self, method: str, futures: dict[Hashable, Any]) -> dict[Hashable, Any]:
        begin = looked = time.monotonic()
        until, told_at, told = begin + self._deadline, begin + SILENCE, False
        pending = dict(futures)
        while pending:
            for worker in [w for w, future in pending.items() if future.done()]:
                del pending[worker]
            now = time.monotonic()
            if now > until:
                self._cancel(futures)
                raise unanswered(pending, len(futures), self._deadline)
            if pending and not told and now > told_at:
                told = True
                tell_of_silence(pending, now - begin, self._deadline)
            if pending and now - looked > _LOOK_EVERY:
                looked = now
                if set(pending) - set(self.workers()):
                    self._cancel(futures)
                    raise WorkerLost
            if pending:
                time.sleep(0.001)
        return {worker: self._result(worker, future, until) for worker, future in futures.items()}

    def _result(self, worker: Hashable, future: Any, until: float) -> Any:
        from distributed import CancelledError  # noqa: PLC0415
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        try:
            found = self._fetched(worker, future, until)
        except (KilledWorker, CancelledError) as error:
            raise WorkerLost from error
        if isinstance(found, _Missing):
            raise WorkerLost
        return found

    def _fetched(self, worker: Hashable, future: Any, until: float) -> Any:
        """A worker may be lost between the end of its task and the fetching of what came out."""
        if future.status in ("cancelled", "lost"):
            raise WorkerLost
        loop = self._client.loop.asyncio_loop
        found = asyncio.run_coroutine_threadsafe(self._gathered(future), loop)
        while not wait([found], timeout=_LOOK_EVERY).done:
            if worker not in self.workers():
                found.cancel()
                raise WorkerLost
            if time.monotonic() > until:
                found.cancel()
                raise unanswered([worker], 1, self._deadline)
        return found.result()

    async def _gathered(self, future: Any) -> Any:
        return await self._client.gather(future, asynchronous=True)

    def _cancel(self, futures: dict[Hashable, Any]) -> None:
        self._client.cancel(list(futures.values()), force=True)

    def close(self) -> None:
        """Does not wait for workers, one of which may be silent."""
        from distributed import fire_and_forget  # noqa: PLC0415

        for worker in self._used.intersection(self.workers()):
            at = {"workers": [worker], "allow_other_workers": False, "pure": False}
            fire_and_forget(self._client.submit(_forget, self._run, **at))


def _parts_of(X: Any, y: Any, weights: Any, target: str | None, client: Any) -> list[Part]:
    """Parts of a Dask collection, or those that are given as such."""
    if not hasattr(X, "__dask_graph__"):
        if y is not None:
            raise TypeError(
                "y: must be a Dask collection as X is, or None where X is a list of parts"
            )
        if weights is not None:
            raise TypeError("sample_weight: parts hold their own, as (X, y, weights)")
        return [Part(source, target) for source in X]
    if target is not None:
        expect_target_alone(y, weights)
        return [Part(each, target) for each in client.compute(_delayed(X))]
    columns = [client.compute(_delayed(each)) for each in (X, y, weights) if each is not None]
    if len({len(each) for each in columns}) != 1:
        raise ValueError(
            f"X and y have {[len(each) for each in columns]} partitions: they must be cut in the same way"
        )
    return [Part(client.submit(_together, *each), None) for each in zip(*columns, strict=True)]


def _together(*arrays: Any) -> tuple[Any, ...]:
    return arrays


def _delayed(collection: Any) -> list[Any]:
    """By rows: an array's blocks of one column of blocks."""
    parts = collection.to_delayed()
    if hasattr(parts, "ndim") and parts.ndim == 2:
        if parts.shape[1] != 1:
            raise ValueError("X is cut into columns: rechunk it so that a block has whole rows")
        parts = parts[:, 0]
    return list(parts)


def fit(
    estimator: Estimator,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    target: str | None = None,
    client: Any = None,
    deadline: float = 600.0,
    **how: Unpack[How],
) -> Any:
    """Fit an estimator to rows that lie on a Dask cluster.

    Each partition is a shard. The result depends on how the rows are cut into partitions, and not on how
    many workers there are, where they run, or whether some of them are lost: the saved model is the same to
    the byte, and the same that the other engines make of the same shards.

    Parameters
    ----------
    estimator : BayesianMLPRegressor or BayesianMLPClassifier
    X : dask.array, dask.dataframe, or list of parts
        A part is (X, y) or (X, y, weights), the path of a Parquet file that all workers see (with
        `target`), a Dask future or a callable that returns one of these.
    y, sample_weight : Dask collections that are cut as X is
    target : str, optional
        The column of a frame that holds the targets.
    client : distributed.Client, optional
        Of the cluster; the current one if None.
    checkpoint : str, optional
        A folder that all workers see. After a loss training goes on from here, without one from the
        beginning.
    checkpoint_every : int
        Epochs between two checkpoints; 0, the default, writes them by time, such that they take at most 5 % of it.
    resume : bool
        Whether to go on from the checkpoint, if there is one.
    forget : sequence of int
        Of a run that goes on from a checkpoint: what these shards have said is taken out, the others are
        refreshed, and no checkpoint is written.
    merge : sequence of str
        Folders of checkpoints of runs that were trained separately, with the same parameters: training
        begins with what all of them have learned. The first parts are those of the first folder's run, then
        come those of the next; any beyond them are new.
    rows_in_flight : float
        The share of the rows that are learned between two sums, at most.
    deadline : float
        Seconds after which a call that was not answered is a `TimeoutError` that names the worker and says how to go on; ten minutes by default. After
        half a minute of silence a warning names it.
    progress : callable, False or None
        Called with the report of each epoch; training ends if it returns False. None prints a line on standard error every ten seconds at most, and
        False none.

    Returns
    -------
    estimator : the same, fitted. `spread_report_` tells of rounds and recoveries.
    """
    from distributed import default_client  # noqa: PLC0415

    kind = is_classifier(estimator)
    client = client or default_client()
    parts = _parts_of(X, y, sample_weight, target, client)
    options = estimator._options()
    engine = DaskEngine(client, kind, options, parts, deadline)
    run = Run(estimator, parts, engine, options, **how)
    try:
        run.fit()
    finally:
        engine.close()
    return estimator

#!/usr/bin/env python3
"""Trains one small model by threads, MPI, Dask and Ray, compares the bytes, and kills workers at random moments.

Needs the Python package with dask, ray and mpi4py. Usage:
  engines.py bytes  [--engines NAME ...] [--results DIR]
  engines.py faults [--engines NAME ...] [--results DIR] [--kills N] [--seed N]
Engines are threads, mpi, dask and ray. Results of engines that are not named are kept. `bytes` writes bytes.json;
`faults` writes faults.json, and mounts a small tmpfs to see what a full disk does, where that is permitted.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from task import EPOCHS, ROWS_IN_FLIGHT, Listener, fill_disk, model_hash, new, noting_parts, pairs

from postrider.experimental._shards import Part
from postrider.experimental._spread import Engine, Run, Worker

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = ("threads", "mpi", "dask", "ray")
RANKS = (1, 2, 3, 4)
WORKERS = 4  # while one of them is killed
DEADLINE = 10.0  # seconds, where a worker is stopped
LONG = 240.0  # seconds, where none is: on a busy machine it takes long until workers are there


class Outcome:
    """What a run came to: the hash of the model or what was raised, and when things happened."""

    def __init__(self, sha256=None, error=None, message=None, seconds=0.0, ended=0.0, went_on=(), unwritten=()):
        self.sha256, self.error, self.message = sha256, error, message
        self.seconds, self.ended = seconds, ended
        self.went_on, self.unwritten = list(went_on), list(unwritten)
        self.begun = ended - seconds  # when the first worker had its rows
        self.struck = None  # when a worker was sent a signal


def outcome_of(fit):
    """What a call that returns an estimator came to."""
    begin = time.monotonic()
    found = {}
    with Listener() as heard:
        try:
            found["sha256"] = model_hash(fit())
        except Exception as error:
            traceback.print_exc()
            found["error"], found["message"] = type(error).__name__, str(error)
    ended = time.monotonic()
    return Outcome(seconds=ended - begin, ended=ended, went_on=heard.went_on, unwritten=heard.unwritten, **found)


# --- engines -------------------------------------------------------------------------------------


class LocalEngine(Engine):
    """One worker, in this process."""

    def __init__(self, options):
        self._worker = Worker(False, options)

    def workers(self):
        return [0]

    def place(self, shards):
        return {0: list(range(shards))}

    def call(self, method, arguments):
        return {name: getattr(self._worker, method)(*given) for name, given in arguments.items()}


class Threads:
    """Ranks are threads of this process."""

    @contextlib.contextmanager
    def running(self, ranks):
        yield lambda **options: self.fit(ranks, **options)

    def fit(self, ranks, parts=None, checkpoint=None, resume=False, progress=None, deadline=LONG, max_epochs=EPOCHS):
        estimator = new(n_jobs=ranks, max_epochs=max_epochs)
        options = estimator._options()
        run = Run(estimator, [Part(part) for part in parts or pairs()], LocalEngine(options), options, checkpoint=checkpoint,
                  checkpoint_every=1, resume=resume, rows_in_flight=ROWS_IN_FLIGHT, progress=progress)
        run.fit()
        return estimator


class Dask:
    """A cluster that is started anew where the worker that was killed does not come back, as happens now and then."""

    @contextlib.contextmanager
    def running(self, ranks):
        import postrider.experimental.dask

        with contextlib.ExitStack() as stack:
            client = self._start(stack, ranks)

            def fit(parts=None, **options):
                nonlocal client
                try:
                    client.wait_for_workers(ranks, timeout=20)
                except TimeoutError:
                    stack.close()
                    client = self._start(stack, ranks)
                return postrider.experimental.dask.fit(new(), parts or pairs(), client=client, rows_in_flight=ROWS_IN_FLIGHT,
                                          **{"deadline": LONG, **options})

            yield fit

    def _start(self, stack, ranks):
        from distributed import Client, LocalCluster

        cluster = stack.enter_context(LocalCluster(n_workers=ranks, threads_per_worker=1, dashboard_address=None))
        return stack.enter_context(Client(cluster))


class Ray:
    @contextlib.contextmanager
    def running(self, ranks):
        import ray

        import postrider.experimental.ray

        if not ray.is_initialized():
            ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)

        def fit(parts=None, **options):
            return postrider.experimental.ray.fit(new(), parts or pairs(), workers=ranks, rows_in_flight=ROWS_IN_FLIGHT,
                                     **{"deadline": LONG, **options})

        yield fit


def run_for(seconds, command, output):
    """A program that is ended, with all that it has started, if it takes longer."""
    with subprocess.Popen(command, stdout=output, stderr=output) as process:
        for end in (process.terminate, process.kill):
            try:
                process.wait(seconds)
                return
            except subprocess.TimeoutExpired:
                end()


def here(*arguments):
    """How to start ranks on this machine."""
    beside = pathlib.Path(sys.executable).parent / "mpirun"
    program = str(beside) if beside.exists() else shutil.which("mpirun")
    return [program, "--allow-run-as-root", "--bind-to", "none", *arguments]


def run_mpi(ranks, struck=None, after=0.0, what=signal.SIGKILL, checkpoint=None, deadline=LONG, fill_at=None,
            start=tuple(here("--oversubscribe", "--with-ft", "ulfm")), seconds=LONG):
    """What the first rank that is left has found."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plan = {"struck": struck, "after": after, "signal": int(what), "checkpoint": checkpoint, "deadline": deadline,
                "fill_at": fill_at}
        (folder / "plan.json").write_text(json.dumps(plan))
        with (folder / "output").open("wb") as output:
            run_for(seconds, [*start, "-n", str(ranks), sys.executable, str(HERE / "rank.py"), name], output)
        found = [json.loads(path.read_text()) for path in sorted(folder.glob("[0-9].json"))]
        if not found:
            return Outcome(error="no rank has ended", message=(folder / "output").read_text(errors="replace")[-4000:])
        if len({each.get("sha256") for each in found}) > 1:
            return Outcome(error="ranks differ", message=json.dumps(found))
        out = Outcome(**found[0])
        if (folder / "struck").exists():
            out.struck = json.loads((folder / "struck").read_text())
        return out


# --- bytes ---------------------------------------------------------------------------------------


def runs_of(engine):
    if engine == "mpi":
        return [(ranks, run_mpi(ranks)) for ranks in RANKS]
    out = []
    for ranks in (1, 2) if engine == "threads" else RANKS:
        with MAKERS[engine]().running(ranks) as fit:
            out.append((ranks, outcome_of(fit)))
    return out


def compare_bytes(options):
    path = options.results / "bytes.json"
    kept = json.loads(path.read_text())["runs"] if path.exists() else []
    runs = [run for run in kept if run["engine"] not in options.engines]
    for engine in options.engines:
        for ranks, outcome in runs_of(engine):
            print(f"{engine:8} {ranks} {outcome.sha256 or outcome.message} {outcome.seconds:.2f} s", flush=True)
            runs.append({"engine": engine, "ranks": ranks, "sha256": outcome.sha256})
    runs.sort(key=lambda run: (ENGINES.index(run["engine"]), run["ranks"]))
    hashes = {run["sha256"] for run in runs}
    write(path, {"runs": runs, "identical": len(hashes) == 1 and None not in hashes})


# --- faults --------------------------------------------------------------------------------------


class Striker:
    """Sends a signal to a worker some seconds after the first has loaded its rows, if the run has not ended by then."""

    def __init__(self, folder, chooser, after, what):
        self._folder, self._chooser, self._after, self._what = folder, chooser, after, what
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._strike, daemon=True)
        self.begun = self.struck = self.pid = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._has_ended.set()
        self._thread.join()

    def _strike(self):
        while not any(self._folder.iterdir()):
            if self._has_ended.wait(0.01):
                return
        self.begun = time.monotonic()
        if self._has_ended.wait(self._after):
            return
        pids = sorted({int(path.read_text() or 0) for path in self._folder.iterdir()} - {0, os.getpid()})
        self.pid = self._chooser.choice(pids)
        self.struck = time.monotonic()
        os.kill(self.pid, self._what)


def struck_run(fit, chooser, after, what, deadline, checkpoint):
    with tempfile.TemporaryDirectory() as name:
        with Striker(pathlib.Path(name), chooser, after, what) as striker:
            out = outcome_of(lambda: fit(parts=noting_parts(name), checkpoint=checkpoint, deadline=deadline))
        out.begun, out.struck = striker.begun, striker.struck
        if striker.pid and what == signal.SIGSTOP:
            os.kill(striker.pid, signal.SIGKILL)
    return out


@contextlib.contextmanager
def striking(engine):
    """A function that runs once, during which a worker is sent a signal so many seconds after the beginning."""
    if engine == "mpi":
        yield lambda chooser, after, what, deadline, checkpoint: run_mpi(
            WORKERS, chooser.randrange(WORKERS), after, what, checkpoint, deadline)
        return
    with MAKERS[engine]().running(WORKERS) as fit:
        yield lambda *arguments: struck_run(fit, *arguments)


def usual_seconds(strike):
    """The time of a run without trouble, the second one, which finds all modules loaded."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as checkpoint:
            out = strike(random.Random(0), 1e6, signal.SIGKILL, LONG, checkpoint)
    return out.ended - out.begun


def kill_workers(engine, strike, kills, seed, expected):
    """Moments are spread over the run: one in each of as many stretches of it."""
    chooser = random.Random(f"{engine} {seed}")
    whole = usual_seconds(strike)
    survived = same = struck = 0
    took = []
    for place in chooser.sample(range(kills), kills):
        out = Outcome()
        while out.struck is None and out.error is None:
            after = whole * (place + chooser.random()) / kills
            with tempfile.TemporaryDirectory() as checkpoint:
                out = strike(chooser, after, signal.SIGKILL, LONG, checkpoint)
            if out.struck is None:  # the run was over before, and is tried again
                whole = min(whole, out.ended - out.begun)
        if out.struck is None:
            raise RuntimeError(f"{engine}: {out.error} before a worker was killed: {out.message}")
        struck += 1
        survived += out.sha256 is not None
        same += out.sha256 == expected
        took += [out.went_on[0] - out.struck] if out.went_on else []
        print(f"{engine} kill {struck} after {after:.2f} of {whole:.2f} s: {out.sha256 or out.message}, "
              f"{took[-1] if out.went_on else 0:.2f} s", flush=True)
    return {"kills": struck, "survived": survived, "same_bytes": same, "recoveries": len(took), "usual_seconds": whole,
            "recovery_seconds": {"median": statistics.median(took), "largest": max(took)}}


def stop_worker(engine, strike, usual):
    """One that does not answer, and does not die."""
    with tempfile.TemporaryDirectory() as checkpoint:
        out = strike(random.Random(engine), usual / 2, signal.SIGSTOP, DEADLINE, checkpoint)
    found = {"deadline": DEADLINE, "error": out.error, "message": out.message,
             "seconds": out.ended - out.struck if out.struck else None}
    print(engine, "stopped", found, flush=True)
    return found


@contextlib.contextmanager
def small_disk():
    """A folder with room for little; None where that is not permitted."""
    with tempfile.TemporaryDirectory() as name:
        mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", name]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            yield None
            return
        try:
            yield name
        finally:
            subprocess.run(["umount", name], check=True)


def fill_during_training(engine, expected):
    """The disk is full from the end of the third epoch on."""

    def fill(report):
        if report.epoch == 3:
            fill_disk(folder)

    with small_disk() as folder:
        if folder is None:
            return {"happened": "not tried: a small disk may not be mounted"}
        if engine == "mpi":
            out = run_mpi(WORKERS, checkpoint=folder, fill_at=3)
        else:
            with MAKERS[engine]().running(1 if engine == "threads" else WORKERS) as fit:
                out = outcome_of(lambda: fit(checkpoint=folder, progress=fill))
        left = sorted(path.name for path in pathlib.Path(folder).glob("epoch-*"))
        whole_epochs = sorted({name.split(".")[0] for name in left})
        resumed = None
        if engine == "threads":
            pathlib.Path(folder, "filler").unlink()
            resumed = outcome_of(lambda: Threads().fit(1, checkpoint=folder, resume=True)).sha256 == expected
    found = {"error": out.error, "message": out.message, "same_bytes": out.sha256 == expected,
             "checkpoints_not_written": len(out.unwritten),
             "warning": out.unwritten[0].replace(folder, "FOLDER") if out.unwritten else None,
             "files_of": whole_epochs, "resumed_to_the_same_bytes": resumed}
    print(engine, "full disk", found, flush=True)
    return found


def truncate_checkpoint():
    """Training that is to go on from a checkpoint of which a shard is cut off."""
    with tempfile.TemporaryDirectory() as folder:
        Threads().fit(1, checkpoint=folder, max_epochs=EPOCHS // 2)
        shard = next(pathlib.Path(folder).glob("epoch-*.shard-1"))
        os.truncate(shard, shard.stat().st_size // 2)
        out = outcome_of(lambda: Threads().fit(1, checkpoint=folder, resume=True))
        found = {"refused": out.error is not None, "error": out.error, "message": (out.message or "").replace(folder, "FOLDER")}
    print("truncated", found, flush=True)
    return found


def find_faults(options):
    path = options.results / "faults.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    expected = outcome_of(lambda: Threads().fit(1)).sha256
    for engine in options.engines:
        if engine != "threads":
            with striking(engine) as strike:
                found[engine] = kill_workers(engine, strike, options.kills, options.seed, expected)
                found.setdefault("stopped_worker", {})[engine] = stop_worker(engine, strike, found[engine]["usual_seconds"])
                write(path, found)
        found.setdefault("full_disk", {})[engine] = fill_during_training(engine, expected)
        write(path, found)
    found["truncated_checkpoint"] = truncate_checkpoint()
    write(path, found)


# --- the program ---------------------------------------------------------------------------------


MAKERS = {"threads": Threads, "dask": Dask, "ray": Ray}


def write(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["bytes", "faults"])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--kills", type=int, default=20, help="of each engine")
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which workers are killed")
    options = parser.parse_args()
    {"bytes": compare_bytes, "faults": find_faults}[options.command](options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Weights with owners, through losses: writes results/faults.json.

Usage: experiments/streams/faults.py --data DIR [--out DIR] [--kills 20] [--events N] [--seed N]

Two owners, two workers and a redis-server that has the rows of a9a in two streams, on loopback. A run that nobody disturbs is
the reference. Then, run after run, one process is ended by SIGKILL at a random moment, each of the four in turn; a run counts as exact if the files of both
owners, with all sums, counts and positions, are the same to the byte as the reference's. Recovery is the time from the kill until the owners are beyond the round in
which it happened. Beside it: how good models are that learn batches side by side, by log-loss of a9a's test rows, and the bytes that
an event costs on the network.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np
import redis

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from data_sets import text_of  # noqa: E402

from postrider import _core  # noqa: E402
from postrider.experimental._rounds import Message, Plan  # noqa: E402
from postrider.experimental.owners import Client, Crew, gather  # noqa: E402
from postrider.experimental.sparse_model import SparseModel  # noqa: E402

OWNERS, WORKERS, SAVE_EVERY = 2, 2, 50
ORDER_SEED = 20240601
ORDERS = 5
LOOK = 0.005
LONGEST = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    """A redis-server of its own with the rows, row i in stream i modulo `partitions`."""

    def __init__(self, folder, lines, partitions):
        self.port = free_port()
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--appendonly", "yes"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        client = redis.Redis(port=self.port)
        for _ in range(200):
            try:
                if client.ping():
                    break
            except redis.ConnectionError:
                time.sleep(0.05)
        names = [f"rows{number}" for number in range(partitions)]
        for begin in range(0, len(lines), 5000):
            pipe = client.pipeline(transaction=False)
            for number, line in enumerate(lines[begin:begin + 5000], begin):
                pipe.xadd(names[number % partitions], {"line": line}, id=f"{number + 1}-0")
            pipe.execute()
        self.address = f"redis://127.0.0.1:{self.port}/" + ",".join(names)

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def new_run(folder, source):
    """A plan in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    plan = Plan.make(source, [f"127.0.0.1:{free_port()}" for _ in range(OWNERS)], folder / "owners", save_every=SAVE_EVERY, until_end=True)
    plan.save(folder / "plan.json")
    return plan


def status_of(client):
    try:
        return client.status()
    except Exception:  # an owner is away  # noqa: BLE001
        return None


def wait_for(crew, client, holds):
    """Until the owners' status is so; the seconds it took."""
    begun = time.monotonic()
    while True:
        crew.look()
        status = status_of(client)
        if status is not None and status["restored"] and holds(status):
            return time.monotonic() - begun
        if time.monotonic() - begun > LONGEST:
            raise TimeoutError(str(status))
        time.sleep(LOOK)


def files_of(plan):
    return [path.read_bytes() for path in plan.last_files()]


def undisturbed(folder, source, events):
    """Also the events a second of the second half, when batches are large."""
    plan = new_run(folder, source)
    with Crew(folder / "plan.json", WORKERS) as crew:
        client = Client(plan)
        wait_for(crew, client, lambda status: status["rows"] > 0)
        begun = time.monotonic()
        half = []
        wait_for(crew, client, lambda status: status["rows"] >= events / 2 and not half.append(status["rows"]))
        middle = time.monotonic()
        crew.wait(LONGEST)
        ended = time.monotonic()
        return plan, files_of(plan), ended - begun, (events - half[-1]) / (ended - middle), client.status()


def disturbed(folder, source, victim, moment):
    """One kill so many seconds after the first rows were learned."""
    plan = new_run(folder, source)
    with Crew(folder / "plan.json", WORKERS) as crew:
        client = Client(plan)
        wait_for(crew, client, lambda status: status["rows"] > 0)
        time.sleep(moment)
        before = status_of(client)
        done = before["finished"]
        crew.kill(victim)
        recovery = wait_for(crew, client, lambda status: status["finished"] or status["round"] > before["round"])
        crew.wait(LONGEST)
        return {"process": crew.names[victim], "moment": moment, "round": before["round"], "rows": before["rows"], "after_the_end": done,
                "recovery_seconds": recovery, "files": files_of(plan)}


def kill_runs(folder, source, kills, seed, reference, seconds):
    draw = random.Random(seed)
    out = []
    for number in range(kills):
        found = disturbed(folder, source, number % (OWNERS + WORKERS), draw.uniform(0, 0.95 * seconds))
        found["exact"] = found.pop("files") == reference
        out.append(found)
        print(f"{number + 1}: {found}", flush=True)
    return out


# --- how good -------------------------------------------------------------------------------------


def rows_of(lines):
    return _core.FeatureFile.of_text("\n".join(lines), "rows", "auto").read(len(lines) + 1)


def learned_in_rounds(lines, partitions, batch):
    """What owners and workers would come to, in this process; also rounds and bytes of all messages."""
    settings = {"target": "logistic"}
    units = _core.sparse_units(rows_of(lines[:1000]), settings)
    plan = Plan([""], "", [str(number) for number in range(partitions)], "", settings, units, batch=batch)
    owner = _core.SparseOwner(settings, units)
    parts, at, rounds, sent = [lines[number::partitions] for number in range(partitions)], 0, 0, 0
    for size in plan.sizes():
        some = [part[at:at + size] for part in parts]
        if not any(some):
            break
        weights, said = len(owner), []
        owner.keep(int(owner.shared()[-1]))
        for chosen in filter(None, some):
            one = _core.SparseBatch(settings, units, rows_of(chosen))
            beliefs, shared = owner.beliefs(one.keys()), owner.shared()
            changes = one.learn(beliefs, shared)
            said.append((one.keys(), changes[0], changes[1]))
            sent += sum(len(Message({}, list(arrays)).pack()) for arrays in ((one.keys(),), (beliefs, shared), (one.keys(), *changes[:2])))
        for keys, of_keys, _ in said:
            owner.add(keys, of_keys)
        owner.add_shared(np.sum([one[2] for one in said], axis=0, dtype=np.int64), weights)
        at += size
        rounds += 1
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/owner"
        owner.save(path, "")
        model = SparseModel()
        model._model = _core.gather_owners([path])
    return model, rounds, sent


def log_loss(model, test):
    labels = np.array([float(line.split(" ", 1)[0]) for line in test])
    probability = model._model.predict(rows_of(test))[:, 3]
    return float(-np.mean(np.log(np.where(labels > 0, probability, 1 - probability))))


def quality(train, test):
    out = {"one_place": [], "workers": []}
    orders = [np.random.default_rng(ORDER_SEED + number).permutation(len(train)) for number in range(ORDERS)]
    for order in orders:
        model = SparseModel()
        model._model.learn(rows_of([train[place] for place in order]))
        out["one_place"].append(log_loss(model, test))
    for partitions in (1, 2, 4, 16):
        for batch in (64, 256, 1024):
            losses, rounds, sent = [], 0, 0
            for order in orders:
                model, rounds, sent = learned_in_rounds([train[place] for place in order], partitions, batch)
                losses.append(log_loss(model, test))
            difference = np.subtract(losses, out["one_place"])
            out["workers"].append({"workers": partitions, "batch": batch, "log_loss": float(np.mean(losses)),
                                   "difference": float(difference.mean()), "rounds": rounds, "bytes_per_event": sent / len(train)})
            print(out["workers"][-1], flush=True)
    out["one_place"] = float(np.mean(out["one_place"]))
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--events", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = pathlib.Path(given.data) / "sparse" / "a9a"
    train, test = (text_of(folder / f"a9a.{part}.libsvm").splitlines() for part in ("train", "test"))
    good = quality(train, test)
    random.Random(given.seed).shuffle(train)
    train = train[:given.events]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        server = Redis(scratch, train, 2)
        try:
            plan, reference, seconds, later, status = undisturbed(scratch / "run", server.address, len(train))
            model = gather(plan)
            print(f"undisturbed: {status}, {seconds:.1f} s", flush=True)
            runs = kill_runs(scratch / "run", server.address, given.kills, given.seed, reference, seconds)
        finally:
            server.stop()
    expected = len(train)
    recovery = {kind: [run["recovery_seconds"] for run in runs if run["process"].startswith(kind)] for kind in ("owner", "worker")}
    result = {
        "owners": OWNERS, "workers": WORKERS, "events": expected, "events_learned": status["rows"], "weights": status["weights"],
        "rounds": status["round"], "rounds_between_snapshots": SAVE_EVERY, "kills": len(runs), "exact": sum(run["exact"] for run in runs),
        "events_per_second": expected / seconds, "events_per_second_of_second_half": later, "seconds": seconds, "log_loss": model.log_loss_,
        "recovery_seconds": {kind: {"median": float(np.median(some)), "longest": max(some)} for kind, some in recovery.items()},
        "quality": good, "each": runs,
    }
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "faults.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: result[key] for key in ("kills", "exact", "events_per_second", "recovery_seconds")}))
    return 0 if result["exact"] == result["kills"] and status["rows"] == expected else 1


if __name__ == "__main__":
    sys.exit(main())

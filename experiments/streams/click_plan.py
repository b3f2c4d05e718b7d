#!/usr/bin/env python3
"""What a click model of 10^9 weights on 64 machines would need: writes results/click_plan.json.

Usage: experiments/streams/click_plan.py [--out DIR] [--weights 10000000]

Measures on this machine, one process each: an owner with so many weights (bytes, time to answer and to add), a worker that learns
batches of events with `INPUTS` names each, a request and its answer by Arrow Flight on loopback, events read from a redis-server, and a
snapshot written and read. draw.py computes the plan in docs/scale.md from these and from nothing else.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from faults import Redis, free_port  # noqa: E402

from postrider import _core  # noqa: E402
from postrider.experimental._owner import ask, serve  # noqa: E402
from postrider.experimental._rounds import Message, Plan  # noqa: E402
from postrider.experimental.events import open_events, sparse_rows  # noqa: E402

SETTINGS, UNITS = {"target": "logistic"}, (1.0, 0.0, 1.0)
INPUTS = 30  # names of an event
BATCH = 1024  # events of a partition in a round
ONE_MODEL = 1 << 4  # with so many weights one model is left of those side by side
TIMES = 5  # of which the median counts
SEED = 1


def median_seconds(act, clock=time.process_time):
    """Seconds of processor time: others may use the machine, too."""
    spent = []
    for _ in range(TIMES):
        begun = clock()
        act()
        spent.append(clock() - begun)
    return float(np.median(spent))


def fastest(act):
    """Where two processes wait for each other, by the clock on the wall."""
    spent = []
    for _ in range(200):
        begun = time.perf_counter()
        act()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def owner_costs(weights):
    draw = np.random.default_rng(SEED)
    owner = _core.SparseOwner(SETTINGS, UNITS)
    owner.keep(ONE_MODEL)
    keys = np.unique(draw.integers(0, 2**63, weights, dtype=np.uint64))
    for begin in range(0, len(keys), 1_000_000):
        some = keys[begin:begin + 1_000_000]
        owner.add(some, np.tile(np.array([3, 5]), len(some)))
    some = np.sort(draw.choice(keys, 200_000, replace=False))
    changes = np.tile(np.array([1, 1]), len(some))
    out = {"weights": len(owner), "bytes_per_weight": owner.bytes() / len(owner),
           "ns_per_answered_weight": 1e9 * median_seconds(lambda: owner.beliefs(some)) / len(some),
           "ns_per_added_weight": 1e9 * median_seconds(lambda: owner.add(some, changes)) / len(some)}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/owner"
        begun = time.process_time()
        owner.save(path, "")
        written = time.process_time()
        size = os.path.getsize(path)
        _core.SparseOwner.load(path)
        read = time.process_time()
    out.update({"file_bytes_per_weight": size / len(owner), "ns_per_written_weight": 1e9 * (written - begun) / len(owner),
                "ns_per_read_weight": 1e9 * (read - written) / len(owner)})
    return out


def event_lines(count):
    """Names drawn so that some are frequent, as in clicks: half of them from a thousand, the others from ten million."""
    draw = np.random.default_rng(SEED)
    frequent, rare = draw.integers(1, 1000, (count, INPUTS // 2)), draw.integers(1000, 10**7, (count, INPUTS - INPUTS // 2))
    names = np.sort(np.concatenate([frequent, rare], axis=1), axis=1)
    labels = draw.integers(0, 2, count)
    return [f"{label} | " + " ".join(str(name) for name in row) for label, row in zip(labels, names, strict=True)]


def worker_costs():
    lines = event_lines(BATCH)
    owner = _core.SparseOwner(SETTINGS, UNITS)
    owner.keep(ONE_MODEL)
    shared = owner.shared()
    shared[-1] = ONE_MODEL
    rows = _core.FeatureFile.of_text("\n".join(lines), "rows", "auto").read(BATCH)
    batch = _core.SparseBatch(SETTINGS, UNITS, rows)
    keys, beliefs = batch.keys(), owner.beliefs(batch.keys())
    changes = batch.learn(beliefs, shared)
    messages = [Message({}, [keys]), Message({}, [beliefs, shared]), Message({}, [keys, changes[0], changes[1]])]
    return {"inputs_per_event": INPUTS, "batch": BATCH, "keys_per_event": len(keys) / BATCH,
            "us_to_parse": 1e6 * median_seconds(lambda: _core.FeatureFile.of_text("\n".join(lines), "rows", "auto").read(BATCH)) / BATCH,
            "us_to_learn": 1e6 * median_seconds(lambda: _core.SparseBatch(SETTINGS, UNITS, rows).learn(beliefs, shared)) / BATCH,
            "us_to_pack": 1e6 * median_seconds(lambda: [Message.unpack(message.pack()) for message in messages]) / BATCH,
            "bytes_per_event": sum(len(message.pack()) for message in messages) / BATCH}


def flight_costs(folder):
    plan = Plan([f"127.0.0.1:{free_port()}"], "redis://none/a", ["a"], str(folder), SETTINGS, UNITS)
    server = multiprocessing.Process(target=serve, args=(plan, 0), daemon=True)
    server.start()
    try:
        for _ in range(200):
            try:
                ask(plan.owners[0], "status", Message({}))
                break
            except Exception:  # not yet  # noqa: BLE001
                time.sleep(0.05)
        small, large = np.zeros(1, dtype=np.uint64), np.arange(1, 100_001, dtype=np.uint64)
        alone = fastest(lambda: ask(plan.owners[0], "peek", Message({}, [small])))
        with_keys = fastest(lambda: ask(plan.owners[0], "peek", Message({}, [large])))
        answer = ask(plan.owners[0], "peek", Message({}, [large]))
        moved = large.nbytes + sum(array.nbytes for array in answer.arrays)
    finally:
        server.kill()
        server.join()
    return {"us_per_request": 1e6 * alone, "bytes_per_second": moved / (with_keys - alone)}


def source_costs(folder):
    lines = event_lines(20_000)
    server = Redis(folder, lines, 1)
    try:
        with open_events(server.address) as source:
            def read():
                after = None
                while events := source.read(source.partitions[0], after, 4096):
                    after = events[-1].position
                    sparse_rows(events, "target", True)
            return {"us_to_read_and_parse": 1e6 * median_seconds(read) / len(lines)}
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--weights", type=int, default=10_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = {"flight": flight_costs(pathlib.Path(folder)), "source": source_costs(pathlib.Path(folder)), "worker": worker_costs(),
                  "owner": owner_costs(given.weights)}
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "click_plan.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

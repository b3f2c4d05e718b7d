#!/usr/bin/env python3
"""Requests per second that `postrider serve` answers, and whether one fails while the model is replaced.

  bench/serve/load.py --data DIR [--program PROGRAM] [--seconds S] [--out FILE]

Trains a model of concrete with its defaults, serves it on one core, and asks it for single rows with wrk, from another
core where there is one; then while the model is replaced, and while others ask for ten thousand rows at a time, where it is
timed how soon the server says that it is ready. Writes bench/results/serve.json. A processor second is one of the server's
own: what it would answer in a second on a core that it has for itself. Without wrk or data it says so and ends.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONNECTIONS = 8
# wrk counts answers that are no success by itself; what it prints last is read here.
SCRIPT = """wrk.method = "POST"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
done = function(summary, latency, requests)
  io.write(string.format("RESULT %d %d %d %f %f %f\\n", summary.requests, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


def start(program, model, core):
    process = subprocess.Popen(["taskset", "-c", str(core), program, "serve", model, "--port", "0", "--watch-seconds", "0.1"],
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split(" on ")[1].split(": ")[0]


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed_load(process, *arguments):
    before = processor_seconds(process)
    out = load(*arguments)
    spent = processor_seconds(process) - before
    return out | {"processor_seconds": spent, "requests_per_processor_second": out["requests"] / spent}


def ready_under_load(address, script, seconds, core, row):
    """Milliseconds until /ready answers, while wrk asks for single rows and two clients for ten thousand each."""
    host = urllib.parse.urlparse(address).netloc
    end = time.monotonic() + seconds
    body = json.dumps([row] * 10_000)

    def ask_for_many():
        connection = http.client.HTTPConnection(host, timeout=60)
        while time.monotonic() < end:
            connection.request("POST", "/predict", body)
            connection.getresponse().read()

    others = [threading.Thread(target=ask_for_many) for _ in range(2)]
    others.append(threading.Thread(target=load, args=(address, script, seconds, core)))
    for other in others:
        other.start()
    found = []
    while time.monotonic() < end:
        time.sleep(0.02)
        begin = time.monotonic()
        connection = http.client.HTTPConnection(host, timeout=60)
        connection.request("GET", "/ready")
        assert connection.getresponse().status == 200
        found.append(1000 * (time.monotonic() - begin))
        connection.close()
    for other in others:
        other.join()
    found.sort()
    return {"times": len(found), "median_ms": found[len(found) // 2], "p99_ms": found[int(0.99 * (len(found) - 1))], "longest_ms": found[-1]}


def load(address, script, seconds, core):
    done = subprocess.run(["taskset", "-c", str(core), "wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s", "-s", script,
                           "--latency", address + "/predict"], check=True, capture_output=True, text=True)
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\S+) (\S+) (\S+)", done.stdout)
    requests, refused, broken, duration, median, last = map(float, found.groups())
    return {"requests": int(requests), "failed": int(refused + broken), "requests_per_second": requests / duration,
            "median_milliseconds": median, "percentile_99_milliseconds": last}


def load_while(address, script, seconds, core, action):
    """The same, while something is done again and again."""
    with subprocess.Popen([sys.executable, __file__, "--only-load", address, str(script), str(seconds), str(core)],
                          stdout=subprocess.PIPE, text=True) as asking:
        times = 0
        while asking.poll() is None:
            action(times)
            times += 1
            time.sleep(0.25)
        return json.loads(asking.stdout.read()) | {"times": times}


def measure(options, folder):
    data = pathlib.Path(options.data, "uci", "concrete", "data.csv")
    train = [options.program, "train", str(data), "--target", "y", "-q", "--threads", "1"]
    for name, seed in (("model", 1), ("other", 2)):
        # The other one is there to be loaded: as large, and learned in a moment.
        more = ["--max-epochs", "5"] if options.quick or name == "other" else []
        subprocess.run([*train, "-o", str(folder / name), "--seed", str(seed), *more], check=True)
    header, first = data.read_text().splitlines()[:2]
    row = {name: float(cell) for name, cell in zip(header.split(","), first.split(",")) if name != "y"}
    script = folder / "script.lua"
    script.write_text(SCRIPT.replace("{body}", json.dumps(row)))
    shutil.copy(folder / "model", folder / "served")
    cores = sorted(os.sched_getaffinity(0))
    process, address = start(options.program, folder / "served", cores[0])
    try:
        load(address, script, 1, cores[-1])  # warms up
        rounds = [timed_load(process, address, script, options.seconds, cores[-1]) for _ in range(1 if options.quick else 3)]
        ready = ready_under_load(address, script, options.seconds, cores[-1], row)

        def replace(times):
            shutil.copy(folder / ("other" if times % 2 == 0 else "model"), folder / "part")
            (folder / "part").rename(folder / "served")

        reloading = load_while(address, script, options.seconds, cores[-1], replace)
    finally:
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[0]
    best = max(rounds, key=lambda one: one["requests_per_second"])
    return {"requests_per_second": best["requests_per_second"], "p99_ms": best["percentile_99_milliseconds"],
            "ready_ms_under_load": ready["p99_ms"], "requests_per_processor_second": best["requests_per_processor_second"],
            "load_of_the_machine": os.getloadavg()[0], "cores_of_the_machine": os.cpu_count(), "ready_under_load": ready, "set": "concrete", "connections": CONNECTIONS, "cores_of_the_server": 1, "rounds": rounds, "best": best,
            "while_reloading": reloading | {"reloads": said.count("loaded ")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--program", default=str(ROOT / "build/release/src/cli/postrider"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results/serve.json")
    parser.add_argument("--only-load", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_load:
        address, script, seconds, core = options.only_load
        print(json.dumps(load(address, script, int(seconds), int(core))))
        return 0
    if not options.data or not shutil.which("wrk"):
        print("skipped, it needs wrk and --data DIR or POSTRIDER_DATA")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options, pathlib.Path(folder))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    failed = sum(one["failed"] for one in [*found["rounds"], found["while_reloading"]])
    return 1 if failed or found["while_reloading"]["reloads"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Trains over four network namespaces with 20 ms delay and 1 % loss, and compares the bytes with those of one process.

Needs the Python package with dask and mpi4py, Open MPI 5, and the right to make network namespaces. Usage:
  netem.py [--engines NAME ...] [--results DIR] [--delay SECONDS] [--loss SHARE]
Engines are mpi and dask. Writes netem.json: what was run, and what the machine has refused. All traffic is between
namespaces that this command makes, and removes in the end.
"""
import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from engines import HERE, WORKERS, Outcome, Threads, here, outcome_of, run_mpi, write
from namespaces import Namespaces, Refused, inside
from task import ROWS_IN_FLIGHT, new, pairs

ENGINES = ("mpi", "dask")
LONGEST = 900.0  # seconds of a run
DEADLINE = 120.0  # of a call
PORT = 8786


# --- MPI -----------------------------------------------------------------------------------------


def named(name):
    """What a command begins with that runs in a namespace, with a host name of its own: MPI takes it for a machine."""
    return [*inside(name), "unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]


def train_mpi(network, folder):
    """Ranks are started on the other machines by a command that stands for ssh."""
    agent = folder / "agent"
    names = "\n".join(f"  {address}) name={name} ;;" for name, address in zip(network.names, network.addresses, strict=True))
    agent.write_text(f'#!/bin/sh\ncase $1 in\n{names}\nesac\nshift\n'
                     'exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"\n')
    agent.chmod(0o700)
    hosts = ",".join(f"{address}:1" for address in network.addresses)
    start = [*named(network.names[0]), *here(
        "--host", hosts, "--prtemca", "plm_ssh_agent", str(agent), "--prtemca", "plm_ssh_no_tree_spawn", "1",
        "--prtemca", "prte_if_include", "eth0", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
        "--mca", "btl_tcp_if_include", "eth0")]
    return run_mpi(WORKERS, start=start, deadline=DEADLINE, seconds=LONGEST)


# --- Dask ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def running(command, output):
    """A program that is ended in the end."""
    with subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def train_dask(network, folder):
    """Scheduler and client are in the first namespace, a worker is in each."""
    address = f"tcp://{network.addresses[0]}:{PORT}"
    found = folder / "found.json"
    python = [sys.executable, "-m"]
    with (folder / "output").open("wb") as output, contextlib.ExitStack() as stack:
        scheduler = [*python, "distributed.cli.dask_scheduler", "--host", network.addresses[0], "--port", str(PORT), "--no-dashboard"]
        stack.enter_context(running([*inside(network.names[0]), *scheduler], output))
        for name, own in zip(network.names, network.addresses, strict=True):
            worker = [*python, "distributed.cli.dask_worker", address, "--host", own, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
            stack.enter_context(running([*inside(name), *worker], output))
        client = [sys.executable, str(HERE / "netem.py"), "--client", address, str(found)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*inside(network.names[0]), *client], stdout=output, stderr=output, timeout=LONGEST, check=False)
    if not found.exists():
        print((folder / "output").read_text(errors="replace")[-2000:], file=sys.stderr)
        return Outcome(error=f"its client was not done after {LONGEST:.0f} s")
    return Outcome(**json.loads(found.read_text()))


def be_client(address, path):
    """In the namespace."""
    from distributed import Client

    import postrider.experimental.dask

    with Client(address, timeout=60) as client:
        client.wait_for_workers(WORKERS, timeout=60)
        out = outcome_of(lambda: postrider.experimental.dask.fit(new(), pairs(), client=client, rows_in_flight=ROWS_IN_FLIGHT, deadline=DEADLINE))
    pathlib.Path(path).write_text(json.dumps(
        {"sha256": out.sha256, "error": out.error, "message": out.message, "seconds": out.seconds}))


# --- the program ---------------------------------------------------------------------------------


TRAINERS = {"mpi": train_mpi, "dask": train_dask}


def run_engine(engine, options, expected):
    with Namespaces(WORKERS, options.delay, options.loss) as network, tempfile.TemporaryDirectory() as folder:
        out = TRAINERS[engine](network, pathlib.Path(folder))
        time.sleep(2 * options.delay)  # for frames that are on their way
        found = {"engine": engine, "ranks": WORKERS, "sha256": out.sha256, "seconds": out.seconds,
                 "frames": network.switch.frames, "lost": network.switch.lost, "same_bytes": out.sha256 == expected}
        if out.error:
            found["error"] = out.error
        print(found, flush=True)
        return found, network.netem_refused


def compare(options):
    expected = outcome_of(lambda: Threads().fit(1)).sha256
    result = {"delay_seconds": options.delay, "loss": options.loss, "namespaces": WORKERS, "refused": [],
              "undisturbed_sha256": expected, "runs": []}
    for engine in options.engines:
        try:
            found, netem_refused = run_engine(engine, options, expected)
        except Refused as trouble:
            result["refused"].append(str(trouble))
            break
        result["runs"].append(found)
        if netem_refused and netem_refused not in result["refused"]:
            result["refused"].append(netem_refused)
    result["delayed_by"] = None if not result["runs"] else "the switch between the namespaces" if result["refused"] else "netem"
    result["identical"] = bool(result["runs"]) and all(run["same_bytes"] for run in result["runs"])
    write(options.results / "netem.json", result)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--delay", type=float, default=0.02, help="of each frame, in seconds")
    parser.add_argument("--loss", type=float, default=0.01, help="the share of frames that are lost")
    parser.add_argument("--client", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        be_client(*options.client)
    else:
        compare(options)


if __name__ == "__main__":
    main()

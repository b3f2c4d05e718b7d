#!/usr/bin/env python3
"""How large the playground's library is, and how long it trains beside the native program; writes keys of bench/results/doors.json and quotes them in docs/playground.md.

Usage: measure.py PROGRAM FOLDER --data SETS [--runs 3]

FOLDER is what tools/playground makes, SETS has uci/concrete/data.csv. Both train concrete with the defaults, one thread, four rows of five, in turns;
seconds are those of the processor, so that other work on the machine counts little, and the median of the runs. Of the browser they are those of all its
processes meanwhile, of the program those of the whole call.
"""

import argparse
import gzip
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/web"))
from chromium import Chromium, Served  # noqa: E402

KEPT, PAGE = ROOT / "bench/results/doors.json", ROOT / "docs/playground.md"
MB = 1e6
LONGEST = 900  # seconds of one training

# The page's own modules, as the page calls them.
IN_PAGE = """(async () => {
  const { Engine } = await import("./engine.js");
  const { loadLibrary } = await import("./library.js");
  window.engine = new Engine(await loadLibrary());
  const bytes = new Uint8Array(await (await fetch("concrete.csv")).arrayBuffer());
  await engine.ask("read", { target: "y" }, bytes);
  window.measure = async () => {
    const answer = await engine.askJson("train", { validation: 0.2 });
    return [answer.evaluation.root_mean_square_error.value, answer.evaluation.log_likelihood.value];
  };
  return true;
})()"""


def processor_seconds(process):
    """What a process and all that it has started have used."""
    children = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append((int(path.parent.name), int(fields[11]) + int(fields[12])))
    waiting, ticks = [process], 0
    while waiting:
        for child, used in children.get(waiting.pop(), []):
            waiting.append(child)
            ticks += used
    return ticks / os.sysconf("SC_CLK_TCK")


def native(program, data, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(subprocess.run([program, "train", data, "--target", "y", "--validation", "0.2", "--threads", "1", "--json", "--force", "-o", Path(folder) / "m.safetensors"],
                                     check=True, capture_output=True, text=True).stdout)
    found, after = told["validation"], resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, found["root_mean_square_error"]["value"], found["log_likelihood"]["value"]


def in_browser(browser):
    before = processor_seconds(os.getpid())
    browser.evaluate("window.found = null; window.trouble = null; measure().then(f => { window.found = f; }, e => { window.trouble = String(e); }); 1")
    browser.wait("window.found || window.trouble", LONGEST)
    found = browser.evaluate("window.found") or sys.exit(browser.evaluate("window.trouble"))
    return processor_seconds(os.getpid()) - before, *found


def sizes(folder):
    binary = (folder / "postrider.wasm").read_bytes()
    return len(binary) / MB, len(gzip.compress(binary, 9)) / MB


def sentence(found):
    return (f"The library is a file of {found['wasm_mb']:.1f} MB, {found['wasm_compressed_mb']:.2f} MB as servers send it (gzip). "
            f"Training four fifths of UCI's concrete, 824 rows, took {found['wasm_seconds']:.0f} s of a processor in a browser and {found['native_seconds']:.0f} s by the program, "
            f"both with the defaults and one thread of the same machine: {found['wasm_seconds'] / found['native_seconds']:.1f} times as long.")


def quote(found):
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"(?<=<!-- measured: begin -->\n).*?(?=\n<!-- measured: end)", lambda _: sentence(found), page, flags=re.DOTALL), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    data = options.data / "uci/concrete/data.csv"
    with tempfile.TemporaryDirectory() as folder:
        for path in options.folder.iterdir():
            (Path(folder) / path.name).symlink_to(path.resolve())
        (Path(folder) / "concrete.csv").write_bytes(data.read_bytes())
        runs = {"wasm": [], "native": []}
        with Chromium(options.browser) as browser, Served(folder) as served:
            browser.open(served.address)
            browser.evaluate(IN_PAGE)
            for _ in range(options.runs):
                for name, run in (("native", lambda: native(options.program.resolve(), data, folder)), ("wasm", lambda: in_browser(browser))):
                    runs[name].append(run())
                    print(f"{name}: {runs[name][-1][0]:.1f} s, error {runs[name][-1][1]:.4f}, log-likelihood {runs[name][-1][2]:.4f}", flush=True)
    wasm_mb, compressed = sizes(options.folder)
    found = {"wasm_mb": round(wasm_mb, 3), "wasm_compressed_mb": round(compressed, 3),
             **{f"{name}_seconds": round(statistics.median(run[0] for run in all_runs), 2) for name, all_runs in runs.items()}}
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    KEPT.write_text(json.dumps({**kept, **found}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    quote(found)
    print(sentence(found))


if __name__ == "__main__":
    main()

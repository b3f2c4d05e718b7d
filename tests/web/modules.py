#!/usr/bin/env python3
"""The page's modules by themselves, in a browser, without the library: that they load, what they compute and draw, and that the program understands the
made-up tables. The whole page is tested by playground.py, which needs the library compiled for browsers.

Usage: modules.py PROGRAM PAGE_FOLDER --browser CHROMIUM
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from chromium import Chromium, Served

TASKS = {"kiosk.csv": ("regression", "cups", 500), "wave.csv": ("regression", "y", 240), "parcels.csv": ("classification", "late", 500)}


def call(browser, module, expression):
    return browser.evaluate(f"import('./{module}').then(m => {expression})")


def expect_all_load(browser, folder):
    for path in sorted(folder.glob("*.js")):
        if path.name != "worker.js":  # no module: it follows what emscripten writes
            assert browser.evaluate(f"import('./{path.name}').then(m => typeof m)") == "object", path.name
    assert browser.evaluate("(async () => { try { new Function(await (await fetch('worker.js')).text()); return 'fine'; } catch (e) { return String(e); } })()") == "fine"
    # Without the library the page says what is missing, in place of an empty frame.
    said = browser.wait("document.querySelector('#playground [role=alert]')?.innerText")
    assert "postrider.js is not there" in said, said


def expect_numbers(browser):
    """Ticks are worked out by hand: round steps that lie inside."""
    assert call(browser, "charts.js", "m.ticks([0, 10])") == [0, 2, 4, 6, 8, 10]
    assert call(browser, "charts.js", "m.ticks([-0.13, 0.12])") == [-0.1, -0.05, 0, 0.05, 0.1]
    assert call(browser, "charts.js", "m.range([1, NaN, 3], 0.5)") == [0, 4]
    assert call(browser, "charts.js", "m.range([])") == [0, 1]
    assert call(browser, "dom.js", "[0, 1234.56, 0.00123456, 1e9, null].map(m.short)") == ["0", "1235", "0.001235", "1.00e+9", "-"]


def expect_pictures(browser):
    """Two rows, the first inside of its interval and the second outside."""
    rows = {"mean": [1, 2], "low": [0, 1], "high": [2, 3], "target": [1.5, 9]}
    drawn = call(browser, "charts.js", f"(n => [n.querySelectorAll('.pg-bar').length, n.querySelectorAll('.pg-in').length, n.querySelectorAll('.pg-out').length, "
                 f"n.querySelector('desc').textContent])(m.heldOutRows({json.dumps(rows)}, 'y', 0.9))")
    assert drawn == [2, 1, 1, "1 of 2 rows lie inside their 90 % interval."], drawn
    # What is called 0.5 and came always lies above what is called 1 and came never: y runs downwards.
    bins = [{"rows": 4, "confidence": 0.5, "accuracy": 1}, {"rows": 0, "confidence": None, "accuracy": None}, {"rows": 4, "confidence": 1, "accuracy": 0}]
    heights = call(browser, "charts.js", f"[...m.reliability({json.dumps(bins)}).querySelectorAll('.pg-dot')].map(d => Number(d.getAttribute('cy')))")
    assert len(heights) == 2 and heights[0] < heights[1], heights
    names = call(browser, "what_if.js", "m.movable([{name: 'a', kind: 'numeric', least: 0, largest: 1}, {name: 'b', kind: 'ignored'}, {name: 'c', kind: 'date', least: 'x'}, "
                 "{name: 'd', kind: 'categorical', categories: ['p']}, {name: 'e', kind: 'numeric', least: 0, target: true}]).map(c => c.name)")
    assert names == ["a", "d"], names


def expect_texts_stay_texts(browser):
    """A column's name is markup of nobody."""
    text = "<img src=x onerror=alert(1)>"
    found = {"rows": 1, "copies": 0, "task": "regression", "target": text, "warnings": [{"kind": "k", "text": text}],
             "columns": [{"name": text, "kind": "numeric", "target": True, "least": 0, "largest": 1, "note": text}]}
    made = call(browser, "columns.js", f"(p => {{ m.showColumns(p, {json.dumps(found)}, {{}}); return [p.querySelectorAll('img').length, p.innerHTML.includes('&lt;img')]; }})(document.createElement('div'))")
    assert made == [0, True], made


def expect_samples(browser, program, folder):
    tables = call(browser, "samples.js", "m.samples.map(s => [s.name, s.make(), s.make()])")
    assert {name for name, *_ in tables} == set(TASKS)
    for name, text, again in tables:
        task, target, rows = TASKS[name]
        assert text == again, f"{name}: other rows each time"
        path = folder / name
        path.write_text(text, encoding="utf-8")
        found = json.loads(subprocess.run([program, "train", path, "--target", target, "--dry-run", "--json", "-o", folder / "none"], check=True, capture_output=True, text=True).stdout)
        assert (found["task"], found["rows"]) == (task, rows), found
        assert found["columns"][-1]["name"] == target and not found["warnings"], found["warnings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Chromium(options.browser) as browser, Served(options.folder) as served:
        browser.open(served.address + "alone.html")
        expect_all_load(browser, options.folder)
        expect_numbers(browser)
        expect_pictures(browser)
        expect_texts_stay_texts(browser)
        expect_samples(browser, options.program.resolve(), Path(folder))
        outside = [url for url in browser.requests if not url.startswith(served.address) and url != "about:blank"]
        assert not outside, outside
        assert not browser.problems, browser.problems


if __name__ == "__main__":
    main()

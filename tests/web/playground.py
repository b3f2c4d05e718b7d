#!/usr/bin/env python3
"""Uses the playground in a real browser as a person would, and compares it with the program.

Usage: playground.py PROGRAM FOLDER [--browser CHROMIUM]

FOLDER is what tools/playground makes. PROGRAM is the native one, whose predictions with the page's model file must be the page's.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import tempfile

from chromium import Chromium, Served

# Floats are rounded to 24 bits, and no sum of them in a network of this size loses more than four of these; in units of the predicted standard deviation.
ROUNDING = 3e-5
PHONE = 390  # CSS pixels


def write_table(path):
    """An amount of three inputs, one of them a category and one with cells that are missing."""
    draw = random.Random(3)
    with open(path, "w", newline="", encoding="utf-8") as file:
        to = csv.writer(file)
        to.writerow(["size", "kind", "age", "weight"])
        for _ in range(220):
            size, kind, age = draw.uniform(1, 9), draw.choice(["oak", "ash", "fir"]), draw.uniform(0, 50)
            weight = size ** 1.5 * {"oak": 3, "ash": 2, "fir": 1}[kind] + 0.2 * age + draw.gauss(0, 1)
            to.writerow([f"{size:.2f}", kind, "" if draw.random() < 0.05 else f"{age:.1f}", f"{weight:.2f}"])


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def shown_rows(browser, selector):
    return browser.evaluate(f"[...document.querySelectorAll('{selector} tbody tr')].map(r => [...r.cells].map(c => c.innerText))")


def drop_and_learn(browser, served, table):
    browser.open(served.address)
    browser.wait_shown("#playground .pg-drop")
    # All that follows is done without a network, and asks for nothing.
    served.stop()
    browser.go_offline()
    asked = len(browser.requests)
    assert all(url.startswith((served.address, "blob:" + served.address, "data:")) for url in browser.requests if url != "about:blank"), browser.requests
    browser.drop("#playground .pg-drop", table)
    browser.wait_shown("#pg-learn-button")
    columns = shown_rows(browser, ".pg-columns")
    assert [row[1] for row in columns] == ["size", "kind", "age", "weight"], columns
    assert [row[2] for row in columns] == ["number", "category", "number", "predicted: a number"], columns
    assert columns[1][3] == "3: ash, fir, oak" and int(columns[2][4]) > 0, columns
    browser.evaluate("document.getElementById('pg-time').value = '0'")
    browser.click("#pg-learn-button")
    browser.wait("document.querySelector('#pg-learn figure svg') !== null")  # the curve, while it learns
    browser.wait_shown("#pg-headline")
    return asked


def expect_same_predictions(browser, program, folder, table):
    browser.click("#pg-model")
    model = browser.downloaded("weight.safetensors")
    browser.click("#pg-predict-same")
    here = read_csv(browser.downloaded("predictions.csv"))
    subprocess.run([program, "predict", model, table, "-o", folder / "native.csv"], check=True)
    there = read_csv(folder / "native.csv")
    assert len(here) == len(there) == 220 and here[0].keys() == there[0].keys()
    worst = max(abs(a[name] - b[name]) / b["std"] for a, b in zip(here, there) for name in b)
    print(f"predictions of {len(here)} rows: at most {worst:.1e} standard deviations from the program's")
    assert worst < ROUNDING, worst
    inspected = json.loads(subprocess.run([program, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout)
    assert inspected["target"] == "weight", inspected["target"]
    return here


def expect_what_if(browser, here):
    """The first question is of a row in the middle; moving a slider asks another."""
    before = browser.wait("document.querySelector('.pg-answer').innerText")
    browser.evaluate("(s => { s.value = s.max; s.dispatchEvent(new Event('input')); })(document.getElementById('pg-input-0'))")
    after = browser.wait(f"(t => t !== {json.dumps(before)} && t)(document.querySelector('.pg-answer').innerText)")
    assert "90 % between" in after, after
    expected = max(row["mean"] for row in here)
    said = float(after.split(": ")[1].split(",")[0])
    assert 0.3 * expected < said < 1.5 * expected, (said, expected)  # large sizes are heavy
    assert browser.evaluate("document.querySelectorAll('#pg-what_if svg polygon').length") == 1


def expect_report(browser):
    browser.evaluate("[...document.querySelectorAll('#pg-found button')].at(-1).click()")
    page = browser.downloaded("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "weight" in page and "90 %" in page, page[:200]


def expect_learned_alike(browser, program, folder, table):
    """The same split, seed and options: the program's own model is as good, and differs by rounding that training has multiplied."""
    told = json.loads(subprocess.run([program, "train", table, "--target", "weight", "--validation", "0.2", "--json", "-o", folder / "own.safetensors"],
                                     check=True, capture_output=True, text=True).stdout)
    own = told["validation"]
    cells = shown_rows(browser, ".pg-figures")
    here = float(cells[0][1].split()[0])
    assert browser.text(".pg-figures thead th").startswith(f"{own['rows']} rows"), browser.text(".pg-figures thead th")
    there, error = own["root_mean_square_error"]["value"], own["root_mean_square_error"]["standard_error"]
    print(f"root mean square error of rows held out: {here} here, {there:.4g} ± {error:.2g} by the program")
    assert math.isclose(here, there, abs_tol=error)


def mistakes_are_told(browser, folder):
    path = folder / "mistake.csv"
    path.write_text("a,b\n1,2\n3,4,5\n", encoding="utf-8")
    browser.drop("#playground .pg-drop", path)
    said = browser.wait("(e => !e.hidden && e.innerText)(document.querySelector('.pg-trouble'))")
    assert "line 3" in said, said


def by_keyboard_on_a_phone(browser, served):
    """From the first key to a prediction without a pointer, on a narrow screen."""
    browser.open(served.address)
    browser.wait_shown("#playground .pg-sample")

    def tab_to(condition, most=60):
        for _ in range(most):
            browser.key("Tab")
            if browser.evaluate(f"(e => {condition})(document.activeElement)"):
                return
        raise AssertionError(f"Tab does not reach {condition}")

    tab_to("e.classList.contains('pg-sample') && e.innerText.includes('late')")
    browser.key("Enter")
    browser.wait_shown("#pg-learn-button")
    browser.evaluate("document.getElementById('pg-time').value = '10'")
    tab_to("e.id === 'pg-learn-button'")
    browser.key("Enter")
    browser.wait_shown("#pg-headline")
    tab_to("e.type === 'range'")
    before = browser.wait("document.querySelector('.pg-answer').innerText")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    browser.wait(f"document.querySelector('.pg-answer').innerText !== {json.dumps(before)}")
    assert "late: " in browser.text(".pg-answer"), browser.text(".pg-answer")
    width = browser.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE, f"the page is {width} wide"


def in_one_file(browser, folder):
    """Opened from a folder, without a server and without a network."""
    browser.go_offline()
    browser.open((folder / "postrider-playground.html").resolve().as_uri())
    browser.wait_shown("#playground .pg-sample")
    browser.click("#playground .pg-sample")
    browser.wait_shown("#pg-learn-button")
    assert "500 rows, 5 inputs; regression." in browser.text("#pg-columns"), browser.text("#pg-columns")
    outside = [url[:60] for url in browser.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert not outside, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as name, Chromium(options.browser) as browser:
        folder = pathlib.Path(name)
        write_table(folder / "trees.csv")
        with_network = Served(options.folder)
        asked = drop_and_learn(browser, with_network, folder / "trees.csv")
        here = expect_same_predictions(browser, program, folder, folder / "trees.csv")
        expect_what_if(browser, here)
        expect_report(browser)
        expect_learned_alike(browser, program, folder, folder / "trees.csv")
        mistakes_are_told(browser, folder)
        later = [url for url in browser.requests[asked:] if not url.startswith("blob:")]
        assert not later, later
        assert not browser.problems, browser.problems
    with Chromium(options.browser, width=PHONE, height=800, phone=True) as browser, Served(options.folder) as served:
        by_keyboard_on_a_phone(browser, served)
        assert not browser.problems, browser.problems
    with Chromium(options.browser) as browser:
        in_one_file(browser, options.folder)
        assert not browser.problems, browser.problems
    print("the playground works: dropped, learned, predicted as the program does, offline, by keyboard, on a narrow screen, in one file")


if __name__ == "__main__":
    main()

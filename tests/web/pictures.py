#!/usr/bin/env python3
"""Draws the playground with a made-up table, on a wide screen and on a phone, for the documentation.

Usage: pictures.py FOLDER TO        FOLDER is what tools/playground makes
"""

import sys
from pathlib import Path

from chromium import Chromium, Served

# Name, width in CSS pixels, whether it is a phone, and from which part to which of the page the picture goes.
PICTURES = (("playground_desktop", 1180, False, "h1", "#pg-what_if"), ("playground_phone", 390, True, "#pg-found", "#pg-what_if"))


def draw(browser, served, path, first, last):
    browser.open(served.address)
    browser.wait_shown(".pg-sample")
    browser.click(".pg-sample")  # the kiosk
    browser.wait_shown("#pg-learn-button")
    browser.evaluate("document.getElementById('pg-time').value = '0'")
    browser.click("#pg-learn-button")
    browser.wait_shown("#pg-headline")
    # Along the temperature, where the others stay.
    browser.wait("document.querySelector('#pg-what_if svg') !== null")
    browser.evaluate("(s => { s.value = 'temperature'; s.dispatchEvent(new Event('change')); })(document.getElementById('pg-along'))")
    browser.wait("document.querySelector('#pg-what_if svg polygon') !== null")
    browser.evaluate("scrollTo(0, 0)")
    top, bottom = browser.evaluate(f"[document.querySelector('{first}').getBoundingClientRect().top, document.querySelector('{last}').getBoundingClientRect().bottom]")
    browser.picture(path, bottom + 16, max(0, top - 16))


def main():
    folder, to = map(Path, sys.argv[1:])
    for name, width, phone, first, last in PICTURES:
        with Chromium(width=width, phone=phone) as browser, Served(folder) as served:
            draw(browser, served, to / f"{name}.png", first, last)
            print(to / f"{name}.png")


if __name__ == "__main__":
    main()

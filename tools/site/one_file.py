#!/usr/bin/env python3
"""Puts the playground into one file, which works wherever it is opened, also from a folder without a server.

Usage: one_file.py FOLDER FILE

Modules of a page that is opened from a folder may not import others: each becomes an address that holds its text, after those that it imports.
"""

import base64
import json
import re
import sys
from pathlib import Path

IMPORT = re.compile(r'from "\./([\w.]+)"')


def encoded(data, kind):
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def module(folder, name, done):
    if name not in done:
        text = (folder / name).read_text(encoding="utf-8")
        text = IMPORT.sub(lambda found: f'from "{module(folder, found.group(1), done)}"', text)
        done[name] = encoded(text.encode(), "text/javascript")
    return done[name]


def main():
    folder, to = map(Path, sys.argv[1:])
    page = (folder / "index.html").read_text(encoding="utf-8")
    style = (folder / "playground.css").read_text(encoding="utf-8")
    parts = {name: (folder / f"{file}").read_text(encoding="utf-8") for name, file in (("script", "postrider.js"), ("worker", "worker.js"))}
    binary = base64.b64encode((folder / "postrider.wasm").read_bytes()).decode()
    # In a text of JSON, "</script" would end the element.
    files = json.dumps(parts).replace("</", "<\\/")
    inside = (f"<script>window.postriderFiles = {files};\n"
              f"window.postriderFiles.binary = Uint8Array.from(atob('{binary}'), (c) => c.charCodeAt(0)).buffer;</script>\n"
              f'<script type="module" src="{module(folder, "page.js", {})}"></script>')
    for old, new in (('<link rel="stylesheet" href="playground.css">', f"<style>\n{style}</style>"),
                     ('<script type="module" src="page.js"></script>', inside)):
        if old not in page:
            sys.exit(f"{folder}/index.html has no {old}")
        page = page.replace(old, new)
    to.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

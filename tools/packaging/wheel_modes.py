#!/usr/bin/env python3
"""Gives every entry of a wheel the same permissions, whatever umask and checkout it was built with: 0755 for folders and what may be run, 0644 for all
others.

    tools/packaging/wheel_modes.py WHEEL
"""

import stat
import sys
import zipfile
from pathlib import Path


def mode_of(entry):
    old = entry.external_attr >> 16
    if entry.is_dir():
        return stat.S_IFDIR | 0o755
    return stat.S_IFREG | (0o755 if old & stat.S_IXUSR else 0o644)


def main(path):
    beside = path.with_suffix(".part")
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in wheel.infolist():
            contents = wheel.read(entry)
            entry.external_attr = mode_of(entry) << 16 | (0x10 if entry.is_dir() else 0)
            out.writestr(entry, contents)
    beside.replace(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

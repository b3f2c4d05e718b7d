"""The Python blocks of README.md and of the pages run, and print what the pages say."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tools" / "site" / "blocks.py"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]


def run(page):
    return subprocess.run([sys.executable, RUNNER, page], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", [p for p in PAGES if "```python" in p.read_text()], ids=lambda page: page.name)
def test_page(page):
    done = run(page)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", ["```python\nprint(1)\n```\n\n```text\n2\n```\n", "```python\nunknown\n```\n", "no block\n"])
def test_a_page_that_is_wrong_fails(block, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(block)
    assert run(page).returncode != 0


def test_a_block_may_ask_not_to_be_run(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n<!-- not run -->\n```python\nunknown\n```\n\n```python\nassert x == 1\n```\n")
    assert run(page).stdout.strip() == "page.md: 2 blocks"

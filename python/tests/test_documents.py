"""The Python blocks of README.md and of the pages run, and print what the pages say."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tools" / "site" / "blocks.py"
PAGES = [ROOT / "README.md", ROOT / "docs" / "sparse-model.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]


def run(page):
    return subprocess.run([sys.executable, RUNNER, page], capture_output=True, text=True, check=False)


def has_block_to_run(page):
    return "```python" in page.read_text().replace("<!-- not run -->\n```python", "")


@pytest.mark.parametrize("page", [*filter(has_block_to_run, PAGES)], ids=lambda page: page.name)
def test_page(page):
    done = run(page)
    assert done.returncode == 0, done.stderr


WRONG = {
    "prints something else": "```python\nprint(1)\n```\n\n```text\n2\n```\n",
    "raises": "```python\nunknown\n```\n",
    "wrong doctest": "```python\n>>> 1 + 1\n3\n```\n",
    "no block": "nothing to run\n",
}


@pytest.mark.parametrize("block", WRONG.values(), ids=WRONG)
def test_a_page_that_is_wrong_fails(block, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(block)
    assert run(page).returncode != 0


def test_a_block_may_ask_not_to_be_run(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> x = 1\n```\n\n<!-- not run -->\n```python\nunknown\n```\n\n"
                    "```python\nassert x == 1\n```\n")
    assert run(page).stdout.strip() == "page.md: 2 blocks"

"""The Python blocks of README.md and of the pages run, and print what the pages say."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tools" / "site" / "blocks.py"
PAGES = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("sparse-model.md", "streams.md", "network/intervals.md", "network/shape.md", "network/target-scale.md", "wrong-intervals.md", "fast.md")),
         *(page for folder in ("decisions", "doors", "graph/gallery", "python", "switch") for page in sorted((ROOT / "docs" / folder).glob("*.md")))]


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
    "a number that is too far off": "```python\nprint('about', 13)\n```\n\n<!-- numbers within 20 % -->\n```text\nabout 10\n```\n",
    "another word": "```python\nprint('about', 10)\n```\n\n<!-- numbers within 20 % -->\n```text\nnearly 10\n```\n",
}


@pytest.mark.parametrize("block", WRONG.values(), ids=WRONG)
def test_a_page_that_is_wrong_fails(block, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(block)
    assert run(page).returncode != 0


def test_numbers_may_differ_where_the_page_says_so(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint('about', 11.5, 'and', -0.1)\n```\n\n<!-- numbers within 20 % -->\n```text\nabout 10 and 0.1\n```\n")
    done = run(page)
    assert done.returncode == 0, done.stderr


def test_a_block_may_ask_not_to_be_run(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> x = 1\n```\n\n<!-- not run -->\n```python\nunknown\n```\n\n"
                    "```python\nassert x == 1\n```\n")
    assert run(page).stdout.strip() == "page.md: 2 blocks"

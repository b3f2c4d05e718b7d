"""The examples in docstrings and on the pages print what they say they print."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import postrider

MODULES = sorted(module.name for module in pkgutil.walk_packages(postrider.__path__, "postrider."))
# Modules that are for other packages, which may be missing.
ADAPTED = {
    f"postrider{part}.{name}": needs
    for part in ("", ".experimental")
    for name, needs in {"botorch": ("torch", "botorch"), "mlflow": ("mlflow",), "optuna": ("optuna",)}.items()
}
FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "python"
# Pages with sessions; test_documents runs those with programs.
PAGES = [page for page in sorted(FOLDER.glob("*.md")) if "```pycon" in page.read_text("utf-8")]
NATIVE = [name for name in postrider.__all__ if "_core" in str(getattr(postrider, name))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module(name):
    for package in ADAPTED.get(name, ()):
        pytest.importorskip(package)
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


# doctest does not look into classes that come from an extension.
@pytest.mark.parametrize("name", NATIVE)
def test_examples_of_native_class(name):
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(getattr(postrider, name), name, module=False):
        runner.run(test)
    assert runner.failures == 0


def test_everything_public_has_a_docstring():
    for name in postrider.__all__:
        if name != "__version__":
            assert getattr(postrider, name).__doc__, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_page(page):
    # A fence would be taken for output.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0

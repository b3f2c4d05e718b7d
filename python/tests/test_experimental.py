"""Young parts are in postrider.experimental and say what they must show; their former names work, and warn."""

import importlib
import pathlib
import pickle
import pkgutil
import re
import subprocess
import sys

import pytest

import postrider
import postrider.experimental

YOUNG = sorted(module.name for module in pkgutil.iter_modules(postrider.experimental.__path__) if not module.name.startswith("_"))
# Modules whose packages may be missing.
NEEDS = {"botorch": ("torch", "botorch"), "dask": ("distributed",), "optuna": ("optuna",), "owners": ("pyarrow",)}
AT_THE_TOP = {"SparseModel": "sparse_model", "hashed_columns": "sparse_model", "DrawnFunction": "functions", "joint_moments": "functions"}


def young(name):
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    return importlib.import_module(f"postrider.experimental.{name}")


@pytest.mark.parametrize("name", YOUNG)
def test_docstring_says_what_must_be_shown(name):
    assert re.search(r"\n\nExperimental: the part becomes stable (once|together with) ", young(name).__doc__)


@pytest.mark.parametrize("name", YOUNG)
def test_former_name_warns_with_the_new_one(name):
    new, old = young(name), importlib.import_module(f"postrider.{name}")
    assert new.__all__
    for public in new.__all__:
        with pytest.warns(DeprecationWarning, match=rf"^postrider\.{name}\.{public} is postrider\.experimental\.{name}\.{public} since") as found:
            assert getattr(old, public) is getattr(new, public)
        assert found[0].filename == __file__


@pytest.mark.parametrize("name", AT_THE_TOP)
def test_former_name_at_the_top_warns_with_the_new_one(name):
    with pytest.warns(DeprecationWarning, match=rf"postrider\.{name} is postrider\.experimental\.{AT_THE_TOP[name]}\.{name} since"):
        assert getattr(postrider, name) is getattr(young(AT_THE_TOP[name]), name)
    assert name not in postrider.__all__


def test_importing_by_the_former_name_warns_where_it_is_written():
    with pytest.warns(DeprecationWarning, match="experimental") as found:
        from postrider import SparseModel  # noqa: F401
    assert {warning.filename for warning in found} == {__file__}


def test_names_that_never_were_are_missing():
    for module in (postrider, importlib.import_module("postrider.active")):
        with pytest.raises(AttributeError, match="nonsense"):
            module.nonsense  # noqa: B018
    assert not hasattr(importlib.import_module("postrider.active"), "__path__")


def test_pickles_by_former_names_are_read():
    old = b"cpostrider.sparse_model\nSparseModel\n."
    with pytest.warns(DeprecationWarning, match="experimental"):
        assert pickle.loads(old) is young("sparse_model").SparseModel


def test_parameter_server_starts_by_the_former_name():
    pytest.importorskip("pyarrow")
    found = subprocess.run([sys.executable, "-m", "postrider.owners", "--help"], capture_output=True, text=True, check=False)
    assert found.returncode == 0
    assert "python -m postrider.experimental.owners" in found.stdout
    assert "DeprecationWarning: python -m postrider.owners is" in found.stderr


def test_stable_parts_import_nothing_young():
    folder = pathlib.Path(postrider.__file__).parent
    program = "import sys, postrider, postrider.plots; print([name for name in sys.modules if name.startswith('postrider.experimental')])"
    found = subprocess.run([sys.executable, "-W", "error::DeprecationWarning:postrider", "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    former = re.compile(rf"from postrider\.?(?:{'|'.join(YOUNG)})? import|import postrider\.(?:{'|'.join(YOUNG)})\b")
    for path in folder.rglob("*.py"):
        uses = [line for line in path.read_text().splitlines() if former.match(line.strip())]
        assert all(line.startswith("from postrider import _core") for line in uses), path

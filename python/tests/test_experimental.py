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
NEEDS = {"botorch": ("torch", "botorch"), "dask": ("distributed",), "duckdb": ("duckdb", "pyarrow"), "mlflow": ("mlflow",), "onnx": ("onnx",),
         "optuna": ("optuna",), "owners": ("pyarrow",)}  # fmt: skip
# Those that never had another name.
NEW = {"duckdb", "mlflow", "onnx"}
AT_THE_TOP = {"SparseModel": "sparse_model", "hashed_columns": "sparse_model", "DrawnFunction": "functions", "joint_moments": "functions"}


def young(name):
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    return importlib.import_module(f"postrider.experimental.{name}")


@pytest.mark.parametrize("name", YOUNG)
def test_docstring_says_what_must_be_shown(name):
    assert re.search(r"\n\nExperimental: the part becomes stable (once|together with) ", young(name).__doc__)


@pytest.mark.parametrize("name", [name for name in YOUNG if name not in NEW])
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


def test_former_module_names_what_is_not_installed_when_it_is_imported():
    # Those who read modules, such as collectors of tests, ask for names that no module has; they expect a missing package before that.
    program = "import sys; sys.modules['optuna'] = None; import postrider.optuna"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("ModuleNotFoundError: ") and "optuna" in found.stderr.splitlines()[-1]


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


def rows(count):
    pa = pytest.importorskip("pyarrow")
    x = [each / 10 for each in range(count)]
    return pa.table({"x": x, "y": [2 * each for each in x]})


def test_former_verbs_of_tables_do_what_the_new_ones_do(tmp_path):
    how = {"hidden_layer_sizes": [4], "ensemble_size": 1, "max_epochs": 2, "encoding": "standard"}
    with pytest.warns(DeprecationWarning, match=r"TableModel\(\.\.\.\)\.fit"):
        former = postrider.TableModel.train(rows(60), "y", most_categories=5, **how)
    new = postrider.TableModel(**how).fit(rows(60), "y", most_categories=5)
    assert (former.predict(rows(5))["mean"] == new.predict(rows(5))["mean"]).all()
    with pytest.warns(DeprecationWarning, match=r"TableModel\(\.\.\.\)\.update"):
        former = postrider.TableModel.train_stream(rows(60), "y", hidden_layer_sizes=[4], random_state=3)
    new = postrider.TableModel([4], random_state=3).update(rows(60), "y")
    assert (former.predict(rows(5))["mean"] == new.predict(rows(5))["mean"]).all()


def test_update_of_a_table_begins_and_goes_on():
    model = postrider.TableModel([4])
    assert model.update(rows(60), "y") is model
    more = rows(80).slice(60)
    assert model.update(more) is model and len(model.history) == 2
    with pytest.raises(ValueError, match="y = 'x': must be the target of the model, 'y'"):
        model.update(rows(90).slice(80), "x")


def test_former_verbs_of_other_models_do_what_the_new_ones_do():
    from postrider.experimental.bandit import ContextualBandit
    from postrider.experimental.sparse_model import SparseModel

    names, clicks = [{"user": "a"}, {"user": "b"}], [1, 0]
    new = SparseModel().update(names, clicks)
    with pytest.warns(DeprecationWarning, match="SparseModel.update"):
        assert SparseModel().learn(names, clicks) == new.update_log_loss_ > 0
    with pytest.warns(DeprecationWarning, match="SparseModel.update"):
        assert (SparseModel().partial_fit(names, clicks).predict_proba(names) == new.predict_proba(names)).all()
    bandit = ContextualBandit(2)
    arms, ids = bandit.choose([[0.0]])
    with pytest.warns(DeprecationWarning, match="ContextualBandit.update"):
        bandit.learn(ids, [1.0])
    assert bandit.log.rewards.tolist() == [1.0]


def test_former_name_of_streams_of_arrays():
    from sklearn.linear_model import SGDRegressor

    with pytest.warns(DeprecationWarning, match="update_stream"):
        found = postrider.fit_stream(SGDRegressor(random_state=0), rows(20), "y")
    assert (found.coef_ == postrider.update_stream(SGDRegressor(random_state=0), rows(20), "y").coef_).all()


def test_estimators_update_as_scikit_learn_says_partial_fit():
    X = [[each / 10] for each in range(60)]
    y = [2 * each[0] for each in X]
    one, other = (postrider.BayesianMLPRegressor([4], random_state=1) for _ in range(2))
    assert one.update(X, y) is one
    assert (one.predict(X) == other.partial_fit(X, y).predict(X)).all()

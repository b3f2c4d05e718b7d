"""What fit and evaluate warn of: columns, rows and groups that are odd, each with the argument that mends it."""

import warnings

import numpy as np
import pytest
from trained import fitted

from postrider import BayesianMLPRegressor, DataWarning, TableModel

pd = pytest.importorskip("pandas")

SMALL = {"hidden_layer_sizes": [4], "ensemble_size": 2, "max_epochs": 2, "encoding": "standard", "random_state": 1}


def sales(rows=120, seed=1):
    draw = np.random.default_rng(seed)
    area = draw.uniform(20, 90, rows)
    return pd.DataFrame({"area": area, "age": draw.normal(40, 9, rows).round(), "spend": 3 * area + draw.normal(0, 40, rows)})


def test_a_leak_and_sentinels_are_named_with_their_remedies():
    frame = sales().assign(invoice=lambda each: 1.19 * each["spend"])
    frame.loc[::20, "age"] = -999
    with pytest.warns(DataWarning) as told:
        model = fitted(frame, "spend", **SMALL)
    texts = [str(each.message) for each in told if issubclass(each.category, DataWarning)]
    assert any(text.startswith("invoice all but is the target spend") and 'ignored=["invoice"]' in text for text in texts)
    assert any('na=["-999"]' in text for text in texts)
    assert [(each.kind, each.column) for each in model.warnings_] == [("leak", "invoice"), ("sentinel", "age")]
    assert model.warnings_[0].remedy == 'ignored=["invoice"] leaves it out.'
    assert repr(model.warnings_[0]).startswith("<invoice all but is")


def test_what_the_remedies_say_mends_it():
    frame = sales().assign(invoice=lambda each: 1.19 * each["spend"])
    frame.loc[::20, "age"] = -999
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        model = fitted(frame, "spend", ignored=["invoice"], na=["-999"], **SMALL)
    assert model.warnings_ == []


def test_estimators_of_frames_warn_too():
    with pytest.warns(DataWarning, match="Only 30 rows tell where intervals of 90 % end"):
        model = BayesianMLPRegressor(**SMALL).fit(sales(30), "spend")
    assert model.warnings_[0].kind == "few_rows"


def test_warnings_are_kept_in_the_file(tmp_path):
    with pytest.warns(DataWarning):
        model = fitted(sales(30), "spend", **SMALL)
    model.save(tmp_path / "m.safetensors")
    assert [each.text for each in TableModel.load(tmp_path / "m.safetensors").warnings_] == [each.text for each in model.warnings_]


def test_rows_of_another_kind_are_told_by_evaluate():
    model = fitted(sales(300), "spend", **SMALL | {"max_epochs": 20, "ensemble_size": 8})
    assert model.evaluate(sales(300, 2)).warnings == []
    other = sales(300, 3).assign(spend=lambda each: each["spend"] + 400)
    with pytest.warns(DataWarning, match="predicted worse than rows of training were"):
        found = model.evaluate(other)
    assert found.warnings[0].kind == "disagreement"

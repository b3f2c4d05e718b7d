"""The package as it is installed."""

import importlib.metadata

import postrider


def test_version_is_the_distributions():
    assert postrider.__version__ == importlib.metadata.version("postrider")

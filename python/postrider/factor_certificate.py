"""Certificates: checks of a factor by calculation."""

from __future__ import annotations

import json
from typing import Any

from postrider import _core
from postrider.factor import Factor, make_factor

__all__ = ["FactorCertificate", "certify"]


class FactorCertificate:
    """What `certify` found.

    Attributes
    ----------
    passed : bool
        Whether no check failed. Checks of many messages are no proof for the others.
    failures : list of str
        What did not hold, with the messages that came in.
    report : dict
        All of it: per edge and rule exactness, consistency, properness and the master theorem.
    """

    def __init__(self, native: _core.FactorCertificate) -> None:
        self.passed = native.passed
        self.failures = native.failures
        self.report: dict[str, Any] = json.loads(native.to_json())
        self._text = native.to_text()

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<certificate: {'passed' if self.passed else f'{len(self.failures)} failures'}>"


def certify(
    factor: Factor | str,
    *,
    seed: int = 1,
    configurations: int = 40,
    evaluations: int = 200_000,
    exactness_tolerance: float = 1e-9,
) -> FactorCertificate:
    """Checks by calculation whether a factor's messages are what they promise to be.

    Compares with adaptive quadrature, lets messages concentrate, and tries random ones of all
    sizes. Factors of up to three edges. A factor written in Python is called for one row at a time
    here: fewer `evaluations` make it quicker.

    Parameters
    ----------
    factor : Factor or str
        A name stands for a factor of the library with its default parameters.
    seed : int
        Of the random messages.
    configurations : int
        Random messages for each comparison with quadrature.
    evaluations : int
        Random messages for properness, per edge and rule.
    exactness_tolerance : float
        Relative.

    Returns
    -------
    FactorCertificate

    Examples
    --------
    >>> import postrider
    >>> postrider.certify("probit", evaluations=1000).passed
    True
    """
    native = (make_factor(factor) if isinstance(factor, str) else factor)._native()
    return FactorCertificate(
        _core.certify_factor(native, seed, configurations, evaluations, exactness_tolerance)
    )

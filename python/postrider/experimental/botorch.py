"""A model for BoTorch: its posterior is functions drawn from a regressor's belief.

    pip install postrider[botorch]

Experimental: the part becomes stable together with `postrider.experimental.functions`, whose drawn functions it offers to BoTorch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from botorch.models.ensemble import EnsembleModel

from postrider._functions import DrawnFunction
from postrider.regressor import BayesianMLPRegressor

__all__ = ["PostriderModel"]


class _Drawn(torch.autograd.Function):  # type: ignore[misc]
    """Values of drawn functions, with the gradients that these tell."""

    @staticmethod
    def forward(context: Any, rows: Any, functions: list[DrawnFunction]) -> Any:
        context.functions = functions
        context.save_for_backward(rows)
        numbers = rows.detach().cpu().numpy().astype(np.float64)
        return torch.as_tensor(np.array([f(numbers) for f in functions]), dtype=rows.dtype, device=rows.device)

    @staticmethod
    def backward(context: Any, *above: Any) -> tuple[Any, None]:
        (rows,) = context.saved_tensors
        numbers = rows.detach().cpu().numpy().astype(np.float64)
        slopes = np.array([f.gradient(numbers) for f in context.functions])
        told = torch.as_tensor(slopes, dtype=rows.dtype, device=rows.device)
        return (above[0].unsqueeze(-1) * told).sum(dim=0), None


class PostriderModel(EnsembleModel):  # type: ignore[misc]
    """What BoTorch's acquisition functions ask: `posterior(X)`, with `rsample`, mean and variance.

    The posterior is the ensemble of `n_functions` functions drawn given the rows, without noise. Values have gradients by X.

    Parameters
    ----------
    model : BayesianMLPRegressor
        Fitted, of one target.
    train_X : Tensor of shape (n, d)
        The rows that it learned.
    train_Y : Tensor of shape (n, 1)
        Their targets.
    n_functions : int, default=64
        Functions drawn.
    noise_std : float, default=None
        Standard deviation of the noise, where it is known: 0 for none.
    random_state : int, default=0
        The same number draws the same functions.
    """

    def __init__(
        self,
        model: BayesianMLPRegressor,
        train_X: Any,
        train_Y: Any,
        *,
        n_functions: int = 64,
        noise_std: float | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__()
        X = train_X.detach().cpu().numpy().astype(np.float64)
        y = train_Y.detach().cpu().numpy().astype(np.float64)
        if y.ndim == 2:
            if y.shape[1] != 1:
                raise ValueError(f"train_Y has {y.shape[1]} columns: must be one target")
            y = y[:, 0]
        self.functions = model.sample_functions(n_functions, X, y, noise_std=noise_std, random_state=random_state)

    @property
    def num_outputs(self) -> int:
        """One."""
        return 1

    def forward(self, X: Any) -> Any:
        """Values of the functions.

        Parameters
        ----------
        X : Tensor of shape (..., q, d)
            Points.

        Returns
        -------
        values : Tensor of shape (..., n_functions, q, 1)
        """
        values = _Drawn.apply(X.reshape(-1, X.shape[-1]), self.functions)
        shaped = values.reshape(len(self.functions), *X.shape[:-1], 1)
        return torch.movedim(shaped, 0, -3)

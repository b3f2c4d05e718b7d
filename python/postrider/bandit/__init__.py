"""Contextual bandits: which of several arms to offer in a context, when only the reward of the arm offered is seen.

`ContextualBandit` chooses and learns; its `DecisionLog` says afterwards what another policy would have earned.
"""

from postrider.bandit._bandit import ContextualBandit, default_model
from postrider.bandit._log import DecisionLog, PolicyValue

__all__ = ["ContextualBandit", "DecisionLog", "PolicyValue", "default_model"]

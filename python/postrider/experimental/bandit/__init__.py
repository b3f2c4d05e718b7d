"""Contextual bandits: which of several arms to offer in a context, when only the reward of the arm offered is seen.

`ContextualBandit` chooses and learns; its `DecisionLog` says afterwards what another policy would have earned.

Experimental: the part becomes stable once Thompson sampling has at most 0.9 times the regret of greedy choices on three sets, and
at most that of a linear model. The first goal is missed on all three, the second on one.
"""

from postrider.experimental.bandit._bandit import ContextualBandit, default_model
from postrider.experimental.bandit._log import DecisionLog, PolicyValue

__all__ = ["ContextualBandit", "DecisionLog", "PolicyValue", "default_model"]

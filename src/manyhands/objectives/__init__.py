"""From truth and channel to a number to improve.

`joint`: sum_i log sum_k f_k prod_n T_n[k], one truth a unit; climbed by EM.
"""

from .chain_vb import ChainVB
from .gaussian_em import GaussianEM
from .joint import joint_posterior
from .joint_ability import AbilityEM, GladParams
from .joint_additive import AdditiveEM, MinimaxParams
from .joint_em import JointEM, JointParams
from .joint_vb import JointVB

__all__ = [
    "AbilityEM",
    "AdditiveEM",
    "ChainVB",
    "GaussianEM",
    "GladParams",
    "JointEM",
    "JointParams",
    "JointVB",
    "MinimaxParams",
    "joint_posterior",
]

"""Groups of annotations or of annotators with one matrix each: CMM's channel (Mena and Nanculef, 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ParameterError
from .batch import Sizes

if TYPE_CHECKING:
    from .annotator_groups_module import AnnotatorGroupsModule
    from .groups_module import GroupsModule

__all__ = ["Groups"]

PER = ("annotation", "annotator")
GATES = ("none", "features")


@dataclass(frozen=True)
class Groups:
    r"""$T[k, l] = \sum_m \alpha_m \beta_m[k, l]$: M groups, each with a matrix.

    per: "annotation", the paper's: the group is drawn anew for every annotation, and annotators'
        ids are not needed. Only $B = \sum_m \alpha_m \beta_m$ enters the likelihood, so the groups
        are not identified: any M reaches the likelihood of M = 1, and they are what the start
        (k-means) left of them. Do not choose M by likelihood.
        "annotator": an annotator has one group, which is identified:
        $p = \prod_j \sum_m \alpha_m \prod_{n \in j} \sum_k f_k \beta_m[k, l_n]$. It is climbed by
        its variational bound, with chances $r_j(m)$ that annotator j is of group m, independent
        of the truths: $\log T_n[k] = \sum_m r_j(m) \log \beta_m[k, l_n]$, less
        $KL(r_j \| \alpha)$ once an annotator (the penalty). Every objective then fits: EM's
        E-step and its M-step ($r_j(m) \propto \alpha_m \prod \beta_m^{\text{counts}}$, then
        $\alpha$ and $\beta$) are in closed form and never lower the bound, and by gradient r is
        one more parameter.
    gate: "features" lets $\alpha_m$ depend on x, a mixture of experts, by gradient alone; only
        with per="annotation". hidden: widths of its hidden layers; none is linear.
    smoothing: Dirichlet votes in every cell of $\alpha$ and $\beta$; the paper has none, its
        code one.
    diagonal: of the weights that the matrices have where nobody calls `start`.

    >>> Groups(2).build(Sizes(5, 3, 3)).confusions().shape
    torch.Size([5, 3, 3])
    """

    n_groups: int = 3
    per: str = "annotation"
    gate: str = "none"
    hidden: tuple[int, ...] = ()
    smoothing: float = 0.0
    diagonal: float = 2.0

    def build(self, sizes: Sizes) -> GroupsModule | AnnotatorGroupsModule:
        """The torch module to train."""
        from .annotator_groups_module import AnnotatorGroupsModule
        from .groups_module import GatedGroupsModule, GroupsModule

        self._check()
        if self.per == "annotator":
            return AnnotatorGroupsModule(self, sizes)
        return (GroupsModule if self.gate == "none" else GatedGroupsModule)(self, sizes)

    def _check(self) -> None:
        for name, allowed in (("per", PER), ("gate", GATES)):
            value = getattr(self, name)
            if value not in allowed:
                raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}")
        if self.n_groups < 1 or self.smoothing < 0:
            raise ParameterError(
                f"n_groups={self.n_groups!r} must be 1 or more, smoothing={self.smoothing!r} not negative"
            )
        if self.per == "annotator" and self.gate != "none":
            raise ParameterError(
                "per='annotator' gives each annotator one group whatever the task, gate='features' a group that "
                "changes with the task: they exclude each other; use per='annotation' with the gate"
            )

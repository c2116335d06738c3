"""How an annotator turns the truth into a label: p(label | truth), one file a channel.

A channel is a frozen specification without weights. Its parameters are a NamedTuple of tensors
in the log domain, its statistics are expected counts [annotator, label, truth]: sums, so that
blocks and shards add up.
"""

from .ability import Ability
from .additive import Additive
from .annotator_groups import AnnotatorGroups
from .batch import Batch, Sizes
from .channel import Channel
from .common import Common
from .common_confusion import CommonConfusion
from .confusion import Confusion
from .crowd_layer import CrowdLayer
from .difficulty import Difficulty
from .dirichlet_confusion import DirichletConfusion
from .gaussian import Gaussian
from .groups import Groups
from .heads import Heads
from .incidence import Incidence
from .low_rank import LowRank
from .number_heads import NumberHeads
from .number_layer import NumberLayer
from .one_coin import OneCoin
from .ordinal import Ordinal
from .personal import Personal
from .previous_tag import Previous
from .reliability import Reliability
from .spam import Spam
from .student import Student
from .trace import Trace
from .vote_index import VoteIndex
from .votes import NumberVotes, Votes, number_votes, votes_of
from .whose import Whose

__all__ = [
    "Ability",
    "Additive",
    "AnnotatorGroups",
    "Batch",
    "Channel",
    "Common",
    "CommonConfusion",
    "Confusion",
    "CrowdLayer",
    "Difficulty",
    "DirichletConfusion",
    "Gaussian",
    "Groups",
    "Heads",
    "Incidence",
    "LowRank",
    "NumberHeads",
    "NumberLayer",
    "NumberVotes",
    "OneCoin",
    "Ordinal",
    "Personal",
    "Previous",
    "Reliability",
    "Sizes",
    "Spam",
    "Student",
    "Trace",
    "VoteIndex",
    "Votes",
    "Whose",
    "number_votes",
    "votes_of",
]

"""Ranks the workspace's paragraphs for a question: evidence of several grains, summed by weights of one table."""

from granum.retrieve.rank.documents import DocumentOf
from granum.retrieve.rank.ranking import Question, RankedUnit, Ranking, rank
from granum.retrieve.rank.weights import WEIGHTS, Weights

__all__ = ["WEIGHTS", "DocumentOf", "Question", "RankedUnit", "Ranking", "Weights", "rank"]

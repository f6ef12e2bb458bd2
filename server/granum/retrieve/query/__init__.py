"""What a query says: its words by worth, and the paths, names, tests, stack frames and messages in it. Pure text."""

from granum.retrieve.query.understand import understand
from granum.retrieve.query.values import Frame, Message, Origin, PathMention, Query, Term, TestMention

__all__ = ["Frame", "Message", "Origin", "PathMention", "Query", "Term", "TestMention", "understand"]

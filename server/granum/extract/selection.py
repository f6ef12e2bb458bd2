"""Which sentences of each role are worth keeping: facts that help whoever changes the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.extract.lexicon import words_in
from granum.extract.shape import Opening, Shape, third_person
from granum.extract.statement import Role
from granum.model.layers import PropositionType as Type
from granum.model.layers import SourceKind
from granum.text.tokens import identifier_parts

if TYPE_CHECKING:
    from granum.extract.statement import Statement

_I = re.IGNORECASE

_EXAMPLE_HEADS = frozenset({"fo", "e.", "ex", "a ", "an", "as", "i."})
_EXAMPLE = re.compile(r"(?:for (?:example|instance)|e\.g\.|examples?:|an? example|as an example|i\.e\.)", _I)
_TASK = re.compile(r"(?:todo|fixme|xxx)\b", _I)
_NAME = re.compile(r"\w+")
#: Words by which a comment tells more than the line below it: reasons, conditions, hazards, exceptions.
_TELLING = words_in(
    "if when unless until otherwise however but already may might could would not no never isn't doesn't don't won't"
    " can't shouldn't wasn't aren't assume assumes guarantee guaranteed guarantees note bug compat compatibility thread"
    " threads slow slower faster expensive cheap always only even instead because since hack unsafe twice implicitly"
    " explicitly except rather although though despite necessarily unlike unfortunately deprecated legacy lazily"
    " prevent prevents avoid avoids so"
)
#: Words that tell more only in a comment that is no instruction.
_HINTING = _TELLING | words_in(
    "windows macos linux order before after still allows need needs default defaults cached lazy ensure ensures once"
    " first last cache limit both either neither as without safe"
)
#: Words by which a parameter's description tells more than what it is.
_DETAILS = re.compile(
    r"\b(?:if|when|whether|unless|defaults?|optional|none|true|false|must|only|instead|otherwise|seconds|bytes"
    r"|milliseconds|ignored|overrides?|raises?|required|allowed|disables?|enables?|can be|either|maximum|minimum"
    r"|at least|at most|same as|relative|absolute|negative|zero|empty|will be|should|not|used (?:to|as|for|by|when))\b",
    _I,
)
_BINDING = frozenset({Type.SECURITY_RULE, Type.CONSTRAINT, Type.RISK, Type.DECISION})
_PLAIN = frozenset({Type.IMPLEMENTATION_DETAIL, Type.BEHAVIOR, Type.PROCEDURE})
#: ``Set by the directive``, ``Called when it closes``: the subject is the symbol.
_PARTICIPLE = re.compile(
    r"(?:\w+ed|set|built|given|made|run|sent|kept|held|written|read) (?:by|when|if|for|from|as|before|after|on|in|to"
    r"|with|only|during|whenever|once|until)\b.*\.$",
    _I,
)
#: Sections where "we" are the people who decided, not a tutorial's author and reader.
_REASONED = re.compile(
    r"\b(?:decisions?|decided|context|consequences|rationale|considered|outcome|motivation|trade-?offs?|drivers"
    r"|alternatives|justification)\b",
    _I,
)
#: Openings that lean on the sentence before; a plain fact behind one is no use alone.
_DANGLING = re.compile(
    r"in (?:this|that|these|those|such|both|either) (?:case|situation|example|way|sense|scenario)s?\b|that is,|again,"
    r"|in other words|another\b|besides\b|this is (?:where|why|how|also|usually|it)\b|(?:but|and|or|so|thus|hence)\b"
    r"|that['’]s\b|(?:some|many|most|other) (?:people|users|developers)\b|indeed\b|at this point\b|why\b|how\b|what\b"
    r"|in (?:the above|our)\b|now\b|be sure to (?:read|check)\b|a common (?:pattern|question)\b|the important thing\b"
    r"|there (?:is|are) (?:\w+ )?(?:two|three|four|several|many|some|a (?:few|number|lot|couple)|usually|better|more)\b"
    r"|if you(?:['’]re| are) (?:confused|having|new|not sure|unsure|interested|familiar|curious|unfamiliar|stuck)\b",
    _I,
)
_NARRATORS = words_in("we we'll we're we've we'd let's i'm i'll")
_FINITE = words_in(
    "is are was were be been has have had can cannot can't may will won't does do did doesn't don't isn't aren't wasn't"
    " must should shouldn't would might shall it's that's there's need needs means mean goes come comes becomes remains"
    " depends depend exists exist happens occurs lives belongs corresponds differs lacks owns points shares leverages"
    " abstracts applies contains holds consists results takes works makes gets lets keeps stays varies ends starts"
    " requires conforms reflects knows wants sits tends refers relies considers"
)


# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every sentence needs many.
_BODY, _COMMENT, _DOCSTRING = Role.BODY, Role.COMMENT, SourceKind.DOCSTRING
_IMPERATIVE, _IMPLEMENTATION_DETAIL = Opening.IMPERATIVE, Type.IMPLEMENTATION_DETAIL
#: Roles whose sentences are weighed by the same rule wherever they stand.
_PARTS = frozenset({Role.PARAMETER, Role.RETURNS, Role.ITEM})


def is_worth(statement: Statement, shape: Shape, kind: Type, *, first: bool) -> bool:
    """Whether a sentence of that role tells enough.

    Args:
        statement: where it stands.
        shape: the sentence.
        kind: its type.
        first: whether it is the first sentence of a doc comment, which is always kept.
    """
    if first:
        return True
    role = statement.role
    if role is _COMMENT and (len(shape.words) < 3 or _TASK.match(shape.text)):
        return False
    if shape.text[:2].lower() in _EXAMPLE_HEADS and _EXAMPLE.match(shape.text):
        return False
    if kind in _BINDING:
        return True
    if role is _COMMENT:
        return _comment(shape, kind) and not _repeats(shape, statement.context)
    if role is _BODY and (statement.label or (statement.heading and _REASONED.search(statement.heading))):
        return _documented(shape, kind)
    worth = _documented if statement.source is _DOCSTRING and role not in _PARTS else _WORTH.get(role)
    return worth is None or worth(shape, kind)


def _comment(shape: Shape, kind: Type) -> bool:
    if len(shape.words) < 5:
        return False
    telling = _TELLING if shape.opening is _IMPERATIVE else _HINTING
    return kind not in _PLAIN or not telling.isdisjoint(shape.different)


def _repeats(shape: Shape, context: str) -> bool:
    """Whether most of the sentence's words stand in the code beside it."""
    if not context:
        return False
    # ASCII text parts at the same places with its names taken together
    names = [context] if context.isascii() else _NAME.findall(context)
    beside = {part.lower()[:5] for name in names for part in identifier_parts(name)}
    telling = {word[:5] for word in shape.words if len(word) > 3}
    return len(telling & beside) * 10 >= len(telling) * 7


def _parameter(shape: Shape, kind: Type) -> bool:
    return kind is not _IMPLEMENTATION_DETAIL or bool(_DETAILS.search(shape.text))


def _returns(shape: Shape, _kind: Type) -> bool:
    return len(shape.words) >= 5


def _documented(shape: Shape, _kind: Type) -> bool:
    """A later sentence of a doc comment, or one of a directive."""
    return len(shape.words) >= 4 and _states(shape)


def _prose(shape: Shape, kind: Type) -> bool:
    if kind in _PLAIN and (not _NARRATORS.isdisjoint(shape.different) or _DANGLING.match(shape.text)):
        return False
    return len(shape.words) >= 5 and shape.text[:1] not in ",;)" and _states(shape)


def _item(shape: Shape, _kind: Type) -> bool:
    return len(shape.words) >= (3 if shape.instructs else 4) and (_states(shape) or ": " in shape.text)


def _states(shape: Shape) -> bool:
    """Whether there is a verb; what only names a thing states nothing."""
    if shape.acts or shape.instructs or not _FINITE.isdisjoint(shape.different) or "please" in shape.different:
        return True
    return any(map(third_person, shape.words)) or _PARTICIPLE.match(shape.text) is not None


_WORTH = {
    Role.PARAMETER: _parameter,
    Role.RETURNS: _returns,
    Role.SUMMARY: _documented,
    Role.NOTE: _documented,
    Role.BODY: _prose,
    Role.ITEM: _item,
}

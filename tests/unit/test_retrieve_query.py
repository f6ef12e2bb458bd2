"""What a query says, whatever it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from granum.retrieve.query import understand

ISSUE = """\
Session.expiry() raises KeyError when `max_age` is unset
### Description
Since the upgrade `Session.expiry()` fails, see src/app/session.py:42 and app.clock.now.

```python
session.expiry()
```
"""


def test_an_issue_is_read_by_its_parts() -> None:
    query = understand(ISSUE)
    assert query.title == "Session.expiry() raises KeyError when `max_age` is unset"
    assert query.body.startswith("Since the upgrade")
    assert [term.text for term in query.terms][:3] == ["Session", "expiry", "KeyError"]
    assert [(mention.path, mention.line) for mention in query.paths] == [("src/app/session.py", 42)]
    assert query.modules == ("Session.expiry", "app.clock.now", "session.expiry")
    assert query.symbols == ("Session.expiry", "max_age", "session.expiry")


@given(st.text(max_size=400))
def test_any_text_is_understood_the_same_twice(text: str) -> None:
    assert understand(text) == understand(text)

"""Waiting for what was asked of the index, and passing on what became of it."""

from __future__ import annotations

from concurrent.futures import CancelledError, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING

from granum.model.answers import Reindexed
from granum.model.errors import CancelledRequestError, IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from granum.model.cancellation import CancelToken

#: How often who waits for work looks whether it was taken back, in seconds.
LOOK_SECONDS = 0.1


def keep(future: Future[Reindexed], result: Reindexed) -> None:
    """Tells the result to who waits for it, unless they have cancelled."""
    with suppress(InvalidStateError):
        future.set_result(result)


def give_up(future: Future[Reindexed]) -> None:
    """Tells that the work will not be done."""
    with suppress(InvalidStateError):
        future.set_exception(IndexUnavailableError("The index was closed before the work was done."))


def pass_on(done: Future[Reindexed], to: Future[Reindexed]) -> None:
    """Has one future tell what another does; who cancels the one cancels the other."""

    def tell(_: Future[Reindexed]) -> None:
        if done.cancelled():
            to.cancel()
        elif done.exception() is not None:
            give_up(to)
        else:
            keep(to, done.result())

    done.add_done_callback(tell)
    to.add_done_callback(lambda _: done.cancel() if to.cancelled() else None)


def sum_of(futures: Sequence[Future[Reindexed]], on_look: Callable[[], None], token: CancelToken | None) -> Reindexed:
    """Waits for all of them, and calls ``on_look`` now and then.

    Raises:
        CancelledRequestError: The token, or one of the futures, was cancelled; so are all others.
    """
    total = Reindexed()
    for future in futures:
        total += _result(future, futures, on_look, token)
    return total


def _result(
    future: Future[Reindexed],
    all_futures: Sequence[Future[Reindexed]],
    on_look: Callable[[], None],
    token: CancelToken | None,
) -> Reindexed:
    while True:
        try:
            return future.result(LOOK_SECONDS)
        except TimeoutError:
            if token is not None and token.cancelled:
                for each in all_futures:
                    each.cancel()
                raise CancelledRequestError("the reindexing was cancelled") from None
            on_look()
        except CancelledError as error:
            raise CancelledRequestError("the reindexing was cancelled") from error

"""What adapters to frameworks share: names that load on first use, failures that stay out of the chat."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from langmem_ext.errors import InvalidInputError, MissingDependencyError, ModelError
from langmem_ext.items import AddResult

if TYPE_CHECKING:
    from langmem_ext.user_memory import UserMemory

LearnMode: TypeAlias = Literal["now", "later", "off"]


def lazy_names(
    package: str, homes: Mapping[str, str], *, extra: str, requirements: Mapping[str, str]
) -> Callable[[str], object]:
    """A module `__getattr__` that imports an adapter when its name is first used.

    Args:
        package: The adapter package.
        homes: Public name -> submodule.
        extra: The extra that installs the framework.
        requirements: Import name of each framework package -> its requirement in pyproject.toml.

    Returns:
        The function. It raises `MissingDependencyError`, naming the package, the version that was
        found and the version that is needed, when the framework is missing or of another age.
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        except ImportError as error:
            requirement = requirements.get((error.name or "").partition(".")[0])
            if requirement is None:  # not the framework's absence: an error to see as it is
                raise
            raise MissingDependencyError(
                _with_found_version(requirement), extra, f"{package}.{name}"
            ) from error

    return load


def _with_found_version(requirement: str) -> str:
    distribution = requirement.partition(">=")[0]
    try:
        return f"{requirement} (found {metadata.version(distribution)})"
    except metadata.PackageNotFoundError:
        return f"{requirement} (not found)"


def checked_user(user: object) -> UserMemory:
    """The handle that an adapter was given; refused at once where every later call would fail."""
    from langmem_ext.user_memory import UserMemory

    if not isinstance(user, UserMemory):
        raise InvalidInputError(f"user must be memory.for_user(...), not {type(user).__name__}")
    return user


def error_of(result: AddResult) -> ModelError | None:
    """Why an `add()` failed, as the exception that it stands for; None when it did not."""
    if result.error is None:
        return None
    return ModelError(result.error.message, kind=result.error.kind, retryable=result.error.retryable)


def log_failure(logger: logging.Logger, step: str, error: Exception) -> None:
    """Tell the log that the chat goes on without its memory. No message: it could quote what was said."""
    logger.warning(
        "long-term memory: could not %s (%s); the conversation goes on without it", step, kind_of(error)
    )


def hand_over(
    user: UserMemory,
    turn: Sequence[Mapping[str, Any]],
    learn: LearnMode,
    *,
    idempotency_key: str | None = None,
) -> Exception | None:
    """Learn from a turn now or later; why that failed, or None. With "off" nothing happens."""
    if learn == "off" or not turn:
        return None
    try:
        if learn == "later":
            user.add_later(turn, idempotency_key=idempotency_key)
            return None
        return error_of(user.add(turn, idempotency_key=idempotency_key))
    except Exception as error:  # whatever it is, the answer is there already, and it stays
        return error


async def ahand_over(
    user: UserMemory,
    turn: Sequence[Mapping[str, Any]],
    learn: LearnMode,
    *,
    idempotency_key: str | None = None,
) -> Exception | None:
    """As `hand_over`."""
    if learn == "off" or not turn:
        return None
    try:
        if learn == "later":
            await user.aadd_later(turn, idempotency_key=idempotency_key)
            return None
        return error_of(await user.aadd(turn, idempotency_key=idempotency_key))
    except Exception as error:  # as in hand_over
        return error


def checked_mode(learn: object) -> LearnMode:
    """The mode, or an InvalidInputError that names all of them."""
    for mode in get_args(LearnMode):
        if learn == mode:
            known: LearnMode = mode
            return known
    raise InvalidInputError(
        f'learn={learn!r}: choose "now" (before the answer is returned), "later" (in the background) or "off"'
    )


def kind_of(error: Exception) -> str:
    """A failure in one word, for a result or a log."""
    return error.kind if isinstance(error, ModelError) else type(error).__name__

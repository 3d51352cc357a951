"""Values that a test may draw: classes that can be found by their names, and some that cannot be given again."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, NamedTuple


class Colour(enum.Enum):
    RED = 1
    BLUE = 2
    ROT = RED


class Right(enum.Flag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass(frozen=True)
class Point:
    x: object
    y: object = 0


@dataclasses.dataclass
class Adding:
    """Its fields are not what it was made of."""

    total: int

    def __post_init__(self) -> None:
        self.total += 1


@dataclasses.dataclass
class Remembering:
    """It holds more than its fields."""

    x: int

    def __post_init__(self) -> None:
        self.memory = [self.x]


@dataclasses.dataclass(slots=True)
class Slotted:
    x: object


class Holder:
    @dataclasses.dataclass(frozen=True)
    class Inner:
        x: object


@dataclasses.dataclass
class Whole(int):
    """A dataclass of a built-in type."""


class Pair(NamedTuple):
    x: int


class Rude:
    """Whatever is called on it fails."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError


def local_class() -> Any:
    """An instance of a class that no name leads to."""

    @dataclasses.dataclass
    class Local:
        x: int

    return Local(1)

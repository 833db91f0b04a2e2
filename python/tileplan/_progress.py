# SPDX-License-Identifier: Apache-2.0
"""Long calls show their progress with tqdm, which need not be installed."""
from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any, Union

Progress = Union[bool, Callable[..., Any]]


def _bar(total: float, what: str) -> Any:
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        return None
    return tqdm.tqdm(total=total, desc=what, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")


@contextlib.contextmanager
def counted(progress: Progress, what: str) -> Iterator[Callable[[int, int], Any] | None]:
    """Yields a function that takes and shows the number of finished and of all steps, or None without `progress`."""
    if callable(progress) or not progress:
        yield progress or None
        return
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars:
            bars.append(_bar(total, what))
        if bars[0] is not None:
            bars[0].update(done - bars[0].n)

    try:
        yield show
    finally:
        for bar in bars:
            if bar is not None:
                bar.close()


@contextlib.contextmanager
def shared(progress: Progress, what: str) -> Iterator[Callable[[float], Any] | None]:
    """Yields a function that takes and shows the finished share, from 0 to 1, or None without `progress`."""
    if callable(progress) or not progress:
        yield progress or None
        return
    with counted(True, what) as show:
        yield lambda share: show(round(100 * share), 100)  # type: ignore[misc]

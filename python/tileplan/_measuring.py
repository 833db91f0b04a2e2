# SPDX-License-Identifier: Apache-2.0
"""Measures schedules on any executor of concurrent.futures: here, in a pool, with Dask or with MPI."""
from __future__ import annotations

import contextlib
import os
import queue
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, Union, Unpack

from . import _tileplan as native
from ._display import Tuned
from ._planning import MachineLike, OptionFields, Problem, listing, plan
from ._progress import Progress, counted
from ._tileplan import MeasureRequest, MeasureResult, Plan, Records

Asked = Union[Problem, Plan]
Executors = Union[Executor, Callable[[], Executor], None]


def measure(request: str) -> str:
    """Measures what a line of JSON asks for on this machine, and returns the result as a line of JSON.

    A worker of any kind calls this function. A failure is a result too."""
    return native.measure_request(request)


class _Here(Executor):
    """Runs each call in this thread, before submit() returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # pylint: disable=broad-except
            future.set_exception(error)
        return future


class _Workers:
    """Holds an executor. One that a function made is replaced when it breaks or hangs."""

    def __init__(self, given: Executors) -> None:
        self._make = None if given is None or isinstance(given, Executor) else given
        self.executor: Executor = self._make() if self._make else given or _Here()  # type: ignore[assignment]
        self.is_here = given is None

    def renew(self) -> bool:
        """Ends our executor and makes another. Returns false if no function makes executors."""
        if self._make is None:
            return False
        self.abandon()
        self.executor = self._make()
        return True

    def abandon(self) -> None:
        """Ends the executor if a function made it. Workers may hang, so the processes of a pool are killed, and other executors
        are not waited for."""
        if self._make is None:
            return
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        for process in processes:
            process.kill()
        with contextlib.suppress(OSError):  # In Python 3.11, the pipe of a broken pool may be closed.
            try:
                self.executor.shutdown(wait=bool(processes), cancel_futures=True)
            except TypeError:  # Executors of Dask do not know cancel_futures.
                self.executor.shutdown(wait=False)


class _Dispatch:
    """Sends requests to workers until each has a result.

    A worker that dies breaks a pool of processes as a whole, and a worker that hangs delays the requests behind it. All
    requests in flight are then sent again, fewer at a time. A request that was alone in flight is charged with one try.

    Finished futures put themselves into a queue. concurrent.futures.wait() would lock all futures one after another, and an
    interrupt in between would leave some locked: the thread of the executor would wait for them forever, and shutdown() for the
    thread."""

    def __init__(self, requests: Sequence[MeasureRequest], workers: _Workers, retries: int, patience: float,
                 keep: Callable[[int, MeasureResult], None]) -> None:
        self._requests, self._workers, self._keep = requests, workers, keep
        self._retries, self._patience = retries, patience
        self._left = deque(range(len(requests)))
        self._flying: dict[Future[str], int] = {}
        self._finished: queue.SimpleQueue[Future[str]] = queue.SimpleQueue()
        self._charges = [0] * len(requests)
        # At most this many requests are in flight. Without an executor it is one, so that each result is kept at once.
        self._most = 1 if workers.is_here else max(len(requests), 1)

    def run(self) -> None:
        try:
            while self._left or self._flying:
                self._step()
        finally:
            self._workers.abandon()
            # Futures are cancelled last, because a cancelled future makes the thread of a breaking pool fail.
            for future in self._flying:
                future.cancel()

    def _step(self) -> None:
        broken = self._submit()
        done = self._wait(self._patience if self._flying else 0)
        for future in done:
            broken = self._take(future) or broken
        if broken:
            self._begin_again(broken, self._workers.renew())
        elif not done:
            self._workers.renew()
            self._begin_again(f"no result for {self._patience:g} s", True)

    def _submit(self) -> str:
        """Sends requests. Returns the reason why the executor takes no more, or an empty text."""
        while self._left and len(self._flying) < self._most:
            index = self._left[0]
            try:
                future = self._workers.executor.submit(measure, self._requests[index].to_json())
            except (RuntimeError, OSError) as error:  # A pool that is about to break may raise OSError.
                return str(error)
            self._flying[future] = self._left.popleft()
            future.add_done_callback(self._finished.put)
        return ""

    def _wait(self, seconds: float) -> list[Future[str]]:
        """Returns the futures that finished. Waits until one did, but no longer than `seconds`."""
        done: list[Future[str]] = []
        with contextlib.suppress(queue.Empty):
            done.append(self._finished.get(timeout=seconds))
            while True:
                done.append(self._finished.get_nowait())
        return done

    def _take(self, future: Future[str]) -> str:
        """Keeps a result or charges its request. Returns the reason why the executor broke, or an empty text."""
        index = self._flying[future]
        request = self._requests[index]
        try:
            answer: object = future.result()
            if not isinstance(answer, str):
                raise native.Error(f"result: {type(answer).__name__}; must be text")
            result = native.parse_result(answer, request)
        except BrokenExecutor as error:
            return str(error)
        except Exception as error:  # A worker's exception uses up one try of the request. pylint: disable=broad-except
            result = native.lost_result(request, f"{type(error).__name__}: {error}")
        del self._flying[future]
        if result.record.lasting:
            self._most += 0 if self._workers.is_here else 1
            self._keep(index, result)
        else:
            self._charge(index, result)
        return ""

    def _charge(self, index: int, result: MeasureResult) -> None:
        """Sends the request again after all others, or keeps its failure after the last try."""
        self._charges[index] += 1
        if self._charges[index] > self._retries:
            self._keep(index, result)
        else:
            self._left.append(index)

    def _begin_again(self, reason: str, works: bool) -> None:
        """Takes back the requests in flight. If no executor works, these and all that are left fail."""
        for future in self._flying:
            future.cancel()
        taken = sorted(self._flying.values()) or [self._left.popleft()]
        self._flying.clear()
        self._finished = queue.SimpleQueue()  # Abandoned futures still write to the old queue.
        if not works:
            reason += "; tune() makes another executor if a function makes the first"
            for index in [*taken, *self._left]:
                self._keep(index, native.lost_result(self._requests[index], reason))
            self._left.clear()
        elif len(taken) == 1:
            self._charge(taken[0], native.lost_result(self._requests[taken[0]], reason))
        else:
            self._most = len(taken) // 2
            self._left.extendleft(reversed(taken))


def _plans(problems: Asked | Iterable[Asked], machine: MachineLike, options: OptionFields) -> list[Plan]:
    """Plans the problems that are no plans yet."""
    one = isinstance(problems, (str, native.ConvShape, native.GemmShape, native.Relation, Plan))
    asked: Iterable[Asked] = [problems] if one else problems  # type: ignore[list-item, assignment]
    count = options.get("verify", _VERIFY)
    planning: OptionFields = {**options, "verify": 0, "top": max(options.get("top", 1), count)}
    return [each if isinstance(each, Plan) else plan(each, machine, **planning) for each in asked]


_VERIFY = 10


@listing(OptionFields, {"verify": _VERIFY})
def requests(problems: Asked | Iterable[Asked], machine: MachineLike = None,
             **options: Unpack[OptionFields]) -> list[MeasureRequest]:
    """Returns a request for each of the best `verify` candidates (10 without it) of each problem or plan.

    A plan that was made with a smaller `verify` above 0 has as many requests as its own `verify`."""
    count = options.get("verify", _VERIFY)
    if count < 1:
        raise native.Error(f"verify: {count}; must be at least 1")
    return [request for each in _plans(problems, machine, options) for request in native.requests_of(each)[:count]]


@listing(OptionFields, {"verify": _VERIFY})
def tune(problems: Asked | Iterable[Asked], executor: Executors = None, *, machine: MachineLike = None,
         retries: int = 2, patience: float = 120, records: str | os.PathLike[str] | None = None,
         progress: Progress = False, **options: Unpack[OptionFields]) -> Tuned:
    """Measures the best `verify` candidates of each problem, and returns a list of results per type of machine.

    `executor` is an executor of concurrent.futures, a function that makes one, or None for this process. A function is
    called again when workers died or hung. If an executor breaks that no function made, all requests without a result fail.
    Requests are for machines like `machine`, or else like this one, and those of a plan for machines like its own.

    A request is sent again, at most `retries` times, when its worker dies, returns nonsense, is a machine of another type,
    lacks cores or memory, is never quiet, or gives no result while no other worker does for `patience` seconds. Requests
    that are in flight together when workers die or hang are sent again without counting this as a try. After the last try,
    the result of a request is a failure. Results that `records`, a database, has from the last week are not measured again;
    new ones are added as they come.

    `progress` is True for a bar of tqdm, or a function of the number of finished and of all requests."""
    if retries < 0 or not patience > 0:
        raise native.Error(f"retries: {retries}, patience: {patience}; must be at least 0, and above 0")
    asked = requests(problems, machine, **options)
    database = Records(os.fspath(records)) if records is not None else None
    known = [database.find_record(each) if database else None for each in asked]
    results = [native.known_result(each) if each else None for each in known]
    missing = [index for index, each in enumerate(known) if each is None]
    with counted(progress, "measuring") as show:

        def keep(index: int, result: MeasureResult) -> None:
            results[missing[index]] = result
            if database:
                database.add([result.record])
            if show:
                show(sum(each is not None for each in results), len(results))

        _Dispatch([asked[index] for index in missing], _Workers(executor), retries, patience, keep).run()
    tuned = Tuned()
    for request, result in zip(asked, results):
        tuned.setdefault(request.machine, []).append(result)  # type: ignore[arg-type]
    return tuned

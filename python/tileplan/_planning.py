# SPDX-License-Identifier: Apache-2.0
"""These functions of the C++ interface take options as keyword arguments."""
from __future__ import annotations

import inspect
import os
import pathlib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Union, Unpack, overload

from . import _tileplan as native
from ._display import Movement, Report
from ._progress import Progress, counted, shared
from ._tileplan import ConvShape, Epilogue, GemmShape, Machine, Plan, Relation, Schedule

Problem = Union[str, ConvShape, GemmShape, Relation]
MachineLike = Union[Machine, str, None]
Pair = Union[int, Sequence[int]]
Shape = TypeVar("Shape", ConvShape, GemmShape)
Function = TypeVar("Function", bound=Callable[..., Any])


class OptionFields(TypedDict, total=False):
    """Holds the fields of Options. `tileplan.Options()` has the defaults."""
    top: int
    verify: int
    budget_seconds: float
    layout: str
    weights: str
    regime: str
    threads: int
    epilogue: str | Epilogue
    capacity: str
    certify_full: bool
    algorithm: str
    max_error: float
    variant: str | None
    seed: int


def listing(fields: Any, defaults: Mapping[str, Any] | None = None) -> Callable[[Function], Function]:
    """Lets help() and notebooks show the keywords that a function takes as `fields`: names, types and defaults, options last."""
    known = {name: getattr(native.Options(), name) for name in OptionFields.__annotations__}
    known.update(epilogue="none", **(defaults or {}))
    names = sorted(fields.__annotations__, key=lambda name: name in OptionFields.__annotations__)

    def listed(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        own += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=known.get(name),
                                  annotation=getattr(fields.__annotations__[name], "__forward_arg__", None))
                for name in names]
        function.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
        return function

    return listed


def _options(fields: OptionFields) -> native.Options:
    for name in fields:
        if name not in OptionFields.__annotations__:
            raise TypeError(f"unknown option '{name}'; must be one of {', '.join(OptionFields.__annotations__)}")
    return native.Options(**fields)


def _problem(problem: Problem) -> ConvShape | GemmShape | Relation:
    return native.parse_problem(problem) if isinstance(problem, str) else problem


def _machine(machine: MachineLike) -> Machine:
    if machine is None:
        return native.detect_machine()
    return native.load_machine(machine) if isinstance(machine, str) else machine


def calibrate(machine: MachineLike = None, *, full: bool = False, samples: int = 5, budget_seconds: float = 2,
              progress: Progress = False) -> Machine:
    """Returns the machine, or else this host, with measured rates. save_machine() to machine_cache_path() keeps them.

    `progress` is True for a bar of tqdm, or a function of the finished share."""
    with shared(progress, "calibrating") as show:
        return native.calibrate(_machine(machine), full=full, samples=samples, budget_seconds=budget_seconds,
                                progress=show)


@listing(OptionFields)
def plan(problem: Problem, machine: MachineLike = None, *, records: native.Records | None = None,
         **options: Unpack[OptionFields]) -> Plan:
    """Returns a ranked list of schedules. Without `machine`, the plan is for this host.

    With `records`, candidates that the database has from the last week are not measured again, and new ones are added.

    The options are those of Options, which documents them: plan("m128n256k512", threads=2, verify=4)."""
    if records is not None:
        return native.plan_with_records(_problem(problem), _machine(machine), _options(options), records)
    return native.plan(_problem(problem), _machine(machine), _options(options))


def _pair(name: str, value: Pair) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    sizes = tuple(value)
    if len(sizes) != 2:
        raise native.Error(f"{name}: {value}; must be one number, or two for height and width")
    return sizes[0], sizes[1]


def conv_shape(*, c: int, k: int, h: int, w: int, n: int = 1, g: int = 1, r: int = 1, s: int = 1, stride: Pair = 1,
               dilation: Pair = 1, padding: Pair = 0, padding_after: Pair | None = None,
               type: str = "f32") -> ConvShape:
    """Returns a convolution of n images with c channels and h x w pixels, to k channels, by filters of r x s taps.

    The channels count over all g groups. Pairs are for height and width. `padding` zeros precede the input in each
    direction, and `padding_after` zeros, or else as many, follow it."""
    height, width = _pair("padding", padding)
    below, right = (height, width) if padding_after is None else _pair("padding_after", padding_after)
    text = f"--dt={type} mb{n}g{g}ic{c}oc{k}"
    axes = zip("hw", (h, w), (r, s), _pair("stride", stride), _pair("dilation", dilation), (height, width),
               (below, right))
    for axis, size, taps, step, spread, before, after in axes:
        out = (size + before + after - (taps - 1) * spread - 1) // step + 1 if step > 0 else 0
        needed = (out - 1) * step + (taps - 1) * spread + 1 - size - before
        text += f"i{axis}{size}o{axis}{out}k{axis}{taps}s{axis}{step}d{axis}{spread - 1}p{axis}{before}a{axis}{max(needed, 0)}"
    return native.parse_conv(text)


class ConvFields(OptionFields, total=False):
    """Holds the arguments of conv_shape() and of Options."""
    n: int
    g: int
    c: int
    k: int
    h: int
    w: int
    r: int
    s: int
    stride: Pair
    dilation: Pair
    padding: Pair
    padding_after: Pair | None
    type: str


class GemmFields(OptionFields, total=False):
    """Holds the arguments of GemmShape and of Options."""
    m: int
    n: int
    k: int
    b: int
    lda: int
    ldb: int
    ldc: int
    ta: bool
    tb: bool
    sa: int | None
    sb: int | None
    sc: int | None
    type: str
    name: str


_GEMM_DEFAULTS = {"b": 1, "lda": 0, "ldb": 0, "ldc": 0, "ta": False, "tb": False, "type": "f32", "name": ""}


def _shape_of(shape: Shape | str | None, fields: Mapping[str, Any], known: Collection[str], parse: Callable[[str], Shape],
              make: Callable[..., Shape]) -> tuple[Shape, OptionFields]:
    """Returns the given shape, or else the one that `make` returns for the sizes in `fields`, and the options in them.

    The names in `fields` must be among `known`."""
    sizes = {name: value for name, value in fields.items() if name not in OptionFields.__annotations__}
    options: OptionFields = {name: fields[name] for name in fields if name not in sizes}  # type: ignore[assignment]
    for name in sizes:
        if name not in known:
            raise TypeError(f"unknown option '{name}'; must be one of {', '.join(known)}")
    if shape is not None and sizes:
        raise native.Error(f"{', '.join(sizes)} together with a shape; must be one of them")
    if isinstance(shape, str):
        return parse(shape), options
    return shape or make(**sizes), options


@listing(ConvFields, {name: each.default for name, each in inspect.signature(conv_shape).parameters.items()
                      if each.default is not each.empty})
def plan_conv(shape: ConvShape | str | None = None, machine: MachineLike = None, **fields: Unpack[ConvFields]) -> Plan:
    """Returns plan() of a convolution, which the process remembers.

    `shape` is a text such as "resnet18-9" or a ConvShape. Without it, the sizes are those of conv_shape(), which requires c, k, h and w:
    plan_conv(c=64, k=64, h=14, w=14, r=3, s=3, padding=1). The other keywords are fields of Options."""
    made, options = _shape_of(shape, fields, ConvFields.__annotations__, native.parse_conv, conv_shape)
    return native.plan_conv(made, _machine(machine), _options(options))


@listing(GemmFields, _GEMM_DEFAULTS)
def plan_gemm(shape: GemmShape | str | None = None, machine: MachineLike = None, **fields: Unpack[GemmFields]) -> Plan:
    """Returns plan() of a matrix product, which the process remembers.

    `shape` is a text such as "m128n256k512" or a GemmShape. Without it, the sizes are those of GemmShape, which requires m, n
    and k. The other keywords are fields of Options."""
    made, options = _shape_of(shape, fields, GemmFields.__annotations__, native.parse_gemm, GemmShape)
    return native.plan_gemm(made, _machine(machine), _options(options))


@listing(OptionFields)
def plan_of(problem: Problem, machine: MachineLike, schedule: Schedule | str, **options: Unpack[OptionFields]) -> Plan:
    """Returns the plan that consists of one schedule and its prediction."""
    parsed = native.parse_schedule(schedule) if isinstance(schedule, str) else schedule
    return native.plan_of(_problem(problem), _machine(machine), parsed, _options(options))


@listing(OptionFields)
def plan_network(subject: str | os.PathLike[str] | native.Graph, machine: MachineLike = None, *,
                 shapes: Mapping[str, Sequence[int]] | None = None, second_best: bool = False, records: str = "",
                 use_records: bool = True, progress: Progress = False,
                 **options: Unpack[OptionFields]) -> native.NetworkPlan:
    """Plans every distinct layer of a graph, a model (.onnx), a table (.csv) or a verbose log of oneDNN (.log).

    With `second_best`, the best other choice of each step of a graph or model is found too.
    `progress` is True for a bar of tqdm, or a function of the number of planned and of all layers."""
    given = {name: list(extents) for name, extents in (shapes or {}).items()}
    with counted(progress, "planning layers") as show:
        return native.plan_network(subject if isinstance(subject, native.Graph) else os.fspath(subject),
                                   _machine(machine), _options(options), given, second_best, records, use_records, show,
                                   lambda line: warnings.warn(line, stacklevel=2))


@overload
def compile(plan: native.NetworkPlan) -> native.CompiledNetwork: ...


@overload
def compile(plan: Plan | Schedule | str, rank: int = 0, *, problem: Problem | None = None,
            machine: MachineLike = None, **options: Unpack[OptionFields]) -> native.Kernel: ...


@listing(OptionFields)
def compile(plan: native.NetworkPlan | Plan | Schedule | str, rank: int = 0, *, problem: Problem | None = None,
            machine: MachineLike = None,
            **options: Unpack[OptionFields]) -> native.Kernel | native.CompiledNetwork:
    """Returns the kernel of candidate `rank` of a plan, or of a schedule for `problem`, or a planned network."""
    if isinstance(plan, native.NetworkPlan):
        if problem is not None or machine is not None or rank != 0 or options:
            raise native.Error("rank, problem, machine and options belong to one layer; a network has its own")
        return native.compile_network(plan)
    if isinstance(plan, Plan):
        if problem is not None or machine is not None or options:
            raise native.Error("problem, machine and options belong to a schedule; a plan has its own")
        return native.compile(plan, rank)
    if problem is None:
        raise native.Error("problem: None; must be given with a schedule")
    return native.compile(plan_of(problem, machine, plan, **options), rank)


@listing(OptionFields)
def explain(subject: Plan | Problem, machine: MachineLike = None, schedule: Schedule | str | None = None,
            rank: int = 0, **options: Unpack[OptionFields]) -> native.Explanation:
    """Returns where the bytes and the time of a schedule go.

    The subject is a plan, whose candidate `rank` is explained, or a problem with a schedule (or its best one)."""
    found = subject if isinstance(subject, Plan) else None
    if found is not None and (machine is not None or schedule is not None or options):
        raise native.Error("machine, schedule and options belong to a problem; a plan has its own")
    if found is None and schedule is None:
        found = plan(subject, machine, **options)  # type: ignore[arg-type]
    if found is not None:
        if not 0 <= rank < len(found.candidates):
            raise native.Error(f"rank: {rank}; must be below the {len(found.candidates)} candidates of the plan")
        return native.explain(found.problem, found.machine, found.candidates[rank].schedule, found.options)
    parsed = native.parse_schedule(schedule) if isinstance(schedule, str) else schedule
    return native.explain(_problem(subject), _machine(machine), parsed, _options(options))  # type: ignore[arg-type]


def movement(problem: Problem, order: Sequence[str] | str, tile: Mapping[str, int] | None = None,
             box: Mapping[str, int] | None = None, clip: bool = False) -> Movement:
    """Returns the elements of each tensor that a cache loads while it holds one tile at a time.

    `order` names the loops over tiles, outermost first: ["n", "k"] or "n,k"."""
    names = [name.strip() for name in order.split(",")] if isinstance(order, str) else list(order)
    return Movement(native.movement(_problem(problem), names, dict(tile or {}), dict(box or {}), clip))


def classes(problem: Problem) -> native.LoopOrderClasses:
    """Returns the classes of loop orders that move equally much data for all tile sizes."""
    return native.loop_order_classes(_problem(problem))


def bound(problem: Problem, capacity: float) -> native.LowerBound:
    """Returns lower bounds on what any schedule loads into a fast memory of `capacity` elements."""
    return native.lower_bound(_problem(problem), capacity)


@listing(OptionFields)
def candidates(problem: Problem, machine: MachineLike = None, *, format: str = "jsonl",
               **options: Unpack[OptionFields]) -> native.CandidateList:
    """Returns fast and diverse schedules that `format` can express. write_candidates() gives their text."""
    return native.candidates(_problem(problem), _machine(machine), _options(options), format)


def report(subject: Plan | native.NetworkPlan, path: str | os.PathLike[str] | None = None, format: str | None = None, *,
           progress: Progress = False, times: native.NetworkTimes | None = None) -> Report:
    """Returns the report of a plan or a network as html, md, json or csv, and writes it to `path` if one is given.

    `times` is what measure_steps() of the compiled network returned.
    Without `format`, the extension of `path` determines the format; without both, the format is html."""
    if times is not None and not isinstance(subject, native.NetworkPlan):
        raise native.Error("times belong to a network; must be left out for a plan")
    chosen = format or (native.report_format_of(os.fspath(path)) if path is not None else "html")
    with counted(progress, "planning for changed machines") as show:
        page = Report(native.report(subject, chosen, show, times))
    page.kind = chosen
    if path is not None:
        pathlib.Path(path).write_text(page, encoding="utf-8")
    return page

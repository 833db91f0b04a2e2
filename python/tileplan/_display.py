# SPDX-License-Identifier: Apache-2.0
"""Notebooks show plans as tables, reports as pages and movement as bars."""
from __future__ import annotations

import html
import math
from collections.abc import Sequence

from ._tileplan import Error, Explanation, MeasureResult, NetworkPlan, Plan, Record, TensorMovement, format_seconds


class Report(str):
    """Holds the text of a report. A notebook shows an HTML report as its page."""
    kind = "html"

    def _repr_html_(self) -> str:
        if self.kind != "html":
            return f"<pre>{html.escape(self)}</pre>"
        return f'<iframe srcdoc="{html.escape(self)}" style="width:100%;height:640px;border:0"></iframe>'


class Movement(list[TensorMovement]):
    """Holds the movement of each tensor. A notebook shows it as bars."""

    def _repr_html_(self) -> str:
        rows = [(each.tensor, f"{each.footprint:,}", f"{each.volume:,}", each.volume) for each in self]
        return _bars(("tensor", "footprint, elements", "volume, elements"), rows)


class Tuned(dict[str, list[MeasureResult]]):
    """Holds a list of results per type of machine. A notebook shows the fastest schedule of each problem."""

    def __or__(self, other: dict[str, list[MeasureResult]]) -> Tuned:  # type: ignore[override]
        """Returns the results of both. The two lists of a type of machine that is in both become one."""
        joined = Tuned(self)
        for machine, results in other.items():
            joined[machine] = joined.get(machine, []) + results
        return joined

    def best(self, machine: str | None = None) -> dict[str, Record]:
        """Returns the fastest record of each problem on a type of machine, which may be left out if there is one."""
        if machine is None:
            if len(self) != 1:
                raise Error(f"machine: None; must be one of {'; '.join(self) or 'none'}")
            machine = next(iter(self))
        found: dict[str, Record] = {}
        for result in self[machine]:
            record, rival = result.record, found.get(result.record.problem)
            if record.samples and (rival is None or _median(record) < _median(rival)):
                found[record.problem] = record
        return found

    def _repr_html_(self) -> str:
        parts = []
        for machine, results in self.items():
            failed = sum(not result.record.samples for result in results)
            rows = [[_cell(record.problem), _cell(format_seconds(_median(record))), _code(record.schedule)]
                    for record in self.best(machine).values()]
            parts.append(f"<p>{html.escape(machine)}: {len(results)} results, {failed} failed</p>")
            parts.append(_table(("problem", "median", "fastest schedule"), rows))
        return "".join(parts)


def _median(record: Record) -> float:
    return record.median_seconds if record.median_seconds is not None else math.inf


def _code(value: object) -> str:
    """Returns a cell with a schedule. The cell is wide, because a narrow one would break the line after each word."""
    return f'<td style="text-align:left;min-width:24em"><code>{html.escape(str(value))}</code></td>'


def _cell(value: object, tag: str = "td") -> str:
    return f'<{tag} style="text-align:left">{html.escape(str(value))}</{tag}>'


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(_cell(heading, "th") for heading in headings)
    body = "".join(f'<tr>{"".join(row)}</tr>' for row in rows)
    return f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _bars(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Returns a table in which a bar shows the last value of each row."""
    largest = max((float(row[-1]) for row in rows), default=0) or 1.0  # type: ignore[arg-type]
    cells = []
    for *texts, value in rows:
        width = 240 * float(value) / largest  # type: ignore[arg-type]
        bar = f'<td><div style="background:#3b6ea5;height:1em;width:{width:.0f}px"></div></td>'
        cells.append([_cell(text) for text in texts] + [bar])
    return _table([*headings, ""], cells)


def _plan_html(plan: Plan) -> str:
    rows = []
    for rank, each in enumerate(plan.candidates, 1):
        measured = format_seconds(each.measurement.median_seconds) if each.measurement else ""
        rows.append([_cell(rank), _cell(format_seconds(each.prediction.seconds)), _cell(measured),
                     _cell(each.prediction.bottleneck), _code(each.schedule)])
    caption = f"<p>{html.escape(repr(plan))}</p>"
    return caption + _table(("rank", "predicted", "measured", "bottleneck", "schedule"), rows)


def _network_html(network: NetworkPlan) -> str:
    rows = []
    for layer in network.layers:
        best = layer.plan.candidates[0]
        rows.append([_cell(layer.name), _cell(layer.count), _cell(format_seconds(best.seconds)),
                     _code(best.schedule)])
    caption = f"<p>{html.escape(repr(network))}</p>"
    return caption + _table(("layer", "times", "seconds of one", "schedule"), rows)


def _explanation_html(explanation: Explanation) -> str:
    rows = [(level.cache, f"{level.moved_bytes:,}", f"{level.bound_bytes:,.0f}", level.moved_bytes)
            for level in explanation.levels]
    caption = f"<p>{html.escape(repr(explanation))}</p>"
    return caption + _bars(("cache", "bytes moved", "lower bound, bytes"), rows)


Plan._repr_html_ = _plan_html  # type: ignore[attr-defined]
NetworkPlan._repr_html_ = _network_html  # type: ignore[attr-defined]
Explanation._repr_html_ = _explanation_html  # type: ignore[attr-defined]

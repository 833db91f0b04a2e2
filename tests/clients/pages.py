#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of `tileplan report` in headless Chromium: pages.py PAGE.html REPORT.json

Fails when the console shows anything, when a number of a table is not that of the JSON, or when
clicking a heading does not sort by its column."""

import json
import os
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

CLICK = """<script>addEventListener('load', function () {
  document.querySelectorAll('#layers th button')[COLUMN].click(); })</script>"""


class Tables(HTMLParser):
    """Holds the cells of each table by its id: the number where there is one, else the text."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.cell = {}, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.rows = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.cell = [attributes.get("data-v"), ""]

    def handle_data(self, data):
        if self.cell:
            self.cell[1] += data

    def handle_endtag(self, tag):
        if tag == "td":
            number, text = self.cell
            self.rows[-1].append(text if number is None else float(number))
            self.cell = None

    def column(self, table, number):
        return [row[number - 1] for row in self.tables[table] if row]


def opened(page):
    """Returns the tables of the page after its scripts ran."""
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
        file.write(page)
        file.flush()
        result = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--dump-dom", "file://" + file.name], capture_output=True, text=True, timeout=120,
            check=True, env=os.environ | {"HOME": tempfile.gettempdir()})
    console = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    assert not console, console
    assert "<table" in result.stdout, "the browser shows no table"
    return Tables(result.stdout)


def numbers(rows, key):
    return [row[key] for row in rows]


def check_layer(page, report):
    tables = opened(page)
    assert tables.column("candidates", 2) == numbers(report["candidates"], "predicted_s")
    assert tables.column("candidates", 5) == numbers(report["candidates"], "schedule")
    assert tables.column("bytes", 5) == numbers(report["levels"], "moved_bytes_sum")
    assert tables.column("bytes", 6) == numbers(report["levels"], "bound_bytes")
    assert tables.column("sensitivity", 2) == numbers(report["sensitivity"], "predicted_s")


def check_network(page, report):
    tables = opened(page)
    assert tables.column("layers", 1) == numbers(report["layers"], "name")
    assert tables.column("layers", 3) == numbers(report["layers"], "seconds")
    assert tables.column("layers", 8) == numbers(report["layers"], "share_of_peak")
    by_time = opened(page + CLICK.replace("COLUMN", "2")).column("layers", 3)
    assert by_time == sorted(numbers(report["layers"], "seconds"), reverse=True), by_time
    twice = CLICK.replace("COLUMN", "2") * 2
    assert opened(page + twice).column("layers", 3) == by_time[::-1]
    by_name = opened(page + CLICK.replace("COLUMN", "9")).column("layers", 10)
    assert by_name == sorted(by_name), by_name


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    (check_network if "layers" in report else check_layer)(page, report)


if __name__ == "__main__":
    main()

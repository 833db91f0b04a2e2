#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints one line per run of `tileplan bench` as Markdown: how fast we are beside oneDNN, and what the roofline leaves.

Reads documents of `bench --json`, or CSV files of earlier runs, compressed or not. Geometric means are over the layers that could
be judged; MobileNet's nine dense shapes have a column of their own.
"""
import argparse
import csv
import gzip
import json
import math
import os
import re
import statistics

NINE = "mobilenet-dense"
COLUMNS = ["run", "machine", "commit", "threads", "layers", "ratio", "median", "lowest", "five lowest", "highest", "ceiling", "share", "MobileNet",
           "intervals below 1, to"]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def row_of(layer):
    """Returns a layer of a JSON document in the columns of the CSV files. The roofline is that of direct kernels."""
    ours = layer["ours"]
    is_direct = ours["median_s"] and "winograd=" not in ours["schedule"]
    share = layer["roofline_s"] / ours["median_s"] if is_direct else None
    return {"layer": layer["name"], "share": share, **{name: layer[name] for name in ("ratio", "ratio_low", "ratio_high", "ceiling")}}


def read(path):
    """Returns what a file says about its conditions, and its judged rows."""
    with (gzip.open if ".gz" in path else open)(path, "rt", newline="") as file:
        text = file.read()
    if text.startswith("{"):
        document = json.loads(text)
        conditions = f"{document['machine']}, commit {document.get('version', '-').split('(')[-1].rstrip(')')}, {document['threads']} threads,"
        rows = map(row_of, document["layers"])
    else:
        lines = text.splitlines(keepends=True)
        conditions = "".join(line for line in lines if line.startswith("#"))
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return conditions, [row for row in rows if row.get("ratio")]


def said(pattern, text):
    found = re.search(pattern, text)
    return found.group(1) if found else "-"


def below_one(rows):
    """Returns the layers whose whole interval is below 1, with its upper end."""
    worse = [row for row in rows if float(row["ratio_high"]) < 1]
    return ", ".join(f"{row['layer']} {float(row['ratio_high']):.3f}" for row in sorted(worse, key=lambda row: float(row["ratio_high"]))) or "none"


def line_of(path):
    said_first, rows = read(path)
    papers = [row for row in rows if not row["layer"].startswith(NINE)]
    nine = [row for row in rows if row["layer"].startswith(NINE)]
    column = lambda name, some=papers: [float(row[name]) for row in some if row.get(name)]
    ratios = sorted(column("ratio"))
    numbers = [mean(ratios), statistics.median(ratios), ratios[0], mean(ratios[:5]), ratios[-1], mean(column("ceiling")), mean(column("share")),
               mean(column("ratio", nine))]
    return [os.path.basename(path).removesuffix(".gz").removesuffix(".csv").removesuffix(".json"), said(r"\((zen\d|[a-z]+(?:-[a-z]+)+)\)", said_first),
            said(r"commit (\w+)", said_first), said(r"(\d) threads?,", said_first), str(len(papers)),
            *("-" if math.isnan(number) else f"{number:.3f}" for number in numbers), below_one(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="documents of bench --json, or CSV files with a layer, ratio, ceiling and share per row")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    for path in parser.parse_args().files:
        print("| " + " | ".join(line_of(path)) + " |")


if __name__ == "__main__":
    main()

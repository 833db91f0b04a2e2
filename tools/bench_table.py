#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One line per run of `tileplan bench` on the papers' tables, as Markdown: how fast beside oneDNN, and what the roofline leaves.

Reads the CSV files of data/results/bench-onednn. Geometric means are over the layers of YOLO9000 and ResNet-18 that could be
judged; MobileNet's nine have a column of their own.
"""
import argparse
import csv
import math
import os
import re

NINE = "mobilenet"
COLUMNS = ["file", "machine", "commit", "threads", "layers", "ratio", "five lowest", "ceiling", "share", "MobileNet", "intervals below 1, to"]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def read(path):
    """The comment lines and the judged rows of a file."""
    with open(path, newline="") as file:
        lines = file.readlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return "".join(line for line in lines if line.startswith("#")), [row for row in rows if row.get("ratio")]


def said(pattern, text):
    found = re.search(pattern, text)
    return found.group(1) if found else "-"


def below_one(rows):
    """The layers whose whole interval is below 1, with its upper end."""
    worse = [row for row in rows if float(row["ratio_high"]) < 1]
    return ", ".join(f"{row['layer']} {float(row['ratio_high']):.3f}" for row in sorted(worse, key=lambda row: float(row["ratio_high"]))) or "none"


def line_of(path):
    said_first, rows = read(path)
    papers = [row for row in rows if not row["layer"].startswith(NINE)]
    nine = [row for row in rows if row["layer"].startswith(NINE)]
    column = lambda name, some: [float(row[name]) for row in some]
    ratios = column("ratio", papers)
    return [os.path.basename(path).removesuffix(".csv"), said(r"\((zen\d|sapphire-rapids)\)", said_first),
            said(r"commit (\w+)", said_first), said(r"(\d) threads?,", said_first), str(len(papers)), f"{mean(ratios):.3f}",
            f"{mean(sorted(ratios)[:5]):.3f}", f"{mean(column('ceiling', papers)):.3f}", f"{mean(column('share', papers)):.3f}",
            f"{mean(column('ratio', nine)):.3f}" if nine else "-", below_one(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="CSV files with a layer, ratio, ceiling and share per row")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    for path in parser.parse_args().files:
        print("| " + " | ".join(line_of(path)) + " |")


if __name__ == "__main__":
    main()

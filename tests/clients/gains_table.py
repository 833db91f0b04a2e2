#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of `./run test-clients --gains` from its file of JSON lines."""

import json
import sys

COLUMNS = {"client": "client", "problem": "problem", "default_s": "default", "tuner_s": "tuner",
           "longer_s": "tuner for longer", "first_s": "first candidate",
           "best_s": "best candidate"}


def cell(row, key):
    """Returns the text of a cell. Times are in milliseconds, with the speedup over the client's default."""
    if row.get(key) is None:
        return "none" if key in row else ""
    if not key.endswith("_s"):
        return str(row[key])
    text = f"{1000 * row[key]:.3f} ms"
    if key == "default_s":
        return text
    text += f" ({row['default_s'] / row[key]:.2f} x)"
    if key == "longer_s":
        text += f", {row['longer_trials']} trials, {row['longer']:.0f} times as long"
    return text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(each) for each in file]
    print("| " + " | ".join([*COLUMNS.values(), "candidates"]) + " |")
    print("|" + " --- |" * (len(COLUMNS) + 1))
    for row in rows:
        print("| " + " | ".join([*(cell(row, key) for key in COLUMNS), str(row["candidates"])]) + " |")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates what `tileplan candidates PROBLEM --format zigzag` wrote by ZigZag's cost model (3.9.1).

Prints one JSON object per candidate: its schedule, the predicted seconds, ZigZag's seconds, and
whether ZigZag kept the order of the loops and counts each iteration once. Exit status 1 when it did
not."""

import argparse
import json
import logging
import math
import os
import re
import sys
import tempfile

from zigzag import api


def evaluated(line, folder):
    """Returns ZigZag's cycles, and the complete description of its result."""
    paths = {}
    for name in ("workload", "accelerator", "mapping"):
        paths[name] = os.path.join(folder, name + ".yaml")
        with open(paths[name], "w", encoding="utf-8") as file:
            json.dump(line[name], file)  # ZigZag reads YAML, and every JSON text is valid YAML.
    _, cycles, _ = api.get_hardware_performance_zigzag(**paths, dump_folder=folder, opt="latency",
                                                       loma_show_progress_bar=False)
    with open(os.path.join(folder, "product_complete.json"), encoding="utf-8") as file:
        return cycles, json.load(file)


def loops_of(levels):
    """Returns the loops of all levels of one operand, innermost first."""
    return [[dim, int(trips)] for level in levels for text in level
            for dim, trips in re.findall(r"\((\w+), (\d+)\)", text)]


def merged(loops):
    """Joins neighbouring loops over one dim, because ZigZag may join them too."""
    result = []
    for dim, trips in loops:
        if result and result[-1][0] == dim:
            result[-1][1] *= trips
        else:
            result.append([dim, trips])
    return result


def is_kept(line, result):
    """Returns true if each operand has the loops of the candidate, and they cover the problem."""
    wanted = line["mapping"][0]["temporal_ordering"]
    operands = result["inputs"]["temporal_mapping"].values()
    iterations = math.prod(line["workload"][0]["loop_sizes"])
    lanes = line["accelerator"]["operational_array"]["sizes"][0]
    return (all(merged(loops_of(each)) == merged(wanted) for each in operands) and
            math.prod(trips for _, trips in wanted) * lanes == iterations)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", help="file of candidates")
    parser.add_argument("--top", type=int, default=10, help="candidates to evaluate")
    flags = parser.parse_args()
    with open(flags.candidates, encoding="utf-8") as file:
        lines = [json.loads(each) for each in file if each.strip()][:flags.top]
    logging.disable(logging.WARNING)
    wrong = 0
    for line in lines:
        with tempfile.TemporaryDirectory() as folder:
            cycles, result = evaluated(line, folder)
        kept = is_kept(line, result)
        wrong += not kept
        print(json.dumps({"schedule": line["schedule"], "predicted_s": line["predicted_s"],
                          "zigzag_s": cycles / line["cycles_per_second"], "kept": kept}), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
